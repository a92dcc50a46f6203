/* The kit of firmware/: hc_update after each task and before the CPU sleeps. The bus is ours when nobody has it: tasks,
 * which alone use it, do not run meanwhile. While the radio is on we keep off it, as long as the buffers last: a task
 * that reads a frame would have to wait for us. */
#define __HINDCAST__ 1 /* the recorder is there */
#include "hindcast.h"
#include "port.h"

#include <stddef.h>
#include <stdint.h>

void kernel_idle(void);
void kernel_task_done(void);

/* Programs without radio or bus do not have these. */
extern const volatile uint8_t cc2420_state __attribute__((weak));
extern void *const volatile spi_owner __attribute__((weak));
enum { CC2420_ON = 5 };

bool hc_port_may_write(bool urgent)
{
    if (&spi_owner && spi_owner)
        return false;
    return urgent || !&cc2420_state || cc2420_state != CC2420_ON;
}

void kernel_idle(void)
{
    hc_update();
}

void kernel_task_done(void)
{
    hc_update();
}
