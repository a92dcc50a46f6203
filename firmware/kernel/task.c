#include "kernel/task.h"

#include "kernel/critical.h"

struct waiting_task {
    task_fn *run;
    void *argument;
};

static struct waiting_task queue[TASK_QUEUE];
static volatile uint8_t oldest, count;

uint16_t task_overflows;

bool task_post(task_fn *run, void *argument)
{
    uint16_t state = critical_enter();
    bool room = count < TASK_QUEUE;
    if (room) {
        queue[(uint8_t)(oldest + count) % TASK_QUEUE] = (struct waiting_task){ run, argument };
        count++;
    } else {
        task_overflows++;
    }
    critical_leave(state);
    return room;
}

bool task_run(void)
{
    uint16_t state = critical_enter();
    bool found = count > 0;
    struct waiting_task next = queue[oldest];
    if (found) {
        oldest = (oldest + 1) % TASK_QUEUE;
        count--;
    }
    critical_leave(state);
    if (found)
        next.run(next.argument);
    return found;
}

bool task_waiting(void)
{
    return count > 0;
}
