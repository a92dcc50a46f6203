/* Timer_A and Timer_B of the F1xx and FRAM families: one 16-bit counter with up to seven capture/compare blocks.
 *
 *     base + 0x00  TxCTL     Timer_B also TBCLGRPx 14-13 | CNTLx 12-11
 *                            TxSSELx 9-8 | IDx 7-6 | MCx 5-4 | TxCLR 2 | TxIE 1 | TxIFG 0
 *     base + 0x02  TxCCTL0.. CMx 15-14 | CCISx 13-12 | SCS 11 | SCCI 10 (Timer_A) or CLLDx 10-9 (Timer_B) | CAP 8 |
 *                            OUTMODx 7-5 | CCIE 4 | CCI 3 | OUT 2 | COV 1 | CCIFG 0
 *     base + 0x10  TxR
 *     base + 0x12  TxCCR0..
 *     iv           TxIV
 *     ex0          TxEX0     TxIDEXx 2-0: a further division by 1 to 8 (not in the F1xx)
 *
 * The count is computed when someone looks, from the ticks of its clock; flags that nobody waits for are found out when
 * they are read, and so are captures of ACLK, however many there were. An event exists only for the next change that is
 * seen without being read: an enabled interrupt, a DMA request, an output, a latch about to load. Flags change with the
 * clock edge at which the counter takes the value.
 *
 * A capture with SCS = 1 waits for the timer clock's next falling edge, in the middle of a count. Clearing COV also
 * forgets that a captured value was not read.
 *
 * Checked against SLAU049F, chapters 11 and 12. Where it leaves room:
 *   - up mode with the counter above TxCCR0 rolls to zero with the next edge (no additional count), and sets TxIFG;
 *   - in up mode EQU0 acts on outputs when the counter rolls to zero, as the guide's output example says; where EQU0
 * and EQUx coincide, EQUx acts last;
 *   - a write that switches capture on is not itself an edge; changing CCISx while it is on may be;
 *   - TBCLx loaded at zero is compared with that zero already;
 *   - TBCL0 above the counter's maximum counts as continuous mode.
 *
 * Left out: TBOUTH (it acts on the port pins); reads of a counter that runs from another clock than MCLK are never
 * torn. */
#ifndef HC_MACHINE_DEVICE_MSP430_TIMER_H
#define HC_MACHINE_DEVICE_MSP430_TIMER_H

#include "dma_trigger.h"

enum { HC_TIMER_CCRS_MAX = 7 };

struct hc_timer_config {
    const char *name;  /* "timer_a" */
    const char *wires; /* prefix of the wires it makes: "ta" for ta.out0, ta.cci0a, ta.cci0b ... */
    uint32_t base, iv;
    uint32_t ex0;         /* 0: none */
    uint16_t iv_overflow; /* what TxIV says for TxIFG */
    int ccrs;
    int vector_ccr0, vector_others;
    bool has_latches;       /* Timer_B: TBCLx, CNTLx */
    int aclk_input;         /* the block whose CCIxB is ACLK (and no wire); -1: none */
    const char *clk_wire;   /* TxSSELx = 0 */
    const char *inclk_wire; /* TxSSELx = 3; NULL: clk_wire inverted */
    enum hc_dma_trigger dma_ccr0, dma_ccr2;

    /* What the part fills in. DMA may be NULL. */
    struct hc_clock *aclk, *smclk;
    struct hc_dma *dma;
};

/* As in the F15x/F16x, all but what the part fills in. */
extern const struct hc_timer_config hc_timer_a3, hc_timer_b7;

struct hc_timer;

/* Copies CONFIG. The input wires rest low. */
struct hc_timer *hc_timer_new(struct hc_machine *m, const struct hc_timer_config *config);

#endif
