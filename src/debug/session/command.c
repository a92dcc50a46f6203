/* The table of commands, and the simple ones. */
#include "image/place.h"
#include "session_state.h"
#include "target/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MOST = 1 << 20, REPETITIONS_MOST = 1000000000 };

struct command {
    const char *name, *alias;
    const char *arguments, *help; /* for `help` */
    bool (*run)(struct hc_debugger *s, char *arguments);
    bool repeats; /* an empty line does it again */
};

static bool count_of(struct hc_debugger *s, const char *text, uint64_t *n)
{
    char *end;

    *n = 1;
    if (!*text)
        return true;
    *n = strtoull(text, &end, 0); /* the largest if it is larger */
    return (!*end && *n > 0 && *n <= REPETITIONS_MOST && isdigit((unsigned char)*text)) ||
           hc_debugger_fail(s, "'%s': expected a number of repetitions, at most %d", text, REPETITIONS_MOST);
}

/* ---- moving ---- */

static bool repeat(struct hc_debugger *s, const char *arguments, bool (*once)(struct hc_debugger *s, bool flag),
                   bool flag)
{
    uint64_t n;

    bool well = count_of(s, arguments, &n), goes_on = well;
    while (goes_on && n-- > 0) {
        uint64_t before = hc_timeline_now(s->timeline)->instructions;
        s->hushed = n > 0;
        well = once(s, flag);
        goes_on = well && s->arrived == HC_TIMELINE_THERE && !s->cause.point && !s->interrupted &&
                  hc_timeline_now(s->timeline)->instructions != before;
    }
    if (s->hushed && well && s->arrived == HC_TIMELINE_THERE && !s->cause.point) { /* it went no further */
        s->hushed = false;
        return hc_debugger_arrive(s, HC_TIMELINE_THERE);
    }
    s->hushed = false;
    return well;
}

static bool step(struct hc_debugger *s, char *arguments)
{
    return repeat(s, arguments, hc_step_line, true);
}

static bool next(struct hc_debugger *s, char *arguments)
{
    return repeat(s, arguments, hc_step_line, false);
}

static bool stepi(struct hc_debugger *s, char *arguments)
{
    uint64_t n;

    return count_of(s, arguments, &n) && hc_step_instruction(s, n);
}

static bool finish(struct hc_debugger *s, char *arguments)
{
    (void)arguments;
    return hc_step_out(s);
}

/* "PLACE" of until and advance. */
static bool run_to(struct hc_debugger *s, const char *place, bool same_frame)
{
    uint32_t address[HC_POINT_ADDRESSES];
    size_t n =
        hc_place_addresses(s->program, place, hc_debugger_frame(s)->file, address, HC_POINT_ADDRESSES, &s->message);

    return n && hc_run_to(s, address, n, same_frame);
}

static bool until(struct hc_debugger *s, char *arguments)
{
    return *arguments ? run_to(s, arguments, true) : hc_step_past(s);
}

static bool advance(struct hc_debugger *s, char *arguments)
{
    return *arguments ? run_to(s, arguments, false) : hc_debugger_fail(s, "no place given: advance PLACE");
}

static bool go_on(struct hc_debugger *s, char *arguments)
{
    (void)arguments;
    return hc_run_on(s);
}

static bool reverse_step(struct hc_debugger *s, char *arguments)
{
    return repeat(s, arguments, hc_step_back_line, true);
}

static bool reverse_next(struct hc_debugger *s, char *arguments)
{
    return repeat(s, arguments, hc_step_back_line, false);
}

static bool reverse_stepi(struct hc_debugger *s, char *arguments)
{
    uint64_t n;

    s->interrupted = 0;
    return count_of(s, arguments, &n) && hc_debugger_arrive(s, hc_timeline_back(s->timeline, n));
}

static bool reverse_finish(struct hc_debugger *s, char *arguments)
{
    (void)arguments;
    return hc_step_back_out(s);
}

static bool reverse_continue(struct hc_debugger *s, char *arguments)
{
    (void)arguments;
    return hc_run_back(s);
}

/* ---- places ---- */

static size_t line_places(struct hc_program *p, const char *file, long line, uint32_t *out, size_t max,
                          struct hc_debug_message *message)
{
    enum { FURTHER = 40 };

    /* A line without code stands for the next one that has some. */
    for (long l = line; l < line + FURTHER; l++) {
        size_t n = hc_image_line_addresses(hc_program_image(p), file, (int)l, out, max);
        if (n)
            return n < max ? n : max;
    }
    hc_debug_fail(message, "%s:%ld: no code at or near this line", file, line);
    return 0;
}

/* "FUNCTION" or "FILE:FUNCTION". */
static size_t places_of_function(struct hc_program *p, const char *place, uint32_t *out, size_t max)
{
    const char *colon = strrchr(place, ':');
    char file[HC_PLACE_FILE_MAX];
    struct hc_line line;
    size_t kept = 0;

    if (!colon || colon == place || (size_t)(colon - place) >= sizeof file)
        return hc_program_function_places(p, place, out, max);
    snprintf(file, sizeof file, "%.*s", (int)(colon - place), place);
    size_t n = hc_program_function_places(p, colon + 1, out, max);
    for (size_t i = 0; i < n && i < max; i++)
        if (hc_image_line_at(hc_program_image(p), out[i], &line) && hc_path_ends_with(line.file, file))
            out[kept++] = out[i];
    return kept;
}

size_t hc_place_addresses(struct hc_program *p, const char *place, const char *here, uint32_t *out, size_t max,
                          struct hc_debug_message *message)
{
    struct hc_place_text read;

    hc_place_read(&read, place);
    if (read.kind == HC_PLACE_IS_BAD || (read.kind == HC_PLACE_IS_ADDRESS && read.address & 1))
        return hc_debug_fail(message, "'%s': expected the address of an instruction", place + 1), 0;
    if (read.kind == HC_PLACE_IS_ADDRESS) {
        out[0] = read.address;
        return 1;
    }
    if (read.kind == HC_PLACE_IS_LINE && !read.file[0] && !here)
        return hc_debug_fail(message, "line %d: no current file; give FILE:LINE", read.line), 0;
    if (read.kind == HC_PLACE_IS_LINE)
        return line_places(p, read.file[0] ? read.file : here, read.line, out, max, message);
    size_t n = places_of_function(p, place, out, max);
    if (!n)
        hc_debug_fail(message, "no function '%s'; a place is FUNCTION, FILE:FUNCTION, FILE:LINE, LINE or *ADDRESS",
                      place);
    return n < max ? n : max;
}

static const char *main_file(struct hc_debugger *s)
{
    const struct hc_function *f = hc_program_function(s->program, "main");
    struct hc_line line;

    return f && hc_image_line_at(s->image, f->low, &line) ? line.file : NULL;
}

/* Of "WHAT [if CONDITION]": cuts it off, and returns it; "" when there is none. */
static const char *cut_condition(char *arguments)
{
    char *condition = !strncmp(arguments, "if ", 3) ? arguments : strstr(arguments, " if ");

    if (!condition)
        return "";
    size_t skipped = condition == arguments ? 3 : 4;
    *condition = '\0';
    return condition + skipped;
}

/* "PLACE [if CONDITION]"; without a place, the present one. */
static bool set_place(struct hc_debugger *s, struct hc_point *p, char *arguments)
{
    const struct hc_frame *f = hc_debugger_frame(s);

    snprintf(p->condition, sizeof p->condition, "%s", cut_condition(arguments));
    snprintf(p->place, sizeof p->place, "%s", arguments);
    for (size_t n = strlen(p->place); n && isspace((unsigned char)p->place[n - 1]); n--)
        p->place[n - 1] = '\0';
    if (!p->place[0]) {
        p->addresses = 1;
        p->address[0] = f->pc;
        return true;
    }
    p->addresses = hc_place_addresses(s->program, p->place, f->file, p->address, HC_POINT_ADDRESSES, &s->message);
    if (!p->addresses && isdigit((unsigned char)p->place[0])) /* before the program's own code runs */
        p->addresses =
            hc_place_addresses(s->program, p->place, main_file(s), p->address, HC_POINT_ADDRESSES, &s->message);
    return p->addresses > 0;
}

static bool add_breakpoint(struct hc_debugger *s, char *arguments, bool temporary)
{
    struct hc_point *p = hc_point_new(s, HC_POINT_BREAK);
    char where[160];

    if (!p)
        return false;
    if (!set_place(s, p, arguments)) {
        p->addresses = 0;
        hc_point_delete(p);
        return false;
    }
    p->temporary = temporary;
    p->number = ++s->points_made;
    hc_point_arm(p);
    hc_debugger_say(s, "%s %d at 0x%04x, %s", temporary ? "Temporary breakpoint" : "Breakpoint", p->number,
                    (unsigned)p->address[0], hc_debugger_place_text(s, p->address[0], where, sizeof where));
    if (p->addresses > 1)
        hc_debugger_say(s, " and %zu more place%s", p->addresses - 1, p->addresses == 2 ? "" : "s");
    hc_debugger_say(s, "\n");
    return true;
}

static bool add_break(struct hc_debugger *s, char *arguments)
{
    return add_breakpoint(s, arguments, false);
}

static bool add_tbreak(struct hc_debugger *s, char *arguments)
{
    return add_breakpoint(s, arguments, true);
}

static bool add_watchpoint(struct hc_debugger *s, enum hc_point_kind kind, char *arguments)
{
    const char *condition = cut_condition(arguments);
    bool unused;

    if (!*arguments)
        return hc_debugger_fail(s, "no expression given: watch EXPRESSION, of something in memory");
    if (*condition && !hc_expression_holds(&hc_debugger_frame(s)->context, condition, &unused, &s->message))
        return false;
    struct hc_point *p = hc_point_watch(s, kind, arguments);
    if (!p)
        return false;
    p->number = ++s->points_made;
    snprintf(p->condition, sizeof p->condition, "%s", condition);
    hc_point_arm(p);
    hc_debugger_say(s, "Watchpoint %d: %s (0x%04x, %u bytes)%s%s\n", p->number, p->place, (unsigned)p->address[0],
                    (unsigned)p->size, *condition ? " if " : "", condition);
    return true;
}

static bool add_watch(struct hc_debugger *s, char *arguments)
{
    return add_watchpoint(s, HC_POINT_WATCH, arguments);
}

static bool add_rwatch(struct hc_debugger *s, char *arguments)
{
    return add_watchpoint(s, HC_POINT_RWATCH, arguments);
}

static bool add_awatch(struct hc_debugger *s, char *arguments)
{
    return add_watchpoint(s, HC_POINT_AWATCH, arguments);
}

enum change { DELETE, ENABLE, DISABLE };

static void change_point(struct hc_point *p, enum change change)
{
    if (change == DELETE)
        hc_point_delete(p);
    else
        p->enabled = change == ENABLE;
}

/* The numbers in ARGUMENTS, or all. */
static bool change_points(struct hc_debugger *s, char *arguments, enum change change)
{
    char *rest = arguments, *end;

    for (int i = 0; !*arguments && i < HC_POINTS_MAX; i++)
        if (s->point[i].number > 0)
            change_point(&s->point[i], change);
    while (*rest) {
        long number = strtol(rest, &end, 10);
        struct hc_point *p = end > rest ? hc_point_find(s, (int)number) : NULL;
        if (!p)
            return hc_debugger_fail(s, "no breakpoint or watchpoint '%s'", rest);
        change_point(p, change);
        rest = end + strspn(end, " \t,");
    }
    return true;
}

static bool delete_points(struct hc_debugger *s, char *arguments)
{
    return change_points(s, arguments, DELETE);
}

static bool enable_points(struct hc_debugger *s, char *arguments)
{
    return change_points(s, arguments, ENABLE);
}

static bool disable_points(struct hc_debugger *s, char *arguments)
{
    return change_points(s, arguments, DISABLE);
}

static bool set_condition(struct hc_debugger *s, char *arguments)
{
    char *condition;
    struct hc_point *p = hc_point_find(s, (int)strtol(arguments, &condition, 10));

    if (!p)
        return hc_debugger_fail(s,
                                "usage: condition NUMBER [EXPRESSION], with the number of a breakpoint or watchpoint");
    snprintf(p->condition, sizeof p->condition, "%s", condition + strspn(condition, " \t"));
    return true;
}

static bool run(struct hc_debugger *s, char *arguments)
{
    char end[] = "end";

    if (!strcmp(arguments, "to end"))
        return hc_goto(s, end);
    if (!strncmp(arguments, "to ", 3)) {
        if (!add_breakpoint(s, arguments + 3, true))
            return false;
        return hc_run_on(s);
    }
    if (*arguments)
        return hc_debugger_fail(s, "usage: run, run to end, or run to PLACE");
    hc_timeline_seek(s->timeline, hc_timeline_start(s->timeline)->instructions);
    hc_debugger_moved(s);
    return hc_run_on(s);
}

/* ---- looking ---- */

bool hc_take_format(struct hc_debugger *s, char **arguments, char *format)
{
    *format = 0;
    if (**arguments != '/')
        return true;
    *format = (*arguments)[1];
    if (!*format || !strchr(HC_FORMATS, *format) || (*arguments)[2] > ' ')
        return hc_debugger_fail(s, "a format is one of /x /d /u /o /b /t /c /a /s");
    *arguments += 2;
    *arguments += strspn(*arguments, " \t");
    return true;
}

static bool print(struct hc_debugger *s, char *arguments)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_value v;
    char format;

    if (!hc_take_format(s, &arguments, &format))
        return false;
    if (!*arguments)
        return hc_debugger_fail(s, "no expression given: print EXPRESSION");
    if (!hc_expression_evaluate(c, arguments, &v, &s->message))
        return false;
    hc_debugger_say(s, "%s = ", arguments);
    hc_format_value(s->out, c, &v, format);
    hc_debugger_say(s, "\n");
    return true;
}

static bool show_type(struct hc_debugger *s, char *arguments, bool definition)
{
    const struct hc_type *type;
    char name[160];

    if (!hc_expression_type(&hc_debugger_frame(s)->context, arguments, &type, &s->message))
        return false;
    if (definition)
        hc_format_type(s->out, type);
    else
        hc_debugger_say(s, "%s\n", hc_type_name(type, name, sizeof name));
    return true;
}

static bool whatis(struct hc_debugger *s, char *arguments)
{
    return show_type(s, arguments, false);
}

static bool ptype(struct hc_debugger *s, char *arguments)
{
    return show_type(s, arguments, true);
}

static bool symbol_for(void *owner, uint32_t address, bool code, char *out, size_t size)
{
    struct hc_image *image = owner;
    struct hc_symbol symbol;

    if (!(code ? hc_image_function_at(image, address, &symbol) : hc_image_data_at(image, address, &symbol)))
        return false;
    if (address == symbol.address)
        snprintf(out, size, "%s", symbol.name);
    else
        snprintf(out, size, "%s+0x%x", symbol.name, (unsigned)(address - symbol.address));
    return true;
}

static uint32_t show_instruction(struct hc_debugger *s, uint32_t at)
{
    char text[HC_CPU_TEXT];
    int n = hc_target_of_machine(s->machine)->cpu->disassemble(s->machine, at, symbol_for, s->image, text);

    bool here = at == hc_register(s->machine, HC_PC);

    hc_debugger_say(s, "%s%s%s 0x%04x", here ? hc_debugger_paint(s, HC_PAINT_MARK) : "", here ? "=>" : "  ",
                    here ? hc_debugger_paint(s, HC_PAINT_NONE) : "", (unsigned)at);
    hc_format_symbol(s->out, s->image, at);
    hc_debugger_say(s, "\t%s\n", text);
    return at + (uint32_t)(n ? n : 2);
}

static bool disassemble(struct hc_debugger *s, char *arguments)
{
    uint32_t pc = hc_debugger_frame(s)->pc, end = pc + 32;
    struct hc_symbol symbol;

    if (*arguments && !hc_place_addresses(s->program, arguments, NULL, &pc, 1, &s->message))
        return false;
    if (hc_image_function_at(s->image, pc, &symbol)) {
        pc = symbol.address;
        end = pc + symbol.size;
    }
    while (pc < end && !s->interrupted)
        pc = show_instruction(s, pc);
    return true;
}

/* The address that an expression is, or has. */
static bool address_of(struct hc_debugger *s, const char *text, uint32_t *out)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_value v;
    struct hc_number n;

    if (!hc_expression_evaluate(c, text, &v, &s->message))
        return false;
    if (v.in_memory && !hc_type_is_scalar(v.type)) {
        *out = v.address;
        return true;
    }
    if (!hc_value_number(c, &v, &n, &s->message))
        return false;
    *out = (uint32_t)n.u & 0xfffff;
    return true;
}

static bool examine_data(struct hc_debugger *s, uint32_t at, unsigned long count, char format, unsigned size)
{
    static const enum hc_basic types[] = { [1] = HC_BASIC_UCHAR, [2] = HC_BASIC_UINT, [4] = HC_BASIC_ULONG };
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    unsigned per_line = size == 4 ? 4 : 8;

    for (unsigned long i = 0; i < count; i++) {
        struct hc_value v = hc_value_in_memory(&hc_basic[types[size]], at + (uint32_t)i * size);
        if (i % per_line == 0)
            hc_debugger_say(s, "%s0x%04x:", i ? "\n" : "", (unsigned)v.address);
        hc_debugger_say(s, "  ");
        hc_format_value(s->out, c, &v, format);
    }
    hc_debugger_say(s, "\n");
    return true;
}

/* Texts one after the other, each with its zero. */
static bool examine_texts(struct hc_debugger *s, uint32_t at, unsigned long count)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;

    while (count-- > 0) {
        uint8_t first;
        if (!c->read(c->owner, at, &first, 1))
            return hc_debugger_fail(s, "no memory at 0x%04x", (unsigned)at);
        hc_debugger_say(s, "0x%04x:  ", (unsigned)at);
        at += hc_format_text_at(s->out, c, at);
        hc_debugger_say(s, "\n");
    }
    return true;
}

static bool examine(struct hc_debugger *s, char *arguments)
{
    unsigned long count = 1;
    unsigned size = 2;
    char format = 'x', *p = arguments;
    uint32_t at;

    if (*p == '/') {
        p++;
        if (isdigit((unsigned char)*p))
            count = strtoul(p, &p, 10);
        for (; *p && !isspace((unsigned char)*p); p++) {
            const char *sizes = "bhw", *found = strchr(sizes, *p);
            if (found)
                size = 1u << (found - sizes);
            else if (*p == 'i' || strchr(HC_FORMATS, *p))
                format = *p;
            else
                return hc_debugger_fail(s, "x/COUNT FORMAT SIZE ADDRESS: x/8xb $sp, x/4i $pc (sizes b, h, w)");
        }
    }
    if (count > COUNT_MOST / 256)
        return hc_debugger_fail(s, "too many at once");
    if (!address_of(s, p + strspn(p, " \t"), &at))
        return false;
    if (format == 's')
        return examine_texts(s, at, count);
    if (format != 'i')
        return examine_data(s, at, count, format, size);
    while (count-- > 0)
        at = show_instruction(s, at);
    return true;
}

static bool backtrace(struct hc_debugger *s, char *arguments)
{
    uint64_t most = HC_FRAMES_MAX;

    if (*arguments && !count_of(s, arguments, &most))
        return false;
    hc_debugger_frame(s);
    for (int i = 0; i < s->frames && (uint64_t)i < most; i++)
        hc_debugger_show_frame(s, i, true);
    return true;
}

static bool select_frame(struct hc_debugger *s, int n)
{
    hc_debugger_frame(s);
    if (n < 0 || n >= s->frames)
        return hc_debugger_fail(s, "no such frame: there are frames 0 to %d", s->frames - 1);
    s->frame = n;
    s->list_file = NULL;
    hc_debugger_show_frame(s, n, true);
    hc_debugger_show_source(s);
    return true;
}

static bool up(struct hc_debugger *s, char *arguments)
{
    uint64_t n;

    return count_of(s, arguments, &n) && select_frame(s, s->frame + (int)(n < HC_FRAMES_MAX ? n : HC_FRAMES_MAX));
}

static bool down(struct hc_debugger *s, char *arguments)
{
    uint64_t n;

    return count_of(s, arguments, &n) && select_frame(s, s->frame - (int)(n < HC_FRAMES_MAX ? n : HC_FRAMES_MAX));
}

static bool frame(struct hc_debugger *s, char *arguments)
{
    char *end;
    long n = strtol(arguments, &end, 10);

    if (*end)
        return hc_debugger_fail(s, "'%s': expected the number of a frame", arguments);
    return select_frame(s, *arguments ? (int)n : s->frame);
}

static bool set(struct hc_debugger *s, char *arguments)
{
    (void)arguments;
    return hc_debugger_fail(s, "recorded state is read-only");
}

/* "TEXT" or TEXT. */
static bool uart(struct hc_debugger *s, char *arguments)
{
    size_t n = strlen(arguments);
    char time[40], problem[HC_TEXT_MAX];

    if (!s->send)
        return hc_debugger_fail(s, s->replay ? "a recording has its inputs in its log; uart is for a live node"
                                             : "there is no UART to send to");
    if (n > 1 && arguments[0] == '"' && arguments[n - 1] == '"') {
        arguments[n - 1] = '\0';
        arguments++;
    }
    if (!*arguments)
        return hc_debugger_fail(s, "no text given: uart TEXT, such as uart hello\\n");
    if (!s->send(s->sender, arguments, problem, sizeof problem))
        return hc_debugger_fail(s, "%s", problem);
    hc_debugger_say(s, "Sent at %s. What comes after this moment happens anew.\n",
                    hc_time_text(hc_timeline_now(s->timeline)->time, time, sizeof time));
    return true;
}

static bool help(struct hc_debugger *s, char *arguments);

static bool quit(struct hc_debugger *s, char *arguments)
{
    (void)s;
    (void)arguments;
    return true;
}

static const struct command commands[] = {
    { "step", "s", "[N]", "to the next line, into functions", step, true },
    { "next", "n", "[N]", "to the next line, past calls", next, true },
    { "stepi", "si", "[N]", "one instruction, into interrupts", stepi, true },
    { "finish", "fin", "", "until the selected frame returns, and what it returned", finish, false },
    { "until", "u", "[PLACE]", "past this line, out of loops; or to a place in this frame", until, true },
    { "advance", NULL, "PLACE", "to a place, or until the selected frame returns", advance, false },
    { "continue", "c", "", "until something stops it", go_on, true },
    { "run", NULL, "[to PLACE | to end]", "from the beginning; or from here to a place or the end", run, false },
    { "reverse-step", "rs", "[N]", "back to the beginning of the line before, into functions", reverse_step, true },
    { "reverse-next", "rn", "[N]", "back to the beginning of the line before, past calls", reverse_next, true },
    { "reverse-stepi", "rsi", "[N]", "one instruction back", reverse_stepi, true },
    { "reverse-finish", "rfin", "", "back to the call of this function", reverse_finish, true },
    { "reverse-continue", "rc", "", "back to the last thing that would stop it", reverse_continue, true },
    { "goto", NULL, "TIME | #N | interrupt N | segment N | failure | start | end", "to any moment: 1.5s, 20ms, #1234",
      hc_goto, false },
    { "when", NULL, "", "which moment this is", hc_when, false },
    { "last-write", "lw", "EXPRESSION", "back to the instruction that last changed it", hc_last_write, true },
    { "why", NULL, "[--all] [EXPRESSION | STEP]", "what made it so; none given: why the program came here",
      hc_why_asked, false },
    { "history", NULL, "EXPRESSION", "every value that it took, with time and line", hc_history, false },
    { "print", "p", "[/F] EXPRESSION", "its value; /x /d /u /o /b /c /a /s choose how", print, true },
    { "x", NULL, "[/NFS] ADDRESS", "memory: N times, format F (or i: instructions, s: texts), size b h w", examine,
      false },
    { "whatis", NULL, "EXPRESSION", "its type", whatis, false },
    { "ptype", NULL, "EXPRESSION", "its type, spelled out", ptype, false },
    { "backtrace", "bt", "[N]", "the frames", backtrace, false },
    { "where", NULL, "[N]", "the frames", backtrace, false },
    { "up", NULL, "[N]", "to the frame that called this one", up, true },
    { "down", NULL, "[N]", "back again", down, true },
    { "frame", "f", "[N]", "to that frame", frame, false },
    { "list", "l", "[PLACE | FILE | FIRST,LAST | -]", "source lines, ten at a time, of any file", hc_list, true },
    { "display", NULL, "[/F] [EXPRESSION]", "its value at each stop; none given: all of them now", hc_display, false },
    { "undisplay", NULL, "[NUMBER...]", "no longer; none given: all", hc_undisplay, false },
    { "disassemble", NULL, "[PLACE]", "the function's instructions", disassemble, false },
    { "info", "i", "registers | locals | frame | breakpoints | display | interrupts | messages | segments",
      "what there is", hc_info, false },
    { "break", "b", "[PLACE] [if CONDITION]", "stop there: FUNCTION, FILE:LINE, LINE, *ADDRESS", add_break, false },
    { "tbreak", "tb", "[PLACE] [if CONDITION]", "the same, once", add_tbreak, false },
    { "watch", NULL, "EXPRESSION [if CONDITION]", "stop when it changes", add_watch, false },
    { "rwatch", NULL, "EXPRESSION [if CONDITION]", "stop when it is read", add_rwatch, false },
    { "awatch", NULL, "EXPRESSION [if CONDITION]", "stop when it is read or written", add_awatch, false },
    { "delete", "d", "[NUMBER...]", "of break- and watchpoints; none given: all", delete_points, false },
    { "enable", NULL, "[NUMBER...]", "of break- and watchpoints", enable_points, false },
    { "disable", NULL, "[NUMBER...]", "of break- and watchpoints", disable_points, false },
    { "condition", NULL, "NUMBER [EXPRESSION]", "of a break- or watchpoint; none given: always", set_condition, false },
    { "set", NULL, "...", "is refused: the past cannot be changed", set, false },
    { "uart", NULL, "TEXT", "sends it to a live node's UART, at this moment: uart hello\\n", uart, false },
    { "source", NULL, "FILE", "does the commands in it", hc_source, false },
    { "help", "h", "[COMMAND]", "this list", help, false },
    { "quit", "q", "", "", quit, false },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

bool hc_is_command(const char *text)
{
    size_t length = strcspn(text, " \t/");

    for (size_t i = 0; i < COMMANDS; i++)
        if ((strlen(commands[i].name) == length && !strncmp(commands[i].name, text, length)) ||
            (commands[i].alias && strlen(commands[i].alias) == length && !strncmp(commands[i].alias, text, length)))
            return true;
    return false;
}

const char *hc_command_name(size_t n)
{
    return n < COMMANDS ? commands[n].name : NULL;
}

/* By name, alias or the beginning of one name only. */
static const struct command *find(struct hc_debugger *s, const char *name)
{
    const struct command *found = NULL;
    size_t length = strlen(name);

    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name) || (commands[i].alias && !strcmp(commands[i].alias, name)))
            return &commands[i];
    for (int i = 0; i < COMMANDS; i++) {
        if (strncmp(commands[i].name, name, length) != 0)
            continue;
        if (found) {
            hc_debugger_fail(s, "'%s' is ambiguous: %s or %s", name, found->name, commands[i].name);
            return NULL;
        }
        found = &commands[i];
    }
    if (!found)
        hc_debugger_fail(s, "unknown command '%s'; see help", name);
    return found;
}

static bool help(struct hc_debugger *s, char *arguments)
{
    const struct command *one = *arguments ? find(s, arguments) : NULL;

    if (*arguments && !one)
        return false;
    for (int i = 0; i < COMMANDS; i++)
        if (!one || one == &commands[i]) {
            char usage[120];
            snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].arguments);
            hc_debugger_say(s, "%-5s %-40s %s\n", commands[i].alias ? commands[i].alias : "", usage, commands[i].help);
        }
    return true;
}

/* ---- a line ---- */

static bool execute(struct hc_debugger *s, char *line, bool *quits)
{
    size_t length = strcspn(line, " \t/");
    char name[40];

    snprintf(name, sizeof name, "%.*s", (int)length, line);
    const struct command *command = find(s, name);
    if (!command)
        return false;
    *quits = command->run == quit;
    s->quit_said = false;
    if (!command->repeats)
        s->last[0] = '\0';
    char *arguments = line + length;
    arguments += strspn(arguments, " \t");
    if (line[length] == '/' && command->run != print && command->run != examine && command->run != hc_display)
        return hc_debugger_fail(s, "%s takes no format", command->name);
    bool well = command->run(s, arguments);
    *quits = *quits || s->quit_said;
    return well;
}

/* As a sentence: with a capital letter, unless the first word is a name, with other characters than letters. */
static void say_failure(struct hc_debugger *s)
{
    const char *text = s->message.text;
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    bool word = text[letters] == ' ' || text[letters] == ',';

    fprintf(s->out, "%s%c%s.%s\n", hc_debugger_paint(s, HC_PAINT_ERROR),
            word ? toupper((unsigned char)text[0]) : text[0], text[0] ? text + 1 : "",
            hc_debugger_paint(s, HC_PAINT_NONE));
}

enum hc_debugger_end hc_debugger_command(struct hc_debugger *s, const char *text)
{
    char line[HC_TEXT_MAX];
    bool quits = false;

    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (n >= sizeof line) {
        fprintf(s->out, "The line is too long.\n");
        return HC_DEBUGGER_FAILED;
    }
    if (n)
        snprintf(s->last, sizeof s->last, "%.*s", (int)n, text);
    snprintf(line, sizeof line, "%s", s->last);
    if (!line[0] || line[0] == '#') {
        s->last[0] = '\0';
        return HC_DEBUGGER_GOES_ON;
    }
    s->message.text[0] = '\0';
    s->interrupted = 0; /* ignore a Ctrl-C that came at the prompt */
    bool well = execute(s, line, &quits);
    if (!well)
        say_failure(s);
    fflush(s->out);
    return quits ? HC_DEBUGGER_QUIT : well ? HC_DEBUGGER_GOES_ON : HC_DEBUGGER_FAILED;
}
