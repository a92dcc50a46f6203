/* What the recorder asks of the system that it is built into. A port is this function, and a call of hc_update in the
 * main loop: see docs/porting.md.
 *
 * It is called from hc_update while the program waits, except for its interrupt handlers. It must not change anything
 * that belongs to the program, nor call functions that were built by `hindcast cc`. It may only read variables and
 * registers. */
#ifndef HC_PORT_H
#define HC_PORT_H

#include <stdbool.h>

/* Whether the sink may be used now. Return false while the program, including its handlers, uses the sink's bus or
 * chip. URGENT: buffers are nearly full; refuse only if the bus is in use. */
bool hc_port_may_write(bool urgent);

#endif
