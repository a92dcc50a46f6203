/* The log: pages one after the other, round a ring of sectors.
 *
 *     | sector              | sector              |                     | sector                     |
 *     | c c c C e e e ... e | e c c c C e e place |   erased ahead      | ...                 freeze |
 *
 * c, C: a checkpoint's memory and its commit, e: events. Every sector gets a checkpoint soon after its beginning, so
 * that the log is of use wherever it begins. The next sector is erased when half of this one is used, and no sector is
 * begun that was not erased since the start: an erase that was cut short may have left anything. The very last page is
 * the freeze mark's: anything in it means that the log is frozen, and nothing is erased any more.
 *
 * The log's variables are next, place, erased and flags of struct hc_recorder. All functions want the sink open. They
 * are called on the recorder's stack, with interrupts as the program has them. */
#ifndef HC_LOG_H
#define HC_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HC_LOG_SKIPPED = 2
}; /* the first page after a reset is so many after the last: one of a torn page, or the mark */

/* True when a page could be programmed now, or none ever (HC_RAM_FLAG_FULL). False: the sink is busy, has just been
 * told to erase, or it has just been asked whether the page is blank; one that is not is passed over. Finds the end of
 * the log first if need be (HC_RAM_FLAG_OPENED): `next` is the header of the next page then, `place` where it goes,
 * `segment` and `present` are set. */
bool hc_log_ready(void);

/* Programs a page with LENGTH bytes, at least one. Waits until the log is ready, which it was once before, but not for
 * ever: a page that a dead sink does not take is lost. A mark freezes the log: it goes to the log's last page, where it
 * is found after a reset. Nothing is written in a log that is full. */
void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length);

/* The same with memory from AT up to END, in as many pages as it takes. */
void hc_log_write_stretch(uint8_t stream, uint16_t segment, uint16_t at, uint16_t end);

/* Writes the page that has waited longest: the oldest of the shelf, or, if that is empty, the spare one, if there is
 * one. */
void hc_log_flush(void);

/* When half of a sector is used, erasing the next one begins, once. The log is ready; it may not be afterwards. */
void hc_log_erase_ahead(void);

#endif
