/* hindcast power --debug: a debugger session over the run in which a finding's power failure happens. */
#ifndef HC_CLI_POWER_DEBUG_H
#define HC_CLI_POWER_DEBUG_H

#include "power/report/report.h"

/* For finding NUMBER of R; CONFIG as for hc_power_locate, with the machine loaded again and reset. DAP: an editor's, on
 * stdin and stdout, instead of a terminal's. Returns the exit code. */
int hc_power_debug(const struct hc_power_report *r, const struct hc_locate_config *config, unsigned number, bool dap);

#endif
