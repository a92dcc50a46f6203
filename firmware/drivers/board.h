/* The TelosB as a whole: what has to be done once after reset, and who this node is. */
#ifndef DRIVERS_BOARD_H
#define DRIVERS_BOARD_H

#include <stdint.h>

/* The node's id, 0 to 0xfffe. Installers patch the image's initial value; if it is left at 0xffff, board_start takes
 * the low 16 bits of the DS2411's serial number, or 1 where nobody answers. */
extern uint16_t node_id;

/* Pins, clocks, timers, node id, seed of random numbers. The first call in main. */
void board_start(void);

#endif
