#include "intermittent.h"

#include "machine/device.h"

enum { LONGEST_STRETCH_NS = 1000000, SHORTEST_STRETCH_NS = 1000 };

struct fed_run {
    const struct hc_intermittent_config *config;
    struct hc_intermittent *out;
    struct hc_machine *machine;
    bool on;
    struct hc_statistics since; /* the supply was settled */
    uint64_t switched_on;       /* instructions retired then */
    uint64_t on_since_ns;
    int main_hook, end_hook;
    bool ended; /* main returned, or came to its end */
};

/* ---- main ---- */

static enum hc_action main_returns(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct fed_run *)owner)->ended = true;
    return HC_STOP;
}

static enum hc_action main_entered(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct fed_run *r = owner;

    (void)pc;
    if (!r->end_hook)
        r->end_hook = hc_hook_pc(m, r->config->until ? r->config->until : hc_return_address(m, NULL), main_returns, r);
    return HC_CONTINUE;
}

/* ---- the supply ---- */

static void tell(struct fed_run *r, enum hc_supply_event event)
{
    const struct hc_intermittent_config *c = r->config;

    if (c->event)
        c->event(c->owner, event, c->supply->ns, hc_supply_microvolts(c->supply),
                 r->on || event == HC_SUPPLY_OFF ? r->since.instructions - r->switched_on : 0);
}

static uint64_t active_current(const struct fed_run *r)
{
    hc_time period = hc_mclk(r->machine)->s.period;

    return hc_consumption_active(r->config->consumption, period ? (uint32_t)(HC_SECOND / period) : 0);
}

/* On the average since the supply was last settled. */
static uint64_t drawn(struct fed_run *r, const struct hc_statistics *now)
{
    unsigned __int128 charge = 0;
    hc_time whole = now->now - r->since.now;

    for (int mode = 0; mode < HC_MODES; mode++) {
        uint64_t current = mode == HC_MODE_ACTIVE ? active_current(r) : r->config->consumption->mode_na[mode];
        charge += (unsigned __int128)(now->in_mode[mode] - r->since.in_mode[mode]) * current;
    }
    return whole ? (uint64_t)(charge / whole) : 0;
}

static void switch_on(struct fed_run *r)
{
    hc_machine_run(r->machine, hc_ns(r->config->supply->ns));
    hc_machine_reset(r->machine, HC_POR);
    hc_machine_statistics(r->machine, &r->since);
    r->on = true;
    r->switched_on = r->since.instructions;
    r->on_since_ns = r->config->supply->ns;
    r->out->power_cycles++;
    tell(r, HC_SUPPLY_ON);
}

static void account(struct fed_run *r)
{
    uint64_t instructions = r->since.instructions - r->switched_on;

    r->out->on_ns += r->config->supply->ns - r->on_since_ns;
    r->out->instructions += instructions;
    if (instructions > r->out->most_instructions)
        r->out->most_instructions = instructions;
}

static void switch_off(struct fed_run *r)
{
    account(r);
    r->on = false;
    tell(r, HC_SUPPLY_OFF);
    hc_machine_power_off(r->machine, r->config->seed);
}

/* ---- the run ---- */

/* How long nothing can happen to the supply, whatever the machine does. */
static uint64_t quiet_span(const struct fed_run *r)
{
    struct hc_supply probe = *r->config->supply;

    hc_supply_advance(&probe, active_current(r), probe.ns + LONGEST_STRETCH_NS);
    uint64_t span = probe.ns - r->config->supply->ns;
    return span < SHORTEST_STRETCH_NS ? SHORTEST_STRETCH_NS : span;
}

/* The machine's time, which is before UNTIL when it ended. */
static uint64_t time_within(const struct fed_run *r, uint64_t until)
{
    uint64_t now = hc_to_ns(hc_now(r->machine)), settled = r->config->supply->ns;

    return now > until ? until : now < settled ? settled : now;
}

static void run_stretch(struct fed_run *r)
{
    struct hc_supply *supply = r->config->supply;
    uint64_t until = supply->ns + quiet_span(r);
    struct hc_statistics now;
    enum hc_supply_event event;

    until = until < r->config->until_ns ? until : r->config->until_ns;
    if (hc_machine_run(r->machine, hc_ns(until)) == HC_STOP_FAULT)
        r->out->faulted = true;
    if (r->ended || r->out->faulted)
        until = time_within(r, until);
    hc_machine_statistics(r->machine, &now);
    uint64_t current = drawn(r, &now);
    r->since = now;
    while ((event = hc_supply_advance(supply, current, until)) != HC_SUPPLY_TIME) {
        if (event == HC_SUPPLY_OFF) {
            switch_off(r);
            return;
        }
        tell(r, event);
    }
    if (r->config->samples)
        tell(r, HC_SUPPLY_TIME);
}

static void charge(struct fed_run *r)
{
    struct hc_supply *supply = r->config->supply;
    uint64_t until = r->config->until_ns, soon = supply->ns + LONGEST_STRETCH_NS;

    if (r->config->samples && soon < until)
        until = soon;
    if (hc_supply_advance(supply, 0, until) == HC_SUPPLY_ON)
        switch_on(r);
    else if (r->config->samples)
        tell(r, HC_SUPPLY_TIME);
}

void hc_intermittent_run(const struct hc_intermittent_config *config, struct hc_intermittent *out)
{
    struct fed_run r = { .config = config, .out = out, .machine = config->machine };
    struct hc_supply *supply = config->supply;

    *out = (struct hc_intermittent){ 0 };
    if (config->main)
        r.main_hook = hc_hook_pc(r.machine, config->main, main_entered, &r);
    hc_machine_power_off(r.machine, config->seed);
    if (hc_supply_microvolts(supply) >= supply->capacitor.v_on)
        switch_on(&r);
    while (supply->ns < config->until_ns && !r.ended && !out->faulted) {
        if (r.on)
            run_stretch(&r);
        else
            charge(&r);
    }
    if (r.on)
        account(&r);
    out->finished = r.ended;
    out->at_place = r.ended && config->until;
    if (config->main)
        hc_unhook(r.machine, r.main_hook);
    if (r.end_hook)
        hc_unhook(r.machine, r.end_hook);
}
