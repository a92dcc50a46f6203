#include "fram_controller.h"

#include "machine/device/msp430/word_register.h"

enum { FRCTL0 = 0x140, GCCTL0 = 0x144, GCCTL1 = 0x146, KEY = 0xa5, KEY_READ = 0x9600 };
enum { NWAITS_SHIFT = 4, NWAITS = 0x70, GCCTL0_BITS = 0xe6, GCCTL0_RESET = 0x06, GCCTL1_BITS = 0x0e };
enum { ACCTE = 0x08, UBD = 0x04, CBD = 0x02, UBDIE = 0x40, CBDIE = 0x20 };
enum { FASTEST_HZ = 8000000, SETS = 2, WAYS = 2, LINE_BITS = 3 };

#define NO_LINE UINT32_MAX

struct hc_fram_controller {
    struct hc_device base;
    struct hc_sys *sys;
    uint32_t start, end;
    int hook; /* on the FRAM, while there are wait states */
    bool hooked;
    struct {
        uint8_t frctl0;
        uint16_t gcctl0, gcctl1;
        bool open;
        uint32_t line[SETS][WAYS]; /* the younger first */
        uint32_t waits;            /* of data accesses since the last instruction */
        bool noted;
    } s;
};

static unsigned nwaits(const struct hc_fram_controller *f)
{
    return (f->s.frctl0 & NWAITS) >> NWAITS_SHIFT;
}

/* ---- the cache ---- */

static void forget_lines(struct hc_fram_controller *f)
{
    for (int set = 0; set < SETS; set++)
        for (int way = 0; way < WAYS; way++)
            f->s.line[set][way] = NO_LINE;
}

/* Is ADDRESS in the cache? It is afterwards, if it is read. */
static bool lookup(struct hc_fram_controller *f, uint32_t address, bool write)
{
    uint32_t line = address >> LINE_BITS, *ways = f->s.line[line % SETS];

    if (ways[0] == line)
        return true;
    bool held = ways[1] == line;
    if (held || !write) {
        ways[1] = ways[0];
        ways[0] = line;
    }
    return held;
}

static bool is_fram(const struct hc_fram_controller *f, uint32_t address)
{
    return address >= f->start && address <= f->end;
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_fram_controller *f = owner;

    (void)m;
    if (!lookup(f, access->address, access->write) || access->write)
        f->s.waits += nwaits(f);
    return HC_CONTINUE;
}

static unsigned wait_states(void *owner, uint32_t pc, unsigned length)
{
    struct hc_fram_controller *f = owner;
    unsigned waits = f->s.waits;

    f->s.waits = 0;
    for (uint32_t at = pc; is_fram(f, at) && at < pc + length; at += 2)
        if (!lookup(f, at, false))
            waits += nwaits(f);
    return waits;
}

static void watch_accesses(struct hc_fram_controller *f)
{
    struct hc_machine *m = f->base.machine;
    bool wanted = nwaits(f) != 0;

    if (wanted == f->hooked)
        return;
    f->hooked = wanted;
    if (wanted)
        f->hook = hc_hook_access(m, f->start, f->end, HC_WATCH_READ | HC_WATCH_WRITE, accessed, f);
    else
        hc_unhook(m, f->hook);
    hc_set_wait_states(m, wanted ? wait_states : NULL, f);
}

/* ---- flags ---- */

static void update_nmi(struct hc_fram_controller *f)
{
    hc_sys_snmi(f->sys, HC_SNMI_UBD, (f->s.gcctl1 & UBD) && (f->s.gcctl0 & UBDIE));
    hc_sys_snmi(f->sys, HC_SNMI_CBD, (f->s.gcctl1 & CBD) && (f->s.gcctl0 & CBDIE));
}

static void clear_flag(struct hc_device *d, enum hc_sys_snmi number)
{
    struct hc_fram_controller *f = (struct hc_fram_controller *)d;

    f->s.gcctl1 &= (uint16_t)~(number == HC_SNMI_UBD ? UBD : CBD);
    update_nmi(f);
}

static void check_speed(struct hc_fram_controller *f)
{
    hc_time period = hc_mclk(f->base.machine)->s.period;

    if (!period || (nwaits(f) + 1) * period + 1 >= hc_period(FASTEST_HZ))
        return;
    f->s.gcctl1 |= ACCTE;
    if (!f->s.noted)
        hc_note(f->base.machine, "%s: MCLK is too fast for FRAM with NWAITS = %u: ACCTEIFG", f->base.name, nwaits(f));
    f->s.noted = true;
    hc_sys_reset(f->sys, HC_SYS_ACCTE);
}

static void mclk_changed(void *owner, hc_time now)
{
    (void)now;
    check_speed(owner);
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_fram_controller *f = (struct hc_fram_controller *)d;

    (void)kind;
    f->s.frctl0 = 0;
    f->s.gcctl0 = GCCTL0_RESET;
    f->s.gcctl1 = hc_sys_is_bor(f->sys) ? 0 : f->s.gcctl1 & ACCTE; /* tells why the PUC came */
    f->s.open = false;
    f->s.waits = 0;
    forget_lines(f);
    watch_accesses(f);
    update_nmi(f);
}

static uint16_t value_at(const struct hc_fram_controller *f, uint32_t word)
{
    return word == FRCTL0 ? KEY_READ | f->s.frctl0 : word == GCCTL0 ? f->s.gcctl0 : word == GCCTL1 ? f->s.gcctl1 : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_fram_controller *)d, address & ~1u), address, size);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    if ((address & ~1u) == FRCTL0 + 2)
        hc_unknown_register(d, address, false);
    return peek(d, address, size);
}

static void write_control(struct hc_fram_controller *f, uint32_t address, uint16_t value, int size)
{
    if (size == 2 && value >> 8 != KEY) {
        hc_sys_reset(f->sys, HC_SYS_FRCTLPW);
        return;
    }
    if (size == 2)
        f->s.open = true;
    else if (address & 1)
        f->s.open = (uint8_t)value == KEY;
    if (!f->s.open || (address & 1))
        return;
    f->s.frctl0 = value & NWAITS;
    watch_accesses(f);
    check_speed(f);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_fram_controller *f = (struct hc_fram_controller *)d;
    uint32_t word = address & ~1u;

    if (word == FRCTL0)
        write_control(f, address, value, size);
    else if (word == GCCTL0 && f->s.open)
        f->s.gcctl0 = hc_word_written(f->s.gcctl0, address, value, size) & GCCTL0_BITS;
    else if (word == GCCTL1 && f->s.open)
        f->s.gcctl1 = hc_word_written(f->s.gcctl1, address, value, size) & GCCTL1_BITS;
    else if (word == FRCTL0 + 2)
        hc_unknown_register(d, address, true);
    update_nmi(f);
}

static void loaded(struct hc_device *d)
{
    watch_accesses((struct hc_fram_controller *)d);
}

static const struct hc_device_ops ops = {
    .name = "fram_controller",
    .help = "FRAM controller: wait states, access time errors",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .loaded = loaded,
};

struct hc_fram_controller *hc_fram_controller_new(struct hc_machine *m, struct hc_sys *sys, uint32_t start,
                                                  uint32_t end)
{
    static const enum hc_sys_snmi numbers[] = { HC_SNMI_UBD, HC_SNMI_CBD };
    struct hc_fram_controller *f = HC_DEVICE_NEW(m, &ops, "fram_controller", struct hc_fram_controller);

    f->sys = sys;
    f->start = start;
    f->end = end;
    forget_lines(f);
    hc_device_claim(&f->base, FRCTL0, GCCTL1 + 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hc_sys_snmi_source(sys, numbers[i], &f->base, clear_flag);
    hc_clock_listen(hc_mclk(m), (struct hc_clock_listener){ .changed = mclk_changed, .owner = f });
    return f;
}
