/* The border between program and recorder in an instrumented ELF: where the recorder's entry points are, and what the
 * link step wrote into __hc_link (runtime/link.h).
 *
 * A cut is a range of code that belongs to the recorder: replays and comparisons skip it. Everything else belongs to
 * the program, including the stubs around the cuts. */
#ifndef HC_RECORDED_BORDER_H
#define HC_RECORDED_BORDER_H

#include "../runtime/site.h"
#include "link_table.h"

enum { HC_BORDER_POLLS = 4 };

/* A routine that polls a bit: its load and backward jump, then what follows them. */
struct hc_border_poll {
    uint32_t load, jump, after;
    bool until_set;
    int size;
};

struct hc_border {
    uint32_t read, read_end; /* cuts */
    uint32_t read_via;       /* ends at read_end; 0 if there is none */
    uint32_t update, update_end;
    uint32_t resume;        /* of an update that was interrupted; ends at update_end */
    uint32_t update_resume; /* where such an interrupt returns */
    uint32_t inside;        /* its position, a sentinel PC */
    uint32_t reset;         /* ends at the reset handler */
    struct hc_border_poll poll[HC_BORDER_POLLS];
    uint32_t count, laps; /* the position counter */
    uint32_t segment;     /* the recorder's segment number; 0 if it has no such symbol */
    uint32_t sites;       /* first site descriptor */
    uint32_t sites_end;
    struct hc_link_table link;
    uint32_t trampoline[HC_LINK_VECTORS_MAX]; /* by vector; 0 if there is none */
    struct hc_memory_range recorder;          /* its RAM */
};

/* Returns 0, or -1 with a message if IMAGE is not the ELF of an instrumented program. */
int hc_border_read(struct hc_border *border, const struct hc_image *image, char *message, size_t size);

/* Whether positions at PC include a hash. */
bool hc_border_hashed(const struct hc_border *border, uint32_t pc);

/* Whether a cut ends at PC: the flags there belong to the recorder, and the program does not use them. */
bool hc_border_ends_cut(const struct hc_border *border, uint32_t pc);

/* The polling routine whose load or jump is at PC; NULL if there is none. */
const struct hc_border_poll *hc_border_poll_at(const struct hc_border *border, uint32_t pc);

/* The number of the site whose descriptor is at ADDRESS; -1 if there is none. */
int hc_border_site(const struct hc_border *border, uint32_t address);

#endif
