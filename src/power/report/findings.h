/* What reports tell: the pairs that count, each with a number that people can refer to, grouped by variable. */
#ifndef HC_POWER_FINDINGS_H
#define HC_POWER_FINDINGS_H

#include "report.h"

enum { HC_PLACE_TEXT = 200, HC_STACK_KEPT = 32 };

struct hc_variable {
    char name[HC_PLACE_TEXT];
    uint32_t address, size; /* of all of it; size 0: not known */
};

struct hc_finding {
    unsigned number; /* from 1: the anomalies by address of their variables, then the silent pairs likewise */
    size_t pair;     /* index in what was located */
    bool silent;
    struct hc_variable variable;
};

/* In order of their numbers, which depend on nothing but what was located and the depth; one with number 0 ends them.
 * To be freed. *COUNT: those that R shows, which come first. */
struct hc_finding *hc_findings(const struct hc_power_report *r, size_t *count);

/* The one of FINDINGS, as hc_findings gave them, that is about PAIR; NULL: none is. */
const struct hc_finding *hc_finding_of_pair(const struct hc_finding *findings, size_t pair);
const struct hc_pair *hc_finding_pair(const struct hc_power_report *r, const struct hc_finding *f);
/* "store.sample[3]", "old in swap"; NULL when no more is known than the variable. */
const char *hc_finding_part(const struct hc_power_report *r, const struct hc_finding *f);
/* NULL when it was not evaluated. */
const struct hc_verdict *hc_finding_verdict(const struct hc_power_report *r, const struct hc_finding *f);
/* The occurrence that the effect is of; the nearest one when it was not evaluated. */
const struct hc_occurrence *hc_finding_witness(const struct hc_power_report *r, const struct hc_finding *f);
/* None of its occurrences does worse. */
bool hc_finding_witness_is_worst(const struct hc_power_report *r, const struct hc_finding *f);
/* Of the nearest occurrence, in instructions and in cycles. */
uint64_t hc_finding_distance(const struct hc_power_report *r, const struct hc_finding *f);
uint64_t hc_finding_cycles(const struct hc_power_report *r, const struct hc_finding *f);
uint64_t hc_finding_occurrences(const struct hc_power_report *r, const struct hc_finding *f);
/* A call alone that changes the heap: there is no second place. */
bool hc_finding_is_single(const struct hc_power_report *r, const struct hc_finding *f);
/* What a call does that is a pair with itself; NULL for others. */
const char *hc_finding_detail(const struct hc_power_report *r, const struct hc_finding *f);

/* "read", "written", "used", "called": what is done at the first place, and at the second. */
const char *hc_finding_deed(const struct hc_power_report *r, const struct hc_finding *f, bool consumer);

/* ---- how many ---- */

size_t hc_findings_within(const struct hc_power_report *r, uint64_t depth);
size_t hc_findings_harmless(const struct hc_power_report *r);
size_t hc_findings_silent(const struct hc_power_report *r);

/* ---- places ---- */

/* Of an instruction's address or what stands for it; OUT has room for HC_PLACE_TEXT. */
const char *hc_place_text(const struct hc_power_report *r, uint32_t pc, char *out);
/* The call sites that led to PC in CONTEXT, the innermost first; how many, at most HC_STACK_KEPT. */
size_t hc_place_callers(const struct hc_power_report *r, uint32_t pc, uint32_t context, uint32_t *pcs);

#endif
