#include "timer.h"

#include <stdio.h>

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

struct input {
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
    struct input input[HC_TIMER_CCRS_MAX][2];
    struct {
        uint16_t ctl;
        uint16_t r;
        bool down;            /* latched direction of up/down mode */
        uint8_t prescale;     /* ticks since the last count, below the divider */
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
        uint8_t lines;                     /* requests as others have them: LINE_... */
    } s;
};

enum { LINE_CCR0 = 1, LINE_OTHERS = 2, LINE_DMA_CCR0 = 4, LINE_DMA_CCR2 = 8 };

const struct hc_timer_config hc_timer_a3 = {
    .name = "timer_a",
    .wires = "ta",
    .base = 0x160,
    .iv = 0x12e,
    .ccrs = 3,
    .vector_ccr0 = 6,
    .vector_others = 5,
    .aclk_input = 2,
    .clk_wire = "taclk",
    .inclk_wire = "inclk",
    .dma_ccr0 = HC_DMA_TACCR0,
    .dma_ccr2 = HC_DMA_TACCR2,
};

const struct hc_timer_config hc_timer_b7 = {
    .name = "timer_b",
    .wires = "tb",
    .base = 0x180,
    .iv = 0x11e,
    .ccrs = 7,
    .vector_ccr0 = 13,
    .vector_others = 12,
    .has_latches = true,
    .aclk_input = 6,
    .clk_wire = "tbclk",
    .dma_ccr0 = HC_DMA_TBCCR0,
    .dma_ccr2 = HC_DMA_TBCCR2,
};

/* ---- fields ---- */

static int ssel(const struct hc_timer *t)
{
    return t->s.ctl >> 8 & 3;
}

static int divider(const struct hc_timer *t)
{
    return t->s.ctl >> 6 & 3;
}

static uint32_t max_count(const struct hc_timer *t)
{
    static const uint16_t max[4] = { 0xffff, 0x0fff, 0x03ff, 0x00ff };
    return t->config.has_latches ? max[t->s.ctl >> 11 & 3] : 0xffff;
}

static int mode(const struct hc_timer *t)
{
    int mc = t->s.ctl >> 4 & 3;
    return mc != STOP && t->s.latch[0] > max_count(t) ? CONTINUOUS : mc;
}

static int ccis(uint16_t cctl)
{
    return cctl >> 12 & 3;
}

static bool dma_source(const struct hc_timer *t, int x)
{
    return t->config.dma && (x == 0 || x == 2);
}

/* ---- the clock ---- */

/* NULL for an external clock. */
static struct hc_clock *source(const struct hc_timer *t)
{
    return ssel(t) == SSEL_ACLK ? t->config.aclk : ssel(t) == SSEL_SMCLK ? t->config.smclk : NULL;
}

static uint64_t ticks(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock *clock = source(t);
    return clock ? hc_clock_ticks(clock, when) : t->s.external[ssel(t) == SSEL_INCLK];
}

/* ---- inputs ---- */

static bool aclk_level(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock_state *a = &t->config.aclk->s;
    return a->period && when >= a->origin && (when - a->origin) % a->period < a->period / 2;
}

/* The signal that CCTL selects for block X. */
static bool input_level(const struct hc_timer *t, int x, uint16_t cctl, hc_time when)
{
    switch (ccis(cctl)) {
    case CCIS_GND:
        return false;
    case CCIS_VCC:
        return true;
    case CCIS_B:
        if (x == t->config.aclk_input)
            return aclk_level(t, when);
        break;
    }
    return t->s.level[ccis(cctl)] >> x & 1;
}

static bool captures_edge(uint16_t cctl, bool rising)
{
    return (cctl & CAP) && (cctl >> 14 & (rising ? CM_RISING : CM_FALLING));
}

static void capture_now(struct hc_timer *t, int x)
{
    if (t->s.unread >> x & 1)
        t->s.cctl[x] |= COV;
    t->s.unread |= (uint8_t)(1 << x);
    t->s.cctl[x] |= CCIFG;
    t->s.ccr[x] = t->s.r;
    if (!t->config.has_latches)
        t->s.latch[x] = t->s.r;
}

/* The next falling edge of the timer clock: it is high for the first half of a count. */
static hc_time next_fall(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock *clock = source(t);
    uint64_t whole = 1u << divider(t); /* ticks of a count */

    if (!clock || !clock->s.period)
        return HC_NEVER;
    if (whole > 1)
        return hc_clock_time_of(clock, t->s.tick - t->s.prescale + (t->s.prescale < whole / 2 ? 0 : whole) + whole / 2);
    hc_time half = clock->s.period / 2;
    hc_time fall =
        when < clock->s.origin ? clock->s.origin + half : when - (when - clock->s.origin) % clock->s.period + half;
    return fall > when ? fall : fall + clock->s.period;
}

static void wait_for_fall(struct hc_timer *t, hc_time when)
{
    t->s.fall_at = t->s.capture_due ? next_fall(t, when) : HC_NEVER;
}

static void take_due_captures(struct hc_timer *t)
{
    for (int x = 0; x < t->config.ccrs; x++)
        if (t->s.capture_due >> x & 1)
            capture_now(t, x);
    t->s.capture_due = 0;
    t->s.fall_at = HC_NEVER;
}

static void capture(struct hc_timer *t, int x, hc_time when)
{
    if (!(t->s.cctl[x] & SCS)) {
        capture_now(t, x);
        return;
    }
    t->s.capture_due |= (uint8_t)(1 << x);
    wait_for_fall(t, when);
}

/* The first edge of ACLK after WHEN that a block captures. */
static hc_time next_aclk_capture(const struct hc_timer *t, hc_time when)
{
    int x = t->config.aclk_input;
    const struct hc_clock_state *a = &t->config.aclk->s;

    if (x < 0 || !a->period || ccis(t->s.cctl[x]) != CCIS_B)
        return HC_NEVER;
    hc_time last_rise = when < a->origin ? a->origin - a->period : when - (when - a->origin) % a->period;
    hc_time rise = captures_edge(t->s.cctl[x], true) ? last_rise + a->period : HC_NEVER;
    hc_time fall = HC_NEVER;
    if (captures_edge(t->s.cctl[x], false))
        fall = last_rise + a->period / 2 > when ? last_rise + a->period / 2 : last_rise + a->period / 2 + a->period;
    return rise < fall ? rise : fall;
}

/* ---- compare latches (Timer_B) ---- */

/* Which blocks load together, by TBCLGRPx and block, and whose CLLDx says when. */
static const struct group {
    uint8_t members, control;
} group_of[4][HC_TIMER_CCRS_MAX] = {
    { { 0x01, 0 }, { 0x02, 1 }, { 0x04, 2 }, { 0x08, 3 }, { 0x10, 4 }, { 0x20, 5 }, { 0x40, 6 } },
    { { 0x01, 0 }, { 0x06, 1 }, { 0x06, 1 }, { 0x18, 3 }, { 0x18, 3 }, { 0x60, 5 }, { 0x60, 5 } },
    { { 0x01, 0 }, { 0x0e, 1 }, { 0x0e, 1 }, { 0x0e, 1 }, { 0x70, 4 }, { 0x70, 4 }, { 0x70, 4 } },
    { { 0x7f, 1 }, { 0x7f, 1 }, { 0x7f, 1 }, { 0x7f, 1 }, { 0x7f, 1 }, { 0x7f, 1 }, { 0x7f, 1 } },
};

static struct group group(const struct hc_timer *t, int x)
{
    struct group g = group_of[t->s.ctl >> 13 & 3][x];
    g.members &= (uint8_t)((1 << t->config.ccrs) - 1);
    return g;
}

static int load_event(const struct hc_timer *t, struct group g)
{
    return t->config.has_latches ? t->s.cctl[g.control] >> 9 & 3 : CLLD_NOW;
}

/* All of the group have been written and wait for their event; asked of its controlling block only. */
static bool load_pending(const struct hc_timer *t, int x)
{
    struct group g = group(t, x);
    return g.control == x && load_event(t, g) != CLLD_NOW && (t->s.written & g.members) == g.members;
}

static bool any_load_pending(const struct hc_timer *t)
{
    if (t->s.written)
        for (int x = 0; x < t->config.ccrs; x++)
            if (load_pending(t, x))
                return true;
    return false;
}

static void load(struct hc_timer *t, struct group g)
{
    for (int x = 0; x < t->config.ccrs; x++)
        if (g.members >> x & 1)
            t->s.latch[x] = t->s.ccr[x];
    t->s.written &= (uint8_t)~g.members;
}

static void load_at_zero(struct hc_timer *t)
{
    for (int x = 0; x < t->config.ccrs; x++)
        if (load_pending(t, x) && load_event(t, group(t, x)) != CLLD_OWN)
            load(t, group(t, x));
}

/* Loads due at TBCL0 and TBCLx, after the comparison with the old values has had its effect. */
static void load_at_match(struct hc_timer *t, bool top, const uint16_t *old)
{
    for (int x = 0; x < t->config.ccrs; x++) {
        if (!load_pending(t, x))
            continue;
        int event = load_event(t, group(t, x));
        if ((event == CLLD_ZERO_OR_TOP && top) || (event == CLLD_OWN && old[x] == t->s.r))
            load(t, group(t, x));
    }
}

/* ---- counting ---- */

/* In up/down mode: the next count goes down. */
static bool falling(const struct hc_timer *t)
{
    return t->s.r && (t->s.down || t->s.r >= t->s.latch[0]);
}

/* Counts until the counter takes VALUE (1 at least), with everything else as it is; NEVER if it will not. */
static uint32_t counts_to(const struct hc_timer *t, uint32_t value)
{
    uint32_t r = t->s.r, top = t->s.latch[0], max = max_count(t);
    int m = mode(t);

    if (m == STOP || (m != CONTINUOUS && !top && !r))
        return NEVER;
    if (m == UP_DOWN && falling(t) && value < r) /* may start above TxCCR0, if that was lowered */
        return r - value;
    if (value > (m == CONTINUOUS ? max : top))
        return NEVER;
    if (m == CONTINUOUS)
        return value > r ? value - r : max + 1 - r + value;
    if (m == UP && r >= top)
        return 1 + value;
    if (m == UP)
        return value > r ? value - r : top - r + 1 + value;
    if (falling(t))
        return r + value;
    return value > r ? value - r : top - r + top - value;
}

/* N counts on, not beyond the next zero or turning point. */
static void move(struct hc_timer *t, uint32_t n)
{
    uint32_t r = t->s.r, top = t->s.latch[0];

    switch (mode(t)) {
    case CONTINUOUS:
        t->s.r = (uint16_t)((r + n) & max_count(t));
        break;
    case UP:
        if (r >= top)
            t->s.r = (uint16_t)(top || r ? n - 1 : 0);
        else
            t->s.r = (uint16_t)(r + n > top ? 0 : r + n);
        break;
    case UP_DOWN:
        if (!top && !r)
            break;
        t->s.down = falling(t);
        t->s.r = (uint16_t)(t->s.down ? r - n : r + n);
        if (!t->s.r)
            t->s.down = false;
        break;
    }
}

/* ---- output units ---- */

enum action { KEEP, SET, RESET, TOGGLE };

/* By OUTMODx: what EQUx does, what EQU0 does. */
static const struct {
    uint8_t equx, equ0;
} output_mode[8] = {
    { KEEP, KEEP },    /* 0 output: the OUT bit */
    { SET, KEEP },     /* 1 set */
    { TOGGLE, RESET }, /* 2 toggle/reset */
    { SET, RESET },    /* 3 set/reset */
    { TOGGLE, KEEP },  /* 4 toggle */
    { RESET, KEEP },   /* 5 reset */
    { TOGGLE, SET },   /* 6 toggle/set */
    { RESET, SET },    /* 7 reset/set */
};

static int outmod(const struct hc_timer *t, int x)
{
    return t->s.cctl[x] >> 5 & 7;
}

static void act(struct hc_timer *t, int x, uint8_t action)
{
    uint8_t bit = (uint8_t)(1 << x);
    if (action == SET)
        t->s.outputs |= bit;
    else if (action == RESET)
        t->s.outputs &= (uint8_t)~bit;
    else if (action == TOGGLE)
        t->s.outputs ^= bit;
}

static bool has_effect(const struct hc_timer *t, int x, uint8_t action)
{
    bool high = t->s.outputs >> x & 1;
    return action == TOGGLE || (action == SET && !high) || (action == RESET && high);
}

/* ---- what happens at a count ---- */

static bool equals(const struct hc_timer *t, int x)
{
    if ((t->s.cctl[x] & CAP) || t->s.latch[x] != t->s.r)
        return false;
    return x || mode(t) != UP_DOWN || !t->s.down; /* TxCCR0 is reached from below only */
}

/* The counter has just taken its value, at WHEN. */
static void arrive(struct hc_timer *t, int counting, hc_time when)
{
    bool zero = !t->s.r;
    uint16_t old[HC_TIMER_CCRS_MAX];
    unsigned equ = 0;

    if (zero) {
        t->s.ctl |= IFG;
        load_at_zero(t);
    }
    for (int x = 0; x < t->config.ccrs; x++) {
        old[x] = t->s.latch[x];
        if (!equals(t, x))
            continue;
        equ |= 1u << x;
        t->s.cctl[x] |= CCIFG;
        if (!t->config.has_latches)
            t->s.cctl[x] = (uint16_t)((t->s.cctl[x] & ~SCCI) | (input_level(t, x, t->s.cctl[x], when) ? SCCI : 0));
    }
    bool equ0 = counting == UP ? zero : equ & 1;
    for (int x = 0; x < t->config.ccrs; x++) {
        if (equ0)
            act(t, x, output_mode[outmod(t, x)].equ0);
        if (x ? equ >> x & 1 : equ0)
            act(t, x, output_mode[outmod(t, x)].equx);
    }
    if (t->s.written)
        load_at_match(t, counting == UP_DOWN && (equ & 1), old);
}

static uint32_t counts_to_next_point(const struct hc_timer *t)
{
    uint32_t next = counts_to(t, 0);
    for (int x = 0; x < t->config.ccrs; x++) {
        uint32_t n = counts_to(t, t->s.latch[x]);
        if (n < next)
            next = n;
    }
    return next;
}

/* After two whole periods everything is as before, if no latch is about to load: long stretches are cut short. */
static uint64_t cut(const struct hc_timer *t, uint64_t n)
{
    int m = mode(t);
    uint64_t top = t->s.latch[0];
    uint64_t twice = m == CONTINUOUS ? 2 * ((uint64_t)max_count(t) + 1) : m == UP ? 2 * (top + 1) : 4 * top;

    if (m == STOP || !twice || n < 2 * twice || (m != CONTINUOUS && t->s.r > top) || any_load_pending(t))
        return n;
    return twice + n % twice;
}

static hc_time time_of_count(const struct hc_timer *t, uint64_t counts_ago, hc_time now)
{
    const struct hc_clock *clock = source(t);
    return clock ? hc_clock_time_of(clock, t->s.tick - t->s.prescale - (counts_ago << divider(t))) : now;
}

/* N counts, the last of them AFTER counts before NOW. */
static void count(struct hc_timer *t, uint64_t n, uint64_t after, hc_time now)
{
    n = cut(t, n);
    while (n) {
        uint32_t next = counts_to_next_point(t);
        int counting = mode(t);
        if (next > n) {
            move(t, (uint32_t)n);
            return;
        }
        move(t, next);
        n -= next;
        arrive(t, counting, time_of_count(t, n + after, now));
    }
}

static void count_to(struct hc_timer *t, hc_time when)
{
    uint64_t tick = ticks(t, when);

    if (tick <= t->s.tick)
        return;
    uint64_t n = tick - t->s.tick + t->s.prescale;
    t->s.tick = tick;
    t->s.prescale = (uint8_t)(n & ((1u << divider(t)) - 1));
    n >>= divider(t);
    count(t, n, 0, when);
}

/* Of a long row of captures of ACLK nothing remains but the last value, CCIFG, and COV after two that were not read:
 * all but the last few are left out. With SCS a capture takes an edge of ACLK and then one of the timer clock. Counting
 * does not depend on them; a latch that is about to load a captured value has an event, and so is not passed over. */
static void skip_captures(struct hc_timer *t, hc_time now)
{
    enum { LAST = 3 };
    const struct hc_clock *clock = source(t);
    hc_time span = LAST * t->config.aclk->s.period;

    if (clock && (t->s.cctl[t->config.aclk_input] & SCS))
        span += LAST * clock->s.period << divider(t);
    if (now - t->s.capture_at > span)
        t->s.capture_at = next_aclk_capture(t, now - span);
}

/* Brings the state to NOW. Changes nothing but the state: the rest of the machine learns of it by publish(). */
static void advance(struct hc_timer *t, hc_time now)
{
    if (t->s.capture_at <= now)
        skip_captures(t, now);
    while (t->s.capture_at <= now || t->s.fall_at <= now) {
        if (t->s.fall_at <= t->s.capture_at) {
            count_to(t, t->s.fall_at);
            take_due_captures(t);
        } else {
            count_to(t, t->s.capture_at);
            capture(t, t->config.aclk_input, t->s.capture_at);
            t->s.capture_at = next_aclk_capture(t, t->s.capture_at);
        }
    }
    count_to(t, now);
}

/* ---- what others see ---- */

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* CCIFG of block X will be seen when it is set. */
static bool watched(const struct hc_timer *t, int x)
{
    return !(t->s.cctl[x] & CCIFG) && ((t->s.cctl[x] & CCIE) || dma_source(t, x));
}

static uint32_t counts_to_output(const struct hc_timer *t, int x)
{
    uint32_t n = NEVER;
    uint8_t equx = output_mode[outmod(t, x)].equx, equ0 = output_mode[outmod(t, x)].equ0;
    uint32_t to_equ0 = counts_to(t, mode(t) == UP ? 0 : t->s.latch[0]);

    if (has_effect(t, x, equ0))
        n = to_equ0;
    if (has_effect(t, x, equx) && (!x || !(t->s.cctl[x] & CAP)))
        n = earlier(n, x ? counts_to(t, t->s.latch[x]) : to_equ0);
    return n;
}

static uint32_t counts_to_load(const struct hc_timer *t, int x)
{
    switch (load_event(t, group(t, x))) {
    case CLLD_OWN:
        return counts_to(t, t->s.latch[x]);
    case CLLD_ZERO_OR_TOP:
        return earlier(counts_to(t, 0), counts_to(t, t->s.latch[0]));
    default:
        return counts_to(t, 0);
    }
}

/* Counts until something changes that is seen without a read. */
static uint32_t counts_to_event(const struct hc_timer *t)
{
    uint32_t n = NEVER;

    if ((t->s.ctl & (IE | IFG)) == IE)
        n = counts_to(t, 0);
    for (int x = 0; x < t->config.ccrs; x++) {
        if (watched(t, x) && !(t->s.cctl[x] & CAP))
            n = earlier(n, counts_to(t, t->s.latch[x]));
        if (outmod(t, x))
            n = earlier(n, counts_to_output(t, x));
        if (t->s.written && load_pending(t, x))
            n = earlier(n, counts_to_load(t, x));
    }
    return n;
}

/* The next capture that changes more than its own block's registers: block 0 of Timer_A captures into the value that
 * is counted to. */
static hc_time next_watched_capture(const struct hc_timer *t)
{
    hc_time at = HC_NEVER;

    if (t->s.capture_at < at && watched(t, t->config.aclk_input))
        at = t->s.capture_at;
    for (int x = 0; t->s.capture_due >> x; x++)
        if ((t->s.capture_due >> x & 1) && (!x || watched(t, x)) && t->s.fall_at < at)
            at = t->s.fall_at;
    return at;
}

static hc_time next_event(const struct hc_timer *t)
{
    const struct hc_clock *clock = source(t);
    uint32_t n = clock ? counts_to_event(t) : NEVER;
    hc_time at =
        n == NEVER ? HC_NEVER : hc_clock_time_of(clock, t->s.tick + ((uint64_t)n << divider(t)) - t->s.prescale);
    hc_time capture = next_watched_capture(t);
    return capture < at ? capture : at;
}

static uint8_t lines(const struct hc_timer *t)
{
    enum { PENDING = CCIFG | CCIE };
    uint8_t on = 0;

    if ((t->s.cctl[0] & PENDING) == PENDING)
        on |= LINE_CCR0;
    if ((t->s.ctl & (IFG | IE)) == (IFG | IE))
        on |= LINE_OTHERS;
    for (int x = 1; x < t->config.ccrs; x++)
        if ((t->s.cctl[x] & PENDING) == PENDING)
            on |= LINE_OTHERS;
    if (dma_source(t, 0) && (t->s.cctl[0] & PENDING) == CCIFG)
        on |= LINE_DMA_CCR0;
    if (dma_source(t, 2) && (t->s.cctl[2] & PENDING) == CCIFG)
        on |= LINE_DMA_CCR2;
    return on;
}

static void publish_lines(struct hc_timer *t)
{
    uint8_t now = lines(t), changed = now ^ t->s.lines;

    t->s.lines = now;
    if (changed & LINE_CCR0)
        hc_interrupt(t->base.machine, t->config.vector_ccr0, now & LINE_CCR0);
    if (changed & LINE_OTHERS)
        hc_interrupt(t->base.machine, t->config.vector_others, now & LINE_OTHERS);
    if (changed & LINE_DMA_CCR0)
        hc_dma_request(t->config.dma, t->config.dma_ccr0, now & LINE_DMA_CCR0);
    if (changed & LINE_DMA_CCR2)
        hc_dma_request(t->config.dma, t->config.dma_ccr2, now & LINE_DMA_CCR2);
}

/* A wire may come back as an input of this timer: the state is final before anything is driven. */
static void publish(struct hc_timer *t)
{
    publish_lines(t);
    hc_event_arm(hc_events(t->base.machine), t->event, next_event(t));
    uint8_t changed = t->s.outputs ^ t->s.driven;
    t->s.driven = t->s.outputs;
    for (int x = 0; changed >> x; x++)
        if (changed >> x & 1)
            hc_wire_drive(t->base.machine, t->out[x], t->driver[x], t->s.driven >> x & 1 ? HC_HIGH : HC_LOW);
}

static hc_time fire(void *owner, hc_time now)
{
    struct hc_timer *t = owner;

    advance(t, now);
    publish(t);
    return next_event(t);
}

/* ---- from the other devices ---- */

static void external_edge(struct hc_timer *t, int select, bool rising, hc_time now)
{
    uint8_t half = (uint8_t)((1u << divider(t)) / 2);
    bool counted = ssel(t) == select;

    if (counted) /* captures until now are of the old count */
        advance(t, now);
    if (rising)
        t->s.external[select == SSEL_INCLK]++;
    if (!counted)
        return;
    count_to(t, now);
    if (rising ? half && t->s.prescale == half : !half)
        take_due_captures(t);
    publish(t);
}

/* Without a wire of its own, INCLK is CLK inverted. */
static void clk_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_timer *t = owner;

    external_edge(t, SSEL_CLK, level, now);
    if (t->inclk == HC_NO_WIRE)
        external_edge(t, SSEL_INCLK, !level, now);
}

static void inclk_changed(void *owner, int32_t level, hc_time now)
{
    external_edge(owner, SSEL_INCLK, level, now);
}

static void input_changed(void *owner, int32_t level, hc_time now)
{
    const struct input *in = owner;
    struct hc_timer *t = in->timer;
    uint8_t bit = (uint8_t)(1 << in->ccr);

    advance(t, now);
    t->s.level[in->select] = (uint8_t)(level ? t->s.level[in->select] | bit : t->s.level[in->select] & ~bit);
    if (ccis(t->s.cctl[in->ccr]) == in->select && captures_edge(t->s.cctl[in->ccr], level))
        capture(t, in->ccr, now);
    publish(t);
}

static void aclk_changing(void *owner, hc_time now)
{
    advance(owner, now);
}

static void aclk_changed(void *owner, hc_time now)
{
    struct hc_timer *t = owner;

    t->s.capture_at = next_aclk_capture(t, now);
    wait_for_fall(t, now);
    publish(t);
}

/* SMCLK stops and starts with every sleep: a timer that does not count it takes no notice. */
static void smclk_changing(void *owner, hc_time now)
{
    if (ssel(owner) == SSEL_SMCLK)
        advance(owner, now);
}

static void smclk_changed(void *owner, hc_time now)
{
    if (ssel(owner) != SSEL_SMCLK)
        return;
    wait_for_fall(owner, now);
    publish(owner);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    struct hc_timer *t = (struct hc_timer *)d;

    advance(t, hc_now(d->machine));
    t->s.cctl[trigger == t->config.dma_ccr0 ? 0 : 2] &= (uint16_t)~CCIFG;
    publish(t);
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_timer *t = (struct hc_timer *)d;

    if (vector != t->config.vector_ccr0)
        return;
    advance(t, hc_now(d->machine));
    t->s.cctl[0] &= (uint16_t)~CCIFG;
    publish(t);
}

/* ---- registers ---- */

enum register_kind { CTL, CCTL, R, CCR, IV };

static enum register_kind decode(const struct hc_timer *t, uint32_t address, int *x)
{
    uint32_t offset = (address & ~1u) - t->config.base;

    *x = 0;
    if ((address & ~1u) == t->config.iv)
        return IV;
    if (offset == 0)
        return CTL;
    if (offset == 0x10)
        return R;
    *x = (int)((offset & 0xf) / 2) - 1;
    return offset & 0x10 ? CCR : CCTL;
}

/* The block that TxIV names, `ccrs` for TxIFG, 0 for none. */
static int highest_pending(const struct hc_timer *t)
{
    for (int x = 1; x < t->config.ccrs; x++)
        if ((t->s.cctl[x] & (CCIE | CCIFG)) == (CCIE | CCIFG))
            return x;
    return (t->s.ctl & (IE | IFG)) == (IE | IFG) ? t->config.ccrs : 0;
}

static uint16_t iv(const struct hc_timer *t)
{
    int x = highest_pending(t);
    return (uint16_t)(x < t->config.ccrs ? 2 * x : t->config.has_latches ? 0x0e : 0x0a);
}

static void clear_highest_pending(struct hc_timer *t)
{
    int x = highest_pending(t);
    if (x == t->config.ccrs)
        t->s.ctl &= (uint16_t)~IFG;
    else if (x)
        t->s.cctl[x] &= (uint16_t)~CCIFG;
}

static uint16_t value_at(const struct hc_timer *t, uint32_t address, int size, hc_time now)
{
    int x;
    uint16_t value = 0;

    switch (decode(t, address, &x)) {
    case CTL:
        value = t->s.ctl;
        break;
    case CCTL:
        value = (uint16_t)(t->s.cctl[x] | (input_level(t, x, t->s.cctl[x], now) ? CCI : 0));
        break;
    case R:
        value = t->s.r;
        break;
    case CCR:
        value = t->s.ccr[x];
        break;
    case IV:
        value = iv(t);
        break;
    }
    return size == 2 ? value : address & 1 ? value >> 8 : value & 0xff;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_timer *t = (struct hc_timer *)d;
    hc_time now = hc_now(d->machine);
    int x;

    advance(t, now);
    uint16_t value = value_at(t, address, size, now);
    enum register_kind kind = decode(t, address, &x);
    if (kind == IV)
        clear_highest_pending(t);
    if (kind == CCR)
        t->s.unread &= (uint8_t)~(1 << x);
    if (kind == IV || lines(t) != t->s.lines || t->s.outputs != t->s.driven)
        publish(t);
    return value;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_timer now_copy = *(struct hc_timer *)d;
    hc_time now = hc_now(d->machine);

    advance(&now_copy, now);
    return value_at(&now_copy, address, size, now);
}

static void write_ctl(struct hc_timer *t, uint16_t value, hc_time now)
{
    t->s.ctl = (uint16_t)(value & ~CLR);
    t->s.tick = ticks(t, now);
    t->s.prescale &= (uint8_t)((1u << divider(t)) - 1);
    t->s.r &= (uint16_t)max_count(t);
    if (value & CLR) {
        t->s.r = 0;
        t->s.prescale = 0;
        t->s.down = false;
    }
    wait_for_fall(t, now);
}

static void write_cctl(struct hc_timer *t, int x, uint16_t value, hc_time now)
{
    uint16_t old = t->s.cctl[x];
    bool before = input_level(t, x, old, now);
    uint16_t kept = t->config.has_latches ? 0 : SCCI, absent = t->config.has_latches ? 0 : 0x0200;

    t->s.cctl[x] = (uint16_t)((value & ~(CCI | kept | absent)) | (old & kept));
    bool after = input_level(t, x, value, now);
    if (before != after && captures_edge(old, after) && captures_edge(value, after))
        capture(t, x, now);
    if (!(value & CAP))
        t->s.capture_due &= (uint8_t)~(1 << x);
    if (!(value & CAP) || (old & ~value & COV))
        t->s.unread &= (uint8_t)~(1 << x);
    if (!outmod(t, x))
        act(t, x, value & OUT ? SET : RESET);
    t->s.capture_at = next_aclk_capture(t, now);
}

static void write_ccr(struct hc_timer *t, int x, uint16_t value)
{
    t->s.ccr[x] = value;
    t->s.written |= (uint8_t)(1 << x);
    if (load_event(t, group(t, x)) == CLLD_NOW) {
        t->s.latch[x] = value;
        t->s.written &= (uint8_t)~(1 << x);
    }
}

/* Byte writes to a word module clear the high byte; those to an odd address are not permitted. */
static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_timer *t = (struct hc_timer *)d;
    hc_time now = hc_now(d->machine);
    int x;

    if (size == 1 && (address & 1)) {
        hc_unknown_register(d, address, true);
        return;
    }
    advance(t, now);
    switch (decode(t, address, &x)) {
    case CTL:
        write_ctl(t, value, now);
        break;
    case CCTL:
        write_cctl(t, x, value, now);
        break;
    case R:
        t->s.r = (uint16_t)(value & max_count(t));
        break;
    case CCR:
        write_ccr(t, x, value);
        break;
    case IV:
        clear_highest_pending(t);
        break;
    }
    publish(t);
}

/* ---- the device ---- */

/* Timers keep running through a PUC; the machine forgets their requests, so they are made again. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_timer *t = (struct hc_timer *)d;

    advance(t, hc_now(d->machine));
    t->s.lines &= (uint8_t)~(LINE_CCR0 | LINE_OTHERS);
    if (kind == HC_POR) {
        t->s.ctl = 0;
        t->s.r = 0;
        t->s.down = false;
        t->s.prescale = 0;
        t->s.tick = ticks(t, hc_now(d->machine));
        t->s.capture_at = t->s.fall_at = HC_NEVER;
        for (int x = 0; x < t->config.ccrs; x++)
            t->s.cctl[x] = t->s.ccr[x] = t->s.latch[x] = 0;
        t->s.written = t->s.unread = t->s.capture_due = t->s.outputs = 0;
    }
    publish(t);
}

static const struct hc_device_ops ops = {
    .name = "timer",
    .help = "Timer_A or Timer_B with its capture/compare blocks",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .interrupt_accepted = interrupt_accepted,
};

static void make_wires(struct hc_timer *t, struct hc_machine *m)
{
    char name[16];

    t->clk = hc_wire_new(m, t->config.clk_wire, 0);
    hc_wire_listen(m, t->clk, clk_changed, t);
    t->inclk = HC_NO_WIRE;
    if (t->config.inclk_wire) {
        t->inclk = hc_wire_new(m, t->config.inclk_wire, 0);
        hc_wire_listen(m, t->inclk, inclk_changed, t);
    }
    for (int x = 0; x < t->config.ccrs; x++) {
        snprintf(name, sizeof name, "%s.out%d", t->config.wires, x);
        t->out[x] = hc_wire_new(m, name, 0);
        t->driver[x] = hc_wire_driver(m, t->out[x]);
        for (int i = 0; i < 2; i++) {
            if (i == CCIS_B && x == t->config.aclk_input)
                continue;
            snprintf(name, sizeof name, "%s.cci%d%c", t->config.wires, x, "ab"[i]);
            t->input[x][i] = (struct input){ t, (uint8_t)x, (uint8_t)i };
            hc_wire_listen(m, hc_wire_new(m, name, 0), input_changed, &t->input[x][i]);
        }
    }
}

struct hc_timer *hc_timer_new(struct hc_machine *m, const struct hc_timer_config *config)
{
    struct hc_timer *t = HC_DEVICE_NEW(m, &ops, config->name, struct hc_timer);
    uint32_t blocks = 2 * (uint32_t)config->ccrs;

    t->config = *config;
    t->s.capture_at = t->s.fall_at = HC_NEVER;
    t->event = hc_event_new(hc_events(m), config->name, fire, t);
    make_wires(t, m);
    hc_device_claim(&t->base, config->base, config->base + 1 + blocks);
    hc_device_claim(&t->base, config->base + 0x10, config->base + 0x11 + blocks);
    hc_device_claim(&t->base, config->iv, config->iv + 1);
    hc_device_owns_vector(&t->base, config->vector_ccr0);
    hc_device_owns_vector(&t->base, config->vector_others);
    hc_clock_listen(config->aclk, (struct hc_clock_listener){ aclk_changing, aclk_changed, t });
    hc_clock_listen(config->smclk, (struct hc_clock_listener){ smclk_changing, smclk_changed, t });
    if (config->dma) {
        hc_dma_connect(config->dma, config->dma_ccr0, &t->base, dma_taken);
        hc_dma_connect(config->dma, config->dma_ccr2, &t->base, dma_taken);
    }
    return t;
}
