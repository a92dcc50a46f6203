/* What findings of `hindcast power` are about, in the words of the source. */
#ifndef HC_CLI_POWER_NAMES_H
#define HC_CLI_POWER_NAMES_H

#include "power/locate/locate.h"

/* For each of LOCATED's pairs a name, or NULL; each of them and the list to be freed. CONFIG as for hc_power_locate,
 * with the machine loaded again and reset. */
char **hc_power_names(struct hc_image *image, const struct hc_locate_config *config, const struct hc_located *located);

#endif
