/* Hashes every instruction of a program, except the recorder's: a recording and its replay must have equal hashes.
 *
 * Observes a machine instruction by instruction (about a tenth of full speed). Each instruction outside the recorder
 * gives a hash of its PC, all registers after it, and what it wrote where. Excluded are only:
 *
 * - cuts: the recorder's own code, and writes to its RAM (including the position counter);
 * - the test and the jump of polling routines: the number of their iterations is neither recorded nor used;
 * - hardware: interrupt frames (their contents are registers that are hashed before and after) and DMA;
 * - when an instruction changes a peripheral register in place: the bits of that register that the hardware changes,
 * and the flags that result, until the next instruction that sets flags. Such a read is not recorded, because the
 * instrumenter has proved that its value goes only back to the register; the flags are part of that value. Copies of
 * such flags in a saved status are excluded as well. */
#ifndef HC_REPLAY_HASHER_H
#define HC_REPLAY_HASHER_H

#include "position.h"

struct hc_regs;
struct hc_hasher;

/* PC: of the instruction that has just retired. */
typedef void hc_hasher_fn(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash);

/* Transitions between program and recorder. */
enum hc_hasher_note {
    HC_HASHER_RESET,     /* the program will start */
    HC_HASHER_SEGMENT,   /* VALUE: the recorder's segment from now on */
    HC_HASHER_INTERRUPT, /* the program's handler starts; VALUE: its first instruction */
    HC_HASHER_READ,      /* a read is being recorded */
};
typedef void hc_hasher_note_fn(void *owner, enum hc_hasher_note note, uint16_t value);

/* M runs the recorder, or skips its cuts (a replay). BORDER and REGS must outlive the hasher. Returns NULL on
 * out-of-memory. */
struct hc_hasher *hc_hasher_new(struct hc_machine *m, const struct hc_border *border, const struct hc_regs *regs,
                                hc_hasher_fn *call, void *owner);
/* NULL ends it. */
void hc_hasher_listen(struct hc_hasher *h, hc_hasher_note_fn *call);
/* Call after the machine was moved to another place; it must be at an instruction of the program. */
void hc_hasher_restart(struct hc_hasher *h);
/* Call when a replay has made an interrupt occur; its frame is at FRAME. (Interrupts that the machine accepts itself
 * are detected.) */
void hc_hasher_interrupt(struct hc_hasher *h, uint32_t frame);
/* Whether the instruction that retired last belongs to the recorder. */
bool hc_hasher_inside(const struct hc_hasher *h);
void hc_hasher_free(struct hc_hasher *h);

#endif
