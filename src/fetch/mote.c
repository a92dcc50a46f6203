#include "mote.h"

#include <stdio.h>
#include <string.h>

enum {
    SILENCE_MS = 150,      /* a USB adapter's latency, tuning, 4 KB read from the chip, and as much again */
    SILENCE_MAX_MS = 2000, /* after several requests in vain */
    PATIENCE = 9,          /* requests without an answer, one after the other */
    BAD_PATIENCE = 60,     /* requests without one that was whole */
    QUIET_MS = 40,         /* as long as nothing comes, the mote is ready to hear */
    QUIETS_MAX = 50,
    BUSY_MS = 100,
    BUSY_PATIENCE = 300,
    CHECKS = 4, /* a chunk is read so often when its sums are wrong */
    BLOCK = 64,
    BLOCKS = HC_MOTE_CHUNK / BLOCK,
};

_Static_assert(BLOCKS == 64, "a bit for each block");

static const unsigned rates[] = { 115200, 57600, 38400, 19200, 9600 };
enum { RATES = sizeof rates / sizeof *rates };

/* ---- requests and frames ---- */

/* Nothing more comes: what is behind a frame that never ended. */
static bool take_late(struct hc_fetch_frames *frames, struct hc_fetch_frame *frame)
{
    bool got = false;

    while (frames->size && !got) {
        hc_frames_give_up(frames);
        got = hc_frames_take(frames, frame);
    }
    return got;
}

/* *FRAME with *GOT, unless nothing comes for MS milliseconds, or nothing of ours for twice as long. */
static enum hc_fetch_error next_frame(struct hc_mote *m, int ms, struct hc_fetch_frame *frame, bool *got,
                                      struct hc_fetch_message *message)
{
    uint8_t bytes[512];
    size_t count = 1;
    int64_t end = m->line.now_ms(m->line.owner) + 2 * (int64_t)ms;

    while (!(*got = hc_frames_take(&m->frames, frame)) && count && m->line.now_ms(m->line.owner) < end) {
        enum hc_fetch_error error = m->line.receive(m->line.owner, bytes, sizeof bytes, ms, &count, message);
        if (error)
            return error;
        if (m->line.stopped(m->line.owner))
            return hc_fetch_fail(message, HC_FETCH_STOPPED, "interrupted");
        hc_frames_put(&m->frames, bytes, count);
        m->heard += count;
    }
    if (!*got)
        *got = take_late(&m->frames, frame);
    return HC_FETCH_OK;
}

/* Ends a line that the mote may have heard a part of, and lets pass what it still says. */
static enum hc_fetch_error hush(struct hc_mote *m, struct hc_fetch_message *message)
{
    struct hc_fetch_frame frame;
    bool got = true;
    enum hc_fetch_error error = m->line.send(m->line.owner, "\n", 1, message);

    for (int i = 0; !error && got && i < QUIETS_MAX; i++)
        error = next_frame(m, QUIET_MS, &frame, &got, message);
    return error;
}

/* What went wrong since the last success: when enough is enough. */
struct trouble {
    int failed, silent, busy; /* requests in vain; the last of them that were not answered at all; chip was busy */
    uint64_t heard;           /* before the last request */
};

static enum hc_fetch_error ask(struct hc_mote *m, struct trouble *t, char verb, uint32_t address, uint16_t count,
                               struct hc_fetch_message *message)
{
    char text[DUMP_LINE_MAX];
    enum hc_fetch_error error = t->failed ? hush(m, message) : HC_FETCH_OK;

    m->requests++;
    m->repeated += t->failed > 0;
    t->heard = m->heard;
    return error ? error : m->line.send(m->line.owner, text, hc_frame_request(text, verb, address, count), message);
}

/* How long to wait for an answer. */
static int silence(const struct trouble *t)
{
    int ms = SILENCE_MS << (t->silent < 3 ? t->silent : 3);

    return ms < SILENCE_MAX_MS ? ms : SILENCE_MAX_MS;
}

/* A request was in vain. */
static enum hc_fetch_error note_failure(struct hc_mote *m, struct trouble *t, uint32_t address,
                                        struct hc_fetch_message *message)
{
    t->failed++;
    t->silent = m->heard == t->heard ? t->silent + 1 : 0;
    if (t->silent == PATIENCE)
        return hc_fetch_fail(message, HC_FETCH_NO_MOTE,
                             "%s: the node has stopped answering, at 0x%06x; is it still plugged in and switched on?",
                             m->line.name, address);
    if (t->failed == BAD_PATIENCE)
        return hc_fetch_fail(message, HC_FETCH_NO_MOTE,
                             "%s: the node answers, but nothing arrives whole, at 0x%06x; try another cable or port",
                             m->line.name, address);
    return HC_FETCH_OK;
}

/* The chip is busy: wait a little. */
static enum hc_fetch_error wait_for_chip(struct hc_mote *m, struct trouble *t, uint8_t status,
                                         struct hc_fetch_message *message)
{
    struct hc_fetch_frame frame;
    bool got = true;
    enum hc_fetch_error error = HC_FETCH_OK;

    if (++t->busy > BUSY_PATIENCE)
        return hc_fetch_fail(
            message, HC_FETCH_NO_CHIP,
            "%s: the node answers, but its flash chip does not get ready (status 0x%02x); is it a TelosB "
            "with an M25P80?",
            m->line.name, status);
    for (int i = 0; !error && got && i < QUIETS_MAX; i++)
        error = next_frame(m, BUSY_MS, &frame, &got, message);
    return error;
}

/* Asks until a frame of KIND for ADDRESS and COUNT has come. */
static enum hc_fetch_error converse(struct hc_mote *m, char verb, enum dump_kind kind, uint32_t address, uint16_t count,
                                    struct hc_fetch_frame *frame, struct hc_fetch_message *message)
{
    struct trouble t = { 0 };
    enum hc_fetch_error error = HC_FETCH_OK;

    while (!error) {
        bool got = true, busy = false;
        error = ask(m, &t, verb, address, count, message);
        while (!error && got && !busy) {
            error = next_frame(m, silence(&t), frame, &got, message);
            if (!error && got && frame->kind == kind && frame->address == address && frame->count == count)
                return HC_FETCH_OK;
            busy = got && frame->kind == DUMP_WAIT;
        }
        if (!error)
            error = busy ? wait_for_chip(m, &t, (uint8_t)frame->count, message) : note_failure(m, &t, address, message);
    }
    return error;
}

/* ---- who it is ---- */

/* The chips of ST's M25P family, and all whose RDID tells the size as a power of two. */
static uint32_t chip_size(const struct hc_mote_identity *i)
{
    enum { LEAST = 16, MOST = 24, OF_SIGNATURE = 1 };
    bool has_id = i->chip[0] != 0 && i->chip[0] != 0xff;
    unsigned power = has_id ? i->chip[2] : i->signature + (unsigned)OF_SIGNATURE;

    return power >= LEAST && power <= MOST ? (uint32_t)1 << power : 0;
}

static enum hc_fetch_error identify(const struct hc_mote *m, const struct hc_fetch_frame *frame,
                                    struct hc_mote_identity *i, struct hc_fetch_message *message)
{
    const uint8_t *id = frame->payload;

    *i = (struct hc_mote_identity){ .signature = id[DUMP_ID_SIGNATURE],
                                    .node = (uint16_t)(id[DUMP_ID_NODE] << 8 | id[DUMP_ID_NODE + 1]) };
    memcpy(i->chip, id + DUMP_ID_CHIP, sizeof i->chip);
    for (int n = 0; n < 6; n++)
        i->serial = i->serial << 8 | id[DUMP_ID_SERIAL + n];
    i->size = chip_size(i);
    if (id[DUMP_ID_VERSION] != DUMP_VERSION)
        return hc_fetch_fail(message, HC_FETCH_NO_MOTE,
                             "%s: the node's dump program speaks version %u, this hindcast version %u; install the one "
                             "that came with this hindcast (docs/fetch.md)",
                             m->line.name, id[DUMP_ID_VERSION], DUMP_VERSION);
    if (!i->size)
        return hc_fetch_fail(
            message, HC_FETCH_NO_CHIP,
            "%s: the node answers, but not its flash chip (signature 0x%02x, id %02x%02x%02x); is it a "
            "TelosB with an M25P80?",
            m->line.name, i->signature, i->chip[0], i->chip[1], i->chip[2]);
    return HC_FETCH_OK;
}

/* What was heard at the rate at which it looked most like text. */
struct rumour {
    uint64_t bytes; /* at all rates */
    unsigned rate;
    size_t printable, length;
    char text[HC_FRAMES_HEARD + 1];
};

static void note_rumour(struct rumour *r, const struct hc_mote *m, unsigned rate)
{
    char text[HC_FRAMES_HEARD + 1];
    size_t printable = hc_frames_heard(&m->frames, text), length = strlen(text);

    r->bytes += m->frames.skipped;
    if (!length || (r->length && printable * r->length <= r->printable * length))
        return;
    *r = (struct rumour){ .bytes = r->bytes, .rate = rate, .printable = printable, .length = length };
    memcpy(r->text, text, length + 1);
}

static bool is_text(const struct rumour *r)
{
    return r->length >= 4 && r->printable * 10 >= r->length * 9;
}

static enum hc_fetch_error fail_unknown(const struct hc_mote *m, const struct rumour *r, unsigned only,
                                        struct hc_fetch_message *message)
{
    char tried[64] = "";

    for (int i = 0; i < RATES; i++)
        if (!only)
            snprintf(tried + strlen(tried), sizeof tried - strlen(tried), "%s%u", i ? ", " : "", rates[i]);
    if (only)
        snprintf(tried, sizeof tried, "%u", only);
    if (is_text(r))
        return hc_fetch_fail(
            message, HC_FETCH_NO_MOTE,
            "%s: the node sends at %u baud, but another program runs on it: it says '%.60s'; install the "
            "dump program first (docs/fetch.md)",
            m->line.name, r->rate, r->text);
    if (r->bytes)
        return hc_fetch_fail(
            message, HC_FETCH_NO_MOTE,
            "%s: the node sends, but at another rate or another program: %llu bytes at %s baud make no "
            "sense; install the dump program first (docs/fetch.md)%s",
            m->line.name, (unsigned long long)r->bytes, tried, only ? ", or leave --baud out" : "");
    return hc_fetch_fail(message, HC_FETCH_NO_MOTE,
                         "%s: no answer at %s baud; is this the node's port, and the dump program on the node? "
                         "docs/fetch.md says how to install it%s",
                         m->line.name, tried, only ? ". Without --baud other rates are tried, too" : "");
}

/* Asks once at RATE. */
static enum hc_fetch_error try_rate(struct hc_mote *m, unsigned rate, struct hc_fetch_frame *frame, bool *found,
                                    struct hc_fetch_message *message)
{
    struct trouble t = { .failed = 1 }; /* who knows what the mote has heard */
    bool got = true;
    enum hc_fetch_error error = m->line.set_rate(m->line.owner, rate, message);

    *found = false;
    hc_frames_clear(&m->frames);
    m->rate = rate;
    if (!error)
        error = ask(m, &t, 'i', 0, 0, message);
    while (!error && got && !*found) {
        error = next_frame(m, SILENCE_MS, frame, &got, message);
        *found = !error && got && frame->kind == DUMP_IDENTITY;
    }
    return error;
}

/* A chip that is busy tells nothing about itself but that. */
static enum hc_fetch_error know(struct hc_mote *m, struct hc_fetch_frame *frame, struct hc_mote_identity *identity,
                                struct hc_fetch_message *message)
{
    enum { WIP = 0x01, NO_CHIP = 0xff };
    const uint8_t *status = &frame->payload[DUMP_ID_STATUS];
    struct trouble t = { 0 };
    enum hc_fetch_error error = HC_FETCH_OK;

    while (!error && (*status & WIP) && *status != NO_CHIP) {
        error = wait_for_chip(m, &t, *status, message);
        if (!error)
            error = converse(m, 'i', DUMP_IDENTITY, 0, frame->count, frame, message);
    }
    return error ? error : identify(m, frame, identity, message);
}

/* Nobody has answered: what is said here without being asked? Many programs report once a second, most at this rate. */
static enum hc_fetch_error listen(struct hc_mote *m, unsigned rate, struct hc_fetch_message *message)
{
    enum { LISTEN_MS = 1200 };
    struct hc_fetch_frame frame;
    bool got;
    enum hc_fetch_error error = m->line.set_rate(m->line.owner, rate, message);

    hc_frames_clear(&m->frames);
    return error ? error : next_frame(m, LISTEN_MS, &frame, &got, message);
}

/* Whether to try the same rate again: something was heard there. The banner is the mote's, which has not understood;
 * other bytes are perhaps what is left of its answer. */
static bool is_worth_more(const struct hc_mote *m, int *patience)
{
    enum { OF_BANNER = 1, OF_OTHER = 5 };
    char text[HC_FRAMES_HEARD + 1];

    hc_frames_heard(&m->frames, text);
    if (!*text)
        return false;
    *patience -= strstr(text, DUMP_BANNER) ? OF_BANNER : OF_OTHER;
    return *patience >= 0;
}

enum hc_fetch_error hc_mote_find(struct hc_mote *m, const struct hc_mote_line *line, unsigned rate,
                                 struct hc_mote_identity *identity, struct hc_fetch_message *message)
{
    enum { ROUNDS = 2 };
    struct rumour rumour = { 0 };
    struct hc_fetch_frame frame;
    int count = rate ? 1 : RATES, patience = 30;

    *m = (struct hc_mote){ .line = *line };
    for (int i = 0; i < ROUNDS * count;) {
        unsigned now = rate ? rate : rates[i % count];
        bool found;
        enum hc_fetch_error error = try_rate(m, now, &frame, &found, message);
        m->repeated = 0;
        if (error)
            return error;
        if (found)
            return know(m, &frame, identity, message);
        note_rumour(&rumour, m, now);
        i += !is_worth_more(m, &patience);
    }
    if (!is_text(&rumour)) {
        enum hc_fetch_error error = listen(m, rate ? rate : rates[0], message);
        if (error)
            return error;
        note_rumour(&rumour, m, rate ? rate : rates[0]);
    }
    return fail_unknown(m, &rumour, rate, message);
}

/* ---- what its chip holds ---- */

static struct dump_sum sums_of(const uint8_t *bytes)
{
    struct dump_sum sum = { 0, 0 };

    for (int i = 0; i < HC_MOTE_CHUNK; i++)
        dump_sum(&sum, bytes[i]);
    return sum;
}

enum hc_fetch_error hc_mote_compare(struct hc_mote *m, uint32_t address, const uint8_t bytes[HC_MOTE_CHUNK], bool *same,
                                    struct hc_fetch_message *message)
{
    struct hc_fetch_frame frame;
    struct dump_sum sum = sums_of(bytes);
    enum hc_fetch_error error = converse(m, 's', DUMP_SUMS, address, HC_MOTE_CHUNK, &frame, message);
    const uint8_t *p = frame.payload;

    *same = !error && sum.bytes == (p[0] << 8 | p[1]) && sum.sums == (p[2] << 8 | p[3]);
    return error;
}

/* A chunk on its way. */
struct chunk {
    uint32_t address;
    uint8_t *to;
    uint64_t missing; /* a bit for each block */
    uint64_t blank;   /* likewise */
};

/* Whole blocks of the chunk that FRAME tells of. Returns whether one of them was missing. */
static bool take_blocks(struct chunk *c, const struct hc_fetch_frame *frame)
{
    uint32_t offset = frame->address - c->address;
    uint64_t before = c->missing;
    bool blank = frame->kind == DUMP_BLANK;

    if ((frame->kind != DUMP_DATA && !blank) || frame->address < c->address || offset % BLOCK || frame->count % BLOCK ||
        offset + frame->count > HC_MOTE_CHUNK)
        return false;
    for (uint32_t at = offset; at < offset + frame->count; at += BLOCK) {
        uint64_t bit = (uint64_t)1 << at / BLOCK;
        if (blank)
            memset(c->to + at, 0xff, BLOCK);
        else
            memcpy(c->to + at, frame->payload + (at - offset), BLOCK);
        c->blank = blank ? c->blank | bit : c->blank & ~bit;
        c->missing &= ~bit;
    }
    return c->missing != before;
}

/* The blocks to ask for: the first ones that are missing in a row; after a failure only one, which has a better chance
 * to arrive whole. */
static void choose_blocks(const struct chunk *c, const struct trouble *t, uint32_t *from, uint32_t *end)
{
    int first = __builtin_ctzll(c->missing), last = first;

    while (!t->failed && last < BLOCKS - 1 && (c->missing >> (last + 1) & 1))
        last++;
    *from = c->address + (uint32_t)first * BLOCK;
    *end = c->address + (uint32_t)(last + 1) * BLOCK;
}

/* Asks for some blocks, and takes what comes. */
static enum hc_fetch_error ask_for_blocks(struct hc_mote *m, struct chunk *c, struct trouble *t,
                                          struct hc_fetch_message *message)
{
    struct hc_fetch_frame frame;
    uint32_t from, end;
    bool got = true, progress = false, ended = false;

    choose_blocks(c, t, &from, &end);
    enum hc_fetch_error error = ask(m, t, 'r', from, (uint16_t)(end - from), message);
    while (!error && got && c->missing && !ended) {
        error = next_frame(m, silence(t), &frame, &got, message);
        if (error || !got)
            break;
        if (frame.kind == DUMP_WAIT)
            return wait_for_chip(m, t, (uint8_t)frame.count, message);
        progress |= take_blocks(c, &frame);
        ended = frame.address + frame.count == end;
    }
    if (error || !progress)
        return error ? error : note_failure(m, t, from, message);
    m->repeated += c->missing && end - from > BLOCK;
    *t = (struct trouble){ .busy = t->busy };
    return HC_FETCH_OK;
}

static enum hc_fetch_error read_once(struct hc_mote *m, struct chunk *c, struct hc_fetch_message *message)
{
    struct trouble t = { 0 };
    enum hc_fetch_error error = HC_FETCH_OK;

    while (!error && c->missing)
        error = ask_for_blocks(m, c, &t, message);
    return error;
}

enum hc_fetch_error hc_mote_read(struct hc_mote *m, uint32_t address, uint8_t to[HC_MOTE_CHUNK], unsigned *blank,
                                 struct hc_fetch_message *message)
{
    bool same = false;

    for (int i = 0; i < CHECKS && !same; i++) {
        struct chunk chunk = { .address = address, .to = to, .missing = UINT64_MAX };
        enum hc_fetch_error error = read_once(m, &chunk, message);
        if (!error)
            error = hc_mote_compare(m, address, to, &same, message);
        if (error)
            return error;
        *blank = (unsigned)__builtin_popcountll(chunk.blank) * BLOCK;
    }
    return same ? HC_FETCH_OK
                : hc_fetch_fail(message, HC_FETCH_NO_CHIP,
                                "%s: the chip reads differently each time, at 0x%06x; are the node's "
                                "batteries low?",
                                m->line.name, address);
}
