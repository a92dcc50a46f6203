/* Places in a program, as users write them: a symbol, an address (0x4312 or *0x4312), FILE:LINE, or a line. */
#ifndef HC_IMAGE_PLACE_H
#define HC_IMAGE_PLACE_H

#include "image.h"

enum { HC_PLACE_FILE_MAX = 512 };

struct hc_place_text {
    enum { HC_PLACE_IS_NAME, HC_PLACE_IS_ADDRESS, HC_PLACE_IS_LINE, HC_PLACE_IS_BAD } kind;
    uint32_t address;             /* bad: *ADDRESS is none */
    char file[HC_PLACE_FILE_MAX]; /* of a line; "" if the text names no file */
    int line;
};

/* Which kind of place TEXT is. */
void hc_place_read(struct hc_place_text *out, const char *text);

/* The address of TEXT; for a line, the first one. Returns false if IMAGE has no such place. */
bool hc_place_find(struct hc_image *image, const char *text, uint32_t *address);

#endif
