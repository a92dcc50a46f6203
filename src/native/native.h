/* Replays a region on the host: the module with the hooks that `hindcast ld` kept in the ELF file, lowered to the
 * host's own code (lower.h), made a shared object by the host's clang 19 and called visit by visit. All that comes over
 * the border comes from the log, as in the machine (replay/region); what goes out is compared with it.
 *
 * Addresses are the node's: memory is an arena of 64 KB in the shared object, objects and locals lie where they lay on
 * the node. Only the recorder's own memory, and return addresses and saved registers on the stack, are not there. */
#ifndef HC_NATIVE_NATIVE_H
#define HC_NATIVE_NATIVE_H

#include "image/image.h"
#include "replay/region/region_replay.h"

#include <stdio.h>

/* ---- building ---- */

struct hc_native_request {
    const struct hc_image *image;
    const char *directory; /* exists: where the files go */
    bool checks;           /* of overflows and bounds */
    bool debugged;         /* every variable stays where a debugger finds it, and code is not optimised */
    FILE *commands;        /* where commands are printed; NULL: nowhere */
};

/* Makes DIRECTORY/region.so, and DIRECTORY/region.ll, from which it is made. Costs about a second. False with a
 * sentence in TEXT: the image has no module, one that cannot be lowered, or clang-19 refuses. */
bool hc_native_build(const struct hc_native_request *request, char *text, size_t size);

/* gdb.py: a script for gdb, which shows and follows pointers of 16 bits. */
extern const char hc_native_gdb_script[];

/* ---- running ---- */

struct hc_native;

/* OBJECT: a file that hc_native_build made of IMAGE. BOOT: of the log, counted from 0. On failure *OUT is NULL and TEXT
 * has a sentence. IMAGE must outlive it. */
bool hc_native_open(struct hc_native **out, struct hc_image *image, const char *object, const char *log, size_t boot,
                    char *text, size_t size);
void hc_native_free(struct hc_native *n);

/* The 64 KB. */
uint8_t *hc_native_arena(struct hc_native *n);

/* Something that the checks found; at most one of each place. */
struct hc_native_finding {
    char what[160]; /* "signed addition overflows: 32767 and 1 in 16 bits" */
    const char *file, *function;
    unsigned line;         /* 0: unknown */
    uint64_t visit, times; /* the first one; in all */
};
/* NULL: there are no more than I. */
const struct hc_native_finding *hc_native_finding(const struct hc_native *n, size_t i);

/* Sets the initial value of a variable. Before anything runs; false: there is no such variable. */
bool hc_native_set(struct hc_native *n, const char *variable, uint32_t value);

/* Called at the begin (ENTRY >= 0) and the end (-1) of each call from outside; they may be within each other. */
typedef void hc_native_visit_fn(void *owner, struct hc_native *n, int entry);
void hc_native_listen(struct hc_native *n, hc_native_visit_fn *call, void *owner);

/* Runs to the end of the log, or to the first deviation. */
enum hc_region_end_kind hc_native_run(struct hc_native *n);
/* `instructions` is 0: nobody counts them. */
void hc_native_state(const struct hc_native *n, struct hc_region_state *out);

#endif
