#include "locate.h"

#include "power/interactions/actions.h"
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

/* How the ABI passes arguments and results. */
enum { REGISTER_R12 = 12, REGISTER_R13 = 13 };

/* A stack pointer that is farther from the stack's end is not yet set. */
enum { LARGEST_STACK = 0x4000 };

/* Who wrote a byte of volatile memory last, and since which checkpoint. */
struct last_write {
    uint64_t time;
    uint64_t checkpoints; /* until then */
    uint32_t pc, context;
    bool written;
};

struct locate {
    const struct hc_locate_config *config;
    struct hc_located *out;
    struct hc_machine *machine;
    struct hc_shadow *shadow;
    uint32_t nvm_low, nvm_high;
    struct last_write *last_write; /* of volatile memory, from ram_low on; NULL when all of it is saved */
    uint32_t ram_low, ram_high;
    struct given { /* to peripherals that are not saved: the last write to each register */
        uint32_t address;
        struct last_write write;
    } *given;
    size_t givens, givens_room;
    bool main_reached;
    uint64_t startup; /* cycles until then */
    uint64_t resumed; /* when the last checkpoint was completed */
    uint8_t *is_nvm;  /* of each 256-byte page */
    bool wrote_nvm;
    int *hook;
    int hooks, hooks_room;
    struct hc_power_window window; /* where the present one began */
    int in_checkpoint;             /* depth of calls */
    uint32_t checkpoint_slot;      /* its return address */

    int in_allocator; /* depth of calls */
    enum hc_heap_function function;
    uint32_t argument[2];
    struct hc_accessor caller;
    struct hc_instant entered; /* when */

    struct hc_actions *actions;
    struct heap_hook {
        struct locate *locate;
        enum hc_heap_function function;
    } heap_hook[HC_HEAP_FUNCTIONS];
};

static void keep_hook(struct locate *l, int hook)
{
    if (l->hooks == l->hooks_room) {
        l->hooks_room = l->hooks_room ? 2 * l->hooks_room : 32;
        l->hook = realloc(l->hook, (size_t)l->hooks_room * sizeof *l->hook);
        if (!l->hook)
            abort();
    }
    l->hook[l->hooks++] = hook;
}

static uint64_t time_of(const struct locate *l)
{
    return hc_power_time(l->machine);
}

static struct hc_instant now_of(const struct locate *l)
{
    struct hc_statistics s;

    hc_machine_statistics(l->machine, &s);
    return (struct hc_instant){ s.instructions, s.cycles };
}

/* ---- memory ---- */

static bool is_stack(const struct locate *l, uint32_t address)
{
    return address >= l->out->stack_low && address < l->out->stack_high;
}

static bool is_heap(const struct locate *l, uint32_t address)
{
    return address >= l->config->program.heap_low && address < l->config->program.heap_high;
}

bool hc_ranges_hold(const struct hc_ranges *ranges, uint32_t address)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (address - ranges->range[i].start < ranges->range[i].size)
            return true;
    return false;
}

bool hc_located_survives(const struct hc_locate_config *config, const struct hc_located *located, uint32_t address)
{
    bool stack = address >= located->stack_low && address < located->stack_high;
    bool heap = address >= config->program.heap_low && address < config->program.heap_high;

    if (hc_region_kind(config->machine, address) != HC_FRAM || hc_ranges_hold(&config->versioned, address))
        return false;
    if (!config->nvm || config->nvm & (stack ? HC_NVM_STACK : heap ? HC_NVM_HEAP : HC_NVM_GLOBALS))
        return true;
    return config->nvm & HC_NVM_NAMED && hc_ranges_hold(&config->named, address);
}

static bool survives(const struct locate *l, uint32_t address)
{
    return l->is_nvm[address >> 8] && hc_located_survives(l->config, l->out, address);
}

static void note_stack_pointer(struct locate *l)
{
    uint32_t sp = hc_register(l->machine, HC_SP);

    if (sp < l->out->stack_low && l->out->stack_high - sp <= LARGEST_STACK &&
        hc_region_kind(l->machine, sp) == hc_region_kind(l->machine, l->out->stack_high - 1))
        l->out->stack_low = sp;
}

static void write_nvm(struct locate *l, uint32_t address, uint8_t value, const struct hc_accessor *who,
                      struct hc_instant now)
{
    hc_shadow_write(l->shadow, address, value, who, now, is_stack(l, address));
    hc_power_inputs_nvm_written(l->out->inputs, who->pc);
    l->wrote_nvm = true;
}

static void data_access(struct locate *l, const struct hc_access *access, const struct hc_accessor *who,
                        struct hc_instant now)
{
    for (uint32_t i = 0; i < access->size; i++) {
        uint32_t address = access->address + i;
        uint8_t value = (uint8_t)(access->value >> 8 * i);
        if (!survives(l, address))
            continue;
        l->out->accesses++;
        if (access->write)
            write_nvm(l, address, value, who, now);
        else
            hc_shadow_read(l->shadow, address, value, who, now);
    }
    if (is_heap(l, access->address) && survives(l, access->address))
        hc_heap_access(l->out->heap, access->address, who, now);
}

bool hc_located_is_lost(const struct hc_locate_config *config, const struct hc_located *located, uint32_t address)
{
    bool stack = address >= located->stack_low && address < located->stack_high;
    bool heap = address >= config->program.heap_low && address < config->program.heap_high;

    if (hc_region_kind(config->machine, address) != HC_RAM)
        return false;
    return config->unsaved & (stack ? HC_UNSAVED_STACK : heap ? HC_UNSAVED_HEAP : HC_UNSAVED_GLOBALS);
}

/* With checkpoints anywhere there may be one between the write and the read; else one must have been. */
static void volatile_read(struct locate *l, uint32_t address, const struct hc_accessor *who, uint64_t time)
{
    const struct last_write *w = &l->last_write[address - l->ram_low];
    bool apriori = l->config->depth != 0;

    if (!w->written || (!apriori && w->checkpoints == l->out->checkpoints))
        return;
    struct hc_occurrence occurrence = { .consumed = time,
                                        .produced = w->time,
                                        .resumed = apriori ? time - 1 : l->resumed,
                                        .address = address,
                                        .consumer_context = who->context,
                                        .producer_context = w->context };
    hc_pairs_add(&l->out->pairs, HC_LOST_STATE, who->pc, w->pc, false, &occurrence);
}

static void volatile_access(struct locate *l, const struct hc_access *access, const struct hc_accessor *who,
                            uint64_t time)
{
    for (uint32_t i = 0; i < access->size; i++) {
        uint32_t address = access->address + i;
        if (address < l->ram_low || address > l->ram_high || !hc_located_is_lost(l->config, l->out, address))
            continue;
        if (access->write)
            l->last_write[address - l->ram_low] =
                (struct last_write){ time, l->out->checkpoints, who->pc, who->context, true };
        else
            volatile_read(l, address, who, time);
    }
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct locate *l = owner;
    struct hc_instant now = now_of(l);

    (void)m;
    note_stack_pointer(l);
    struct hc_accessor who = hc_power_frames_access(l->out->frames, access, now.time);
    bool own_return = l->in_checkpoint == 1 && !access->write && access->address == l->checkpoint_slot;
    if ((l->in_checkpoint && !own_return) || l->in_allocator) {
        l->wrote_nvm |= access->write && survives(l, access->address);
        return HC_CONTINUE;
    }
    data_access(l, access, &who, now);
    if (l->last_write)
        volatile_access(l, access, &who, now.time);
    return HC_CONTINUE;
}

/* ---- calls ---- */

/* A window ends at call site TO, and the next one begins. */
static void end_window(struct locate *l, uint32_t to)
{
    struct hc_statistics s;

    hc_machine_statistics(l->machine, &s);
    struct hc_power_window w = { .instructions = s.instructions - l->window.instructions,
                                 .cycles = s.cycles - l->window.cycles,
                                 .restart = l->window.from ? l->startup : 0,
                                 .from = l->window.from,
                                 .to = to };
    if (w.cycles + w.restart > l->out->longest.cycles + l->out->longest.restart)
        l->out->longest = w;
    l->window = (struct hc_power_window){ .instructions = s.instructions, .cycles = s.cycles, .from = to };
}

/* PLACE has a checkpoint behind it that does not save what was given to this register before. */
static void lose_register(struct locate *l, uint32_t place, const struct given *g)
{
    struct hc_occurrence occurrence = { .consumed = time_of(l),
                                        .produced = g->write.time,
                                        .resumed = time_of(l),
                                        .address = g->address,
                                        .consumer_context = hc_power_frames_current(l->out->frames).context,
                                        .producer_context = g->write.context };

    hc_pairs_add(&l->out->pairs, HC_LOST_STATE, place, g->write.pc, false, &occurrence);
}

static void lose_peripherals(struct locate *l, uint32_t place)
{
    for (size_t i = 0; i < l->givens; i++)
        lose_register(l, place, &l->given[i]);
}

static struct given *given_of(struct locate *l, uint32_t address)
{
    for (size_t i = 0; i < l->givens; i++)
        if (l->given[i].address == address)
            return &l->given[i];
    if (l->givens == l->givens_room) {
        l->givens_room = l->givens_room ? 2 * l->givens_room : 32;
        l->given = realloc(l->given, l->givens_room * sizeof *l->given);
        if (!l->given)
            abort();
    }
    l->given[l->givens].address = address;
    return &l->given[l->givens++];
}

/* What the start-up code writes it will write again. */
static enum hc_action peripheral_written(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct locate *l = owner;

    (void)m;
    if (!l->main_reached || l->in_checkpoint || access->pc == UINT32_MAX)
        return HC_CONTINUE;
    struct hc_accessor who = hc_power_frames_access(l->out->frames, access, time_of(l));
    struct given *g = given_of(l, access->address);
    g->write = (struct last_write){ time_of(l), l->out->checkpoints, who.pc, who.context, true };
    if (l->config->depth)
        lose_register(l, access->pc, g);
    return HC_CONTINUE;
}

static void complete_checkpoint(struct locate *l, uint32_t place)
{
    lose_peripherals(l, place);
    l->out->checkpoints++;
    l->resumed = time_of(l);
    end_window(l, place);
    hc_shadow_checkpoint(l->shadow, time_of(l));
    hc_heap_checkpoint(l->out->heap, time_of(l));
    hc_outputs_checkpoint(l->out->outputs);
    hc_power_inputs_checkpoint(l->out->inputs, time_of(l));
}

static enum hc_action checkpoint_reached(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    complete_checkpoint(owner, pc);
    return HC_CONTINUE;
}

static enum hc_action checkpoint_called(void *owner, struct hc_machine *m, bool entering)
{
    struct locate *l = owner;

    l->in_checkpoint += entering ? 1 : -1;
    hc_power_inputs_pause(l->out->inputs, l->in_checkpoint != 0);
    if (!entering || l->in_checkpoint != 1)
        return HC_CONTINUE;
    l->checkpoint_slot = hc_register(m, HC_SP);
    complete_checkpoint(l, hc_power_frames_call_site(l->out->frames));
    return HC_CONTINUE;
}

static void acted(void *owner, size_t output, int32_t argument, uint32_t pc)
{
    struct locate *l = owner;
    bool function = !l->config->output[output].register_size;
    uint32_t site = function ? hc_power_frames_call_site(l->out->frames) : pc;

    if (l->in_checkpoint)
        return;
    bool stale = function && hc_power_inputs_given(l->out->inputs, site);
    hc_outputs_act(l->out->outputs, output, argument, site, stale);
}

static void allocator_entered(struct locate *l, enum hc_heap_function function)
{
    struct hc_machine *m = l->machine;

    l->function = function;
    l->entered = now_of(l); /* the CALL was the last to retire */
    l->argument[0] = hc_register(m, REGISTER_R12) & 0xffff;
    l->argument[1] = hc_register(m, REGISTER_R13) & 0xffff;
    l->caller = hc_power_frames_current(l->out->frames);
    l->caller.pc = hc_power_frames_call_site(l->out->frames);
}

static void allocator_left(struct locate *l)
{
    uint32_t given = hc_register(l->machine, REGISTER_R12) & 0xffff;
    uint32_t size = l->function == HC_MALLOC   ? l->argument[0]
                    : l->function == HC_CALLOC ? l->argument[0] * l->argument[1]
                                               : l->argument[1];
    struct hc_instant now = now_of(l);

    if (l->function == HC_FREE || (l->function == HC_REALLOC && given)) {
        if (l->argument[0] && survives(l, l->argument[0]))
            hc_heap_taken(l->out->heap, l->argument[0], &l->caller, l->entered, now);
    }
    if (l->function != HC_FREE && given && survives(l, given))
        hc_heap_given(l->out->heap, given, size, &l->caller, l->entered, now);
}

static enum hc_action allocator_called(void *owner, struct hc_machine *m, bool entering)
{
    struct heap_hook *hook = owner;
    struct locate *l = hook->locate;

    (void)m;
    if (entering && l->in_allocator++ == 0)
        allocator_entered(l, hook->function);
    if (!entering && --l->in_allocator == 0)
        allocator_left(l);
    return HC_CONTINUE;
}

/* ---- the run ---- */

static void find_ram(struct locate *l)
{
    l->ram_low = UINT32_MAX;
    for (const struct hc_region *r = hc_machine_part(l->machine)->regions; r->name; r++)
        if (r->kind == HC_RAM) {
            l->ram_low = r->start < l->ram_low ? r->start : l->ram_low;
            l->ram_high = r->end > l->ram_high ? r->end : l->ram_high;
        }
    if (l->config->unsaved && l->ram_low <= l->ram_high)
        l->last_write = calloc(l->ram_high - l->ram_low + 1, sizeof *l->last_write);
}

static void find_nvm(struct locate *l)
{
    l->nvm_low = UINT32_MAX;
    for (const struct hc_region *r = hc_machine_part(l->machine)->regions; r->name; r++) {
        if (r->kind != HC_FRAM)
            continue;
        for (uint32_t page = r->start >> 8; page <= r->end >> 8; page++)
            l->is_nvm[page] = 1;
        l->nvm_low = r->start < l->nvm_low ? r->start : l->nvm_low;
        l->nvm_high = r->end > l->nvm_high ? r->end : l->nvm_high;
    }
}

static void find_stack(struct locate *l)
{
    uint32_t sp = hc_register(l->machine, HC_SP);

    l->out->stack_high = l->config->program.stack ? l->config->program.stack : sp;
    l->out->stack_low = l->out->stack_high;
    note_stack_pointer(l);
}

static void hook_heap(struct locate *l)
{
    for (int i = 0; i < HC_HEAP_FUNCTIONS; i++) {
        uint32_t entry = l->config->program.heap_function[i];
        l->heap_hook[i] = (struct heap_hook){ l, (enum hc_heap_function)i };
        if (entry)
            keep_hook(l, hc_hook_call(l->machine, entry, allocator_called, &l->heap_hook[i]));
    }
}

static bool holds_stack(const struct locate *l, const struct hc_region *r)
{
    return l->out->stack_high - 1 >= r->start && l->out->stack_high - 1 <= r->end;
}

/* FRAM, and the stack, which shows who runs. */
static void hook_memory(struct locate *l)
{
    for (const struct hc_region *r = hc_machine_part(l->machine)->regions; r->name; r++) {
        if (r->kind == HC_IO && l->config->unsaved & HC_UNSAVED_PERIPHERALS)
            keep_hook(l, hc_hook_access(l->machine, r->start, r->end, HC_WATCH_WRITE, peripheral_written, l));
        if (r->kind == HC_FRAM || (r->kind == HC_RAM && (l->last_write || holds_stack(l, r))))
            keep_hook(l, hc_hook_access(l->machine, r->start, r->end, HC_WATCH_READ | HC_WATCH_WRITE, accessed, l));
    }
}

static void hook_all(struct locate *l)
{
    find_stack(l);
    l->shadow = hc_shadow_new(l->nvm_low, l->nvm_high, l->config->depth, l->config->farther != NULL, &l->out->pairs);
    hook_heap(l);
    hc_power_inputs_attach(l->out->inputs, l->machine);
    l->actions = hc_actions_new(l->machine, l->config->output, l->config->outputs, acted, l);
    if (l->config->checkpoint)
        keep_hook(l, hc_hook_call(l->machine, l->config->checkpoint, checkpoint_called, l));
    for (size_t i = 0; i < l->config->before_count; i++)
        keep_hook(l, hc_hook_pc(l->machine, l->config->before[i], checkpoint_reached, l));
    hook_memory(l);
}

static enum hc_locate_end run_to_end(struct locate *l)
{
    switch (hc_power_run_program(l->machine, &l->config->program, l->config->limit)) {
    case HC_END_LIMIT:
        return HC_LOCATE_LIMIT;
    case HC_END_FAULT:
        return HC_LOCATE_FAULT;
    default:
        return HC_LOCATE_DONE;
    }
}

static enum hc_locate_end locate(struct locate *l)
{
    const struct hc_locate_config *c = l->config;
    struct hc_statistics before, after;

    find_ram(l);
    find_nvm(l);
    if (l->nvm_low == UINT32_MAX)
        return HC_LOCATE_NO_NVM;
    if (!c->depth) /* before the first checkpoint a failure leads back to power-on, and through the start-up code */
        hook_all(l);
    if (!hc_power_run_to_main(l->machine, &c->program))
        return HC_LOCATE_NO_MAIN;
    if (c->depth)
        hook_all(l);
    hc_machine_statistics(l->machine, &before);
    l->main_reached = true;
    l->startup = before.cycles;
    enum hc_locate_end end = run_to_end(l);
    hc_machine_statistics(l->machine, &after);
    if (!c->depth)
        end_window(l, 0);
    hc_outputs_checkpoint(l->out->outputs);
    l->out->instructions = after.instructions - before.instructions;
    l->out->cycles = after.cycles - before.cycles;
    bool nothing_to_see = !l->wrote_nvm && !c->inputs && !c->outputs && !c->unsaved;
    return end == HC_LOCATE_DONE && nothing_to_see ? HC_LOCATE_NO_NVM : end;
}

void hc_power_locate(const struct hc_locate_config *config, struct hc_located *out)
{
    struct locate l = { .config = config, .out = out, .machine = config->machine };

    *out = (struct hc_located){ .frames = hc_power_frames_new(config->machine) };
    out->pairs.in_cycles = config->depth_in_cycles;
    out->pairs.occurred = config->occurred;
    out->pairs.owner = config->owner;
    out->pairs.farther = config->farther;
    out->heap = hc_heap_new(config->depth, config->farther != NULL, &out->pairs);
    out->inputs = hc_power_inputs_new(config->input, config->inputs, config->depth, config->depth_in_cycles);
    out->outputs = hc_outputs_new(config->output, config->outputs, config->environment, config->depth != 0);
    l.is_nvm = calloc(1 << 12, 1);
    if (!l.is_nvm)
        abort();
    out->end = locate(&l);
    hc_power_inputs_detach(out->inputs);
    hc_actions_free(l.actions);
    while (l.hooks)
        hc_unhook(l.machine, l.hook[--l.hooks]);
    hc_shadow_free(l.shadow);
    free(l.hook);
    free(l.last_write);
    free(l.given);
    free(l.is_nvm);
}

void hc_located_free(struct hc_located *located)
{
    hc_pairs_free(&located->pairs);
    hc_power_frames_free(located->frames);
    hc_heap_free(located->heap);
    hc_power_inputs_free(located->inputs);
    hc_outputs_free(located->outputs);
    *located = (struct hc_located){ 0 };
}
