/* A program on the TelosB whose drivers share USART0 among radio and flash chip: TinyOS, Contiki. Whoever uses the bus
 * has selected a chip: so the pins tell, whatever the program's own variables for it are called.
 *
 * A handler may take the bus while the sink is open: the sink gives it back whenever interrupts are on
 * (HC_SINK_YIELDS). */
#include "port.h"
#include "sink.h"

#include <stdint.h>

#define REGISTER8(address) (*(volatile uint8_t *)(address))

enum {
    P4OUT = 0x1d,
    P4DIR = 0x1e,
    ME1 = 0x04,
    U0TCTL = 0x71,
    USPIE0 = 0x40, /* ME1 */
    TXEPT = 0x01,  /* U0TCTL */
};

bool hc_port_may_write(bool urgent)
{
    uint8_t selected = REGISTER8(P4DIR) & (uint8_t)~REGISTER8(P4OUT) & HC_SINK_SELECTS;

    (void)urgent;
    return !selected && (!(REGISTER8(ME1) & USPIE0) || REGISTER8(U0TCTL) & TXEPT);
}
