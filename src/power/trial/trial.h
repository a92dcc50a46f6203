/* A run that is compared with the continuous one: what memory holds at its end, what main returned, what it did to its
 * environment. Evaluate and the trials of checkpoints are made of these. */
#ifndef HC_POWER_TRIAL_H
#define HC_POWER_TRIAL_H

#include "evaluate.h"

struct hc_trial;

/* The run joined the golden one nobody knows where: what it does to the environment must be the golden one's end. */
#define HC_TRIAL_ANYWHERE UINT64_MAX

/* CONFIG's machine is loaded and reset, and runs to the end of its program and back to the entry of main: the golden
 * run. NULL when the program does not end in LOCATED->instructions instructions, as it did before. CONFIG and LOCATED
 * must outlive it. */
struct hc_trial *hc_trial_new(const struct hc_locate_config *config, const struct hc_located *located);
void hc_trial_free(struct hc_trial *t);

/* The supply fails now; the program goes on from CHECKPOINT, or from power-on. */
void hc_trial_fail(struct hc_trial *t, const struct hc_snapshot *checkpoint);

/* The same from power-on, and EXECUTED instructions of the golden run, from main on, had been executed: what it had
 * done to the environment until then need not be done again, but the rest must. */
void hc_trial_lose_power(struct hc_trial *t, uint64_t executed);

/* Runs to the end, or what comes instead, and compares; RESUMED: the instructions retired in the golden run where this
 * one joined it. */
void hc_trial_finish(struct hc_trial *t, uint64_t resumed, struct hc_evaluated *out);

/* The same after hc_trial_fail with a checkpoint that had been saved after RESUMED instructions. It ends sooner if,
 * when all has been executed again up to FAILURE, the machine stands as it stood THERE, in each detail, and the same
 * was done: the rest will be right. */
void hc_trial_finish_or_join(struct hc_trial *t, uint64_t resumed, uint64_t failure, const struct hc_snapshot *there,
                             struct hc_evaluated *out);

/* From now on this run is what others are compared with: the end is that of the machine, and its actions count from
 * where it stands. */
void hc_trial_run_golden(struct hc_trial *t);

/* The machine has come to the program's end by whatever way: compares memory and main's result as they are. */
void hc_trial_compare_end(struct hc_trial *t, struct hc_evaluated *out);

/* Memory that is not compared: what a checkpoint routine keeps for itself. */
void hc_trial_leave_out(struct hc_trial *t, uint32_t from, uint32_t to);

#endif
