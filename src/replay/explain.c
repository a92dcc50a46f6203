/* How a replay ends, in words. */
#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 2, 3))) void say(struct hc_replay *r, const char *format, ...)
{
    size_t used = strlen(r->why.text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why.text + used, sizeof r->why.text - used, format, arguments);
    va_end(arguments);
}

static void end(struct hc_replay *r, enum hc_replay_stop stop)
{
    r->over = true;
    r->stop = stop;
    r->why.text[0] = '\0';
}

static const char *place(struct hc_replay *r, uint32_t pc, char *out, size_t size)
{
    return hc_image_locate(r->image, pc, out, size);
}

static const char *vector_name(const struct hc_replay *r, int vector)
{
    const char *name = vector >= 0 && vector < r->regs->vectors ? r->regs->vector[vector].name : NULL;
    return name ? name : "unnamed";
}

static void say_last_interrupts(struct hc_replay *r)
{
    struct hc_replay_interrupt last[5];
    char where[200];
    size_t n = hc_replay_last_interrupts(r, last, sizeof last / sizeof *last);
    say(r, n ? "\n  last interrupts:" : "\n  no interrupt had come");
    for (size_t i = 0; i < n; i++)
        say(r, "\n    %" PRIu64 ": %s (vector %d) at instruction %" PRIu64 ", %s", last[i].number,
            vector_name(r, last[i].vector), last[i].vector, last[i].instruction,
            last[i].asleep ? "asleep" : place(r, last[i].pc, where, sizeof where));
}

static void say_suggestion(struct hc_replay *r)
{
    char where[200];
    const struct hc_reg *reg = hc_regs_at(r->regs, r->s.unrecorded_address);
    if (!r->s.unrecorded_pc)
        say(r, "\n  perhaps the node ran another program than this ELF, or its flash was changed after the build; "
               "`hindcast log` shows damage");
    else if (r->s.unrecorded_address >= r->regs->peripherals_end)
        say(r,
            "\n  perhaps what the program loaded from memory (0x%04x) at %s: it is neither in the ELF nor in the log, "
            "and "
            "was taken to be erased",
            (unsigned)r->s.unrecorded_address, place(r, r->s.unrecorded_pc, where, sizeof where));
    else
        say(r,
            "\n  perhaps a read that was not recorded: the program loaded %s (0x%04x) itself, at %s; was that file "
            "compiled by `hindcast cc`?",
            reg ? reg->name : "a register", (unsigned)r->s.unrecorded_address,
            place(r, r->s.unrecorded_pc, where, sizeof where));
}

static void say_where(struct hc_replay *r)
{
    char where[200];
    say(r, "at instruction %" PRIu64 ", %s", hc_replay_instruction(r),
        place(r, hc_register(r->machine, HC_PC), where, sizeof where));
}

void hc_explain_end(struct hc_replay *r)
{
    if (hc_segments_more(r)) {
        hc_explain_divergence(r, "the checkpoint with which the next segment begins, in a call of hc_update",
                              "made none of its calls of hc_update in that state");
        return;
    }
    end(r, HC_REPLAY_END);
    say(r, "the log ends ");
    say_where(r);
}

void hc_explain_damage(struct hc_replay *r)
{
    end(r, HC_REPLAY_END);
    say(r, "the log is damaged from here on, ");
    say_where(r);
    say(r, ": %s", r->source->ops->text(r->source));
}

void hc_explain_fault(struct hc_replay *r)
{
    end(r, HC_REPLAY_FAULT);
    say(r, "the program did what a machine cannot do, ");
    say_where(r);
    say(r, "\n  %s", hc_fault_text(r->machine));
    say_last_interrupts(r);
    say_suggestion(r);
}

static void say_next(struct hc_replay *r)
{
    char where[200];
    if (!r->due)
        say(r, "%s", r->source->ops->text(r->source));
    else
        say(r, "interrupt %s (vector %d) at %s, counter %" PRIu32 " (it is %" PRIu32 ")",
            vector_name(r, r->next.interrupt.vector), r->next.interrupt.vector,
            place(r, r->next.interrupt.pc, where, sizeof where), r->next.interrupt.count,
            hc_border_count(&r->border, r->machine));
}

void hc_explain_divergence(struct hc_replay *r, const char *expected, const char *format, ...)
{
    va_list arguments;
    end(r, HC_REPLAY_DIVERGED);
    say(r, "the replay differs from the log ");
    say_where(r);
    say(r, "\n  the log has: ");
    if (expected)
        say(r, "%s", expected);
    else
        say_next(r);
    say(r, "\n  the program: ");
    size_t used = strlen(r->why.text);
    va_start(arguments, format);
    vsnprintf(r->why.text + used, sizeof r->why.text - used, format, arguments);
    va_end(arguments);
    say_last_interrupts(r);
    say_suggestion(r);
}
