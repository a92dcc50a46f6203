/* Which of its random programs a test runs. */
#ifndef TESTS_POWER_CHOICE_H
#define TESTS_POWER_CHOICE_H

#include <stdlib.h>

/* All programs from FIRST up to END. */
struct choice {
    unsigned first, end;
};

/* Of a test's arguments: "NUMBER" is one program, "first N" are so many; the test's own number without them. */
static inline struct choice choose(int argc, char **argv, unsigned programs)
{
    if (argc == 3)
        return (struct choice){ 0, (unsigned)strtoul(argv[2], NULL, 10) };
    if (argc == 1)
        return (struct choice){ 0, programs };
    unsigned only = (unsigned)strtoul(argv[1], NULL, 10);
    return (struct choice){ only, only + 1 };
}

#endif
