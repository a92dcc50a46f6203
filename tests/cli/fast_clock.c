/* A clock for tests of what depends on time that passes: each look at CLOCK_MONOTONIC finds it half a second later, or,
 * with CLOCK_STANDS_STILL set, never later. To be preloaded. */
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t which, struct timespec *out)
{
    static long looks;

    if (which != CLOCK_MONOTONIC)
        return timespec_get(out, TIME_UTC) == TIME_UTC ? 0 : -1;
    looks += !getenv("CLOCK_STANDS_STILL");
    *out = (struct timespec){ .tv_sec = 1000 + looks / 2, .tv_nsec = looks % 2 * 500000000 };
    return 0;
}
