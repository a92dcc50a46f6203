/* overflow ELF BOARD RING [LOG ORACLE EVENT ROOM]: the ring, of RING bytes, of firmware/overflow.c is made to overflow
 * at each of its events in turn, with every amount of room that matters, and the program goes on as if nothing had
 * happened.
 *
 * The program's inputs do not depend on the time: what it reads follows from how much it has read, and interrupts come
 * after so many of its instructions, or in the recorder's calls of so many. Runs are compared instruction by
 * instruction, by the hashes of replay/hasher.h. The ring begins elsewhere in each run.
 *
 * With LOG to ROOM one such run is recorded, with an oracle, for as long as a checkpoint takes. */
#include "layout.h"
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "machine/device/chip/m25p80.h"
#include "machine/device/msp430x1xx/sfr.h"
#include "recorded/border.h"
#include "registers/regs.h"
#include "replay/hasher.h"
#include "replay/oracle.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    EVERY = 211,    /* instructions between interrupts */
    AFTERWARDS = 5, /* updates of the main loop until a run is over */
    LONG = 700,     /* if there has to be a checkpoint */
    EVENTS = 16,    /* a run is over as well so many of these after the overflow */
    UPDATES = 2,    /* and so many of these */
    PASSES = 8,     /* each with the ring elsewhere */
    MOST = 1 << 20, /* instructions of a run */
    MOST_EVENTS = 4096,
    NEVER = -1,
    LOST = 0xffff, /* room: something was lost already */
    HELD = 0xfffe, /* nothing is taken from the ring until it overflows */
    LARGEST = 12,  /* bytes of an entry; with DMA an interrupt has three of up to 36 behind it */
    LARGEST_DMA = 64
};

/* What raises the program's interrupts, on either part. */
enum source { COMPARE, CAPTURE, PRESS, FAULT, SOURCES };

struct counts {
    long instructions, events, reads, updates, resumes, afterwards, sources;
    long handlers, outside; /* handlers that have begun; instructions when there was none */
};

static struct {
    struct harness h;
    struct hc_launchpad *launchpad; /* or h.board */
    struct hc_border border;
    struct hc_regs *regs;
    struct hc_hasher *hasher;
    uint32_t ram, tail, ring_size, stubs, stubs_end;
    struct counts n;
    bool running; /* interrupts come, values are made */
    bool lost, whole, records;
    long inject_at, injected_at; /* an event; how many updates there were */
    long length, updates_afterwards, stop_at;
    long event_at[MOST_EVENTS]; /* instructions before each, or before the handler that it is in */
    uint16_t room;
    struct {
        uint32_t pc;
        uint64_t hash;
    } *reference;
    bool compares;
    char problem[400];
} run;

static char **words;
static int word_count;

static uint16_t get(uint32_t offset)
{
    return hc_peek16(run.h.machine, run.ram + offset);
}

static void set(uint32_t offset, uint16_t value)
{
    hc_poke16(run.h.machine, run.ram + offset, value);
}

/* ---- the world ---- */

static void set_bits(uint32_t address, uint16_t bits, int size)
{
    uint16_t value = size == 1 ? hc_peek(run.h.machine, address) : hc_peek16(run.h.machine, address);
    hc_bus_write(run.h.machine, address, value | bits, size);
}

static void cause(enum source source)
{
    enum { CCIFG = 1 };
    static const uint32_t f1611[] = { 0x0182, 0x0162, 0x0023 }, fr5969[] = { 0x0342, 0x03c2, 0x021c };
    if (source != FAULT)
        set_bits((run.launchpad ? fr5969 : f1611)[source], CCIFG, source == PRESS ? 1 : 2);
    else if (run.launchpad)
        hc_sys_set_flag(run.launchpad->chip.sys, HC_SYS_NMI, true);
    else
        hc_sfr_change(run.h.board->chip.sfr, HC_IFG1, HC_OFIFG, 0);
}

static void cause_next(void)
{
    cause((enum source)(run.n.sources++ % SOURCES));
}

static void differ(uint32_t pc)
{
    char where[200];
    snprintf(run.problem, sizeof run.problem, "event %ld, room %d: instruction %ld of the program is another: %s",
             run.inject_at, (int16_t)run.room, run.n.instructions,
             hc_image_locate(run.h.image, pc, where, sizeof where));
    hc_request_stop(run.h.machine);
}

/* An instruction of the program has retired. */
static void on_instruction(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    (void)owner;
    if (!run.running || *run.problem)
        return;
    long i = run.n.instructions++;
    if (i >= MOST)
        fail_msg("the program has no end");
    if (!run.compares) {
        run.reference[i].pc = pc;
        run.reference[i].hash = hash;
    } else if (i >= run.length || run.reference[i].pc != pc || run.reference[i].hash != hash) {
        differ(pc);
    }
    run.n.handlers -= hc_flow_at(m, pc) == HC_FLOW_INTERRUPT_RETURN;
    if (!run.n.handlers)
        run.n.outside = run.n.instructions;
    if (run.n.instructions == run.stop_at)
        hc_request_stop(m);
    /* Not where it depends on the recorder whether the program or the recorder is interrupted. */
    bool in_stub = pc >= run.stubs && pc < run.stubs_end;
    bool asleep = hc_register(m, HC_SR) & HC_SR_CPUOFF;
    if (asleep)
        cause((enum source)(run.n.updates % (SOURCES - 1)));
    else if (i % EVERY == 0 && !in_stub && !run.n.afterwards)
        cause_next();
}

static void on_note(void *owner, enum hc_hasher_note note, uint16_t value)
{
    (void)owner, (void)value;
    run.n.handlers += run.running && note == HC_HASHER_INTERRUPT;
}

static enum hc_action on_finished(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    (void)owner, (void)m, (void)access;
    run.n.afterwards = run.running;
    return HC_CONTINUE;
}

/* ---- the recorder ---- */

/* Before the overflow that is wanted there is none: what is nearly full is emptied, as if all of it had been taken. */
static void make_room(void)
{
    if (run.records || get(HC_RAM_STATE) || (int16_t)get(HC_RAM_ROOM) >= 16)
        return;
    set(run.tail, get(HC_RAM_HEAD));
    set(HC_RAM_ROOM, (uint16_t)(run.ring_size - 4));
    set(HC_RAM_NEWEST, (uint16_t)(run.ram + HC_RAM_NEWEST));
}

static void on_event(void)
{
    if (run.inject_at == NEVER || run.n.events <= run.inject_at)
        make_room();
    if (run.n.events >= MOST_EVENTS)
        fail_msg("too many events");
    if (!run.compares)
        run.event_at[run.n.events] = run.n.outside;
    if (run.n.events++ != run.inject_at)
        return;
    run.injected_at = run.n.updates;
    if (run.room == LOST)
        set(HC_RAM_ROOM, HC_ROOM_LOST);
    else if (run.room != HELD && run.room < (int16_t)get(HC_RAM_ROOM)) /* never more than there is */
        set(HC_RAM_ROOM, run.room);
}

static enum hc_action on_read(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
    if (!run.running)
        return HC_CONTINUE;
    on_event();
    run.n.reads++;
    if (run.n.reads % 7 == 0 && !run.n.afterwards)
        cause(FAULT); /* in a cut */
    return HC_CONTINUE;
}

static enum hc_action on_trampoline(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
    if (run.running)
        on_event();
    return HC_CONTINUE;
}

/* A register was read, its value is in r13. */
static enum hc_action on_value(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)pc;
    uint16_t value = (uint16_t)(run.n.reads * 0x6d2b ^ run.n.reads >> 3);
    if (run.running)
        hc_set_register(m, 13, hc_register(m, 13) > 0xff ? value : value & 0xff);
    return HC_CONTINUE;
}

/* What an overflow may have spoilt has been used. */
static bool is_over(void)
{
    bool lost = run.room != HELD || (int16_t)get(HC_RAM_ROOM) < 0;
    return run.inject_at != NEVER && !run.whole && lost && run.n.events > run.inject_at + EVENTS &&
           run.n.updates > run.injected_at + UPDATES;
}

/* The recorder will have something to do and be interrupted: three times out of four. */
static enum hc_action on_update(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)pc;
    bool on = hc_peek16(m, hc_register(m, HC_SP)) & HC_SR_GIE, later = !(hc_register(m, HC_SR) & HC_SR_C);
    if (!run.running)
        return HC_CONTINUE;
    run.n.updates++;
    if (run.n.afterwards && ++run.n.afterwards > run.updates_afterwards)
        hc_request_stop(m);
    if (is_over())
        hc_request_stop(m);
    if (run.n.afterwards || !on || later || get(HC_RAM_STATE) || run.n.updates % 4 == 0)
        return HC_CONTINUE;
    set(HC_RAM_WORK, get(HC_RAM_WORK) | HC_WORK_MORE);
    cause_next();
    return HC_CONTINUE;
}

/* It goes on, and is interrupted again now and then. */
static enum hc_action on_resume(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
    if (run.running && ++run.n.resumes % 3 == 0 && !run.n.afterwards)
        cause_next();
    return HC_CONTINUE;
}

static enum hc_action on_take(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
    int16_t room = (int16_t)get(HC_RAM_ROOM);
    run.lost |= run.running && room < 0;
    return run.running && run.room == HELD && run.n.events > run.inject_at && !run.lost ? HC_ANSWER : HC_CONTINUE;
}

/* ---- a run ---- */

static void hook(const char *name, hc_pc_fn *call)
{
    hc_hook_pc(run.h.machine, harness_address(&run.h, name), call, NULL);
}

static void put_hooks(void)
{
    hook("__hc_cut_read", on_read);
    hook("__hc_cut_read_via", on_read);
    hook("read_masked", on_value);
    hook("read_data", on_value);
    hook("__hc_cut_update", on_update);
    hook("__hc_cut_resume", on_resume);
    hook("__hc_take", on_take);
    for (int i = 0; i < run.border.link.vectors; i++)
        if (run.border.trampoline[i])
            hc_hook_pc(run.h.machine, run.border.trampoline[i], on_trampoline, NULL);
    uint32_t finished = harness_address(&run.h, "finished");
    hc_hook_access(run.h.machine, finished, finished + 1, HC_WATCH_WRITE, on_finished, NULL);
}

static bool with_dma(void)
{
    struct hc_symbol symbol;
    return hc_image_symbol(run.h.image, "read_dma", &symbol);
}

static void start(void)
{
    struct hc_telosb_config config = { .node_id = 1 };
    char message[200];
    struct hc_regs_message problem;
    if (!strcmp(words[2], "fr5969"))
        run.launchpad = hc_launchpad_new(NULL);
    else
        run.h.board = hc_telosb_new(&config, NULL);
    run.h.machine = run.launchpad ? run.launchpad->machine : run.h.board->machine;
    run.h.image = harness_fill(run.h.machine, words[1]);
    if (hc_border_read(&run.border, run.h.image, message, sizeof message))
        fail_msg("%s", message);
    if (hc_regs_load_part(&run.regs, hc_machine_part(run.h.machine)->name, &problem))
        fail_msg("%s", problem.text);
    run.ram = harness_address(&run.h, "__hc_ram");
    run.ring_size = (uint32_t)strtoul(words[3], NULL, 0);
    run.tail = HC_RAM_RING + run.ring_size + (with_dma() ? 34 : 10) + HC_STACK;
    run.stubs = harness_address(&run.h, "hc_update_later");
    run.stubs_end = harness_address(&run.h, "__hc_read");
    run.reference = calloc(MOST, sizeof *run.reference);
    put_hooks();
    hc_machine_reset(run.h.machine, HC_POR);
}

/* To where the counter is about to come round: the first event. */
static void go_to_first_event(void)
{
    harness_run_to(&run.h, "__hc_lap", hc_now(run.h.machine) + hc_ms(20000));
    assert_int_equal(get(HC_RAM_HEAD), run.ram + HC_RAM_RING);
    assert_int_equal(get(run.tail), run.ram + HC_RAM_RING);
}

/* The ring is empty: it might be so anywhere. */
static void move_ring(uint32_t offset)
{
    set(HC_RAM_HEAD, (uint16_t)(run.ram + HC_RAM_RING + offset));
    set(run.tail, (uint16_t)(run.ram + HC_RAM_RING + offset));
}

static void stop(void)
{
    hc_regs_free(run.regs);
    free(run.reference);
    if (run.h.board) {
        harness_stop(&run.h);
        return;
    }
    hc_image_free(run.h.image);
    hc_launchpad_free(run.launchpad);
}

/* On from where the machine is, with an overflow at event EVENT. */
static void go(long event, uint16_t room)
{
    run.lost = false;
    *run.problem = 0;
    run.inject_at = event;
    run.room = room;
    run.running = true;
    enum hc_stop why = hc_machine_run(run.h.machine, hc_now(run.h.machine) + hc_ms(600000));
    run.running = false;
    run.lost |= (int16_t)get(HC_RAM_ROOM) < 0;
    if (why == HC_STOP_FAULT)
        fail_msg("event %ld, room %d: %s", event, (int16_t)room, hc_fault_text(run.h.machine));
    if (*run.problem)
        fail_msg("%s", run.problem);
    if (why != HC_STOP_REQUEST)
        fail_msg("event %ld, room %d: the program did not end", event, (int16_t)room);
}

/* ---- every event ---- */

static long stride(void)
{
    const char *wanted = getenv("HINDCAST_STRIDE");
    return wanted ? strtol(wanted, NULL, 0) : 1;
}

struct place {
    struct hc_snapshot *machine;
    struct counts n;
};

static struct place take_place(void)
{
    return (struct place){ hc_snapshot_take(run.h.machine), run.n };
}

static void go_back(const struct place *place)
{
    hc_snapshot_restore(run.h.machine, place->machine);
    hc_hasher_restart(run.hasher);
    run.n = place->n;
}

static void make_reference(void)
{
    go(NEVER, 0);
    run.length = run.n.instructions;
    run.compares = true;
    static const char *const handlers[] = { "compares", "captures", "presses", "faults" };
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        assert_true(harness_get(&run.h, handlers[i], 0) > 2);
    assert_true(!with_dma() || harness_get(&run.h, "blocks", 0) == 2);
    assert_true(run.n.resumes > 3 && run.n.reads > 80);
}

/* Of these runs, how many overflowed. */
static long overflow_at(long event, long *runs)
{
    uint16_t most = with_dma() ? LARGEST_DMA : LARGEST;
    struct place place = take_place();
    long lost = 0;
    for (uint16_t r = 0; r <= most + 4; r += 2, ++*runs, lost += run.lost) {
        go_back(&place);
        run.whole = r == 0 && event % 8 == 0;
        go(event, r <= most ? r : r == most + 2 ? LOST : HELD);
    }
    go_back(&place);
    hc_snapshot_free(place.machine);
    return lost;
}

static void every_event(void)
{
    run.hasher = hc_hasher_new(run.h.machine, &run.border, run.regs, on_instruction, NULL);
    hc_hasher_listen(run.hasher, on_note);
    run.updates_afterwards = AFTERWARDS;
    go_to_first_event();
    struct place begin = take_place();
    make_reference();
    long events = run.n.events, runs = 0, lost = 0;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        go_back(&begin);
        move_ring(run.ring_size * pass / PASSES / 2 * 2);
        for (long event = pass; event < events; event += PASSES * stride()) {
            run.stop_at = run.event_at[event];
            if (run.n.instructions < run.stop_at)
                go(NEVER, 0);
            run.stop_at = NEVER;
            lost += overflow_at(event, &runs);
        }
    }
    print_message("%ld events, %ld instructions: %ld runs, %ld with an overflow\n", events, run.length, runs, lost);
    assert_true(lost > 3 * events / stride());
    hc_snapshot_free(begin.machine);
    hc_hasher_free(run.hasher);
}

/* ---- one of them, recorded ---- */

static void save_log(const char *path)
{
    enum { LOG = 0x10000, LOG_END = 0x14000 };
    char message[200];
    if (run.h.board) {
        if (hc_m25p80_save_file(run.h.board->flash, path, message, sizeof message))
            fail_msg("%s", message);
        return;
    }
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    for (uint32_t a = LOG; a < LOG_END; a++)
        putc(hc_peek(run.h.machine, a), to);
    fclose(to);
}

static void record(long event, uint16_t room)
{
    struct hc_oracle_message problem;
    struct hc_oracle_writer *writer;
    if (hc_oracle_write(&writer, run.h.machine, run.h.image, hc_machine_part(run.h.machine)->name, words[5], &problem))
        fail_msg("%s", problem.text);
    run.hasher = hc_hasher_new(run.h.machine, &run.border, run.regs, on_instruction, NULL);
    run.updates_afterwards = LONG;
    run.records = run.whole = true;
    go_to_first_event();
    go(event, room);
    printf("%ld events, lost %d\n", run.n.events, run.lost);
    assert_int_equal(hc_oracle_close(writer, true), 0);
    hc_hasher_free(run.hasher);
    save_log(words[4]);
}

static void test(void **unused)
{
    (void)unused;
    start();
    if (word_count == 8)
        record(strtol(words[6], NULL, 0), (uint16_t)strtoul(words[7], NULL, 0));
    else
        every_event();
    stop();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    words = argv;
    word_count = argc;
    return argc == 4 || argc == 8 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
