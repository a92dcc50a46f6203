/* hindcast run with several nodes: a scenario, or what the options make of it. */
#ifndef HC_CLI_RUN_FIELD_H
#define HC_CLI_RUN_FIELD_H

#include "run_options.h"

/* Whether the options mean several nodes: an option of theirs was given, several images, or a scenario. */
bool hc_run_is_field(const struct hc_run_options *options);

/* Returns an hc_exit. */
int hc_run_field(const struct hc_run_options *options, int argc, char **argv);

#endif
