/* Names for the findings of `hindcast power`, in terms of the source. */
#ifndef HC_CLI_POWER_NAMES_H
#define HC_CLI_POWER_NAMES_H

#include "power/locate/locate.h"

/* A name, or NULL, for each of LOCATED's pairs; free each and the list. CONFIG as for hc_power_locate, with the machine
 * loaded again and reset. */
char **hc_power_names(struct hc_image *image, const struct hc_locate_config *config, const struct hc_located *located);

#endif
