/* Tells when a machine acts on its environment: an output function is called, an output register written. */
#ifndef HC_POWER_ACTIONS_H
#define HC_POWER_ACTIONS_H

#include "machine/machine.h"
#include "outputs.h"

/* PC: of the instruction that writes the register; of a function, its entry. */
typedef void hc_acted_fn(void *owner, size_t output, int32_t argument, uint32_t pc);

struct hc_actions;

/* OUTPUT must outlive it. */
struct hc_actions *hc_actions_new(struct hc_machine *m, const struct hc_output *output, size_t count,
                                  hc_acted_fn *acted, void *owner);
void hc_actions_free(struct hc_actions *a);

#endif
