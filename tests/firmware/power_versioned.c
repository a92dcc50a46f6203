/* A scheme with a versioned variable, put together by a test: checkpoint() and restore() execute lists of steps, which
 * the test writes into `saving` and `restoring` before the program runs. `total` is the application's and in FRAM: it
 * is read and written in each round, and restore() brings its copy back. `rounds_begun` is in FRAM as well and nobody's
 * concern: it counts what was begun, failures included. */
#include <kit.h>

enum { ROUNDS = 3, STEPS = 12 };
enum step { END, INVALIDATE, WRITE_ROUND, WRITE_VALUE, WRITE_TOTAL, VALIDATE, SELECT };
enum back { B_END, CHECK_VALID, READ_ROUND, READ_VALUE, READ_TOTAL };

struct image {
    volatile uint16_t number, round, value, total, valid;
};

KIT_PERSISTENT volatile uint8_t saving[STEPS] = { 1 }, restoring[STEPS] = { 1 };
KIT_PERSISTENT volatile uint16_t images = 1; /* or 2, used in turn */
KIT_PERSISTENT struct image image[2] = { { 1, 0, 0, 0, 0 }, { 2, 0, 0, 0, 0 } };
KIT_PERSISTENT volatile uint16_t selected = 0;
KIT_PERSISTENT volatile uint16_t total = 0, rounds_begun = 0;

static volatile uint16_t round, value;

__attribute__((noinline)) void checkpoint(void)
{
    uint16_t to = images == 2 ? selected ^ 1 : 0;

    for (uint16_t i = 0; i < STEPS && saving[i] != END; i++) {
        uint8_t step = saving[i];
        if (step == INVALIDATE)
            image[to].valid = 0;
        else if (step == WRITE_ROUND)
            image[to].round = round;
        else if (step == WRITE_VALUE)
            image[to].value = value;
        else if (step == WRITE_TOTAL)
            image[to].total = total;
        else if (step == VALIDATE)
            image[to].valid = 1;
        else if (step == SELECT)
            selected = to;
    }
}

__attribute__((noinline)) void restore(void)
{
    const struct image *from = &image[images == 2 ? selected : 0];

    round = 0;
    value = 1;
    for (uint16_t i = 0; i < STEPS && restoring[i] != B_END; i++) {
        uint8_t step = restoring[i];
        if (step == CHECK_VALID && !from->valid) {
            total = 0;
            return;
        }
        if (step == READ_ROUND)
            round = from->round;
        else if (step == READ_VALUE)
            value = from->value;
        else if (step == READ_TOTAL)
            total = from->total;
    }
}

int main(void)
{
    restore();
    while (round < ROUNDS) {
        rounds_begun++;
        value = (uint16_t)(value * 3 + round);
        total += value;
        round++;
        checkpoint();
    }
    return 0; /* what is wrong is to be seen in memory alone */
}
