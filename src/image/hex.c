/* Intel HEX.
 *
 *     : LL AAAA TT DD*LL CC      length, address, type, data, checksum: all bytes of a record add up to 0 (mod 256)
 *
 *     type  00 data           01 end of file                  02 segment base (paragraph) of the addresses that follow
 *           03 start CS:IP    04 upper 16 bits of addresses   05 start address */
#include "internal.h"

#include <stdio.h>
#include <string.h>

enum { DATA, END, SEGMENT_BASE, START_SEGMENT, LINEAR_BASE, START_LINEAR, TYPES };

/* Length that each type's data must have; -1 for any. */
static const int data_length[TYPES] = {
    [DATA] = -1, [END] = 0, [SEGMENT_BASE] = 2, [START_SEGMENT] = 4, [LINEAR_BASE] = 2, [START_LINEAR] = 4,
};

struct reader {
    struct hc_image *image;
    struct hc_image_message *message;
    unsigned line;
    uint32_t base;
    bool segmented; /* the base is a segment's: the offset wraps at 64 KB */
    bool ended;
};

struct record {
    uint8_t length, type;
    uint16_t address;
    uint8_t data[256]; /* and the checksum after it */
};

static enum hc_image_error bad_line(struct reader *r, const char *cause)
{
    return hc_image_fail(r->image, r->message, HC_IMAGE_BAD, "line %u: %s", r->line, cause);
}

static bool read_byte(const char *digits, uint8_t *byte)
{
    int high = hc_hex_digit(digits[0]), low = hc_hex_digit(digits[1]);
    *byte = (uint8_t)(high * 16 + low);
    return high >= 0 && low >= 0;
}

static enum hc_image_error read_record(struct reader *r, const char *line, size_t length, struct record *record)
{
    uint8_t raw[5 + 255];
    uint8_t sum = 0;

    if (line[0] != ':')
        return bad_line(r, "does not start with ':'");
    for (size_t i = 1; i < length; i++)
        if (hc_hex_digit(line[i]) < 0)
            return hc_image_fail(r->image, r->message, HC_IMAGE_BAD, "line %u: column %zu is not a hexadecimal digit",
                                 r->line, i + 1);
    size_t bytes = (length - 1) / 2;
    if (length % 2 == 0 || bytes < 5 || !read_byte(line + 1, raw) || bytes < 5u + raw[0])
        return bad_line(r, "record is cut short");
    if (bytes > 5u + raw[0])
        return bad_line(r, "record is longer than its length says");
    for (size_t i = 0; i < bytes; i++)
        read_byte(line + 1 + 2 * i, &raw[i]);
    for (size_t i = 0; i < bytes - 1; i++)
        sum = (uint8_t)(sum + raw[i]);
    if (raw[bytes - 1] != (uint8_t)-sum)
        return hc_image_fail(r->image, r->message, HC_IMAGE_BAD, "line %u: checksum is 0x%02X, should be 0x%02X",
                             r->line, raw[bytes - 1], (uint8_t)-sum);
    record->length = raw[0];
    record->address = (uint16_t)(raw[1] << 8 | raw[2]);
    record->type = raw[3];
    memcpy(record->data, raw + 4, raw[0]);
    return HC_IMAGE_OK;
}

static enum hc_image_error put_data(struct reader *r, const struct record *record)
{
    char place[32];
    size_t before_wrap = 0x10000u - record->address, first = record->length;

    snprintf(place, sizeof place, "line %u", r->line);
    if (r->segmented && first > before_wrap)
        first = before_wrap;
    enum hc_image_error error =
        hc_image_put(r->image, place, (uint64_t)r->base + record->address, record->data, first, r->message);
    if (!error && first < record->length)
        error = hc_image_put(r->image, place, r->base, record->data + first, record->length - first, r->message);
    return error;
}

static enum hc_image_error apply(struct reader *r, const struct record *record)
{
    const uint8_t *d = record->data;
    uint32_t high = (uint32_t)(d[0] << 8 | d[1]), low = (uint32_t)(d[2] << 8 | d[3]);

    switch (record->type) {
    case DATA:
        return put_data(r, record);
    case END:
        r->ended = true;
        break;
    case SEGMENT_BASE:
    case LINEAR_BASE:
        r->segmented = record->type == SEGMENT_BASE;
        r->base = r->segmented ? high << 4 : high << 16;
        break;
    case START_SEGMENT:
    case START_LINEAR:
        r->image->has_entry = true;
        r->image->entry = record->type == START_SEGMENT ? (high << 4) + low : high << 16 | low;
        break;
    default:
        break;
    }
    return HC_IMAGE_OK;
}

static enum hc_image_error read_line(struct reader *r, const char *line, size_t length)
{
    struct record record = { 0 };

    while (length && strchr(" \t\r", line[length - 1]) && line[length - 1])
        length--;
    while (length && (*line == ' ' || *line == '\t'))
        line++, length--;
    if (!length)
        return HC_IMAGE_OK;
    if (r->ended)
        return bad_line(r, "follows the end-of-file record");
    enum hc_image_error error = read_record(r, line, length, &record);
    if (error)
        return error;
    if (record.type >= TYPES)
        return hc_image_fail(r->image, r->message, HC_IMAGE_BAD, "line %u: record type %02X is unknown", r->line,
                             record.type);
    if (data_length[record.type] >= 0 && record.length != data_length[record.type])
        return hc_image_fail(r->image, r->message, HC_IMAGE_BAD,
                             "line %u: record type %02X has %u bytes, should have %d", r->line, record.type,
                             record.length, data_length[record.type]);
    return apply(r, &record);
}

enum hc_image_error hc_image_parse_hex(struct hc_image *image, const char *text, size_t size,
                                       struct hc_image_message *message)
{
    struct reader r = { .image = image, .message = message };
    const char *end = text + size;

    image->format = HC_IMAGE_INTEL_HEX;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        r.line++;
        enum hc_image_error error = read_line(&r, text, (size_t)(stop - text));
        if (error)
            return error;
        text = newline ? newline + 1 : end;
    }
    return r.ended ? HC_IMAGE_OK : bad_line(&r, "file ends without an end-of-file record (:00000001FF): truncated?");
}
