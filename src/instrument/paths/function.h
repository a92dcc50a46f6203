/* One function: its blocks, and the code that records its paths. */
#ifndef HC_INSTRUMENT_PATHS_FUNCTION_H
#define HC_INSTRUMENT_PATHS_FUNCTION_H

#include "numbers.h"
#include "text.h"

/* What a call is to paths. */
enum hc_path_callee {
    HC_CALLEE_QUIET,   /* nothing that is recorded happens in it: it is a step like others */
    HC_CALLEE_MESSAGE, /* the recorder's, for a message: likewise, but the path up to it is written before */
    HC_CALLEE_CHOSEN,  /* it is recorded */
    HC_CALLEE_UNKNOWN, /* anything may */
};

struct hc_path_context {
    struct hc_asm_text *text;
    const struct hc_target_flow *flow;
    const char *name; /* of the source */
    enum hc_path_callee (*callee)(void *owner, const char *name);
    void *owner;
    unsigned serial; /* for labels */
    char *message;   /* of 400 bytes */
};

/* Whether control goes on in F behind a jump to NAME from line FROM, rather than in another function. */
bool hc_path_is_within(const struct hc_asm_text *t, const struct hc_asm_function *f, size_t from, const char *name);
/* F is entered by an interrupt. */
bool hc_path_is_handler(const struct hc_asm_text *t, const struct hc_asm_function *f);

/* Adds to the lines of F, and writes its record to MAP. ENTRY_RESTS: it is entered only by calls of functions that are
 * recorded. False with a message. */
bool hc_path_instrument(struct hc_path_context *c, const struct hc_asm_function *f, bool entry_rests, FILE *map);

#endif
