/* The text of source lines, for debuggers and traces. */
#ifndef HC_IMAGE_SOURCE_H
#define HC_IMAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_SOURCE_FILES = 64, HC_SOURCE_MAPPINGS = 16 };

/* Files are read on first use and kept; there is no text for files beyond the first HC_SOURCE_FILES. Initialise with
 * zeros. */
struct hc_sources {
    int mappings; /* of paths: what begins with FROM is read from TO instead; the strings are the caller's */
    struct {
        const char *from, *to;
    } mapping[HC_SOURCE_MAPPINGS];
    int count;
    struct hc_source_file {
        char *path;
        char *text; /* lines end with NUL; NULL if it cannot be read */
        size_t size;
        int64_t changed; /* when, in seconds since 1970 */
        bool told;       /* that it is newer */
    } files[HC_SOURCE_FILES];
};

/* Line NUMBER (from 1) of the file without leading white space; "" if it is not available. */
const char *hc_source_line(struct hc_sources *sources, const char *path, int number);
/* The same with leading white space; NULL if it is not available. */
const char *hc_source_text(struct hc_sources *sources, const char *path, int number);
/* Whether the file was changed later than at THAN, in seconds since 1970. True only once for each file. */
bool hc_source_is_newer(struct hc_sources *sources, const char *path, int64_t than);
void hc_sources_free(struct hc_sources *sources);

#endif
