#include "brute_force.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_WORDS = 1 << 19 };

/* A byte written in the stretch after the checkpoint. */
struct written {
    uint32_t address;
    uint8_t value;
    uint32_t step; /* from 1 */
};

struct brute_force {
    const struct hc_locate_config *config;
    const struct hc_located *located;
    struct hc_machine *machine;
    uint32_t memory_size;
    uint32_t back; /* where main returns to */
    int hook[8], hooks;

    struct written *log; /* of the continuous run, from the checkpoint on */
    size_t logged, room;
    struct written *again; /* of the stretch that is executed again */
    size_t repeated, again_room;
    bool advancing, repeating;
    uint32_t step;
    uint8_t *before; /* memory at the checkpoint */
    uint8_t *right;  /* memory at the failure, in the continuous run; what was written since the checkpoint */
    uint32_t (*registers)[HC_REGISTERS]; /* after each step */
    size_t registers_room;
    uint8_t *is_checkpoint; /* of each word of code */
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

static void append(struct written **list, size_t *count, size_t *room, struct written entry)
{
    if (*count == *room) {
        *room = *room ? 2 * *room : 1024;
        *list = allocated(realloc(*list, *room * sizeof **list));
    }
    (*list)[(*count)++] = entry;
}

static enum hc_action wrote(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct brute_force *l = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size; i++) {
        struct written entry = { access->address + i, (uint8_t)(access->value >> 8 * i), l->step };
        if (l->advancing)
            l->before[entry.address] = entry.value;
        else if (l->repeating)
            append(&l->again, &l->repeated, &l->again_room, entry);
        else
            append(&l->log, &l->logged, &l->room, entry);
    }
    return HC_CONTINUE;
}

static void note_checkpoints(struct brute_force *l)
{
    l->is_checkpoint = allocated(calloc(CODE_WORDS, 1));
    if (l->config->checkpoint)
        l->is_checkpoint[l->config->checkpoint / 2 & (CODE_WORDS - 1)] = 1;
    for (size_t i = 0; i < l->config->before_count; i++)
        l->is_checkpoint[l->config->before[i] / 2 & (CODE_WORDS - 1)] = 1;
}

static bool is_checkpoint(const struct brute_force *l)
{
    return l->is_checkpoint[hc_register(l->machine, HC_PC) / 2 & (CODE_WORDS - 1)];
}

/* A program that went astray may sleep for ever. */
static bool execute(struct brute_force *l, uint64_t instructions)
{
    enum { SOON_S = 10 };

    return hc_machine_settle(l->machine, instructions, hc_now(l->machine) + SOON_S * HC_SECOND) == HC_STOP_STEPS;
}

static void prepare(struct brute_force *l)
{
    l->memory_size = hc_power_memory_size(l->machine);
    for (const struct hc_region *r = hc_machine_part(l->machine)->regions; r->name; r++)
        if (r->kind == HC_RAM || r->kind == HC_FRAM)
            l->hook[l->hooks++] = hc_hook_access(l->machine, r->start, r->end, HC_WATCH_WRITE, wrote, l);
    l->before = allocated(malloc(l->memory_size + 1));
    l->right = allocated(malloc(l->memory_size + 1));
    note_checkpoints(l);
}

static void finish(struct brute_force *l)
{
    while (l->hooks)
        hc_unhook(l->machine, l->hook[--l->hooks]);
    free(l->log);
    free(l->again);
    free(l->before);
    free(l->right);
    free(l->registers);
    free(l->is_checkpoint);
}

static void keep_registers(struct brute_force *l)
{
    if (l->step >= l->registers_room) {
        l->registers_room = l->registers_room ? 2 * l->registers_room : 1024;
        l->registers = allocated(realloc(l->registers, l->registers_room * sizeof *l->registers));
    }
    for (int i = 0; i < HC_REGISTERS; i++)
        l->registers[l->step][i] = hc_register(l->machine, i);
}

static uint64_t cycles_of(const struct brute_force *l)
{
    struct hc_statistics s;

    hc_machine_statistics(l->machine, &s);
    return s.cycles;
}

/* The continuous run from the checkpoint on, as far as a failure may come: what it wrote. Returns its steps. */
static uint32_t run_on(struct brute_force *l)
{
    uint64_t most = l->config->depth && !l->config->depth_in_cycles ? l->config->depth + 1 : l->config->limit;
    uint64_t first = 0; /* cycles when the first instruction behind the checkpoint has ended */
    bool over = false;

    l->logged = 0;
    l->repeating = false;
    for (l->step = 1; l->step <= most && !over && hc_register(l->machine, HC_PC) != l->back; l->step++) {
        over = !execute(l, 1);
        keep_registers(l);
        over |= !l->config->depth && is_checkpoint(l);
        first = l->step == 1 ? cycles_of(l) : first;
        if (l->config->depth_in_cycles && cycles_of(l) - first > l->config->depth)
            return l->step - 1;
    }
    return l->step - 1;
}

/* The supply fails after STEPS; USED entries of the log had been written until then. */
static bool differs(struct brute_force *l, const struct hc_snapshot *checkpoint, uint32_t steps, size_t used)
{
    bool different = false;

    hc_snapshot_restore(l->machine, checkpoint);
    for (size_t i = 0; i < used; i++)
        if (hc_located_survives(l->config, l->located, l->log[i].address))
            hc_poke(l->machine, l->log[i].address, l->log[i].value);
    l->repeating = true;
    l->repeated = 0;
    different = !execute(l, steps);
    for (int i = 0; i < HC_REGISTERS; i++)
        different |= hc_register(l->machine, i) != l->registers[steps][i];
    for (size_t i = 0; i < used; i++)
        different |= hc_peek(l->machine, l->log[i].address) != l->right[l->log[i].address];
    for (size_t i = 0; i < l->repeated; i++)
        different |= hc_peek(l->machine, l->again[i].address) != l->right[l->again[i].address];
    return different;
}

static void try_failures(struct brute_force *l, struct hc_brute_forced *out)
{
    struct hc_snapshot *checkpoint = allocated(hc_snapshot_take(l->machine));
    uint32_t steps = run_on(l);
    size_t used = 0;

    memcpy(l->right, l->before, l->memory_size);
    out->checkpoints++;
    for (uint32_t f = 1; f <= steps; f++) {
        for (; used < l->logged && l->log[used].step == f; used++)
            l->right[l->log[used].address] = l->log[used].value;
        out->failures++;
        out->instructions += f;
        out->different += differs(l, checkpoint, f, used);
    }
    hc_snapshot_restore(l->machine, checkpoint);
    hc_snapshot_free(checkpoint);
}

static void remember_memory(struct brute_force *l)
{
    for (uint32_t a = 0; a < l->memory_size; a++) {
        enum hc_region_kind kind = hc_region_kind(l->machine, a);
        l->before[a] = kind == HC_RAM || kind == HC_FRAM ? hc_peek(l->machine, a) : 0;
    }
}

/* N instructions further, or N checkpoints where they are known; false at main's end. */
static bool advance(struct brute_force *l, uint64_t n)
{
    enum { PATIENCE_S = 3600 }; /* it may sleep for ever */

    l->advancing = true;
    for (uint64_t i = 0; i < n; i++)
        do {
            if (hc_register(l->machine, HC_PC) == l->back ||
                hc_machine_settle(l->machine, 1, hc_now(l->machine) + PATIENCE_S * HC_SECOND) != HC_STOP_STEPS)
                return false;
        } while (!l->config->depth && !is_checkpoint(l) && hc_register(l->machine, HC_PC) != l->back);
    l->advancing = false;
    return hc_register(l->machine, HC_PC) != l->back;
}

bool hc_brute_force(const struct hc_locate_config *config, const struct hc_located *located, uint64_t first,
                    uint64_t every, uint64_t count, struct hc_brute_forced *out)
{
    struct brute_force l = { .config = config, .located = located, .machine = config->machine };

    *out = (struct hc_brute_forced){ 0 };
    if (!hc_power_run_to_main(l.machine, &config->program))
        return false;
    l.back = hc_power_end_of(l.machine, &config->program);
    prepare(&l);
    remember_memory(&l);
    for (bool more = advance(&l, first); more && out->checkpoints < count; more = advance(&l, every))
        try_failures(&l, out);
    finish(&l);
    return true;
}

/* Failures 1 to d instructions after a checkpoint make d (d + 1) / 2; the last checkpoints have fewer before the end.
 */
double hc_brute_force_instructions(uint64_t n, uint64_t depth)
{
    double total = 0;

    if (depth >= n) {
        double m = (double)n;
        return m * (m + 1) * (m + 2) / 6;
    }
    double d = (double)depth + 1, rest = (double)depth;
    total = ((double)n - rest) * d * (d + 1) / 2;
    return total + rest * (rest + 1) * (rest + 2) / 6;
}
