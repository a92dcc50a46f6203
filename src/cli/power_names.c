#include "power_names.h"

#include "debug/dwarf/name_address.h"
#include "power/locate/run.h"

#include <stdlib.h>
#include <string.h>

struct naming_turn {
    uint64_t when; /* before the instruction that meets it first */
    size_t pair;
};

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct naming_turn *)a)->when, y = ((const struct naming_turn *)b)->when;

    return x < y ? -1 : x > y;
}

static struct naming_turn *in_order(const struct hc_pairs *pairs)
{
    struct naming_turn *turn = calloc(pairs->count + 1, sizeof *turn);

    if (!turn)
        abort();
    for (size_t i = 0; i < pairs->count; i++)
        turn[i] = (struct naming_turn){ pairs->pair[i].witness.consumed - 1, i };
    qsort(turn, pairs->count, sizeof *turn, by_time);
    return turn;
}

/* One run, that stops before each place: who is on the stack is known only then. */
char **hc_power_names(struct hc_image *image, const struct hc_locate_config *config, const struct hc_located *located)
{
    struct hc_program *program = hc_program_new(image);
    const struct hc_pairs *pairs = &located->pairs;
    struct naming_turn *turn = in_order(pairs);
    char **names = (char **)calloc(pairs->count + 1, sizeof *names), name[200];

    if (!program || !names)
        abort();
    for (size_t i = 0; i < pairs->count; i++)
        if (hc_power_run_until(config->machine, turn[i].when) &&
            hc_name_address(program, config->machine, pairs->pair[turn[i].pair].witness.address, name, sizeof name))
            names[turn[i].pair] = strdup(name);
    free(turn);
    hc_program_free(program);
    return names;
}
