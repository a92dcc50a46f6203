#include "state.h"

#include "registers/regs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

static void send(struct hc_dap *d, json_t *message)
{
    json_object_set_new(message, "seq", json_integer(++d->seq));
    d->config.send(d->config.owner, message);
    json_decref(message);
}

static json_t *response_to(const struct hc_dap_request *r, bool success)
{
    return json_pack("{s:s, s:i, s:s, s:b}", "type", "response", "request_seq", r->seq, "command", r->command,
                     "success", success);
}

void hc_dap_respond(struct hc_dap_request *r, json_t *body)
{
    json_t *response = response_to(r, true);

    r->answered = true;
    if (body)
        json_object_set_new(response, "body", body);
    send(r->dap, response);
}

void hc_dap_refuse(struct hc_dap_request *r, const char *format, ...)
{
    json_t *response = response_to(r, false);
    char text[HC_DAP_VALUE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->answered = true;
    json_object_set_new(response, "message", json_string(text));
    json_object_set_new(response, "body",
                        json_pack("{s:{s:i, s:s, s:b}}", "error", "id", 1, "format", text, "showUser", 1));
    send(r->dap, response);
}

void hc_dap_event(struct hc_dap *d, const char *name, json_t *body)
{
    json_t *event = json_pack("{s:s, s:s}", "type", "event", "event", name);

    if (body)
        json_object_set_new(event, "body", body);
    send(d, event);
}

void hc_dap_output(struct hc_dap *d, const char *category, const char *text)
{
    if (*text)
        hc_dap_event(d, "output", json_pack("{s:s, s:s}", "category", category, "output", text));
}

json_int_t hc_dap_integer(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

const char *hc_dap_string(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

bool hc_dap_address(const char *text, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    *out = (uint32_t)value;
    return end > text && !*end && value < HC_IMAGE_ADDRESSES;
}

/* ---- what the debugger says ---- */

void hc_dap_listen(struct hc_dap *d)
{
    fflush(d->out);
    fseeko(d->out, 0, SEEK_SET);
}

const char *hc_dap_heard(struct hc_dap *d)
{
    fputc('\0', d->out);
    fflush(d->out);
    return d->text;
}

/* ---- sessions ---- */

struct hc_dap_session *hc_dap_session_of(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;
    json_int_t id = hc_dap_integer(r->arguments, "threadId");

    for (int i = 0; i < d->sessions; i++)
        if (d->session[i].node.id == id || (!id && i == 0))
            return &d->session[i];
    hc_dap_refuse(r, d->sessions ? "there is no thread %lld" : "nothing has been launched", (long long)id);
    return NULL;
}

bool hc_dap_frame_of(struct hc_dap_request *r, json_int_t id, struct hc_dap_session **session, int *frame)
{
    struct hc_dap *d = r->dap;
    json_int_t place = id > 0 ? id - 1 : 0;

    if (id < 0 || place / HC_FRAMES_MAX >= d->sessions) {
        hc_dap_refuse(r, d->sessions ? "there is no frame %lld" : "nothing has been launched", (long long)id);
        return false;
    }
    *session = &d->session[place / HC_FRAMES_MAX];
    *frame = (int)(place % HC_FRAMES_MAX);
    hc_debugger_frame((*session)->debugger);
    if (*frame < (*session)->debugger->frames)
        return true;
    hc_dap_refuse(r, "there is no frame %lld", (long long)id);
    return false;
}

static bool make_session(struct hc_dap_session *s, struct hc_dap *d, const struct hc_dap_node *node)
{
    *s = (struct hc_dap_session){ .dap = d, .node = *node };
    s->debugger = hc_debugger_new(node->image, node->timeline, d->out, node->replay != NULL);
    if (!s->debugger)
        return false;
    hc_debugger_set_replay(s->debugger, node->replay);
    hc_debugger_set_uart(s->debugger, node->send, node->sender);
    hc_timeline_set_poll(node->timeline, hc_dap_poll, s);
    return true;
}

static void close_sessions(struct hc_dap *d)
{
    for (int i = 0; i < d->sessions; i++)
        hc_debugger_free(d->session[i].debugger);
    free(d->session);
    d->session = NULL;
    hc_regs_free(d->regs);
    d->regs = NULL;
    if (d->sessions)
        d->config.close(d->config.owner);
    d->sessions = 0;
}

/* ---- beginning and end ---- */

static json_t *capabilities(void)
{
    static const char *const supported[] = {
        "supportsConfigurationDoneRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",
        "supportsStepBack",
        "supportsRestartRequest",
        "supportsGotoTargetsRequest",
        "supportsCompletionsRequest",
        "supportsExceptionInfoRequest",
        "supportsValueFormattingOptions",
        "supportsDelayedStackTraceLoading",
        "supportsLoadedSourcesRequest",
        "supportsLogPoints",
        "supportsTerminateRequest",
        "supportsDataBreakpoints",
        "supportsReadMemoryRequest",
        "supportsDisassembleRequest",
        "supportsCancelRequest",
        "supportsBreakpointLocationsRequest",
        "supportsSteppingGranularity",
        "supportsInstructionBreakpoints",
    };
    json_t *body = json_object();

    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        json_object_set_new(body, supported[i], json_true());
    json_object_set_new(body, "exceptionBreakpointFilters",
                        json_pack("[{s:s, s:s, s:b}, {s:s, s:s, s:b}, {s:s, s:s, s:b}]", "filter", "fault", "label",
                                  "Faults of the program", "default", 1, "filter", "divergence", "label",
                                  "Divergence of the replay", "default", 1, "filter", "invariant", "label",
                                  "Invariants that fail (hc_freeze)", "default", 0));
    return body;
}

static bool is_false(const json_t *object, const char *name)
{
    return json_is_false(json_object_get(object, name));
}

static void initialize(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;

    d->lines_from_0 = is_false(r->arguments, "linesStartAt1");
    d->columns_from_0 = is_false(r->arguments, "columnsStartAt1");
    d->reports_progress = json_is_true(json_object_get(r->arguments, "supportsProgressReporting"));
    d->stops_at_fault = d->stops_at_divergence = true;
    hc_dap_respond(r, capabilities());
}

/* "sourceMap": { "/build/src": "/home/me/src" } */
static bool mappings_are_well(const json_t *arguments)
{
    const char *from;
    json_t *to, *map = json_object_get(arguments, "sourceMap");

    json_object_foreach(map, from, to)
    {
        if (!json_is_string(to))
            return false;
    }
    return !map || json_is_null(map) || json_is_object(map);
}

static void read_mappings(struct hc_dap *d, const json_t *arguments)
{
    const char *from;
    json_t *to, *map = json_object_get(arguments, "sourceMap");

    json_object_foreach(map, from, to)
    {
        if (d->mappings == HC_DAP_MAPPINGS)
            break;
        d->mapping[d->mappings].from = strdup(from);
        d->mapping[d->mappings].to = strdup(json_string_value(to));
        d->mappings += d->mapping[d->mappings].from && d->mapping[d->mappings].to;
    }
}

/* What cannot be done without source lines is taken back. */
static void tell_capabilities(struct hc_dap *d)
{
    bool lines = hc_program_has_source(d->session[0].debugger->program);

    hc_dap_event(d, "capabilities",
                 json_pack("{s:{s:b, s:b, s:b, s:b}}", "capabilities", "supportsStepBack", 1,
                           "supportsGotoTargetsRequest", lines, "supportsBreakpointLocationsRequest", lines,
                           "supportsLoadedSourcesRequest", lines));
}

static bool make_sessions(struct hc_dap *d, const struct hc_dap_node *node, int n)
{
    struct hc_regs_message message;

    d->session = calloc((size_t)n, sizeof *d->session);
    for (int i = 0; d->session && i < n; i++) {
        if (!make_session(&d->session[i], d, &node[i]))
            return false;
        d->sessions++;
    }
    if (d->session && hc_regs_load_part(&d->regs, hc_machine_part(d->session[0].debugger->machine)->name, &message))
        d->regs = NULL;
    return d->session;
}

static void launch(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;
    struct hc_dap_node *node = calloc(HC_DAP_NODES_MOST, sizeof *node);
    char error[HC_DAP_VALUE] = "out of memory";

    if (d->sessions) {
        free(node);
        hc_dap_refuse(r, "something has been launched already");
        return;
    }
    if (!mappings_are_well(r->arguments)) {
        free(node);
        hc_dap_refuse(r, "\"sourceMap\" of the launch configuration: expected {\"FROM\": \"TO\"}, paths of sources");
        return;
    }
    int n = node ? d->config.open(d->config.owner, r->arguments, node, HC_DAP_NODES_MOST, error, sizeof error) : 0;
    bool well = n > 0 && make_sessions(d, node, n);
    free(node);
    if (!well) {
        close_sessions(d);
        hc_dap_refuse(r, "%s", error);
        return;
    }
    read_mappings(d, r->arguments);
    d->stop_on_entry = json_is_true(json_object_get(r->arguments, "stopOnEntry"));
    hc_dap_respond(r, NULL);
    hc_dap_event(d, "process",
                 json_pack("{s:s, s:s, s:b}", "name", hc_image_name(d->session[0].node.image), "startMethod", "launch",
                           "isLocalProcess", 0));
    tell_capabilities(d);
    hc_dap_event(d, "initialized", NULL);
}

static void configuration_done(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;

    hc_dap_respond(r, NULL);
    d->configured = true;
    if (!d->sessions)
        return;
    if (d->stop_on_entry) {
        hc_dap_stopped(&d->session[0], "entry");
        return;
    }
    struct hc_dap_request run = { .dap = d, .command = "continue", .answered = true };
    hc_dap_continue(&run);
}

static void disconnect(struct hc_dap_request *r)
{
    hc_dap_respond(r, NULL);
    r->dap->over = true;
}

static void terminate(struct hc_dap_request *r)
{
    hc_dap_respond(r, NULL);
    hc_dap_event(r->dap, "terminated", NULL);
}

static void threads(struct hc_dap_request *r)
{
    json_t *list = json_array();

    for (int i = 0; i < r->dap->sessions; i++)
        json_array_append_new(
            list, json_pack("{s:i, s:s}", "id", r->dap->session[i].node.id, "name", r->dap->session[i].node.name));
    hc_dap_respond(r, json_pack("{s:o}", "threads", list));
}

/* ---- requests ---- */

/* WHEN: whether it needs something that has been launched, and that stands. */
enum when { ALWAYS, LAUNCHED, STOPPED };

static const struct handler {
    const char *command;
    void (*handle)(struct hc_dap_request *r);
    enum when when;
} handlers[] = {
    { "initialize", initialize, ALWAYS },
    { "launch", launch, ALWAYS },
    { "attach", launch, ALWAYS },
    { "configurationDone", configuration_done, ALWAYS },
    { "disconnect", disconnect, ALWAYS },
    { "terminate", terminate, ALWAYS },
    { "threads", threads, ALWAYS },
    { "cancel", hc_dap_cancel, ALWAYS },
    { "pause", hc_dap_pause, LAUNCHED },
    { "setBreakpoints", hc_dap_set_breakpoints, LAUNCHED },
    { "setFunctionBreakpoints", hc_dap_set_function_breakpoints, LAUNCHED },
    { "setInstructionBreakpoints", hc_dap_set_instruction_breakpoints, LAUNCHED },
    { "setDataBreakpoints", hc_dap_set_data_breakpoints, LAUNCHED },
    { "setExceptionBreakpoints", hc_dap_set_exception_breakpoints, ALWAYS },
    { "breakpointLocations", hc_dap_breakpoint_locations, LAUNCHED },
    { "dataBreakpointInfo", hc_dap_data_breakpoint_info, STOPPED },
    { "continue", hc_dap_continue, STOPPED },
    { "reverseContinue", hc_dap_continue, STOPPED },
    { "next", hc_dap_step, STOPPED },
    { "stepIn", hc_dap_step, STOPPED },
    { "stepOut", hc_dap_step, STOPPED },
    { "stepBack", hc_dap_step, STOPPED },
    { "hindcast/reverseStepIn", hc_dap_step, STOPPED },
    { "hindcast/reverseStepOut", hc_dap_step, STOPPED },
    { "hindcast/goto", hc_dap_travel, STOPPED },
    { "hindcast/lastWrite", hc_dap_travel, STOPPED },
    { "hindcast/when", hc_dap_travel, STOPPED },
    { "restart", hc_dap_restart, STOPPED },
    { "gotoTargets", hc_dap_goto_targets, STOPPED },
    { "goto", hc_dap_goto, STOPPED },
    { "exceptionInfo", hc_dap_exception_info, STOPPED },
    { "stackTrace", hc_dap_stack_trace, STOPPED },
    { "scopes", hc_dap_scopes, STOPPED },
    { "variables", hc_dap_variables, STOPPED },
    { "evaluate", hc_dap_evaluate, STOPPED },
    { "completions", hc_dap_completions, STOPPED },
    { "setVariable", hc_dap_refuse_change, ALWAYS },
    { "setExpression", hc_dap_refuse_change, ALWAYS },
    { "writeMemory", hc_dap_refuse_change, ALWAYS },
    { "readMemory", hc_dap_read_memory, STOPPED },
    { "disassemble", hc_dap_disassemble, STOPPED },
    { "source", hc_dap_source, LAUNCHED },
    { "loadedSources", hc_dap_loaded_sources, LAUNCHED },
};

static void dispatch(struct hc_dap_request *r)
{
    const struct handler *found = NULL;

    for (size_t i = 0; i < sizeof handlers / sizeof *handlers && !found; i++)
        if (!strcmp(handlers[i].command, r->command))
            found = &handlers[i];
    if (!found)
        hc_dap_refuse(r, "'%.100s' is no request that hindcast knows", r->command);
    else if (found->when != ALWAYS && !r->dap->sessions)
        hc_dap_refuse(r, "nothing has been launched");
    else if (found->when == STOPPED && r->dap->running)
        hc_dap_refuse(r, "the program runs: pause it first");
    else
        found->handle(r);
}

bool hc_dap_handle(struct hc_dap *d, const json_t *message)
{
    struct hc_dap_request r = { .dap = d,
                                .message = message,
                                .arguments = json_object_get(message, "arguments"),
                                .seq = (int)hc_dap_integer(message, "seq"),
                                .command = hc_dap_string(message, "command") };

    if (!strcmp(hc_dap_string(message, "type"), "request"))
        dispatch(&r);
    return !d->over;
}

struct hc_dap *hc_dap_new(const struct hc_dap_config *config)
{
    struct hc_dap *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->config = *config;
    d->out = open_memstream(&d->text, &d->text_size);
    if (d->out)
        return d;
    free(d);
    return NULL;
}

void hc_dap_free(struct hc_dap *d)
{
    if (!d)
        return;
    close_sessions(d);
    for (int i = 0; i < d->mappings; i++) {
        free(d->mapping[i].from);
        free(d->mapping[i].to);
    }
    fclose(d->out);
    free(d->text);
    free(d->handle);
    free(d);
}
