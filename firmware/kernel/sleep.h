/* The main loop: run tasks; when there are none, sleep as deeply as the clocks in use allow. */
#ifndef KERNEL_SLEEP_H
#define KERNEL_SLEEP_H

#include "kernel/task.h"

#include <kit.h>

/* Never returns. Called by main after everything has been started. Enables interrupts. */
void kernel_run(void) __attribute__((noreturn));

/* Called with interrupts enabled each time the tasks have run out, before sleeping. Does nothing unless something else
 * defines it. If it posts tasks they run before the CPU sleeps. */
void kernel_idle(void);

/* The same after each task, and in the longer steps of the start-up. */
void kernel_task_done(void);

/* Between hold and release SMCLK keeps running while the CPU sleeps (LPM0 instead of LPM3). Calls are counted. From
 * any context. */
void kernel_hold_smclk(void);
void kernel_release_smclk(void);

/* True when the CPU must not go back to sleep as it was: a task waits, or a deeper sleep is no longer right. */
bool kernel_must_wake(void);

/* The last statement of every interrupt handler. */
#define KERNEL_HANDLER_END()    \
    do {                        \
        if (kernel_must_wake()) \
            KIT_WAKE_ON_EXIT(); \
    } while (0)

#endif
