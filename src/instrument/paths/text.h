/* Assembly text as lines, and the functions in it. */
#ifndef HC_INSTRUMENT_PATHS_TEXT_H
#define HC_INSTRUMENT_PATHS_TEXT_H

#include "target/target.h"

#include <stddef.h>

enum hc_asm_kind { HC_ASM_OTHER, HC_ASM_LABEL, HC_ASM_INSTRUCTION, HC_ASM_DATA };

struct hc_asm_line {
    char *text;            /* as it was, one label or instruction */
    char *name;            /* of a label */
    char *before, *after;  /* what is to be written around it; NULL: nothing */
    bool dropped;          /* it is not to be written */
    enum hc_asm_kind kind; /* labels and instructions: of a function */
    struct hc_route flow;  /* of an instruction */
    int file, number;      /* where it is in the source; number 0: not known */
};

struct hc_asm_function {
    const char *name;
    size_t first, end; /* lines: its label, and one past the last */
    bool global;
};

struct hc_asm_text {
    struct hc_asm_line *line;
    size_t lines, line_room;
    struct hc_asm_function *function;
    size_t functions, function_room;
    char **file; /* names, by number */
    size_t files;
    bool failed; /* memory is exhausted */
};

/* Reads TEXT. False on out-of-memory. Free it in any case. */
bool hc_asm_read(struct hc_asm_text *t, const char *text, size_t size, const struct hc_target_flow *flow);
void hc_asm_free(struct hc_asm_text *t);

/* The function called NAME; NULL if it is not in the text. */
const struct hc_asm_function *hc_asm_function(const struct hc_asm_text *t, const char *name);
/* The line of label NAME, seen from line FROM (for "1f" and "1b"); T->lines if there is none. */
size_t hc_asm_label(const struct hc_asm_text *t, size_t from, const char *name);
/* The lines of the table at label NAME: *FIRST and the result, one past the last. An entry's label in OUT. */
size_t hc_asm_table(const struct hc_asm_text *t, const char *name, size_t *first);
bool hc_asm_entry(const struct hc_asm_line *line, char out[HC_ROUTE_NAME]);

/* All of it, with what is to be written around lines; free it. NULL on out-of-memory. */
char *hc_asm_write(const struct hc_asm_text *t, size_t *size);

/* Near jumps of F reach their target: those that may not become far ones, with labels that are numbered from *SERIAL
 * on. False on out-of-memory. */
bool hc_asm_lengthen(struct hc_asm_text *t, const struct hc_asm_function *f, const struct hc_target_flow *flow,
                     unsigned *serial);

#endif
