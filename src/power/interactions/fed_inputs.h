/* Input functions of a machine that return values of the user's (values.h). */
#ifndef HC_POWER_FED_INPUTS_H
#define HC_POWER_FED_INPUTS_H

#include "machine/machine.h"

struct hc_power_input;
struct hc_fed_inputs;

/* From now on functions of INPUT that have values return these. MAIN: a run begins there. */
struct hc_fed_inputs *hc_fed_inputs_new(struct hc_machine *m, const struct hc_power_input *input, size_t count,
                                        uint32_t main);
void hc_fed_inputs_free(struct hc_fed_inputs *f);

#endif
