/* The analysis's findings: for people grouped by variable, and as a page with the source; for programs as JSON. */
#ifndef HC_POWER_REPORT_H
#define HC_POWER_REPORT_H

#include "history.h"
#include "power/locate/locate.h"
#include "power/trial/cuts.h"
#include "power/trial/evaluate.h"
#include "power/trial/suggest.h"
#include "power/trial/torn.h"
#include "registers/regs.h"

#include <stdio.h>

struct hc_power_report {
    struct hc_image *image;
    const struct hc_regs *registers; /* names of the peripherals' registers, or NULL */
    const struct hc_located *located;
    const struct hc_verdict *verdict; /* an element a pair, or NULL */
    char *const *names;               /* of what the pair is about, in the words of the source; each may be NULL */
    const char *checkpoint;           /* the a-posteriori scenario's places, as the user named them, or NULL */
    const uint64_t *depths;           /* a-priori: execution depths asked for, ascending */
    size_t depth_count;
    bool depth_in_cycles; /* else in instructions */
    bool show_silent;
    uint64_t needed_nanofarads; /* a-posteriori: the smallest capacitor that lets the longest window be executed */
    uint64_t restart_cycles;    /* before that window, after a failure */
    uint64_t nanofarads;        /* the one that there is; 0: not given */
    const struct hc_power_input *input; /* what the run was asked to watch */
    const struct hc_output *output;
    const struct hc_steered *steered;       /* an element for each steering of the inputs, or NULL */
    const struct hc_suggestion *suggestion; /* or NULL */
    const struct hc_torn *torn;             /* or NULL */
    const struct hc_cuts *cuts;             /* or NULL */
    bool cuts_decide;                       /* pairs that no cut shows do not count, and are not shown */
    bool incomplete;                        /* the run was given up before its end: the findings so far */
};

/* Anomalies within the largest depth; silent pairs do not count, nor those of which each occurrence was tried and none
 * has an effect. */
size_t hc_power_anomalies(const struct hc_power_report *r);

/* The capacitor is too small for the longest window: the program would never come past it. */
bool hc_power_never_ends(const struct hc_power_report *r);

/* Uses of inputs, and call sites of outputs, that do not behave as expected. */
size_t hc_power_unexpected_interactions(const struct hc_power_report *r);

/* Any of these, a checkpoint that can be torn, or a cut that the program does not survive. */
bool hc_power_found(const struct hc_power_report *r);

void hc_power_report_text(const struct hc_power_report *r, FILE *out);
void hc_power_report_json(const struct hc_power_report *r, FILE *out);
void hc_power_report_html(const struct hc_power_report *r, const struct hc_history *history, FILE *out);

#endif
