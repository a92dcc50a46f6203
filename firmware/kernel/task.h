/* Tasks: functions that run to their end, one after the other, in the order in which they were posted.
 *
 * Interrupt handlers do what cannot wait and post a task for the rest, so that nothing but handlers ever interrupts a
 * task. A task should end within a millisecond or two: everything else waits for it. */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TASK_QUEUE = 32 }; /* a power of two */

typedef void task_fn(void *argument);

/* From tasks and from handlers. A function may be in the queue more than once. False, and counted, when the queue is
 * full. */
bool task_post(task_fn *run, void *argument);

/* Runs the oldest task; false when there was none. For the kernel's loop. */
bool task_run(void);

bool task_waiting(void);

/* Tasks that the queue had no room for, since boot. */
extern uint16_t task_overflows;

#endif
