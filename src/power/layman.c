#include "layman.h"

#include <stdlib.h>
#include <string.h>

/* A byte written in the stretch after the checkpoint. */
struct written {
    uint32_t address;
    uint8_t value;
    uint32_t step; /* from 1 */
};

struct layman {
    const struct hc_locate_config *config;
    struct hc_machine *machine;
    uint32_t memory_size;
    uint32_t back; /* where main returns to */
    int hook[8], hooks;

    struct written *log; /* of the continuous run, from the checkpoint on */
    size_t logged, room;
    struct written *again; /* of the stretch that is executed again */
    size_t repeated, again_room;
    bool repeating;
    uint32_t step;
    uint8_t *before; /* memory at the checkpoint */
    uint8_t *right;  /* memory at the failure, in the continuous run; what was written since the checkpoint */
    uint32_t (*registers)[HC_REGISTERS]; /* after each step */
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
    struct layman *l = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size; i++) {
        struct written entry = { access->address + i, (uint8_t)(access->value >> 8 * i), l->step };
        if (l->repeating)
            append(&l->again, &l->repeated, &l->again_room, entry);
        else
            append(&l->log, &l->logged, &l->room, entry);
    }
    return HC_CONTINUE;
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static void prepare(struct layman *l)
{
    for (const struct hc_region *r = hc_machine_part(l->machine)->regions; r->name; r++) {
        l->memory_size = r->end + 1 > l->memory_size ? r->end + 1 : l->memory_size;
        if (r->kind == HC_RAM || r->kind == HC_FRAM)
            l->hook[l->hooks++] = hc_hook_access(l->machine, r->start, r->end, HC_WATCH_WRITE, wrote, l);
    }
    l->before = allocated(malloc(l->memory_size + 1));
    l->right = allocated(malloc(l->memory_size + 1));
    l->registers = allocated(calloc(l->config->depth + 2, sizeof *l->registers));
}

static void finish(struct layman *l)
{
    while (l->hooks)
        hc_unhook(l->machine, l->hook[--l->hooks]);
    free(l->log);
    free(l->again);
    free(l->before);
    free(l->right);
    free(l->registers);
}

/* The continuous run from the checkpoint on, as far as a failure may come: what it wrote. Returns its steps. */
static uint32_t run_on(struct layman *l)
{
    uint32_t most = (uint32_t)l->config->depth + 1;

    l->logged = 0;
    l->repeating = false;
    for (l->step = 1; l->step <= most && hc_register(l->machine, HC_PC) != l->back; l->step++) {
        hc_machine_step(l->machine, 1, HC_NEVER);
        for (int i = 0; i < HC_REGISTERS; i++)
            l->registers[l->step][i] = hc_register(l->machine, i);
    }
    return l->step - 1;
}

/* The supply fails after STEPS; USED entries of the log had been written until then. */
static bool differs(struct layman *l, const struct hc_snapshot *checkpoint, uint32_t steps, size_t used)
{
    bool different = false;

    hc_snapshot_restore(l->machine, checkpoint);
    for (size_t i = 0; i < used; i++)
        if (hc_region_kind(l->machine, l->log[i].address) == HC_FRAM)
            hc_poke(l->machine, l->log[i].address, l->log[i].value);
    l->repeating = true;
    l->repeated = 0;
    enum hc_stop stop = hc_machine_step(l->machine, steps, HC_NEVER);
    for (int i = 0; i < HC_REGISTERS; i++)
        different |= hc_register(l->machine, i) != l->registers[steps][i];
    for (size_t i = 0; i < used; i++)
        different |= hc_peek(l->machine, l->log[i].address) != l->right[l->log[i].address];
    for (size_t i = 0; i < l->repeated; i++)
        different |= hc_peek(l->machine, l->again[i].address) != l->right[l->again[i].address];
    return different || stop != HC_STOP_STEPS;
}

static void try_failures(struct layman *l, struct hc_layman *out)
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

static void remember_memory(struct layman *l)
{
    for (uint32_t a = 0; a < l->memory_size; a++) {
        enum hc_region_kind kind = hc_region_kind(l->machine, a);
        l->before[a] = kind == HC_RAM || kind == HC_FRAM ? hc_peek(l->machine, a) : 0;
    }
}

/* N instructions further; false at main's end. */
static bool advance(struct layman *l, uint64_t n)
{
    int hook = hc_hook_pc(l->machine, l->back, stop_here, NULL);
    enum hc_stop stop = n ? hc_machine_step(l->machine, n, HC_NEVER) : HC_STOP_STEPS;

    hc_unhook(l->machine, hook);
    return stop == HC_STOP_STEPS && hc_register(l->machine, HC_PC) != l->back;
}

bool hc_layman_run(const struct hc_locate_config *config, uint64_t first, uint64_t every, uint64_t count,
                   struct hc_layman *out)
{
    struct layman l = { .config = config, .machine = config->machine };
    int hook = hc_hook_pc(l.machine, config->program.main, stop_here, NULL);
    bool reached = hc_machine_run(l.machine, hc_now(l.machine) + 10 * HC_SECOND) == HC_STOP_HOOK;

    hc_unhook(l.machine, hook);
    *out = (struct hc_layman){ 0 };
    if (!reached)
        return false;
    l.back = hc_peek16(l.machine, hc_register(l.machine, HC_SP));
    prepare(&l);
    for (bool more = advance(&l, first); more && out->checkpoints < count; more = advance(&l, every)) {
        remember_memory(&l);
        try_failures(&l, out);
    }
    finish(&l);
    return true;
}

/* Failures 1 to d instructions after a checkpoint make d (d + 1) / 2; the last checkpoints have fewer before the end.
 */
double hc_layman_instructions(uint64_t n, uint64_t depth)
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
