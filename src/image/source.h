/* Text of source lines, for people who debug or read a trace. */
#ifndef HC_IMAGE_SOURCE_H
#define HC_IMAGE_SOURCE_H

#include <stddef.h>

enum { HC_SOURCE_FILES = 32 };

/* Files are read when first asked for and kept; of more than HC_SOURCE_FILES there is no text. Zeroed it is ready. */
struct hc_sources {
    int count;
    struct hc_source_file {
        char *path;
        char *text; /* lines end with NUL; NULL when it cannot be read */
        size_t size;
    } files[HC_SOURCE_FILES];
};

/* Line NUMBER (from 1) of the file without leading white space, or "" when it is not at hand. */
const char *hc_source_line(struct hc_sources *sources, const char *path, int number);
/* The same with it; NULL when it is not at hand. */
const char *hc_source_text(struct hc_sources *sources, const char *path, int number);
void hc_sources_free(struct hc_sources *sources);

#endif
