/* The kit of firmware/: hc_update before the CPU sleeps, and after each task if need be. The bus is ours when nobody
 * has it: tasks, which alone use it, do not run meanwhile. While the radio is on we keep off it, as long as the buffers
 * last, and while it is on for a moment off the CPU too: whatever has to wait for us makes it stay on for longer. */
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
enum { CC2420_CRYSTAL = 3, CC2420_ON = 5 };

bool hc_port_may_write(bool urgent)
{
    if (&spi_owner && spi_owner)
        return false;
    return urgent || !&cc2420_state || cc2420_state != CC2420_ON;
}

/* A radio that is on for so many calls is on for good, or busy. */
enum { PATIENCE = 32 };
static uint8_t patience;

void kernel_idle(void)
{
    if (!&cc2420_state || cc2420_state < CC2420_CRYSTAL) {
        patience = PATIENCE;
    } else if (patience) {
        patience--;
        hc_update_later();
        return;
    }
    hc_update();
}

void kernel_task_done(void)
{
    hc_update_later();
}
