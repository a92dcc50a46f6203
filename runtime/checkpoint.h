/* Checkpoints: the state at the start of a segment, as pages of records (FORMAT.md)
 *
 *     | address 2 | length 2 | bytes |     later records override earlier ones; memory in no record is zero
 *
 * The program must not wait until all of it is written, so a checkpoint takes many updates, like the live migration of
 * a virtual machine:
 *
 * - copy: each update copies some memory into a page, and stores two sums of each block in a table;
 * - last: with interrupts disabled, the sums are computed again, and blocks that differ are copied to the end of the
 * table, after the registers of the CPU and of peripherals. The segment begins here;
 * - write: each update writes a page of these copies, and finally the page that makes the checkpoint valid;
 * - clear: table and copies are zeroed again.
 *
 * The last step is limited in memory and time. If it exceeds a limit there is a second pass, which copies the blocks
 * that differ from the table again, and then a third: blocks that differ even then are hot, and the last step copies
 * them without comparing. If that is still too much, the checkpoint is abandoned and the segment continues; after a
 * loss of events another attempt is made, much later.
 *
 * The table and the last copies are in memory that belongs to no section, below the lowest address the stack has
 * reached:
 *
 *     free                                   lowest                                    end of free
 *       | sums | registers, changed blocks |   | 0 0 0 | the stack, as deep as it ever was |
 *       ^ free ^ start                     ^ made
 *
 * If the stack grows into it meanwhile, a sum detects that: the segment is void, and another checkpoint is taken.
 *
 * Variables: page to pass of struct hc_recorder. `copied` is the address in struct hc_link of the current piece, or one
 * of these. */
#ifndef HC_CHECKPOINT_H
#define HC_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

enum { HC_COPIED_NONE, HC_COPIED_ALL, HC_COPIED_CLEAR, HC_COPIED_AGAIN };

/* `pass`: no page yet; all memory is copied; changed blocks are copied; changed blocks are marked in the table, with
 * both sums HC_HOT. And the start of a boot, for which interrupts are disabled: what does not fit is written. */
enum { HC_PASS_FIRST, HC_PASS_ALL, HC_PASS_AGAIN, HC_PASS_HOT, HC_PASS_BOOT };
enum { HC_HOT = 0xffff };

enum { HC_CHECKPOINT_PATIENCE = 32 }; /* maximum number of calls between two attempts, unless one was abandoned */

/* A checkpoint is wanted: starts it, or postpones it. A node without time for it must not spend all its time on
 * attempts. They are made at calls 1, 2, 4, 8, 16, 32, 64, 96... since the last segment that had a page of events;
 * after an abandoned one at calls 64, 128, 256... */
void hc_checkpoint_begin(void);

/* Copies the next blocks, HC_COPIED_AGAIN < copied, each with interrupts disabled. Programs a page, unless nothing
 * changed. The log must be ready. */
void hc_checkpoint_copy(void);

/* The last step, copied == HC_COPIED_ALL. The sink must be closed, so that its registers are the program's. Returns
 * false if an interrupt came: the next update tries again. */
bool hc_checkpoint_last(void);

/* For a checkpoint that waits (made != 0): programs its next page, and finally the one that makes it valid. The log
 * must be ready. */
void hc_checkpoint_write(void);

/* copied == HC_COPIED_CLEAR or HC_COPIED_AGAIN: zeroes memory again, up to the table if that is still needed. */
void hc_checkpoint_clear(void);

/* ---- after a reset, with interrupts disabled ---- */

/* The end of the checkpoint that waited in memory at the reset, if it is complete; otherwise 0. It also does not count
 * while the ring holds entries of the previous segment, unless that ended with a gap (CROSSED_GAP): then the segment
 * continues. */
uint16_t hc_checkpoint_waiting(bool crossed_gap);
/* Writes the unwritten part of it, as SEGMENT's. The log must be open. BEGUN: the page that was being written at the
 * reset exists. */
void hc_checkpoint_write_waiting(uint16_t segment, bool begun);

/* Makes the start of a segment from what survives a reset; unused memory is zero. CAUSE and FOUND are for the boot
 * page. */
void hc_checkpoint_boot(uint16_t cause, uint16_t found);
/* Writes it, with the log open and ready. Otherwise it waits, like other checkpoints. */
void hc_checkpoint_boot_write(void);
/* The program starts: entries of the ring that could not be written are lost. */
void hc_checkpoint_boot_end(void);

#endif
