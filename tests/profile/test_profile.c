/* The account of a run against one that is kept here, one instruction at a time: who runs is known from the program's
 * own variable and from where functions begin; nothing is shared with the account but the machine. */
#include "profile/profile.h"

#include "profile/summary.h"
#include "support/harness.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEEPEST = 200, FUNCTIONS = 256, THREADS = 3, ADDRESSES = 1 << 16, RETURN_FROM_INTERRUPT = 0x1300 };

struct entry {
    int function;
    uint32_t sp;  /* at its first instruction */
    uint32_t low; /* the lowest since */
    bool called;  /* not a handler or a thread's first: its return address lies there */
};

/* Stacks of functions: one a thread, and one a running interrupt. */
struct shadow {
    struct entry entry[DEEPEST];
    int depth;
};

struct truth {
    struct harness h;
    const struct hc_symbol *function; /* all that the image has */
    size_t functions;
    int at[ADDRESSES]; /* which one; -1: none */
    struct shadow thread[THREADS], handler[8];
    int handlers, present; /* the thread */
    uint32_t switched;     /* where the stack pointer is that of another thread, whose number is in R14 */
    uint64_t self[ADDRESSES], self_cycles[ADDRESSES];
    struct hc_cost total[FUNCTIONS];
    uint64_t calls[FUNCTIONS], handled[64];
    struct hc_cost all;
    uint32_t stack[FUNCTIONS]; /* bytes that one invocation and all that it called took at most */
    bool nested, called;
};

static void accepted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct truth *t = owner;

    (void)m;
    (void)pc;
    t->nested |= t->handlers > 0;
    t->handler[t->handlers++].depth = 0;
    t->handled[vector]++;
    assert_true(t->handlers < 8);
}

static struct shadow *running(struct truth *t)
{
    return t->handlers ? &t->handler[t->handlers - 1] : &t->thread[t->present];
}

/* Those that have run are gone on with where the stack pointer changes; the others begin with their function. */
static void follow_threads(struct truth *t, uint32_t pc)
{
    uint32_t number = pc == t->switched                               ? hc_register(t->h.machine, 14)
                      : pc == harness_address(&t->h, "first_thread")  ? 1
                      : pc == harness_address(&t->h, "second_thread") ? 2
                                                                      : (uint32_t)t->present;
    if (pc != t->switched || t->thread[number].depth)
        t->present = (int)number;
}

/* With the instruction at PC about to execute. What was not called was jumped to, and takes the place of who jumped. */
static void arrive(struct truth *t, uint32_t pc, uint32_t sp)
{
    follow_threads(t, pc);
    struct shadow *s = running(t);
    int function = t->at[pc];
    bool of_another = !t->handlers && pc >= t->switched && pc < t->switched + 16 &&
                      (int)hc_register(t->h.machine, 14) != t->present; /* which only begins: its stack pointer */

    assert_true(function >= 0);
    while (!of_another && s->depth && s->entry[s->depth - 1].sp < sp)
        s->depth--;
    bool begins = pc == t->function[function].address;
    bool called = begins && (!s->depth || sp < s->entry[s->depth - 1].sp);
    if (s->depth && !called && s->entry[s->depth - 1].function == function)
        return;
    t->calls[function] += begins || (s->depth && !called);
    if (s->depth && !called)
        s->entry[s->depth - 1] =
            (struct entry){ function, s->entry[s->depth - 1].sp, sp, s->entry[s->depth - 1].called };
    else
        s->entry[s->depth] = (struct entry){ function, sp, sp, s->depth > 0 }, s->depth++;
    assert_true(s->depth < DEEPEST);
}

/* Before each instruction. */
static void measure(struct truth *t, uint32_t sp)
{
    struct shadow *s = running(t);

    for (int i = 0; i < s->depth; i++) {
        struct entry *e = &s->entry[i];
        e->low = sp < e->low ? sp : e->low;
        if (e->called && e->sp + 2 - e->low > t->stack[e->function])
            t->stack[e->function] = e->sp + 2 - e->low;
    }
}

static void spend(struct truth *t, uint32_t pc, uint64_t cycles)
{
    struct shadow *s = running(t);
    bool counted[FUNCTIONS] = { false };

    t->self[pc]++;
    t->self_cycles[pc] += cycles;
    t->all.instructions++;
    t->all.cycles += cycles;
    for (int i = 0; i < s->depth; i++) {
        int function = s->entry[i].function;
        if (!counted[function]) {
            t->total[function].instructions++;
            t->total[function].cycles += cycles;
        }
        counted[function] = true;
    }
}

static void step(struct truth *t)
{
    struct hc_machine *m = t->h.machine;
    struct hc_statistics before, after;

    hc_machine_statistics(m, &before);
    assert_int_equal(hc_machine_settle(m, 0, HC_NEVER), HC_STOP_STEPS);
    uint32_t pc = hc_register(m, HC_PC);
    uint16_t opcode = hc_peek16(m, pc);
    t->called = hc_flow_at(m, pc) == HC_FLOW_CALL;
    arrive(t, pc, hc_register(m, HC_SP));
    if (pc < t->switched || pc >= t->switched + 16)
        measure(t, hc_register(m, HC_SP));
    assert_int_equal(hc_machine_step(m, 1, HC_NEVER), HC_STOP_STEPS);
    hc_machine_statistics(m, &after);
    spend(t, pc, after.cycles - before.cycles);
    if (opcode == RETURN_FROM_INTERRUPT)
        t->handlers--;
}

static void set_period(struct harness *h, uint16_t period)
{
    assert_true(hc_poke16(h->machine, harness_address(h, "period"), period));
}

static struct truth *begin(uint16_t period)
{
    struct truth *t = calloc(1, sizeof *t);

    assert_non_null(t);
    harness_start(&t->h, "shapes");
    set_period(&t->h, period);
    memset(t->at, -1, sizeof t->at);
    t->functions = hc_image_functions(t->h.image, &t->function);
    assert_true(t->functions > 10 && t->functions <= FUNCTIONS);
    for (size_t i = 0; i < t->functions; i++)
        for (uint32_t pc = 0; pc < t->function[i].size; pc++)
            t->at[t->function[i].address + pc] = (int)i;
    t->switched = harness_address(&t->h, "switched");
    hc_hook_interrupt(t->h.machine, accepted, t);
    return t;
}

static const struct hc_summary_function *find(const struct hc_summary *s, const char *name)
{
    for (size_t i = 0; i < s->functions; i++)
        if (!strcmp(hc_code_map_function(s->map, (uint32_t)i)->name, name))
            return &s->function[i];
    fail_msg("%s is not in the account", name);
    return NULL;
}

/* The same run, with the account. */
static void account_for(struct harness *h, uint16_t period, uint64_t instructions, struct hc_profile **p,
                        struct hc_code_map **map, struct hc_summary *s)
{
    harness_start(h, "shapes");
    set_period(h, period);
    *p = hc_profile_new(h->machine, h->image);
    *map = hc_code_map_new(h->image, NULL, 0);
    assert_true(*p && *map);
    for (uint64_t done = 0; done < instructions; done += 1000)
        hc_machine_step(h->machine, instructions - done < 1000 ? instructions - done : 1000, HC_NEVER);
    assert_true(hc_profile_finish(*p));
    assert_true(hc_summary_make(s, *p, *map));
}

static void check_addresses(const struct truth *t, const struct hc_profile *p)
{
    const struct hc_contexts *c = hc_profile_contexts(p);
    uint64_t *seen = calloc(ADDRESSES, sizeof *seen), *cycles = calloc(ADDRESSES, sizeof *cycles);

    for (size_t i = 0; i < c->nodes; i++) {
        const struct hc_context_node *n = &c->node[i];
        if (!n->at)
            continue;
        const struct hc_profiled_function *f = &c->function[n->function];
        for (uint32_t pc = f->low; pc < f->high; pc += 2) {
            seen[pc] += n->at[(pc - f->low) / 2].instructions;
            cycles[pc] += n->at[(pc - f->low) / 2].cycles;
        }
    }
    assert_memory_equal(seen, t->self, sizeof t->self);
    assert_memory_equal(cycles, t->self_cycles, sizeof t->self_cycles);
    free(seen);
    free(cycles);
}

static void check_sums(const struct hc_summary *s, struct hc_cost all)
{
    struct hc_cost functions = { 0, 0 }, lines = { 0, 0 }, nodes = { 0, 0 };

    for (size_t i = 0; i < s->functions; i++) {
        functions.instructions += s->function[i].self.instructions;
        functions.cycles += s->function[i].self.cycles;
    }
    for (size_t i = 0; i < s->lines; i++) {
        lines.instructions += s->line[i].self.instructions;
        lines.cycles += s->line[i].self.cycles;
    }
    for (size_t i = 0; i < s->nodes; i++) {
        nodes.instructions += s->node[i].self.instructions;
        nodes.cycles += s->node[i].self.cycles;
    }
    assert_memory_equal(&functions, &all, sizeof all);
    assert_memory_equal(&lines, &all, sizeof all);
    assert_memory_equal(&nodes, &all, sizeof all);
    assert_memory_equal(&s->total, &all, sizeof all);
}

static void check_function(const struct truth *t, const struct hc_summary *s, size_t function)
{
    const char *name = t->function[function].name;
    const struct hc_summary_function *f = find(s, name);

    if (f->calls != t->calls[function] || f->total.instructions != t->total[function].instructions ||
        f->total.cycles != t->total[function].cycles)
        fail_msg("%s: %" PRIu64 " calls, %" PRIu64 " instructions, %" PRIu64 " cycles with callees; should be %" PRIu64
                 ", %" PRIu64 ", %" PRIu64,
                 name, f->calls, f->total.instructions, f->total.cycles, t->calls[function],
                 t->total[function].instructions, t->total[function].cycles);
}

/* Of those that were always called: what a thread or a handler begins with has another frame, or none. */
static void check_stack(const struct truth *t, const struct hc_summary *s, size_t function)
{
    static const char *const others[] = { "_start", "main",  "first_thread", "second_thread",
                                          "tick",   "port1", "longjmp",      "switch_stacks" };
    const char *name = t->function[function].name;
    const struct hc_summary_function *f = find(s, name);

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i]))
            return;
    if (f->stack_with_callees != t->stack[function])
        fail_msg("%s: %u bytes of stack, should be %u", name, f->stack_with_callees, t->stack[function]);
}

static size_t check_functions(const struct truth *t, const struct hc_summary *s)
{
    size_t checked = 0;

    for (size_t i = 0; i < t->functions; i++)
        if (t->total[i].instructions) {
            check_function(t, s, i);
            check_stack(t, s, i);
            checked++;
        }
    return checked;
}

static void check_interrupts(const struct truth *t, const struct hc_summary *s)
{
    uint64_t all = 0;

    for (size_t i = 0; i < s->interrupts; i++) {
        assert_int_equal(s->interrupt[i].count, t->handled[s->interrupt[i].vector]);
        all += s->interrupt[i].count;
    }
    for (size_t i = 0; i < sizeof t->handled / sizeof *t->handled; i++)
        all -= t->handled[i];
    assert_int_equal(all, 0);
    assert_int_equal(s->interrupts, 2);
}

/* Both are inlined wherever they are used, and once in each of these. */
static void check_inlined(const struct hc_summary *s)
{
    const struct hc_summary_function *outer = find(s, "outer"), *inner = find(s, "inner");
    uint64_t uses = find(s, "last")->calls + find(s, "array")->calls + find(s, "step")->calls;

    assert_false(hc_code_map_function(s->map, outer->function)->alone);
    assert_in_range(outer->calls, uses - 2, uses); /* some have not come to it yet */
    assert_in_range(inner->calls, outer->calls - 1, outer->calls);
    assert_true(inner->self.instructions == inner->total.instructions);
    assert_true(outer->self.instructions + inner->self.instructions == outer->total.instructions);
}

static void compare(uint16_t period)
{
    struct truth *t = begin(period);
    struct harness h;
    struct hc_profile *p;
    struct hc_code_map *map;
    struct hc_summary s;

    while (harness_get(&t->h, "finished", 0) != HARNESS_FINISHED)
        step(t);
    for (int i = 0; i < period % 300 || t->called; i++) /* ends anywhere, but not between a call and the function */
        step(t);
    assert_true(t->nested);
    account_for(&h, period, t->all.instructions, &p, &map, &s);
    check_addresses(t, p);
    check_sums(&s, t->all);
    assert_true(check_functions(t, &s) >= 20);
    check_interrupts(t, &s);
    check_inlined(&s);
    assert_int_equal(hc_profile_stacks(p), THREADS);
    hc_summary_free(&s);
    hc_code_map_free(map);
    hc_profile_free(p);
    harness_stop(&h);
    harness_stop(&t->h);
    free(t);
}

static void agrees_with_an_account_of_single_steps(void **state)
{
    static const uint16_t periods[] = { 911, 300, 307, 331, 353, 401, 503, 577, 613, 701, 809, 1009, 1201, 1499, 2003 };

    (void)state;
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        print_message("period %u\n", periods[i]);
        compare(periods[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_an_account_of_single_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
