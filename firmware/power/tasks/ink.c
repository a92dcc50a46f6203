/* Threads of tasks that events wake, in the style of InK. A thread has its variables twice: the task at hand works on a
 * copy, and when it is over the copy becomes the original. A timer posts the event; between events the node sleeps.
 * Power may fail anywhere: the task at hand begins again. The program never ends.
 *
 *     thread      word: which of its tasks is next, and which of its two buffers is the original
 *
 * Both change in one write. Without FIX they are two words: a failure in between executes the task again, on its own
 * results. */
#include <kit.h>

enum { ROUND = 8, PERIOD = 400 };

struct variables {
    volatile uint16_t number, measured, sum, reported;
};

enum next { MEASURE, ADD, REPORT, SLEEP };

KIT_PERSISTENT struct variables buffer[2] = { { 0, 0, 0, 0 } };
#ifdef FIX
KIT_PERSISTENT volatile uint16_t state = MEASURE << 1; /* and the number of the original buffer in bit 0 */
#else
KIT_PERSISTENT volatile uint16_t next = MEASURE, original = 0;
#endif

static uint16_t next_task(void)
{
#ifdef FIX
    return state >> 1;
#else
    return next;
#endif
}

static uint16_t original_buffer(void)
{
#ifdef FIX
    return state & 1;
#else
    return original;
#endif
}

static void commit(uint16_t task)
{
#ifdef FIX
    state = (uint16_t)(task << 1 | (original_buffer() ^ 1));
#else
    original = original_buffer() ^ 1;
    next = task;
#endif
}

/* The event has come; the variables stay as they are. */
static void wake(void)
{
#ifdef FIX
    state = (uint16_t)(MEASURE << 1 | original_buffer());
#else
    next = MEASURE;
#endif
}

/* ---- tasks: each returns which one is next ---- */

static uint16_t measure(struct variables *v)
{
    v->measured = (uint16_t)(v->number * 7 + 3);
    return ADD;
}

static uint16_t add(struct variables *v)
{
    v->sum += v->measured;
    v->number++;
    return v->number % ROUND ? SLEEP : REPORT;
}

__attribute__((noinline)) uint16_t report(struct variables *v)
{
    v->reported = v->sum;
    return SLEEP;
}

/* ---- the kernel ---- */

static void execute(void)
{
    static uint16_t (*const tasks[])(struct variables *) = { measure, add, report };
    struct variables *copy = &buffer[original_buffer() ^ 1];

    *copy = buffer[original_buffer()];
    commit(tasks[next_task()](copy));
}

/* The event: whatever the thread sleeps for has happened. */
KIT_INTERRUPT(TIMER0_A0_VECTOR) void ticked(void)
{
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    TA0CCR0 = PERIOD;
    TA0CCTL0 = CCIE;
    TA0CTL = TASSEL_2 | MC_1; /* SMCLK, up */
    for (;;) {
        while (next_task() != SLEEP)
            execute();
        kit_sleep(CPUOFF | GIE);
        kit_disable_interrupts();
        wake();
    }
}
