#include "stacks.h"

#include "support/grow.h"
#include "target/target.h"

#include <string.h>

enum {
    STACKS_MOST = 64,
    BORDERS_MOST = 64,
    LARGE_STEP = 8, /* bytes: a stack pointer that falls by more may have been set to another stack */
    LARGEST_STACK = 0x2000,
    LARGEST_LOCALS = 0x400, /* a step that is larger leads to another stack, whatever comes of it */
    FUNCTIONS_IN_FRAME = 4,
    PAGE_BITS = 8,
    PAGE_WORDS = 1 << (PAGE_BITS - 1),
    PAGES = HC_IMAGE_ADDRESSES >> PAGE_BITS,
};

struct frame {
    uint32_t slot, size;      /* where the call or the interrupt left its bytes, and how many; UINT32_MAX: it did not */
    uint32_t base, call_site; /* whose child it is */
    uint32_t node;            /* the context that runs in it; the root: not known yet */
    uint32_t return_pc;
    uint32_t low;                     /* the lowest stack pointer */
    uint32_t ran[FUNCTIONS_IN_FRAME]; /* 1 + functions that have run in it, the latest last; 0: none */
    bool interrupt;
    bool inherited; /* what ran on the stack before goes on in it */
};

/* The stack pointer fell by a large step: a thread may begin there. */
struct border {
    uint32_t before, after;
    uint32_t low; /* the lowest stack pointer since */
    size_t depth; /* frames that were there */
};

struct stack {
    struct frame *frame; /* [0]: whoever was there first */
    size_t depth, room;
    uint32_t top; /* the highest stack pointer */
    uint32_t saved;
    uint64_t left; /* when: the one that was left longest ago makes room */
    struct border border[BORDERS_MOST];
    int borders;
};

/* What is known of an instruction. */
struct site {
    uint32_t function;
    uint8_t flow, length; /* length 0: nothing yet */
};

struct hc_stacks {
    struct hc_machine *machine;
    struct hc_contexts *contexts;
    struct site *page[PAGES];
    struct stack *stack[STACKS_MOST]; /* [0]: the present one */
    size_t stacks, most;
    uint64_t switches;
    uint32_t main_top; /* where the program's stack begins; 0: not known */
    uint32_t expected; /* the instruction that should come next */
    uint32_t sp;       /* the stack pointer before it */
    uint32_t deepest, deepest_since;
};

/* ---- instructions ---- */

static struct site *site_at(struct hc_stacks *s, uint32_t pc)
{
    struct site **page = &s->page[pc >> PAGE_BITS & (PAGES - 1)];

    if (!*page && !(*page = calloc(PAGE_WORDS, sizeof **page))) {
        s->contexts->no_memory = true;
        return NULL;
    }
    struct site *site = &(*page)[pc >> 1 & (PAGE_WORDS - 1)];
    if (!site->length) {
        site->flow = (uint8_t)hc_flow_at(s->machine, pc);
        site->length = (uint8_t)hc_instruction_length(s->machine, pc);
        site->length = site->length ? site->length : 2;
        site->function = hc_contexts_function_at(s->contexts, pc);
    }
    return site;
}

/* ---- frames ---- */

static struct stack *present(struct hc_stacks *s)
{
    return s->stack[0];
}

static struct frame *top_frame(struct hc_stacks *s)
{
    return &present(s)->frame[present(s)->depth - 1];
}

static bool push(struct hc_stacks *s, struct stack *stack, struct frame frame)
{
    if (!hc_grow(&stack->frame, stack->depth, &stack->room, sizeof *stack->frame)) {
        s->contexts->no_memory = true;
        return false;
    }
    stack->frame[stack->depth++] = frame;
    return true;
}

static struct hc_profiled_function *function_of(struct hc_stacks *s, uint32_t node)
{
    uint32_t function = s->contexts->node[node].function;
    return function < s->contexts->functions ? &s->contexts->function[function] : NULL;
}

static void rise(uint32_t *most, uint32_t value)
{
    if (value > *most)
        *most = value;
}

/* Bytes from the frame's first to SP. */
static uint32_t extent(const struct stack *stack, const struct frame *f, uint32_t sp)
{
    uint32_t first = f->slot == UINT32_MAX ? stack->top : f->slot + f->size;
    return first > sp ? first - sp : 0;
}

/* What was used while the frame's function ran counts for it. */
static void note_use(struct hc_stacks *s, const struct stack *stack, const struct frame *f)
{
    struct hc_profiled_function *function = function_of(s, f->node);
    if (function)
        rise(&function->stack_with_callees, extent(stack, f, f->low));
}

/* It was no thread, after all, but room for locals: it counts. */
static void drop_border(struct hc_stacks *s, struct stack *stack)
{
    const struct border *b = &stack->border[--stack->borders];
    struct frame *f = &stack->frame[b->depth - 1];

    if (b->before - b->after > LARGEST_LOCALS || b->depth > stack->depth)
        return;
    f->low = b->low < f->low ? b->low : f->low;
    rise(&s->deepest, stack->top - b->low);
    rise(&s->deepest_since, stack->top - b->low);
    note_use(s, stack, f);
}

static void pop(struct hc_stacks *s, struct stack *stack)
{
    while (stack->borders && stack->border[stack->borders - 1].depth >= stack->depth)
        drop_border(s, stack);
    struct frame *gone = &stack->frame[--stack->depth], *below = &stack->frame[stack->depth - 1];
    note_use(s, stack, gone);
    bool undecided = stack->borders && stack->border[stack->borders - 1].depth == stack->depth;
    if (!gone->interrupt && gone->low < below->low && !undecided)
        below->low = gone->low;
}

static void pop_below(struct hc_stacks *s, uint32_t sp)
{
    while (present(s)->depth > 1 && top_frame(s)->slot < sp)
        pop(s, present(s));
}

static void forget_borders(struct hc_stacks *s, uint32_t sp)
{
    struct stack *stack = present(s);

    while (stack->borders && stack->border[stack->borders - 1].before <= sp)
        drop_border(s, stack);
}

/* ---- stacks ---- */

static void free_stack(struct stack *stack)
{
    if (stack)
        free(stack->frame);
    free(stack);
}

static void end_stack(struct hc_stacks *s, size_t i)
{
    while (s->stack[i]->depth > 1)
        pop(s, s->stack[i]);
    note_use(s, s->stack[i], &s->stack[i]->frame[0]);
    free_stack(s->stack[i]);
    s->stack[i] = s->stack[--s->stacks];
}

static void make_room(struct hc_stacks *s)
{
    size_t oldest = 1;

    if (s->stacks < STACKS_MOST)
        return;
    for (size_t i = 2; i < s->stacks; i++)
        if (s->stack[i]->left < s->stack[oldest]->left)
            oldest = i;
    end_stack(s, oldest);
}

/* A stack with one frame, that becomes the present one. */
static bool begin_stack(struct hc_stacks *s, uint32_t sp)
{
    struct frame first = { .slot = UINT32_MAX, .call_site = UINT32_MAX, .return_pc = UINT32_MAX, .low = sp };
    struct stack *stack = calloc(1, sizeof *stack);

    if (!stack || !push(s, stack, first)) {
        s->contexts->no_memory = true;
        free_stack(stack);
        return false;
    }
    make_room(s);
    stack->top = sp;
    if (s->stacks)
        s->stack[s->stacks] = s->stack[0];
    s->stack[0] = stack;
    if (++s->stacks > s->most)
        s->most = s->stacks;
    return true;
}

static void leave_stack(struct hc_stacks *s, uint32_t sp)
{
    present(s)->saved = sp;
    present(s)->left = ++s->switches;
}

/* The function that runs goes on, on another stack. */
static void inherit(struct stack *stack, const struct frame *from)
{
    struct frame *first = &stack->frame[0];

    first->base = from->base;
    first->call_site = from->call_site;
    first->node = from->node;
    first->inherited = true;
}

static void resume(struct hc_stacks *s, size_t i, uint32_t left_at)
{
    struct stack *stack = s->stack[i];

    if (stack->depth == 1 && stack->frame[0].inherited)
        inherit(stack, top_frame(s));
    leave_stack(s, left_at);
    s->stack[i] = s->stack[0];
    s->stack[0] = stack;
}

/* The stack pointer is where another stack was left. */
static bool resume_saved(struct hc_stacks *s, uint32_t sp)
{
    for (size_t i = 1; i < s->stacks; i++)
        if (s->stack[i]->saved == sp) {
            resume(s, i, s->sp);
            return true;
        }
    return false;
}

/* Frames above the last border were a thread's: they become a stack of their own, which is left. */
static void split_off(struct hc_stacks *s)
{
    struct stack *old = present(s);
    struct border border = old->border[--old->borders];

    if (!begin_stack(s, border.after))
        return;
    for (size_t i = border.depth; i < old->depth; i++)
        push(s, present(s), old->frame[i]);
    old->depth = border.depth;
    old->saved = border.before;
}

/* ---- what an instruction does to the stack ---- */

static void add_border(struct stack *stack, uint32_t before, uint32_t after)
{
    if (stack->borders == BORDERS_MOST)
        memmove(&stack->border[0], &stack->border[1], --stack->borders * sizeof stack->border[0]);
    stack->border[stack->borders++] = (struct border){ before, after, after, stack->depth };
}

/* The stack begins higher than was known: what was below the old place was never in use. */
static void set_up(struct stack *stack, uint32_t sp)
{
    if (sp <= stack->top)
        return;
    stack->top = sp;
    stack->frame[0].low = sp;
}

/* Not by a return: a longjmp, a switch, a stack that is set up. */
static void rose(struct hc_stacks *s, uint32_t sp)
{
    struct stack *stack = present(s);

    if (stack->depth == 1 && !stack->borders) {
        if (!resume_saved(s, sp))
            set_up(stack, sp);
        return;
    }
    if (sp <= top_frame(s)->slot && !(stack->borders && sp > stack->border[stack->borders - 1].after))
        return;
    if (resume_saved(s, sp))
        return;
    if (sp > stack->top && stack->depth > 1) {
        leave_stack(s, s->sp);
        struct frame running = *top_frame(s);
        if (begin_stack(s, sp))
            inherit(present(s), &running);
        return;
    }
    if (stack->borders && stack->depth > stack->border[stack->borders - 1].depth &&
        sp > stack->border[stack->borders - 1].after) {
        split_off(s);
        resume(s, s->stacks - 1, s->sp);
    }
    forget_borders(s, sp);
    pop_below(s, sp);
}

static void fell(struct hc_stacks *s, uint32_t sp)
{
    if (s->sp - sp > LARGE_STEP && !resume_saved(s, sp))
        add_border(present(s), s->sp, sp);
}

static bool has_slot(const struct stack *stack, uint32_t slot)
{
    for (size_t i = stack->depth - 1; i > 0; i--)
        if (stack->frame[i].slot == slot)
            return true;
    return false;
}

/* Who goes on is nobody that was called. */
static bool begins_thread(struct hc_stacks *s, uint32_t sp)
{
    struct stack *stack = present(s);
    const struct border *border = stack->borders ? &stack->border[stack->borders - 1] : NULL;

    if (stack->depth == 1 && stack->frame[0].inherited) {
        stack->frame[0] =
            (struct frame){ .slot = UINT32_MAX, .call_site = UINT32_MAX, .return_pc = UINT32_MAX, .low = sp };
        return true;
    }
    if (!border || border->depth != stack->depth || s->sp < border->after || sp > border->before ||
        (stack->depth > 1 && top_frame(s)->slot < sp))
        return false;
    leave_stack(s, border->before);
    stack->borders--;
    return begin_stack(s, sp);
}

/* A return through what lies at s->sp. */
static void returned(struct hc_stacks *s, uint32_t sp)
{
    if (!has_slot(present(s), s->sp)) {
        for (size_t i = 1; i < s->stacks; i++)
            if (has_slot(s->stack[i], s->sp)) {
                resume(s, i, s->sp);
                pop_below(s, sp);
                return;
            }
        if (begins_thread(s, sp))
            return;
    }
    forget_borders(s, sp);
    pop_below(s, sp);
    if (present(s)->depth == 1)
        rise(&present(s)->top, sp);
}

/* What runs next in the present frame begins with the stack as it is. */
static void end_use(struct hc_stacks *s)
{
    struct frame *f = top_frame(s), *below = present(s)->depth > 1 && !f->interrupt ? f - 1 : NULL;

    note_use(s, present(s), f);
    if (below && f->low < below->low)
        below->low = f->low;
    f->low = s->sp;
}

/* Whether FUNCTION runs in the frame for the first time. */
static bool is_first(struct frame *f, uint32_t function)
{
    for (int i = 0; i < FUNCTIONS_IN_FRAME; i++)
        if (f->ran[i] == function + 1)
            return false;
    memmove(f->ran, f->ran + 1, (FUNCTIONS_IN_FRAME - 1) * sizeof *f->ran);
    f->ran[FUNCTIONS_IN_FRAME - 1] = function + 1;
    return true;
}

/* Code of FUNCTION runs in the present frame. A jump into the midst of a function is a call of it, too, but one back is
 * not. */
static void run_in(struct hc_stacks *s, uint32_t function, bool at_entry)
{
    struct frame *f = top_frame(s);
    bool jumped = f->node != HC_CONTEXT_ROOT;

    if (jumped && s->contexts->node[f->node].function == function)
        return;
    if (jumped)
        end_use(s);
    f->node = hc_contexts_child(s->contexts, f->base, function, f->call_site);
    bool first = is_first(f, function);
    if (at_entry || (jumped && first))
        s->contexts->node[f->node].calls++;
}

static uint32_t function_at(struct hc_stacks *s, struct site *site, uint32_t pc)
{
    const struct frame *f = top_frame(s);

    if (site->function != HC_NO_FUNCTION)
        return site->function;
    /* Code without a name belongs to what was entered last. */
    uint32_t running = s->contexts->node[f->node].function;
    bool known = f->node != HC_CONTEXT_ROOT && running >= s->contexts->named && running < s->contexts->functions;
    site->function = known ? running : hc_contexts_add_function(s->contexts, pc);
    return site->function;
}

static void enter(struct hc_stacks *s, struct frame frame)
{
    uint32_t pc = hc_register(s->machine, HC_PC);
    struct site *site = site_at(s, pc);

    if (!site || !push(s, present(s), frame))
        return;
    run_in(s, function_at(s, site, pc), true);
}

/* ---- from instruction to instruction ---- */

/* What ran at the expected instruction was left out up to that at PC, or the machine was reset. */
static void reconcile(struct hc_stacks *s, uint32_t pc)
{
    struct stack *stack = present(s);
    size_t i = stack->depth - 1;

    while (i > 0 && (stack->frame[i].return_pc != pc || stack->frame[i].interrupt))
        i--;
    if (i > 0) {
        s->sp = stack->frame[i].slot + stack->frame[i].size;
        pop_below(s, s->sp);
    } else if (pc == hc_peek16(s->machine, hc_machine_part(s->machine)->vectors_end - 2)) {
        hc_stacks_restart(s);
    }
}

/* Bytes in use; of what lies between a border's two sides it is not known whether it is part of the stack. */
static uint32_t in_use(const struct stack *stack, const struct border *b, uint32_t sp)
{
    uint32_t above = b ? b->before : sp, below = b && b->after > sp ? b->after - sp : 0;
    return (stack->top > above ? stack->top - above : 0) + below;
}

/* One of the frames from FIRST on is an interrupt's. */
static bool is_interrupted(const struct stack *stack, size_t first)
{
    for (size_t i = first; i < stack->depth; i++)
        if (stack->frame[i].interrupt)
            return true;
    return false;
}

static void measure(struct hc_stacks *s, uint32_t sp)
{
    struct stack *stack = present(s);
    struct frame *f = top_frame(s);
    struct border *b = stack->borders ? &stack->border[stack->borders - 1] : NULL;
    struct hc_profiled_function *function = function_of(s, f->node);
    uint32_t depth = in_use(stack, b, sp);

    if (b && sp < b->low && !is_interrupted(stack, b->depth))
        b->low = sp;
    rise(&s->deepest, depth);
    rise(&s->deepest_since, depth);
    if (b && b->depth == stack->depth)
        return;
    if (sp < f->low)
        f->low = sp;
    if (!function)
        return;
    rise(&function->stack_depth, depth);
    rise(&function->stack_own, extent(stack, f, sp));
}

static void follow(struct hc_stacks *s, const struct site *site, uint32_t pc, uint32_t sp)
{
    if (site->flow == HC_FLOW_CALL) {
        enter(s, (struct frame){ .slot = sp,
                                 .size = s->sp - sp,
                                 .base = top_frame(s)->node,
                                 .call_site = pc,
                                 .return_pc = pc + site->length,
                                 .low = sp });
    } else if (site->flow == HC_FLOW_RETURN || site->flow == HC_FLOW_INTERRUPT_RETURN) {
        returned(s, sp);
    } else if (sp > s->sp) {
        rose(s, sp);
    } else if (sp < s->sp) {
        fell(s, sp);
        measure(s, sp);
    }
}

uint32_t hc_stacks_retired(struct hc_stacks *s, uint32_t pc)
{
    uint32_t sp = hc_register(s->machine, HC_SP);
    struct site *site = site_at(s, pc);

    if (!site || !s->stacks)
        return HC_CONTEXT_ROOT;
    if (pc != s->expected)
        reconcile(s, pc);
    uint32_t function = function_at(s, site, pc);
    run_in(s, function, s->contexts->function[function].low == pc);
    uint32_t node = top_frame(s)->node;
    measure(s, s->sp);
    follow(s, site, pc, sp);
    s->sp = sp;
    s->expected = hc_register(s->machine, HC_PC);
    return s->contexts->no_memory ? HC_CONTEXT_ROOT : node;
}

void hc_stacks_interrupt(struct hc_stacks *s, int vector, uint32_t pc)
{
    uint32_t sp = hc_register(s->machine, HC_SP);
    uint32_t base = hc_contexts_child(s->contexts, HC_CONTEXT_ROOT, HC_VECTOR_0 + (uint32_t)vector, UINT32_MAX);

    if (!s->stacks)
        return;
    if (pc != s->expected)
        reconcile(s, pc);
    s->contexts->node[base].calls++;
    enter(s, (struct frame){ .slot = sp,
                             .size = hc_target_of_machine(s->machine)->cpu->frame.size,
                             .base = base,
                             .call_site = UINT32_MAX,
                             .return_pc = pc,
                             .low = sp,
                             .interrupt = true });
    s->sp = sp;
    s->expected = hc_register(s->machine, HC_PC);
    measure(s, sp);
}

/* ---- beginning and end ---- */

void hc_stacks_restart(struct hc_stacks *s)
{
    hc_stacks_finish(s);
    s->sp = hc_register(s->machine, HC_SP);
    s->expected = hc_register(s->machine, HC_PC);
    bool within = s->sp && s->sp < s->main_top && s->main_top - s->sp < LARGEST_STACK;
    if (begin_stack(s, within ? s->main_top : s->sp))
        present(s)->frame[0].low = s->sp;
}

struct hc_stacks *hc_stacks_new(struct hc_machine *m, struct hc_contexts *contexts, uint32_t top)
{
    struct hc_stacks *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->machine = m;
    s->contexts = contexts;
    s->main_top = top;
    hc_stacks_restart(s);
    if (s->stacks)
        return s;
    free(s);
    return NULL;
}

void hc_stacks_finish(struct hc_stacks *s)
{
    while (s->stacks)
        end_stack(s, s->stacks - 1);
}

void hc_stacks_free(struct hc_stacks *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->stacks; i++)
        free_stack(s->stack[i]);
    for (size_t i = 0; i < PAGES; i++)
        free(s->page[i]);
    free(s);
}

size_t hc_stacks_count(const struct hc_stacks *s)
{
    return s->most;
}

uint32_t hc_stacks_deepest(const struct hc_stacks *s)
{
    return s->deepest;
}

uint32_t hc_stacks_take_deepest(struct hc_stacks *s)
{
    uint32_t deepest = s->deepest_since;

    s->deepest_since = 0;
    return deepest;
}
