/* The shelf: pages that wait for a sink that is busy, an erase of a second or more, in memory that no section lies in
 * and the stack never reached. One behind the other from its beginning:
 *
 *     | length 1 | stream 1 | segment 2 | number 2 | sum 2 | payload, of whole words | next page
 *       ^ shelf                                                                        ... ^ shelf_end
 *
 * number: of the page in the log, once it is being written. sum: of the words without number and itself. Both variables
 * are 0 when there is none, and HC_RAM_FLAG_SHELF is not set. The spare page is younger than all of them. A checkpoint
 * needs the same memory: it begins when the shelf is empty, and no page goes there meanwhile.
 *
 * A program whose stack gets there is noticed by the sum: from that page on the segment is void. A reset finds the
 * pages, and those that are not in the log yet are written then. */
#ifndef HC_SHELF_H
#define HC_SHELF_H

#include <stdbool.h>
#include <stdint.h>

/* Moves the spare page to the shelf to make room for another. Returns false if there is no room. */
bool hc_shelf_put(void);

/* Its memory is used again only when all of it has been written: so it should not get full where pages could be
 * written. */
bool hc_shelf_is_half_full(void);

/* Programs the oldest page of the shelf, which must not be empty. The log must be ready. */
void hc_shelf_write(void);

/* ---- after a reset ---- */

/* Whether the shelf is consistent; if so, also where other memory starts. The spare page may just have been moved
 * there. */
bool hc_shelf_find(uint16_t *end);
/* Writes the pages that are not in the log yet; the log must be open. An incomplete page and everything after it are
 * not written: returns false then. Changes nothing that a second reset needs. */
bool hc_shelf_rescue(void);
/* Whether the log, which must be open, contains the page of that number. */
bool hc_shelf_is_in_log(uint16_t number);

/* A number that no page will have for long. */
#define HC_SHELF_NO_NUMBER(next) ((uint16_t)((next) + 0x4000))

#endif
