/* Calls of the recorder, so that a program need not be changed to have any. Where they are put:
 *
 *     asm("bis #0xd8, r2")         {hc_update_idle} asm(...)       before sleep
 *     ADC12CTL0 |= 1; asm("bis")   {hc_update_idle} ADC12CTL0 |= 1; asm("bis")   (starts.h)
 *     dint; if (c) asm("bis ...")  {hc_update} dint; if (c) {hc_update_later} asm(...)
 *     for (;;) body                for (;;) {{hc_update} body}     loops that never end; _later if they sleep now and
 * then again: ... goto again;       again: ... {{hc_update} goto again;} while (c) body               while (c) {{loop}
 * body}         in main, if functions are called there while (TAR - t < n) body     while (...) {{turn} body} loops
 * that read, every 16 reads or so handler                      handler {handler}               of programs that do
 * nothing but in handlers
 *
 * The last three are calls of symbols of the link step's, which makes them calls of hc_update and others, or
 * of nothing (patch.c): whether others use the sink's bus, and whether the program sleeps for good, the whole program
 * tells. All keep every register. */
#include "updates.h"

#include "emit.h"
#include "position.h"
#include "recorded/names.h"
#include "scan.h"
#include "sleep.h"
#include "starts.h"

#include <string.h>

enum { READS_MAX = 8 }; /* between two calls: a third of what one takes from the ring, where it fills */

/* A stretch of text that is run again and again: a loop, or from a label to a goto. */
struct turn {
    const struct hc_ast_node *root; /* all of it is within */
    uint32_t begin, end;
};

/* What a turn does. */
struct doings {
    bool called;        /* the program calls the recorder itself */
    bool sleeps;        /* with a call before it, here or in a function of this unit; perhaps not in every turn */
    bool always_sleeps; /* in every one */
    bool calls;         /* functions */
    unsigned reads;     /* recorded ones, without those of inner loops */
};

/* ---- text ---- */

static const char *call_of(struct hc_unit *unit, const char *function)
{
    return hc_emit_call(unit, function);
}

/* Every 2^n-th turn, by the carry out of a byte. */
static const char *turn_of(struct hc_unit *unit, unsigned reads)
{
    unsigned turns = 1;
    while (2 * (uint64_t)turns * reads <= READS_MAX)
        turns *= 2;
    if (turns == 1)
        return call_of(unit, hc_recorder_symbols[HC_SYMBOL_UPDATE_LOOP]);
    unit->counts_turns = true;
    return hc_emit_call_sometimes(unit, hc_recorder_symbols[HC_SYMBOL_UPDATE_LOOP], HC_TURNS, 256 / turns);
}

/* ---- what is called ---- */

static bool calls_recorder(const struct hc_ast_node *node)
{
    CXString spelling;
    if (node->kind != CXCursor_CallExpr)
        return false;
    spelling = clang_getCursorSpelling(node->cursor);
    const char *name = clang_getCString(spelling);
    bool is = name && hc_is_update(name);
    clang_disposeString(spelling);
    return is;
}

/* Compilers make no call of most names like these. */
static bool is_function_call(const struct hc_ast_node *node)
{
    if (node->kind != CXCursor_CallExpr)
        return false;
    CXString spelling = clang_getCursorSpelling(node->cursor);
    const char *name = clang_getCString(spelling);
    bool is = !name || strncmp(name, "__", 2) != 0;
    clang_disposeString(spelling);
    return is;
}

/* A loop that waits for what a function says that is defined elsewhere: it very probably reads a clock. */
static bool asks_another_unit(struct hc_unit *unit, const struct hc_ast_node *loop, const struct hc_ast_node *node)
{
    if (!is_function_call(node) || hc_sleep_callee(unit, node))
        return false;
    while (node && node->parent != loop)
        node = node->parent;
    return node && node->role == HC_ROLE_CONDITION;
}

static unsigned reads_of(const struct hc_ast_node *node)
{
    const struct hc_decision *d = node->decision;
    bool recorded =
        d && d->node == node && !d->reason &&
        (d->action == HC_READ || d->action == HC_READ_VIA || d->action == HC_UPDATE || d->action == HC_STABLE);
    return !recorded ? 0 : d->parts ? d->parts : d->place.size > 2 ? 2 : 1;
}

static bool is_replaced(const struct hc_ast_node *loop)
{
    return loop->decision && loop->decision->node == loop; /* by a poll or a stable read */
}

/* Recorded reads of a call of F, those of its loops apart. */
static unsigned reads_in(struct hc_unit *unit, struct hc_ast_function *f)
{
    if (f->looked_into)
        return f->reads;
    f->looked_into = true; /* recursion reads nothing more */
    unsigned reads = 0;
    for (struct hc_ast_node *n = f->body; n && reads < READS_MAX; n = hc_ast_following(f->body, n)) {
        struct hc_ast_function *callee = hc_sleep_callee(unit, n);
        reads += callee ? reads_in(unit, callee) : reads_of(n);
    }
    f->reads = (uint8_t)(reads < READS_MAX ? reads : READS_MAX);
    return f->reads;
}

/* ---- loops ---- */

static bool is_within(const struct turn *t, const struct hc_ast_node *node)
{
    return node->begin >= t->begin && node->end <= t->end;
}

static const struct hc_ast_node *loop_round(const struct hc_ast_node *node)
{
    const struct hc_ast_node *n = node->parent;
    while (n && (!hc_ast_is_loop(n) || is_replaced(n)))
        n = n->parent;
    return n;
}

/* In no inner loop of the turn. */
static bool is_own(const struct turn *t, const struct hc_ast_node *node)
{
    const struct hc_ast_node *loop = loop_round(node);
    return !loop || loop->begin <= t->begin;
}

/* Passed in every turn that comes to its end. */
static bool is_certain(const struct turn *t, const struct hc_ast_node *node)
{
    for (const struct hc_ast_node *n = node->parent; n && is_within(t, n) && n != t->root; n = n->parent)
        if (hc_ast_is_loop(n) || n->kind == CXCursor_IfStmt || n->kind == CXCursor_SwitchStmt ||
            n->kind == CXCursor_ConditionalOperator ||
            (n->kind == CXCursor_BinaryOperator &&
             (n->operation == CXBinaryOperator_LAnd || n->operation == CXBinaryOperator_LOr)))
            return false;
    return true;
}

static struct doings look(struct hc_unit *unit, const struct turn *t)
{
    struct doings d = { 0 };
    unsigned asked = 0;
    for (const struct hc_ast_node *n = t->root; n; n = hc_ast_following(t->root, n)) {
        if (!is_within(t, n))
            continue;
        struct hc_ast_function *callee = hc_sleep_callee(unit, n);
        bool sleeps = n->updates || (callee && callee->updates);
        d.called |= calls_recorder(n);
        d.sleeps |= sleeps;
        d.always_sleeps |= n->updates && is_certain(t, n);
        d.calls |= is_function_call(n);
        if (!is_own(t, n))
            continue;
        d.reads += callee ? reads_in(unit, callee) : reads_of(n);
        asked += asks_another_unit(unit, t->root, n);
    }
    if (!d.sleeps)
        d.reads += asked;
    return d;
}

static bool leaves(const struct turn *t, const struct hc_ast_node *n)
{
    const struct hc_ast_node *round = n->parent;
    uint32_t target;
    switch (n->kind) {
    case CXCursor_ReturnStmt:
    case CXCursor_IndirectGotoStmt:
        return true;
    case CXCursor_GotoStmt:
        target = hc_ast_label(n);
        return target < t->begin || target >= t->end;
    case CXCursor_BreakStmt:
        while (round && !hc_ast_is_loop(round) && round->kind != CXCursor_SwitchStmt)
            round = round->parent;
        return !round || round->begin <= t->begin;
    case CXCursor_ContinueStmt:
        round = loop_round(n);
        return !round || round->begin < t->begin;
    default:
        return false;
    }
}

static bool is_left(const struct turn *t)
{
    for (const struct hc_ast_node *n = t->root; n; n = hc_ast_following(t->root, n))
        if (is_within(t, n) && leaves(t, n))
            return true;
    return false;
}

/* for (;;), while (1); without it, do { } while (0). */
static bool condition_is(const struct hc_ast_node *loop, bool wanted)
{
    int64_t value;
    for (const struct hc_ast_node *n = loop->child; n; n = n->next)
        if (n->role == HC_ROLE_CONDITION)
            return hc_ast_constant(n, &value) && (value != 0) == wanted;
    return wanted;
}

/* Never returns, as the threads of most kernels: no handler calls it, though its address is taken. */
static bool is_thread(const struct hc_ast_function *f)
{
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        struct turn whole = { f->body, f->body->begin, f->body->end }, t = { n, n->begin, n->end };
        if (hc_ast_is_loop(n) && is_certain(&whole, n) && condition_is(n, true) && !is_left(&t))
            return true;
    }
    return false;
}

/* What is put into a turn; NULL: nothing. WHAT is the kind for the map. */
static const char *choose(struct hc_unit *unit, const struct turn *t, bool endless, bool forever, const char **what)
{
    const struct hc_ast_function *f = unit->function;
    struct doings d = look(unit, t);
    if (d.called || d.always_sleeps)
        return NULL;
    *what = "endless loop";
    if (endless)
        return call_of(unit, d.sleeps ? "hc_update_later" : "hc_update");
    if (unit->request->updates < HC_UPDATES_AUTO || f->in_handler ||
        (f->address_taken && unit->request->updates != HC_UPDATES_WAKE && !is_thread(f)))
        return NULL;
    *what = "loop of main";
    if (!strcmp(f->name, "main") && d.calls && !loop_round(t->root))
        return call_of(unit, hc_recorder_symbols[HC_SYMBOL_UPDATE_MAIN]);
    *what = "loop that reads";
    if (d.reads || (forever && d.calls))
        return turn_of(unit, d.reads ? d.reads : READS_MAX / 4);
    return NULL;
}

static void place_in_loop(struct hc_unit *unit, struct hc_ast_node *loop)
{
    struct turn t = { loop, loop->begin, loop->end };
    const char *what, *text;
    if (is_replaced(loop) || condition_is(loop, false))
        return;
    bool forever = condition_is(loop, true), endless = forever && !is_left(&t);
    text = choose(unit, &t, endless, forever, &what);
    for (struct hc_ast_node *body = text ? loop->child : NULL; body; body = body->next)
        if (body->role == HC_ROLE_BODY) {
            hc_position_before(unit, body, text);
            loop->counts = endless;
            hc_unit_list_update(unit, loop, what);
        }
}

static struct hc_ast_node *labelled_at(const struct hc_ast_node *root, uint32_t begin)
{
    struct hc_ast_node *n = (struct hc_ast_node *)root;
    while (n && (n->kind != CXCursor_LabelStmt || n->begin != begin))
        n = hc_ast_following(root, n);
    return n;
}

static void place_at_goto(struct hc_unit *unit, struct hc_ast_node *jump)
{
    const struct hc_ast_node *label = labelled_at(unit->function->body, hc_ast_label(jump));
    const char *what, *text;
    if (!label || label->begin > jump->begin || !label->parent)
        return;
    struct turn t = { unit->function->body, label->begin, hc_statement_end(unit, jump) };
    bool certain = jump->parent == label->parent && label->parent->kind == CXCursor_CompoundStmt;
    text = choose(unit, &t, certain && !is_left(&t), false, &what);
    if (!text)
        return;
    hc_edit_open(&unit->edits, jump->begin, jump->depth, hc_arena_print(unit->memory, "{%s", text));
    hc_edit_close(&unit->edits, t.end, jump->depth, "}");
    hc_unit_list_update(unit, jump, what);
}

/* ---- sleep ---- */

static void place_at(struct hc_unit *unit, struct hc_ast_node *node, const char *function)
{
    const char *call = call_of(unit, function);
    if (node->parent && node->parent->kind == CXCursor_CompoundStmt) {
        hc_edit_open(&unit->edits, node->begin, node->depth, call);
    } else if (clang_isExpression((enum CXCursorKind)node->kind) && node->role != HC_ROLE_BODY) {
        /* within all that is put round the statement that it may be the beginning of */
        hc_edit_open(&unit->edits, node->begin, node->depth + 1,
                     hc_arena_print(unit->memory, "__extension__({%s", call));
        hc_edit_close(&unit->edits, node->end, node->depth + 1, ";})");
    } else {
        hc_position_before(unit, node, call);
    }
}

/* Interrupts are off at NODE of F, where the CPU goes to sleep: the call is better made before they were switched off,
 * there or in all functions that call F. False: there is no such place, or they are on. */
static bool place_before_switching(struct hc_unit *unit, struct hc_ast_function *f, const struct hc_ast_node *node,
                                   bool place, int depth)
{
    bool decided, any = false;
    struct hc_ast_node *off = hc_sleep_switched_off(unit, node, &decided);
    while (off &&
           (off->kind == CXCursor_LabelStmt || off->kind == CXCursor_CaseStmt || off->kind == CXCursor_DefaultStmt) &&
           off->child)
        off = hc_ast_last_child(off); /* jumps to the label pass it, too */
    if (off && place && !off->updates) {
        unit->function = f;
        off->updates = true;
        place_at(unit, off, "hc_update");
        hc_unit_list_update(unit, off, "before sleep");
    }
    if (decided)
        return off != NULL;
    if (!f->is_static || f->address_taken || f->kept || f->in_handler || depth > 3)
        return false;
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *caller = &unit->functions[i];
        for (struct hc_ast_node *n = caller->reached && !caller->is_variable ? caller->body : NULL; n;
             n = hc_ast_following(caller->body, n)) {
            if (hc_sleep_callee(unit, n) != f)
                continue;
            if (caller == f || caller->interrupt || !place_before_switching(unit, caller, n, place, depth + 1))
                return false;
            any = true;
        }
    }
    return any;
}

static void place_before_sleep(struct hc_unit *unit, struct hc_ast_function *f, struct hc_ast_node *node)
{
    bool off = place_before_switching(unit, f, node, false, 0);
    if (off)
        place_before_switching(unit, f, node, true, 0);
    unit->function = f;
    place_at(unit, off ? node : hc_starts_before(unit, node), off ? "hc_update_later" : "hc_update_idle");
    hc_unit_list_update(unit, node, "before sleep");
    node->updates = f->updates = true;
}

/* ---- programs that do all they do in handlers ---- */

static bool is_in_sleep(const struct hc_ast_node *node)
{
    while (node && !node->updates)
        node = node->parent;
    return node != NULL;
}

/* Nothing but assembly: what wakes the CPU leads back to sleep. */
static bool does_nothing_else(const struct hc_ast_node *loop)
{
    for (const struct hc_ast_node *n = hc_ast_following(loop, loop); n; n = hc_ast_following(loop, n))
        if ((is_function_call(n) || n->kind == CXCursor_BinaryOperator || n->kind == CXCursor_UnaryOperator ||
             n->kind == CXCursor_CompoundAssignOperator) &&
            !is_in_sleep(n))
            return false;
    return true;
}

/* No loop follows in which anything is done. */
static bool is_the_end(const struct hc_ast_function *f, const struct hc_ast_node *sleep)
{
    for (const struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n))
        if (n->begin > sleep->begin && hc_ast_is_loop(n) && !does_nothing_else(n))
            return false;
    return true;
}

static bool sleeps_for_good(const struct hc_ast_function *f, const struct hc_ast_node *sleep)
{
    const struct hc_ast_node *loop = loop_round(sleep);
    while (loop && condition_is(loop, false))
        loop = loop_round(loop);
    if (loop)
        return condition_is(loop, true) && does_nothing_else(loop);
    return !strcmp(f->name, "main") && is_the_end(f, sleep);
}

/* Every fourth time it ends, a handler leaves the CPU awake. */
static const char *wake_of(struct hc_unit *unit)
{
    unit->wakes = true;
    return hc_emit_wake(unit, HC_WAKES);
}

static void place_in_handler(struct hc_unit *unit, struct hc_ast_function *f)
{
    bool wakes = unit->request->updates == HC_UPDATES_WAKE;
    const char *call = wakes ? wake_of(unit) : call_of(unit, hc_recorder_symbols[HC_SYMBOL_UPDATE_HANDLER]);
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n))
        if (n->kind == CXCursor_ReturnStmt)
            hc_position_before(unit, n, call);
    if (!f->body)
        return;
    hc_edit_close(&unit->edits, f->body->end - 1, f->body->depth, call);
    hc_unit_list_update(unit, f->body, wakes ? "handler wakes" : "handler");
}

/* ---- which functions ---- */

static void mark_called(struct hc_unit *unit, struct hc_ast_function *f)
{
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        struct hc_ast_function *callee = hc_sleep_callee(unit, n);
        if (!callee || callee->in_handler)
            continue;
        callee->in_handler = true;
        mark_called(unit, callee);
    }
}

static bool is_candidate(const struct hc_ast_function *f)
{
    return f->reached && !f->is_variable && !f->naked;
}

/* The program's own calls, which the map lists too. */
static bool list_own(struct hc_unit *unit)
{
    bool any = false;
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        for (struct hc_ast_node *n = is_candidate(f) ? f->body : NULL; n; n = hc_ast_following(f->body, n))
            if (calls_recorder(n)) {
                unit->function = f;
                hc_unit_list_update(unit, n, "in the source");
                f->updates = any = true;
            }
    }
    return any;
}

static void place_sleeps(struct hc_unit *unit, bool own)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        bool here = is_candidate(f) && !f->interrupt && !f->in_handler && !hc_unit_exempt(unit, f);
        for (struct hc_ast_node *n = here ? f->body : NULL; n; n = hc_ast_following(f->body, n)) {
            if (!hc_sleep_at(unit, f, n))
                continue;
            if (!own)
                place_before_sleep(unit, f, n);
            unit->result->sleeps_for_good |= !own && sleeps_for_good(f, n);
        }
    }
}

/* Functions that call what sleeps, sleep. */
static void pass_on_sleep(struct hc_unit *unit)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < unit->function_count; i++) {
            struct hc_ast_function *f = &unit->functions[i];
            for (struct hc_ast_node *n = is_candidate(f) && !f->updates ? f->body : NULL; n;
                 n = hc_ast_following(f->body, n)) {
                const struct hc_ast_function *callee = hc_sleep_callee(unit, n);
                if (callee && callee->updates)
                    f->updates = more = true;
            }
        }
    }
}

static void place_loops(struct hc_unit *unit, struct hc_ast_function *f)
{
    unit->function = f;
    for (struct hc_ast_node *n = f->body; n; n = hc_ast_following(f->body, n)) {
        if (hc_ast_is_loop(n))
            place_in_loop(unit, n);
        else if (n->kind == CXCursor_GotoStmt)
            place_at_goto(unit, n);
    }
}

static void check_pragmas(struct hc_unit *unit)
{
    for (size_t i = 0; i < unit->quiet_count; i++) {
        bool used = false;
        for (size_t k = 0; k < unit->function_count; k++)
            used |= !unit->functions[k].is_variable && unit->quiet[i] >= unit->functions[k].header &&
                    unit->quiet[i] < unit->functions[k].body->begin;
        if (!used)
            hc_unit_refuse_at(unit, hc_unit_location(unit, unit->quiet[i]),
                              "\"#pragma hindcast no_updates\" must stand before a function");
    }
}

void hc_updates_place(struct hc_unit *unit)
{
    check_pragmas(unit);
    bool own = list_own(unit);
    if (unit->request->updates == HC_UPDATES_MANUAL)
        return;
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].interrupt)
            mark_called(unit, &unit->functions[i]);
    hc_sleep_prepare(unit);
    place_sleeps(unit, own);
    pass_on_sleep(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        struct hc_ast_function *f = &unit->functions[i];
        if (!is_candidate(f) || hc_unit_exempt(unit, f))
            continue;
        unit->function = f;
        if (!f->interrupt)
            place_loops(unit, f);
        else if (unit->request->updates >= HC_UPDATES_AUTO)
            place_in_handler(unit, f);
    }
}
