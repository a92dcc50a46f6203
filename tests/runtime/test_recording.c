/* A program records to the emulated flash chip: what reaches the codec is what happened, and the log is in order. */
#include "layout.h"
#include "link.h"
#include "part.h"
#include "runtime/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE = 1024 };

/* What happened, waiting for the recorder to hand it to the codec. */
struct seen {
    struct harness *h;
    uint32_t reads, interrupts, asleep;
    uint32_t queue[QUEUE]; /* interrupts: vector << 16 | pc */
    unsigned first, last;
    uint16_t values[QUEUE]; /* reads */
    unsigned first_value, last_value;
};

/* A recorded read returns to the program. */
static enum hc_action returned(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    (void)pc;
    s->values[s->last_value++ % QUEUE] = (uint16_t)hc_register(m, 12);
    return HC_CONTINUE;
}

static enum hc_action is_encoded(struct seen *s, uint16_t value)
{
    uint16_t expected = s->values[s->first_value++ % QUEUE];
    s->reads++;
    if (value != expected)
        fail_msg("read %u: 0x%04x instead of 0x%04x", s->reads, value, expected);
    return HC_CONTINUE;
}

/* Bytes of data come several at a time. */
static enum hc_action on_read(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)pc;
    if ((hc_peek16(m, hc_register(m, 6)) & 0x6000) == 0x2000)
        return HC_CONTINUE;
    return is_encoded(owner, (uint16_t)hc_register(m, 7));
}

static enum hc_action on_byte(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)pc;
    return is_encoded(owner, (uint8_t)hc_register(m, 7));
}

static enum hc_action on_interrupt(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    uint16_t tag = (uint16_t)hc_register(m, 6);
    uint16_t came = hc_peek16(m, hc_register(m, 5));
    int vector = (tag & HC_RING_VECTOR) >> 1;
    (void)pc;
    s->interrupts++;
    uint32_t expected = s->queue[s->first++ % QUEUE];
    if ((unsigned)vector != expected >> 16)
        fail_msg("interrupt %u: vector %d instead of %u", s->interrupts, vector, expected >> 16);
    if (tag & HC_RING_ASLEEP)
        s->asleep++;
    else if (came != (expected & 0xffff))
        fail_msg("interrupt %u: pc 0x%04x instead of 0x%04x", s->interrupts, came, expected & 0xffff);
    return HC_CONTINUE;
}

static void accepted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct seen *s = owner;
    uint32_t ram = harness_address(s->h, "__hc_ram");
    if (hc_peek16(m, ram + HC_RAM_STATE) == HC_RUNNING) /* in the recorder */
        pc = harness_address(s->h, "__hc_inside");
    s->queue[s->last++ % QUEUE] = (uint32_t)vector << 16 | pc;
}

static void watch(struct seen *s, struct harness *h)
{
    *s = (struct seen){ .h = h };
    hc_hook_pc(h->machine, harness_address(h, "__hc_cut_read_end"), returned, s);
    hc_hook_pc(h->machine, harness_address(h, "__hc_code_read"), on_read, s);
    hc_hook_pc(h->machine, harness_address(h, "__hc_code_bytes"), on_byte, s);
    hc_hook_pc(h->machine, harness_address(h, "__hc_code_interrupt"), on_interrupt, s);
    hc_hook_interrupt(h->machine, accepted, s);
}

/* Everything that the program read and every interrupt, in order, until all has been encoded. */
static void test_events(void **unused)
{
    (void)unused;
    struct harness h;
    struct seen s;
    recording_start(&h, "recorded");
    watch(&s, &h);
    harness_finish(&h, hc_ms(20000));
    assert_int_equal(harness_get(&h, "rounds", 0), 300);
    harness_run(&h, hc_ms(500));
    /* The program's own counts: none is missing, but for a handler or a read that has just begun. */
    unsigned handled = (unsigned)harness_get(&h, "interrupts", 0) + (unsigned)harness_get(&h, "vectors", 0);
    unsigned seen = (unsigned)harness_get(&h, "reads", 0);
    assert_in_range(s.last, handled, handled + 1);
    assert_in_range(s.last_value, seen, seen + 1);
    assert_true(s.last - s.first < 32 && s.last_value - s.first_value < 64); /* the rest is in the ring */
    assert_true(s.reads > 1000);
    assert_true(s.asleep > 100);
    assert_true(s.interrupts > s.asleep);
    harness_stop(&h);
}

static void test_pages(void **unused)
{
    (void)unused;
    struct harness h;
    int count;
    recording_start(&h, "recorded");
    harness_finish(&h, hc_ms(20000));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    assert_true(count >= 3);
    int boot = 0;
    while (p[boot].stream == HC_STREAM_CHECKPOINT)
        boot++;
    assert_int_equal(boot, 1);
    assert_int_equal(p[boot].stream, HC_STREAM_BOOT);
    assert_int_equal(p[boot].payload[0], HC_TRACE_VERSION);
    assert_int_equal(p[boot].payload[2], 0xb0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(p[i].sequence, i);
        assert_int_equal(p[i].address, i * 256);
        if (i > boot)
            assert_int_equal(p[i].stream, HC_STREAM_MIXED);
    }
    free(p);
    harness_stop(&h);
}

/* The program forgets its limit when it starts. */
static void keep_going(struct harness *h)
{
    harness_run(h, hc_ms(200));
    harness_set(h, "limit", 0, 60000);
    harness_set(h, "interval", 0, 150);
}

/* How deep the recorder's stack gets, interrupts included. */
struct depth {
    uint32_t bottom, top, lowest, at;
};

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct depth *d = owner;
    uint32_t sp = hc_register(m, HC_SP);
    if (sp <= d->top && sp >= d->bottom && sp < d->lowest) {
        d->lowest = sp;
        d->at = pc;
    }
}

static void measure_stack(const char *name)
{
    struct harness h;
    recording_start(&h, name);
    keep_going(&h);
    uint32_t ram = harness_address(&h, "__hc_ram");
    struct depth d = { ram + HC_RAM_RING, ram + HC_RAM_STACK_TOP, ram + HC_RAM_STACK_TOP, 0 };
    hc_hook_retire(h.machine, retired, &d);
    for (int i = 0; i < 60; i++) {
        harness_set(&h, "interval", 0, (uint16_t)(60 + i * 5)); /* often too fast, so that events are lost */
        harness_run(&h, hc_ms(100));
        if (i == 30) {
            recording_set_free(&h, 0x180);
            recording_restart(&h, HC_PUC);
            keep_going(&h);
        }
        if (i % 10 == 5)
            harness_set(&h, "wishes", 0, i == 45 ? 1 : 2);
    }
    print_message("stack, %s: %u of %u bytes, deepest at 0x%04x\n", name, d.top - d.lowest, HC_STACK, d.at);
    assert_true(d.top - d.lowest <= HC_STACK);
    harness_stop(&h);
}

static void test_stack(void **unused)
{
    (void)unused;
    measure_stack("small_log");
    measure_stack("in_flash");
    measure_stack("on_uart");
}

/* ---- checkpoints ---- */

/* What a segment begins with: records of its pages, the later ones last. What none of them names is zero. */
struct beginning {
    uint8_t stream[0x10000], memory[0x10000];
    size_t length;
    uint16_t peripheral[0x200];
    int peripherals;
    bool valid;
};

static uint16_t word_at(const uint8_t *bytes, size_t at)
{
    return (uint16_t)(bytes[at] | bytes[at + 1] << 8);
}

static void take_record(struct beginning *b, uint16_t address, const uint8_t *bytes, uint16_t length)
{
    enum { PERIPHERALS = 1 };
    assert_int_equal(length % 2, 0);
    if (address != PERIPHERALS) {
        memcpy(b->memory + address, bytes, length);
        return;
    }
    b->peripherals = length / 2;
    for (int i = 0; i < b->peripherals; i++)
        b->peripheral[i] = word_at(bytes, 2 * (size_t)i);
}

static void read_beginning(struct beginning *b, const struct recording_page *p, int count, uint16_t segment)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < count; i++) {
        if (p[i].segment != segment)
            continue;
        b->valid |= recording_is_commit(&p[i]);
        if (p[i].stream != HC_STREAM_CHECKPOINT)
            continue;
        assert_true(b->length + p[i].length <= sizeof b->stream);
        memcpy(b->stream + b->length, p[i].payload, p[i].length);
        b->length += p[i].length;
    }
    for (size_t at = 0; at + 4 <= b->length;) {
        uint16_t length = word_at(b->stream, at + 2);
        if (at + 4 + length <= b->length)
            take_record(b, word_at(b->stream, at), b->stream + at + 4, length);
        else
            assert_false(b->valid); /* a page is still to come */
        at += 4u + length;
    }
}

/* The machine's memory at the moment at which a checkpoint is taken: the segment's number changes. */
struct instant {
    struct harness *h;
    uint8_t memory[0x10000];
    uint16_t segment, lowest; /* below, memory that nobody uses has something of the recorder's */
    bool taken;
};

static enum hc_action at_checkpoint(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct instant *i = owner;
    if (access->value == access->before || i->taken)
        return HC_CONTINUE;
    for (uint32_t a = 0; a < 0x3900; a++)
        if (a < 0x0200 || a >= 0x1100)
            i->memory[a] = hc_peek(m, a);
    i->segment = access->value;
    i->lowest = hc_peek16(m, harness_address(i->h, "__hc_ram") + HC_RAM_LOWEST);
    i->taken = true;
    return HC_CONTINUE;
}

static void check_range(const struct beginning *b, const struct instant *i, uint32_t start, uint32_t end)
{
    for (uint32_t a = start; a < end; a += 2)
        if (word_at(b->memory, a) != word_at(i->memory, a))
            fail_msg("segment %u: 0x%04x is 0x%04x in the checkpoint, was 0x%04x", i->segment, a, word_at(b->memory, a),
                     word_at(i->memory, a));
}

/* Registers that the program has set are what they were. */
static void check_peripherals(struct harness *h, const struct beginning *b)
{
    struct hc_symbol table;
    uint32_t address = 0;
    int taken = 0;
    bool found = false;
    assert_true(hc_image_symbol(h->image, "__hc_dump", &table));
    for (uint32_t at = table.address; at < table.address + table.size; at += 2) {
        address += hc_peek(h->machine, at);
        for (int n = hc_peek(h->machine, at + 1); n; n--, taken++) {
            if (address == 0x0182) { /* TBCCTL0: CCIE */
                assert_int_equal(b->peripheral[taken] & 0x10, 0x10);
                found = true;
            }
            address += address < 0x0100 ? 1 : 2;
        }
    }
    assert_int_equal(taken, b->peripherals);
    assert_true(found);
}

/* Returns from where on the stack's memory is in it. */
static uint16_t check_checkpoint(struct harness *h, const struct instant *i)
{
    static struct beginning b;
    int count;
    struct recording_page *p = recording_pages(h->board->flash, &count);
    read_beginning(&b, p, count, i->segment);
    free(p);
    assert_true(b.valid);
    check_peripherals(h, &b);
    uint32_t link = harness_address(h, "__hc_link"), free_start = hc_peek16(h->machine, link + HC_LINK_FREE);
    for (uint32_t k = 0; k < HC_PIECES; k++)
        check_range(&b, i, hc_peek16(h->machine, link + HC_LINK_PIECES + 4 * k),
                    hc_peek16(h->machine, link + HC_LINK_PIECES + 4 * k + 2));
    uint32_t rest = i->lowest > free_start ? i->lowest : free_start;
    for (uint32_t a = free_start; a < rest; a++)
        assert_int_equal(b.memory[a], 0);
    check_range(&b, i, rest, 0x3900);
    return (uint16_t)rest;
}

/* Where the program is asked for a checkpoint. Memory is not changed while the recorder copies it. */
static void ask_for_checkpoint(struct harness *h, struct instant *i)
{
    while (hc_peek16(h->machine, harness_address(h, "__hc_ram") + HC_RAM_STATE))
        harness_run(h, hc_us(100));
    i->taken = false;
    harness_set(h, "wishes", 0, 2);
}

static void wait_for_checkpoint(struct harness *h, struct instant *i)
{
    ask_for_checkpoint(h, i);
    for (int ms = 0; !i->taken && ms < 5000; ms++)
        harness_run(h, hc_ms(1));
    assert_true(i->taken);
}

static void start_busy(struct harness *h, struct instant *i, uint16_t interval, uint32_t free)
{
    *i = (struct instant){ .h = h };
    recording_start(h, "recorded");
    if (free) {
        recording_set_free(h, free);
        recording_restart(h, HC_POR);
        for (uint32_t a = 0x3900 - free - 1200; a < 0x3900 - free; a++)
            hc_poke(h->machine, a, (uint8_t)(a * 7)); /* more than there is room for */
    }
    harness_run(h, hc_ms(300));
    harness_set(h, "limit", 0, 60000);
    harness_set(h, "interval", 0, interval);
    harness_run(h, hc_ms(200));
    uint32_t segment = harness_address(h, "__hc_segment");
    hc_hook_access(h->machine, segment, segment + 1, HC_WATCH_WRITE, at_checkpoint, i);
}

/* Memory that was zero when it was looked at, and has small numbers when the checkpoint is taken, whose plain sums are
 * 0: the lowest block of the stack's region is a margin that the program does not use. */
static void test_was_zero(void **unused)
{
    (void)unused;
    enum { ALL_COPIED = 1, WORDS = 4 };
    static const uint16_t words[][WORDS] = { { 0xffff, 1, 1 }, { 0xffff, 1, 0 }, { 0, 0xffff, 1, 1 },
                                             { 1, 0xfffe, 1 }, { 1, 0xffff },    { 0, 0, 0, 1 } };
    static struct instant i;
    struct harness h;
    start_busy(&h, &i, 3000, 0);
    uint32_t ram = harness_address(&h, "__hc_ram");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        ask_for_checkpoint(&h, &i);
        while (hc_peek16(h.machine, ram + HC_RAM_COPIED) != ALL_COPIED)
            harness_run(&h, hc_us(20));
        assert_false(i.taken);
        uint32_t lowest = hc_peek16(h.machine, ram + HC_RAM_LOWEST);
        for (uint32_t a = 0; a < 2 * WORDS; a++) {
            assert_int_equal(hc_peek(h.machine, lowest + a), 0);
            hc_poke(h.machine, lowest + a, (uint8_t)(words[k][a / 2] >> 8 * (a % 2)));
        }
        harness_run(&h, hc_ms(4000));
        assert_true(i.taken);
        check_checkpoint(&h, &i);
    }
    harness_stop(&h);
}

/* Checkpoints at many phases of the interrupts, which come at up to some hundred a second, are what memory was. */
static void test_checkpoint(void **unused)
{
    (void)unused;
    static const uint16_t intervals[] = { 3000, 300, 100, 33 };
    for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
        struct harness h;
        static struct instant i;
        start_busy(&h, &i, intervals[k], 0);
        uint16_t first = 0;
        for (int round = 1; round <= 5; round++) {
            wait_for_checkpoint(&h, &i);
            harness_run(&h, hc_ms(4000)); /* its pages are written one by one */
            uint16_t rest = check_checkpoint(&h, &i);
            assert_true(round == 1 || rest + 32 > first); /* nothing but the stack was left in memory */
            first = round == 1 ? rest : first;
        }
        harness_stop(&h);
    }
}

/* Where memory has no room for it a checkpoint is given up: the segment goes on, and nothing is lost. */
static void test_no_room(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t interval;
        uint32_t free;
        bool heap; /* the program uses free memory from below, too */
    } cases[] = { { 300, 0x200, false }, { 100, 0x180, false }, { 300, 0x800, true } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct harness h;
        static struct instant i;
        start_busy(&h, &i, cases[k].interval, cases[k].free);
        uint32_t heap = 0x3900 - cases[k].free, ram = harness_address(&h, "__hc_ram");
        if (cases[k].heap)
            hc_poke16(h.machine, heap, 0xbeef);
        harness_set(&h, "wishes", 0, 2);
        harness_run(&h, hc_ms(4000));
        assert_false(i.taken);
        assert_int_equal(hc_peek16(h.machine, ram + HC_RAM_WORK) & HC_WORK_CHECKPOINT, 0);
        assert_int_equal(hc_peek16(h.machine, ram + HC_RAM_COPIED), 0);
        assert_in_range(hc_peek16(h.machine, ram + HC_RAM_ROOM), 0, HC_ROOM);
        if (cases[k].heap)
            assert_int_equal(hc_peek16(h.machine, heap), 0xbeef);
        harness_stop(&h);
    }
}

/* A stack that comes where a checkpoint waits: it is void, and another one is taken. */
static void test_spoilt(void **unused)
{
    (void)unused;
    struct harness h;
    static struct instant i;
    static struct beginning b;
    int count;
    start_busy(&h, &i, 3000, 0);
    wait_for_checkpoint(&h, &i);
    harness_run(&h, hc_ms(1)); /* that update ends */
    uint16_t void_segment = i.segment;
    uint16_t made = hc_peek16(h.machine, harness_address(&h, "__hc_ram") + HC_RAM_MADE);
    assert_true(made > 0);
    hc_poke(h.machine, made - 2u, (uint8_t)(hc_peek(h.machine, made - 2u) ^ 4));
    i.taken = false;
    harness_run(&h, hc_ms(8000));
    assert_true(i.taken);
    assert_int_equal(i.segment, void_segment + 1);
    check_checkpoint(&h, &i);
    struct recording_page *p = recording_pages(h.board->flash, &count);
    read_beginning(&b, p, count, void_segment);
    assert_true(b.length > 0 && !b.valid);
    free(p);
    harness_stop(&h);
}

/* Round the whole chip, and again: at any time the newest stretch is there, each sector but the youngest has a whole
 * checkpoint, and numbers are without a gap. */
static void test_reuse(void **unused)
{
    (void)unused;
    struct harness h;
    int count;
    recording_start(&h, "small_log");
    keep_going(&h);
    harness_run(&h, hc_ms(700000));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    assert_true(p[0].sequence > 500);
    int commits = 0;
    for (int i = 0; i < count; i++) {
        commits += recording_is_commit(&p[i]);
        if (i && p[i].sequence != p[i - 1].sequence + 1)
            fail_msg("page %u follows page %u", p[i].sequence, p[i - 1].sequence);
    }
    assert_true(count > 128);
    assert_true(commits >= 1);
    print_message("reuse: pages %u to %u, %d checkpoints\n", p[0].sequence, p[count - 1].sequence, commits);
    free(p);
    harness_stop(&h);
}

static int commits_of(struct harness *h)
{
    int count, commits = 0;
    struct recording_page *p = recording_pages(h->board->flash, &count);
    for (int i = 0; i < count; i++)
        commits += recording_is_commit(&p[i]);
    free(p);
    return commits;
}

/* A node that loses events soon after each checkpoint, as it has not caught up with what came meanwhile, does not spend
 * all its time on checkpoints, and records again when it has time. */
static void test_overload(void **unused)
{
    (void)unused;
    struct harness h;
    static struct instant i;
    int taken[4] = { 0 }, recording = 0;
    start_busy(&h, &i, 500, 0);
    uint32_t room = harness_address(&h, "__hc_ram") + HC_RAM_ROOM;
    hc_poke16(h.machine, room, HC_ROOM_LOST);
    for (int ms = 0; ms < 40000; ms += 10) { /* attempts come at twice the distance each time, up to 9 s here */
        harness_run(&h, hc_ms(10));
        taken[ms / 10000] += i.taken;
        if (i.taken && ms < 20000)
            hc_poke16(h.machine, room, HC_ROOM_LOST);
        i.taken = false;
        recording += ms >= 30000 && (int16_t)hc_peek16(h.machine, room) >= 0;
    }
    print_message("overload: %d checkpoints in 10 s, then %d, then %d, %d\n", taken[0], taken[1], taken[2], taken[3]);
    assert_true(taken[0] <= 30 && taken[1] <= 20 && taken[2] + taken[3] >= 1);
    assert_true(recording > 500); /* of 1000 times */
    harness_stop(&h);
}

static void test_checkpoint_later(void **unused)
{
    (void)unused;
    struct harness h;
    recording_start(&h, "recorded");
    keep_going(&h);
    harness_run(&h, hc_ms(1000));
    int before = commits_of(&h);
    harness_set(&h, "wishes", 0, 8);
    harness_run(&h, hc_ms(2000));
    uint16_t rounds = harness_get(&h, "rounds", 0);
    harness_run(&h, hc_ms(500));
    assert_int_not_equal(harness_get(&h, "rounds", 0), rounds);
    assert_int_equal(commits_of(&h), before + 1);
    harness_stop(&h);
}

/* A frozen log keeps what it has, over resets, and ends when it is full; the program goes on. */
static void test_freeze(void **unused)
{
    (void)unused;
    struct harness h;
    int count, later;
    recording_start(&h, "small_log");
    keep_going(&h);
    harness_run(&h, hc_ms(25000));
    harness_set(&h, "wishes", 0, 1);
    harness_run(&h, hc_ms(500));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    int marks = 0;
    for (int i = 0; i < count; i++)
        if (p[i].stream == HC_STREAM_MARK) {
            marks++;
            assert_int_equal(p[i].payload[0], 77);
        }
    assert_int_equal(marks, 1);
    recording_restart(&h, HC_PUC);
    keep_going(&h);
    harness_run(&h, hc_ms(300000));
    uint16_t rounds = harness_get(&h, "rounds", 0);
    harness_run(&h, hc_ms(1000));
    assert_int_not_equal(harness_get(&h, "rounds", 0), rounds);
    struct recording_page *q = recording_pages(h.board->flash, &later);
    assert_true(later >= count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(q[i].sequence, p[i].sequence);
        assert_memory_equal(q[i].payload, p[i].payload, p[i].length);
    }
    int full = later;
    free(q);
    harness_run(&h, hc_ms(5000));
    q = recording_pages(h.board->flash, &later);
    assert_int_equal(later, full);
    free(p);
    free(q);
    harness_stop(&h);
}

/* What does not hold freezes, and the log says where it is written. */
static void test_invariant(void **unused)
{
    (void)unused;
    struct harness h;
    int count, marks = 0;
    recording_start(&h, "small_log");
    keep_going(&h);
    harness_run(&h, hc_ms(1000));
    harness_set(&h, "wishes", 0, 4);
    harness_run(&h, hc_ms(500));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    for (int i = 0; i < count; i++)
        if (p[i].stream == HC_STREAM_MARK) {
            marks++;
            assert_int_equal(p[i].payload[0] | p[i].payload[1] << 8, harness_get(&h, "invariant_line", 0));
        }
    assert_int_equal(marks, 1);
    free(p);
    harness_stop(&h);
}

/* Boots are numbered, and each begins a segment. */
static void test_boots(void **unused)
{
    (void)unused;
    struct harness h;
    int count;
    recording_start(&h, "recorded");
    for (int boot = 0; boot < 5; boot++) {
        harness_run(&h, hc_ms(2500));
        if (boot % 2)
            hc_machine_power_off(h.machine, (uint64_t)boot);
        recording_restart(&h, boot % 2 ? HC_POR : HC_PUC);
    }
    harness_run(&h, hc_ms(2500));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    int boots = 0;
    for (int i = 0; i < count; i++)
        if (p[i].stream == HC_STREAM_BOOT) {
            assert_int_equal(p[i].boot, boots);
            assert_true(p[i].segment >= boots);
            boots++;
        }
    assert_int_equal(boots, 6);
    free(p);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),     cmocka_unit_test(test_pages),     cmocka_unit_test(test_stack),
        cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_no_room),   cmocka_unit_test(test_spoilt),
        cmocka_unit_test(test_overload),   cmocka_unit_test(test_reuse),     cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_boots),      cmocka_unit_test(test_invariant), cmocka_unit_test(test_checkpoint_later),
        cmocka_unit_test(test_was_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
