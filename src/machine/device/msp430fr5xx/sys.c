#include "sys.h"

#include "machine/device/msp430/word_register.h"

enum { SFRIE1 = 0x100, SFRIFG1 = 0x102, SFRRPCR = 0x104, SYSCTL = 0x180, SYSJMBC = 0x186, SYSJMBO1 = 0x18e };
enum { SYSUNIV = 0x19a, SYSSNIV = 0x19c, SYSRSTIV = 0x19e };
enum { VECTOR_UNMI = 61, VECTOR_SNMI = 62 };

enum { JMBIN = 0x40, JMBOUT = 0x80, SFR_BITS = 0xdb, SFRIFG1_BOR = JMBOUT | HC_SYS_OF };
enum { SYSNMI = 0x01, SYSNMIIES = 0x02, SFRRPCR_BITS = 0x0f, SFRRPCR_BOR = 0x0c };
enum { SYSRIVECT = 0x01, SYSPMMPE = 0x04, SYSCTL_BITS = SYSRIVECT | SYSPMMPE | 0x10 };
enum { SYSJMBC_BOR = 0x0c, SYSUNIV_NMI = 0x02, SYSUNIV_OF = 0x04 };

enum { CAUSES = 32, OWNERS = 16, MAILBOX_WORDS = 5 };

struct hc_sys {
    struct hc_device base;
    hc_wire rst_nmi;
    struct {
        struct hc_device *device;
        hc_sys_fn *call;
    } owner[OWNERS]; /* by bit */
    struct {
        struct hc_device *device;
        hc_sys_clear_fn *clear;
    } source[HC_SNMI_END / 2];
    struct {
        uint16_t ie, ifg, rpcr, ctl;
        uint16_t mailbox[MAILBOX_WORDS]; /* SYSJMBC to SYSJMBO1 */
        uint64_t causes;                 /* not yet read: bit n is SYSRSTIV = 2n */
        bool named;                      /* a module has named the cause of the reset that comes */
        bool bor;                        /* the reset that comes, or the last one, is a BOR */
        bool off, waking;                /* LPMx.5; the reset that comes, or the last one, ends it */
        uint16_t snmi;                   /* requests of the sources: bit n is SYSSNIV = 2n */
        bool noted_vectors;
    } s;
};

/* ---- non-maskable interrupts ---- */

static uint16_t user_nmi(const struct hc_sys *sys)
{
    uint16_t pending = sys->s.ie & sys->s.ifg;

    return pending & HC_SYS_NMI ? SYSUNIV_NMI : pending & HC_SYS_OF ? SYSUNIV_OF : 0;
}

static uint16_t system_nmi(const struct hc_sys *sys)
{
    return sys->s.snmi ? (uint16_t)(2 * __builtin_ctz(sys->s.snmi)) : 0;
}

static void request_user_nmi(struct hc_sys *sys)
{
    hc_interrupt(sys->base.machine, VECTOR_UNMI, user_nmi(sys) != 0);
}

void hc_sys_snmi_source(struct hc_sys *sys, enum hc_sys_snmi number, struct hc_device *source, hc_sys_clear_fn *clear)
{
    sys->source[number / 2].device = source;
    sys->source[number / 2].clear = clear;
}

void hc_sys_snmi(struct hc_sys *sys, enum hc_sys_snmi number, bool request)
{
    uint16_t bit = (uint16_t)(1u << number / 2), before = sys->s.snmi;

    sys->s.snmi = request ? before | bit : before & (uint16_t)~bit;
    if (sys->s.snmi != before)
        hc_interrupt(sys->base.machine, VECTOR_SNMI, sys->s.snmi != 0);
}

static void clear_system_nmi(struct hc_sys *sys)
{
    uint16_t number = system_nmi(sys);

    if (number)
        sys->source[number / 2].clear(sys->source[number / 2].device, (enum hc_sys_snmi)number);
}

/* The hardware serves no other of its kind before the RETI. */
static void interrupt_accepted(struct hc_device *d, int vector)
{
    hc_interrupt(d->machine, vector, false);
}

/* ---- flags ---- */

void hc_sys_own(struct hc_sys *sys, uint16_t bit, struct hc_device *owner, hc_sys_fn *call)
{
    int i = __builtin_ctz(bit);

    sys->owner[i].device = owner;
    sys->owner[i].call = call;
}

bool hc_sys_flag(const struct hc_sys *sys, uint16_t bit)
{
    return sys->s.ifg & bit;
}

bool hc_sys_enabled(const struct hc_sys *sys, uint16_t bit)
{
    return sys->s.ie & bit;
}

void hc_sys_set_flag(struct hc_sys *sys, uint16_t bit, bool flag)
{
    uint16_t before = sys->s.ifg;

    sys->s.ifg = flag ? before | bit : before & (uint16_t)~bit;
    if ((before ^ sys->s.ifg) & (HC_SYS_NMI | HC_SYS_OF))
        request_user_nmi(sys);
}

static void tell_owners(struct hc_sys *sys, uint16_t changed)
{
    for (int i = 0; i < OWNERS; i++)
        if ((changed >> i & 1) && sys->owner[i].call)
            sys->owner[i].call(sys->owner[i].device);
    if (changed & (HC_SYS_NMI | HC_SYS_OF))
        request_user_nmi(sys);
}

/* What causes a flag may set it again at once. */
static void clear_flags(struct hc_sys *sys, uint16_t bits)
{
    sys->s.ifg &= (uint16_t)~bits;
    tell_owners(sys, bits);
}

static void clear_user_nmi(struct hc_sys *sys)
{
    uint16_t number = user_nmi(sys);

    clear_flags(sys, number == SYSUNIV_NMI ? HC_SYS_NMI : number == SYSUNIV_OF ? HC_SYS_OF : 0);
}

/* ---- resets ---- */

void hc_sys_reset(struct hc_sys *sys, enum hc_sys_cause cause)
{
    sys->s.causes |= 1ull << cause / 2;
    sys->s.named = true;
    sys->s.bor |= cause <= HC_SYS_SVSH;
    sys->s.waking = sys->s.off && cause == HC_SYS_LPM5WU;
    sys->s.off &= cause > HC_SYS_SVSH;
    hc_request_reset(sys->base.machine, cause <= HC_SYS_DOPOR ? HC_POR : HC_PUC);
}

bool hc_sys_is_bor(const struct hc_sys *sys)
{
    return sys->s.bor;
}

void hc_sys_switch_off(struct hc_sys *sys)
{
    sys->s.off = sys->s.named = sys->s.bor = true;
    sys->s.waking = false;
    hc_request_reset(sys->base.machine, HC_POR);
}

bool hc_sys_is_off(const struct hc_sys *sys)
{
    return sys->s.off;
}

void hc_sys_wake(struct hc_sys *sys)
{
    if (sys->s.off)
        hc_sys_reset(sys, HC_SYS_LPM5WU);
}

bool hc_sys_is_waking(const struct hc_sys *sys)
{
    return sys->s.waking;
}

static uint16_t next_cause(const struct hc_sys *sys)
{
    return sys->s.causes ? (uint16_t)(2 * __builtin_ctzll(sys->s.causes)) : 0;
}

static void pin_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_sys *sys = owner;

    (void)now;
    if (!(sys->s.rpcr & SYSNMI))
        hc_sys_reset(sys, HC_SYS_RSTNMI); /* on both edges: reset() holds the CPU while it is low */
    else if (!level == !!(sys->s.rpcr & SYSNMIIES))
        hc_sys_set_flag(sys, HC_SYS_NMI, true);
}

static void reset_registers(struct hc_sys *sys)
{
    sys->s.ifg = SFRIFG1_BOR;
    sys->s.rpcr = SFRRPCR_BOR;
    sys->s.mailbox[0] = SYSJMBC_BOR;
    for (int i = 1; i < MAILBOX_WORDS; i++)
        sys->s.mailbox[i] = 0;
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_sys *sys = (struct hc_sys *)d;

    if (!sys->s.named && kind == HC_POR) {
        sys->s.causes = 1ull << HC_SYS_BOR / 2;
        sys->s.bor = true;
    } else if (!sys->s.named) {
        sys->s.bor = false;
    }
    sys->s.bor &= kind == HC_POR;
    if (sys->s.bor)
        reset_registers(sys);
    if (!sys->s.named)
        sys->s.off = sys->s.waking = false;
    sys->s.named = false;
    sys->s.ie = sys->s.ctl = sys->s.snmi = 0;
    if (!(sys->s.rpcr & SYSNMI) && !hc_wire_level(d->machine, sys->rst_nmi))
        hc_cpu_hold(d->machine, HC_NEVER);
    if (sys->s.off)
        hc_set_register(d->machine, HC_SR, HC_SR_CPUOFF | HC_SR_OSCOFF | HC_SR_SCG0 | HC_SR_SCG1);
}

static void power_off(struct hc_device *d)
{
    struct hc_sys *sys = (struct hc_sys *)d;

    sys->s.causes = 0;
    sys->s.named = sys->s.off = sys->s.waking = false;
}

/* ---- registers ---- */

static uint16_t *storage_at(struct hc_sys *sys, uint32_t word)
{
    switch (word) {
    case SFRIE1:
        return &sys->s.ie;
    case SFRIFG1:
        return &sys->s.ifg;
    case SFRRPCR:
        return &sys->s.rpcr;
    case SYSCTL:
        return &sys->s.ctl;
    default:
        return word >= SYSJMBC && word <= SYSJMBO1 ? &sys->s.mailbox[(word - SYSJMBC) / 2] : NULL;
    }
}

static uint16_t value_at(struct hc_sys *sys, uint32_t word)
{
    const uint16_t *storage = storage_at(sys, word);

    if (storage)
        return *storage;
    return word == SYSUNIV ? user_nmi(sys) : word == SYSSNIV ? system_nmi(sys) : word == SYSRSTIV ? next_cause(sys) : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_sys *)d, address & ~1u), address, size);
}

static bool is_vector_word(uint32_t word)
{
    return word == SYSUNIV || word == SYSSNIV || word == SYSRSTIV;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_sys *sys = (struct hc_sys *)d;
    uint32_t word = address & ~1u;
    uint16_t value = peek(d, address, size);

    if (word == SYSUNIV)
        clear_user_nmi(sys);
    else if (word == SYSSNIV)
        clear_system_nmi(sys);
    else if (word == SYSRSTIV)
        sys->s.causes &= sys->s.causes - 1;
    else if (!storage_at(sys, word))
        hc_unknown_register(d, address, false);
    return value;
}

static void write_control(struct hc_sys *sys, uint16_t value)
{
    sys->s.ctl = (value & SYSCTL_BITS) | (sys->s.ctl & SYSPMMPE);
    if ((value & SYSRIVECT) && !sys->s.noted_vectors) {
        sys->s.noted_vectors = true;
        hc_note(sys->base.machine, "%s: SYSRIVECT is set, but vectors in RAM are not modelled", sys->base.name);
    }
}

static void write_vector_word(struct hc_sys *sys, uint32_t word)
{
    if (word == SYSRSTIV)
        sys->s.causes = 0;
    else if (word == SYSUNIV)
        clear_flags(sys, sys->s.ie & sys->s.ifg & (HC_SYS_NMI | HC_SYS_OF));
    else
        while (system_nmi(sys))
            clear_system_nmi(sys);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_sys *sys = (struct hc_sys *)d;
    uint32_t word = address & ~1u;
    uint16_t *storage = storage_at(sys, word);

    if (is_vector_word(word)) {
        write_vector_word(sys, word);
        return;
    }
    if (!storage) {
        hc_unknown_register(d, address, true);
        return;
    }
    uint16_t before = *storage, after = hc_word_written(before, address, value, size);
    if (word == SYSCTL) {
        write_control(sys, after);
    } else if (word == SFRIE1 || word == SFRIFG1) {
        *storage = after & SFR_BITS;
        tell_owners(sys, before ^ *storage);
    } else {
        *storage = word == SFRRPCR ? after & SFRRPCR_BITS : after;
    }
}

static const struct hc_device_ops ops = {
    .name = "sys",
    .help = "system control: reset causes, non-maskable interrupts, RST/NMI pin",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .interrupt_accepted = interrupt_accepted,
    .power_off = power_off,
};

struct hc_sys *hc_sys_new(struct hc_machine *m)
{
    struct hc_sys *sys = HC_DEVICE_NEW(m, &ops, "sys", struct hc_sys);

    sys->rst_nmi = hc_wire_new(m, "rst_nmi", 1);
    hc_wire_listen(m, sys->rst_nmi, pin_changed, sys);
    hc_device_claim(&sys->base, SFRIE1, SFRRPCR + 1);
    hc_device_claim(&sys->base, SYSCTL, SYSRSTIV + 1);
    hc_device_owns_vector(&sys->base, VECTOR_UNMI);
    hc_device_owns_vector(&sys->base, VECTOR_SNMI);
    hc_nonmaskable(m, VECTOR_UNMI);
    hc_nonmaskable(m, VECTOR_SNMI);
    return sys;
}
