/* How a replay ends, in words. */
#include "explain.h"

#include "peripherals.h"
#include "segment.h"
#include "self_check.h"
#include "support/plural.h"

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
    r->at_reset = false;
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
    if (hc_feed_rescued(r->feed))
        say(r, "\n  perhaps what waited in RAM at the reset, which this part of the log is, was damaged");
    else if (!r->s.unrecorded_pc)
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

/* Some of the variables in START .. END - 1. */
static void say_variables(struct hc_replay *r, uint32_t start, uint32_t end)
{
    enum { MOST = 8 };
    struct hc_symbol symbol, last = { .name = NULL };
    int n = 0;
    for (uint32_t a = start; a < end; a++) {
        if (!hc_image_data_at(r->image, a, &symbol) || (last.name && last.address == symbol.address))
            continue;
        last = symbol;
        if (++n <= MOST)
            say(r, "%s%s", n == 1 ? ": " : ", ", symbol.name);
    }
    if (n > MOST)
        say(r, " and %d more", n - MOST);
}

static void say_window(struct hc_replay *r)
{
    const struct hc_self_checks *c = &r->s.checks;
    if (c->start >= c->end) {
        say(r, "no memory, only registers");
        return;
    }
    say(r, "memory 0x%04x to 0x%04x", (unsigned)c->start, (unsigned)c->end - 1);
    if (c->start >= r->border.link.free.start && c->start < r->border.link.free.end)
        say(r, ", the stack");
    else
        say_variables(r, c->start, c->end);
}

void hc_explain_self_check(struct hc_replay *r, const struct hc_feed_check *check)
{
    const struct hc_self_checks *c = &r->s.checks;
    end(r, HC_REPLAY_DIVERGED);
    say(r, "memory or registers differ from what the node had, found ");
    say_where(r);
    say(r, "\n  the log has: a sum, in page %u at 0x%zx, of a call of hc_update after event %" PRIu64, check->sequence,
        check->offset, check->after);
    if (c->tried) {
        say(r, "\n  the program: another sum at that call, at instruction %" PRIu64 "%s\n  it is of %s to %s, SP and ",
            c->differs_at, c->tried > 1 ? ", and at others that it may have been" : "",
            r->cpu->registers[r->cpu->first_general].name, r->cpu->registers[r->cpu->last_self_checked].name);
        say_window(r);
    } else {
        say(r, "\n  the program: made no call of hc_update with this position counter (...%02x)", check->count);
    }
    if (c->agreed)
        say(r, "\n  memory agreed in %" PRIu64 " window%s before it, the last at instruction %" PRIu64, c->agreed,
            hc_plural(c->agreed), c->instruction);
    say_last_interrupts(r);
    say_suggestion(r);
}

void hc_explain_checkpoint(struct hc_replay *r, const struct hc_checkpoint_difference *d)
{
    struct hc_symbol symbol;
    bool named = d->reg < 0 && hc_image_data_at(r->image, d->address, &symbol);
    end(r, HC_REPLAY_DIVERGED);
    say(r, "the replay differs from the checkpoint with which the next segment begins, ");
    say_where(r);
    if (d->reg >= 0)
        say(r, "\n  register R%d is 0x%04x, the checkpoint has 0x%04x", d->reg, d->here, d->there);
    else
        say(r, "\n  memory at 0x%04x%s%s%s is 0x%04x, the checkpoint has 0x%04x", (unsigned)d->address,
            named ? " (" : "", named ? symbol.name : "", named ? ")" : "", d->here, d->there);
    say_last_interrupts(r);
    say_suggestion(r);
}

void hc_explain_reset(struct hc_replay *r)
{
    const struct hc_log_boot *boot = hc_segments_boot(r);
    char cause[200];
    end(r, HC_REPLAY_END);
    r->at_reset = true;
    say(r, "reset here: %s, ",
        boot && boot->cause_known ? hc_log_cause(boot->cause, cause, sizeof cause) : "its cause is not known");
    say_where(r);
}

void hc_explain_end(struct hc_replay *r)
{
    if (!hc_self_check_over(r))
        return;
    if (hc_segments_more(r)) {
        hc_explain_divergence(r, "the checkpoint with which the next segment begins, in a call of hc_update",
                              "asks for an event before it made a call of hc_update with that position counter");
        return;
    }
    end(r, HC_REPLAY_END);
    say(r, "the log ends ");
    say_where(r);
}

void hc_explain_damage(struct hc_replay *r)
{
    if (!hc_self_check_over(r))
        return;
    end(r, HC_REPLAY_END);
    say(r, "the log is damaged from here on, ");
    say_where(r);
    say(r, ": %s", hc_feed_text(r->feed));
}

void hc_explain_fault(struct hc_replay *r)
{
    end(r, HC_REPLAY_FAULT);
    say(r, "illegal access or instruction, ");
    say_where(r);
    say(r, "\n  %s", hc_fault_text(r->machine));
    say_last_interrupts(r);
    if (!strstr(hc_fault_text(r->machine), HC_NOT_REPLAYED))
        say_suggestion(r);
}

static void say_next(struct hc_replay *r)
{
    char where[200];
    if (!r->due)
        say(r, "%s", *hc_feed_text(r->feed) ? hc_feed_text(r->feed) : "a read, or an interrupt that wakes the CPU");
    else
        say(r, "interrupt %s (vector %d) at %s, counter %" PRIu32 " (it is %" PRIu32 ")",
            vector_name(r, r->next.interrupt.vector), r->next.interrupt.vector,
            place(r, r->next.interrupt.pc, where, sizeof where), r->next.interrupt.count,
            hc_position_count(&r->border, r->machine));
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
