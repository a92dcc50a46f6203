/* The log: pages one after the other, round a ring of sectors.
 *
 *     | sector              | sector              |                     | sector                     |
 *     | c c c C e e e ... e | e c c c C e e place |   erased ahead      | ...                 freeze |
 *
 * c, C: a checkpoint's memory and its commit, e: events. Every sector gets a checkpoint soon after its beginning, so
 * that the log is of use wherever it begins. The next sector is erased when half of this one is used, and no sector is
 * begun that was not erased since the start, unless RAM knows better: an erase that was cut short may have left
 * anything. The very last page is
 * the freeze mark's: anything in it means that the log is frozen, and nothing is erased any more.
 *
 * The log's variables are next, place, erased and flags of struct hc_recorder. All functions want the sink open. They
 * are called on the recorder's stack, with interrupts as the program has them. */
#ifndef HC_LOG_H
#define HC_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HC_LOG_SKIPPED = 2, /* the first page after a reset is this many after the last: one for a torn page, or the mark */
    HC_LOG_LOOK = 16,   /* how many bytes are checked of a page that is probably blank */
};

/* True if a page can be programmed now, or never again (HC_RAM_FLAG_FULL). False: the sink is busy, has just started to
 * erase, or all of a page has just been checked; a page that is not blank is skipped. Finds the end of the log
 * first if necessary (HC_RAM_FLAG_OPENED): then `next` is the header of the next page, `place` its address, and
 * `segment` and `present` are set. */
bool hc_log_ready(void);

/* Programs a page with LENGTH bytes, at least one. Waits until the log is ready again, with a limit: a page that a dead
 * sink does not accept is lost. A mark freezes the log; it goes to the log's last page, where it is found after a
 * reset. Nothing is written to a full log. */
void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length);

/* The same for memory from AT to END, in as many pages as necessary. */
void hc_log_write_stretch(uint8_t stream, uint16_t segment, uint16_t at, uint16_t end);

/* Writes the page that has waited longest: the oldest of the shelf or, if that is empty, the spare one, if there is
 * one. If pages are programmed in pieces (HC_SINK_YIELDS) and the ring has room, writes only one piece. */
void hc_log_flush(void);

/* Whether a page is half written. */
bool hc_log_is_writing(void);
/* That page will not be completed. */
void hc_log_give_up(void);

/* When half of a sector is used, starts to erase the next one, once. The log must be ready; it may be busy afterwards.
 */
void hc_log_erase_ahead(void);

/* ---- after a reset that RAM has survived, before the log is opened ---- */

/* Whether the sector behind the one that pages went to is blank: its erase had ended, and no page was begun there. */
bool hc_log_has_blank_ahead(void);

#endif
