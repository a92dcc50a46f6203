#include "paths.h"

#include "function.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a function of the unit. */
struct known {
    bool chosen;
    bool helper;    /* what the compiler calls by itself, or is called by it: never chosen */
    bool quiet;     /* not chosen, and nothing that is recorded can happen in it */
    bool called;    /* by a function that is not chosen, or its address is taken */
    bool recursive; /* among functions that are entered only by calls from chosen ones */
};

struct work {
    const struct hc_paths_request *request;
    struct hc_asm_text text;
    struct known *known; /* by function */
    struct hc_path_context context;
};

/* ---- names ---- */

bool hc_paths_chosen(const char *const *patterns, size_t count, const char *name)
{
    bool chosen = false;

    for (size_t i = 0; i < count; i++) {
        bool without = patterns[i][0] == '!';
        if (!fnmatch(patterns[i] + without, name, 0))
            chosen = !without;
    }
    return chosen;
}

static bool is_trusted(const struct work *w, const char *name)
{
    for (size_t i = 0; i < w->request->trusted_count; i++)
        if (!strcmp(w->request->trusted[i], name))
            return true;
    return false;
}

/* What the compiler calls by itself never is: those calls are steps like others. */
static bool is_chosen(const struct work *w, const char *name)
{
    return !w->request->target->flow->is_helper(name) && !is_trusted(w, name) &&
           hc_paths_chosen(w->request->patterns, w->request->pattern_count, name);
}

static struct known *known_of(const struct work *w, const char *name)
{
    const struct hc_asm_function *f = hc_asm_function(&w->text, name);

    return f ? &w->known[f - w->text.function] : NULL;
}

static enum hc_path_callee callee_of(void *owner, const char *name)
{
    const struct work *w = owner;
    const struct known *known = known_of(w, name);

    if (!strcmp(name, "hc_message_send") || !strcmp(name, "hc_message_receive"))
        return HC_CALLEE_MESSAGE;
    if (!strncmp(name, "hc_", 3) || !strncmp(name, "__hc_", 5))
        return HC_CALLEE_QUIET;
    if (is_trusted(w, name))
        return HC_CALLEE_QUIET;
    if (known ? known->chosen : is_chosen(w, name))
        return HC_CALLEE_CHOSEN;
    if (known ? known->quiet : w->request->target->flow->is_helper(name))
        return HC_CALLEE_QUIET;
    return HC_CALLEE_UNKNOWN;
}

/* ---- which functions ---- */

static const struct hc_asm_line *instruction(const struct work *w, size_t line)
{
    return w->text.line[line].kind == HC_ASM_INSTRUCTION ? &w->text.line[line] : NULL;
}

/* Whether the instruction at LINE of F may lead to something that is recorded. */
static bool may_be_loud(struct work *w, const struct hc_asm_function *f, size_t line)
{
    const struct hc_asm_line *i = instruction(w, line);

    if (!i)
        return false;
    switch (i->flow.kind) {
    case HC_ROUTE_CALL:
        return callee_of(w, i->flow.target) != HC_CALLEE_QUIET;
    case HC_ROUTE_CALL_INDIRECT:
    case HC_ROUTE_ANYWHERE:
        return true;
    case HC_ROUTE_JUMP:
    case HC_ROUTE_BRANCH:
        return !hc_path_is_within(&w->text, f, line, i->flow.target) && callee_of(w, i->flow.target) != HC_CALLEE_QUIET;
    default:
        return false;
    }
}

static bool is_loud(struct work *w, const struct hc_asm_function *f)
{
    for (size_t i = f->first; i < f->end; i++)
        if (may_be_loud(w, f, i))
            return true;
    return false;
}

/* What a helper calls is one, too: nobody expects anything to be recorded in it. */
static void note_helpers(struct work *w)
{
    bool again = true;

    for (size_t i = 0; i < w->text.functions; i++)
        w->known[i].helper = w->request->target->flow->is_helper(w->text.function[i].name);
    while (again) {
        again = false;
        for (size_t i = 0; i < w->text.functions; i++)
            for (size_t k = w->text.function[i].first; w->known[i].helper && k < w->text.function[i].end; k++) {
                const struct hc_asm_line *line = instruction(w, k);
                struct known *callee = line && *line->flow.target ? known_of(w, line->flow.target) : NULL;
                if (callee && !callee->helper)
                    again = callee->helper = true;
            }
    }
}

/* Those that are not chosen are quiet until one of their calls is not; handlers that are not quiet are chosen. */
static void choose(struct work *w)
{
    bool again = true;

    note_helpers(w);
    for (size_t i = 0; i < w->text.functions; i++) {
        w->known[i].chosen = !w->known[i].helper && is_chosen(w, w->text.function[i].name);
        w->known[i].quiet = !w->known[i].chosen;
    }
    while (again) {
        again = false;
        for (size_t i = 0; i < w->text.functions; i++)
            if (w->known[i].quiet && is_loud(w, &w->text.function[i])) {
                w->known[i].quiet = false;
                w->known[i].chosen = hc_path_is_handler(&w->text, &w->text.function[i]);
                again = true;
            }
    }
}

/* ---- how they are entered ---- */

static void note_named(struct work *w, const char *name)
{
    struct known *known = known_of(w, name);

    if (known)
        known->called = true;
}

static bool is_debug(const char *text)
{
    return strstr(text, ".debug") || strstr(text, ".hindcast") || strstr(text, ".note");
}

/* Functions that data refer to. */
static void note_data(struct work *w)
{
    bool debug = false;

    for (size_t i = 0; i < w->text.lines; i++) {
        const char *text = w->text.line[i].text;
        if (strstr(text, ".section") || strstr(text, ".pushsection"))
            debug = is_debug(text);
        else if (strstr(text, ".popsection") || !strcmp(text, "\t.text") || !strcmp(text, "\t.data"))
            debug = false;
        if (debug || w->text.line[i].kind == HC_ASM_LABEL || instruction(w, i))
            continue;
        for (size_t f = 0; f < w->text.functions; f++) {
            const char *at = strstr(text, w->text.function[f].name);
            bool directive = strstr(text, ".short") || strstr(text, ".long") || strstr(text, ".word") ||
                             strstr(text, "byte") || strstr(text, ".set") || strstr(text, ".equ");
            if (at && directive)
                w->known[f].called = true;
        }
    }
}

static void note_calls(struct work *w, const struct hc_asm_function *f, bool chosen)
{
    for (size_t i = f->first; i < f->end; i++) {
        const struct hc_asm_line *line = instruction(w, i);
        if (!line)
            continue;
        if (*line->flow.named)
            note_named(w, line->flow.named);
        bool enters = line->flow.kind == HC_ROUTE_CALL || line->flow.kind == HC_ROUTE_JUMP;
        if (enters && !chosen)
            note_named(w, line->flow.target);
    }
}

/* Whether calls among functions whose entry need not be recorded lead from FROM to TO. */
static bool leads_to(const struct work *w, size_t from, size_t to, bool *seen)
{
    const struct hc_asm_function *f = &w->text.function[from];

    if (seen[from])
        return false;
    seen[from] = true;
    for (size_t i = f->first; i < f->end; i++) {
        const struct hc_asm_line *line = instruction(w, i);
        if (!line || (line->flow.kind != HC_ROUTE_CALL && line->flow.kind != HC_ROUTE_JUMP))
            continue;
        const struct hc_asm_function *callee = hc_asm_function(&w->text, line->flow.target);
        if (!callee)
            continue;
        size_t n = (size_t)(callee - w->text.function);
        if (n == to || leads_to(w, n, to, seen))
            return true;
    }
    return false;
}

static bool note_entries(struct work *w)
{
    bool *seen = calloc(w->text.functions + 1, sizeof *seen);

    if (!seen)
        return false;
    note_data(w);
    for (size_t i = 0; i < w->text.functions; i++) {
        w->known[i].called |= w->text.function[i].global;
        note_calls(w, &w->text.function[i], w->known[i].chosen);
    }
    for (size_t i = 0; i < w->text.functions; i++)
        if (w->known[i].chosen && !w->known[i].called) {
            memset(seen, 0, w->text.functions * sizeof *seen);
            w->known[i].recursive = leads_to(w, i, i, seen);
        }
    free(seen);
    return true;
}

/* ---- all of it ---- */

static bool instrument(struct work *w, struct hc_paths_result *result, FILE *map)
{
    fputs("\t.section\t" HC_PATHS_SECTION ",\"\",%progbits\n", map);
    for (size_t i = 0; i < w->text.functions; i++) {
        const struct known *known = &w->known[i];
        if (!known->chosen && hc_path_is_handler(&w->text, &w->text.function[i]))
            fprintf(map, "\t.long\t%u, %s, 0, 0\n\t.short\t%u, 0, 0, 0, 0, 0\n", (unsigned)HC_PATHS_MAGIC,
                    w->text.function[i].name, (unsigned)HC_PATHS_HANDLER);
        if (!known->chosen)
            continue;
        if (!hc_path_instrument(&w->context, &w->text.function[i], !known->called && !known->recursive, map))
            return false;
        result->functions++;
    }
    return true;
}

/* Jumps that do not reach any more become long. */
static char *reach(const struct work *w, char *text, size_t *size)
{
    struct hc_asm_text again;
    const struct hc_target_flow *flow = w->request->target->flow;
    unsigned serial = 0;
    bool fine = hc_asm_read(&again, text, *size, flow);

    for (size_t i = 0; fine && i < again.functions && i < w->text.functions; i++)
        if (w->known[i].chosen)
            fine = hc_asm_lengthen(&again, &again.function[i], flow, &serial);
    free(text);
    text = fine ? hc_asm_write(&again, size) : NULL;
    hc_asm_free(&again);
    return text;
}

static bool write_result(struct work *w, struct hc_paths_result *result, char *map, size_t map_size)
{
    size_t size = 0;
    char *text = hc_asm_write(&w->text, &size);

    if (text)
        text = reach(w, text, &size);
    char *all = text && map ? realloc(text, size + map_size + 2) : NULL;
    if (!all) {
        free(text);
        return false;
    }
    memcpy(all + size, map, map_size);
    all[size + map_size] = 0;
    result->text = all;
    result->size = size + map_size;
    return true;
}

bool hc_paths_instrument(const struct hc_paths_request *request, struct hc_paths_result *result)
{
    struct work w = { .request = request };
    char *map = NULL;
    size_t map_size = 0;

    *result = (struct hc_paths_result){ 0 };
    bool fine = hc_asm_read(&w.text, request->text, request->size, request->target->flow);
    w.known = fine ? calloc(w.text.functions + 1, sizeof *w.known) : NULL;
    w.context = (struct hc_path_context){ .text = &w.text,
                                          .flow = request->target->flow,
                                          .name = request->name,
                                          .callee = callee_of,
                                          .owner = &w,
                                          .message = result->message };
    FILE *to = w.known ? open_memstream(&map, &map_size) : NULL;
    fine = to != NULL;
    if (fine) {
        choose(&w);
        fine = note_entries(&w) && instrument(&w, result, to);
    }
    if (to)
        fine = !fclose(to) && fine;
    fine = fine && write_result(&w, result, map, map_size);
    if (!fine && !*result->message)
        snprintf(result->message, sizeof result->message, "%.80s: error: out of memory", request->name);
    free(map);
    free(w.known);
    hc_asm_free(&w.text);
    return fine;
}
