#include "outputs.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS_MOST = 64 }; /* at each place: what comes after is as what came before */

struct window_action {
    size_t output;
    int32_t argument;
    uint32_t call_site;
};

struct hc_outputs {
    const struct hc_output *output;
    size_t outputs;
    bool anywhere;
    struct hc_environment environment;
    uint8_t *state;               /* at the last checkpoint */
    uint8_t *right, *tried;       /* of the trial that is made */
    struct window_action *action; /* since then */
    size_t actions, action_room;
    struct before { /* the last action of each output in an earlier window */
        bool any;
        uint32_t call_site;
    } before[HC_OUTPUTS_MAX];
    struct hc_output_finding *finding;
    size_t findings, finding_room;
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- the models as an environment: a number for each quantity, that of the first output which acts on it ---- */

static size_t index_of(const struct hc_outputs *o, const char *name)
{
    size_t i = 0;

    while (i + 1 < o->outputs && strcmp(o->output[i].name, name) != 0)
        i++;
    return i;
}

static size_t quantity_of(const struct hc_outputs *o, size_t output)
{
    for (size_t i = 0; i < output; i++)
        if (o->output[output].quantity && o->output[i].quantity &&
            !strcmp(o->output[i].quantity, o->output[output].quantity))
            return i;
    return output;
}

static void act_by_model(void *context, void *state, const char *name, int32_t argument, unsigned done)
{
    const struct hc_outputs *o = context;
    size_t output = index_of(o, name);
    int64_t *quantity = (int64_t *)state + quantity_of(o, output),
            part = (int64_t)argument * (int)done / HC_ACTION_WHOLE;

    switch (o->output[output].model) {
    case HC_OUTPUT_SET:
        *quantity =
            done == HC_ACTION_WHOLE ? argument : *quantity + (argument - *quantity) * (int)done / HC_ACTION_WHOLE;
        break;
    case HC_OUTPUT_ADD:
        *quantity += part;
        break;
    default: /* what was seen, in order */
        *quantity =
            (int64_t)(((uint64_t)*quantity ^ (uint32_t)argument ^ (uint64_t)done << 32) * 0x9fb21c651e98df25u + 1);
        break;
    }
}

static void fail_by_model(void *context, void *state)
{
    const struct hc_outputs *o = context;

    for (size_t i = 0; i < o->outputs; i++)
        if (o->output[i].lost)
            ((int64_t *)state)[quantity_of(o, i)] = 0;
}

static bool same_by_model(void *context, const void *a, const void *b, const char *name)
{
    const struct hc_outputs *o = context;
    size_t quantity = quantity_of(o, index_of(o, name));

    return ((const int64_t *)a)[quantity] == ((const int64_t *)b)[quantity];
}

static struct hc_environment models_of(struct hc_outputs *o)
{
    return (struct hc_environment){ .version = HC_ENVIRONMENT_VERSION,
                                    .size = (o->outputs + 1) * sizeof(int64_t),
                                    .act = act_by_model,
                                    .fail = fail_by_model,
                                    .same = same_by_model,
                                    .context = o };
}

/* ---- states ---- */

static void act(const struct hc_outputs *o, uint8_t *state, const struct window_action *a, unsigned done)
{
    o->environment.act(o->environment.context, state, o->output[a->output].name, a->argument, done);
}

/* The first COUNT actions of the window. */
static void act_all(const struct hc_outputs *o, uint8_t *state, size_t count)
{
    for (size_t i = 0; i < count; i++)
        act(o, state, &o->action[i], HC_ACTION_WHOLE);
}

static void fail(const struct hc_outputs *o, uint8_t *state)
{
    if (o->environment.fail)
        o->environment.fail(o->environment.context, state);
}

static bool is_same(const struct hc_outputs *o, size_t output)
{
    const struct hc_environment *e = &o->environment;

    return e->same ? e->same(e->context, o->right, o->tried, o->output[output].name)
                   : !memcmp(o->right, o->tried, e->size);
}

/* ---- trials ---- */

static struct hc_output_finding *finding_of(struct hc_outputs *o, size_t output, uint32_t call_site)
{
    for (size_t i = 0; i < o->findings; i++)
        if (o->finding[i].output == output && o->finding[i].call_site == call_site)
            return &o->finding[i];
    if (o->findings == o->finding_room) {
        o->finding_room = o->finding_room ? 2 * o->finding_room : 16;
        o->finding = allocated(realloc(o->finding, o->finding_room * sizeof *o->finding));
    }
    o->finding[o->findings] = (struct hc_output_finding){ .output = output, .call_site = call_site };
    return &o->finding[o->findings++];
}

/* The supply fails when DONE parts of action N (from 0) are done, and all is done again. */
static bool differs(const struct hc_outputs *o, size_t n, unsigned done)
{
    memcpy(o->tried, o->state, o->environment.size);
    act_all(o, o->tried, n);
    act(o, o->tried, &o->action[n], done);
    fail(o, o->tried);
    act_all(o, o->tried, n + 1);
    return !is_same(o, o->action[n].output);
}

static void try_action(struct hc_outputs *o, size_t n)
{
    struct hc_output_finding *f = finding_of(o, o->action[n].output, o->action[n].call_site);

    if (f->actions++ >= TRIALS_MOST)
        return;
    memcpy(o->right, o->state, o->environment.size);
    act_all(o, o->right, n + 1);
    f->relative |= differs(o, n, HC_ACTION_WHOLE);
    for (unsigned quarter = 1; quarter < 4; quarter++)
        f->partial |= differs(o, n, quarter * HC_ACTION_WHOLE / 4);
}

/* The supply fails in this window: what was done before it is not done again. */
static void try_loss(struct hc_outputs *o)
{
    memcpy(o->right, o->state, o->environment.size);
    memcpy(o->tried, o->state, o->environment.size);
    fail(o, o->tried);
    act_all(o, o->right, o->actions);
    act_all(o, o->tried, o->actions);
    for (size_t i = 0; i < o->outputs && i < HC_OUTPUTS_MAX; i++)
        if (o->before[i].any && !is_same(o, i))
            finding_of(o, i, o->before[i].call_site)->lost = true;
}

void hc_outputs_checkpoint(struct hc_outputs *o)
{
    if (o->environment.fail)
        try_loss(o);
    for (size_t n = 0; n < o->actions; n++) {
        try_action(o, n);
        o->before[o->action[n].output] = (struct before){ true, o->action[n].call_site };
    }
    act_all(o, o->state, o->actions);
    o->actions = 0;
}

void hc_outputs_act(struct hc_outputs *o, size_t output, int32_t argument, uint32_t call_site, bool stale)
{
    if (o->actions == o->action_room) {
        o->action_room = o->action_room ? 2 * o->action_room : 64;
        o->action = allocated(realloc(o->action, o->action_room * sizeof *o->action));
    }
    o->action[o->actions++] = (struct window_action){ output, argument, call_site };
    if (stale)
        finding_of(o, output, call_site)->stale = true;
    if (o->anywhere)
        hc_outputs_checkpoint(o);
}

/* ---- life ---- */

struct hc_outputs *hc_outputs_new(const struct hc_output *output, size_t count,
                                  const struct hc_environment *environment, bool anywhere)
{
    struct hc_outputs *o = allocated(calloc(1, sizeof *o));

    o->output = output;
    o->outputs = count;
    o->anywhere = anywhere;
    o->environment = environment ? *environment : models_of(o);
    o->state = allocated(calloc(1, o->environment.size + 1));
    o->right = allocated(calloc(1, o->environment.size + 1));
    o->tried = allocated(calloc(1, o->environment.size + 1));
    if (o->environment.start)
        o->environment.start(o->environment.context, o->state);
    return o;
}

void hc_outputs_free(struct hc_outputs *o)
{
    if (!o)
        return;
    free(o->state);
    free(o->right);
    free(o->tried);
    free(o->action);
    free(o->finding);
    free(o);
}

size_t hc_outputs_findings(const struct hc_outputs *o, const struct hc_output_finding **out)
{
    *out = o->finding;
    return o->findings;
}

bool hc_output_is_unexpected(const struct hc_output *output, const struct hc_output_finding *finding)
{
    switch (output->expected) {
    case HC_OUTPUT_ABSOLUTE:
        return finding->relative || finding->partial || finding->lost;
    case HC_OUTPUT_RELATIVE:
        return !finding->relative;
    default:
        return false;
    }
}
