/* What the recorder asks of the system that it is built into. A port is this, and a call of hc_update in the main loop:
 * see docs/porting.md.
 *
 * The function is called from hc_update while the program stands still, except for its interrupt handlers. It must not
 * change anything of the program's, nor call functions of the program that were built by `hindcast cc`: looking at
 * variables and registers is all it may do. */
#ifndef HC_PORT_H
#define HC_PORT_H

#include <stdbool.h>

/* Whether the sink may be used now: false while the program, a handler included, uses the bus or the chip that the
 * sink is on. URGENT: buffers are nearly full: refuse only if the bus is in use. */
bool hc_port_may_write(bool urgent);

#endif
