#include "power_debug.h"

#include "command.h"
#include "dap/server.h"
#include "power/report/findings.h"
#include "power/trial/failing_run.h"
#include "terminal.h"
#include "timeline/power_failure_execution.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 4, SPARE = 100000 }; /* how much longer than the continuous run it may take */

static struct hc_moment moment_of(const struct hc_statistics *s)
{
    return (struct hc_moment){ s->instructions, s->interrupts, s->now, 0 };
}

static void say_moment(FILE *out, uint64_t moment, const char *what)
{
    fprintf(out, "%10s%-10llu %s\n", "#", (unsigned long long)moment, what);
}

static void say_access(FILE *out, const struct hc_power_report *r, const struct hc_finding *f, bool consumer)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    const struct hc_occurrence *w = hc_finding_witness(r, f);
    char place[HC_PLACE_TEXT], what[HC_PLACE_TEXT + 40];

    snprintf(what, sizeof what, "%s at %s", hc_finding_deed(r, f, consumer),
             hc_place_text(r, consumer ? p->consumer : p->producer, place));
    say_moment(out, (consumer ? w->consumed : w->produced) - 1, what);
}

/* The moment at which the session begins: before what happens first. */
static uint64_t first_moment(const struct hc_pair *p, const struct hc_occurrence *w)
{
    return (p->kind == HC_LOST_STATE ? w->produced : w->consumed) - 1;
}

/* What is to be seen, and at which moments. */
static void introduce(FILE *out, const struct hc_power_report *r, const struct hc_finding *f,
                      const struct hc_failing_run *h)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    const struct hc_verdict *v = hc_finding_verdict(r, f);
    const struct hc_occurrence *w = hc_finding_witness(r, f);
    const char *part = hc_finding_part(r, f);
    bool lost = p->kind == HC_LOST_STATE;
    char again[40];

    fprintf(out, "#%u %s, %s%s%s\n", f->number, hc_anomaly_names[p->kind], part ? part : f->variable.name,
            v ? ": " : "", v ? hc_effect_names[v->worst.effect] : "");
    if (lost)
        say_access(out, r, f, false);
    if (w->resumed)
        say_moment(out, w->resumed, "the checkpoint");
    if (!lost)
        say_access(out, r, f, true);
    if (!lost && !hc_finding_is_single(r, f))
        say_access(out, r, f, false);
    say_moment(out, h->failure, "the supply fails (goto failure)");
    say_moment(out, h->failure + 1, "power is back");
    snprintf(again, sizeof again, "%s%s", hc_finding_deed(r, f, true), lost ? "" : " again");
    if (w->resumed)
        say_moment(out, h->failure + w->consumed - w->resumed, again);
}

static int converse(const struct hc_power_report *r, struct hc_timeline *timeline)
{
    struct hc_debugger *s = hc_debugger_new(r->image, timeline, stdout, true);
    struct hc_terminal_options terminal = { .greeting = "A run with a power failure." };
    int code = HC_EXIT_INPUT;

    if (s)
        code = hc_terminal_debug(s, &terminal);
    else
        hc_complain("out of memory");
    hc_debugger_free(s);
    return code;
}

/* ---- an editor ---- */

struct served {
    struct hc_image *image;
    struct hc_timeline *timeline;
    uint64_t first; /* where a session begins */
};

static int open_failing_run(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error,
                            size_t size)
{
    struct served *s = owner;

    (void)arguments;
    (void)most;
    (void)error;
    (void)size;
    hc_timeline_seek(s->timeline, s->first);
    out[0] = (struct hc_dap_node){ .id = 1, .image = s->image, .timeline = s->timeline };
    snprintf(out[0].name, sizeof out->name, "power failure");
    return 1;
}

static void close_failing_run(void *owner)
{
    (void)owner;
}

static int serve(const struct hc_power_report *r, struct hc_timeline *timeline, uint64_t first)
{
    struct served served = { r->image, timeline, first };
    struct hc_dap_server_config config = { .open = open_failing_run, .close = close_failing_run, .owner = &served };

    if (hc_dap_serve(&config, STDIN_FILENO, STDOUT_FILENO))
        return HC_EXIT_FINE;
    hc_complain("dap: %s", config.error);
    return HC_EXIT_INPUT;
}

static int debug(const struct hc_power_report *r, const struct hc_locate_config *config, const struct hc_finding *f,
                 bool dap)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    const struct hc_occurrence *w = hc_finding_witness(r, f);
    struct hc_failing_run h;
    int code = HC_EXIT_INPUT;

    if (!hc_power_failing_run(config, r->located, p, w, &h)) {
        hc_complain("%s is not repeated: nothing to debug", hc_image_name(r->image));
        return code;
    }
    struct hc_power_failure_execution plan = { .machine = config->machine,
                                               .failure = h.failure,
                                               .lost = moment_of(&h.lost),
                                               .resumed = h.resumed,
                                               .found = moment_of(&h.found),
                                               .checkpoint = w->resumed,
                                               .end = h.end,
                                               .limit = h.failure + PATIENCE * r->located->instructions + SPARE };
    struct hc_execution *execution = hc_power_failure_execution_new(&plan);
    struct hc_timeline *timeline = execution ? hc_timeline_new(execution, 0) : NULL;
    if (timeline) {
        introduce(dap ? stderr : stdout, r, f, &h);
        hc_timeline_seek(timeline, first_moment(p, w));
        code = dap ? serve(r, timeline, first_moment(p, w)) : converse(r, timeline);
    }
    hc_timeline_free(timeline);
    hc_execution_free(execution);
    hc_snapshot_free(h.resumed);
    return code;
}

int hc_power_debug(const struct hc_power_report *r, const struct hc_locate_config *config, unsigned number, bool dap)
{
    size_t count, i = 0;
    struct hc_finding *f = hc_findings(r, &count);
    int code = HC_EXIT_USAGE;

    while (f[i].number && f[i].number != number)
        i++;
    if (f[i].number)
        code = debug(r, config, &f[i], dap);
    else if (i)
        hc_complain("--debug: there is no finding #%u, only #1 to #%u", number, f[i - 1].number);
    else
        hc_complain("--debug: no findings, nothing to debug");
    free(f);
    return code;
}
