#include "flatten.h"

#include "image/image.h"

#include <stdlib.h>
#include <string.h>

enum { ERASED = 0xff };

static uint8_t *lay_out(const struct hc_image *image, size_t *size)
{
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(image, &segment);
    *size = n ? (size_t)segment[n - 1].address + segment[n - 1].size : 0;
    uint8_t *memory = malloc(*size + 1);
    if (!memory)
        return NULL;
    memset(memory, ERASED, *size);
    for (size_t i = 0; i < n; i++)
        memcpy(memory + segment[i].address, segment[i].bytes, segment[i].size);
    return memory;
}

uint8_t *hc_flatten(const char *name, const uint8_t *bytes, size_t size, size_t *out_size)
{
    struct hc_image *image;
    struct hc_image_message message;
    if (hc_image_load_memory(&image, name, bytes, size, &message))
        return NULL;
    uint8_t *memory = lay_out(image, out_size);
    hc_image_free(image);
    return memory;
}
