/* `info` and similar commands. */
#include "recorded/link_table.h"
#include "session_state.h"
#include "support/plural.h"
#include "target/target.h"

#include <string.h>

static bool info_registers(struct hc_debugger *s)
{
    const struct hc_target_cpu *cpu = hc_target_of_machine(s->machine)->cpu;
    const struct hc_frame *f = hc_debugger_frame(s);

    for (int r = 0; r < HC_DEBUG_REGISTERS; r++) {
        uint32_t value = f->context.reg[r];
        const struct hc_cpu_register *name = &cpu->registers[r];
        hc_debugger_say(s, "%-5s", r < cpu->first_general ? name->alternative : name->name);
        if (!(f->context.known >> r & 1)) {
            hc_debugger_say(s, "not saved\n");
            continue;
        }
        hc_debugger_say(s, "0x%04x  %-6u", (unsigned)value, (unsigned)value);
        for (size_t b = 0; r == cpu->status_register && cpu->status.names[b]; b++)
            if (value >> b & 1)
                hc_debugger_say(s, " %s", cpu->status.names[b]);
        if (r == HC_PC)
            hc_format_symbol(s->out, s->image, value);
        hc_debugger_say(s, "\n");
    }
    return true;
}

struct locals {
    struct hc_debugger *s;
    const struct hc_frame *frame;
    int n;
};

static bool show_local(void *owner, const struct hc_name *name)
{
    struct locals *l = owner;
    struct hc_debug_message message;
    struct hc_name copy = *name;
    struct hc_value v;

    l->n++;
    hc_debugger_say(l->s, "%s = ", name->name);
    if (hc_value_of_name(&l->frame->context, &copy, &v, &message))
        hc_format_value(l->s->out, &l->frame->context, &v, 0);
    else
        hc_debugger_say(l->s, "<%s>", strstr(message.text, " is optimised out") ? "optimised out" : message.text);
    hc_debugger_say(l->s, "\n");
    return false;
}

static bool info_locals(struct hc_debugger *s)
{
    struct locals l = { s, hc_debugger_frame(s), 0 };

    hc_program_locals(s->program, l.frame->context.pc, l.frame->context.has_die ? &l.frame->context.die : NULL,
                      show_local, &l);
    if (!l.n)
        hc_debugger_say(s, "There are none.\n");
    return true;
}

static bool info_breakpoints(struct hc_debugger *s)
{
    static const char *const kinds[] = { "breakpoint", "watchpoint", "read watch", "access watch", "" };
    int n = 0;

    for (int i = 0; i < HC_POINTS_MAX; i++) {
        const struct hc_point *p = &s->point[i];
        char where[160];
        if (p->number <= 0)
            continue;
        n++;
        hc_debugger_say(s, "%-3d %-12s %-3s ", p->number, p->temporary ? "temporary" : kinds[p->kind],
                        p->enabled ? "on" : "off");
        if (p->kind == HC_POINT_BREAK)
            for (size_t k = 0; k < p->addresses; k++)
                hc_debugger_say(s, "%s0x%04x %s", k ? ", " : "", (unsigned)p->address[k],
                                hc_debugger_place_text(s, p->address[k], where, sizeof where));
        else
            hc_debugger_say(s, "%s (0x%04x, %u bytes)", p->place, (unsigned)p->address[0], (unsigned)p->size);
        if (p->condition[0])
            hc_debugger_say(s, " if %s", p->condition);
        hc_debugger_say(s, ", hit %llu time%s\n", (unsigned long long)p->hits, hc_plural(p->hits));
    }
    if (!n)
        hc_debugger_say(s, "There are none.\n");
    return true;
}

/* The program's handler, even if the recorder's trampoline is in the vector. */
static uint32_t handler_of(struct hc_debugger *s, int vector)
{
    struct hc_link_table link;
    const struct hc_part *part = hc_machine_part(s->machine);

    if (hc_link_table_read(&link, s->image) && vector < link.vectors)
        return link.handler[vector];
    return hc_peek16(s->machine, part->vectors_end - 2 * (uint32_t)(part->vectors - vector));
}

static bool info_interrupts(struct hc_debugger *s)
{
    enum { BEFORE = 10, AFTER = 3 };
    struct hc_past_interrupt list[BEFORE + AFTER];
    uint64_t now = hc_timeline_now(s->timeline)->interrupts;
    size_t n = hc_timeline_interrupts(s->timeline, now > BEFORE ? now - BEFORE + 1 : 1, list, BEFORE + AFTER);
    char time[40], where[160], handler[160];

    for (size_t i = 0; i < n; i++)
        hc_debugger_say(s, "%s %-6llu %16s  #%-10llu vector %-2d %-28s interrupted %s\n",
                        list[i].number <= now ? " " : ">", (unsigned long long)list[i].number,
                        hc_time_text(list[i].moment.time, time, sizeof time),
                        (unsigned long long)list[i].moment.instructions, list[i].vector,
                        hc_debugger_place_text(s, handler_of(s, list[i].vector), handler, sizeof handler),
                        hc_debugger_place_text(s, list[i].pc, where, sizeof where));
    hc_debugger_say(s, "%llu interrupt%s up to here%s\n", (unsigned long long)now, hc_plural(now),
                    n ? "; > is still to come" : "");
    hc_debugger_moved(s);
    return true;
}

static bool info_display(struct hc_debugger *s)
{
    int n = 0;

    for (int i = 0; i < HC_DISPLAYS_MAX; i++)
        if (s->display[i].number) {
            hc_debugger_say(s, "%d: %s\n", s->display[i].number, s->display[i].text);
            n++;
        }
    if (!n)
        hc_debugger_say(s, "There are none.\n");
    return true;
}

bool hc_info_frame(struct hc_debugger *s)
{
    const struct hc_frame *f = hc_debugger_frame(s);
    int caller = s->frame;

    hc_debugger_show_frame(s, s->frame, true);
    if (f->file)
        hc_debugger_say(s, "  source: %s, line %d\n", f->file, f->line);
    hc_debugger_say(s, "  next instruction: 0x%04x", (unsigned)f->pc);
    hc_format_symbol(s->out, s->image, f->pc);
    while (caller < s->frames && s->stack[caller].inlined)
        caller++;
    if (caller > s->frame)
        hc_debugger_say(s, "\n  inlined into frame %d", caller);
    if (++caller < s->frames) {
        hc_debugger_say(s, "\n  %s 0x%04x", f->handler ? "interrupted" : "returns to", (unsigned)s->stack[caller].pc);
        hc_format_symbol(s->out, s->image, s->stack[caller].pc);
        hc_debugger_say(s, ", frame %d, with the stack at 0x%04x", caller,
                        (unsigned)s->stack[caller].context.reg[HC_SP]);
    }
    hc_debugger_say(s, "\n  stack pointer: 0x%04x\n", (unsigned)f->context.reg[HC_SP]);
    if (f->unsure)
        hc_debugger_say(s, "  unsure: the stack was searched for it\n");
    return true;
}

bool hc_info(struct hc_debugger *s, char *arguments)
{
    static const struct {
        const char *name;
        bool (*run)(struct hc_debugger *s);
    } topics[] = {
        { "registers", info_registers },   { "locals", info_locals },           { "args", info_locals },
        { "interrupts", info_interrupts }, { "breakpoints", info_breakpoints }, { "watchpoints", info_breakpoints },
        { "frame", hc_info_frame },        { "display", info_display },         { "messages", hc_info_messages },
        { "segments", hc_info_segments },
    };
    size_t length = strlen(arguments);

    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (length && !strncmp(topics[i].name, arguments, length))
            return topics[i].run(s);
    return hc_debugger_fail(
        s, "usage: info registers, locals, frame, breakpoints, display, interrupts, messages, segments");
}
