#include "profile.h"

#include "stacks.h"

#include <stdlib.h>

struct hc_profile {
    struct hc_machine *machine;
    struct hc_contexts contexts;
    struct hc_stacks *stacks;
    struct hc_cost total;
    uint64_t counted; /* the machine's cycles up to the last instruction */
    uint32_t last_node, last_pc;
    int retire_hook, interrupt_hook;
};

static uint64_t cycles_now(const struct hc_profile *p)
{
    struct hc_statistics now;

    hc_machine_statistics(p->machine, &now);
    return now.cycles;
}

static void spend(struct hc_profile *p, uint64_t instructions)
{
    uint64_t now = cycles_now(p), cycles = now - p->counted;

    p->counted = now;
    p->total.instructions += instructions;
    p->total.cycles += cycles;
    hc_contexts_spend(&p->contexts, p->last_node, p->last_pc, instructions, cycles);
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_profile *p = owner;

    (void)m;
    p->last_node = hc_stacks_retired(p->stacks, pc);
    p->last_pc = pc;
    spend(p, 1);
}

static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    (void)m;
    hc_profile_interrupt(owner, vector, pc);
}

void hc_profile_interrupt(struct hc_profile *p, int vector, uint32_t pc)
{
    hc_stacks_interrupt(p->stacks, vector, pc);
}

struct hc_profile *hc_profile_new(struct hc_machine *m, const struct hc_image *image)
{
    struct hc_profile *p = calloc(1, sizeof *p);
    struct hc_symbol stack; /* as linkers name its end */
    bool known = image && hc_image_symbol(image, "__stack", &stack);

    if (!p)
        return NULL;
    p->machine = m;
    hc_contexts_init(&p->contexts, image);
    p->stacks = p->contexts.no_memory ? NULL : hc_stacks_new(m, &p->contexts, known ? stack.address : 0);
    if (!p->stacks) {
        hc_profile_free(p);
        return NULL;
    }
    p->counted = cycles_now(p);
    p->retire_hook = hc_hook_retire(m, retired, p);
    p->interrupt_hook = hc_hook_interrupt(m, interrupted, p);
    return p;
}

static void unhook(struct hc_profile *p)
{
    if (p->retire_hook)
        hc_unhook(p->machine, p->retire_hook);
    if (p->interrupt_hook)
        hc_unhook(p->machine, p->interrupt_hook);
    p->retire_hook = p->interrupt_hook = 0;
}

void hc_profile_free(struct hc_profile *p)
{
    if (!p)
        return;
    unhook(p);
    hc_stacks_free(p->stacks);
    hc_contexts_free(&p->contexts);
    free(p);
}

void hc_profile_restart(struct hc_profile *p)
{
    hc_stacks_restart(p->stacks);
    p->counted = cycles_now(p);
}

bool hc_profile_finish(struct hc_profile *p)
{
    spend(p, 0); /* an interrupt that was accepted, and of which nothing ran */
    unhook(p);
    hc_stacks_finish(p->stacks);
    return !p->contexts.no_memory;
}

const struct hc_contexts *hc_profile_contexts(const struct hc_profile *p)
{
    return &p->contexts;
}

struct hc_cost hc_profile_total(const struct hc_profile *p)
{
    return p->total;
}

size_t hc_profile_stacks(const struct hc_profile *p)
{
    return hc_stacks_count(p->stacks);
}

uint32_t hc_profile_deepest_stack(const struct hc_profile *p)
{
    return hc_stacks_deepest(p->stacks);
}

uint32_t hc_profile_take_deepest(struct hc_profile *p)
{
    return hc_stacks_take_deepest(p->stacks);
}
