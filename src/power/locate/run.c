#include "run.h"

#include "machine/device.h"

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;

    return hc_image_symbol(image, name, &symbol) ? symbol.address : 0;
}

void hc_power_program_find(struct hc_power_program *program, const struct hc_image *image)
{
    static const char *const names[HC_HEAP_FUNCTIONS] = { "malloc", "calloc", "realloc", "free" };

    *program = (struct hc_power_program){ .start = address_of(image, "_start"),
                                          .main = address_of(image, "main"),
                                          .stack = address_of(image, "__stack"),
                                          .heap_low = address_of(image, "__heap_start"),
                                          .heap_high = address_of(image, "__heap_end") };
    for (int i = 0; i < HC_HEAP_FUNCTIONS; i++)
        program->heap_function[i] = address_of(image, names[i]);
}

uint64_t hc_power_time(const struct hc_machine *m)
{
    struct hc_statistics s;

    hc_machine_statistics(m, &s);
    return s.instructions;
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

bool hc_power_run_to_main(struct hc_machine *m, const struct hc_power_program *program)
{
    enum { SOON_S = 10 };

    if (!program->main)
        return false;
    int hook = hc_hook_pc(m, program->main, stop_here, NULL);
    enum hc_stop stop = hc_machine_run(m, hc_now(m) + SOON_S * HC_SECOND);
    hc_unhook(m, hook);
    return stop == HC_STOP_HOOK;
}

uint32_t hc_power_back(struct hc_machine *m)
{
    return hc_peek16(m, hc_register(m, HC_SP));
}

bool hc_power_run_until(struct hc_machine *m, uint64_t time)
{
    uint64_t now = hc_power_time(m);

    return time == now || (time > now && hc_machine_step(m, time - now, HC_NEVER) == HC_STOP_STEPS);
}

/* Asleep without anything that could wake it, or in a jump to itself. */
static bool is_over(struct hc_machine *m)
{
    enum { JUMP_TO_ITSELF = 0x3fff };

    if (hc_queue_next(hc_events(m)) != HC_NEVER)
        return false;
    return hc_register(m, HC_SR) & HC_SR_CPUOFF || hc_peek16(m, hc_register(m, HC_PC)) == JUMP_TO_ITSELF;
}

enum hc_power_end hc_power_run_to_end(struct hc_machine *m, uint32_t back, uint32_t reset, uint64_t limit)
{
    enum { CHUNK = 65536 };
    int at_end = hc_hook_pc(m, back, stop_here, NULL), at_reset = 0;
    uint64_t start = hc_power_time(m);
    enum hc_power_end end = HC_END_LIMIT;

    if (reset && hc_register(m, HC_PC) != reset)
        at_reset = hc_hook_pc(m, reset, stop_here, NULL);
    while (end == HC_END_LIMIT && hc_power_time(m) - start < limit) {
        uint64_t left = limit - (hc_power_time(m) - start);
        enum hc_stop stop = hc_machine_step(m, left < CHUNK ? left : CHUNK, hc_now(m) + HC_SECOND);
        if (stop == HC_STOP_FAULT)
            end = HC_END_FAULT;
        else if (stop == HC_STOP_HOOK)
            end = hc_register(m, HC_PC) == back ? HC_END_DONE : HC_END_RESET;
        else if (is_over(m))
            end = HC_END_DONE;
    }
    hc_unhook(m, at_end);
    if (at_reset)
        hc_unhook(m, at_reset);
    return end;
}
