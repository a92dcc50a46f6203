/* The hash of every instruction of a program, without the recorder: what a recording and its replay must have in
 * common.
 *
 * Watches a machine instruction by instruction (about a tenth of full speed). Each instruction outside the recorder
 * gives a hash over its PC, all registers after it, and what it wrote where. Left out, and nothing else:
 *
 *   - cuts: the recorder's own code, and writes to its RAM (the position counter is among them)
 *   - the test and the jump of poll routines: how often they run is not recorded, nor used
 *   - hardware: frames of interrupts (their contents are those of the registers before and after) and DMA
 *   - of an instruction that changes a peripheral register in place, the bits of that register that the
 *     world changes, and the flags that come from them, until the next instruction that sets flags. Such a read is not
 *     recorded because the instrumenter has proved that its value goes nowhere but back into the register; the flags
 *     are part of that value. Copies of such flags in a saved status are left out as well. */
#ifndef HC_REPLAY_HASHER_H
#define HC_REPLAY_HASHER_H

#include "position.h"

struct hc_regs;
struct hc_hasher;

/* PC: of the instruction, which has just retired. */
typedef void hc_hasher_fn(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash);

/* What the recorder does, seen from outside. */
enum hc_hasher_note {
    HC_HASHER_RESET,     /* the program will start */
    HC_HASHER_SEGMENT,   /* VALUE: the recorder's segment from now on */
    HC_HASHER_INTERRUPT, /* the program's handler begins; VALUE: its first instruction */
    HC_HASHER_READ,      /* a read is being recorded */
};
typedef void hc_hasher_note_fn(void *owner, enum hc_hasher_note note, uint16_t value);

/* BORDER and REGS must outlive it. M runs the recorder, or skips its cuts (a replay). NULL when memory is exhausted. */
struct hc_hasher *hc_hasher_new(struct hc_machine *m, const struct hc_border *border, const struct hc_regs *regs,
                                hc_hasher_fn *call, void *owner);
/* NULL ends it. */
void hc_hasher_listen(struct hc_hasher *h, hc_hasher_note_fn *call);
/* After the machine was put elsewhere: it is at an instruction of the program. */
void hc_hasher_restart(struct hc_hasher *h);
/* A replay let an interrupt come; its frame lies at FRAME. (Interrupts of the machine itself are noticed.) */
void hc_hasher_interrupt(struct hc_hasher *h, uint32_t frame);
/* Whether the instruction that retired last was the recorder's. */
bool hc_hasher_inside(const struct hc_hasher *h);
void hc_hasher_free(struct hc_hasher *h);

#endif
