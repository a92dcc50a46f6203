#include "drivers/spi.h"

#include "kernel/task.h"

#include <kit.h>

enum { SIMO = BIT1, SOMI = BIT2, UCLK = BIT3 };

struct spi_client *spi_owner;
static struct spi_client *queue; /* those who wait, the oldest first */

void spi_init(void)
{
    P3SEL |= SIMO | SOMI | UCLK;
    U0CTL = SWRST;
    U0CTL |= CHAR | SYNC | MM;
    U0TCTL = CKPH | SSEL1 | SSEL0 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

/* ---- arbitration ---- */

/* The client may have used the bus, and released it, since it was made the spi_owner: then there is nothing to grant.
 */
static void grant(void *argument)
{
    struct spi_client *c = argument;
    if (spi_owner != c || !c->waiting)
        return;
    c->waiting = false;
    c->granted();
}

static void own(struct spi_client *c)
{
    spi_owner = c;
    task_post(grant, c);
}

bool spi_acquire(struct spi_client *c)
{
    if (!spi_owner)
        spi_owner = c;
    return spi_owner == c;
}

void spi_request(struct spi_client *c)
{
    if (c->waiting)
        return;
    c->waiting = true;
    c->next = NULL;
    if (!spi_owner) {
        own(c);
        return;
    }
    struct spi_client **last = &queue;
    while (*last)
        last = &(*last)->next;
    *last = c;
}

void spi_release(struct spi_client *c)
{
    if (spi_owner != c)
        return;
    c->waiting = false;
    spi_owner = NULL;
    if (queue) {
        struct spi_client *next = queue;
        queue = next->next;
        own(next);
    }
}

/* ---- bytes ---- */

static void shift(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
}

uint8_t spi_exchange(uint8_t out)
{
    shift(out);
    return U0RXBUF;
}

void spi_put(uint8_t out)
{
    shift(out);
    (void)U0RXBUF; /* which clears URXIFG0 */
}

void spi_write(const void *from, uint16_t count)
{
    for (const uint8_t *p = from; count; count--)
        spi_put(*p++);
}

void spi_read(void *to, uint16_t count)
{
    for (uint8_t *p = to; count; count--)
        *p++ = spi_exchange(0);
}
