#include "beginning.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES = 0x10000,
    WORDS_MAX = ADDRESSES,
    FIRST_REGISTER = 4,
    F1XX_PERIPHERALS_END = 0x0200,
    F1XX_BYTES_END = 0x0100,
};

struct hc_beginning {
    bool reset;
    uint16_t word[WORDS_MAX]; /* the stream, its runs of zeros spread out */
    size_t words, taken;
    bool missing;       /* it had less than was asked for */
    size_t peripherals; /* words of it that are their registers */
    uint16_t reg[HC_REGISTERS];
    uint8_t memory[ADDRESSES];
    struct hc_border_range range[HC_PIECES]; /* of it, what is known */
    size_t ranges;
};

/* ---- the stream ---- */

static void spread(struct hc_beginning *b, uint16_t word, size_t times)
{
    for (; times && b->words < WORDS_MAX; times--)
        b->word[b->words++] = word;
}

static void read_stream(struct hc_beginning *b, const struct hc_log *log, const struct hc_log_segment *segment)
{
    const struct hc_log_page *page;
    size_t n = hc_log_pages(log, &page);
    bool counts = false; /* the next word says how many more zeros there are */
    for (size_t i = 0; i < n && i < segment->begin_page; i++) {
        if (page[i].stream != HC_STREAM_CHECKPOINT || page[i].segment != segment->number ||
            page[i].boot != segment->boot)
            continue;
        for (const uint8_t *p = page[i].payload, *end = p + (page[i].length & ~1); p < end; p += 2) {
            uint16_t word = (uint16_t)(p[0] | p[1] << 8);
            spread(b, counts ? 0 : word, counts ? word : 1);
            counts = !counts && word == 0;
        }
    }
    b->missing = counts;
}

static uint16_t take(struct hc_beginning *b)
{
    if (b->taken < b->words)
        return b->word[b->taken++];
    b->missing = true;
    return 0;
}

static void take_range(struct hc_beginning *b, struct hc_border_range range)
{
    for (uint32_t a = range.start; a + 1 < range.end && a + 1 < ADDRESSES; a += 2) {
        uint16_t word = take(b);
        b->memory[a] = (uint8_t)word;
        b->memory[a + 1] = (uint8_t)(word >> 8);
    }
}

/* R4 to R15, some words of the recorder's own, SP. */
static void take_registers(struct hc_beginning *b, struct hc_border_range range)
{
    uint32_t words = (range.end - range.start) / 2;
    for (uint32_t i = 0; i < words; i++) {
        uint16_t word = take(b);
        if (i == words - 1)
            b->reg[HC_SP] = word;
        else if (FIRST_REGISTER + i < HC_REGISTERS)
            b->reg[FIRST_REGISTER + i] = word;
    }
}

static void take_pieces(struct hc_beginning *b, const struct hc_border *border)
{
    for (size_t i = b->reset ? HC_PIECES_REGISTERS : 0; i < HC_PIECES; i++) {
        if (i == HC_PIECES_REGISTERS) {
            take_registers(b, border->piece[i]);
        } else {
            take_range(b, border->piece[i]);
            b->range[b->ranges++] = border->piece[i];
        }
    }
    take_range(b, (struct hc_border_range){ take(b), border->free.end });
    b->range[b->ranges++] = border->free;
}

/* ---- registers of peripherals ---- */

typedef void peripheral_fn(struct hc_replay *r, struct hc_beginning *b, uint32_t address, int size);

/* Calls FN for each that the recorder's table in the ELF names. */
static void each_peripheral(struct hc_replay *r, struct hc_beginning *b, peripheral_fn *fn)
{
    bool has_bytes = r->regs->peripherals_end <= F1XX_PERIPHERALS_END;
    struct hc_symbol table;
    uint32_t address = 0;
    if (!hc_image_symbol(r->image, "__hc_dump", &table))
        return;
    for (uint32_t at = table.address; at + 1 < table.address + table.size; at += 2) {
        address += hc_peek(r->machine, at) * (has_bytes ? 1u : 2u);
        for (int i = hc_peek(r->machine, at + 1); i; i--) {
            int size = has_bytes && address < F1XX_BYTES_END ? 1 : 2;
            fn(r, b, address, size);
            address += (uint32_t)size;
        }
    }
}

static void take_peripheral(struct hc_replay *r, struct hc_beginning *b, uint32_t address, int size)
{
    (void)r;
    (void)address;
    (void)size;
    take(b);
}

/* The recorder itself holds the watchdog while it starts. */
static bool is_restored(const struct hc_reg *reg, bool reset)
{
    return !reg || (!reg->multiplier && !(reset && !strcmp(reg->name, "WDTCTL")));
}

static void restore_peripheral(struct hc_replay *r, struct hc_beginning *b, uint32_t address, int size)
{
    uint16_t value = take(b);
    if (is_restored(hc_regs_at(r->regs, address), b->reset))
        hc_regfile_restore(hc_peripherals_file(r->peripherals), address, value, size);
}

/* ---- */

int hc_beginning_read(struct hc_beginning **out, struct hc_replay *r, const struct hc_log *log,
                      const struct hc_log_segment *segment)
{
    struct hc_beginning *b = *out = calloc(1, sizeof *b);
    if (!b)
        return HC_REPLAY_NO_MEMORY;
    b->reset = segment->begin == HC_BEGIN_BOOT;
    read_stream(b, log, segment);
    each_peripheral(r, b, take_peripheral);
    take_pieces(b, &r->border);
    if (!b->missing && b->taken == b->words)
        return HC_REPLAY_OK;
    hc_beginning_free(b);
    *out = NULL;
    return HC_REPLAY_BAD;
}

void hc_beginning_free(struct hc_beginning *b)
{
    free(b);
}

static void restore_cpu(struct hc_replay *r, const struct hc_beginning *b)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        if (i != HC_SR && i != HC_SR + 1)
            hc_set_register(r->machine, i, b->reg[i]);
    hc_set_register(r->machine, HC_PC, r->border.resume); /* the recorder is still at work */
}

void hc_beginning_restore(struct hc_replay *r, struct hc_beginning *b)
{
    b->taken = 0;
    each_peripheral(r, b, restore_peripheral);
    for (size_t i = 0; i < b->ranges; i++)
        for (uint32_t a = b->range[i].start; a < b->range[i].end; a++)
            hc_poke(r->machine, a, b->memory[a]);
    if (!b->reset)
        restore_cpu(r, b);
}

static bool is_byte(struct hc_replay *r, const struct hc_beginning *b, uint32_t address)
{
    uint16_t sp = b->reg[HC_SP];
    if (address >= r->border.free.start && address < r->border.free.end && address < sp)
        return true;
    uint8_t dead = address == sp ? 7 : address == sp + 1u;
    return ((hc_peek(r->machine, address) ^ b->memory[address]) & 0xff & ~dead) == 0;
}

bool hc_beginning_is_state(struct hc_replay *r, const struct hc_beginning *b)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        if (i != HC_SR && i != HC_SR + 1 && hc_register(r->machine, i) != b->reg[i])
            return false;
    for (size_t i = 0; i < b->ranges; i++)
        for (uint32_t a = b->range[i].start; a < b->range[i].end; a++)
            if (!is_byte(r, b, a))
                return false;
    return true;
}
