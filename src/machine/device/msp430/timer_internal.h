/* The inside of Timer_A and Timer_B: shared by timer*.c only.
 *
 *     timer.c        registers, requests, wires: the device
 *     timer_block.c  what the capture/compare blocks do when the counter takes a value, when an input changes, and when
 *                    that will next be seen
 *     timer_count.c  the counter and its clock: arithmetic only
 */
#ifndef HC_MACHINE_DEVICE_MSP430_TIMER_INTERNAL_H
#define HC_MACHINE_DEVICE_MSP430_TIMER_INTERNAL_H

#include "timer.h"

/* TxCTL */
enum { IFG = 0x0001, IE = 0x0002, CLR = 0x0004 };
enum { SSEL_CLK, SSEL_ACLK, SSEL_SMCLK, SSEL_INCLK };
enum { STOP, UP, CONTINUOUS, UP_DOWN };

/* TxCCTLx */
enum {
    CCIFG = 0x0001,
    COV = 0x0002,
    OUT = 0x0004,
    CCI = 0x0008,
    CCIE = 0x0010,
    CAP = 0x0100,
    SCCI = 0x0400,
    SCS = 0x0800
};
enum { CLLD_NOW, CLLD_ZERO, CLLD_ZERO_OR_TOP, CLLD_OWN };
enum { CCIS_A, CCIS_B, CCIS_GND, CCIS_VCC };
enum { CM_RISING = 1, CM_FALLING = 2 };

#define NEVER UINT32_MAX /* counts */

/* What listens to a wire. */
struct hc_timer_input {
    struct hc_timer *timer;
    uint8_t ccr, select; /* CCIS_A or CCIS_B */
};

struct hc_timer {
    struct hc_device base;
    struct hc_timer_config config;
    hc_event event;
    hc_wire clk, inclk;
    hc_wire out[HC_TIMER_CCRS_MAX];
    int driver[HC_TIMER_CCRS_MAX];
    struct hc_timer_input input[HC_TIMER_CCRS_MAX][2];
    struct {
        uint16_t ctl;
        uint16_t ex0;
        uint16_t r;
        bool down;            /* latched direction of up/down mode */
        uint8_t prescale;     /* ticks since the last count, below the division */
        uint64_t tick;        /* of the selected clock, up to which all this is worked out */
        uint64_t external[2]; /* rising edges of clk, inclk */
        hc_time capture_at;   /* the next edge of ACLK to capture */
        hc_time fall_at;      /* the timer clock's falling edge that captures wait for; external clocks: never */
        uint16_t cctl[HC_TIMER_CCRS_MAX];
        uint16_t ccr[HC_TIMER_CCRS_MAX];
        uint16_t latch[HC_TIMER_CCRS_MAX]; /* what is compared; Timer_A: the same as ccr */
        uint8_t written;                   /* a bit a block: latch not yet loaded */
        uint8_t unread;                    /* captured, not read */
        uint8_t capture_due;               /* with the timer clock's falling edge (SCS) */
        uint8_t level[2];                  /* CCIxA, CCIxB */
        uint8_t outputs;                   /* OUTx signals */
        uint8_t driven;                    /* ... as the wires have them */
        uint8_t lines;                     /* requests as others have them */
    } s;
};

/* ---- fields ---- */

static inline int hc_timer_ssel(const struct hc_timer *t)
{
    return t->s.ctl >> 8 & 3;
}

/* Ticks of the selected clock for each count: IDx, and TxEX0 where there is one. */
static inline unsigned hc_timer_division(const struct hc_timer *t)
{
    return (1u << (t->s.ctl >> 6 & 3)) * (t->s.ex0 + 1u);
}

static inline uint32_t hc_timer_max(const struct hc_timer *t)
{
    static const uint16_t max[4] = { 0xffff, 0x0fff, 0x03ff, 0x00ff };
    return t->config.has_latches ? max[t->s.ctl >> 11 & 3] : 0xffff;
}

static inline int hc_timer_mode(const struct hc_timer *t)
{
    int mc = t->s.ctl >> 4 & 3;
    return mc != STOP && t->s.latch[0] > hc_timer_max(t) ? CONTINUOUS : mc;
}

static inline int hc_timer_ccis(uint16_t cctl)
{
    return cctl >> 12 & 3;
}

static inline bool hc_timer_dma_source(const struct hc_timer *t, int x)
{
    return t->config.dma && (x == 0 || (x == 2 && x < t->config.ccrs));
}

/* ---- timer_count.c ---- */

/* NULL for an external clock. */
struct hc_clock *hc_timer_source(const struct hc_timer *t);

/* Edges of the selected clock until WHEN; an external one: until now. */
uint64_t hc_timer_ticks(const struct hc_timer *t, hc_time when);

/* Counts until the counter takes VALUE (1 at least), with everything else as it is; NEVER if it will not. */
uint32_t hc_timer_counts_to(const struct hc_timer *t, uint32_t value);

/* N counts on, not beyond the next zero or turning point. */
void hc_timer_move(struct hc_timer *t, uint32_t n);

/* After two whole periods everything is as before, if no latch loads meanwhile: a number of counts that has the same
 * effect as N, and is small. */
uint64_t hc_timer_cut(const struct hc_timer *t, uint64_t n);

/* When the counter took the value that it had COUNTS_AGO; with an external clock NOW. */
hc_time hc_timer_time_of_count(const struct hc_timer *t, uint64_t counts_ago, hc_time now);

/* When it will have counted N more; HC_NEVER with an external clock, or for NEVER. */
hc_time hc_timer_time_in_counts(const struct hc_timer *t, uint32_t n);

/* The next falling edge of the timer clock, which is high for the first half of a count. */
hc_time hc_timer_next_fall(const struct hc_timer *t, hc_time when);

/* ---- timer_block.c ---- */

/* Brings the state to NOW. Changes nothing but the state: the rest of the machine learns of it by what timer.c
 * publishes. */
void hc_timer_advance(struct hc_timer *t, hc_time now);

/* The same when an external clock has ticked, captures until now being done. */
void hc_timer_count_to(struct hc_timer *t, hc_time when);

/* When something changes that is seen without a read. */
hc_time hc_timer_next_event(const struct hc_timer *t);

/* The signal that CCTL selects for block X. */
bool hc_timer_input_level(const struct hc_timer *t, int x, uint16_t cctl, hc_time when);

/* CCIxA or CCIxB (SELECT) of block X has changed. */
void hc_timer_input_changed(struct hc_timer *t, int x, int select, bool level, hc_time now);

/* The timer clock has fallen. */
void hc_timer_take_due_captures(struct hc_timer *t);

/* A clock has changed: the edges that captures wait for come at other times. */
void hc_timer_find_edges(struct hc_timer *t, hc_time now);

void hc_timer_write_cctl(struct hc_timer *t, int x, uint16_t value, hc_time now);
void hc_timer_write_ccr(struct hc_timer *t, int x, uint16_t value);

#endif
