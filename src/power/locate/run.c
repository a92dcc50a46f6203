#include "run.h"

#include "machine/device.h"
#include "target/target.h"

/* The first of NAMES, which end with NULL, that the image has; 0: none. */
static uint32_t address_of(const struct hc_image *image, const char *const *names)
{
    struct hc_symbol symbol;

    for (; *names; names++)
        if (hc_image_symbol(image, *names, &symbol))
            return symbol.address;
    return 0;
}

static uint32_t reset_vector(const struct hc_image *image)
{
    enum { VECTOR = 0xfffe };
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(image, &segment);

    for (size_t i = 0; i < n; i++)
        if (segment[i].address <= VECTOR && VECTOR + 2 - segment[i].address <= segment[i].size) {
            const uint8_t *word = segment[i].bytes + (VECTOR - segment[i].address);
            return (uint32_t)(word[0] | word[1] << 8);
        }
    return 0;
}

/* TI's heap has a symbol for its beginning and one for its size. */
static uint32_t end_of_ti_heap(const struct hc_image *image, uint32_t start)
{
    static const char *const sizes[] = { "__SYSMEM_SIZE", "__TI_SYSMEM_SIZE", NULL };
    uint32_t size = address_of(image, sizes);

    return start && size ? start + size : 0;
}

void hc_power_program_find(struct hc_power_program *program, const struct hc_image *image)
{
    static const char *const start[] = { "_start", "_c_int00_noargs", "_c_int00", NULL },
                             *const main[] = { "main", NULL }, *const stack[] = { "__stack", "__STACK_END", NULL },
                             *const heap_low[] = { "__heap_start", "__heap_start__", "_sys_memory", NULL },
                             *const heap_high[] = { "__heap_end", "__heap_end__", NULL },
                             *const allocator[HC_HEAP_FUNCTIONS][2] = {
                                 { "malloc" }, { "calloc" }, { "realloc" }, { "free" }
                             };

    *program = (struct hc_power_program){ .start = reset_vector(image),
                                          .main = address_of(image, main),
                                          .stack = address_of(image, stack),
                                          .heap_low = address_of(image, heap_low),
                                          .heap_high = address_of(image, heap_high) };
    if (!program->start)
        program->start = address_of(image, start);
    if (!program->heap_high)
        program->heap_high = end_of_ti_heap(image, program->heap_low);
    for (int i = 0; i < HC_HEAP_FUNCTIONS; i++)
        program->heap_function[i] = address_of(image, allocator[i]);
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

    if (program->from_ns)
        return hc_machine_run(m, hc_ns(program->from_ns)) == HC_STOP_TIME;
    if (!program->main)
        return false;
    int hook = hc_hook_pc(m, program->main, stop_here, NULL);
    enum hc_stop stop = hc_machine_run(m, hc_now(m) + SOON_S * HC_SECOND);
    hc_unhook(m, hook);
    return stop == HC_STOP_HOOK;
}

uint32_t hc_power_back(struct hc_machine *m)
{
    return hc_return_address(m, NULL);
}

/* Calls have two bytes or four. */
uint32_t hc_power_call_site(struct hc_machine *m)
{
    uint32_t back = hc_power_back(m);
    bool is_long = hc_flow_at(m, back - 4) == HC_FLOW_CALL && hc_instruction_length(m, back - 4) == 4;

    return is_long ? back - 4 : back - 2;
}

uint32_t hc_power_end_of(struct hc_machine *m, const struct hc_power_program *program)
{
    return program->until ? program->until : program->from_ns ? 0 : hc_power_back(m);
}

bool hc_power_run_until(struct hc_machine *m, uint64_t time)
{
    uint64_t now = hc_power_time(m);

    return time == now || (time > now && hc_machine_step(m, time - now, HC_NEVER) == HC_STOP_STEPS);
}

/* DEADLINE: of the machine's time, when the run is over; PATIENCE: time after which it is given up. */
static enum hc_power_end run_up_to(struct hc_machine *m, uint32_t back, uint32_t reset, uint64_t limit,
                                   hc_time deadline, hc_time patience)
{
    enum { CHUNK = 65536 };
    int at_end = hc_hook_pc(m, back, stop_here, NULL), at_reset = 0;
    uint64_t start = hc_power_time(m);
    hc_time started = hc_now(m);
    enum hc_power_end end = HC_END_LIMIT;

    if (reset && hc_register(m, HC_PC) != reset)
        at_reset = hc_hook_pc(m, reset, stop_here, NULL);
    while (end == HC_END_LIMIT && hc_power_time(m) - start < limit && hc_now(m) - started < patience) {
        uint64_t left = limit - (hc_power_time(m) - start);
        hc_time soon = hc_now(m) + HC_SECOND;
        enum hc_stop stop = hc_machine_step(m, left < CHUNK ? left : CHUNK, soon < deadline ? soon : deadline);
        if (stop == HC_STOP_FAULT)
            end = HC_END_FAULT;
        else if (stop == HC_STOP_HOOK)
            end = hc_register(m, HC_PC) == back ? HC_END_DONE : HC_END_RESET;
        else if (hc_target_is_over(m) || hc_now(m) >= deadline)
            end = HC_END_DONE;
    }
    hc_unhook(m, at_end);
    if (at_reset)
        hc_unhook(m, at_reset);
    return end;
}

enum hc_power_end hc_power_run_to_end(struct hc_machine *m, uint32_t back, uint32_t reset, uint64_t limit,
                                      hc_time patience)
{
    return run_up_to(m, back, reset, limit, HC_NEVER, patience);
}

enum hc_power_end hc_power_run_program(struct hc_machine *m, const struct hc_power_program *program, uint64_t limit)
{
    hc_time deadline = program->until_ns ? hc_ns(program->until_ns) : HC_NEVER;

    return run_up_to(m, hc_power_end_of(m, program), 0, limit, deadline, HC_NEVER);
}
