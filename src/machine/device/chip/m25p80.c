#include "m25p80.h"

#include "cow_memory.h"
#include "support/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Status register: SRWD 0 0 BP2 BP1 BP0 WEL WIP */
enum { WIP = 0x01, WEL = 0x02, BP_SHIFT = 2, BP_MASK = 0x1c, SRWD = 0x80, NON_VOLATILE = SRWD | BP_MASK };

enum { SECTORS = HC_M25P80_SIZE / HC_M25P80_SECTOR, SIGNATURE = 0x13, HIGH_IMPEDANCE = 0xff };

/* Typical times of the datasheet, in microseconds. A page of n bytes takes 0.4 + n/256 ms. */
enum {
    T_VSL = 10,       /* supply good to first command */
    T_PUW = 1000,     /* supply good to first write (1 to 10 ms) */
    T_DP = 3,         /* into deep power-down */
    T_RES1 = 3,       /* out of it */
    T_RES2_NS = 1800, /* out of it, signature read */
    T_W = 5000,
    T_PP_SETUP = 400,
    T_PP_DATA = 1000, /* for 256 bytes */
    T_SE = 1000000,
    T_BE = 10000000,
};

/* The last sector that software may write, by BP2-BP0, plus one. */
static const uint8_t writable_sectors[8] = { 16, 15, 14, 12, 8, 0, 0, 0 };

/* Manufacturer, memory type, capacity, length and contents of the customer data (none). */
static const uint8_t identification[20] = { 0x20, 0x20, 0x14, 0x10 };

static const char *const state_names[] = { "off",     "standby", "deep-power-down", "active",
                                           "program", "erase",   "write-status",    NULL };

enum cycle { NO_CYCLE, PROGRAM, SECTOR_ERASE, BULK_ERASE, WRITE_STATUS };

struct hc_m25p80 {
    struct hc_device base;
    struct hc_m25p80_pins pins;
    struct hc_spi_bus *bus;
    struct hc_cow *memory;
    hc_event cycle_end;
    hc_wire state;
    struct {
        hc_time ready;       /* commands are ignored before */
        hc_time write_ready; /* writing commands are ignored before */
        hc_time cycle_start;
        hc_time cycle_length;
        uint64_t random;
        uint32_t received; /* bytes since selected, the instruction included */
        uint32_t address;
        uint8_t status; /* WIP is kept in `cycle` */
        uint8_t cycle;
        int16_t command; /* row of `commands`, or -1: ignored */
        bool powered, selected, deep;
        uint16_t data_count;
        uint8_t data[HC_M25P80_PAGE]; /* in the order received; for PP at its place in the page */
    } s;
};

static struct hc_m25p80 *of(struct hc_device *d)
{
    return (struct hc_m25p80 *)d;
}

/* ---- randomness of torn cells ---- */

static uint64_t random64(struct hc_m25p80 *f)
{
    uint64_t x = f->s.random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return f->s.random = x;
}

/* 64 bits, each set with probability LIKELY/256: the bits of LIKELY, lowest first, choose between OR and AND. */
static uint64_t random_mask(struct hc_m25p80 *f, unsigned likely)
{
    if (likely >= 256)
        return UINT64_MAX;
    uint64_t mask = 0;
    for (int bit = 0; bit < 8; bit++) {
        uint64_t r = random64(f);
        mask = likely >> bit & 1 ? mask | r : mask & r;
    }
    return mask;
}

/* ---- contents ---- */

static uint8_t byte_at(const struct hc_m25p80 *f, uint32_t address)
{
    address &= HC_M25P80_SIZE - 1;
    return hc_cow_page(f->memory, address / HC_M25P80_PAGE)[address % HC_M25P80_PAGE];
}

static uint8_t *page_for_writing(struct hc_m25p80 *f, uint32_t address)
{
    uint8_t *page = hc_cow_page_write(&f->memory, (address & (HC_M25P80_SIZE - 1)) / HC_M25P80_PAGE);
    if (!page)
        hc_fault(f->base.machine, "%s: memory exhausted", f->base.name);
    return page;
}

static void erase_sectors(struct hc_m25p80 *f, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        if (hc_cow_erase_sector(&f->memory, i) < 0)
            hc_fault(f->base.machine, "%s: memory exhausted", f->base.name);
}

/* Bits go from 1 to 0 only. The first WHOLE bytes are programmed, of the next one the bits in PARTLY. */
static void program(struct hc_m25p80 *f, unsigned whole, uint8_t partly)
{
    uint8_t *page = page_for_writing(f, f->s.address);
    if (!page)
        return;
    for (unsigned i = 0; i < f->s.data_count && i <= whole; i++) {
        unsigned at = (f->s.address + i) % HC_M25P80_PAGE;
        page[at] &= i < whole ? f->s.data[at] : (uint8_t)(f->s.data[at] | ~partly);
    }
}

/* ---- write cycles ---- */

static void show_state(struct hc_m25p80 *f)
{
    static const uint8_t of_cycle[] = {
        [PROGRAM] = HC_M25P80_PROGRAM,
        [SECTOR_ERASE] = HC_M25P80_ERASE,
        [BULK_ERASE] = HC_M25P80_ERASE,
        [WRITE_STATUS] = HC_M25P80_WRITE_STATUS,
    };
    int state = HC_M25P80_STANDBY;
    if (!f->s.powered)
        state = HC_M25P80_OFF;
    else if (f->s.cycle)
        state = of_cycle[f->s.cycle];
    else if (f->s.deep)
        state = HC_M25P80_DEEP_POWER_DOWN;
    else if (f->s.selected)
        state = HC_M25P80_ACTIVE;
    hc_wire_set(f->base.machine, f->state, state);
}

static void start_cycle(struct hc_m25p80 *f, enum cycle cycle, hc_time length)
{
    f->s.cycle = cycle;
    f->s.cycle_start = hc_now(f->base.machine);
    f->s.cycle_length = length;
    hc_event_arm(hc_events(f->base.machine), f->cycle_end, f->s.cycle_start + length);
}

static hc_time end_cycle(void *owner, hc_time now)
{
    (void)now;
    struct hc_m25p80 *f = owner;
    switch ((enum cycle)f->s.cycle) {
    case PROGRAM:
        program(f, f->s.data_count, 0);
        break;
    case SECTOR_ERASE:
        erase_sectors(f, f->s.address % HC_M25P80_SIZE / HC_M25P80_SECTOR, 1);
        break;
    case BULK_ERASE:
        erase_sectors(f, 0, SECTORS);
        break;
    case WRITE_STATUS:
        f->s.status = f->s.data[0] & NON_VOLATILE;
        break;
    case NO_CYCLE:
        break;
    }
    f->s.status &= (uint8_t)~WEL;
    f->s.cycle = NO_CYCLE;
    show_state(f);
    return HC_NEVER;
}

static uint8_t status(const struct hc_m25p80 *f)
{
    return f->s.status | (f->s.cycle ? WIP : 0);
}

static bool is_protected(const struct hc_m25p80 *f, uint32_t address)
{
    unsigned sector = address % HC_M25P80_SIZE / HC_M25P80_SECTOR;
    return sector >= writable_sectors[(f->s.status & BP_MASK) >> BP_SHIFT];
}

/* ---- commands ---- */

static void execute_wren(struct hc_m25p80 *f)
{
    f->s.status |= WEL;
}

static void execute_wrdi(struct hc_m25p80 *f)
{
    f->s.status &= (uint8_t)~WEL;
}

static void execute_wrsr(struct hc_m25p80 *f)
{
    bool w_low = f->pins.w != HC_NO_WIRE && !hc_wire_level(f->base.machine, f->pins.w);
    if ((f->s.status & SRWD) && w_low)
        return;
    start_cycle(f, WRITE_STATUS, hc_us(T_W));
}

static void execute_pp(struct hc_m25p80 *f)
{
    if (is_protected(f, f->s.address))
        return;
    start_cycle(f, PROGRAM, hc_us(T_PP_SETUP) + hc_us(T_PP_DATA) * f->s.data_count / HC_M25P80_PAGE);
}

static void execute_se(struct hc_m25p80 *f)
{
    if (!is_protected(f, f->s.address))
        start_cycle(f, SECTOR_ERASE, hc_us(T_SE));
}

static void execute_be(struct hc_m25p80 *f)
{
    if (!(f->s.status & BP_MASK))
        start_cycle(f, BULK_ERASE, hc_us(T_BE));
}

static void execute_dp(struct hc_m25p80 *f)
{
    f->s.deep = true;
    f->s.ready = hc_now(f->base.machine) + hc_us(T_DP);
}

static void execute_res(struct hc_m25p80 *f)
{
    if (!f->s.deep)
        return;
    bool signature_read = f->s.received > 4;
    f->s.deep = false;
    f->s.ready = hc_now(f->base.machine) + (signature_read ? hc_ns(T_RES2_NS) : hc_us(T_RES1));
}

static uint8_t output_status(const struct hc_m25p80 *f, uint32_t n)
{
    (void)n;
    return status(f);
}

static uint8_t output_memory(const struct hc_m25p80 *f, uint32_t n)
{
    return byte_at(f, f->s.address + n);
}

static uint8_t output_identification(const struct hc_m25p80 *f, uint32_t n)
{
    (void)f;
    return n < sizeof identification ? identification[n] : 0;
}

static uint8_t output_signature(const struct hc_m25p80 *f, uint32_t n)
{
    (void)f;
    (void)n;
    return SIGNATURE;
}

enum {
    WRITES = 1,     /* nothing happens unless WEL is set and tPUW is over */
    WHILE_BUSY = 2, /* accepted during a cycle */
    WHILE_DEEP = 4, /* accepted in deep power-down */
    ANY_BIT = 8,    /* executed even when S rises within a byte */
};

/* A command is executed when S rises after SHORTEST to LONGEST bytes (0: any number), the instruction included. */
static const struct {
    uint8_t instruction;
    uint8_t address_bytes, dummy_bytes;
    uint8_t flags;
    uint16_t shortest, longest;
    void (*execute)(struct hc_m25p80 *f);
    uint8_t (*output)(const struct hc_m25p80 *f, uint32_t n);
} commands[] = {
    { 0x06, 0, 0, 0, 1, 0, execute_wren, NULL },                               /* WREN */
    { 0x04, 0, 0, 0, 1, 0, execute_wrdi, NULL },                               /* WRDI */
    { 0x9f, 0, 0, 0, 0, 0, NULL, output_identification },                      /* RDID */
    { 0x9e, 0, 0, 0, 0, 0, NULL, output_identification },                      /* RDID too */
    { 0x05, 0, 0, WHILE_BUSY, 0, 0, NULL, output_status },                     /* RDSR */
    { 0x01, 0, 0, WRITES, 2, 2, execute_wrsr, NULL },                          /* WRSR */
    { 0x03, 3, 0, 0, 0, 0, NULL, output_memory },                              /* READ */
    { 0x0b, 3, 1, 0, 0, 0, NULL, output_memory },                              /* FAST_READ */
    { 0x02, 3, 0, WRITES, 5, 0, execute_pp, NULL },                            /* PP */
    { 0xd8, 3, 0, WRITES, 4, 4, execute_se, NULL },                            /* SE */
    { 0xc7, 0, 0, WRITES, 1, 1, execute_be, NULL },                            /* BE */
    { 0xb9, 0, 0, 0, 1, 1, execute_dp, NULL },                                 /* DP */
    { 0xab, 0, 3, WHILE_DEEP | ANY_BIT, 1, 0, execute_res, output_signature }, /* RES */
};

enum { COMMANDS = sizeof commands / sizeof commands[0], IGNORED = -1 };

/* Which command an instruction byte starts, in the state that the chip is in. */
static int decode(const struct hc_m25p80 *f, uint8_t instruction, hc_time now)
{
    if (now < f->s.ready)
        return IGNORED;
    for (int i = 0; i < COMMANDS; i++) {
        if (commands[i].instruction != instruction)
            continue;
        bool busy = f->s.cycle && !(commands[i].flags & WHILE_BUSY);
        bool asleep = f->s.deep && !(commands[i].flags & WHILE_DEEP);
        return busy || asleep ? IGNORED : i;
    }
    return IGNORED;
}

/* The byte that the chip shifts out as the Nth since it was selected. */
static uint8_t output(const struct hc_m25p80 *f, uint32_t n)
{
    if (n == 0 || f->s.command == IGNORED || !commands[f->s.command].output)
        return HIGH_IMPEDANCE;
    unsigned head = 1u + commands[f->s.command].address_bytes + commands[f->s.command].dummy_bytes;
    return n < head ? HIGH_IMPEDANCE : commands[f->s.command].output(f, n - head);
}

/* Data of a page: more than 256 bytes overwrite the first ones. */
static void take_data(struct hc_m25p80 *f, uint32_t n, uint8_t byte)
{
    f->s.data[(f->s.address + n) % HC_M25P80_PAGE] = byte;
    if (f->s.data_count < HC_M25P80_PAGE)
        f->s.data_count++;
}

static void input(struct hc_m25p80 *f, uint32_t n, uint8_t byte, hc_time now)
{
    if (n == 0) {
        f->s.command = (int16_t)decode(f, byte, now);
        /* While a cycle runs, its address and data must stay: only RDSR is accepted then, which has neither. */
        if (f->s.command == IGNORED || f->s.cycle)
            return;
        f->s.address = 0;
        f->s.data_count = 0;
        memset(f->s.data, 0xff, sizeof f->s.data);
        return;
    }
    if (f->s.command == IGNORED || f->s.cycle)
        return;
    unsigned address_bytes = commands[f->s.command].address_bytes;
    if (n <= address_bytes)
        f->s.address = (f->s.address << 8 | byte) & 0xffffff;
    else if (!commands[f->s.command].output)
        take_data(f, n - 1 - address_bytes, byte);
}

static void deselected(struct hc_m25p80 *f, bool whole_bytes, hc_time now)
{
    if (f->s.command == IGNORED)
        return;
    int row = f->s.command;
    f->s.command = IGNORED;
    bool too_long = commands[row].longest && f->s.received > commands[row].longest;
    if (!commands[row].execute || f->s.received < commands[row].shortest || too_long)
        return;
    if (!whole_bytes && !(commands[row].flags & ANY_BIT))
        return;
    bool writes = commands[row].flags & WRITES;
    if (writes && !(f->s.status & WEL))
        return;
    if ((writes || commands[row].execute == execute_wren) && now < f->s.write_ready)
        return;
    commands[row].execute(f);
}

/* ---- pins and bus ---- */

static bool is_held(const struct hc_m25p80 *f)
{
    return f->pins.hold != HC_NO_WIRE && !hc_wire_level(f->base.machine, f->pins.hold);
}

static void select_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_m25p80 *f = owner;
    if (!f->s.powered)
        return;
    f->s.selected = !level;
    if (f->s.selected)
        f->s.command = IGNORED;
    else if (!is_held(f)) /* deselecting during Hold resets the logic */
        deselected(f, !hc_spi_mid_byte(f->bus, now), now);
    f->s.received = 0;
    hc_spi_select_changed(f->bus);
    show_state(f);
}

static bool is_selected(struct hc_device *d)
{
    struct hc_m25p80 *f = of(d);
    return f->s.powered && f->s.selected && !is_held(f);
}

static uint8_t exchange(struct hc_device *d, uint8_t mosi, hc_time now)
{
    struct hc_m25p80 *f = of(d);
    uint32_t n = f->s.received;
    uint8_t out = output(f, n);
    input(f, n, mosi, now);
    f->s.received = n + 1 ? n + 1 : n;
    return out;
}

static uint8_t next_output(struct hc_device *d)
{
    return output(of(d), of(d)->s.received);
}

/* ---- power ---- */

/* The chip has no reset pin: only the supply's coming back resets it. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_m25p80 *f = of(d);
    if (kind != HC_POR || f->s.powered)
        return;
    hc_time now = hc_now(d->machine);
    f->s.powered = true;
    f->s.status &= NON_VOLATILE;
    f->s.cycle = NO_CYCLE;
    f->s.deep = false;
    f->s.command = IGNORED;
    f->s.received = 0;
    f->s.selected = !hc_wire_level(d->machine, f->pins.s);
    f->s.ready = now + hc_us(T_VSL);
    f->s.write_ready = now + hc_us(T_PUW);
    show_state(f);
}

static void tear_program(struct hc_m25p80 *f, hc_time elapsed)
{
    if (elapsed <= hc_us(T_PP_SETUP))
        return;
    uint64_t bytes = (elapsed - hc_us(T_PP_SETUP)) * HC_M25P80_PAGE / hc_us(T_PP_DATA);
    program(f, (unsigned)bytes, (uint8_t)random64(f));
}

/* One page of an interrupted erase, PART/65536 of which was over. */
static void tear_erase_page(struct hc_m25p80 *f, uint32_t address, uint64_t part, uint64_t zeroed)
{
    uint8_t *page = page_for_writing(f, address);
    if (!page)
        return;
    if (part < 0x4000) {
        if (zeroed)
            memset(page, 0, zeroed);
        if (zeroed < HC_M25P80_PAGE)
            page[zeroed] &= (uint8_t)random64(f);
        return;
    }
    for (unsigned i = 0; i < HC_M25P80_PAGE; i += 8) {
        uint64_t bits = random_mask(f, (unsigned)((part - 0x4000) * 256 / 0xc000));
        memcpy(page + i, &bits, 8);
    }
}

static void tear_erase(struct hc_m25p80 *f, uint32_t start, uint32_t size, hc_time elapsed)
{
    uint64_t part = (elapsed >> 16) * 65536 / (f->s.cycle_length >> 16);
    uint64_t zeroed = part < 0x4000 ? size * part / 0x4000 : size;
    for (uint32_t at = 0; at < size && at <= zeroed; at += HC_M25P80_PAGE)
        tear_erase_page(f, start + at, part, zeroed - at < HC_M25P80_PAGE ? zeroed - at : HC_M25P80_PAGE);
}

static void power_off(struct hc_device *d)
{
    struct hc_m25p80 *f = of(d);
    hc_time elapsed = hc_now(d->machine) - f->s.cycle_start;
    if (f->s.powered && elapsed < f->s.cycle_length) {
        uint8_t changed = (uint8_t)((f->s.status ^ f->s.data[0]) & NON_VOLATILE);
        switch ((enum cycle)f->s.cycle) {
        case PROGRAM:
            tear_program(f, elapsed);
            break;
        case SECTOR_ERASE:
            tear_erase(f, f->s.address % HC_M25P80_SIZE & ~(HC_M25P80_SECTOR - 1u), HC_M25P80_SECTOR, elapsed);
            break;
        case BULK_ERASE:
            tear_erase(f, 0, HC_M25P80_SIZE, elapsed);
            break;
        case WRITE_STATUS:
            f->s.status ^= (uint8_t)(changed & random64(f));
            break;
        case NO_CYCLE:
            break;
        }
    }
    hc_event_cancel(hc_events(d->machine), f->cycle_end);
    f->s.cycle = NO_CYCLE;
    f->s.powered = false;
    f->s.selected = false;
    show_state(f);
}

/* ---- snapshots: the contents are shared, not copied ---- */

static void *save(struct hc_device *d)
{
    return hc_cow_share(of(d)->memory);
}

static void load(struct hc_device *d, void *saved)
{
    struct hc_cow *memory = hc_cow_share(saved);
    hc_cow_release(of(d)->memory);
    of(d)->memory = memory;
}

static void drop(void *saved)
{
    hc_cow_release(saved);
}

static void destroy(struct hc_device *d)
{
    hc_cow_release(of(d)->memory);
}

static const struct hc_device_ops ops = {
    .name = "m25p80",
    .help = "1 MB serial flash",
    .reset = reset,
    .power_off = power_off,
    .save = save,
    .load = load,
    .drop = drop,
    .destroy = destroy,
};

struct hc_m25p80 *hc_m25p80_new(struct hc_machine *m, const char *name, struct hc_spi_bus *bus,
                                struct hc_m25p80_pins pins, uint64_t seed)
{
    struct hc_m25p80 *f = HC_DEVICE_NEW(m, &ops, name, struct hc_m25p80);
    f->pins = pins;
    f->bus = bus;
    f->memory = hc_cow_new();
    if (!f->memory)
        abort();
    f->s.random = seed * 0x9e3779b97f4a7c15u | 1;
    f->s.command = IGNORED;
    f->cycle_end = hc_event_new(hc_events(m), "m25p80 cycle", end_cycle, f);
    char wire[64];
    snprintf(wire, sizeof wire, "%s.state", name);
    f->state = hc_wire_new_wide(m, wire, 3, state_names);
    hc_wire_listen(m, pins.s, select_changed, f);
    hc_spi_attach(bus, (struct hc_spi_slave){ is_selected, exchange, next_output, &f->base });
    return f;
}

/* ---- contents from outside ---- */

void hc_m25p80_read(const struct hc_m25p80 *f, uint32_t address, uint8_t *to, size_t size)
{
    while (size) {
        size_t at = address % HC_M25P80_PAGE;
        size_t n = size < HC_M25P80_PAGE - at ? size : HC_M25P80_PAGE - at;
        memcpy(to, hc_cow_page(f->memory, address / HC_M25P80_PAGE) + at, n);
        to += n;
        address += (uint32_t)n;
        size -= n;
    }
}

static bool is_erased(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xff)
            return false;
    return true;
}

int hc_m25p80_write(struct hc_m25p80 *f, uint32_t address, const uint8_t *from, size_t size)
{
    while (size) {
        uint32_t page = address / HC_M25P80_PAGE, at = address % HC_M25P80_PAGE;
        size_t n = HC_M25P80_PAGE - at < size ? HC_M25P80_PAGE - at : size;
        if (memcmp(hc_cow_page(f->memory, page) + at, from, n) != 0) {
            uint8_t *bytes = hc_cow_page_write(&f->memory, page);
            if (!bytes)
                return HC_M25P80_NO_MEMORY;
            memcpy(bytes + at, from, n);
        }
        address += (uint32_t)n;
        from += n;
        size -= n;
    }
    return 0;
}

static int file_error(int error, char *message, size_t size, const char *path, const char *why)
{
    snprintf(message, size, "%s: %s", path, why);
    return error;
}

/* Reads exactly the chip's size from PATH; -1, -2 or -4 and a message. */
static int read_whole(const char *path, uint8_t *to, char *message, size_t size)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return file_error(HC_M25P80_FILE_UNREADABLE, message, size, path, strerror(errno));
    size_t got = fread(to, 1, HC_M25P80_SIZE, in);
    bool longer = got == HC_M25P80_SIZE && fgetc(in) != EOF;
    int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (failed)
        return file_error(HC_M25P80_FILE_UNREADABLE, message, size, path, strerror(failed));
    if (got != HC_M25P80_SIZE || longer)
        return file_error(HC_M25P80_FILE_SIZE, message, size, path,
                          longer ? "longer than the flash chip (1048576 bytes)"
                                 : "shorter than the flash chip (1048576 bytes)");
    return 0;
}

/* Replaces the contents by IMAGE, keeping erased pages absent. */
static int replace_contents(struct hc_m25p80 *f, const uint8_t *image)
{
    struct hc_cow *fresh = hc_cow_new();
    for (unsigned page = 0; fresh && page < HC_COW_PAGES; page++, image += HC_M25P80_PAGE) {
        if (is_erased(image, HC_M25P80_PAGE))
            continue;
        uint8_t *bytes = hc_cow_page_write(&fresh, page);
        if (!bytes) {
            hc_cow_release(fresh);
            return HC_M25P80_NO_MEMORY;
        }
        memcpy(bytes, image, HC_M25P80_PAGE);
    }
    if (!fresh)
        return HC_M25P80_NO_MEMORY;
    hc_cow_release(f->memory);
    f->memory = fresh;
    return 0;
}

int hc_m25p80_load_file(struct hc_m25p80 *f, const char *path, char *message, size_t size)
{
    uint8_t *image = malloc(HC_M25P80_SIZE);
    if (!image)
        return file_error(HC_M25P80_NO_MEMORY, message, size, path, "memory exhausted");
    int result = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        memset(image, 0xff, HC_M25P80_SIZE);
    else
        result = read_whole(path, image, message, size);
    if (result == 0 && replace_contents(f, image) < 0)
        result = file_error(HC_M25P80_NO_MEMORY, message, size, path, "memory exhausted");
    free(image);
    return result;
}

int hc_m25p80_write_file(const struct hc_m25p80 *f, FILE *out)
{
    for (unsigned page = 0; page < HC_COW_PAGES; page++)
        if (fwrite(hc_cow_page(f->memory, page), HC_M25P80_PAGE, 1, out) != 1)
            return HC_M25P80_FILE_UNWRITABLE;
    return 0;
}

int hc_m25p80_save_file(const struct hc_m25p80 *f, const char *path, char *message, size_t size)
{
    struct hc_output_file *out;
    int cause = hc_output_open(&out, path);

    if (!cause) {
        hc_m25p80_write_file(f, hc_output_file(out));
        cause = hc_output_keep(out);
    }
    return cause ? file_error(HC_M25P80_FILE_UNWRITABLE, message, size, path, strerror(cause)) : 0;
}
