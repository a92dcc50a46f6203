/* A program's environment, by the names that the user gave: functions, variables, peripheral registers; and a model of
 * the environment. */
#ifndef HC_CLI_POWER_INTERACTIONS_H
#define HC_CLI_POWER_INTERACTIONS_H

#include "image/image.h"
#include "power_options.h"

/* What is loaded; initialise with zeros. */
struct hc_power_interactions {
    const struct hc_environment *environment; /* NULL: as the outputs' models say */
    void *library;
    struct hc_power_options *options;
    char *table;
};

/* Fills in addresses in OPTIONS, including those of non-volatile memory, and adds the outputs of the environment's
 * table. Returns 0, or the exit code after a message. Call hc_power_interactions_free in any case. */
int hc_power_interactions_find(struct hc_power_interactions *i, struct hc_power_options *options,
                               const struct hc_image *image);
void hc_power_interactions_free(struct hc_power_interactions *i);

#endif
