/* Tasks and channels, in the style of Chain. A program is a chain of tasks; what one task leaves to another, or to
 * itself, goes through a channel. Power may fail anywhere: the task at hand then begins again. The program never ends.
 *
 *     context    which task, and when: one pointer says which of two contexts is valid, so that a transition is one
 * write channel    two fields, each with the time at which it was written: a task reads the newest that is not from its
 *                own future, and writes the other one
 *
 * Without FIX the sum is one field, read and written by the same task: executed again, it counts twice. */
#include <kit.h>

typedef void task(void);

struct context {
    task *volatile run;
    volatile uint16_t time;
};

struct field {
    volatile uint16_t value, time;
};

struct channel {
    struct field field[2];
};

static void measure(void);

KIT_PERSISTENT struct context context[2] = { { measure, 1 }, { measure, 0 } };
KIT_PERSISTENT struct context *volatile current = &context[0];

static const struct field *newest(const struct channel *c)
{
    const struct field *a = &c->field[0], *b = &c->field[1];

    if (a->time > current->time)
        return b;
    return b->time > current->time || b->time < a->time ? a : b;
}

static uint16_t channel_in(const struct channel *c)
{
    return newest(c)->value;
}

static void channel_out(struct channel *c, uint16_t value)
{
    struct field *f = &c->field[newest(c) == &c->field[0]];

    f->value = value;
    f->time = current->time + 1;
}

static void transition_to(task *next)
{
    struct context *other = current == &context[0] ? &context[1] : &context[0];

    other->run = next;
    other->time = current->time + 1;
    current = other;
}

/* ---- the program: rounds of eight measurements, and their sum ---- */

enum { ROUND = 8 };

KIT_PERSISTENT struct channel number = { { { 0, 0 }, { 0, 0 } } }, measured = { { { 0, 0 }, { 0, 0 } } };
#ifdef FIX
KIT_PERSISTENT struct channel sum = { { { 0, 0 }, { 0, 0 } } };
#define SUM channel_in(&sum)
#define SET_SUM(value) channel_out(&sum, (value))
#else
KIT_PERSISTENT volatile uint16_t sum = 0;
#define SUM sum
#define SET_SUM(value) (sum = (value))
#endif
KIT_PERSISTENT volatile uint16_t reported = 0;

static void add(void);

static void measure(void)
{
    channel_out(&measured, (uint16_t)(channel_in(&number) * 7 + 3));
    transition_to(add);
}

__attribute__((noinline)) void report(void)
{
    reported = SUM;
    transition_to(measure);
}

static void add(void)
{
    uint16_t next = channel_in(&number) + 1;

    SET_SUM(SUM + channel_in(&measured));
    channel_out(&number, next);
    transition_to(next % ROUND ? measure : report);
}

int main(void)
{
    for (;;)
        current->run();
}
