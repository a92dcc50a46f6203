#include "kernel/sleep.h"

#include "kernel/critical.h"

static volatile uint8_t smclk_users;
static volatile bool depth_changed; /* since the CPU went to sleep */
#ifdef __HINDCAST__
static volatile uint8_t handled; /* interrupts since the last kernel_idle */
enum { HANDLED_MAX = 8 };
#endif

__attribute__((weak)) void kernel_idle(void)
{
}

__attribute__((weak)) void kernel_task_done(void)
{
}

void kernel_hold_smclk(void)
{
    uint16_t state = critical_enter();
    smclk_users++;
    depth_changed = true;
    critical_leave(state);
}

void kernel_release_smclk(void)
{
    uint16_t state = critical_enter();
    smclk_users--;
    depth_changed = true;
    critical_leave(state);
}

bool kernel_must_wake(void)
{
#ifdef __HINDCAST__
    if (++handled >= HANDLED_MAX)
        return true; /* the recorder needs its turn in kernel_idle */
#endif
    return task_waiting() || depth_changed;
}

/* Interrupts stay disabled from the last look at the queue until the instruction that both enables them and stops the
 * CPU: no task can be posted in between and sleep through. */
static void sleep_unless_needed(void)
{
    kit_disable_interrupts();
    depth_changed = false;
    if (task_waiting())
        kit_enable_interrupts();
    else
        kit_sleep((smclk_users ? LPM0_bits : LPM3_bits) | GIE);
}

void kernel_run(void)
{
    kit_enable_interrupts();
    for (;;) {
        while (task_run())
            kernel_task_done();
#ifdef __HINDCAST__
        handled = 0;
#endif
        kernel_idle();
        sleep_unless_needed();
    }
}
