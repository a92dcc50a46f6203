#include "why_chain.h"

#include "debug/dwarf/frame.h"
#include "debug/dwarf/name_address.h"
#include "registers/regs.h"
#include "support/grow.h"
#include "target/target.h"
#include "why/why.h"

#include <string.h>

const char *const hc_why_role_names[] = { "asked", "from", "through", "because" };
const char *const hc_why_subject_names[] = {
    "value", "register", "branch", "place", "input", "interrupt", "beginning"
};

struct hc_why_chain {
    struct hc_program *program;
    struct hc_image *image;
    struct hc_timeline *timeline;
    struct hc_machine *machine;
    struct hc_regs *regs; /* NULL: peripherals have no names */
    struct hc_sources sources;
    struct hc_why_step *step;
    size_t steps, room;
};

/* ---- words ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void describe_pc(struct hc_why_chain *c, struct hc_why_step *s)
{
    const struct hc_function *f = hc_program_function_at(c->program, s->pc);
    struct hc_inlined inlined[HC_INLINED_MAX];
    struct hc_symbol symbol;
    struct hc_line line;
    const char *name = f ? f->name : hc_image_function_at(c->image, s->pc, &symbol) ? symbol.name : "";

    if (hc_program_inlined_at(c->program, s->pc, inlined) > 0 && inlined[0].name)
        name = inlined[0].name;
    if (!hc_image_line_at(c->image, s->pc, &line)) {
        snprintf(s->place, sizeof s->place, "0x%04x %s", (unsigned)s->pc, name);
        return;
    }
    snprintf(s->place, sizeof s->place, "%s:%d %s", base_name(line.file), line.line, name);
    snprintf(s->line, sizeof s->line, "%s", hc_source_line(&c->sources, line.file, line.line));
}

/* Adds "FILE:LINE" to the step's way, once, unless it is the step's own. */
static void add_line(struct hc_why_step *s, const char *file, int line)
{
    char text[HC_WHY_PLACE_TEXT], sought[HC_WHY_PLACE_TEXT + 4], all[HC_WHY_VIA + 8];
    size_t used = strlen(s->via), length;

    if (!file || line <= 0)
        return;
    length = (size_t)snprintf(text, sizeof text, "%s:%d", base_name(file), line);
    if (length >= sizeof text || (!strncmp(s->place, text, length) && s->place[length] == ' '))
        return;
    snprintf(sought, sizeof sought, " %s,", text);
    snprintf(all, sizeof all, " %s,", s->via);
    if (!strstr(all, sought) && used + length + 3 < sizeof s->via)
        snprintf(s->via + used, sizeof s->via - used, "%s%s", used ? ", " : "", text);
}

/* The lines of the instruction at PC: its own, and those into which that was inlined. */
static void add_lines(struct hc_why_chain *c, struct hc_why_step *s, uint32_t pc)
{
    struct hc_inlined inlined[HC_INLINED_MAX];
    int n = hc_program_inlined_at(c->program, pc, inlined);
    struct hc_line line;

    if (hc_image_line_at(c->image, pc, &line))
        add_line(s, line.file, line.line);
    for (int i = 0; i < n; i++)
        add_line(s, inlined[i].call_file, inlined[i].call_line);
}

/* What the recorder does for the program is told as the program's: where it was called. */
static void leave_recorder(struct hc_why_chain *c, struct hc_why_step *s)
{
    struct hc_frame frame[HC_FRAMES_MAX];
    int n = hc_frames(c->program, c->machine, frame, HC_FRAMES_MAX), i = 0;

    while (i < n && hc_frame_is_recorder(&frame[i]))
        i++;
    if (i == 0 || i == n || !frame[i].file)
        return;
    snprintf(s->place, sizeof s->place, "%s:%d %s", base_name(frame[i].file), frame[i].line,
             frame[i].function ? frame[i].function : "");
    snprintf(s->line, sizeof s->line, "%s", hc_source_line(&c->sources, frame[i].file, frame[i].line));
}

/* The step happened at MOMENT, where the instruction at PC is. */
static void place(struct hc_why_chain *c, struct hc_why_step *s, uint64_t moment, uint32_t pc)
{
    hc_timeline_seek(c->timeline, moment);
    s->moment = moment;
    s->time = hc_timeline_now(c->timeline)->time;
    s->pc = pc != UINT32_MAX ? pc : hc_register(c->machine, HC_PC);
    describe_pc(c, s);
    leave_recorder(c, s);
}

static bool is_peripheral(const struct hc_why_chain *c, uint32_t address)
{
    return hc_region_kind(c->machine, address) == HC_IO;
}

/* What is at ADDRESS at moment AT. Returns false if it has no name. */
static bool name(struct hc_why_chain *c, uint32_t address, uint64_t at, char *out, size_t size)
{
    const struct hc_reg *reg = c->regs && is_peripheral(c, address) ? hc_regs_at(c->regs, address) : NULL;
    struct hc_symbol symbol;

    snprintf(out, size, "0x%04x", (unsigned)address);
    if (reg) {
        snprintf(out, size, "%s", reg->name);
        return true;
    }
    hc_timeline_seek(c->timeline, at);
    if (hc_name_address(c->program, c->machine, address, out, size))
        return true;
    if (!hc_image_data_at(c->image, address, &symbol))
        return false;
    uint32_t offset = address - symbol.address;
    snprintf(out, size, offset ? "%s+%u" : "%s", symbol.name, (unsigned)offset);
    return true;
}

static void append_value(char *out, size_t size, uint32_t value)
{
    size_t used = strlen(out);

    snprintf(out + used, size - used, value > 9 ? " = %u (0x%x)" : " = %u", (unsigned)value, (unsigned)value);
}

/* ---- steps ---- */

/* The first step that asks about the same instruction and place as S; 0: none does. */
static int like(const struct hc_why_chain *c, const struct hc_why_step *s)
{
    for (size_t i = 1; i < c->steps; i++)
        if (c->step[i].subject == s->subject && c->step[i].asked_pc == s->asked_pc && c->step[i].address == s->address)
            return (int)i + 1;
    return 0;
}

/* A counter is followed back through its turns for less than another turn of something else. */
static int cost_of(const struct hc_why_chain *c, const struct hc_why_step *s)
{
    static const int roles[] = { [HC_WHY_ROOT] = 0, [HC_WHY_FROM] = 2, [HC_WHY_THROUGH] = 3, [HC_WHY_BECAUSE] = 5 };
    const struct hc_why_step *parent = &c->step[s->parent - 1];
    bool counts = s->subject == HC_WHY_VALUE && parent->subject == HC_WHY_VALUE && s->address == parent->address;

    return s->role == HC_WHY_FROM && counts ? 1 : roles[s->role] + (s->like ? 4 : 0);
}

static struct hc_why_step *add(struct hc_why_chain *c, struct hc_why_step step)
{
    if (!hc_grow(&c->step, c->steps, &c->room, sizeof *c->step))
        return NULL;
    step.asked_pc = step.pc;
    step.like = like(c, &step);
    step.cost = step.parent ? c->step[step.parent - 1].cost + cost_of(c, &step) : 0;
    c->step[c->steps] = step;
    return &c->step[c->steps++];
}

/* A value only rests where the source has no name for it: saved registers, what the compiler keeps on the stack. */
static bool rests(void *owner, const struct hc_flow_source *source)
{
    struct hc_why_chain *c = owner;
    char text[HC_WHY_WHAT];

    if (hc_region_kind(c->machine, source->address) != HC_RAM)
        return false;
    hc_timeline_seek(c->timeline, source->moment);
    if (source->address < hc_register(c->machine, HC_SP))
        return false;
    return !hc_name_address(c->program, c->machine, source->address, text, sizeof text) || strstr(text, " saved in ") ||
           strstr(text, "return address");
}

static void add_source(struct hc_why_chain *c, int parent, const struct hc_flow_source *source)
{
    struct hc_why_step s = { .parent = parent,
                             .role = source->through ? HC_WHY_THROUGH : HC_WHY_FROM,
                             .subject = HC_WHY_VALUE,
                             .at = source->moment,
                             .address = source->address,
                             .size = source->size };
    bool input =
        source->kind == HC_SOURCE_READ || (is_peripheral(c, source->address) && !hc_timeline_replays(c->timeline));

    name(c, source->address, source->moment, s.what, sizeof s.what);
    if (input)
        strncat(s.what, " read", sizeof s.what - strlen(s.what) - 1);
    append_value(s.what, sizeof s.what, source->value);
    if (input) {
        s.subject = HC_WHY_INPUT;
        s.answered = true;
    }
    place(c, &s, source->moment, source->pc);
    add(c, s);
}

static const char *vector_name(const struct hc_why_chain *c, int vector)
{
    return c->regs && vector >= 0 && vector < c->regs->vectors && c->regs->vector[vector].name
               ? c->regs->vector[vector].name
               : "an interrupt";
}

static void add_control(struct hc_why_chain *c, int parent, const struct hc_control *control)
{
    struct hc_why_step s = { .parent = parent, .role = HC_WHY_BECAUSE, .at = control->moment };

    switch (control->kind) {
    case HC_CONTROL_BRANCH:
        s.subject = HC_WHY_DECISION;
        snprintf(s.what, sizeof s.what, "the branch went this way");
        break;
    case HC_CONTROL_CALL:
        s.subject = HC_WHY_ARRIVAL;
        snprintf(s.what, sizeof s.what, "the function was called");
        break;
    case HC_CONTROL_INTERRUPT:
        s.subject = HC_WHY_INTERRUPT;
        s.answered = true;
        break;
    case HC_CONTROL_START:
        s.subject = HC_WHY_BEGINNING;
        s.answered = true;
        s.at = hc_timeline_start(c->timeline)->instructions;
        snprintf(s.what, sizeof s.what, "the run begins there");
        break;
    default:
        return;
    }
    place(c, &s, s.at, UINT32_MAX);
    if (s.subject == HC_WHY_INTERRUPT)
        snprintf(s.what, sizeof s.what, "%s came", vector_name(c, hc_timeline_last_vector(c->timeline)));
    add(c, s);
}

/* ---- answers ---- */

static void note(struct hc_why_step *s, const struct hc_why_answer *a)
{
    switch (a->kind) {
    case HC_WHY_WRITTEN:
        if (a->width >= a->size)
            snprintf(s->note, sizeof s->note, "wrote %u, was %u", (unsigned)a->value, (unsigned)a->before);
        else
            snprintf(s->note, sizeof s->note, "wrote %u of its %u bytes last", (unsigned)a->width, (unsigned)a->size);
        break;
    case HC_WHY_HARDWARE:
        snprintf(s->note, sizeof s->note, "written by hardware (DMA), not by an instruction");
        break;
    case HC_WHY_INITIAL:
        snprintf(s->note, sizeof s->note, "not written since the start of the run");
        break;
    case HC_WHY_RESTORED:
        snprintf(s->note, sizeof s->note, "given its value when power came back");
        break;
    default:
        break;
    }
}

static enum hc_timeline_stop ask(struct hc_why_chain *c, const struct hc_why_step *s, struct hc_why_answer *a)
{
    struct hc_why why = { .timeline = c->timeline, .image = c->image, .rests = rests, .owner = c };

    switch (s->subject) {
    case HC_WHY_VALUE:
        return hc_why_value(&why, s->address, s->size, s->at, a);
    case HC_WHY_REGISTER:
        return hc_why_register(&why, s->reg, s->at, a);
    case HC_WHY_DECISION:
        return hc_why_branch(&why, s->at, a);
    default:
        return hc_why_place(&why, s->at, a);
    }
}

/* A call by pointer depends on the pointer. */
static bool jumps_by_value(struct hc_why_chain *c, uint64_t at, struct hc_why_answer *a)
{
    struct hc_why why = { .timeline = c->timeline, .image = c->image, .rests = rests, .owner = c };

    return hc_why_branch(&why, at, a) == HC_TIMELINE_THERE;
}

static void take_answer(struct hc_why_chain *c, int number, const struct hc_why_answer *a)
{
    struct hc_why_step s = c->step[number - 1];
    int first = (int)c->steps + 1;

    s.answered = true;
    s.computed = a->kind == HC_WHY_WRITTEN;
    note(&s, a);
    if (a->kind != HC_WHY_INITIAL && a->kind != HC_WHY_RESTORED)
        place(c, &s, a->moment, a->kind == HC_WHY_HARDWARE ? UINT32_MAX : a->pc);
    if (s.place[0])
        add_lines(c, &s, s.pc);
    for (size_t i = 0; i < a->via.count; i++)
        add_lines(c, &s, a->via.pc[i]);
    for (size_t i = 0; i < a->sources; i++)
        add_source(c, number, &a->source[i]);
    if (a->kind == HC_WHY_WRITTEN || a->kind == HC_WHY_BRANCH || a->kind == HC_WHY_PLACE)
        add_control(c, number, &a->control);
    for (size_t i = 0; i < a->choices; i++)
        add_control(c, number, &a->choice[i]);
    s.first = first;
    s.count = (int)c->steps + 1 - first;
    if (a->all > a->sources || a->incomplete) {
        size_t used = strlen(s.note);
        snprintf(s.note + used, sizeof s.note - used, "%s%s", used ? "; " : "", "not all sources are listed");
    }
    c->step[number - 1] = s;
}

enum hc_timeline_stop hc_why_chain_answer(struct hc_why_chain *c, int number)
{
    uint64_t here = hc_timeline_now(c->timeline)->instructions;
    struct hc_why_answer a;

    if (c->step[number - 1].answered)
        return HC_TIMELINE_THERE;
    enum hc_timeline_stop how = ask(c, &c->step[number - 1], &a);
    if (how == HC_TIMELINE_THERE && c->step[number - 1].subject == HC_WHY_ARRIVAL && number > 1) {
        struct hc_why_answer pointer;
        if (jumps_by_value(c, a.moment, &pointer)) {
            a.via = pointer.via;
            memcpy(a.source, pointer.source, sizeof a.source);
            a.sources = pointer.sources;
            a.all = pointer.all;
            a.choices = pointer.choices;
            memcpy(a.choice, pointer.choice, sizeof a.choice);
        }
    }
    if (how == HC_TIMELINE_THERE)
        take_answer(c, number, &a);
    hc_timeline_return(c->timeline, here);
    return how;
}

/* The open step to answer next; 0: none. */
static int next_open(const struct hc_why_chain *c)
{
    int best = 0;

    for (int n = 1; n <= (int)c->steps; n++)
        if (!c->step[n - 1].answered && (!best || c->step[n - 1].cost < c->step[best - 1].cost))
            best = n;
    return best;
}

enum hc_timeline_stop hc_why_chain_answer_all(struct hc_why_chain *c, int most)
{
    int n;

    while (most-- > 0 && (n = next_open(c)) != 0) {
        enum hc_timeline_stop how = hc_why_chain_answer(c, n);
        if (how != HC_TIMELINE_THERE)
            return how;
    }
    return HC_TIMELINE_THERE;
}

/* ---- questions ---- */

static bool begin(struct hc_why_chain *c, const char *what, struct hc_why_step step)
{
    c->steps = 0;
    snprintf(step.what, sizeof step.what, "%s", what);
    return add(c, step) != NULL;
}

bool hc_why_chain_ask_value(struct hc_why_chain *c, const char *what, uint32_t address, uint32_t size, uint64_t at)
{
    return begin(c, what, (struct hc_why_step){ .subject = HC_WHY_VALUE, .address = address, .size = size, .at = at });
}

bool hc_why_chain_ask_register(struct hc_why_chain *c, const char *what, int reg, uint64_t at)
{
    return begin(c, what, (struct hc_why_step){ .subject = HC_WHY_REGISTER, .reg = reg, .at = at });
}

bool hc_why_chain_ask_place(struct hc_why_chain *c, uint64_t at)
{
    return begin(c, "the program is here", (struct hc_why_step){ .subject = HC_WHY_ARRIVAL, .at = at });
}

/* ---- a chain ---- */

struct hc_why_chain *hc_why_chain_new(struct hc_program *program, struct hc_timeline *timeline)
{
    struct hc_why_chain *c = calloc(1, sizeof *c);
    struct hc_regs_message message;

    if (!c)
        return NULL;
    c->program = program;
    c->image = hc_program_image(program);
    c->timeline = timeline;
    c->machine = hc_timeline_machine(timeline);
    if (hc_regs_load_part(&c->regs, hc_machine_part(c->machine)->name, &message))
        c->regs = NULL;
    return c;
}

void hc_why_chain_free(struct hc_why_chain *c)
{
    if (!c)
        return;
    hc_regs_free(c->regs);
    hc_sources_free(&c->sources);
    free(c->step);
    free(c);
}

int hc_why_chain_steps(const struct hc_why_chain *c)
{
    return (int)c->steps;
}

const struct hc_why_step *hc_why_chain_step(const struct hc_why_chain *c, int number)
{
    return &c->step[number - 1];
}

/* ---- for people ---- */

static void show_time(FILE *out, const struct hc_why_step *s)
{
    uint64_t us = hc_to_us(s->time);

    fprintf(out, "#%llu, %llu.%06llu s", (unsigned long long)s->moment, (unsigned long long)(us / 1000000u),
            (unsigned long long)(us % 1000000u));
}

static void show_child(const struct hc_why_chain *c, int number, FILE *out)
{
    const struct hc_why_step *s = &c->step[number - 1];

    fprintf(out, "  %4d  %-8s %s, at %s", number, hc_why_role_names[s->role], s->what, s->place);
    if (s->line[0])
        fprintf(out, ": %s", s->line);
    if (s->like)
        fprintf(out, " (like %d)", s->like);
    fprintf(out, "\n");
}

/* Of a loop's turns a few are enough: whether child NUMBER of step S is one more of them. */
static bool is_one_more(const struct hc_why_chain *c, const struct hc_why_step *s, int number)
{
    enum { TURNS = 3 };
    int like = c->step[number - 1].like, before = 0;

    for (int n = s->first; like && n < number; n++)
        before += c->step[n - 1].like == like;
    return before >= TURNS;
}

static void show_children(const struct hc_why_chain *c, const struct hc_why_step *s, FILE *out)
{
    int more = 0;

    for (int n = s->first; n < s->first + s->count; n++) {
        if (is_one_more(c, s, n)) {
            more++;
            continue;
        }
        if (more)
            fprintf(out, "        ...      %d more like that one\n", more);
        more = 0;
        show_child(c, n, out);
    }
    if (more)
        fprintf(out, "        ...      %d more like that one\n", more);
}

void hc_why_chain_show(const struct hc_why_chain *c, int number, FILE *out)
{
    const struct hc_why_step *s = &c->step[number - 1];

    fprintf(out, "%d  %s\n", number, s->what);
    if (s->place[0]) {
        fprintf(out, "   %s, ", s->place);
        show_time(out, s);
        fprintf(out, "%s%s\n", s->note[0] ? ": " : "", s->note);
    } else {
        fprintf(out, "   %s\n", s->note);
    }
    if (s->line[0])
        fprintf(out, "   | %s\n", s->line);
    if (s->via[0])
        fprintf(out, "   by way of %s\n", s->via);
    show_children(c, s, out);
    if (s->answered && s->subject == HC_WHY_VALUE && s->computed &&
        (!s->count || c->step[s->first - 1].role == HC_WHY_BECAUSE))
        fprintf(out, "        from     constants of the code\n");
}
