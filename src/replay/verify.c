#include "verify.h"

#include "hasher.h"
#include "replay_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { PROGRESS_EVERY = 1 << 18 };

struct comparison {
    struct hc_replay *replay;
    struct hc_oracle *oracle;
    struct hc_hasher *hasher;
    struct hc_verify *out;
    bool open_end;       /* the log was used up when a difference was found */
    uint64_t last_event; /* instructions that were the same before it */
    bool stopped;        /* by a difference, or the oracle's end */
    bool oracle_over;
    uint64_t differs_at; /* the moment before the instruction that differs */
    /* While alternatives are tried: the hash of one of them. */
    bool probing;
    uint64_t probed;
};

static void compare(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    struct comparison *c = owner;
    (void)pc;
    if (c->probing) {
        c->probed = hash;
        return;
    }
    if (c->stopped)
        return;
    enum hc_oracle_answer answer = hc_oracle_compare(c->oracle, hash);
    if (answer == HC_ORACLE_SAME) {
        c->out->instructions++;
        return;
    }
    c->stopped = true;
    c->oracle_over = answer == HC_ORACLE_OVER;
    c->open_end = hc_replay_used_up(c->replay);
    c->differs_at = hc_replay_instruction(c->replay) - 1;
    hc_request_stop(m);
}

static void on_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct comparison *c = owner;
    c->last_event = c->out->instructions;
    if (event->kind == HC_REPLAY_INTERRUPT)
        hc_hasher_interrupt(c->hasher, hc_register(r->machine, HC_SP));
}

/* ---- a difference ---- */

static __attribute__((format(printf, 2, 3))) void say(struct comparison *c, const char *format, ...)
{
    size_t used = strlen(c->out->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->out->text + used, sizeof c->out->text - used, format, arguments);
    va_end(arguments);
}

static void say_registers(struct comparison *c, const char *when)
{
    struct hc_machine *m = c->replay->machine;
    const struct hc_target_cpu *cpu = c->replay->cpu;
    say(c, "\n  %s: PC %04x SP %04x SR %04x", when, (unsigned)hc_register(m, HC_PC), (unsigned)hc_register(m, HC_SP),
        (unsigned)hc_register(m, cpu->status_register));
    for (int i = cpu->first_general; i < HC_REGISTERS; i++)
        say(c, " %s %04x", cpu->registers[i].name, (unsigned)hc_register(m, i));
}

/* The hash of the next instruction, if the machine is changed by CHANGE before it. */
static bool would_fit(struct comparison *c, const struct hc_snapshot *before)
{
    c->probed = 0;
    hc_hasher_restart(c->hasher);
    hc_machine_step(c->replay->machine, 1, hc_now(c->replay->machine) + HC_SECOND);
    bool fits = hc_oracle_would_be(c->oracle, c->probed);
    hc_snapshot_restore(c->replay->machine, before);
    return fits;
}

/* Both runs were equal up to here, so the recording had the same state. Finds what it did next by its hash: an
 * interrupt came, or a read had another value. */
static void say_recorded(struct comparison *c, const struct hc_snapshot *before)
{
    struct hc_machine *m = c->replay->machine;
    const struct hc_border *b = &c->replay->border;
    uint32_t pc = hc_register(m, HC_PC);
    for (int v = 0; v < b->link.vectors - 1; v++) {
        if (b->link.handler[v] == 0xffff)
            continue;
        hc_position_interrupt(b, m, v, pc, (uint16_t)hc_register(m, c->replay->cpu->status_register));
        if (would_fit(c, before)) {
            say(c, "\n  recorded: interrupt by vector %d came here", v);
            return;
        }
    }
    bool after_read = pc == b->read_end;
    for (uint32_t value = 0; after_read && value < 0x10000; value++) {
        hc_set_register(m, c->replay->cpu->argument, value);
        if (would_fit(c, before)) {
            say(c, "\n  recorded: the read before it gave 0x%04x, not 0x%04x", (unsigned)value,
                (unsigned)hc_register(m, c->replay->cpu->argument));
            return;
        }
    }
    say(c, "\n  recorded: neither an interrupt at this place nor a read of another value leads to its hash");
}

/* ALMOST: a moment that is not after the difference. */
static void describe(struct comparison *c, const struct hc_replay_snapshot *almost)
{
    struct hc_replay *r = c->replay;
    char where[200];
    c->probing = true;
    hc_replay_snapshot_restore(r, almost);
    hc_replay_run(r, c->differs_at);
    say(c, "the replay differs from the recording at instruction %" PRIu64 " (%" PRIu64 " of the recording), %s",
        c->differs_at, hc_oracle_instruction(c->oracle) - 1,
        hc_image_locate(r->image, hc_register(r->machine, HC_PC), where, sizeof where));
    say_registers(c, "both before it");
    struct hc_snapshot *before = hc_snapshot_take(r->machine);
    if (before)
        say_recorded(c, before);
    hc_snapshot_free(before);
    hc_replay_run(r, c->differs_at + 1);
    say_registers(c, "replayed, after it");
}

/* ---- the whole ---- */

static enum hc_replay_stop run(struct comparison *c, hc_verify_progress_fn *progress, void *owner)
{
    struct hc_replay *r = c->replay;
    enum hc_replay_stop stop = HC_REPLAY_REACHED;
    struct hc_replay_snapshot *almost = hc_replay_snapshot_take(r);
    while (stop == HC_REPLAY_REACHED && almost && !c->stopped) {
        struct hc_replay_place place;
        stop = hc_replay_run(r, hc_replay_instruction(r) + PROGRESS_EVERY);
        hc_replay_place(r, &place);
        c->out->interrupts = place.interrupts;
        c->out->reads = place.reads;
        if (c->stopped || stop != HC_REPLAY_REACHED)
            break;
        if (progress && !progress(owner, r))
            stop = HC_REPLAY_REQUEST;
        hc_replay_snapshot_free(almost);
        almost = hc_replay_snapshot_take(r);
    }
    bool matters = c->stopped && !c->oracle_over && !c->open_end;
    c->out->differs = matters;
    c->out->beyond = c->out->instructions - c->last_event;
    if (matters && almost)
        describe(c, almost);
    hc_replay_snapshot_free(almost);
    if (c->stopped && !matters)
        stop = HC_REPLAY_END;
    return matters ? HC_REPLAY_DIVERGED : stop;
}

enum hc_replay_stop hc_verify_run(struct hc_replay *r, struct hc_oracle *o, hc_verify_progress_fn *progress,
                                  void *owner, struct hc_verify *out)
{
    struct comparison c = { .replay = r, .oracle = o, .out = out };
    memset(out, 0, sizeof *out);
    c.hasher = hc_hasher_new(r->machine, &r->border, r->regs, compare, &c);
    if (!c.hasher) {
        say(&c, "out of memory");
        return HC_REPLAY_REQUEST;
    }
    hc_replay_event_fn *call = r->event_call;
    void *event_owner = r->event_owner;
    hc_replay_listen(r, on_event, &c);
    enum hc_replay_stop stop = run(&c, progress, owner);
    hc_replay_listen(r, call, event_owner);
    hc_hasher_free(c.hasher);
    if (!out->differs)
        say(&c, "%s", c.oracle_over ? "the oracle ends here" : c.open_end ? "the log has ended" : hc_replay_why(r));
    return stop;
}
