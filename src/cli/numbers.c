#include "numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

uint64_t hc_number_argument(struct argp_state *state, const char *option, const char *argument, uint64_t least,
                            uint64_t most)
{
    char *end;

    errno = 0;
    unsigned long long n = strtoull(argument, &end, 10);
    if (end == argument || *end || *argument == '-' || errno || n < least || n > most)
        argp_error(state, "%s: '%s': expected a number %" PRIu64 "..%" PRIu64, option, argument, least, most);
    return n;
}
