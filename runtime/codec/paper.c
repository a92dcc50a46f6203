/* Codec set paper: Figure 4 and sections 3.5 to 3.9 of TARDIS (IPSN 2015), bits from the most significant one on.
 *
 *     registers    111 <6 index> <8 run> <X value>      a run of a site's values has ended
 *                  111 111111 <16 site> <8 run> <X value>  the same for sites from 63 on
 *                  0 <2 delta>   10 <6 delta>   110 <16 delta>
 *     data         0 <8 byte>   1 <8 offset> <8 length>
 *     interrupts   0 <4 vector>                                  asleep
 *                  10 <4 vector> <16 pc> <8 count>               count 1..255
 *                  11 <4 vector> <16 pc> <16 count>              count 256..65535
 *                  11 <4 vector> <16 pc> <16 zero> <32 count>    other counts
 *                  0 1111 <8 vector>                             that of the next record, in place of the one it says
 *     hashes       0   1 <32 hash>                               for each interrupt that is not asleep
 *
 * A page has a piece of each stream. A record lies within one piece; the bits that its last byte has left over are
 * ones, too few for a record that begins with ones. Replay gets as far as the stream that ends first: before a page is
 * full everything that is held back goes into it. FORMAT.md says why each of these is as it is. */
#include "codec.h"

#ifdef HC_CODEC_HAS_PAPER

/* ---- bits ---- */

/* Without a multiplication, which this CPU may lack, and the program may be using. */
static struct hc_paper_lane *lane_of(struct hc_codec *codec, uint8_t lane)
{
    enum { SIZE = sizeof(struct hc_paper_lane) };
    static const uint16_t places[HC_LANES] = { 0, SIZE, 2 * SIZE, 3 * SIZE };
    return (struct hc_paper_lane *)((uint8_t *)codec->paper.lane + places[lane]);
}

/* Puts the pieces behind each other, where the first of them is. */
static void end_page(struct hc_codec *codec)
{
    uint8_t *page = lane_of(codec, 0)->bytes, *end = page + HC_PAPER_START;

    for (uint8_t i = 0; i < HC_LANES; i++) {
        struct hc_paper_lane *lane = lane_of(codec, i);
        if (lane->used)
            lane->bytes[HC_PAPER_START + lane->at++] |= 0xff >> lane->used;
        for (uint8_t k = 0; k < lane->at; k++)
            *end++ = lane->bytes[HC_PAPER_START + k];
        page[i] = lane->at;
        lane->at = lane->used = 0;
    }
    if (end > page + HC_PAPER_START)
        HC_CODEC_PAGE(codec, HC_STREAM_PAPER, page, (uint8_t)(end - page));
}

/* Bytes of the next page that have been begun. */
static uint8_t size_of(struct hc_codec *codec)
{
    uint8_t size = 0;
    for (uint8_t i = 0; i < HC_LANES; i++) {
        const struct hc_paper_lane *lane = lane_of(codec, i);
        size += lane->at + (lane->used != 0);
    }
    return size;
}

/* Room for a record of BITS bits, in this page or the next. */
static struct hc_paper_lane *begin(struct hc_codec *codec, uint8_t lane, uint8_t bits)
{
    if (size_of(codec) + ((bits + 7) >> 3) > HC_PAPER_ROOM)
        end_page(codec);
    return lane_of(codec, lane);
}

static void put(struct hc_paper_lane *lane, uint16_t value, uint8_t bits)
{
    uint8_t *byte = &lane->bytes[HC_PAPER_START + lane->at];
    uint8_t used = lane->used;

    value = (uint16_t)(value << (16 - bits));
    for (; bits; bits--) {
        if (!used)
            *byte = 0;
        if (value & 0x8000)
            *byte |= 0x80 >> used;
        value = (uint16_t)(value << 1);
        if (++used == 8) {
            used = 0;
            byte++;
        }
    }
    lane->at = (uint8_t)(byte - lane->bytes - HC_PAPER_START);
    lane->used = used;
}

/* Before an event: ends the page if what is held back, and the longest event, might not fit any more. Where many sites
 * have runs the page may be full before they are all in it, and they go on in another. */
static void make_room(struct hc_codec *codec)
{
    enum { RUNS_MAX = 40, LONGEST = 20 };
    uint8_t runs = codec->paper.runs < RUNS_MAX ? codec->paper.runs : RUNS_MAX;
    /* three bytes a run */
    if (size_of(codec) + runs + runs + runs + LONGEST > HC_PAPER_ROOM)
        hc_paper_finish(codec);
}

/* ---- registers ---- */

static uint8_t count_bits(uint16_t mask)
{
    uint8_t bits = 0;
    for (; mask; mask &= mask - 1)
        bits++;
    return bits;
}

/* The bits of VALUE under MASK, next to each other. */
static uint16_t gather(uint16_t value, uint16_t mask)
{
    uint16_t out = 0, bit = 1;
    for (; mask; mask >>= 1, value >>= 1) {
        if (mask & 1) {
            if (value & 1)
                out |= bit;
            bit = (uint16_t)(bit << 1);
        }
    }
    return out;
}

static void write_run(struct hc_codec *codec, uint16_t site, uint16_t value, uint8_t length)
{
    uint16_t mask = HC_CODEC_SITES(codec)[site].mask;
    uint8_t bits = count_bits(mask);
    struct hc_paper_lane *lane = begin(codec, HC_LANE_REGISTERS, (uint8_t)(3 + 6 + 16 + 8 + bits));

    put(lane, 7, 3);
    put(lane, site < HC_PAPER_ESCAPE ? site : HC_PAPER_ESCAPE, 6);
    if (site >= HC_PAPER_ESCAPE)
        put(lane, site, 16);
    put(lane, length, 8);
    if (bits)
        put(lane, gather(value, mask), bits);
}

static void end_run(struct hc_codec *codec, uint16_t site)
{
    struct hc_paper_run *run = &codec->paper.run[site];
    write_run(codec, site, run->value, run->length);
    run->length = 0;
    codec->paper.runs--;
}

void hc_paper_state(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    make_room(codec);
    if (site >= HC_PAPER_SITES) {
        write_run(codec, site, value, 1);
        return;
    }
    struct hc_paper_run *run = &codec->paper.run[site];
    if (run->length == HC_PAPER_RUN_MAX || (run->length && run->value != value))
        end_run(codec, site);
    if (!run->length)
        codec->paper.runs++;
    run->value = value;
    run->length++;
}

void hc_paper_timer(struct hc_codec *codec, uint16_t delta)
{
    make_room(codec);
    struct hc_paper_lane *lane = begin(codec, HC_LANE_REGISTERS, 3 + 16);

    if (delta < 4) {
        put(lane, delta, 3);
    } else if (delta < 64) {
        put(lane, 0x80 | delta, 8);
    } else {
        put(lane, 6, 3);
        put(lane, delta, 16);
    }
}

/* ---- data: LZRW-T ---- */

/* The byte that came N bytes before the newest one. */
static uint8_t before(const struct hc_paper *p, uint8_t n)
{
    return p->window[(uint8_t)(p->head - 1 - n) % HC_LZRW_WINDOW];
}

static void write_literal(struct hc_codec *codec, uint8_t byte)
{
    put(begin(codec, HC_LANE_DATA, 9), byte, 9);
}

static void write_match(struct hc_codec *codec)
{
    struct hc_paper *p = &codec->paper;
    struct hc_paper_lane *lane = begin(codec, HC_LANE_DATA, 17);

    put(lane, 0x100 | p->offset, 9);
    put(lane, p->matched, 8);
    p->matched = 0;
}

static uint8_t hash_of(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t high = (uint8_t)(a << 4);
    __asm__("" : "+r"(high)); /* else the compiler multiplies by 17 */
    return (uint8_t)(high + a + b + c) % HC_LZRW_HASH;
}

/* Three bytes are held back: they begin a match, or the first of them is a literal. The place of the triple before is
 * replaced by this one's. */
static void look_up(struct hc_codec *codec)
{
    struct hc_paper *p = &codec->paper;
    uint8_t a = before(p, 2), b = before(p, 1), c = before(p, 0);
    uint8_t here = (uint8_t)(p->head - HC_LZRW_MATCH_MIN) % HC_LZRW_WINDOW;
    uint8_t *slot = &p->hash[hash_of(a, b, c)];
    uint8_t offset = (uint8_t)(here - *slot) % HC_LZRW_WINDOW;

    *slot = here;
    if (p->matched)
        return;
    if (offset && offset <= HC_LZRW_OFFSET_MAX && offset + HC_LZRW_MATCH_MIN <= p->filled &&
        before(p, (uint8_t)(offset + 2)) == a && before(p, (uint8_t)(offset + 1)) == b && before(p, offset) == c) {
        p->offset = offset;
        p->matched = HC_LZRW_MATCH_MIN;
        p->pending = 0;
    } else {
        write_literal(codec, a);
        p->pending--;
    }
}

void hc_paper_byte(struct hc_codec *codec, uint8_t byte)
{
    struct hc_paper *p = &codec->paper;

    make_room(codec);
    p->window[p->head] = byte;
    p->head = (uint8_t)(p->head + 1) % HC_LZRW_WINDOW;
    if (p->filled < HC_LZRW_WINDOW)
        p->filled++;
    if (p->matched && (p->matched == HC_LZRW_MATCH_MAX || before(p, p->offset) != byte))
        write_match(codec);
    if (p->matched)
        p->matched++;
    else
        p->pending++;
    if (p->matched || p->pending == HC_LZRW_MATCH_MIN)
        look_up(codec);
}

static void finish_data(struct hc_codec *codec)
{
    struct hc_paper *p = &codec->paper;

    if (p->matched)
        write_match(codec);
    while (p->pending)
        write_literal(codec, before(p, --p->pending));
}

/* ---- interrupts ---- */

void hc_paper_interrupt(struct hc_codec *codec, const struct hc_arrival *arrival)
{
    make_room(codec);
    struct hc_paper_lane *lane = begin(codec, HC_LANE_INTERRUPTS, 13 + 2 + 4 + 16 + 16 + 32);
    uint8_t vector = arrival->vector;

    if (vector >= 15) {
        put(lane, 15, 5);
        put(lane, vector, 8);
        vector = 0;
    }
    if (arrival->flags & HC_ARRIVAL_ASLEEP) {
        put(lane, vector, 5);
        return;
    }
    uint8_t is_short = !arrival->laps && arrival->count - 1u < 255;
    put(lane, (uint16_t)((is_short ? 0x20 : 0x30) | vector), 6);
    put(lane, arrival->pc, 16);
    if (is_short) {
        put(lane, arrival->count, 8);
    } else if (!arrival->laps && arrival->count) {
        put(lane, arrival->count, 16);
    } else {
        put(lane, 0, 16);
        put(lane, arrival->laps, 16);
        put(lane, arrival->count, 16);
    }
    lane = begin(codec, HC_LANE_HASHES, 33);
    if (arrival->flags & HC_ARRIVAL_HASHED) {
        put(lane, 1, 1);
        put(lane, (uint16_t)(arrival->hash >> 16), 16);
        put(lane, (uint16_t)arrival->hash, 16);
    } else {
        put(lane, 0, 1);
    }
}

/* ---- beginning and end ---- */

void hc_paper_start(struct hc_codec *codec)
{
    uint8_t *byte = (uint8_t *)&codec->paper;
    for (uint16_t i = 0; i < sizeof codec->paper; i++)
        byte[i] = 0;
}

void hc_paper_finish(struct hc_codec *codec)
{
    for (uint16_t site = 0; site < HC_PAPER_SITES; site++) {
        struct hc_paper_run *run = &codec->paper.run[site];
        if (run->length)
            end_run(codec, site);
    }
    finish_data(codec);
    end_page(codec);
}

#endif
