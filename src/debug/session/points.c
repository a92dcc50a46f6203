/* Breakpoints and watchpoints: hooks on the machine that remember which of them stopped it. */
#include "session_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- conditions ---- */

/* Memory as it is, except for one access. */
struct overlay {
    const struct hc_context *under;
    uint32_t address;
    uint32_t size;
    uint16_t value;
};

static bool read_overlaid(void *owner, uint32_t address, uint8_t *out, size_t n)
{
    const struct overlay *o = owner;

    if (!o->under->read(o->under->owner, address, out, n))
        return false;
    for (uint32_t i = 0; i < o->size; i++)
        if (o->address + i >= address && o->address + i < address + n)
            out[o->address + i - address] = (uint8_t)(o->value >> 8 * i);
    return true;
}

/* ACCESS: what it wrote counts as written; NULL of a breakpoint. */
static bool holds(struct hc_point *p, const struct hc_access *access)
{
    struct hc_debugger *s = p->session;
    struct hc_debug_message message;
    struct hc_context context, here;
    bool result = true;

    if (!p->condition[0])
        return true;
    hc_frame_here(s->program, s->machine, &here);
    context = here;
    struct overlay overlay = { .under = &here };
    if (access && access->write) {
        overlay = (struct overlay){ &here, access->address, access->size, access->value };
        context.read = read_overlaid;
        context.owner = &overlay;
    }
    if (!hc_expression_holds(&context, p->condition, &result, &message)) {
        snprintf(s->cause.problem, sizeof s->cause.problem, "%s", message.text);
        return true;
    }
    return result;
}

/* ---- hooks ---- */

static enum hc_action at_place(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_point *p = owner;
    struct hc_debugger *s = p->session;

    (void)pc;
    if (!p->enabled || !hc_timeline_hears_places(s->timeline) || s->cause.point)
        return HC_CONTINUE;
    if (p->kind == HC_POINT_UNTIL && hc_register(m, HC_SP) < p->sp)
        return HC_CONTINUE;
    if (!holds(p, NULL))
        return HC_CONTINUE;
    s->cause.point = p;
    return HC_STOP;
}

/* Whether the access changes any watched byte. The previous value of a device's register is not known. */
static bool changes(const struct hc_point *p, struct hc_machine *m, const struct hc_access *a)
{
    if (hc_region_kind(m, a->address) == HC_IO)
        return true;
    for (uint32_t i = 0; i < a->size; i++)
        if (a->address + i >= p->address[0] && a->address + i < p->address[0] + p->size &&
            (uint8_t)(a->before >> 8 * i) != (uint8_t)(a->value >> 8 * i))
            return true;
    return false;
}

static enum hc_action at_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_point *p = owner;
    struct hc_debugger *s = p->session;

    if (!p->enabled || !hc_timeline_hears_accesses(s->timeline) || s->cause.point)
        return HC_CONTINUE;
    if ((p->watches_changes && !changes(p, m, access)) || !holds(p, access))
        return HC_CONTINUE;
    s->cause.point = p;
    s->cause.access = *access;
    return HC_STOP;
}

enum hc_hit hc_points_classify(void *session, bool chosen)
{
    struct hc_debugger *s = session;
    struct hc_point *p = s->cause.point;

    if (!chosen)
        memset(&s->cause, 0, sizeof s->cause);
    if (!p)
        return HC_HIT_NONE;
    return p->kind == HC_POINT_BREAK || p->kind == HC_POINT_UNTIL ? HC_HIT_HERE : HC_HIT_BEFORE;
}

/* ---- the list ---- */

struct hc_point *hc_point_new(struct hc_debugger *s, enum hc_point_kind kind)
{
    for (int i = 0; i < HC_POINTS_MAX; i++)
        if (!s->point[i].number) {
            s->point[i] = (struct hc_point){ .session = s, .number = -1, .kind = kind, .enabled = true };
            return &s->point[i];
        }
    hc_debugger_fail(s, "there are already %d breakpoints and watchpoints; delete some", HC_POINTS_MAX);
    return NULL;
}

bool hc_point_arm(struct hc_point *p)
{
    static const int watches[] = { [HC_POINT_WATCH] = HC_WATCH_WRITE,
                                   [HC_POINT_RWATCH] = HC_WATCH_READ,
                                   [HC_POINT_AWATCH] = HC_WATCH_READ | HC_WATCH_WRITE };
    struct hc_machine *m = p->session->machine;

    for (size_t i = 0; i < p->addresses; i++) {
        if (p->kind == HC_POINT_BREAK || p->kind == HC_POINT_UNTIL)
            p->hook[i] = hc_hook_pc(m, p->address[i], at_place, p);
        else
            p->hook[i] = hc_hook_access(m, p->address[i], p->address[i] + p->size - 1, watches[p->kind], at_access, p);
    }
    return true;
}

void hc_point_delete(struct hc_point *p)
{
    for (size_t i = 0; i < p->addresses; i++)
        if (p->hook[i])
            hc_unhook(p->session->machine, p->hook[i]);
    p->number = 0;
    p->enabled = false;
}

struct hc_point *hc_point_find(struct hc_debugger *s, int number)
{
    for (int i = 0; i < HC_POINTS_MAX; i++)
        if (s->point[i].number == number && number > 0)
            return &s->point[i];
    return NULL;
}

struct hc_point *hc_point_at(struct hc_debugger *s, uint32_t pc)
{
    for (int i = 0; i < HC_POINTS_MAX; i++) {
        struct hc_point *p = &s->point[i];
        if (p->number <= 0 || !p->enabled || p->kind != HC_POINT_BREAK)
            continue;
        for (size_t k = 0; k < p->addresses; k++)
            if (p->address[k] == pc && holds(p, NULL))
                return p;
    }
    return NULL;
}

void hc_points_quiet(struct hc_debugger *s, bool quiet)
{
    for (int i = 0; i < HC_POINTS_MAX; i++) {
        struct hc_point *p = &s->point[i];
        if (p->number <= 0)
            continue;
        for (size_t k = 0; k < p->addresses; k++) {
            if (quiet && p->hook[k]) {
                hc_unhook(s->machine, p->hook[k]);
                p->hook[k] = 0;
            }
        }
        if (!quiet && p->addresses && !p->hook[0])
            hc_point_arm(p);
    }
}

struct hc_point *hc_point_watch(struct hc_debugger *s, enum hc_point_kind kind, const char *text)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_value v;

    if (!hc_expression_evaluate(c, text, &v, &s->message))
        return NULL;
    if (v.in_register) {
        hc_debugger_fail(s, "only memory can be watched, and %s is in a register here", text);
        return NULL;
    }
    uint32_t size = v.bits ? (v.bit + v.bits + 7) / 8 : hc_type_strip(v.type)->size;
    if (!v.in_memory || !size) {
        hc_debugger_fail(s, "only something in memory can be watched, not the value of '%s'", text);
        return NULL;
    }
    struct hc_point *p = hc_point_new(s, kind);
    if (!p)
        return NULL;
    p->addresses = 1;
    p->address[0] = v.address;
    p->size = size;
    p->type = v.type;
    p->watches_changes = kind == HC_POINT_WATCH;
    snprintf(p->place, sizeof p->place, "%s", text);
    return p;
}

/* ---- what a watch saw ---- */

void hc_point_show_change(struct hc_debugger *s, bool before)
{
    const struct hc_point *p = s->cause.point;
    const struct hc_access *a = &s->cause.access;
    struct hc_context here, other;
    struct hc_value v = hc_value_in_memory(p->type, p->address[0]);
    char now[200], then[200], where[120];

    hc_frame_here(s->program, s->machine, &here);
    struct overlay overlay = { &here, a->address, a->size, before ? a->value : a->before };
    other = here;
    other.read = read_overlaid;
    other.owner = &overlay;
    hc_format_text(&here, &v, 0, now, sizeof now);
    hc_format_text(&other, &v, 0, then, sizeof then);
    if (p->number > 0)
        hc_debugger_say(s, "Watchpoint %d: ", p->number);
    if (!a->write)
        hc_debugger_say(s, "%s was read: %s\n", p->place, now);
    else
        hc_debugger_say(s, "%s: %s -> %s\n", p->place, before ? now : then, before ? then : now);
    if (a->pc == UINT32_MAX)
        hc_debugger_say(s, "DMA or the hardware did it, not an instruction.\n");
    else
        hc_debugger_say(s, "%s by the instruction at 0x%04x, %s\n", a->write ? "Written" : "Read", (unsigned)a->pc,
                        hc_debugger_place_text(s, a->pc, where, sizeof where));
}
