#include "sarif.h"

#include "image/source.h"
#include "report_json.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char tool[] = "hindcast power", fingerprint[] = "hindcastPower/v1";

/* In the order of their numbers in the log. */
static const struct rule {
    const char *id, *text;
} rules[] = {
    { "data-access",
      "Data is read and then written without a checkpoint in between: executed again, the read finds what "
      "the write left." },
    { "activation-record",
      "A frame on the stack is overwritten by another invocation, and a failure leads back into it." },
    { "memory-map", "A block of the heap is used and then freed, moved or given out again." },
    { "lost-state", "Volatile state is needed after a checkpoint that does not save it." },
    { "torn-checkpoint",
      "Power that fails within the checkpoint routine leaves a checkpoint that misleads the program." },
    { "cut", "Power that fails here makes the program end otherwise than it should." },
    { "input", "A measured value is not used as it is expected to be." },
    { "steering", "A measured value decides a branch, and may be another one when it is acquired again." },
    { "output", "An action on the environment does not behave as it is expected to." },
    { "never-ends", "The capacitor is empty before the next checkpoint: the program never gets on." },
};
enum { RULES = sizeof rules / sizeof *rules };
enum { TORN = 4, CUT, INPUT, STEERING, OUTPUT, NEVER_ENDS };

struct log {
    const json_t *report;
    json_t *results;
    json_t *harmless; /* fingerprints of findings that were tried and came to nothing: no results */
    struct hc_sources sources;
};

static const char *string_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* ---- places ---- */

/* Relative to the current directory, if it lies there. What a URI may not hold as it is, is written as %XX. */
static json_t *uri_json(const char *path)
{
    char uri[3 * PATH_MAX + 16], here[PATH_MAX], real[PATH_MAX];
    size_t n = 0;

    if (realpath(path, real))
        path = real;
    if (getcwd(here, sizeof here) && !strncmp(path, here, strlen(here)) && path[strlen(here)] == '/')
        path += strlen(here) + 1;
    else if (*path == '/')
        n = (size_t)snprintf(uri, sizeof uri, "file://");
    for (; *path && n + 4 < sizeof uri; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
            uri[n++] = *path;
        else
            n += (size_t)snprintf(uri + n, sizeof uri - n, "%%%02X", (unsigned char)*path);
    uri[n] = '\0';
    return json_string(uri);
}

static json_t *location_json(const json_t *place, const char *message)
{
    json_t *location = json_object();
    const char *function = string_of(place, "function");

    if (*string_of(place, "file"))
        json_object_set_new(location, "physicalLocation",
                            json_pack("{s:{s:o}, s:{s:i}}", "artifactLocation", "uri",
                                      uri_json(string_of(place, "file")), "region", "startLine",
                                      number_of(place, "line") > 0 ? number_of(place, "line") : 1));
    if (*function)
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "fullyQualifiedName", function, "kind", "function"));
    if (message)
        json_object_set_new(location, "message", json_pack("{s:s}", "text", message));
    return location;
}

/* What of a place is still the same when others have been edited. */
static void print_place(struct log *l, const json_t *place, FILE *out)
{
    const char *file = string_of(place, "file"), *slash = strrchr(file, '/');
    const char *line = *file ? hc_source_line(&l->sources, file, number_of(place, "line")) : "";

    fprintf(out, "|%s|%s|%s|", string_of(place, "by"), string_of(place, "function"), slash ? slash + 1 : file);
    if (*line)
        fputs(line, out);
    else
        fprintf(out, "%d", *file ? number_of(place, "line") : number_of(place, "pc"));
}

/* ---- results ---- */

static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static const char *fingerprint_of(const json_t *result)
{
    return string_of(json_object_get(result, "partialFingerprints"), fingerprint);
}

static bool has(const json_t *results, const char *print)
{
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *other = json_array_get(results, i);
        if (*print && !strcmp(fingerprint_of(other), print) && strcmp(string_of(other, "baselineState"), "absent") != 0)
            return true;
    }
    return false;
}

/* What was cut short may end within a character. */
static json_t *text_json(char *text)
{
    json_t *string = json_string(text);

    for (size_t n = strlen(text); !string && n > 0; string = json_string(text))
        text[--n] = '\0';
    return json_pack("{s:o}", "text", string);
}

static void print_fingerprint(struct log *l, int rule, const char *what, const json_t *first, const json_t *second,
                              char *out, size_t size)
{
    char *key = NULL;
    size_t length;
    FILE *text = open_memstream(&key, &length);

    if (!text)
        abort();
    fprintf(text, "%s|%s", rules[rule].id, what);
    print_place(l, first, text);
    if (second)
        print_place(l, second, text);
    fclose(text);
    snprintf(out, size, "%016" PRIx64, hash(key));
    free(key);
}

static bool is_among(const json_t *prints, const char *print)
{
    for (size_t i = 0; i < json_array_size(prints); i++) {
        const char *other = json_string_value(json_array_get(prints, i));
        if (other && !strcmp(other, print))
            return true;
    }
    return false;
}

static void add_harmless(struct log *l, int rule, const char *what, const json_t *first, const json_t *second)
{
    char print[24];

    print_fingerprint(l, rule, what, first, second, print, sizeof print);
    if (!is_among(l->harmless, print))
        json_array_append_new(l->harmless, json_string(print));
}

/* FIRST, SECOND: places, the second may be NULL. WHAT distinguishes it from others there. The result,
 * or NULL where there is one like it already. */
static json_t *add(struct log *l, int rule, const char *what, char *message, const json_t *first, const json_t *second,
                   const char *second_message)
{
    char print[24];

    print_fingerprint(l, rule, what, first, second, print, sizeof print);
    if (has(l->results, print))
        return NULL;
    json_t *result = json_pack("{s:s, s:i, s:s, s:o, s:[o], s:{s:s}}", "ruleId", rules[rule].id, "ruleIndex", rule,
                               "level", "warning", "message", text_json(message), "locations",
                               location_json(first, NULL), "partialFingerprints", fingerprint, print);
    if (second)
        json_object_set_new(result, "relatedLocations", json_pack("[o]", location_json(second, second_message)));
    json_array_append_new(l->results, result);
    return result;
}

/* VERDICT: what came of it when tried. RESULT NULL: there is one like it already. */
static void add_verdict(json_t *result, const char *verdict)
{
    if (result)
        json_object_set_new(result, "properties", json_pack("{s:s}", "verdict", verdict));
}

static int rule_of(const char *kind)
{
    char id[32];

    snprintf(id, sizeof id, "%s", kind);
    for (char *space = strchr(id, ' '); space; space = strchr(id, ' '))
        *space = '-';
    for (int i = 0; i < RULES; i++)
        if (!strcmp(rules[i].id, id))
            return i;
    return 0;
}

static void add_pair(struct log *l, const json_t *pair)
{
    const char *verdict = hc_report_verdict(pair), *part = string_of(pair, "part");
    const json_t *consumer = json_object_get(pair, "consumer"), *producer = json_object_get(pair, "producer");
    const char *name = *part ? part : string_of(pair, "variable");
    char text[800], second[80];

    if (!strcmp(verdict, "harmless"))
        add_harmless(l, rule_of(string_of(pair, "kind")), name, consumer, producer);
    if (!strcmp(verdict, "silent") || !strcmp(verdict, "harmless"))
        return;
    snprintf(text, sizeof text,
             "%s: %s is %s here and %s in %s; executed again after a power failure, it may differ (%s)",
             string_of(pair, "kind"), name, string_of(consumer, "does"), string_of(producer, "does"),
             string_of(producer, "function"), verdict);
    snprintf(second, sizeof second, "%s here", string_of(producer, "does"));
    add_verdict(add(l, rule_of(string_of(pair, "kind")), name, text, consumer, producer, second), verdict);
}

/* Of the list MEMBER: those whose FLAG is WANTED (FLAG NULL: that did not come to nothing when tried), at PLACE. */
static void add_others(struct log *l, int rule, const char *member, const char *flag, bool wanted, const char *place,
                       const char *name)
{
    const json_t *list = json_object_get(l->report, member);

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *effect = string_of(json_object_get(one, "evaluation"), "effect");
        if (!flag && !strcmp(effect, "harmless"))
            add_harmless(l, rule, string_of(one, name), json_object_get(one, place), NULL);
        if (flag ? json_is_true(json_object_get(one, flag)) != wanted : !strcmp(effect, "harmless"))
            continue;
        char text[600];
        snprintf(text, sizeof text, "%s%s%s", string_of(one, name), *string_of(one, name) ? ": " : "",
                 rules[rule].text);
        add_verdict(add(l, rule, string_of(one, name), text, json_object_get(one, place), NULL, NULL),
                    *effect ? effect : "not evaluated");
    }
}

static void add_cuts(struct log *l)
{
    const json_t *cuts = json_object_get(json_object_get(l->report, "cuts"), "stretches");

    for (size_t i = 0; i < json_array_size(cuts); i++) {
        const json_t *cut = json_array_get(cuts, i), *reason = json_object_get(cut, "reason");
        const json_t *evaluation = json_object_get(cut, "evaluation"), *consumer = json_object_get(reason, "consumer");
        char text[600];
        snprintf(text, sizeof text, "%s Effect: %s", rules[CUT].text, string_of(evaluation, "effect"));
        add(l, CUT, string_of(evaluation, "variable"), text, json_object_get(cut, "from"), consumer,
            "read here, again");
    }
}

static void add_all(struct log *l)
{
    const json_t *pairs = json_object_get(l->report, "pairs"), *window = json_object_get(l->report, "longest_window");

    for (size_t i = 0; i < json_array_size(pairs); i++)
        add_pair(l, json_array_get(pairs, i));
    add_others(l, TORN, "torn", "torn", true, "from", "");
    add_cuts(l);
    add_others(l, INPUT, "inputs", NULL, false, "used", "input");
    add_others(l, STEERING, "steerings", NULL, false, "branch", "input");
    add_others(l, OUTPUT, "outputs", "expected", false, "from", "output");
    if (json_is_true(json_object_get(window, "never_ends"))) {
        char text[200];
        snprintf(text, sizeof text, "%s", rules[NEVER_ENDS].text);
        add(l, NEVER_ENDS, "", text, json_object_get(window, "from"), NULL, NULL);
    }
}

/* ---- the baseline ---- */

static const json_t *run_of(const json_t *log)
{
    const json_t *runs = json_object_get(log, "runs");

    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
        if (!strcmp(string_of(driver, "name"), tool) && json_is_array(json_object_get(run, "results")))
            return run;
    }
    return NULL;
}

bool hc_power_sarif_is_baseline(const json_t *log)
{
    return run_of(log) != NULL;
}

/* What the baseline's run tried, and found harmless, is not new where it was not tried this time. */
static bool is_known(const json_t *result, const json_t *baseline, const json_t *harmless)
{
    const json_t *verdict = json_object_get(json_object_get(result, "properties"), "verdict");
    bool tried = verdict && strcmp(json_string_value(verdict), "not evaluated") != 0;

    return has(baseline, fingerprint_of(result)) || (!tried && is_among(harmless, fingerprint_of(result)));
}

/* How many are new since RUN. */
static size_t compare(json_t *results, const json_t *run)
{
    const json_t *baseline = json_object_get(run, "results");
    const json_t *harmless = json_object_get(json_object_get(run, "properties"), "harmless");
    size_t now = json_array_size(results), fresh = 0;

    for (size_t i = 0; i < now; i++) {
        json_t *result = json_array_get(results, i);
        bool known = is_known(result, baseline, harmless);
        fresh += !known;
        json_object_set_new(result, "baselineState", json_string(known ? "unchanged" : "new"));
    }
    for (size_t i = 0; i < json_array_size(baseline); i++) {
        const json_t *old = json_array_get(baseline, i);
        if (!*fingerprint_of(old) || !strcmp(string_of(old, "baselineState"), "absent") ||
            has(results, fingerprint_of(old)))
            continue;
        json_t *absent = json_deep_copy(old);
        json_object_set_new(absent, "baselineState", json_string("absent"));
        json_array_append_new(results, absent);
    }
    return fresh;
}

/* ---- the log ---- */

static json_t *rules_json(void)
{
    json_t *list = json_array();

    for (int i = 0; i < RULES; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:{s:s}}", "id", rules[i].id, "shortDescription", "text", rules[i].text));
    return list;
}

json_t *hc_power_sarif(const json_t *report, const json_t *baseline, size_t *new_results)
{
    struct log l = { .report = report, .results = json_array(), .harmless = json_array() };

    add_all(&l);
    hc_sources_free(&l.sources);
    *new_results = json_array_size(l.results);
    if (baseline)
        *new_results = compare(l.results, run_of(baseline));
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o}}, s:s, s:o, s:{s:o}}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
                     "name", tool, "rules", rules_json(), "columnKind", "unicodeCodePoints", "results", l.results,
                     "properties", "harmless", l.harmless);
}
