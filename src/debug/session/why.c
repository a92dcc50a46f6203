/* The command why: from a value, or from where the program is, back to its causes. */
#include "session_state.h"
#include "target/target.h"
#include "why_chain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 40, LARGEST = 64 };

/* ---- what is asked ---- */

/* A variable that the compiler keeps in a register of the innermost frame. */
static bool register_of(struct hc_debugger *s, const char *text, int *reg)
{
    const struct hc_frame *f = hc_debugger_frame(s);
    const struct hc_target_cpu *cpu = hc_target_of_machine(s->machine)->cpu;
    struct hc_location location;
    struct hc_name name;

    for (int r = 0; text[0] == '$' && r < HC_REGISTERS; r++)
        if (!strcmp(text + 1, cpu->registers[r].name) ||
            (cpu->registers[r].alternative && !strcmp(text + 1, cpu->registers[r].alternative))) {
            *reg = r;
            return true;
        }
    if (!hc_program_lookup(s->program, f->context.pc, f->context.has_die ? &f->context.die : NULL, text, &name) ||
        !name.has_die || !hc_location_of(&f->context, &name.die, &location, &s->message) || location.pieces < 1 ||
        location.piece[0].place != HC_PLACE_REGISTER)
        return false;
    *reg = (int)location.piece[0].value;
    return *reg < HC_REGISTERS;
}

static bool ask_register(struct hc_debugger *s, const char *text, const char *what)
{
    int reg;

    if (!register_of(s, text, &reg))
        return hc_debugger_fail(s, "'%s' has no place in memory: ask for one of the variables in it", text);
    if (reg == HC_PC || reg == HC_SP || reg == hc_target_of_machine(s->machine)->cpu->status_register)
        return hc_debugger_fail(s, "'%s' is not followed: `why` alone asks why the program came here", text);
    if (s->frame > 0 && !s->stack[0].inlined)
        return hc_debugger_fail(s, "'%s' is in a register of an outer frame: go to a moment at which that frame runs",
                                text);
    return hc_why_chain_ask_register(s->why, what, reg, hc_timeline_now(s->timeline)->instructions);
}

/* The file of the variable with which TEXT begins, if others have its name, too; else NULL. */
static const char *file_of(struct hc_debugger *s, const char *text)
{
    const struct hc_frame *f = hc_debugger_frame(s);
    struct hc_name found;
    char name[HC_TEXT_MAX];
    int length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    snprintf(name, sizeof name, "%.*s", length, text);
    if (!length || !strncmp(text + length, "::", 2) || hc_program_namesakes(s->program, name) < 2 ||
        !hc_program_lookup(s->program, f->context.pc, f->context.has_die ? &f->context.die : NULL, name, &found) ||
        !found.unit)
        return NULL;
    const char *slash = strrchr(found.unit, '/');
    return slash ? slash + 1 : found.unit;
}

static bool ask(struct hc_debugger *s, const char *text)
{
    const struct hc_frame *f = hc_debugger_frame(s);
    uint64_t now = hc_timeline_now(s->timeline)->instructions;
    char what[HC_TEXT_MAX], value[80];
    struct hc_value v;

    if (!*text)
        return hc_why_chain_ask_place(s->why, now);
    if (!hc_expression_evaluate(&f->context, text, &v, &s->message))
        return false;
    const char *file = file_of(s, text);
    snprintf(what, sizeof what, "%s%s%s%s = %s", file ? "'" : "", file ? file : "", file ? "'::" : "", text,
             hc_format_text(&f->context, &v, 0, value, sizeof value));
    const struct hc_type *type = hc_type_strip(v.type);
    if (!v.in_memory)
        return ask_register(s, text, what);
    uint32_t size = v.bits ? (v.bit % 8 + v.bits + 7) / 8 : type->size;
    if (size == 0 || size > LARGEST)
        return hc_debugger_fail(s, "'%s' has %u bytes: ask for a member or an element", text, (unsigned)size);
    return hc_why_chain_ask_value(s->why, what, v.address + v.bit / 8, size, now);
}

/* ---- the command ---- */

static bool said(struct hc_debugger *s, enum hc_timeline_stop how)
{
    hc_debugger_moved(s);
    switch (how) {
    case HC_TIMELINE_THERE:
        return true;
    case HC_TIMELINE_REQUEST:
        return hc_debugger_fail(s, "interrupted");
    case HC_TIMELINE_NO_MEMORY:
        return hc_debugger_fail(s, "out of memory");
    default:
        return hc_debugger_fail(s, "the run cannot be repeated up to there");
    }
}

struct hc_why_chain *hc_debugger_ask_why(struct hc_debugger *s, const char *expression)
{
    if (!hc_target_of_machine(s->machine)->value_flow) {
        hc_debugger_fail(s, "how values flow through the instructions of this CPU is not known");
        return NULL;
    }
    if (!s->why)
        s->why = hc_why_chain_new(s->program, s->timeline);
    if (!s->why) {
        hc_debugger_fail(s, "out of memory");
        return NULL;
    }
    return ask(s, expression) ? s->why : NULL;
}

const struct hc_why_chain *hc_debugger_last_why(const struct hc_debugger *s)
{
    return s->why;
}

static bool answer_one(struct hc_debugger *s, int number)
{
    hc_points_quiet(s, true);
    enum hc_timeline_stop how = hc_why_chain_answer(s->why, number);
    hc_points_quiet(s, false);
    if (!said(s, how))
        return false;
    hc_why_chain_show(s->why, number, s->out);
    return true;
}

static bool answer_all(struct hc_debugger *s, const char *expression)
{
    if (!hc_debugger_ask_why(s, expression))
        return false;
    hc_points_quiet(s, true);
    enum hc_timeline_stop how = hc_why_chain_answer_all(s->why, ALL_MOST);
    hc_points_quiet(s, false);
    for (int n = 1; n <= hc_why_chain_steps(s->why); n++)
        if (hc_why_chain_step(s->why, n)->count || n == 1)
            hc_why_chain_show(s->why, n, s->out);
    return said(s, how);
}

/* "3": step 3 of the last answer. */
static bool is_number(const char *text, int *number)
{
    char *end;
    long n = strtol(text, &end, 10);

    *number = n > 0 && n < INT32_MAX ? (int)n : 0;
    return isdigit((unsigned char)*text) && !*end;
}

bool hc_why_asked(struct hc_debugger *s, char *arguments)
{
    int number;

    s->interrupted = 0;
    if (!strncmp(arguments, "--all", 5) && (!arguments[5] || isspace((unsigned char)arguments[5])))
        return answer_all(s, arguments + 5 + strspn(arguments + 5, " \t"));
    if (!is_number(arguments, &number))
        return hc_debugger_ask_why(s, arguments) && answer_one(s, 1);
    if (!s->why || number < 1 || number > hc_why_chain_steps(s->why))
        return hc_debugger_fail(s, "there is no step %s: why EXPRESSION gives steps their numbers", arguments);
    return answer_one(s, number);
}
