/* Timer_A3 and Timer_B7 under random settings and random waits: against a model that counts one by one, and against
 * themselves when nothing is left to be computed on demand.
 *
 * The random numbers are the same in every run; a failure names its round. */
#include "clock_bench.h"

#include <stdio.h>

enum { TACTL = 0x160, TBCTL = 0x180, TAIV = 0x12e, TBIV = 0x11e };
enum { CTL = 0x00, CCTL = 0x02, R = 0x10, CCR = 0x12 }; /* from TxCTL */
enum { ACLK = 0x0100, IE = 0x02, IFG = 0x01 };
enum { CCIFG = 0x0001, COV = 0x0002, CCIE = 0x0010, CAP = 0x0100, SCS = 0x0800, CCIS_B = 0x1000 };
enum { RISING = 1, FALLING = 2 }; /* CMx */

static struct bench *new_bench(void)
{
    struct bench *b = bench_new();
    struct hc_timer_config ta = hc_timer_a3, tb = hc_timer_b7;

    ta.aclk = tb.aclk = b->aclk;
    ta.smclk = tb.smclk = b->smclk;
    hc_timer_new(b->m, &ta);
    hc_timer_new(b->m, &tb);
    bench_start(b);
    set(b, WDTCTL, 0x5a80);
    return b;
}

static uint32_t random_from(uint32_t *seed, uint32_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed % below;
}

/* ---- against a model that counts one by one ---- */

/* The last block may capture ACLK, which is also the clock that is counted. */
struct model {
    bool latches;
    int mc;
    unsigned blocks, r;
    bool down, ifg;
    unsigned ccr[7], latch[7], clld[7], outmod[7];
    bool ccifg[7], out[7], fresh[7];
    unsigned edges; /* that are captured; 0 in compare mode */
    bool scs, due, unread, cov;
};

static void model_load(struct model *t, unsigned event, bool own_only)
{
    for (unsigned x = 0; x < t->blocks; x++)
        if (t->fresh[x] && ((event >> t->clld[x]) & 1) && (!own_only || t->latch[x] == t->r)) {
            t->latch[x] = t->ccr[x];
            t->fresh[x] = false;
        }
}

static void model_output(struct model *t, unsigned x, bool equx, bool equ0)
{
    unsigned mode = t->outmod[x];

    if (equ0 && (mode == 2 || mode == 3))
        t->out[x] = false;
    if (equ0 && (mode == 6 || mode == 7))
        t->out[x] = true;
    if (!equx)
        return;
    if (mode == 1 || mode == 3)
        t->out[x] = true;
    if (mode == 5 || mode == 7)
        t->out[x] = false;
    if (mode == 2 || mode == 4 || mode == 6)
        t->out[x] = !t->out[x];
}

static bool model_count(struct model *t)
{
    unsigned top = t->latch[0];

    if (t->mc == 0 || (t->mc != 2 && top == 0 && t->r == 0))
        return false;
    if (t->mc == 2) {
        t->r = (t->r + 1) & 0xffff;
    } else if (t->mc == 1) {
        t->r = t->r >= top ? 0 : t->r + 1;
    } else {
        t->down = t->r && (t->down || t->r >= top); /* at zero it can only go up */
        t->r = t->down ? t->r - 1 : t->r + 1;
        if (t->r == 0)
            t->down = false;
    }
    return true;
}

static void model_capture(struct model *t)
{
    unsigned x = t->blocks - 1;

    t->cov |= t->unread;
    t->unread = true;
    t->ccifg[x] = true;
    t->ccr[x] = t->r;
    if (!t->latches)
        t->latch[x] = t->r;
}

static void model_edge(struct model *t, unsigned edge)
{
    if (!(t->edges & edge))
        return;
    if (t->scs)
        t->due = true;
    else
        model_capture(t);
}

/* ACLK falls; captures that waited for it come before it is itself captured. */
static void model_fall(struct model *t)
{
    if (t->due)
        model_capture(t);
    t->due = false;
    model_edge(t, FALLING);
}

static void model_rise(struct model *t)
{
    bool equ[7] = { false };

    if (!model_count(t))
        return;
    if (t->r == 0) {
        t->ifg = true;
        model_load(t, 1 << 1 | 1 << 2, false);
    }
    for (unsigned x = 0; x < t->blocks; x++) {
        bool captures = t->edges && x == t->blocks - 1;
        equ[x] = t->latch[x] == t->r && !captures && !(x == 0 && t->mc == 3 && t->down);
        t->ccifg[x] |= equ[x];
    }
    bool equ0 = t->mc == 1 ? t->r == 0 : equ[0];
    for (unsigned x = 0; x < t->blocks; x++)
        model_output(t, x, x ? equ[x] : equ0, equ0);
    bool top = t->mc == 3 && equ[0];
    model_load(t, 1 << 3, true);
    if (top)
        model_load(t, 1 << 2, false);
}

/* One period of ACLK, from after a rise to after the next. */
static void model_period(struct model *t)
{
    model_fall(t);
    model_rise(t);
    model_edge(t, RISING);
}

struct pair {
    struct bench *b;
    struct model model;
    uint32_t ctl;
    const char *prefix;
    uint32_t seed;
};

/* CCIFG and COV are written as 0. */
static uint16_t random_capture(struct pair *p)
{
    struct model *t = &p->model;

    t->edges = random_from(&p->seed, 4);
    t->scs = random_from(&p->seed, 2);
    t->due &= t->edges != 0;
    t->unread &= t->edges && !t->cov;
    t->cov = false;
    return (uint16_t)(t->edges << 14 | CCIS_B | (t->scs ? SCS : 0) | (t->edges ? CAP : 0));
}

static void random_change(struct pair *p)
{
    struct model *t = &p->model;
    uint32_t x = random_from(&p->seed, t->blocks), span = random_from(&p->seed, 3) ? 12 : 3000;
    uint16_t value = (uint16_t)random_from(&p->seed, span);

    switch (random_from(&p->seed, 8)) {
    case 0:
        t->mc = (int)random_from(&p->seed, 4);
        t->ifg = false;
        set(p->b, p->ctl, (uint16_t)(ACLK | t->mc << 4 | (random_from(&p->seed, 2) ? IE : 0)));
        break;
    case 1:
        t->r = value;
        set(p->b, p->ctl + R, value);
        break;
    case 2:
    case 3:
        t->outmod[x] = random_from(&p->seed, 8);
        t->ccifg[x] = false;
        t->clld[x] = t->latches ? random_from(&p->seed, 4) : 0;
        if (!t->outmod[x])
            t->out[x] = false;
        set(p->b, p->ctl + CCTL + 2 * x,
            (uint16_t)(t->outmod[x] << 5 | t->clld[x] << 9 | (random_from(&p->seed, 2) ? CCIE : 0) |
                       (x == t->blocks - 1 ? random_capture(p) : 0)));
        break;
    default:
        t->ccr[x] = value;
        t->fresh[x] = true;
        if (t->clld[x] == 0) {
            t->latch[x] = value;
            t->fresh[x] = false;
        }
        set(p->b, p->ctl + CCR + 2 * x, value);
    }
}

static void compare(struct pair *p, uint32_t round)
{
    char name[16];
    unsigned last = p->model.blocks - 1;

    if (get(p->b, p->ctl + R) != p->model.r || (get(p->b, p->ctl) & IFG) != (p->model.ifg ? IFG : 0))
        fail_msg("%s: round %u: count %u, not %u, or IFG", p->prefix, round, get(p->b, p->ctl + R), p->model.r);
    for (unsigned x = 0; x < p->model.blocks; x++) {
        snprintf(name, sizeof name, "%s.out%u", p->prefix, x);
        if ((get(p->b, p->ctl + CCTL + 2 * x) & CCIFG) != (p->model.ccifg[x] ? CCIFG : 0))
            fail_msg("%s: round %u: CCIFG of block %u", p->prefix, round, x);
        if (hc_wire_level(p->b->m, hc_wire_find(p->b->m, name)) != p->model.out[x])
            fail_msg("%s: round %u: output %u", p->prefix, round, x);
    }
    if ((get(p->b, p->ctl + CCTL + 2 * last) & COV) != (p->model.cov ? COV : 0))
        fail_msg("%s: round %u: COV", p->prefix, round);
    if (random_from(&p->seed, 2))
        return;
    p->model.unread = false;
    if (get(p->b, p->ctl + CCR + 2 * last) != p->model.ccr[last])
        fail_msg("%s: round %u: captured %u", p->prefix, round, p->model.ccr[last]);
}

/* Random settings and random waits, some of thousands of periods; no interrupt is accepted (GIE = 0). */
static void like_a_counter(void **state)
{
    struct bench *b = *state = new_bench();
    struct pair pairs[] = {
        { b, { .blocks = 3 }, TACTL, "ta", 12345 },
        { b, { .blocks = 7, .latches = true }, TBCTL, "tb", 54321 },
    };

    for (unsigned i = 0; i < 2; i++) {
        struct pair *p = &pairs[i];
        uint64_t edge = hc_now(b->m) / ACLK_PERIOD + 1;
        to_edge(b, edge);
        set(b, p->ctl, ACLK);
        for (uint32_t round = 0; round < 4000; round++) {
            random_change(p);
            compare(p, round);
            uint32_t wait = random_from(&p->seed, random_from(&p->seed, 4) ? 30 : 20000);
            for (uint32_t n = 0; n < wait; n++)
                model_period(&p->model);
            to_edge(b, edge += wait);
            compare(p, round);
        }
    }
}

/* ---- against itself, looked at with every quarter of an ACLK period ---- */

/* The same timer twice. Of the second one nothing has time to pass unseen: it is what the first must look like. */
struct twins {
    struct bench *b[2];
    uint32_t ctl, iv, blocks;
    const char *prefix;
    uint32_t seed;
};

static uint32_t pick(struct twins *w, uint32_t below)
{
    return random_from(&w->seed, below);
}

static void set_both(struct twins *w, uint32_t address, uint16_t value)
{
    set(w->b[0], address, value);
    set(w->b[1], address, value);
}

static void drive_both(struct twins *w, const char *wire, int32_t level)
{
    for (int i = 0; i < 2; i++)
        hc_wire_set(w->b[i]->m, hc_wire_find(w->b[i]->m, wire), level);
}

static void change_clocks(struct twins *w)
{
    static const uint16_t sleeps[] = { 0, 0, HC_SR_SCG1, HC_SR_SCG1 | HC_SR_OSCOFF };
    uint16_t sleep = sleeps[pick(w, 4)];

    switch (pick(w, 4)) {
    case 0:
        set_both(w, BCSCTL1, (uint16_t)(0x84 | pick(w, 4) << 4)); /* ACLK's divider */
        break;
    case 1:
        set_both(w, BCSCTL2, (uint16_t)(pick(w, 4) << 1)); /* SMCLK's */
        break;
    case 2:
        set_both(w, DCOCTL, (uint16_t)(pick(w, 8) << 5));
        break;
    case 3:
        for (int i = 0; i < 2; i++)
            hc_set_register(w->b[i]->m, HC_SR, HC_SR_CPUOFF | sleep);
    }
}

static void change_wires(struct twins *w)
{
    char name[16];

    if (pick(w, 2))
        snprintf(name, sizeof name, "%sclk", w->prefix);
    else
        snprintf(name, sizeof name, "%s.cci%u%c", w->prefix, pick(w, w->blocks - 1), "ab"[pick(w, 2)]);
    drive_both(w, name, (int32_t)pick(w, 2));
}

/* Mostly a capture of ACLK for the last block, anything for the others. */
static uint16_t random_cctl(struct twins *w, uint32_t x)
{
    uint16_t value = (uint16_t)(pick(w, 0x10000) & ~(pick(w, 2) ? CCIE : 0));

    if (x < w->blocks - 1 || !pick(w, 8))
        return value;
    return (uint16_t)((value & 0xcfff) | CCIS_B | CAP);
}

/* Reads that change something: the captured value, TxIV. */
static void read_both(struct twins *w, uint32_t address, uint32_t round)
{
    uint16_t seen = get(w->b[0], address), wanted = get(w->b[1], address);

    if (seen != wanted)
        fail_msg("%s: round %u: read %04x of %03x, not %04x", w->prefix, round, seen, address, wanted);
}

static void change_both(struct twins *w, uint32_t round)
{
    uint32_t last = 2 * (w->blocks - 1), x = pick(w, w->blocks);
    uint16_t value = (uint16_t)pick(w, pick(w, 2) ? 0x10000 : 40);

    switch (pick(w, 10)) {
    case 0:
        set_both(w, w->ctl, (uint16_t)pick(w, 0x10000));
        break;
    case 1:
        set_both(w, w->ctl + R, value);
        break;
    case 2:
        set_both(w, w->ctl + CCR + 2 * x, value);
        break;
    case 3:
        set_both(w, w->ctl + CCTL + 2 * x, random_cctl(w, x));
        break;
    case 4:
        set_both(w, w->ctl + CCTL + last, random_cctl(w, w->blocks - 1));
        break;
    case 5:
        read_both(w, w->ctl + CCR + last, round);
        break;
    case 6:
        read_both(w, w->iv, round);
        break;
    case 7: /* clears CCIFG, COV or both, and leaves the rest */
        value = (uint16_t)(hc_peek16(w->b[0]->m, w->ctl + CCTL + last) & ~(1 + pick(w, 3)));
        set_both(w, w->ctl + CCTL + last, value);
        break;
    case 8:
        change_wires(w);
        break;
    case 9:
        change_clocks(w);
        break;
    }
}

static void compare_twins(struct twins *w, uint32_t round)
{
    for (uint32_t a = w->ctl; a < w->ctl + CCR + 2 * w->blocks; a += 2) {
        if (a >= w->ctl + CCTL + 2 * w->blocks && a < w->ctl + R)
            continue;
        uint16_t seen = hc_peek16(w->b[0]->m, a), wanted = hc_peek16(w->b[1]->m, a);
        if (seen != wanted)
            fail_msg("%s: round %u: %03x is %04x, not %04x", w->prefix, round, a, seen, wanted);
    }
    for (unsigned x = 0; x < w->blocks; x++) {
        char name[16];
        snprintf(name, sizeof name, "%s.out%u", w->prefix, x);
        if (hc_wire_level(w->b[0]->m, hc_wire_find(w->b[0]->m, name)) !=
            hc_wire_level(w->b[1]->m, hc_wire_find(w->b[1]->m, name)))
            fail_msg("%s: round %u: output %u", w->prefix, round, x);
    }
}

/* Enabled for a moment, both accept the same interrupts at the same time. */
static void compare_requests(struct twins *w, uint32_t round)
{
    for (int i = 0; i < 2; i++) {
        uint32_t sr = hc_register(w->b[i]->m, HC_SR);
        hc_set_register(w->b[i]->m, HC_SR, sr | HC_SR_GIE);
        run_for(w->b[i], hc_us(1));
        hc_set_register(w->b[i]->m, HC_SR, sr);
    }
    for (int vector = 0; vector < 15; vector++)
        if (w->b[0]->interrupts[vector] != w->b[1]->interrupts[vector] ||
            w->b[0]->accepted[vector] != w->b[1]->accepted[vector])
            fail_msg("%s: round %u: interrupt %d", w->prefix, round, vector);
}

static void wait_both(struct twins *w)
{
    static const uint32_t longest[] = { 3, 3, 20, 600 }; /* periods of ACLK, undivided */
    hc_time now = hc_now(w->b[0]->m);
    hc_time wait = longest[pick(w, 4)] * (ACLK_PERIOD >> 12) * pick(w, 1 << 12);

    if (pick(w, 2)) /* to an edge */
        wait = (now + wait) / (ACLK_PERIOD / 2) * (ACLK_PERIOD / 2) - now;
    if ((int64_t)wait < 0)
        return;
    run_to(w->b[0], now + wait);
    for (hc_time t = now; t < now + wait; t += ACLK_PERIOD / 4) {
        run_to(w->b[1], t);
        (void)get(w->b[1], w->ctl + R);
    }
    run_to(w->b[1], now + wait);
}

static void like_its_twin(void **state)
{
    static const struct twins timers[] = {
        { .ctl = TACTL, .iv = TAIV, .blocks = 3, .prefix = "ta", .seed = 2463534242 },
        { .ctl = TBCTL, .iv = TBIV, .blocks = 7, .prefix = "tb", .seed = 88172645 },
    };

    for (unsigned i = 0; i < 2; i++) {
        struct twins w = timers[i];
        w.b[0] = new_bench();
        w.b[1] = new_bench();
        for (uint32_t round = 0; round < 6000; round++) {
            change_both(&w, round);
            compare_twins(&w, round);
            wait_both(&w);
            compare_twins(&w, round);
            if (!pick(&w, 8))
                compare_requests(&w, round);
        }
        *state = w.b[0];
        bench_free(state);
        *state = w.b[1];
        bench_free(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(like_a_counter, bench_free),
        cmocka_unit_test(like_its_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
