/* Tasks with private copies, in the style of Alpaca. A task that reads and then writes a shared variable works on a
 * private copy of it; what it wrote is copied back when the task is over. Power may fail anywhere: before the end of a
 * task it begins again, and from then on what is left of its list is copied again. The program never ends.
 *
 *     task        privatised copies ──► body ──► list of what to copy back, its length last ──► copied, next task
 *
 * Without FIX the length of the list is cleared before the next task is known: a failure in between executes the task
 * again, on what it has already committed. */
#include <kit.h>

typedef void task(void);

enum { LIST = 4 };

struct commit {
    volatile uint16_t *volatile to;
    volatile uint16_t value;
};

static void measure(void);

KIT_PERSISTENT struct commit list[LIST] = { { 0, 0 } };
KIT_PERSISTENT volatile uint16_t commits = 0; /* not yet copied; 0: the task is not over */
KIT_PERSISTENT task *volatile current = measure, *volatile next = 0;

/* Where the next entry goes. A task that begins again must fill the list anew, so this is volatile. */
static uint16_t filled;

static void write_back(volatile uint16_t *to, uint16_t value)
{
    list[filled].to = to;
    list[filled++].value = value;
}

static void finish(void)
{
    for (uint16_t i = 0; i < commits; i++)
        *list[i].to = list[i].value;
#ifdef FIX
    current = next;
    commits = 0;
#else
    commits = 0;
    current = next;
#endif
}

static void transition_to(task *to)
{
    next = to;
    commits = filled;
    finish();
}

/* ---- the program: rounds of eight measurements, and their sum ---- */

enum { ROUND = 8 };

KIT_PERSISTENT volatile uint16_t number = 0, measured = 0, sum = 0, reported = 0;

static void add(void);

static void measure(void)
{
    write_back(&measured, (uint16_t)(number * 7 + 3));
    transition_to(add);
}

__attribute__((noinline)) void report(void)
{
    write_back(&reported, sum);
    transition_to(measure);
}

static void add(void)
{
    uint16_t sum_private = sum, number_private = number;

    sum_private += measured;
    number_private++;
    write_back(&sum, sum_private);
    write_back(&number, number_private);
    transition_to(number_private % ROUND ? measure : report);
}

int main(void)
{
    if (commits)
        finish();
    for (;;) {
        filled = 0;
        current();
    }
}
