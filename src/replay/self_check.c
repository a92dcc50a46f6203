/* Self-checks: each page of a log has a sum of the node's registers and of a window of its memory at one hc_update
 * (FORMAT.md). The replay computes the same sums. */
#include "self_check.h"

#include "../../runtime/codec/sum.h"
#include "explain.h"

enum { WINDOW = 768 };

/* In this order, then the stack. */
static const uint8_t pieces[] = { 0, 1, 3, 4, 5, 6 };
enum { STACK = sizeof pieces, ALTERNATIVES = 3 };

/* A possible next window, and the place after it. */
struct candidate {
    struct hc_memory_range range;
    struct hc_check_window after;
};

static uint32_t at_most(uint32_t start, uint32_t end)
{
    return end - start > WINDOW ? start + WINDOW : end;
}

/* The first place from WINDOW on that is not the end of a piece. */
static struct hc_check_window settle(const struct hc_border *border, struct hc_check_window window)
{
    while (window.piece < STACK) {
        const struct hc_memory_range *piece = &border->link.piece[pieces[window.piece]];
        if (window.offset < piece->end - piece->start && piece->end > piece->start)
            break;
        window = (struct hc_check_window){ .piece = window.piece + 1 };
    }
    return window;
}

static struct candidate in_piece(const struct hc_border *border, struct hc_check_window window)
{
    const struct hc_memory_range *piece = &border->link.piece[pieces[window.piece]];
    uint32_t start = piece->start + window.offset, end = at_most(start, piece->end);
    return (struct candidate){ { start, end }, { window.piece, (uint16_t)(end - piece->start) } };
}

static struct candidate of_stack(const struct hc_border *border, uint32_t sp)
{
    struct candidate c = { .after = { 0 } };
    if (sp >= border->link.free.start && sp < border->link.free.end)
        c.range = (struct hc_memory_range){ sp + 2, at_most(sp + 2, border->link.free.end) };
    return c;
}

/* The windows that the node may have summed up. If DMA writes memory, the node sums up none while a channel may be
 * active. It may skip a stack that is elsewhere. */
static int candidates(const struct hc_replay *r, struct candidate out[ALTERNATIVES])
{
    const struct hc_border *border = &r->border;
    struct hc_check_window window = settle(border, r->s.window);
    int n = 0;
    out[n++] = window.piece < STACK ? in_piece(border, window) : of_stack(border, hc_register(r->machine, HC_SP));
    if (r->regs->dmas)
        out[n++] = (struct candidate){ .after = window };
    struct hc_check_window first = settle(border, (struct hc_check_window){ 0 });
    if (window.piece == STACK && first.piece < STACK && !out[0].range.end)
        out[n++] = in_piece(border, first);
    return n;
}

static uint16_t sum_of(struct hc_replay *r, struct hc_memory_range range)
{
    struct hc_machine *m = r->machine;
    struct hc_sum sum = { 0, 0 };
    uint32_t sp = hc_register(m, HC_SP);
    hc_sum_add(&sum, (uint16_t)hc_position_count(&r->border, m));
    hc_sum_add(&sum, (uint16_t)sp);
    for (int i = r->cpu->first_general; i <= r->cpu->last_self_checked; i++)
        hc_sum_add(&sum, (uint16_t)hc_register(m, i));
    hc_sum_add(&sum, hc_peek16(m, sp + 2));
    for (uint32_t a = range.start; a + 1 < range.end; a += 2)
        hc_sum_add(&sum, hc_peek16(m, a));
    return hc_sum_value(&sum);
}

/* The self-check that comes before the next event, if there is one. */
static bool is_due(struct hc_replay *r, struct hc_feed_check *check)
{
    return hc_feed_check(r->feed, check) && check->after <= hc_feed_taken(r->feed);
}

/* Bytes of the pieces before PLACE. */
static uint32_t bytes_before(const struct hc_border *border, struct hc_check_window place)
{
    uint32_t bytes = place.offset;
    for (uint16_t i = 0; i < place.piece && i < STACK; i++) {
        const struct hc_memory_range *piece = &border->link.piece[pieces[i]];
        bytes += piece->end > piece->start ? piece->end - piece->start : 0;
    }
    return bytes;
}

/* Windows come in one order, so the longest cycle contained what any of them did. */
static void note_seen(struct hc_replay *r, const struct candidate *c)
{
    struct hc_self_checks *checks = &r->s.checks;
    uint32_t seen = bytes_before(&r->border, c->after);

    checks->seen = seen > checks->seen ? seen : checks->seen;
    checks->stack_seen |= !seen && c->range.end > c->range.start;
}

static bool agrees(struct hc_replay *r, const struct hc_feed_check *check)
{
    struct candidate candidate[ALTERNATIVES];
    int n = candidates(r, candidate);
    for (int i = 0; i < n; i++) {
        if (sum_of(r, candidate[i].range) != check->sum)
            continue;
        r->s.window = candidate[i].after;
        note_seen(r, &candidate[i]);
        return true;
    }
    if (!r->s.checks.tried++) {
        r->s.checks.differs_at = hc_replay_instruction(r);
        r->s.checks.start = candidate[0].range.start;
        r->s.checks.end = candidate[0].range.end;
    }
    return false;
}

void hc_self_check_begin(struct hc_replay *r)
{
    r->s.window = (struct hc_check_window){ 0 };
    r->s.checks.tried = 0;
}

void hc_self_check_update(struct hc_replay *r)
{
    struct hc_feed_check check;
    while (is_due(r, &check) && check.count == (uint8_t)hc_position_count(&r->border, r->machine)) {
        if (!agrees(r, &check))
            return;
        hc_feed_take_check(r->feed);
        r->s.checks.tried = 0;
        r->s.checks.agreed++;
        r->s.checks.instruction = hc_replay_instruction(r);
        r->s.checks.time_us = r->s.time_us;
    }
}

bool hc_self_check_over(struct hc_replay *r)
{
    struct hc_feed_check check;
    if (!is_due(r, &check))
        return true;
    r->s.checks.failed = true;
    hc_explain_self_check(r, &check);
    return false;
}

void hc_replay_checks(const struct hc_replay *r, struct hc_replay_checks *out)
{
    *out = (struct hc_replay_checks){
        .agreed = r->s.checks.agreed,
        .made = r->s.checks.agreed + r->s.checks.failed,
        .instruction = r->s.checks.instruction,
        .time_us = r->s.checks.time_us,
        .variables = bytes_before(&r->border, (struct hc_check_window){ .piece = STACK }),
        .seen = r->s.checks.seen,
        .stack_seen = r->s.checks.stack_seen,
    };
}
