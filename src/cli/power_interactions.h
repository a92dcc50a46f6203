/* What a program meets of its environment, by the names that the user gave: functions, variables, peripherals'
 * registers; and a model of the environment. */
#ifndef HC_CLI_POWER_INTERACTIONS_H
#define HC_CLI_POWER_INTERACTIONS_H

#include "image/image.h"
#include "power_options.h"

/* What is loaded; all zero is nothing. */
struct hc_power_interactions {
    const struct hc_environment *environment; /* NULL: as the outputs' models say */
    void *library;
    struct hc_power_options *options;
    char *table;
};

/* Fills in addresses in OPTIONS, those of non-volatile memory among them, and adds the outputs of its environment's
 * table. 0, or the exit code after a complaint. hc_power_interactions_free is due in any case. */
int hc_power_interactions_find(struct hc_power_interactions *i, struct hc_power_options *options,
                               const struct hc_image *image);
void hc_power_interactions_free(struct hc_power_interactions *i);

#endif
