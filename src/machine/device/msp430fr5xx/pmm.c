#include "pmm.h"

#include "machine/device/msp430/word_register.h"

enum { PMMCTL0 = 0x120, PMMIFG = 0x12a, PM5CTL0 = 0x130 };
enum { KEY = 0xa5, KEY_READ = 0x9600 };
enum { PMMSWBOR = 0x04, PMMSWPOR = 0x08, PMMREGOFF = 0x10, SVSHE = 0x40, CTL0_STORED = SVSHE | PMMREGOFF };
enum {
    PMMLPM5IFG = 0x8000,
    PMMBORIFG = 0x0100,
    PMMRSTIFG = 0x0200,
    PMMPORIFG = 0x0400,
    PMMIFG_BITS = 0xa700,
    LOCKLPM5 = 0x0001
};

struct hc_pmm {
    struct hc_device base;
    struct hc_sys *sys;
    hc_pmm_lock_fn *lock_call;
    void *lock_owner;
    struct {
        uint16_t ctl0, ifg, pm5;
        bool open;
    } s;
};

static void set_lock(struct hc_pmm *pmm, uint16_t pm5)
{
    uint16_t before = pmm->s.pm5;

    pmm->s.pm5 = pm5;
    if (before != pm5 && pmm->lock_call)
        pmm->lock_call(pmm->lock_owner, pm5 & LOCKLPM5);
}

bool hc_pmm_is_locked(const struct hc_pmm *pmm)
{
    return pmm->s.pm5 & LOCKLPM5;
}

void hc_pmm_on_lock(struct hc_pmm *pmm, hc_pmm_lock_fn *call, void *owner)
{
    pmm->lock_call = call;
    pmm->lock_owner = owner;
}

/* ---- LPMx.5 ---- */

/* What memory and registers hold afterwards is anything: the same for the same moment. */
static void lose_contents(struct hc_machine *m)
{
    enum { FIRST_REGISTER = 4 };
    uint64_t noise = hc_now(m);

    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name; r++)
        for (uint32_t a = r->start; r->kind == HC_RAM && a <= r->end; a++) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            hc_poke(m, a, (uint8_t)(noise >> 56));
        }
    for (int i = FIRST_REGISTER; i < HC_REGISTERS; i++)
        hc_set_register(m, i, (uint32_t)(noise >> (i + 24)) & 0xfffff);
}

void hc_pmm_mode_changed(struct hc_pmm *pmm, uint16_t sr)
{
    enum { LPM3 = HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 };

    if (!(pmm->s.ctl0 & PMMREGOFF) || (sr & LPM3) != LPM3 || hc_sys_is_off(pmm->sys))
        return;
    pmm->s.ifg |= PMMLPM5IFG;
    hc_sys_switch_off(pmm->sys);
}

struct hc_sys *hc_pmm_sys(const struct hc_pmm *pmm)
{
    return pmm->sys;
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_pmm *pmm = (struct hc_pmm *)d;

    (void)kind;
    pmm->s.open = false;
    pmm->s.ctl0 = SVSHE;
    if (hc_sys_is_off(pmm->sys))
        lose_contents(d->machine);
    if (hc_sys_is_bor(pmm->sys))
        set_lock(pmm, LOCKLPM5);
}

static void power_off(struct hc_device *d)
{
    ((struct hc_pmm *)d)->s.ifg = 0;
    ((struct hc_pmm *)d)->s.ctl0 = SVSHE;
}

static uint16_t value_at(const struct hc_pmm *pmm, uint32_t word)
{
    return word == PMMCTL0 ? KEY_READ | pmm->s.ctl0 : word == PMMIFG ? pmm->s.ifg : word == PM5CTL0 ? pmm->s.pm5 : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_pmm *)d, address & ~1u), address, size);
}

static bool is_register(uint32_t word)
{
    return word == PMMCTL0 || word == PMMIFG || word == PM5CTL0;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    if (!is_register(address & ~1u))
        hc_unknown_register(d, address, false);
    return peek(d, address, size);
}

static void write_bits(struct hc_pmm *pmm, uint8_t value)
{
    pmm->s.ctl0 = value & CTL0_STORED;
    if (value & PMMSWBOR) {
        pmm->s.ifg |= PMMBORIFG;
        hc_sys_reset(pmm->sys, HC_SYS_DOBOR);
    } else if (value & PMMSWPOR) {
        pmm->s.ifg |= PMMPORIFG;
        hc_sys_reset(pmm->sys, HC_SYS_DOPOR);
    }
}

static void write_control(struct hc_pmm *pmm, uint32_t address, uint16_t value, int size)
{
    if (size == 2 && value >> 8 != KEY) {
        hc_sys_reset(pmm->sys, HC_SYS_PMMPW);
        return;
    }
    if (size == 2)
        pmm->s.open = true;
    else if (address & 1)
        pmm->s.open = (uint8_t)value == KEY;
    if (pmm->s.open && !(address & 1))
        write_bits(pmm, (uint8_t)value);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_pmm *pmm = (struct hc_pmm *)d;
    uint32_t word = address & ~1u;

    if (word == PMMCTL0)
        write_control(pmm, address, value, size);
    else if (word == PMMIFG && pmm->s.open)
        pmm->s.ifg &= hc_word_written(pmm->s.ifg, address, value, size) & PMMIFG_BITS;
    else if (word == PM5CTL0)
        set_lock(pmm, hc_word_written(pmm->s.pm5, address, value, size) & LOCKLPM5);
    else if (!is_register(word))
        hc_unknown_register(d, address, true);
}

static const struct hc_device_ops ops = {
    .name = "pmm",
    .help = "power management: software BOR and POR, the lock of the pins",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .power_off = power_off,
};

struct hc_pmm *hc_pmm_new(struct hc_machine *m, struct hc_sys *sys)
{
    struct hc_pmm *pmm = HC_DEVICE_NEW(m, &ops, "pmm", struct hc_pmm);

    pmm->sys = sys;
    hc_device_claim(&pmm->base, PMMCTL0, PM5CTL0 + 1);
    return pmm;
}
