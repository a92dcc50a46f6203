/* hindcast run with several nodes: a scenario, or one made from the options. */
#ifndef HC_CLI_RUN_FIELD_H
#define HC_CLI_RUN_FIELD_H

#include "run_options.h"

/* Whether the options are for several nodes: one of their options was given, several images, or a scenario. */
bool hc_run_is_field(const struct hc_run_options *options);

/* Returns an hc_exit. */
int hc_run_field(const struct hc_run_options *options, int argc, char **argv);

#endif
