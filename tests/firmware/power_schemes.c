/* A checkpointing scheme that a test puts together: checkpoint() and restore() execute lists of steps, which the test
 * writes into `saving` and `restoring` before the program runs. Rounds of work on `state`, in SRAM; what a round leaves
 * in FRAM is written before it is read, but for `total`, which is versioned: part of the checkpoint. */
#include <kit.h>

enum { ROUNDS = 4, WORDS = 3, STEPS = 16 };
enum step { END, INVALIDATE, WRITE_0, WRITE_1, WRITE_2, VALIDATE, SELECT, SUM };
enum back { B_END, CHECK_VALID, CHECK_SUM, READ_0, READ_1, READ_2, READ_UNCHECKED };

struct image {
    volatile uint16_t word[WORDS], valid, sum;
};

KIT_PERSISTENT volatile uint8_t saving[STEPS] = { 1 }, restoring[STEPS] = { 1 };
KIT_PERSISTENT volatile uint16_t images = 1; /* or 2, used in turn */
KIT_PERSISTENT struct image image[2] = { { { 1 }, 0, 1 } };
KIT_PERSISTENT volatile uint16_t selected = 0, taken = 0;
KIT_PERSISTENT volatile uint16_t history[ROUNDS] = { 1 }, total = 0;

static volatile uint16_t state[WORDS]; /* round, value, total */

static uint16_t sum_of(const struct image *i)
{
    return (uint16_t)(i->word[0] * 3 + i->word[1] * 5 + i->word[2] * 7 + 1);
}

__attribute__((noinline)) void checkpoint(void)
{
    uint16_t to = images == 2 ? selected ^ 1 : 0;

    for (uint16_t i = 0; i < STEPS && saving[i] != END; i++) {
        uint8_t step = saving[i];
        if (step == INVALIDATE)
            image[to].valid = 0;
        else if (step == VALIDATE)
            image[to].valid = 1;
        else if (step == SELECT)
            selected = to;
        else if (step == SUM)
            image[to].sum = sum_of(&image[to]);
        else
            image[to].word[step - WRITE_0] = state[step - WRITE_0];
    }
}

/* All words, or what the program starts with. */
__attribute__((noinline)) void restore(void)
{
    const struct image *from = &image[images == 2 ? selected : 0];

    state[0] = 0;
    state[1] = 1;
    state[2] = 0;
    for (uint16_t i = 0; i < STEPS && restoring[i] != B_END; i++) {
        uint8_t step = restoring[i];
        if (step == CHECK_VALID && !from->valid)
            return;
        if (step == CHECK_SUM && from->sum != sum_of(from))
            return;
        if (step >= READ_0 && step <= READ_2)
            state[step - READ_0] = from->word[step - READ_0];
    }
}

int main(void)
{
    restore();
    while (state[0] < ROUNDS) {
        state[1] = (uint16_t)(state[1] * 3 + state[0]);
        history[state[0]] = state[1];
        state[2] += state[1];
        state[0]++;
        checkpoint();
    }
    total = state[2];
    return (int)total;
}
