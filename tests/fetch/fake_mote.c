#include "fake_mote.h"

#include <stdio.h>
#include <string.h>

static uint64_t random64(struct fake_mote *f)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return f->random;
}

void fake_mote_init(struct fake_mote *f, uint64_t seed)
{
    *f = (struct fake_mote){ .serial = 0x1234567890ab,
                             .version = 1,
                             .signature = 0xff,
                             .capacity = 16,
                             .rate = 115200,
                             .receives_left = -1,
                             .stop_after = -1,
                             .random = seed * 0x9e3779b97f4a7c15u + 1 };
    for (int i = 0; i < FAKE_SIZE; i++)
        f->chip[i] = i / 256 % 5 == 3 || i / 4096 == 7 ? 0xff : (uint8_t)random64(f);
}

/* ---- the line: what arrives of a byte ---- */

static int pass(struct fake_mote *f, uint8_t byte, uint8_t out[2])
{
    out[0] = out[1] = byte;
    if (!f->noise || random64(f) % f->noise)
        return 1;
    switch (random64(f) % 3) {
    case 0:
        return 0;
    case 1:
        return 2;
    default:
        out[0] ^= (uint8_t)(1 << random64(f) % 8);
        return 1;
    }
}

static void say(struct fake_mote *f, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t out[2];
        int n = pass(f, ((const uint8_t *)bytes)[i], out);
        for (int k = 0; k < n && f->out_size < FAKE_LINE; k++)
            f->out[f->out_size++] = out[k];
    }
}

/* ---- answers ---- */

static uint16_t crc_of(const uint8_t *bytes, size_t count)
{
    uint32_t crc = 0xffff;

    for (size_t i = 0; i < count; i++) {
        crc ^= (uint32_t)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc & 0x8000 ? 0x11021 : 0);
    }
    return (uint16_t)crc;
}

static void frame(struct fake_mote *f, char kind, uint32_t address, unsigned count, const uint8_t *payload, size_t size)
{
    uint8_t bytes[512] = { 1,
                           (uint8_t)kind,
                           (uint8_t)(address >> 16),
                           (uint8_t)(address >> 8),
                           (uint8_t)address,
                           (uint8_t)(count >> 8),
                           (uint8_t)count };

    memcpy(bytes + 7, payload, size);
    uint16_t crc = crc_of(bytes + 1, 6 + size);
    bytes[7 + size] = (uint8_t)(crc >> 8);
    bytes[8 + size] = (uint8_t)crc;
    say(f, bytes, 9 + size);
}

static void answer_identity(struct fake_mote *f)
{
    uint8_t id[14] = { f->version, f->signature, 0x20, 0x20, f->capacity, f->busy > 0 };

    f->busy -= f->busy > 0;
    for (int i = 0; i < 6; i++)
        id[6 + i] = (uint8_t)(f->serial >> (40 - 8 * i));
    id[13] = 9;
    frame(f, 'I', 0, sizeof id, id, sizeof id);
}

static void answer_read(struct fake_mote *f, uint32_t address, uint32_t count)
{
    uint8_t erased[256], bytes[256];

    memset(erased, 0xff, sizeof erased);
    for (uint32_t end = address + count, n; address < end; address += n) {
        const uint8_t *block = f->chip + address % FAKE_SIZE;
        n = end - address < 256 ? end - address : 256;
        memcpy(bytes, block, n);
        if (f->lies > 0 && memcmp(block, erased, n) != 0) {
            f->lies--;
            bytes[17] ^= 0x10;
        }
        if (!memcmp(block, erased, n))
            frame(f, 'B', address, n, bytes, 0);
        else
            frame(f, 'D', address, n, bytes, n);
    }
}

static void answer_sums(struct fake_mote *f, uint32_t address, uint32_t count)
{
    uint32_t a = 0, b = 0;

    for (uint32_t i = 0; i < count; i++)
        b += a += f->chip[(address + i) % FAKE_SIZE];
    uint8_t sums[4] = { (uint8_t)(a >> 8), (uint8_t)a, (uint8_t)(b >> 8), (uint8_t)b };
    frame(f, 'S', address, count, sums, 4);
}

static void answer(struct fake_mote *f)
{
    unsigned address, count, crc;
    size_t body = f->line_length > 5 ? f->line_length - 5 : 0;

    f->line[f->line_length] = '\0';
    if (!body || sscanf(f->line + body, " %4x", &crc) != 1 || crc != crc_of((uint8_t *)f->line, body)) {
        say(f, "\r\nhindcast dump 1\r\n", 19);
        return;
    }
    f->asked++;
    if (*f->line == 'i') {
        answer_identity(f);
    } else if (sscanf(f->line + 1, " %6x %4x", &address, &count) == 2 && f->busy > 0) {
        f->busy--;
        frame(f, 'W', address, 0x03, f->chip, 0);
    } else if (*f->line == 'r') {
        answer_read(f, address, count);
    } else {
        answer_sums(f, address, count);
    }
}

static void hear(struct fake_mote *f, char c)
{
    if (c == '\n') {
        if (f->line_length)
            answer(f);
        f->line_length = 0;
    } else if (f->line_length < sizeof f->line - 1) {
        f->line[f->line_length++] = c;
    }
}

/* ---- the host's end ---- */

static enum hc_fetch_error set_rate(void *owner, unsigned rate, struct hc_fetch_message *message)
{
    struct fake_mote *f = owner;

    (void)message;
    f->host_rate = rate;
    f->out_at = f->out_size = 0;
    return HC_FETCH_OK;
}

static enum hc_fetch_error send(void *owner, const void *bytes, size_t count, struct hc_fetch_message *message)
{
    struct fake_mote *f = owner;

    (void)message;
    for (size_t i = 0; f->rate == f->host_rate && !f->chatter && i < count; i++) {
        uint8_t out[2];
        int n = pass(f, ((const uint8_t *)bytes)[i], out);
        for (int k = 0; k < n; k++)
            hear(f, (char)out[k]);
    }
    return HC_FETCH_OK;
}

static enum hc_fetch_error receive(void *owner, uint8_t *to, size_t room, int ms, size_t *count,
                                   struct hc_fetch_message *message)
{
    struct fake_mote *f = owner;

    if (f->receives_left >= 0 && f->receives_left-- == 0)
        return hc_fetch_fail(message, HC_FETCH_PORT, "gone");
    f->stop_after -= f->stop_after > 0;
    if (f->chatter) {
        if (f->out_at == f->out_size)
            f->out_at = f->out_size = 0;
        say(f, f->chatter, strlen(f->chatter));
    }
    size_t some = 1 + random64(f) % 300;
    *count = f->out_size - f->out_at;
    *count = *count < some ? *count : some;
    *count = *count < room ? *count : room;
    memcpy(to, f->out + f->out_at, *count);
    f->out_at += *count;
    if (f->out_at == f->out_size)
        f->out_at = f->out_size = 0;
    f->tenths += *count ? (int64_t)*count : ms * 10;
    return HC_FETCH_OK;
}

static int64_t now_ms(void *owner)
{
    return ((struct fake_mote *)owner)->tenths / 10;
}

static bool stopped(void *owner)
{
    return ((struct fake_mote *)owner)->stop_after == 0;
}

struct hc_mote_line fake_mote_line(struct fake_mote *f)
{
    return (struct hc_mote_line){ f, "port", set_rate, send, receive, now_ms, stopped };
}
