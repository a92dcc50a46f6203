#include "frame.h"

#include <stdio.h>
#include <string.h>

void hc_frames_clear(struct hc_fetch_frames *f)
{
    *f = (struct hc_fetch_frames){ 0 };
}

void hc_frames_put(struct hc_fetch_frames *f, const void *bytes, size_t count)
{
    memcpy(f->bytes + f->size, bytes, count);
    f->size += count;
}

static void drop(struct hc_fetch_frames *f, size_t count)
{
    f->size -= count;
    memmove(f->bytes, f->bytes + count, f->size);
}

static void skip(struct hc_fetch_frames *f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f->heard[f->skipped++ % HC_FRAMES_HEARD] = f->bytes[i];
    drop(f, count);
}

/* To the next byte that may begin a frame. */
static void skip_to_start(struct hc_fetch_frames *f, size_t from)
{
    const uint8_t *start = f->size > from ? memchr(f->bytes + from, DUMP_SOH, f->size - from) : NULL;

    skip(f, start ? (size_t)(start - f->bytes) : f->size);
}

/* Length of the payload by kind and count; -1: no such frame exists. */
static int payload_length(uint8_t kind, uint32_t address, uint16_t count)
{
    bool inside = count && address + count <= HC_FRAMES_ADDRESSES;

    switch (kind) {
    case DUMP_IDENTITY:
        return !address && count >= DUMP_ID_LENGTH && count <= DUMP_ID_LENGTH_MAX ? count : -1;
    case DUMP_DATA:
        return inside && count <= DUMP_PAYLOAD_MAX ? count : -1;
    case DUMP_BLANK:
        return inside && count <= DUMP_COUNT_MAX ? 0 : -1;
    case DUMP_SUMS:
        return inside && count <= DUMP_COUNT_MAX ? (int)sizeof(struct dump_sum) : -1;
    case DUMP_WAIT:
        return count <= UINT8_MAX ? 0 : -1;
    default:
        return -1;
    }
}

static bool has_good_crc(const uint8_t *bytes, size_t size)
{
    uint16_t crc = DUMP_CRC_START;

    for (size_t i = 1; i < size - DUMP_CRC; i++)
        crc = dump_crc(crc, bytes[i]);
    return bytes[size - 2] == crc >> 8 && bytes[size - 1] == (crc & 0xff);
}

/* Of the header at the beginning of what waits. Returns the payload's length or -1. */
static int read_header(const struct hc_fetch_frames *f, struct hc_fetch_frame *frame)
{
    const uint8_t *b = f->bytes;
    int length;

    frame->address = (uint32_t)b[2] << 16 | (uint32_t)b[3] << 8 | b[4];
    frame->count = (uint16_t)(b[5] << 8 | b[6]);
    length = payload_length(b[1], frame->address, frame->count);
    frame->kind = b[1];
    frame->length = length < 0 ? 0 : (uint16_t)length;
    return length;
}

bool hc_frames_take(struct hc_fetch_frames *f, struct hc_fetch_frame *frame)
{
    for (skip_to_start(f, 0); f->size >= DUMP_HEADER; skip_to_start(f, 1)) {
        int length = read_header(f, frame);
        size_t whole = DUMP_HEADER + frame->length + DUMP_CRC;

        if (length < 0)
            continue;
        if (f->size < whole)
            return false;
        if (!has_good_crc(f->bytes, whole))
            continue;
        memcpy(frame->payload, f->bytes + DUMP_HEADER, frame->length);
        drop(f, whole);
        return true;
    }
    return false;
}

void hc_frames_give_up(struct hc_fetch_frames *f)
{
    if (f->size)
        skip_to_start(f, 1);
}

size_t hc_frames_heard(const struct hc_fetch_frames *f, char text[HC_FRAMES_HEARD + 1])
{
    size_t count = f->skipped < HC_FRAMES_HEARD ? (size_t)f->skipped : HC_FRAMES_HEARD, printable = 0;

    for (size_t i = 0; i < count; i++) {
        uint8_t byte = f->heard[(f->skipped - count + i) % HC_FRAMES_HEARD];
        bool good = byte >= ' ' && byte <= '~';
        text[i] = good ? (char)byte : byte == '\n' || byte == '\r' ? ' ' : '.';
        printable += good || text[i] == ' ';
    }
    text[count] = '\0';
    return printable;
}

size_t hc_frame_request(char to[DUMP_LINE_MAX], char verb, uint32_t address, uint16_t count)
{
    uint16_t crc = DUMP_CRC_START;
    int length = verb == 'i' ? snprintf(to, DUMP_LINE_MAX, "i")
                             : snprintf(to, DUMP_LINE_MAX, "%c %06x %04x", verb, address & 0xffffff, count);

    for (int i = 0; i < length; i++)
        crc = dump_crc(crc, (uint8_t)to[i]);
    length += snprintf(to + length, (size_t)(DUMP_LINE_MAX - length), " %04x\n", crc);
    return (size_t)length;
}
