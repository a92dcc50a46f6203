#include "one_node.h"

#include "command.h"
#include "numbers.h"
#include "support/plural.h"
#include "target/target.h"

enum { NODE = 768 }; /* beyond the keys of the commands and of hc_timeline_argp */

static const struct argp_option options[] = {
    { "node", NODE, "N", 0, "Of a RUN: this node", 0 },
    { 0 },
};

static void check_usage(const struct hc_one_node *one, struct argp_state *state)
{
    const struct hc_timeline_options *t = &one->timeline;
    bool directory = t->image && hc_is_run_directory(t->image);

    if (!t->image)
        argp_error(state, "no IMAGE given: give the ELF file of the program");
    if (directory && one->node < 0)
        argp_error(state, "%s is a run of several nodes: choose one with --node", t->image);
    if (!directory && one->node >= 0)
        argp_error(state, "--node is for a directory that `hindcast run` left, which '%s' is not", t->image);
    if (directory && t->log)
        argp_error(state, "'%s': a RUN contains its logs: do not give one", t->log);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct hc_one_node *one = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &one->timeline;
        return 0;
    case NODE:
        one->node = (int)hc_number_argument(state, "--node", argument, 0, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARG:
        hc_take_file(&one->timeline, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_usage(one, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 }, { 0 } };
const struct argp hc_one_node_argp = { options, parse, NULL, NULL, children, NULL, NULL };

int hc_one_node_choose(struct hc_one_node *one)
{
    struct hc_recordings *all = &one->recordings;

    if (one->node < 0)
        return HC_EXIT_FINE;
    int code = hc_recordings_of_run(all, one->timeline.image);
    if (code)
        return code;
    for (size_t i = 0; i < all->count; i++)
        if (all->recordings[i].id == one->node) {
            hc_recording_options(&one->timeline, &all->recordings[i]);
            return HC_EXIT_FINE;
        }
    hc_complain("%s: node %d left no log; the run has recordings of %zu node%s", one->timeline.image, one->node,
                all->count, hc_plural(all->count));
    return HC_EXIT_INPUT;
}

void hc_one_node_free(struct hc_one_node *one)
{
    hc_recordings_free(&one->recordings);
}

enum hc_stop hc_run_to_limit(struct hc_machine *m, hc_time limit, void (*progress)(void *owner, double part),
                             void *owner)
{
    const hc_time piece = HC_SECOND / 32;
    enum hc_stop why = HC_STOP_TIME;

    while (why == HC_STOP_TIME && hc_now(m) < limit && !hc_target_is_over(m)) {
        progress(owner, hc_seconds(hc_now(m)) / hc_seconds(limit));
        why = hc_machine_run(m, limit - hc_now(m) > piece ? hc_now(m) + piece : limit);
    }
    return why;
}
