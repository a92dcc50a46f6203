/* The border between program and recorder in an instrumented ELF: where the recorder's entry points are, and what the
 * link step wrote into __hc_link (runtime/link.h).
 *
 * A cut is a stretch of code that belongs to the recorder: it is left out of replays and of what is compared.
 * Everything else, the stubs around the cuts included, is program. */
#ifndef HC_RECORDED_BORDER_H
#define HC_RECORDED_BORDER_H

#include "../runtime/site.h"
#include "link_table.h"

enum { HC_BORDER_POLLS = 4 };

/* A routine that waits for a bit: the load and the jump back, then what follows them. */
struct hc_border_poll {
    uint32_t load, jump, after;
    bool until_set;
    int size;
};

struct hc_border {
    uint32_t read, read_end; /* cuts */
    uint32_t read_via;       /* ends with read_end; 0 if there is none */
    uint32_t update, update_end;
    uint32_t resume;        /* of an update that was interrupted; ends with update_end */
    uint32_t update_resume; /* where such an interrupt returns to */
    uint32_t inside;        /* its position, a sentinel PC */
    uint32_t reset;         /* ends with the reset handler */
    struct hc_border_poll poll[HC_BORDER_POLLS];
    uint32_t count, laps; /* the position counter */
    uint32_t segment;     /* the recorder's count of segments; 0 if it has no such symbol */
    uint32_t sites;       /* first site descriptor */
    uint32_t sites_end;
    struct hc_link_table link;
    uint32_t trampoline[HC_LINK_VECTORS_MAX]; /* by vector; 0 where there is none */
    struct hc_memory_range recorder;          /* its RAM */
};

/* 0; or -1 with a sentence in MESSAGE when IMAGE is not the ELF of an instrumented program. */
int hc_border_read(struct hc_border *border, const struct hc_image *image, char *message, size_t size);

/* Whether positions at PC carry a hash. */
bool hc_border_hashed(const struct hc_border *border, uint32_t pc);

/* Whether PC is where a cut ends: the flags there are the recorder's, and of no use to the program. */
bool hc_border_ends_cut(const struct hc_border *border, uint32_t pc);

/* The poll routine whose load or jump is at PC; NULL otherwise. */
const struct hc_border_poll *hc_border_poll_at(const struct hc_border *border, uint32_t pc);

/* The number of the site with its descriptor at ADDRESS; -1 if it is none. */
int hc_border_site(const struct hc_border *border, uint32_t address);

#endif
