/* The capture/compare blocks: inputs, captures, compare latches, output units, and when they next do something that is
 * seen. */
#include "timer_internal.h"

#include <string.h>

/* ---- inputs, captures ---- */

static bool aclk_level(const struct hc_timer *t, hc_time when)
{
    const struct hc_clock_state *a = &t->config.aclk->s;
    return a->period && when >= a->origin && (when - a->origin) % a->period < a->period / 2;
}

bool hc_timer_input_level(const struct hc_timer *t, int x, uint16_t cctl, hc_time when)
{
    switch (hc_timer_ccis(cctl)) {
    case CCIS_GND:
        return false;
    case CCIS_VCC:
        return true;
    case CCIS_B:
        if (x == t->config.aclk_input)
            return aclk_level(t, when);
        break;
    }
    return t->s.level[hc_timer_ccis(cctl)] >> x & 1;
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

static void wait_for_fall(struct hc_timer *t, hc_time when)
{
    t->s.fall_at = t->s.capture_due ? hc_timer_next_fall(t, when) : HC_NEVER;
}

void hc_timer_take_due_captures(struct hc_timer *t)
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

    if (x < 0 || !a->period || hc_timer_ccis(t->s.cctl[x]) != CCIS_B)
        return HC_NEVER;
    hc_time last_rise = when < a->origin ? a->origin - a->period : when - (when - a->origin) % a->period;
    hc_time rise = captures_edge(t->s.cctl[x], true) ? last_rise + a->period : HC_NEVER;
    hc_time fall = HC_NEVER;
    if (captures_edge(t->s.cctl[x], false))
        fall = last_rise + a->period / 2 > when ? last_rise + a->period / 2 : last_rise + a->period / 2 + a->period;
    return rise < fall ? rise : fall;
}

void hc_timer_input_changed(struct hc_timer *t, int x, int select, bool level, hc_time now)
{
    uint8_t bit = (uint8_t)(1 << x);

    t->s.level[select] = (uint8_t)(level ? t->s.level[select] | bit : t->s.level[select] & ~bit);
    if (hc_timer_ccis(t->s.cctl[x]) == select && captures_edge(t->s.cctl[x], level))
        capture(t, x, now);
}

void hc_timer_find_edges(struct hc_timer *t, hc_time now)
{
    t->s.capture_at = next_aclk_capture(t, now);
    wait_for_fall(t, now);
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

/* Loads due at TBCL0 and TBCLx, after the comparison with the values COMPARED has had its effect. */
static void load_at_match(struct hc_timer *t, bool top, const uint16_t *compared)
{
    for (int x = 0; x < t->config.ccrs; x++) {
        if (!load_pending(t, x))
            continue;
        int event = load_event(t, group(t, x));
        if ((event == CLLD_ZERO_OR_TOP && top) || (event == CLLD_OWN && compared[x] == t->s.r))
            load(t, group(t, x));
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
    return x || hc_timer_mode(t) != UP_DOWN || !t->s.down; /* TxCCR0 is reached from below only */
}

/* CCIFG, and SCCI of Timer_A, of the blocks that equal the count. Returns them, a bit each. */
static unsigned match(struct hc_timer *t, hc_time when)
{
    unsigned equ = 0;

    for (int x = 0; x < t->config.ccrs; x++) {
        if (!equals(t, x))
            continue;
        equ |= 1u << x;
        t->s.cctl[x] |= CCIFG;
        if (t->config.has_latches)
            continue;
        t->s.cctl[x] &= (uint16_t)~SCCI;
        if (hc_timer_input_level(t, x, t->s.cctl[x], when))
            t->s.cctl[x] |= SCCI;
    }
    return equ;
}

static void switch_outputs(struct hc_timer *t, unsigned equ, bool equ0)
{
    for (int x = 0; x < t->config.ccrs; x++) {
        if (equ0)
            act(t, x, output_mode[outmod(t, x)].equ0);
        if (x ? equ >> x & 1 : equ0)
            act(t, x, output_mode[outmod(t, x)].equx);
    }
}

/* The counter has just taken its value, at WHEN. */
static void arrive(struct hc_timer *t, int counting, hc_time when)
{
    bool zero = !t->s.r;
    uint16_t compared[HC_TIMER_CCRS_MAX];

    if (zero) {
        t->s.ctl |= IFG;
        load_at_zero(t);
    }
    memcpy(compared, t->s.latch, sizeof compared);
    unsigned equ = match(t, when);
    switch_outputs(t, equ, counting == UP ? zero : equ & 1);
    if (t->s.written)
        load_at_match(t, counting == UP_DOWN && (equ & 1), compared);
}

static uint32_t counts_to_next_point(const struct hc_timer *t)
{
    uint32_t next = hc_timer_counts_to(t, 0);
    for (int x = 0; x < t->config.ccrs; x++) {
        uint32_t n = hc_timer_counts_to(t, t->s.latch[x]);
        if (n < next)
            next = n;
    }
    return next;
}

static void count(struct hc_timer *t, uint64_t n, hc_time now)
{
    if (!any_load_pending(t))
        n = hc_timer_cut(t, n);
    while (n) {
        uint32_t next = counts_to_next_point(t);
        int counting = hc_timer_mode(t);
        if (next > n) {
            hc_timer_move(t, (uint32_t)n);
            return;
        }
        hc_timer_move(t, next);
        n -= next;
        arrive(t, counting, hc_timer_time_of_count(t, n, now));
    }
}

void hc_timer_count_to(struct hc_timer *t, hc_time when)
{
    uint64_t tick = hc_timer_ticks(t, when);

    if (tick <= t->s.tick)
        return;
    uint64_t n = tick - t->s.tick + t->s.prescale;
    t->s.tick = tick;
    t->s.prescale = (uint8_t)(n % hc_timer_division(t));
    count(t, n / hc_timer_division(t), when);
}

/* Block 0 captures into the value that is counted to. */
static bool captures_period(const struct hc_timer *t)
{
    int mode = hc_timer_mode(t);

    return t->config.aclk_input == 0 && (mode == UP || mode == UP_DOWN);
}

/* Of a long row of captures of ACLK nothing remains but the last value, CCIFG, and COV after two that were not read:
 * all but the last few are left out, unless counting depends on them. With SCS a capture takes an edge of ACLK and then
 * one of the timer clock. A latch that is about to load a captured value has an event, and so is not passed over. */
static void skip_captures(struct hc_timer *t, hc_time now)
{
    enum { LAST = 3 };
    const struct hc_clock *clock = hc_timer_source(t);
    hc_time span = LAST * t->config.aclk->s.period;

    if (captures_period(t))
        return;
    if (clock && (t->s.cctl[t->config.aclk_input] & SCS))
        span += LAST * clock->s.period * hc_timer_division(t);
    if (now - t->s.capture_at > span)
        t->s.capture_at = next_aclk_capture(t, now - span);
}

void hc_timer_advance(struct hc_timer *t, hc_time now)
{
    if (t->s.capture_at <= now)
        skip_captures(t, now);
    while (t->s.capture_at <= now || t->s.fall_at <= now) {
        if (t->s.fall_at <= t->s.capture_at) {
            hc_timer_count_to(t, t->s.fall_at);
            hc_timer_take_due_captures(t);
        } else {
            hc_timer_count_to(t, t->s.capture_at);
            capture(t, t->config.aclk_input, t->s.capture_at);
            t->s.capture_at = next_aclk_capture(t, t->s.capture_at);
        }
    }
    hc_timer_count_to(t, now);
}

/* ---- what will be seen ---- */

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* CCIFG of block X will be seen when it is set. */
static bool watched(const struct hc_timer *t, int x)
{
    return !(t->s.cctl[x] & CCIFG) && ((t->s.cctl[x] & CCIE) || hc_timer_dma_source(t, x));
}

static uint32_t counts_to_output(const struct hc_timer *t, int x)
{
    uint32_t n = NEVER;
    uint8_t equx = output_mode[outmod(t, x)].equx, equ0 = output_mode[outmod(t, x)].equ0;
    uint32_t to_equ0 = hc_timer_counts_to(t, hc_timer_mode(t) == UP ? 0 : t->s.latch[0]);

    if (has_effect(t, x, equ0))
        n = to_equ0;
    if (has_effect(t, x, equx) && (!x || !(t->s.cctl[x] & CAP)))
        n = earlier(n, x ? hc_timer_counts_to(t, t->s.latch[x]) : to_equ0);
    return n;
}

static uint32_t counts_to_load(const struct hc_timer *t, int x)
{
    switch (load_event(t, group(t, x))) {
    case CLLD_OWN:
        return hc_timer_counts_to(t, t->s.latch[x]);
    case CLLD_ZERO_OR_TOP:
        return earlier(hc_timer_counts_to(t, 0), hc_timer_counts_to(t, t->s.latch[0]));
    default:
        return hc_timer_counts_to(t, 0);
    }
}

/* Counts until something changes that is seen without a read. */
static uint32_t counts_to_event(const struct hc_timer *t)
{
    uint32_t n = NEVER;

    if ((t->s.ctl & (IE | IFG)) == IE)
        n = hc_timer_counts_to(t, 0);
    for (int x = 0; x < t->config.ccrs; x++) {
        if (watched(t, x) && !(t->s.cctl[x] & CAP))
            n = earlier(n, hc_timer_counts_to(t, t->s.latch[x]));
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

    if (t->s.capture_at < at && (watched(t, t->config.aclk_input) || captures_period(t)))
        at = t->s.capture_at;
    for (int x = 0; t->s.capture_due >> x; x++)
        if ((t->s.capture_due >> x & 1) && (!x || watched(t, x)) && t->s.fall_at < at)
            at = t->s.fall_at;
    return at;
}

hc_time hc_timer_next_event(const struct hc_timer *t)
{
    hc_time counted = hc_timer_time_in_counts(t, counts_to_event(t)), captured = next_watched_capture(t);
    return captured < counted ? captured : counted;
}

/* ---- registers ---- */

void hc_timer_write_cctl(struct hc_timer *t, int x, uint16_t value, hc_time now)
{
    uint16_t old = t->s.cctl[x];
    bool before = hc_timer_input_level(t, x, old, now);
    uint16_t kept = t->config.has_latches ? 0 : SCCI, absent = t->config.has_latches ? 0 : 0x0200;

    t->s.cctl[x] = (uint16_t)((value & ~(CCI | kept | absent)) | (old & kept));
    bool after = hc_timer_input_level(t, x, value, now);
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

void hc_timer_write_ccr(struct hc_timer *t, int x, uint16_t value)
{
    t->s.ccr[x] = value;
    t->s.written |= (uint8_t)(1 << x);
    if (load_event(t, group(t, x)) == CLLD_NOW) {
        t->s.latch[x] = value;
        t->s.written &= (uint8_t)~(1 << x);
    }
}
