/* Where pieces of pages go: the same sinks and areas as sink.h has them, but a page is programmed piece by piece, so
 * that RAM need not hold one. A piece is at most 254 bytes. All of it with the sink open. */
#ifndef HC_TRAFFIC_SINK_H
#define HC_TRAFFIC_SINK_H

#include "../sink.h"

enum { HC_SINK_KEPT = 12 }; /* bytes, for what the program had set */

/* True: it is ready, and the following may be called. Else only hc_piece_close. */
bool hc_piece_open(uint8_t kept[HC_SINK_KEPT]);
/* Everything as before. False: the sink is at work, and should be opened and closed again later, to rest. */
bool hc_piece_close(const uint8_t kept[HC_SINK_KEPT]);

void hc_piece_erase(uint16_t page);
/* HEAD, SIZE bytes, and the check of all of them, from OFFSET of PAGE on. Waits until the sink is ready, but not for
 * ever. */
void hc_piece_write(uint16_t page, uint8_t offset, uint8_t head, const uint8_t *bytes, uint8_t size);
/* The first SIZE bytes of PAGE. */
void hc_piece_read(uint16_t page, uint8_t *bytes, uint8_t size);

#endif
