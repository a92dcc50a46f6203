/* Edits of a text: insertions and replacements, collected in any order, applied at once. Line numbers do not change:
 * newlines and line markers within a replaced range are kept. */
#ifndef HC_INSTRUMENT_UNIT_EDIT_H
#define HC_INSTRUMENT_UNIT_EDIT_H

#include "arena.h"

#include <stdint.h>

struct hc_edit {
    uint32_t begin, end; /* what is replaced; equal: an insertion */
    int rank;            /* order of edits at one place: see below */
    uint32_t number;
    const char *text;
};

struct hc_edits {
    struct hc_arena *memory;
    struct hc_edit *edits;
    size_t count;
};

/* Insertions come in pairs around something at DEPTH of the tree and must nest: at one offset the closing texts of
 * inner things come first, then those of outer ones, then the opening texts of outer things, then of inner ones. */
void hc_edit_open(struct hc_edits *edits, uint32_t at, int depth, const char *text);
void hc_edit_close(struct hc_edits *edits, uint32_t at, int depth, const char *text);
void hc_edit_replace(struct hc_edits *edits, uint32_t begin, uint32_t end, int depth, const char *text);

/* Replacements must not overlap other edits. The caller frees the text, which is terminated by 0. NULL on
 * out-of-memory. */
char *hc_edit_apply(struct hc_edits *edits, const char *text, size_t size, const char *appendix, size_t *result_size);

#endif
