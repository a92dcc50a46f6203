/* Breakpoints as the client sets them: each request replaces all of its kind (and file). */
#include "state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the client's part of a point ---- */

static struct hc_dap_point *beside(struct hc_dap_session *s, const struct hc_point *p)
{
    return &s->point[p - s->debugger->point];
}

struct hc_dap_point *hc_dap_point_of(struct hc_dap_session *s)
{
    const struct hc_point *p = s->debugger->cause.point;
    struct hc_dap_point *found = p ? beside(s, p) : NULL;

    return found && found->id && p->number > 0 ? found : NULL;
}

/* Which points a request replaces: of KIND, and of a source file. */
struct replaced {
    int kind;
    const char *source; /* NULL: whatever */
};

static void clear(struct hc_dap_session *s, const struct replaced *which)
{
    for (int i = 0; i < HC_POINTS_MAX; i++) {
        struct hc_dap_point *p = &s->point[i];
        if (!p->id || (int)p->kind != which->kind || (which->source && strcmp(p->source, which->source) != 0))
            continue;
        if (s->debugger->point[i].number > 0)
            hc_point_delete(&s->debugger->point[i]);
        p->id = 0;
    }
}

/* P becomes point ID of the client, with what the JSON object BREAKPOINT says of it. */
static void adopt(struct hc_dap_session *s, struct hc_point *p, int id, const struct replaced *kind,
                  const json_t *breakpoint)
{
    struct hc_dap_point *own = beside(s, p);

    *own = (struct hc_dap_point){ .id = id };
    own->kind = kind->kind;
    snprintf(own->source, sizeof own->source, "%s", kind->source ? kind->source : "");
    snprintf(own->log, sizeof own->log, "%s", hc_dap_string(breakpoint, "logMessage"));
    snprintf(own->hits_wanted, sizeof own->hits_wanted, "%s", hc_dap_string(breakpoint, "hitCondition"));
    snprintf(p->condition, sizeof p->condition, "%s", hc_dap_string(breakpoint, "condition"));
    p->number = ++s->debugger->points_made;
    hc_point_arm(p);
}

/* ---- whether to stop ---- */

/* "5", "== 5": then; ">= 3", "> 3", "< 3", "<= 3"; "% 2": every second time. */
static bool counts(const char *wanted, uint64_t hits)
{
    wanted += strspn(wanted, " ");
    size_t length = strspn(wanted, "<>=%");
    uint64_t n = strtoull(wanted + length, NULL, 10);

    if (!*wanted || !n)
        return true;
    if (!strncmp(wanted, ">=", 2))
        return hits >= n;
    if (!strncmp(wanted, "<=", 2))
        return hits <= n;
    return *wanted == '>' ? hits > n : *wanted == '<' ? hits < n : *wanted == '%' ? hits % n == 0 : hits == n;
}

/* "x is {x}": what stands in braces is an expression. */
static void print_log(struct hc_dap_session *s, const char *message)
{
    struct hc_context context;
    char line[HC_DAP_VALUE], expression[HC_TEXT_MAX], value[HC_TEXT_MAX];
    size_t n = 0;

    hc_frame_here(s->debugger->program, s->debugger->machine, &context);
    while (*message && n + HC_TEXT_MAX + 2 < sizeof line) {
        const char *end = *message == '{' ? strchr(message, '}') : NULL;
        if (!end || (size_t)(end - message) > sizeof expression) {
            line[n++] = *message++;
            continue;
        }
        struct hc_value v;
        struct hc_debug_message problem;
        snprintf(expression, sizeof expression, "%.*s", (int)(end - message - 1), message + 1);
        if (hc_expression_evaluate(&context, expression, &v, &problem))
            hc_format_text(&context, &v, 0, value, sizeof value);
        else
            snprintf(value, sizeof value, "<%.200s>", problem.text);
        n += (size_t)snprintf(line + n, sizeof line - n, "%s", value);
        message = end + 1;
    }
    snprintf(line + n, sizeof line - n, "\n");
    hc_dap_output(s->dap, "console", line);
}

bool hc_dap_point_stops(struct hc_dap_session *s, struct hc_dap_point *p)
{
    p->hits++;
    if (!counts(p->hits_wanted, p->hits))
        return false;
    if (!p->log[0])
        return true;
    print_log(s, p->log);
    return false;
}

/* ---- setting them ---- */

/* Makes the point of BREAKPOINT in S; NULL with a message in the debugger. */
typedef struct hc_point *make_fn(struct hc_dap_session *s, const json_t *breakpoint, const struct replaced *kind);

static json_t *describe(struct hc_dap_session *s, const struct hc_point *p, int id)
{
    json_t *out = json_pack("{s:i, s:b}", "id", id, "verified", p != NULL);
    struct hc_line line;
    char address[16];

    if (!p) {
        json_object_set_new(out, "message", json_string(s->debugger->message.text));
        return out;
    }
    if (p->kind != HC_POINT_BREAK)
        return out;
    snprintf(address, sizeof address, "0x%04x", (unsigned)p->address[0]);
    json_object_set_new(out, "instructionReference", json_string(address));
    if (hc_image_line_at(s->node.image, p->address[0], &line)) {
        json_object_set_new(out, "line", json_integer(line.line - s->dap->lines_from_0));
        json_object_set_new(out, "source", hc_dap_source_json(s->dap, line.file));
    }
    return out;
}

/* In all nodes; verified is what one of them has. */
static json_t *set_one(struct hc_dap *d, const json_t *breakpoint, const struct replaced *kind, make_fn *make, int id)
{
    json_t *out = NULL;

    for (int i = 0; i < d->sessions; i++) {
        struct hc_point *p = make(&d->session[i], breakpoint, kind);
        if (p)
            adopt(&d->session[i], p, id, kind, breakpoint);
        if (out && !p)
            continue;
        json_decref(out);
        out = describe(&d->session[i], p, id);
    }
    return out;
}

static void set_all(struct hc_dap_request *r, const struct replaced *kind, make_fn *make)
{
    struct hc_dap *d = r->dap;
    json_t *list = json_array(), *breakpoint;
    size_t i;

    for (int n = 0; n < d->sessions; n++)
        clear(&d->session[n], kind);
    json_array_foreach(json_object_get(r->arguments, "breakpoints"), i, breakpoint)
    {
        json_array_append_new(list, set_one(d, breakpoint, kind, make, ++d->seq));
    }
    hc_dap_respond(r, json_pack("{s:o}", "breakpoints", list));
}

static struct hc_point *point_at(struct hc_dap_session *s, const char *place)
{
    struct hc_point *p = hc_point_new(s->debugger, HC_POINT_BREAK);

    if (!p)
        return NULL;
    p->addresses =
        hc_place_addresses(s->debugger->program, place, NULL, p->address, HC_POINT_ADDRESSES, &s->debugger->message);
    snprintf(p->place, sizeof p->place, "%s", place);
    if (p->addresses)
        return p;
    hc_point_delete(p);
    return NULL;
}

static struct hc_point *make_source(struct hc_dap_session *s, const json_t *breakpoint, const struct replaced *kind)
{
    char path[HC_DAP_TEXT], place[HC_DAP_TEXT + 24];

    hc_dap_image_path(s->dap, kind->source, path, sizeof path);
    snprintf(place, sizeof place, "%s:%lld", path,
             (long long)hc_dap_integer(breakpoint, "line") + s->dap->lines_from_0);
    return point_at(s, place);
}

void hc_dap_set_breakpoints(struct hc_dap_request *r)
{
    const json_t *source = json_object_get(r->arguments, "source");
    const char *path = hc_dap_string(source, "path");

    set_all(r, &(struct replaced){ HC_DAP_SOURCE, *path ? path : hc_dap_string(source, "name") }, make_source);
}

static struct hc_point *make_function(struct hc_dap_session *s, const json_t *breakpoint, const struct replaced *kind)
{
    (void)kind;
    return point_at(s, hc_dap_string(breakpoint, "name"));
}

void hc_dap_set_function_breakpoints(struct hc_dap_request *r)
{
    set_all(r, &(struct replaced){ HC_DAP_FUNCTION, NULL }, make_function);
}

static struct hc_point *make_instruction(struct hc_dap_session *s, const json_t *breakpoint,
                                         const struct replaced *kind)
{
    uint32_t address;
    char place[32];

    (void)kind;
    if (!hc_dap_address(hc_dap_string(breakpoint, "instructionReference"), &address)) {
        hc_debugger_fail(s->debugger, "this is no address of an instruction");
        return NULL;
    }
    json_int_t offset = hc_dap_integer(breakpoint, "offset");
    if (offset < -HC_IMAGE_ADDRESSES || offset > HC_IMAGE_ADDRESSES) {
        hc_debugger_fail(s->debugger, "offset %lld: there is no memory so far away", (long long)offset);
        return NULL;
    }
    snprintf(place, sizeof place, "*0x%x", (unsigned)(address + (uint32_t)offset));
    return point_at(s, place);
}

void hc_dap_set_instruction_breakpoints(struct hc_dap_request *r)
{
    set_all(r, &(struct replaced){ HC_DAP_INSTRUCTION, NULL }, make_instruction);
}

/* ---- data ---- */

/* The value that VARIABLES_REFERENCE's child NAME, or the expression NAME, is; false with a message. */
static bool find_data(struct hc_dap_request *r, struct hc_dap_session *s, int frame, struct hc_value *out, char *name,
                      size_t size, struct hc_debug_message *message)
{
    struct hc_dap *d = r->dap;
    json_int_t reference = hc_dap_integer(r->arguments, "variablesReference");
    const char *child = hc_dap_string(r->arguments, "name");
    const struct hc_dap_handle *h = reference > 0 && (size_t)reference <= d->handles ? &d->handle[reference - 1] : NULL;

    if (h && h->kind == HC_DAP_VALUE_OF && *child == '[')
        snprintf(name, size, "(%s)%s", h->name, child);
    else if (h && h->kind == HC_DAP_VALUE_OF)
        snprintf(name, size, "(%s).%s", h->name, child);
    else
        snprintf(name, size, "%s", child);
    return hc_expression_evaluate(&s->debugger->stack[h ? h->frame : frame].context, name, out, message);
}

void hc_dap_data_breakpoint_info(struct hc_dap_request *r)
{
    struct hc_dap_session *s;
    struct hc_value v;
    struct hc_debug_message message;
    int frame;
    char name[HC_DAP_TEXT], id[HC_DAP_TEXT + 32];

    if (!hc_dap_frame_of(r, hc_dap_integer(r->arguments, "frameId"), &s, &frame))
        return;
    bool found = find_data(r, s, frame, &v, name, sizeof name, &message);
    uint32_t size = !found ? 0 : v.bits ? (v.bit + v.bits + 7) / 8 : hc_type_strip(v.type)->size;
    if (!found || !v.in_memory || !size) {
        hc_dap_respond(r, json_pack("{s:n, s:s}", "dataId", "description",
                                    found ? "only something in memory can be watched" : message.text));
        return;
    }
    snprintf(id, sizeof id, "%u %u %s", (unsigned)v.address, (unsigned)size, name);
    hc_dap_respond(r, json_pack("{s:s, s:s, s:[s, s, s], s:b}", "dataId", id, "description", name, "accessTypes",
                                "read", "write", "readWrite", "canPersist", 1));
}

static struct hc_point *make_data(struct hc_dap_session *s, const json_t *breakpoint, const struct replaced *kind)
{
    const char *id = hc_dap_string(breakpoint, "dataId"), *access = hc_dap_string(breakpoint, "accessType");
    unsigned address, size;
    int name = 0;
    struct hc_value v;

    (void)kind;
    if (sscanf(id, "%u %u %n", &address, &size, &name) != 2 || !name || !size || address + size > HC_IMAGE_ADDRESSES) {
        hc_debugger_fail(s->debugger, "'%.100s' is nothing that can be watched", id);
        return NULL;
    }
    struct hc_point *p = hc_point_new(s->debugger, !strcmp(access, "read")        ? HC_POINT_RWATCH
                                                   : !strcmp(access, "readWrite") ? HC_POINT_AWATCH
                                                                                  : HC_POINT_WATCH);
    if (!p)
        return NULL;
    p->addresses = 1;
    p->address[0] = address;
    p->size = size;
    p->watches_changes = p->kind == HC_POINT_WATCH;
    snprintf(p->place, sizeof p->place, "%s", id + name);
    bool known =
        hc_expression_evaluate(&hc_debugger_frame(s->debugger)->context, id + name, &v, &s->debugger->message) &&
        v.in_memory && v.address == address;
    p->type = known ? v.type : &hc_basic[size == 1 ? HC_BASIC_UCHAR : size == 4 ? HC_BASIC_ULONG : HC_BASIC_UINT];
    return p;
}

void hc_dap_set_data_breakpoints(struct hc_dap_request *r)
{
    set_all(r, &(struct replaced){ HC_DAP_DATA, NULL }, make_data);
}

/* ---- exceptions ---- */

static struct hc_point *make_invariant(struct hc_dap_session *s, const json_t *breakpoint, const struct replaced *kind)
{
    (void)breakpoint;
    (void)kind;
    return point_at(s, "hc_freeze");
}

void hc_dap_set_exception_breakpoints(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;
    const struct replaced kind = { HC_DAP_EXCEPTION, NULL };
    json_t *filter;
    size_t i;

    d->stops_at_fault = d->stops_at_divergence = d->stops_at_invariant = false;
    json_array_foreach(json_object_get(r->arguments, "filters"), i, filter)
    {
        const char *name = json_is_string(filter) ? json_string_value(filter) : "";
        d->stops_at_fault |= !strcmp(name, "fault");
        d->stops_at_divergence |= !strcmp(name, "divergence");
        d->stops_at_invariant |= !strcmp(name, "invariant");
    }
    for (int n = 0; n < d->sessions; n++)
        clear(&d->session[n], &kind);
    if (d->stops_at_invariant)
        json_decref(set_one(d, NULL, &kind, make_invariant, ++d->seq));
    hc_dap_respond(r, NULL);
}

/* ---- where breakpoints can be ---- */

void hc_dap_breakpoint_locations(struct hc_dap_request *r)
{
    enum { LINES_MOST = 10000 };
    struct hc_dap *d = r->dap;
    json_int_t first = hc_dap_integer(r->arguments, "line") + d->lines_from_0;
    json_int_t last =
        json_object_get(r->arguments, "endLine") ? hc_dap_integer(r->arguments, "endLine") + d->lines_from_0 : first;
    char path[HC_DAP_TEXT];
    uint32_t address;
    json_t *list = json_array();

    hc_dap_image_path(d, hc_dap_string(json_object_get(r->arguments, "source"), "path"), path, sizeof path);
    for (json_int_t line = first; line <= last && line < first + LINES_MOST && line < INT32_MAX; line++)
        if (hc_image_line_addresses(d->session[0].node.image, path, (int)line, &address, 1))
            json_array_append_new(list, json_pack("{s:I}", "line", line - d->lines_from_0));
    hc_dap_respond(r, json_pack("{s:o}", "breakpoints", list));
}
