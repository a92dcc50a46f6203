#include "target.h"

#include "machine/device.h"

#include <string.h>

static const struct hc_target *const targets[] = { &hc_target_msp430, &hc_target_armv7m };
enum { TARGETS = sizeof targets / sizeof *targets };

const struct hc_target *hc_target_of_cpu(const char *cpu)
{
    for (int i = 0; i < TARGETS; i++)
        for (const char *const *name = targets[i]->cpus; *name; name++)
            if (!strcmp(*name, cpu))
                return targets[i];
    return NULL;
}

const struct hc_target *hc_target_of_elf(uint16_t machine)
{
    for (int i = 0; i < TARGETS; i++)
        if (targets[i]->elf_machine == machine)
            return targets[i];
    return NULL;
}

/* One family is emulated. */
const struct hc_target *hc_target_of_machine(const struct hc_machine *m)
{
    (void)m;
    return &hc_target_msp430;
}

void hc_target_interrupted(struct hc_machine *m, uint32_t *pc, uint32_t *sp)
{
    const struct hc_target *target = hc_target_of_machine(m);
    const struct hc_cpu_frame *frame = &target->cpu->frame;
    uint32_t at = hc_register(m, HC_SP), status;

    target->unwind->interrupted(hc_peek16(m, at + frame->status), hc_peek16(m, at + frame->pc), &status, pc);
    *sp = at + frame->size;
}

bool hc_target_is_over(struct hc_machine *m)
{
    const struct hc_target_cpu *cpu = hc_target_of_machine(m)->cpu;

    if (hc_queue_next(hc_events(m)) != HC_NEVER)
        return false;
    return hc_register(m, cpu->status_register) & cpu->status.asleep || cpu->is_halt(m, hc_register(m, HC_PC));
}

const struct hc_target_part *hc_target_part(const char *name)
{
    for (int i = 0; i < TARGETS; i++)
        for (const struct hc_target_part *part = targets[i]->parts; part && part->name; part++)
            if (!strcmp(part->name, name))
                return part;
    return NULL;
}
