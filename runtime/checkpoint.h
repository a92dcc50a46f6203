/* Checkpoints: the state in which a segment begins, as pages of records (FORMAT.md)
 *
 *     | address 2 | length 2 | bytes |     later ones override earlier ones; what none names is zero
 *
 * The program must not wait until all that is written: a checkpoint takes many updates, as a virtual machine is moved
 * to another host while it runs.
 *
 *     copy      each update copies some memory into a page, with two sums over each block of it kept in a table
 *     last      with interrupts off: the sums are made again, and blocks that differ are copied to where the table
 * ends, behind the registers of the CPU and of peripherals. Here the segment begins write     each update writes a page
 * of these, in the end one that makes the checkpoint valid clear     table and copies become zero again
 *
 * The last step has a limit, of memory and of time. Beyond it there is a second pass: blocks that differ from the table
 * are copied once more, and after another failure a third: those that differ even then are hot, and the last step
 * copies them without looking. If that is too much, too, the checkpoint is given up. Then the segment goes on; after a
 * loss another attempt is made, much later.
 *
 * The table and the last copies lie in memory that no section lies in, below anything that the stack ever reached:
 *
 *     free                                   lowest                                    end of free
 *       | sums | registers, changed blocks |   | 0 0 0 | the stack, as deep as it ever was |
 *       ^ free ^ start                     ^ made
 *
 * A program whose stack gets there meanwhile is noticed by a sum: the segment is void, and another checkpoint is taken.
 *
 * Variables: page to pass of struct hc_recorder. `copied` is the place in struct hc_link of the piece under way, or
 * one of these. */
#ifndef HC_CHECKPOINT_H
#define HC_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

enum { HC_COPIED_NONE, HC_COPIED_ALL, HC_COPIED_CLEAR, HC_COPIED_AGAIN };

/* `pass`: nothing is in a page yet; all of memory is copied; what changed is; what changed is marked in the table, with
 * both of its sums HC_HOT. And the beginning of a life, for which interrupts are off: what does not fit is written. */
enum { HC_PASS_FIRST, HC_PASS_ALL, HC_PASS_AGAIN, HC_PASS_HOT, HC_PASS_BOOT };
enum { HC_HOT = 0xffff };

enum { HC_CHECKPOINT_PATIENCE = 32 }; /* calls between two attempts, at most, unless one was given up */

/* A checkpoint is wanted: begins it, or not yet. A node that has no time for it must not spend all of its time on it:
 * attempts are made at calls 1, 2, 4, 8, 16, 32, 64, 96... since a segment had a page of events before the next one
 * began; after one that was given up at calls 64, 128, 256... */
void hc_checkpoint_begin(void);

/* Copies the next blocks, HC_COPIED_AGAIN < copied, each with interrupts off. Programs a page, unless nothing changed;
 * the log is ready. */
void hc_checkpoint_copy(void);

/* The last step, copied == HC_COPIED_ALL. The sink is closed: its registers are the program's. Tries again at the next
 * update where an interrupt comes: false then. */
bool hc_checkpoint_last(void);

/* The beginning that waits (made != 0): programs its next page, or in the end the one that makes it valid. The log is
 * ready. */
void hc_checkpoint_write(void);

/* copied == HC_COPIED_CLEAR or HC_COPIED_AGAIN: makes memory zero again, up to the table if that is still needed. */
void hc_checkpoint_clear(void);

/* ---- after a reset, with interrupts off ---- */

/* Where the beginning ends that waited in memory when the reset came, if it is whole; else 0. Neither does it count
 * while entries of the ring are of the segment before, unless that ended with a gap (CROSSED_GAP): it goes on, then. */
uint16_t hc_checkpoint_waiting(bool crossed_gap);
/* Writes what was not written of it, as SEGMENT's. The log is open. BEGUN: the page that was being written when the
 * reset came is there. */
void hc_checkpoint_write_waiting(uint16_t segment, bool begun);

/* Makes the beginning of a segment, of what outlives a reset; unused memory is zero. CAUSE and FOUND are the boot
 * page's. */
void hc_checkpoint_boot(uint16_t cause, uint16_t found);
/* Writes it, with the log open and ready. Otherwise it waits, as others do. */
void hc_checkpoint_boot_write(void);
/* The program begins: what could only wait in the ring is lost. */
void hc_checkpoint_boot_end(void);

#endif
