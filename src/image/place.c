#include "place.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    *out = (uint32_t)value;
    return isdigit((unsigned char)*text) && !*end && value < HC_IMAGE_ADDRESSES;
}

void hc_place_read(struct hc_place_text *out, const char *text)
{
    const char *colon = strrchr(text, ':');
    char *end;
    long line = strtol(colon ? colon + 1 : text, &end, 10);
    bool is_line = !*end && line > 0 && line < INT32_MAX && isdigit((unsigned char)(colon ? colon[1] : text[0]));

    *out = (struct hc_place_text){ .kind = HC_PLACE_IS_NAME };
    if (text[0] == '*') {
        out->kind = is_number(text + 1, &out->address) ? HC_PLACE_IS_ADDRESS : HC_PLACE_IS_BAD;
    } else if (is_line && (!colon || (colon > text && colon - text < HC_PLACE_FILE_MAX))) {
        out->kind = HC_PLACE_IS_LINE;
        out->line = (int)line;
        snprintf(out->file, sizeof out->file, "%.*s", colon ? (int)(colon - text) : 0, text);
    }
}

bool hc_place_find(struct hc_image *image, const char *text, uint32_t *address)
{
    struct hc_place_text place;
    struct hc_symbol symbol;

    if (hc_image_symbol(image, text, &symbol)) {
        *address = symbol.address;
        return true;
    }
    if (is_number(text, address))
        return true;
    hc_place_read(&place, text);
    if (place.kind == HC_PLACE_IS_ADDRESS)
        *address = place.address;
    return place.kind == HC_PLACE_IS_ADDRESS ||
           (place.kind == HC_PLACE_IS_LINE && hc_image_line_addresses(image, place.file, place.line, address, 1) > 0);
}
