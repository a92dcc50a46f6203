/* TI-TXT.
 *
 *     @F000                    address of the bytes that follow
 *     31 40 00 31 B0 12 0C F0  bytes, separated by white space
 *     q                        end */
#include "internal.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct hc_image *image;
    struct hc_image_message *message;
    const char *text, *end;
    unsigned line;
    bool addressed, ended;
    uint64_t address;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum hc_image_error bad_line(struct reader *r, const char *cause)
{
    return hc_image_fail(r->image, r->message, HC_IMAGE_BAD, "line %u: %s", r->line, cause);
}

/* Skips white space, then takes what stands before the next; 0 at the end. */
static size_t next_word(struct reader *r, const char **word)
{
    while (r->text < r->end && is_space(*r->text))
        r->line += *r->text++ == '\n';
    *word = r->text;
    while (r->text < r->end && !is_space(*r->text))
        r->text++;
    return (size_t)(r->text - *word);
}

static bool read_number(const char *digits, size_t length, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = hc_hex_digit(digits[i]);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return length > 0 && length <= 8;
}

static enum hc_image_error take(struct reader *r, const char *word, size_t length)
{
    char place[32];
    uint32_t value;

    if (r->ended)
        return bad_line(r, "follows the final q");
    if (length == 1 && (*word == 'q' || *word == 'Q')) {
        r->ended = true;
        return HC_IMAGE_OK;
    }
    if (*word == '@') {
        if (!read_number(word + 1, length - 1, &value))
            return bad_line(r, "@ is not followed by a hexadecimal address");
        r->addressed = true;
        r->address = value;
        return HC_IMAGE_OK;
    }
    if (length != 2 || !read_number(word, length, &value))
        return bad_line(r, "is neither @ADDRESS, bytes of two hexadecimal digits, nor q");
    if (!r->addressed)
        return bad_line(r, "bytes come before the first @ADDRESS");
    uint8_t byte = (uint8_t)value;
    snprintf(place, sizeof place, "line %u", r->line);
    return hc_image_put(r->image, place, r->address++, &byte, 1, r->message);
}

enum hc_image_error hc_image_parse_titxt(struct hc_image *image, const char *text, size_t size,
                                         struct hc_image_message *message)
{
    struct reader r = { .image = image, .message = message, .text = text, .end = text + size, .line = 1 };
    const char *word;
    size_t length;

    image->format = HC_IMAGE_TI_TXT;
    while ((length = next_word(&r, &word))) {
        enum hc_image_error error = take(&r, word, length);
        if (error)
            return error;
    }
    return r.ended ? HC_IMAGE_OK : bad_line(&r, "file ends without the final q: truncated?");
}
