/* Numbers of paths from the code of a log's pieces (FORMAT.md, "Paths"). */
#ifndef HC_TRACE_PATH_CODE_H
#define HC_TRACE_PATH_CODE_H

#include "../runtime/traffic/path_model.h"

#include <stddef.h>

typedef void hc_path_fn(void *owner, uint16_t number);

struct hc_path_reader {
    struct hc_path_model model;
    uint8_t width; /* bits of a number that is written out, at most 16 */
    bool begun;    /* a segment was */
    bool bad;      /* the rest of it makes no sense */
    uint8_t odd;   /* of the last piece: 1 or 2 */
    uint32_t run;  /* numbers as expected before the next */
    bool cut;      /* that one is not */
    uint8_t code[256];
    size_t size, bit;
};

/* A segment begins. False: the one before ends in the middle of a number. */
bool hc_path_reader_begin(struct hc_path_reader *r, uint8_t width);
/* A piece with this ODD, 1 or 2: calls FN for each number that is whole. False: the code makes no sense from here on.
 */
bool hc_path_reader_add(struct hc_path_reader *r, uint8_t odd, const uint8_t *bytes, uint8_t size, hc_path_fn *fn,
                        void *owner);

#endif
