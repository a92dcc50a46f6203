/* Frames, scopes, variables and expressions. */
#include "state.h"

#include "registers/regs.h"
#include "support/grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ---- */

static json_t *frame_json(struct hc_dap_session *s, int n)
{
    struct hc_dap *d = s->dap;
    const struct hc_frame *f = &s->debugger->stack[n];
    char name[HC_DAP_TEXT], address[16];
    int id = (int)(s - d->session) * HC_FRAMES_MAX + n + 1;

    snprintf(address, sizeof address, "0x%04x", (unsigned)f->pc);
    snprintf(name, sizeof name, "%s%s%s%s", f->function ? f->function : address, f->inlined ? " (inlined)" : "",
             f->handler ? " (interrupt handler)" : "", f->unsure ? " (unsure)" : "");
    json_t *out =
        json_pack("{s:i, s:s, s:i, s:i, s:s}", "id", id, "name", name, "line", f->file ? f->line - d->lines_from_0 : 0,
                  "column", d->columns_from_0 ? 0 : 1, "instructionPointerReference", address);
    if (f->file)
        json_object_set_new(out, "source", hc_dap_source_json(d, f->file));
    if (hc_frame_is_recorder(f) || !f->file)
        json_object_set_new(out, "presentationHint", json_string("subtle"));
    return out;
}

void hc_dap_stack_trace(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    json_int_t first = hc_dap_integer(r->arguments, "startFrame"), levels = hc_dap_integer(r->arguments, "levels");
    json_t *list = json_array();

    if (!s) {
        json_decref(list);
        return;
    }
    hc_debugger_frame(s->debugger);
    for (json_int_t i = first < 0 ? 0 : first; i < s->debugger->frames && (levels <= 0 || i < first + levels); i++)
        json_array_append_new(list, frame_json(s, (int)i));
    hc_dap_respond(r, json_pack("{s:o, s:i}", "stackFrames", list, "totalFrames", s->debugger->frames));
}

/* ---- handles ---- */

static int add_handle(struct hc_dap *d, const struct hc_dap_handle *h)
{
    if (!hc_grow(&d->handle, d->handles, &d->handles_room, sizeof *h))
        return 0;
    d->handle[d->handles++] = *h;
    return (int)d->handles;
}

void hc_dap_scopes(struct hc_dap_request *r)
{
    static const struct {
        const char *name, *hint;
        enum hc_dap_handle_kind kind;
        bool expensive;
    } scopes[] = { { "Locals", "locals", HC_DAP_LOCALS, false },
                   { "Globals", "globals", HC_DAP_GLOBALS, true },
                   { "Registers", "registers", HC_DAP_REGISTERS, false },
                   { "Peripherals", "registers", HC_DAP_PERIPHERALS, true } };
    struct hc_dap_handle h = { 0 };
    json_t *list = json_array();

    if (!hc_dap_frame_of(r, hc_dap_integer(r->arguments, "frameId"), &h.session, &h.frame)) {
        json_decref(list);
        return;
    }
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        h.kind = scopes[i].kind;
        if (h.kind == HC_DAP_PERIPHERALS && !r->dap->regs)
            continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:b}", "name", scopes[i].name, "presentationHint",
                                              scopes[i].hint, "variablesReference", add_handle(r->dap, &h), "expensive",
                                              scopes[i].expensive));
    }
    hc_dap_respond(r, json_pack("{s:o}", "scopes", list));
}

/* ---- values ---- */

/* How many parts it has that can be looked at; *INDEXED: they are elements. */
static size_t parts_of(const struct hc_type *type, bool *indexed)
{
    const struct hc_type *t = hc_type_strip(type);

    *indexed = t && t->kind == HC_TYPE_ARRAY;
    if (!t)
        return 0;
    if (t->kind == HC_TYPE_ARRAY)
        return t->count;
    if (t->kind == HC_TYPE_STRUCT || t->kind == HC_TYPE_UNION)
        return t->members;
    const struct hc_type *target = t->kind == HC_TYPE_POINTER ? hc_type_strip(t->target) : NULL;
    return target && target->kind != HC_TYPE_VOID && target->kind != HC_TYPE_FUNCTION && !target->incomplete;
}

/* A Variable; EXPRESSION is what it can be evaluated by. */
static json_t *value_json(struct hc_dap_session *s, int frame, const char *name, const char *expression,
                          const struct hc_value *v, char format)
{
    const struct hc_context *c = &s->debugger->stack[frame].context;
    char text[HC_DAP_VALUE], type[160], address[16];
    bool indexed;
    size_t parts = parts_of(v->type, &indexed);
    struct hc_dap_handle h = { .kind = HC_DAP_VALUE_OF, .session = s, .frame = frame, .value = *v };

    snprintf(h.name, sizeof h.name, "%s", expression);
    json_t *out =
        json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", name, "value", hc_format_text(c, v, format, text, sizeof text),
                  "type", hc_type_name(v->type, type, sizeof type), "variablesReference",
                  parts ? add_handle(s->dap, &h) : 0, "evaluateName", expression);
    if (parts)
        json_object_set_new(out, indexed ? "indexedVariables" : "namedVariables", json_integer((json_int_t)parts));
    if (v->in_memory) {
        snprintf(address, sizeof address, "0x%04x", (unsigned)v->address);
        json_object_set_new(out, "memoryReference", json_string(address));
    }
    return out;
}

static json_t *text_json(const char *name, const char *text)
{
    return json_pack("{s:s, s:s, s:i}", "name", name, "value", text, "variablesReference", 0);
}

/* ---- lists of them ---- */

/* The part of a list that was asked for. */
struct listing {
    struct hc_dap_session *s;
    int frame;
    char format;
    json_int_t first, count, at; /* COUNT 0: all */
    json_t *list;
};

static bool is_asked(struct listing *l)
{
    json_int_t n = l->at++;
    return n >= l->first && (!l->count || n < l->first + l->count);
}

static void add_name(struct listing *l, struct hc_name *name)
{
    struct hc_debug_message message;
    struct hc_value v;
    char text[HC_DAP_TEXT];

    if (!is_asked(l))
        return;
    if (hc_value_of_name(&l->s->debugger->stack[l->frame].context, name, &v, &message)) {
        json_array_append_new(l->list, value_json(l->s, l->frame, name->name, name->name, &v, l->format));
        return;
    }
    snprintf(text, sizeof text, "<%s>", message.text);
    json_array_append_new(l->list, text_json(name->name, text));
}

static bool add_local(void *owner, const struct hc_name *name)
{
    struct hc_name copy = *name;
    add_name(owner, &copy);
    return false;
}

static void list_locals(struct listing *l)
{
    const struct hc_context *c = &l->s->debugger->stack[l->frame].context;
    hc_program_locals(l->s->debugger->program, c->pc, c->has_die ? &c->die : NULL, add_local, l);
}

static void add_global(void *owner, const char *name)
{
    struct listing *l = owner;
    struct hc_name found;

    if (hc_program_lookup(l->s->debugger->program, UINT32_MAX, NULL, name, &found) && found.kind == HC_NAME_VARIABLE &&
        found.has_die)
        add_name(l, &found);
}

static void list_registers(struct listing *l)
{
    static const char *const names[] = { "pc", "sp", "sr" };
    const struct hc_context *c = &l->s->debugger->stack[l->frame].context;
    char name[8], text[64];

    for (int r = 0; r < HC_DEBUG_REGISTERS; r++) {
        if (!is_asked(l))
            continue;
        snprintf(name, sizeof name, r < 3 ? "%s" : "r%.0s%d", r < 3 ? names[r] : "", r);
        if (c->known >> r & 1)
            snprintf(text, sizeof text, "0x%04x", (unsigned)c->reg[r]);
        json_array_append_new(l->list, text_json(name, c->known >> r & 1 ? text : "<not saved>"));
    }
}

static uint32_t register_value(struct hc_dap_session *s, const struct hc_reg *reg)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < reg->size; i++)
        value |= (uint32_t)hc_peek(s->debugger->machine, reg->address + i) << 8 * i;
    return value;
}

static void list_peripherals(struct listing *l)
{
    const struct hc_regs *regs = l->s->dap->regs;

    for (size_t i = 0; i < regs->count; i++) {
        const struct hc_reg *reg = &regs->reg[i];
        struct hc_dap_handle h = { .kind = HC_DAP_PART, .session = l->s, .frame = l->frame };
        char text[32], address[16];
        if (!is_asked(l))
            continue;
        snprintf(h.name, sizeof h.name, "%s", reg->name);
        snprintf(text, sizeof text, "0x%0*x", 2 * reg->size, (unsigned)register_value(l->s, reg));
        snprintf(address, sizeof address, "0x%04x", (unsigned)reg->address);
        json_array_append_new(l->list,
                              json_pack("{s:s, s:s, s:i, s:s}", "name", reg->name, "value", text, "variablesReference",
                                        add_handle(l->s->dap, &h), "memoryReference", address));
    }
}

/* Which of a register's bits the log has, which follow from what the program wrote, and each bit that is set. */
static void list_register_parts(struct listing *l, const char *name)
{
    const struct hc_reg *reg = hc_regs_named(l->s->dap->regs, name);
    uint32_t value = reg ? register_value(l->s, reg) : 0;
    const struct {
        const char *name;
        uint32_t mask;
    } parts[] = { { "recorded bits", reg ? reg->nondeterministic : 0 }, { "kept bits", reg ? reg->kept : 0 } };
    char bit[16], text[48];

    for (size_t i = 0; reg && i < 2; i++)
        if (parts[i].mask && is_asked(l)) {
            snprintf(text, sizeof text, "0x%0*x of 0x%0*x", 2 * reg->size, (unsigned)(value & parts[i].mask),
                     2 * reg->size, (unsigned)parts[i].mask);
            json_array_append_new(l->list, text_json(parts[i].name, text));
        }
    for (int i = 8 * (reg ? reg->size : 0) - 1; i >= 0; i--)
        if (is_asked(l)) {
            snprintf(bit, sizeof bit, "bit %d", i);
            json_array_append_new(l->list, text_json(bit, value >> i & 1 ? "1" : "0"));
        }
}

static void add_part(struct listing *l, const struct hc_value *v, const char *name, const char *expression)
{
    json_array_append_new(l->list, value_json(l->s, l->frame, name, expression, v, l->format));
}

static void list_members(struct listing *l, const struct hc_dap_handle *h, const struct hc_type *t)
{
    struct hc_debug_message message;
    char expression[HC_DAP_TEXT + 80];

    for (size_t i = 0; i < t->members; i++) {
        const struct hc_member *m = &t->member[i];
        struct hc_value part;
        if (!is_asked(l))
            continue;
        snprintf(expression, sizeof expression, m->name ? "(%s).%s" : "%s", h->name, m->name ? m->name : "");
        if (hc_value_part(&h->value, m->type, m->offset, m->bits, &part, &message))
            add_part(l, &part, m->name ? m->name : "(unnamed)", expression);
        else
            json_array_append_new(l->list, text_json(m->name ? m->name : "(unnamed)", message.text));
    }
}

static void list_elements(struct listing *l, const struct hc_dap_handle *h, const struct hc_type *t)
{
    enum { MOST = 1000 };
    struct hc_debug_message message;
    char name[24], expression[HC_DAP_TEXT + 32];
    json_int_t end = l->count ? l->first + l->count : l->first + MOST;
    uint32_t size = hc_type_strip(t->target) ? hc_type_strip(t->target)->size : 0;

    for (json_int_t i = l->first < 0 ? 0 : l->first; i < end && i < (json_int_t)t->count; i++) {
        struct hc_value part;
        snprintf(name, sizeof name, "[%lld]", (long long)i);
        snprintf(expression, sizeof expression, "(%s)%s", h->name, name);
        if (hc_value_part(&h->value, t->target, (uint32_t)i * size, 0, &part, &message))
            add_part(l, &part, name, expression);
        else
            json_array_append_new(l->list, text_json(name, message.text));
    }
}

static void list_target(struct listing *l, const struct hc_dap_handle *h, const struct hc_type *t)
{
    struct hc_debug_message message;
    struct hc_number n;
    char expression[HC_DAP_TEXT + 8];

    snprintf(expression, sizeof expression, "*(%s)", h->name);
    if (!hc_value_number(&l->s->debugger->stack[l->frame].context, &h->value, &n, &message)) {
        json_array_append_new(l->list, text_json(expression, message.text));
        return;
    }
    struct hc_value target = hc_value_in_memory(t->target, (uint32_t)n.u & (HC_IMAGE_ADDRESSES - 1));
    add_part(l, &target, expression, expression);
}

static void list_parts(struct listing *l, const struct hc_dap_handle *h)
{
    const struct hc_type *t = hc_type_strip(h->value.type);

    if (t->kind == HC_TYPE_ARRAY)
        list_elements(l, h, t);
    else if (t->kind == HC_TYPE_POINTER)
        list_target(l, h, t);
    else
        list_members(l, h, t);
}

static void list_of(struct listing *l, const struct hc_dap_handle *h)
{
    switch (h->kind) {
    case HC_DAP_LOCALS:
        list_locals(l);
        break;
    case HC_DAP_GLOBALS:
        hc_program_names(l->s->debugger->program, "", add_global, l);
        break;
    case HC_DAP_REGISTERS:
        list_registers(l);
        break;
    case HC_DAP_PERIPHERALS:
        list_peripherals(l);
        break;
    case HC_DAP_PART:
        list_register_parts(l, h->name);
        break;
    case HC_DAP_VALUE_OF:
        list_parts(l, h);
        break;
    }
}

static char format_of(const json_t *arguments)
{
    return json_is_true(json_object_get(json_object_get(arguments, "format"), "hex")) ? 'x' : 0;
}

void hc_dap_variables(struct hc_dap_request *r)
{
    struct hc_dap *d = r->dap;
    json_int_t reference = hc_dap_integer(r->arguments, "variablesReference");

    if (reference < 1 || (size_t)reference > d->handles) {
        hc_dap_refuse(r, "these variables are of another moment");
        return;
    }
    struct hc_dap_handle h = d->handle[reference - 1]; /* the list may move */
    hc_debugger_frame(h.session->debugger);
    struct listing l = { .s = h.session,
                         .frame = h.frame,
                         .format = format_of(r->arguments),
                         .first = hc_dap_integer(r->arguments, "start"),
                         .count = hc_dap_integer(r->arguments, "count"),
                         .list = json_array() };
    list_of(&l, &h);
    hc_dap_respond(r, json_pack("{s:o}", "variables", l.list));
}

/* ---- expressions and commands ---- */

/* In the console: a command of the debugger. What moves is told. */
static void command(struct hc_dap_request *r, struct hc_dap_session *s, const char *text)
{
    uint64_t here = hc_timeline_now(s->node.timeline)->instructions;
    const struct hc_moment *start = hc_timeline_start(s->node.timeline);
    size_t segment = start->segment;

    hc_dap_begin(s, "Working");
    enum hc_debugger_end end = hc_debugger_command(s->debugger, text);
    bool moved = hc_timeline_now(s->node.timeline)->instructions != here ||
                 hc_timeline_start(s->node.timeline)->segment != segment;
    const char *heard = hc_dap_heard(r->dap);
    if (end == HC_DEBUGGER_FAILED)
        hc_dap_refuse(r, "%s", heard);
    else if (end == HC_DEBUGGER_QUIT)
        hc_dap_refuse(r, "the editor ends the session");
    else
        hc_dap_respond(r, json_pack("{s:s, s:i}", "result", heard, "variablesReference", 0));
    size_t handles = r->dap->handles;
    hc_dap_end(s);
    if (moved)
        hc_dap_stopped(s, "goto");
    else
        r->dap->handles = handles;
}

void hc_dap_evaluate(struct hc_dap_request *r)
{
    const char *text = hc_dap_string(r->arguments, "expression");
    struct hc_dap_session *s;
    struct hc_debug_message message;
    struct hc_value v;
    int frame;

    if (!hc_dap_frame_of(r, hc_dap_integer(r->arguments, "frameId"), &s, &frame))
        return;
    text += strspn(text, " \t");
    if (!strcmp(hc_dap_string(r->arguments, "context"), "repl") && hc_is_command(text)) {
        s->debugger->frame = frame;
        command(r, s, text);
        return;
    }
    if (!hc_expression_evaluate(&s->debugger->stack[frame].context, text, &v, &message)) {
        hc_dap_refuse(r, "%s", message.text);
        return;
    }
    json_t *body = value_json(s, frame, text, text, &v, format_of(r->arguments));
    json_object_set(body, "result", json_object_get(body, "value"));
    json_object_del(body, "value");
    json_object_del(body, "name");
    json_object_del(body, "evaluateName");
    hc_dap_respond(r, body);
}

static void add_target(void *owner, const char *word)
{
    json_t *list = owner;

    if (json_array_size(list) < 200)
        json_array_append_new(list, json_pack("{s:s}", "label", word));
}

void hc_dap_completions(struct hc_dap_request *r)
{
    struct hc_dap_session *s;
    int frame;
    json_t *list = json_array();
    const char *text = hc_dap_string(r->arguments, "text");
    json_int_t column = hc_dap_integer(r->arguments, "column") - !r->dap->columns_from_0;
    char line[HC_TEXT_MAX];

    if (!hc_dap_frame_of(r, hc_dap_integer(r->arguments, "frameId"), &s, &frame)) {
        json_decref(list);
        return;
    }
    snprintf(line, sizeof line, "%.*s", column > 0 && column < (int)sizeof line ? (int)column : (int)sizeof line - 1,
             text);
    hc_debugger_complete(s->debugger, line, add_target, list);
    hc_dap_respond(r, json_pack("{s:o}", "targets", list));
}

void hc_dap_refuse_change(struct hc_dap_request *r)
{
    hc_dap_refuse(r,
                  "nothing can be changed: this is a record of what happened, and a changed value would make all that "
                  "follows untrue");
}
