#include "history.h"

#include "power/locate/run.h"

#include <stdlib.h>

/* ---- checkpoints ---- */

struct checkpoint_listener {
    struct hc_machine *machine;
    bool by_time; /* in nanoseconds, else in instructions */
    uint64_t **at;
    size_t *count;
    size_t room;
    int *hook;
    size_t hooks;
};

static void *grown(void *list, size_t size)
{
    void *more = realloc(list, size);

    if (!more)
        abort();
    return more;
}

static enum hc_action checkpoint_met(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct checkpoint_listener *l = owner;
    struct hc_statistics s;

    (void)pc;
    if (*l->count == HC_HISTORY_MOST)
        return HC_CONTINUE;
    if (*l->count == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        *l->at = grown(*l->at, l->room * sizeof **l->at);
    }
    hc_machine_statistics(m, &s);
    (*l->at)[(*l->count)++] = l->by_time ? hc_to_us(s.now) * 1000 : s.instructions;
    return HC_CONTINUE;
}

static void listen(struct checkpoint_listener *l, const struct hc_locate_config *config)
{
    l->hook = calloc(config->before_count + 1, sizeof *l->hook);
    if (!l->hook)
        abort();
    if (config->checkpoint)
        l->hook[l->hooks++] = hc_hook_pc(l->machine, config->checkpoint, checkpoint_met, l);
    for (size_t i = 0; i < config->before_count; i++)
        l->hook[l->hooks++] = hc_hook_pc(l->machine, config->before[i], checkpoint_met, l);
}

static void stop_listening(struct checkpoint_listener *l)
{
    while (l->hooks)
        hc_unhook(l->machine, l->hook[--l->hooks]);
    free(l->hook);
}

/* ---- the continuous run ---- */

void hc_history_run(struct hc_history *c, const struct hc_locate_config *config, uint64_t instructions)
{
    struct hc_machine *m = config->machine;
    struct checkpoint_listener l = { .machine = m, .at = &c->checkpoint, .count = &c->checkpoints };

    listen(&l, config);
    hc_power_run_to_main(m, &config->program);
    c->began = hc_power_time(m);
    if (instructions)
        hc_power_run_until(m, c->began + instructions);
    stop_listening(&l);
}

/* ---- the supply ---- */

/* Room for events is made by leaving out every second sample. */
static void thin_out(struct hc_history *c)
{
    size_t n = 0, samples = 0;

    for (size_t i = 0; i < c->points; i++)
        if (c->point[i].event != HC_SUPPLY_TIME || samples++ % 2)
            c->point[n++] = c->point[i];
    c->points = n;
}

/* Charged once, and empty: nothing happens any more. */
static bool is_over(const struct hc_history *c)
{
    return !c->harvested && c->points && c->point[c->points - 1].event == HC_SUPPLY_OFF;
}

static void note(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts, uint64_t instructions)
{
    struct hc_history *c = owner;

    (void)instructions;
    if (c->points == HC_HISTORY_MOST)
        thin_out(c);
    if (c->points < HC_HISTORY_MOST && !is_over(c))
        c->point[c->points++] = (struct hc_supply_point){ event, ns, microvolts };
}

void hc_history_supply(struct hc_history *c, const struct hc_locate_config *config,
                       const struct hc_intermittent_config *supply)
{
    struct hc_intermittent_config observed = *supply;
    struct checkpoint_listener l = { .machine = supply->machine, .by_time = true, .at = &c->met, .count = &c->mets };

    c->point = calloc(HC_HISTORY_MOST, sizeof *c->point);
    if (!c->point)
        abort();
    c->supplied = true;
    c->harvested = supply->supply->harvest != NULL;
    c->capacitor = supply->supply->capacitor;
    observed.samples = true;
    observed.event = note;
    observed.owner = c;
    note(c, HC_SUPPLY_TIME, supply->supply->ns, hc_supply_microvolts(supply->supply), 0);
    listen(&l, config);
    hc_intermittent_run(&observed, &c->result);
    stop_listening(&l);
    note(c, HC_SUPPLY_TIME, supply->supply->ns, hc_supply_microvolts(supply->supply), 0);
}

void hc_history_free(struct hc_history *c)
{
    free(c->checkpoint);
    free(c->point);
    free(c->met);
    *c = (struct hc_history){ 0 };
}
