#include "shadow.h"

#include <stdlib.h>
#include <string.h>

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- what is not an instruction ---- */

static void wrote(void *owner, uint32_t address, uint32_t size)
{
    struct hc_check *c = owner;

    for (uint32_t i = 0; i < size && address + i < c->memory_size; i++) {
        c->undefined[address + i] = 0;
        c->word[(address + i) >> 1].tag = 0;
        c->word[(address + i) >> 1].writer = HC_CHECK_OUTSIDE;
    }
}

static void set(void *owner, int reg)
{
    struct hc_check *c = owner;

    hc_check_set_register(c, reg, (struct hc_check_shadow){ 0 });
}

/* The hardware has pushed its frame. */
static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct hc_check *c = owner;
    const struct hc_cpu_frame *frame = &c->target->cpu->frame;
    uint32_t sp = hc_register(m, HC_SP);

    (void)vector;
    if (sp + frame->size > c->memory_size)
        return;
    memset(c->undefined + sp, 0, frame->size);
    for (uint32_t i = 0; i < frame->size; i += 2) {
        c->word[(sp + i) >> 1].tag = 0;
        c->word[(sp + i) >> 1].owner = c->serial;
    }
    hc_check_called(c, sp + frame->pc, 2, pc);
}

/* ---- life ---- */

static uint32_t memory_size(const struct hc_machine *m)
{
    uint32_t size = 0;

    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name; r++)
        if (r->end + 1 > size)
            size = r->end + 1;
    return size;
}

struct hc_check *hc_check_new(struct hc_machine *m, struct hc_program *program)
{
    const struct hc_target *target = hc_target_of_machine(m);

    if (!target->steps || !target->cpu)
        return NULL;
    struct hc_check *c = allocated(calloc(1, sizeof *c));
    *c = (struct hc_check){ .machine = m, .r = hc_registers(m), .program = program, .target = target };
    c->image = hc_program_image(program);
    c->steps = target->steps;
    c->marks = hc_follow_marks(m);
    c->memory_size = memory_size(m);
    c->word = allocated(calloc(c->memory_size / 2 + 2, sizeof *c->word));
    c->undefined = allocated(calloc(c->memory_size + 4, 1));
    c->step = allocated(calloc(c->memory_size / 2 + 2, sizeof *c->step));
    c->serial = c->last_serial = 1;
    hc_check_objects_read(c);
    c->follower = (struct hc_follower){ hc_check_choose, wrote, set, c };
    hc_follow(m, &c->follower);
    c->interrupt_hook = hc_hook_interrupt(m, interrupted, c);
    hc_check_heap_hook(c);
    return c;
}

void hc_check_forget(struct hc_check *c)
{
    memset(c->reg, 0, sizeof c->reg);
    memset(c->word, 0, c->memory_size / 2 * sizeof *c->word);
    memset(c->undefined, 0, c->memory_size);
    hc_check_set_carry(c, false);
    c->quiet = 0;
    c->blocks = 0;
    c->stack_high = c->stack_low = 0;
    for (int i = 0; i < HC_CHECK_ALLOCATORS; i++)
        c->allocator[i].depth = 0;
}

void hc_check_cross(struct hc_check *c)
{
    hc_check_forget(c);
    c->no_unset = true;
}

void hc_check_free(struct hc_check *c)
{
    if (!c)
        return;
    hc_follow(c->machine, NULL);
    hc_unhook(c->machine, c->interrupt_hook);
    hc_check_heap_unhook(c);
    for (uint32_t i = 0; i < c->memory_size / 2; i++)
        free(c->step[i]);
    free(c->step);
    free(c->word);
    free(c->undefined);
    free(c->global);
    free(c->relocated);
    free(c->dynamic);
    free(c->block);
    free(c->finding);
    free(c);
}
