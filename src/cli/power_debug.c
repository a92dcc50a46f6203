#include "power_debug.h"

#include "command.h"
#include "power/findings.h"
#include "power/rehearsal.h"
#include "replay/failing_course.h"
#include "terminal.h"

#include <stdlib.h>

enum { PATIENCE = 4, SPARE = 100000 }; /* how much longer than the continuous run it may take */

static struct hc_moment moment_of(const struct hc_statistics *s)
{
    return (struct hc_moment){ s->instructions, s->interrupts, s->now };
}

/* What is to be seen, and at which moments. */
static void introduce(const struct hc_power_report *r, const struct hc_finding *f, const struct hc_rehearsal *h)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    const struct hc_evaluated *e = hc_finding_evaluated(r, f);
    unsigned long long again = h->failure + 1 + p->witness.consumed - h->found.instructions;
    char place[HC_PLACE_TEXT];

    const char *part = hc_finding_part(r, f);
    printf("#%u %s, %s%s%s\n", f->number, hc_anomaly_names[p->kind], part ? part : f->variable.name, e ? ": " : "",
           e ? hc_effect_names[e->effect] : "");
    if (p->witness.resumed)
        printf("%10s%-10llu the checkpoint\n", "#", (unsigned long long)p->witness.resumed);
    printf("%10s%-10llu %s at %s\n", "#", (unsigned long long)p->witness.consumed - 1, hc_finding_deed(r, f, true),
           hc_place_text(r, p->consumer, place));
    if (!hc_finding_is_single(r, f))
        printf("%10s%-10llu %s at %s\n", "#", (unsigned long long)p->witness.produced - 1, hc_finding_deed(r, f, false),
               hc_place_text(r, p->producer, place));
    printf("%10s%-10llu the supply fails (goto failure)\n", "#", (unsigned long long)h->failure);
    printf("%10s%-10llu power is back\n", "#", (unsigned long long)h->failure + 1);
    if (p->witness.resumed && p->kind != HC_LOST_STATE)
        printf("%10s%-10llu %s again\n", "#", again - 1, hc_finding_deed(r, f, true));
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

static int debug(const struct hc_power_report *r, const struct hc_locate_config *config, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    struct hc_rehearsal h;
    int code = HC_EXIT_INPUT;

    if (!hc_power_rehearse(config, r->located, p, &h)) {
        hc_complain("%s does not repeat itself: there is nothing to look at", hc_image_name(r->image));
        return code;
    }
    struct hc_failing_course plan = { config->machine, h.failure, moment_of(&h.lost), h.resumed, moment_of(&h.found),
                                      h.end,           0 };
    plan.limit = h.failure + PATIENCE * r->located->instructions + SPARE;
    struct hc_course *course = hc_failing_course_new(&plan);
    struct hc_timeline *timeline = course ? hc_timeline_new(course, 0) : NULL;
    if (timeline) {
        introduce(r, f, &h);
        hc_timeline_seek(timeline, p->witness.consumed - (p->kind != HC_LOST_STATE));
        code = converse(r, timeline);
    }
    hc_timeline_free(timeline);
    hc_course_free(course);
    hc_snapshot_free(h.resumed);
    return code;
}

int hc_power_debug(const struct hc_power_report *r, const struct hc_locate_config *config, unsigned number)
{
    size_t count, i = 0;
    struct hc_finding *f = hc_findings(r, &count);
    int code = HC_EXIT_USAGE;

    while (f[i].number && f[i].number != number)
        i++;
    if (f[i].number)
        code = debug(r, config, &f[i]);
    else if (i)
        hc_complain("--debug: there is no finding #%u, only #1 to #%u", number, f[i - 1].number);
    else
        hc_complain("--debug: nothing was found, there is nothing to look at");
    free(f);
    return code;
}
