#include "own_memory.h"

#include "failure.h"

#include <stdlib.h>

enum { WRITTEN_WITHIN = 1, USED_OUTSIDE = 2, CHECKPOINT_RETURNS_HERE = 4, HOOKS_MOST = 8 };

struct learner {
    int within;   /* depth of calls of either routine */
    uint8_t *use; /* of each byte of memory */
    int *returns; /* hooks where the checkpoint routine returns to */
    size_t return_count;
};

/* A restore routine seldom returns: it goes on behind a call of the checkpoint routine, and so is left there. */
static enum hc_action behind_a_checkpoint(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct learner *l = owner;

    (void)m;
    (void)pc;
    l->within = 0;
    return HC_CONTINUE;
}

static void hook_return(struct learner *l, struct hc_machine *m)
{
    uint32_t pc = hc_register(m, 0);

    if (l->use[pc] & CHECKPOINT_RETURNS_HERE)
        return;
    l->use[pc] |= CHECKPOINT_RETURNS_HERE;
    l->returns = realloc(l->returns, (l->return_count + 1) * sizeof *l->returns);
    if (!l->returns)
        abort();
    l->returns[l->return_count++] = hc_hook_pc(m, pc, behind_a_checkpoint, l);
}

static enum hc_action routine_called(void *owner, struct hc_machine *m, bool entering)
{
    struct learner *l = owner;

    (void)m;
    l->within += entering ? 1 : -1;
    return HC_CONTINUE;
}

static enum hc_action checkpoint_called(void *owner, struct hc_machine *m, bool entering)
{
    struct learner *l = owner;

    routine_called(l, m, entering);
    if (!entering && l->within <= 0)
        hook_return(l, m);
    return HC_CONTINUE;
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct learner *l = owner;

    (void)m;
    for (uint32_t i = 0; i < access->size; i++)
        if (l->within <= 0)
            l->use[access->address + i] |= USED_OUTSIDE;
        else if (access->write)
            l->use[access->address + i] |= WRITTEN_WITHIN;
    return HC_CONTINUE;
}

static int hook_all(struct learner *l, struct hc_machine *m, uint32_t checkpoint, uint32_t restore, int *hook)
{
    int hooks = 0;

    for (const struct hc_region *r = hc_machine_part(m)->regions; r->name; r++)
        if (r->kind == HC_FRAM)
            hook[hooks++] = hc_hook_access(m, r->start, r->end, HC_WATCH_READ | HC_WATCH_WRITE, accessed, l);
    if (checkpoint)
        hook[hooks++] = hc_hook_call(m, checkpoint, checkpoint_called, l);
    if (restore)
        hook[hooks++] = hc_hook_call(m, restore, routine_called, l);
    return hooks;
}

void hc_trial_learn_own_memory(struct hc_trial *trial, struct hc_machine *m, uint32_t checkpoint, uint32_t restore)
{
    uint32_t size = hc_power_memory_size(m);
    struct learner l = { .use = calloc(size + 1, 1) };
    struct hc_snapshot *main = hc_snapshot_take(m);
    int hook[HOOKS_MOST];

    if (!main || !l.use)
        abort();
    int hooks = hook_all(&l, m, checkpoint, restore, hook);
    for (int run = 0; run < 2; run++) {
        struct hc_evaluated ignored;
        l.within = 0;
        hc_trial_finish(trial, HC_TRIAL_ANYWHERE, &ignored);
        hc_trial_fail(trial, NULL);
    }
    while (hooks)
        hc_unhook(m, hook[--hooks]);
    while (l.return_count)
        hc_unhook(m, l.returns[--l.return_count]);
    for (uint32_t a = 0; a < size; a++)
        if ((l.use[a] & (WRITTEN_WITHIN | USED_OUTSIDE)) == WRITTEN_WITHIN)
            hc_trial_leave_out(trial, a, a + 1);
    hc_snapshot_restore(m, main);
    hc_snapshot_free(main);
    free(l.use);
    free(l.returns);
}
