/* Programs an image into a machine. */
#ifndef HC_TARGET_LOAD_H
#define HC_TARGET_LOAD_H

#include "image/image.h"
#include "machine/machine.h"

struct hc_load_message {
    char text[320]; /* one line, without a newline; written only when a call fails */
};

/* Whether IMAGE is for M's CPU, but for another part. */
bool hc_load_is_other_part(const struct hc_machine *m, const struct hc_image *image);

/* Returns false if IMAGE is for another CPU or part, or has bytes where M has no memory. */
bool hc_load(struct hc_machine *m, const struct hc_image *image, struct hc_load_message *message);

#endif
