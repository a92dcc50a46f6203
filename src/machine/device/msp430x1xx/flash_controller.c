#include "flash_controller.h"

#include "machine/device/msp430/clock_span.h"

enum { FCTL1 = 0x128, FCTL2 = 0x12a, FCTL3 = 0x12c };
enum { WRITE_KEY = 0xa5, READ_KEY = 0x96 };
enum { BLKWRT = 0x80, WRT = 0x40, MERAS = 0x04, ERASE = 0x02, FCTL1_BITS = BLKWRT | WRT | MERAS | ERASE };
enum { FN = 0x3f, FCTL2_INITIAL = 0x42 };
enum { EMEX = 0x20, LOCK = 0x10, WAIT = 0x08, ACCVIFG = 0x04, KEYV = 0x02, BUSY = 0x01 };

enum { BLOCK_SIZE = 64, BLOCKS = 0x10000 / BLOCK_SIZE };
enum { JUMP_TO_ITSELF = 0x3fff };

enum operation { IDLE, PROGRAM, BLOCK_FIRST, BLOCK_NEXT, BLOCK_READY, BLOCK_END, ERASE_SEGMENT, ERASE_MAIN, ERASE_ALL };

/* Periods of the timing generator: how long an operation takes, and how long of that its block has programming voltage.
 */
static const struct {
    uint16_t periods, voltage;
} cost[] = {
    [PROGRAM] = { 35, 32 },        [BLOCK_FIRST] = { 30, 27 }, [BLOCK_NEXT] = { 21, 21 }, [BLOCK_END] = { 6, 0 },
    [ERASE_SEGMENT] = { 4819, 0 }, [ERASE_MAIN] = { 5297, 0 }, [ERASE_ALL] = { 5297, 0 },
};

/* A block may have programming voltage for 4 ms between erases. */
enum { CUMULATIVE_PROGRAM_TIME_US = 4000 };

/* Timing generator, with what rounding a period to whole units of time may cost. */
enum { FASTEST_HZ = 476000 + 100, SLOWEST_HZ = 257000 - 100 };

struct hc_flash_controller {
    struct hc_device base;
    struct hc_flash_layout layout;
    struct hc_sfr *sfr;
    struct hc_clock *source[4]; /* by FSSEL */
    hc_event finish;
    struct {
        uint8_t ctl1, ctl2, ctl3; /* ctl3 without WAIT and BUSY, which follow from operation */
        uint8_t operation;
        uint8_t size;
        bool holds_cpu;
        bool rate_noted;
        uint16_t data;
        uint32_t address;
        struct hc_clock_span span;
        uint64_t random;
        uint16_t programmed_us[BLOCKS];
    } s;
};

/* ---- places ---- */

static bool in_info(const struct hc_flash_controller *f, uint32_t address)
{
    return address >= f->layout.info_start && address <= f->layout.info_end;
}

static bool in_flash(const struct hc_flash_controller *f, uint32_t address)
{
    return (address >= f->layout.main_start && address <= f->layout.main_end) || in_info(f, address);
}

static uint16_t *programmed_us(struct hc_flash_controller *f, uint32_t address)
{
    return &f->s.programmed_us[address / BLOCK_SIZE % BLOCKS];
}

/* The range that an erase covers; the information memory of ERASE_ALL comes by a call of its own. */
static void erase_range(const struct hc_flash_controller *f, uint32_t *start, uint32_t *end)
{
    const struct hc_flash_layout *l = &f->layout;
    uint32_t size = in_info(f, f->s.address) ? l->info_segment : l->main_segment;

    *start = l->main_start;
    *end = l->main_end;
    if (f->s.operation == ERASE_SEGMENT) {
        *start = f->s.address / size * size;
        *end = *start + size - 1;
    }
}

/* ---- contents ---- */

static uint8_t random_byte(struct hc_flash_controller *f)
{
    f->s.random ^= f->s.random << 13;
    f->s.random ^= f->s.random >> 7;
    f->s.random ^= f->s.random << 17;
    return (uint8_t)(f->s.random >> 32);
}

static void program(struct hc_flash_controller *f, bool torn)
{
    for (uint32_t i = 0; i < f->s.size; i++) {
        uint8_t before = hc_memory_get(f->base.machine, f->s.address + i);
        uint8_t spared = torn ? random_byte(f) : 0;
        uint8_t data = (uint8_t)(f->s.data >> (8 * i));
        hc_memory_set(f->base.machine, f->s.address + i, before & (data | spared));
    }
}

static void erase_bytes(struct hc_flash_controller *f, uint32_t start, uint32_t end, bool torn)
{
    for (uint32_t a = start; a <= end; a++) {
        uint8_t before = hc_memory_get(f->base.machine, a);
        hc_memory_set(f->base.machine, a, torn ? before | random_byte(f) : 0xff);
        *programmed_us(f, a) = 0;
    }
}

static void change_memory(struct hc_flash_controller *f, bool torn)
{
    uint32_t start, end;

    switch (f->s.operation) {
    case PROGRAM:
    case BLOCK_FIRST:
    case BLOCK_NEXT:
        program(f, torn);
        break;
    case ERASE_ALL:
        erase_bytes(f, f->layout.info_start, f->layout.info_end, torn);
        /* fall through */
    case ERASE_MAIN:
    case ERASE_SEGMENT:
        erase_range(f, &start, &end);
        erase_bytes(f, start, end, torn);
        break;
    default:
        break;
    }
}

/* ---- operations ---- */

static bool is_busy(const struct hc_flash_controller *f)
{
    return f->s.operation != IDLE;
}

static bool in_block_write(const struct hc_flash_controller *f)
{
    return f->s.operation >= BLOCK_FIRST && f->s.operation <= BLOCK_END;
}

/* Reads of flash are seen only while they give something else than memory. */
static void guard(struct hc_flash_controller *f)
{
    int watch = HC_WATCH_WRITE | (is_busy(f) ? HC_WATCH_READ : 0);

    hc_device_guard(&f->base, f->layout.main_start, f->layout.main_end, watch);
    hc_device_guard(&f->base, f->layout.info_start, f->layout.info_end, watch);
}

static void set_access_violation(struct hc_flash_controller *f, bool lock)
{
    f->s.ctl3 |= ACCVIFG | (lock ? LOCK : 0);
    hc_sfr_access_violation(f->sfr, true);
}

static struct hc_clock *source(const struct hc_flash_controller *f)
{
    return f->source[f->s.ctl2 >> 6];
}

/* Of the timing generator; 0 while its source stands still. */
static hc_time generator_period(const struct hc_flash_controller *f)
{
    return source(f)->s.period * ((f->s.ctl2 & FN) + 1u);
}

static void check_rate(struct hc_flash_controller *f)
{
    hc_time period = generator_period(f);

    if (f->s.rate_noted || (period && period <= HC_SECOND / SLOWEST_HZ && period >= HC_SECOND / FASTEST_HZ))
        return;
    f->s.rate_noted = true;
    hc_note(f->base.machine, "flash: timing generator at %llu Hz, outside 257 to 476 kHz, at pc 0x%04x",
            period ? (unsigned long long)(HC_SECOND / period) : 0, (unsigned)hc_current_pc(f->base.machine));
}

static void add_program_time(struct hc_flash_controller *f)
{
    uint16_t *sum = programmed_us(f, f->s.address);
    uint64_t us = hc_to_us(cost[f->s.operation].voltage * generator_period(f));
    uint64_t after = *sum + us;

    if (*sum <= CUMULATIVE_PROGRAM_TIME_US && after > CUMULATIVE_PROGRAM_TIME_US)
        hc_note(f->base.machine, "flash: block 0x%04x was programmed for more than %d us since its erase",
                (unsigned)(f->s.address / BLOCK_SIZE * BLOCK_SIZE), CUMULATIVE_PROGRAM_TIME_US);
    *sum = after > UINT16_MAX ? UINT16_MAX : (uint16_t)after;
}

static void begin(struct hc_flash_controller *f, enum operation operation)
{
    struct hc_machine *m = f->base.machine;
    bool was_busy = is_busy(f);

    check_rate(f);
    f->s.operation = (uint8_t)operation;
    hc_clock_span_begin(&f->s.span, source(f), (uint64_t)cost[operation].periods * ((f->s.ctl2 & FN) + 1u), hc_now(m));
    hc_event_arm(hc_events(m), f->finish, f->s.span.end);
    if (cost[operation].voltage)
        add_program_time(f);
    if (!was_busy)
        guard(f);
    f->s.holds_cpu = in_flash(f, hc_current_pc(m));
    if (!f->s.holds_cpu)
        return;
    hc_cpu_hold(m, f->s.span.end);
    if (in_block_write(f)) /* the fetch of the next instruction is an access in block mode */
        set_access_violation(f, true);
}

static void become_idle(struct hc_flash_controller *f)
{
    f->s.operation = IDLE;
    guard(f);
}

/* EMEX, reset or power loss in the middle of an operation. */
static void cut_off(struct hc_flash_controller *f)
{
    if (!is_busy(f))
        return;
    change_memory(f, true);
    hc_event_cancel(hc_events(f->base.machine), f->finish);
    become_idle(f);
}

static hc_time finish(void *owner, hc_time now)
{
    struct hc_flash_controller *f = owner;

    (void)now;
    change_memory(f, false);
    if (f->s.operation >= ERASE_SEGMENT)
        f->s.ctl1 &= (uint8_t)~(MERAS | ERASE);
    if (f->s.operation == BLOCK_FIRST || f->s.operation == BLOCK_NEXT)
        f->s.operation = BLOCK_READY;
    else
        become_idle(f);
    /* A block that code in flash began was locked by its own fetches: it cannot go on. */
    if (f->s.operation == BLOCK_READY && f->s.holds_cpu) {
        f->s.ctl1 &= (uint8_t)~BLKWRT;
        become_idle(f);
    }
    return HC_NEVER;
}

static void clock_changed(void *owner, hc_time now)
{
    struct hc_flash_controller *f = owner;
    hc_time end;

    if (!is_busy(f) || f->s.operation == BLOCK_READY)
        return;
    end = hc_clock_span_changed(&f->s.span, source(f), now);
    hc_event_arm(hc_events(f->base.machine), f->finish, end);
    if (f->s.holds_cpu)
        hc_cpu_hold(f->base.machine, end);
}

/* ---- accesses to flash ---- */

static uint16_t read_flash(struct hc_flash_controller *f, uint32_t address, int size)
{
    struct hc_machine *m = f->base.machine;
    uint16_t value = JUMP_TO_ITSELF;

    if (!is_busy(f))
        value = (uint16_t)(hc_memory_get(m, address & ~1u) | hc_memory_get(m, address | 1u) << 8);
    else if (in_block_write(f) && f->s.operation != BLOCK_READY)
        set_access_violation(f, true);
    if (size == 1)
        value = address & 1 ? value >> 8 : value & 0xff;
    return value;
}

static void remember(struct hc_flash_controller *f, uint32_t address, uint16_t value, int size)
{
    f->s.address = address;
    f->s.data = value;
    f->s.size = (uint8_t)size;
}

static void write_while_busy(struct hc_flash_controller *f, uint32_t address, uint16_t value, int size)
{
    bool same_block = address / BLOCK_SIZE == f->s.address / BLOCK_SIZE;

    if (f->s.operation == BLOCK_READY && same_block) {
        remember(f, address, value, size);
        begin(f, BLOCK_NEXT);
    } else {
        set_access_violation(f, in_block_write(f));
    }
}

static void write_flash(struct hc_flash_controller *f, uint32_t address, uint16_t value, int size)
{
    static const struct {
        uint8_t ctl1, operation;
    } modes[] = { { WRT, PROGRAM },
                  { BLKWRT | WRT, BLOCK_FIRST },
                  { ERASE, ERASE_SEGMENT },
                  { MERAS, ERASE_MAIN },
                  { MERAS | ERASE, ERASE_ALL } };

    if (is_busy(f)) {
        write_while_busy(f, address, value, size);
        return;
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (f->s.ctl1 != modes[i].ctl1 || f->s.ctl3 & LOCK)
            continue;
        if (f->s.ctl1 == MERAS && in_info(f, address))
            return; /* not in the range to be erased: ignored without a flag */
        remember(f, address, value, size);
        begin(f, (enum operation)modes[i].operation);
        return;
    }
    set_access_violation(f, false);
}

/* ---- registers ---- */

static void write_fctl1(struct hc_flash_controller *f, uint8_t value)
{
    if (is_busy(f) && f->s.operation != BLOCK_READY) {
        set_access_violation(f, false);
        return;
    }
    f->s.ctl1 = value & FCTL1_BITS;
    if (f->s.operation == BLOCK_READY && !(value & BLKWRT))
        begin(f, BLOCK_END);
}

static void write_fctl2(struct hc_flash_controller *f, uint8_t value)
{
    if (is_busy(f)) {
        set_access_violation(f, false);
        return;
    }
    f->s.rate_noted = f->s.rate_noted && f->s.ctl2 == value;
    f->s.ctl2 = value;
}

static void write_fctl3(struct hc_flash_controller *f, uint8_t value)
{
    f->s.ctl3 = value & (EMEX | LOCK | ACCVIFG | KEYV);
    hc_sfr_access_violation(f->sfr, value & ACCVIFG);
    if (value & EMEX) {
        cut_off(f);
        f->s.ctl1 = 0;
    } else if ((value & LOCK) && f->s.operation == BLOCK_READY) {
        f->s.ctl1 &= (uint8_t)~BLKWRT;
        begin(f, BLOCK_END);
    }
}

static void write_register(struct hc_flash_controller *f, uint32_t address, uint16_t value, int size)
{
    if (address > FCTL3 + 1) {
        hc_unknown_register(&f->base, address, true);
        return;
    }
    if (size == 1 || value >> 8 != WRITE_KEY) {
        f->s.ctl3 |= KEYV;
        hc_note(f->base.machine, "flash: key violation at pc 0x%04x", (unsigned)hc_current_pc(f->base.machine));
        hc_request_reset(f->base.machine, HC_PUC);
        return;
    }
    if (address == FCTL1)
        write_fctl1(f, (uint8_t)value);
    else if (address == FCTL2)
        write_fctl2(f, (uint8_t)value);
    else
        write_fctl3(f, (uint8_t)value);
}

static uint16_t read_register(struct hc_flash_controller *f, uint32_t address, int size)
{
    unsigned value = READ_KEY << 8;

    if ((address & ~1u) == FCTL1)
        value |= f->s.ctl1;
    else if ((address & ~1u) == FCTL2)
        value |= f->s.ctl2;
    else
        value |= f->s.ctl3 | (is_busy(f) ? BUSY : 0u) | (is_busy(f) && f->s.operation != BLOCK_READY ? 0u : WAIT);
    if (size == 1)
        value = address & 1 ? value >> 8 : value & 0xff;
    return (uint16_t)value;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_flash_controller *f = (struct hc_flash_controller *)d;

    if (in_flash(f, address))
        return read_flash(f, address, size);
    if (address <= FCTL3 + 1)
        return read_register(f, address, size);
    hc_unknown_register(d, address, false);
    return 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_flash_controller *f = (struct hc_flash_controller *)d;

    if (!in_flash(f, address))
        return address <= FCTL3 + 1 ? read_register(f, address, size) : 0;
    if (size == 1)
        return hc_memory_get(d->machine, address);
    return (uint16_t)(hc_memory_get(d->machine, address) | hc_memory_get(d->machine, address + 1) << 8);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_flash_controller *f = (struct hc_flash_controller *)d;

    if (in_flash(f, address))
        write_flash(f, address, value, size);
    else
        write_register(f, address, value, size);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_flash_controller *f = (struct hc_flash_controller *)d;

    cut_off(f);
    f->s.ctl1 = 0;
    f->s.ctl2 = FCTL2_INITIAL;
    f->s.ctl3 = LOCK | (kind == HC_PUC ? f->s.ctl3 & KEYV : 0);
    hc_sfr_access_violation(f->sfr, false);
}

static void power_off(struct hc_device *d)
{
    cut_off((struct hc_flash_controller *)d);
}

static void loaded(struct hc_device *d)
{
    guard((struct hc_flash_controller *)d);
}

static const struct hc_device_ops ops = {
    .name = "flash_controller",
    .help = "flash memory controller: program, erase, lock, timing generator",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .power_off = power_off,
    .loaded = loaded,
};

struct hc_flash_controller *hc_flash_controller_new(struct hc_machine *m, const struct hc_flash_layout *layout,
                                                    struct hc_sfr *sfr, struct hc_clock *aclk, struct hc_clock *smclk)
{
    struct hc_flash_controller *f = HC_DEVICE_NEW(m, &ops, "flash_controller", struct hc_flash_controller);
    struct hc_clock *clocks[] = { aclk, hc_mclk(m), smclk };

    f->layout = *layout;
    f->sfr = sfr;
    for (int i = 0; i < 3; i++) {
        f->source[i] = clocks[i];
        hc_clock_listen(clocks[i], (struct hc_clock_listener){ NULL, clock_changed, f });
    }
    f->source[3] = smclk;
    f->finish = hc_event_new(hc_events(m), "flash.finish", finish, f);
    f->s.random = 0x9e3779b97f4a7c15u;
    hc_device_claim(&f->base, FCTL1, FCTL3 + 1);
    guard(f);
    return f;
}
