#include "flow_trace.h"

#include "support/grow.h"
#include "target/target.h"

#include <stdlib.h>

enum { NONE = 0, MEMORY = 1 << 20, MOST_HOOKS = 24, MOST_UNITS = 8, RECENT_JOINS = 256 };

/* A mark is the index of a node: a leaf has a source; other nodes join two marks, or pass one through an instruction.
 */
struct node {
    uint32_t left, right; /* left NONE: right is a source; right NONE: left went through the instruction at PC */
    uint32_t pc;          /* both NONE: that instruction made it of constants */
    uint32_t made;        /* its moment, counted from 1; 0: it changed nothing */
    bool kept;            /* see struct hc_flow_made */
};

struct join {
    uint32_t left, right, mark;
};

struct hc_flow_trace {
    struct hc_timeline *timeline;
    struct hc_machine *machine;
    const struct hc_target_value_flow *target;
    const struct hc_value_flow_unit *unit;
    const struct hc_target_cpu *cpu;
    uint64_t from, moment; /* of the instruction that runs */
    struct hc_value_flow flow;
    int hook[MOST_HOOKS], hooks;
    bool failed; /* memory is exhausted */

    struct node *node;
    size_t nodes, node_room;
    struct hc_flow_source *source;
    size_t sources, source_room;
    struct join recent[RECENT_JOINS];
    uint32_t *mark;   /* of each byte of memory that was written */
    uint32_t *writer; /* the instruction that wrote it, counted from 1; 0: none */
    uint32_t within[MOST_UNITS];
    uint32_t carried;       /* by DMA, from its read to its write */
    uint32_t pointer;       /* the mark of the running instruction's address */
    uint32_t branch;        /* of the last instruction */
    uint32_t loaded;        /* the mark of the last source */
    uint32_t old_flags;     /* before the running instruction */
    uint32_t sp;            /* the stack pointer then */
    uint32_t put, put_mark; /* what the last store put there of which mark, */
    uint64_t put_at;        /* and when: one more than its moment */
};

/* ---- marks ---- */

static uint32_t new_node(struct hc_flow_trace *f, uint32_t left, uint32_t right)
{
    if (!hc_grow(&f->node, f->nodes, &f->node_room, sizeof *f->node)) {
        f->failed = true;
        return NONE;
    }
    f->node[f->nodes] = (struct node){ .left = left, .right = right };
    return (uint32_t)f->nodes++;
}

static uint32_t new_source(struct hc_flow_trace *f, struct hc_flow_source source)
{
    if (!hc_grow(&f->source, f->sources, &f->source_room, sizeof *f->source)) {
        f->failed = true;
        return NONE;
    }
    f->source[f->sources] = source;
    return new_node(f, NONE, (uint32_t)f->sources++);
}

static uint32_t join(void *owner, uint32_t a, uint32_t b)
{
    struct hc_flow_trace *f = owner;

    if (a == b || !b)
        return a;
    if (!a)
        return b;
    struct join *recent = &f->recent[(a * 31 + b) % RECENT_JOINS];
    if (recent->left != a || recent->right != b)
        *recent = (struct join){ a, b, new_node(f, a, b) };
    return recent->mark;
}

/* ---- memory ---- */

static int unit_at(const struct hc_flow_trace *f, uint32_t address)
{
    for (int i = 0; i < MOST_UNITS && f->unit[i].end; i++)
        if (address >= f->unit[i].start && address <= f->unit[i].end)
            return i;
    return -1;
}

static bool is_stored(const struct hc_flow_trace *f, uint32_t address)
{
    return f->writer[address & (MEMORY - 1)] != 0;
}

static void put(struct hc_flow_trace *f, uint32_t address, uint32_t mark)
{
    f->mark[address & (MEMORY - 1)] = mark;
    f->writer[address & (MEMORY - 1)] = (uint32_t)(f->moment - f->from) + 1;
}

/* The source of the instruction's last load, if the byte at ADDRESS continues it. */
static struct hc_flow_source *loaded_before(struct hc_flow_trace *f, uint32_t address)
{
    struct hc_flow_source *last = f->sources ? &f->source[f->sources - 1] : NULL;

    return last && last->kind == HC_SOURCE_LOAD && last->moment == f->moment && last->address + last->size == address &&
                   last->size < 2
               ? last
               : NULL;
}

static uint32_t load_more(struct hc_flow_trace *f, struct hc_flow_source *source, uint32_t address, uint8_t value)
{
    source->value |= (uint32_t)value << 8 * source->size++;
    source->stored = source->stored && is_stored(f, address);
    uint32_t under = join(f, source->under, f->mark[address & (MEMORY - 1)]);
    source->under = under;
    return f->loaded;
}

static uint32_t load(void *owner, uint32_t address, uint32_t pc)
{
    struct hc_flow_trace *f = owner;
    const struct hc_access *a = &f->flow.access[f->flow.next];
    uint8_t value = (uint8_t)(a->value >> 8 * (address - a->address));
    int unit = unit_at(f, address);
    struct hc_flow_source *before = loaded_before(f, address);

    if (unit >= 0)
        return f->within[unit];
    if (before)
        return load_more(f, before, address, value);
    return f->loaded = new_source(f, (struct hc_flow_source){ .kind = HC_SOURCE_LOAD,
                                                              .moment = f->moment,
                                                              .pc = pc,
                                                              .address = address,
                                                              .value = value,
                                                              .size = 1,
                                                              .under = f->mark[address & (MEMORY - 1)],
                                                              .stored = is_stored(f, address),
                                                              .pointer = f->pointer });
}

/* Pushes save registers, as pops restore them. */
static bool saves(const struct hc_flow_trace *f)
{
    return hc_register(f->machine, HC_SP) != f->sp;
}

/* MARK went through the instruction at PC; NONE: that made it of constants. */
static uint32_t passed(struct hc_flow_trace *f, uint32_t mark, uint32_t pc)
{
    uint32_t through = saves(f) ? NONE : new_node(f, mark, NONE);
    if (through == NONE)
        return mark;
    f->node[through].pc = pc;
    f->node[through].made = (uint32_t)(f->moment - f->from) + 1;
    return through;
}

/* The same of a byte that the instruction stores; hardware stores without one. */
static uint32_t stored(struct hc_flow_trace *f, uint32_t mark, uint32_t pc)
{
    if (pc == UINT32_MAX)
        return mark;
    if (f->put_at != f->moment + 1 || f->put_mark != mark) {
        f->put = passed(f, mark, pc);
        f->put_at = f->moment + 1;
        f->put_mark = mark;
    }
    return f->put;
}

static void store(void *owner, uint32_t address, uint32_t pc, uint32_t mark)
{
    struct hc_flow_trace *f = owner;
    int unit = unit_at(f, address);

    mark = stored(f, mark, pc);
    put(f, address, join(f, mark, f->pointer));
    if (unit < 0)
        return;
    uint32_t offset = address - f->unit[unit].start;
    bool begins = offset % 2 == 0 && f->unit[unit].begin >> offset / 2 & 1;
    f->within[unit] = begins ? mark : join(f, f->within[unit], mark);
}

static void branch(void *owner, uint32_t pc, uint32_t mark)
{
    (void)pc;
    ((struct hc_flow_trace *)owner)->branch = mark;
}

static void address(void *owner, uint32_t pc, uint32_t mark)
{
    (void)pc;
    ((struct hc_flow_trace *)owner)->pointer = mark;
}

static const struct hc_value_flow_ops flow_ops = {
    .join = join, .load = load, .store = store, .branch = branch, .address = address
};

/* ---- hooks ---- */

static uint32_t load_by_dma(struct hc_flow_trace *f, const struct hc_access *a)
{
    uint32_t mark = NONE;

    f->flow.access[0] = *a;
    f->flow.next = 0;
    for (uint32_t k = 0; k < a->size; k++)
        mark = join(f, mark, load(f, a->address + k, a->pc));
    return mark;
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *a)
{
    struct hc_flow_trace *f = owner;

    (void)m;
    if (a->pc != UINT32_MAX) {
        if (f->flow.accesses < HC_VALUE_FLOW_ACCESSES)
            f->flow.access[f->flow.accesses++] = *a;
        return HC_CONTINUE;
    }
    f->pointer = NONE;
    if (!a->write)
        f->carried = load_by_dma(f, a);
    for (uint32_t k = 0; a->write && k < a->size; k++)
        store(f, a->address + k, a->pc, f->carried);
    return HC_CONTINUE;
}

/* The values of REG went through the instruction at PC, which gave it one (SETS), or KEPT it. */
static void pass_register(struct hc_flow_trace *f, int reg, uint32_t pc, bool sets, bool kept)
{
    uint32_t *byte = f->flow.reg[reg].byte, before = NONE, after = NONE;

    for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++) {
        if (i == 0 || byte[i] != before) {
            after = sets || kept || byte[i] ? passed(f, byte[i], pc) : NONE;
            if (after != byte[i] && !sets && !kept)
                f->node[after].made = 0;
            if (after != byte[i])
                f->node[after].kept = kept;
            before = byte[i];
        }
        byte[i] = after;
    }
}

/* Where a branch jumped over code that sets registers, it decided that they keep their values. */
static void note_kept(struct hc_flow_trace *f, uint32_t pc)
{
    uint32_t skipped = f->cpu->skipped(f->machine, pc, hc_register(f->machine, HC_PC));
    uint32_t without = f->cpu->without_state | 1u << HC_PC | 1u << HC_SP | 1u << f->cpu->status_register;

    for (int r = 0; skipped && r < HC_REGISTERS; r++)
        if (skipped >> r & 1 && !(without >> r & 1))
            pass_register(f, r, pc, false, true);
}

/* The mark of the result of the instruction at PC. */
static void note_result(struct hc_flow_trace *f, uint32_t pc)
{
    int reg = f->cpu->result_of(f->machine, pc);
    bool sets = reg >= 0 && f->cpu->sets(f->machine, pc) == reg;

    if (reg >= 0)
        pass_register(f, reg, pc, sets, false);
    if (f->flow.flags == f->flow.carry && f->flow.flags != NONE && f->flow.flags != f->old_flags)
        f->flow.flags = f->flow.carry = passed(f, f->flow.flags, pc);
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_flow_trace *f = owner;

    f->branch = f->pointer = NONE;
    f->old_flags = f->flow.flags;
    f->target->instruction(&f->flow, m, pc);
    note_result(f, pc);
    if (f->branch != NONE)
        note_kept(f, pc);
    f->sp = hc_register(f->machine, HC_SP);
    f->moment++;
}

static void push_frame(struct hc_flow_trace *f)
{
    uint32_t sp = hc_register(f->machine, HC_SP);

    for (uint32_t k = 0; k < f->cpu->frame.size; k++)
        put(f, sp + k, f->target->pushed(&f->flow, k));
    f->flow.flags = f->flow.carry = NONE;
    f->sp = sp;
}

static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    (void)m;
    (void)vector;
    (void)pc;
    push_frame(owner);
}

/* The value came from the log: it is in the register for results of the recorder. */
static void answer(struct hc_flow_trace *f, const struct hc_outside_event *event)
{
    uint32_t mark = new_source(f, (struct hc_flow_source){ .kind = HC_SOURCE_READ,
                                                           .moment = f->moment,
                                                           .pc = hc_register(f->machine, HC_PC),
                                                           .address = event->address,
                                                           .value = event->value,
                                                           .size = 2 });

    for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++)
        f->flow.reg[f->cpu->argument].byte[i] = i < 2 ? mark : NONE;
}

static void from_outside(void *owner, const struct hc_outside_event *event)
{
    struct hc_flow_trace *f = owner;

    switch (event->kind) {
    case HC_OUTSIDE_READ:
        answer(f, event);
        break;
    case HC_OUTSIDE_MEMORY:
        for (uint32_t k = 0; k < event->size; k++)
            put(f, event->address + k, NONE);
        break;
    case HC_OUTSIDE_INTERRUPT:
        push_frame(f);
        break;
    }
}

static void keep_hook(struct hc_flow_trace *f, int hook)
{
    if (f->hooks < MOST_HOOKS)
        f->hook[f->hooks++] = hook;
}

static void begin(void *owner)
{
    struct hc_flow_trace *f = owner;

    f->sp = hc_register(f->machine, HC_SP);
    for (const struct hc_region *r = hc_machine_part(f->machine)->regions; r->name; r++)
        if (r->kind != HC_VACANT)
            keep_hook(f, hc_hook_access(f->machine, r->start, r->end, HC_WATCH_READ | HC_WATCH_WRITE, accessed, f));
    keep_hook(f, hc_hook_retire(f->machine, retired, f));
    if (hc_timeline_replays(f->timeline))
        hc_timeline_listen(f->timeline, from_outside, f);
    else
        keep_hook(f, hc_hook_interrupt(f->machine, interrupted, f));
}

static void end(void *owner)
{
    struct hc_flow_trace *f = owner;

    while (f->hooks)
        hc_unhook(f->machine, f->hook[--f->hooks]);
    hc_timeline_listen(f->timeline, NULL, NULL);
}

/* ---- a trace ---- */

/* The values of registers at the start of the stretch. */
static void mark_registers(struct hc_flow_trace *f)
{
    uint32_t without = f->cpu->without_state | 1u << HC_PC | 1u << HC_SP | 1u << f->cpu->status_register;

    for (int r = 0; r < HC_REGISTERS; r++) {
        if (without >> r & 1)
            continue;
        uint32_t mark = new_source(
            f, (struct hc_flow_source){ .kind = HC_SOURCE_REGISTER, .moment = f->from, .address = (uint32_t)r });
        for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++)
            f->flow.reg[r].byte[i] = mark;
    }
    f->flow.flags = f->flow.carry =
        new_source(f, (struct hc_flow_source){ .kind = HC_SOURCE_FLAGS, .moment = f->from });
}

static bool prepare(struct hc_flow_trace *f, struct hc_timeline *t, uint64_t from)
{
    const struct hc_target *target;

    f->timeline = t;
    f->machine = hc_timeline_machine(t);
    target = hc_target_of_machine(f->machine);
    f->target = target->value_flow;
    f->unit = f->target->units(f->machine);
    f->cpu = target->cpu;
    f->from = f->moment = from;
    f->flow.ops = &flow_ops;
    f->flow.owner = f;
    f->mark = calloc(MEMORY, sizeof *f->mark);
    f->writer = calloc(MEMORY, sizeof *f->writer);
    new_node(f, NONE, NONE); /* mark 0 */
    mark_registers(f);
    return f->mark && f->writer && !f->failed;
}

struct hc_flow_trace *hc_flow_trace_new(struct hc_timeline *t, uint64_t from, uint64_t to, enum hc_timeline_stop *how)
{
    struct hc_flow_trace *f = from < to ? calloc(1, sizeof *f) : NULL;
    enum hc_timeline_stop stop = HC_TIMELINE_NO_MEMORY;

    if (f && prepare(f, t, from))
        stop = hc_timeline_retrace(t, from, to, begin, end, f);
    if (f && f->failed)
        stop = HC_TIMELINE_NO_MEMORY;
    if (how)
        *how = stop;
    if (stop == HC_TIMELINE_THERE)
        return f;
    hc_flow_trace_free(f);
    return NULL;
}

void hc_flow_trace_free(struct hc_flow_trace *f)
{
    if (!f)
        return;
    free(f->node);
    free(f->source);
    free(f->mark);
    free(f->writer);
    free(f);
}

uint32_t hc_flow_trace_memory(struct hc_flow_trace *f, uint32_t address, uint32_t size)
{
    uint32_t mark = NONE;

    for (uint32_t k = 0; k < size; k++)
        mark = join(f, mark, f->mark[(address + k) & (MEMORY - 1)]);
    return mark;
}

uint32_t hc_flow_trace_register(struct hc_flow_trace *f, int reg)
{
    uint32_t mark = NONE;

    for (int i = 0; i < HC_VALUE_FLOW_BYTES; i++)
        mark = join(f, mark, f->flow.reg[reg].byte[i]);
    return mark;
}

uint32_t hc_flow_trace_flags(struct hc_flow_trace *f)
{
    return join(f, f->flow.flags, f->flow.carry);
}

uint32_t hc_flow_trace_branch(struct hc_flow_trace *f)
{
    return f->branch;
}

uint32_t hc_flow_trace_pointer(struct hc_flow_trace *f)
{
    return f->pointer;
}

bool hc_flow_trace_writer(const struct hc_flow_trace *f, uint32_t address, uint64_t *moment)
{
    uint32_t writer = f->writer[address & (MEMORY - 1)];

    *moment = f->from + writer - 1;
    return writer != 0;
}

/* ---- sources ---- */

struct walk {
    struct hc_flow_trace *f;
    hc_flow_rests_fn *rests;
    void *owner;
    struct hc_flow_via *via;
    bool *seen; /* by node */
    uint32_t *waiting;
    size_t count, room;
    uint32_t *found; /* sources */
    size_t found_count, found_room;
};

static void wait(struct walk *w, uint32_t mark)
{
    if (mark == NONE || w->seen[mark])
        return;
    w->seen[mark] = true;
    if (!hc_grow(&w->waiting, w->count, &w->room, sizeof *w->waiting))
        w->f->failed = true;
    else
        w->waiting[w->count++] = mark;
}

static void take_source(struct walk *w, uint32_t number)
{
    const struct hc_flow_source *s = &w->f->source[number];

    if (s->kind == HC_SOURCE_LOAD && s->stored && w->rests && w->rests(w->owner, s)) {
        wait(w, s->under);
        return;
    }
    if (!hc_grow(&w->found, w->found_count, &w->found_room, sizeof *w->found))
        w->f->failed = true;
    else
        w->found[w->found_count++] = number;
}

static void add_via(struct hc_flow_via *via, uint32_t pc)
{
    if (!via || !pc || via->count == HC_FLOW_VIA)
        return;
    for (size_t i = 0; i < via->count; i++)
        if (via->pc[i] == pc)
            return;
    via->pc[via->count++] = pc;
}

/* Of the same instruction a few times are enough, the last ones; and of all of them. */
static void add_made(struct hc_flow_via *via, uint64_t moment, uint32_t pc, bool kept)
{
    size_t turns = 0, earliest = 0, at = 0;

    for (size_t i = 0; i < via->made_count; i++) {
        if (via->made[i].moment == moment)
            return;
        turns += via->made[i].pc == pc;
        earliest = via->made[i].pc == pc ? i : earliest;
    }
    if (turns < HC_FLOW_TURNS)
        earliest = via->made_count < HC_FLOW_MADE ? via->made_count++ : HC_FLOW_MADE - 1;
    else if (via->made[earliest].moment > moment)
        return;
    for (at = earliest; at && via->made[at - 1].moment < moment; at--)
        via->made[at] = via->made[at - 1];
    via->made[at] = (struct hc_flow_made){ moment, pc, kept };
}

static void walk(struct walk *w, uint32_t mark)
{
    wait(w, mark);
    while (w->count) {
        struct node n = w->f->node[w->waiting[--w->count]];
        if (w->via && n.made)
            add_made(w->via, w->f->from + n.made - 1, n.pc, n.kept);
        if (n.left == NONE && n.right == NONE && (n.pc || n.kept))
            continue;
        if (n.left == NONE) {
            take_source(w, n.right);
        } else {
            add_via(w->via, n.kept ? 0 : n.pc);
            wait(w, n.left);
            wait(w, n.right);
        }
    }
}

/* The later one first: sources are numbered by time. */
static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

/* Marks the sources from which addresses of others were computed. */
static void mark_pointers(struct walk *w, bool *pointer)
{
    struct walk addresses = { .f = w->f, .seen = calloc(w->f->nodes, sizeof(bool)) };

    for (size_t i = 0; addresses.seen && i < w->found_count; i++)
        walk(&addresses, w->f->source[w->found[i]].pointer);
    for (size_t i = 0; i < addresses.found_count; i++)
        pointer[addresses.found[i]] = true;
    free(addresses.seen);
    free(addresses.waiting);
    free(addresses.found);
}

size_t hc_flow_trace_sources(struct hc_flow_trace *f, uint32_t mark, hc_flow_rests_fn *rests, void *owner,
                             struct hc_flow_source *out, size_t max, struct hc_flow_via *via)
{
    struct walk w = { .f = f, .rests = rests, .owner = owner, .via = via, .seen = calloc(f->nodes, sizeof(bool)) };
    bool *pointer = calloc(f->sources, sizeof *pointer);

    if (w.seen && pointer) {
        walk(&w, mark);
        mark_pointers(&w, pointer);
        if (w.found_count)
            qsort(w.found, w.found_count, sizeof *w.found, by_time);
    }
    for (size_t i = 0; i < w.found_count && i < max; i++) {
        out[i] = f->source[w.found[i]];
        out[i].through = pointer[w.found[i]];
    }
    free(pointer);
    free(w.seen);
    free(w.waiting);
    free(w.found);
    return w.found_count;
}
