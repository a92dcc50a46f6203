/* Low-power listening: the radio sleeps, and looks at the channel once in a wake-up interval.
 *
 *     sender      ____|frame|ack?|frame|ack?|frame|ack!|____________     for one interval, or until acknowledged
 *     receiver    _________________|CCA|  frame   |ack | linger |___
 *
 * A receiver that finds energy stays on until a frame has come, and a little longer for the next one. Broadcasts are
 * repeated for the whole interval. With interval 0 the radio is always on and a frame is sent once, as in csma.h. */
#ifndef NET_LPL_H
#define NET_LPL_H

#include "net/csma.h"

#ifndef LPL_INTERVAL
#define LPL_INTERVAL 0 /* milliseconds; a build option: what both intervals are at boot */
#endif

/* How often this node looks at the channel; 0: always on. In milliseconds. */
void lpl_set_wakeup(uint16_t ms);

/* How often the nodes that this one sends to do. */
void lpl_set_neighbours(uint16_t ms);

/* ---- for active messages ---- */

void lpl_init(const struct cc2420_config *config, const struct csma_events *events);
void lpl_start(void);
void lpl_stop(void);

/* Sends FRAME, which must stay until events->sent. Radio and neighbours may be asleep. One at a time. */
void lpl_send(const uint8_t *frame);

/* Frames that were received before, and dropped. */
extern uint16_t lpl_duplicates;

#endif
