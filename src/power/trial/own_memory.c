#include "own_memory.h"

#include "failure.h"

#include <stdlib.h>

enum { WRITTEN_WITHIN = 1, USED_OUTSIDE = 2, HOOKS_MOST = 8 };

struct learner {
    int within;   /* depth of calls of either routine */
    uint8_t *use; /* of each byte of memory */
};

static enum hc_action entered_or_left(void *owner, struct hc_machine *m, bool entering)
{
    struct learner *l = owner;

    (void)m;
    l->within += entering ? 1 : -1;
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
        hook[hooks++] = hc_hook_call(m, checkpoint, entered_or_left, l);
    if (restore)
        hook[hooks++] = hc_hook_call(m, restore, entered_or_left, l);
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
    for (uint32_t a = 0; a < size; a++)
        if (l.use[a] == WRITTEN_WITHIN)
            hc_trial_leave_out(trial, a, a + 1);
    hc_snapshot_restore(m, main);
    hc_snapshot_free(main);
    free(l.use);
}
