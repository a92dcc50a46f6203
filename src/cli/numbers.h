/* Numbers on the command line. */
#ifndef HC_CLI_NUMBERS_H
#define HC_CLI_NUMBERS_H

#include <argp.h>
#include <stdint.h>

/* ARGUMENT as a decimal number from LEAST to MOST. Anything else is a usage error that names OPTION. */
uint64_t hc_number_argument(struct argp_state *state, const char *option, const char *argument, uint64_t least,
                            uint64_t most);

#endif
