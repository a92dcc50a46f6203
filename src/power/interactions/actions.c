#include "actions.h"

#include <stdlib.h>

enum { ARGUMENT = 12 };

struct hc_actions {
    struct hc_machine *machine;
    const struct hc_output *output;
    hc_acted_fn *acted;
    void *owner;
    size_t count;
    struct watch {
        struct hc_actions *actions;
        size_t output;
        int hook;
    } watch[];
};

static enum hc_action called(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct watch *w = owner;

    w->actions->acted(w->actions->owner, w->output, (int16_t)hc_register(m, ARGUMENT), pc);
    return HC_CONTINUE;
}

/* Of a word's register the lower byte may be written alone. */
static enum hc_action written(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    const struct watch *w = owner;

    (void)m;
    w->actions->acted(w->actions->owner, w->output, access->value, access->pc);
    return HC_CONTINUE;
}

struct hc_actions *hc_actions_new(struct hc_machine *m, const struct hc_output *output, size_t count,
                                  hc_acted_fn *acted, void *owner)
{
    struct hc_actions *a = calloc(1, sizeof *a + count * sizeof a->watch[0]);

    if (!a)
        abort();
    *a = (struct hc_actions){ .machine = m, .output = output, .acted = acted, .owner = owner, .count = count };
    for (size_t i = 0; i < count; i++) {
        const struct hc_output *o = &output[i];
        a->watch[i] = (struct watch){ .actions = a, .output = i };
        a->watch[i].hook = o->register_size ? hc_hook_access(m, o->entry, o->entry + o->register_size - 1,
                                                             HC_WATCH_WRITE, written, &a->watch[i])
                                            : hc_hook_pc(m, o->entry, called, &a->watch[i]);
    }
    return a;
}

void hc_actions_free(struct hc_actions *a)
{
    for (size_t i = 0; a && i < a->count; i++)
        hc_unhook(a->machine, a->watch[i].hook);
    free(a);
}
