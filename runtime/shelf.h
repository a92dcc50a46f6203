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

/* Moves the spare page to the shelf, so that another one may be put there. False: there is no room. */
bool hc_shelf_put(void);

/* The shelf is not empty: programs its oldest page. The log is ready. */
void hc_shelf_write(void);

/* ---- after a reset ---- */

/* Whether the shelf looks as it should; then also where memory begins that is not its. The spare page may have been
 * moved there just then. */
bool hc_shelf_find(uint16_t *end);
/* Writes what is not in the log yet, which is open. A page that is not whole is not written, nor what comes behind it:
 * false then. Nothing is changed that a second reset needs. */
bool hc_shelf_rescue(void);
/* Whether the log, which is open, has a page of that number. */
bool hc_shelf_is_in_log(uint16_t number);

/* A number that no page has for long. */
#define HC_SHELF_NO_NUMBER(next) ((uint16_t)((next) + 0x4000))

#endif
