/* The text of source lines, for debuggers and traces. */
#ifndef HC_IMAGE_SOURCE_H
#define HC_IMAGE_SOURCE_H

#include <stddef.h>

enum { HC_SOURCE_FILES = 32 };

/* Files are read on first use and kept; there is no text for files beyond the first HC_SOURCE_FILES. Initialise with
 * zeros. */
struct hc_sources {
    int count;
    struct hc_source_file {
        char *path;
        char *text; /* lines end with NUL; NULL if it cannot be read */
        size_t size;
    } files[HC_SOURCE_FILES];
};

/* Line NUMBER (from 1) of the file without leading white space; "" if it is not available. */
const char *hc_source_line(struct hc_sources *sources, const char *path, int number);
/* The same with leading white space; NULL if it is not available. */
const char *hc_source_text(struct hc_sources *sources, const char *path, int number);
void hc_sources_free(struct hc_sources *sources);

#endif
