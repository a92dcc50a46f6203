#include "frames.h"

#include <stdlib.h>

enum { DEEPEST = 1024, CODE_WORDS = 1 << 19, FIRST_SLOTS = 256, UNKNOWN = 0, KNOWN = 1 };

struct invocation {
    uint32_t slot; /* address of the return address */
    uint32_t serial, context, call_site;
    uint64_t entered; /* time */
    bool interrupt;
    bool whole; /* an interrupt's: SR has been saved, too */
};

struct context {
    uint32_t parent, call_site;
};

struct hc_power_frames {
    struct hc_machine *machine;
    uint8_t *flow; /* of each word of code: KNOWN + enum hc_flow, or UNKNOWN */
    int depth;
    struct invocation frame[DEEPEST]; /* [0]: whoever runs first */
    uint32_t serials;
    bool leaves; /* a RET has been seen at `left`: frames up to there end with that instruction */
    uint32_t left;
    uint64_t left_at;
    struct context *context; /* [0]: the outermost */
    uint32_t contexts, room;
    uint32_t *slot; /* hash table: index */
    uint32_t slots;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

struct hc_power_frames *hc_power_frames_new(struct hc_machine *m)
{
    struct hc_power_frames *f = allocated(calloc(1, sizeof *f));

    f->machine = m;
    f->flow = allocated(calloc(CODE_WORDS, 1));
    f->frame[0].slot = UINT32_MAX;
    f->depth = 1;
    f->contexts = 1;
    return f;
}

void hc_power_frames_free(struct hc_power_frames *f)
{
    if (!f)
        return;
    free(f->flow);
    free(f->context);
    free(f->slot);
    free(f);
}

/* ---- contexts ---- */

static uint32_t context_slot(const struct hc_power_frames *f, uint32_t parent, uint32_t call_site)
{
    uint32_t i = (parent * 0x9e3779b1u ^ call_site * 0x85ebca6bu) >> 4 & (f->slots - 1);

    while (f->slot[i] && (f->context[f->slot[i]].parent != parent || f->context[f->slot[i]].call_site != call_site))
        i = (i + 1) & (f->slots - 1);
    return i;
}

static void grow_contexts(struct hc_power_frames *f)
{
    f->slots = f->slots ? 2 * f->slots : FIRST_SLOTS;
    f->room = f->slots / 2;
    f->context = allocated(realloc(f->context, f->room * sizeof *f->context));
    free(f->slot);
    f->slot = allocated(calloc(f->slots, sizeof *f->slot));
    for (uint32_t i = 1; i < f->contexts; i++)
        f->slot[context_slot(f, f->context[i].parent, f->context[i].call_site)] = i;
}

static uint32_t context_below(struct hc_power_frames *f, uint32_t parent, uint32_t call_site)
{
    if (f->contexts >= f->room)
        grow_contexts(f);
    uint32_t slot = context_slot(f, parent, call_site);
    if (!f->slot[slot]) {
        f->context[f->contexts] = (struct context){ parent, call_site };
        f->slot[slot] = f->contexts++;
    }
    return f->slot[slot];
}

size_t hc_power_frames_context(const struct hc_power_frames *f, uint32_t context, uint32_t *pcs, size_t max)
{
    size_t n = 0;

    for (; context; context = f->context[context].parent, n++)
        if (n < max)
            pcs[n] = f->context[context].call_site;
    return n;
}

/* ---- frames ---- */

static struct invocation *top(struct hc_power_frames *f)
{
    return &f->frame[f->depth - 1];
}

static void end_frames_up_to(struct hc_power_frames *f, uint32_t address)
{
    while (f->depth > 1 && top(f)->slot <= address)
        f->depth--;
}

static void enter(struct hc_power_frames *f, uint32_t slot, uint32_t call_site, uint64_t time, bool interrupt)
{
    end_frames_up_to(f, slot);
    uint32_t context = context_below(f, top(f)->context, call_site);
    if (f->depth < DEEPEST)
        f->depth++;
    *top(f) = (struct invocation){ slot, ++f->serials, context, call_site, time, interrupt, false };
}

static enum hc_flow flow_at(struct hc_power_frames *f, uint32_t pc)
{
    uint8_t *known = &f->flow[pc >> 1 & (CODE_WORDS - 1)];

    if (*known == UNKNOWN)
        *known = (uint8_t)(KNOWN + hc_flow_at(f->machine, pc));
    return (enum hc_flow)(*known - KNOWN);
}

/* The return address of a call, in one word or two. */
static void call(struct hc_power_frames *f, const struct hc_access *access, uint64_t time)
{
    if (top(f)->entered == time && top(f)->call_site == access->pc && !top(f)->interrupt)
        top(f)->slot = access->address;
    else
        enter(f, access->address, access->pc, time, false);
}

/* PC, then SR. */
static void interrupt(struct hc_power_frames *f, const struct hc_access *access, uint64_t time)
{
    if (top(f)->interrupt && !top(f)->whole && top(f)->slot == access->address + 2)
        top(f)->whole = true;
    else
        enter(f, access->address, HC_BY_INTERRUPT, time, true);
}

static void finish_return(struct hc_power_frames *f, uint64_t time)
{
    if (!f->leaves || time == f->left_at)
        return;
    f->leaves = false;
    end_frames_up_to(f, f->left);
}

struct hc_accessor hc_power_frames_access(struct hc_power_frames *f, const struct hc_access *access, uint64_t time)
{
    bool outside = access->pc == UINT32_MAX;
    bool at_stack_pointer = access->address == hc_register(f->machine, HC_SP);
    enum hc_flow flow = outside ? HC_FLOW_OTHER : flow_at(f, access->pc);
    uint32_t pc = access->pc;

    finish_return(f, outside ? time + 1 : time);
    if (outside && access->write && at_stack_pointer) {
        interrupt(f, access, time);
        pc = HC_BY_INTERRUPT;
    } else if (outside) {
        pc = HC_BY_DMA;
    } else if (flow == HC_FLOW_CALL && access->write && at_stack_pointer) {
        call(f, access, time);
    } else if ((flow == HC_FLOW_RETURN || flow == HC_FLOW_INTERRUPT_RETURN) && !access->write) {
        f->leaves = true;
        f->left = access->address;
        f->left_at = time;
    }
    return (struct hc_accessor){ pc, top(f)->serial, top(f)->context };
}

struct hc_accessor hc_power_frames_current(const struct hc_power_frames *f)
{
    const struct invocation *running = &f->frame[f->depth - 1];

    return (struct hc_accessor){ 0, running->serial, running->context };
}

uint32_t hc_power_frames_call_site(const struct hc_power_frames *f)
{
    return f->frame[f->depth - 1].call_site;
}
