/* A program records to the emulated flash chip: what reaches the codec is what happened, and the log is in order. */
#include "part.h"
#include "ring.h"
#include "runtime/recording.h"

#include "layout.h"
#include "link.h"

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

static enum hc_action on_read(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    (void)pc;
    s->reads++;
    uint16_t value = (uint16_t)hc_register(m, 7), expected = s->values[s->first_value++ % QUEUE];
    if (value != expected)
        fail_msg("read %u: 0x%04x instead of 0x%04x", s->reads, value, expected);
    return HC_CONTINUE;
}

static enum hc_action on_interrupt(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    uint16_t tag = (uint16_t)hc_register(m, 6), came = (uint16_t)hc_register(m, 7);
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
    if (hc_peek16(m, ram + 10) & 1) /* in the recorder */
        pc = harness_address(s->h, "__hc_cut_resume");
    s->queue[s->last++ % QUEUE] = (uint32_t)vector << 16 | pc;
}

static void watch(struct seen *s, struct harness *h)
{
    *s = (struct seen){ .h = h };
    hc_hook_pc(h->machine, harness_address(h, "__hc_cut_read_end"), returned, s);
    hc_hook_pc(h->machine, harness_address(h, "__hc_code_read"), on_read, s);
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
    assert_int_equal(s.last, s.interrupts + (s.last - s.first));
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
    assert_int_equal(p[0].stream, HC_STREAM_BOOT);
    assert_int_equal(p[0].payload[0], HC_TRACE_VERSION);
    assert_int_equal(p[0].payload[2], 0xb0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(p[i].sequence, i);
        assert_int_equal(p[i].address, i * 256);
        if (i)
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

static void test_stack(void **unused)
{
    (void)unused;
    struct harness h;
    recording_start(&h, "small_log");
    keep_going(&h);
    uint32_t ram = harness_address(&h, "__hc_ram");
    struct depth d = { ram, ram + HC_RAM_STACK_TOP, ram + HC_RAM_STACK_TOP, 0 };
    hc_hook_retire(h.machine, retired, &d);
    for (int i = 0; i < 60; i++) {
        harness_set(&h, "interval", 0, (uint16_t)(60 + i * 5)); /* often too fast, so that events are lost */
        harness_run(&h, hc_ms(100));
        if (i % 10 == 5)
            harness_set(&h, "wishes", 0, i == 45 ? 1 : 2);
    }
    print_message("stack: %u of %u bytes, deepest at 0x%04x\n", d.top - d.lowest, HC_STACK, d.at);
    assert_true(d.top - d.lowest <= HC_STACK);
    harness_stop(&h);
}

/* ---- checkpoints ---- */

/* Memory as the chunks of SEGMENT say, and whether its commit is there. */
static bool rebuild(const struct recording_page *p, int count, uint16_t segment, uint8_t memory[0x10000])
{
    bool committed = false;
    memset(memory, 0, 0x10000);
    for (int i = 0; i < count; i++) {
        if (p[i].segment != segment)
            continue;
        if (recording_is_commit(&p[i]))
            committed = true;
        if (p[i].stream == HC_STREAM_CHECKPOINT) {
            uint16_t address = (uint16_t)(p[i].payload[0] | p[i].payload[1] << 8);
            memcpy(memory + address, p[i].payload + 2, (size_t)(p[i].length - 2));
        }
    }
    return committed;
}

/* The machine's memory at the moment at which a checkpoint becomes valid: the segment's number changes. */
struct instant {
    struct harness *h;
    uint8_t memory[0x10000];
    uint16_t segment, sp;
    uint8_t registers[26];
    bool taken;
};

static enum hc_action at_commit(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct instant *i = owner;
    if (access->value == access->before || access->before == 0xffff || i->taken)
        return HC_CONTINUE;
    for (uint32_t a = 0x1100; a < 0x3900; a++)
        i->memory[a] = hc_peek(m, a);
    for (uint32_t k = 0; k < sizeof i->registers; k++)
        i->registers[k] = hc_peek(m, harness_address(i->h, "__hc_ram") + HC_RAM_APPLICATION + k);
    i->segment = access->value;
    i->taken = true;
    return HC_CONTINUE;
}

/* Its pages waited here when the checkpoint became valid: it was zero before. */
static bool has_waited(uint32_t unused, uint32_t address, uint8_t value)
{
    enum { PAGES = 8 };
    return address >= unused && address < unused + PAGES * HC_PAGE_SIZE && value == 0;
}

static void check_checkpoint(struct harness *h, const struct instant *i)
{
    static uint8_t memory[0x10000];
    int count;
    struct recording_page *p = recording_pages(h->board->flash, &count);
    assert_true(rebuild(p, count, i->segment, memory));
    uint32_t own = harness_address(h, "__hc_ram"), end = harness_address(h, "__hc_ram_end");
    uint32_t unused = hc_peek16(h->machine, harness_address(h, "__hc_link") + HC_LINK_FREE);
    for (uint32_t a = 0x1100; a < 0x3900; a++)
        if ((a < own || a >= end) && memory[a] != i->memory[a] && !has_waited(unused, a, memory[a]))
            fail_msg("segment %u: 0x%04x is 0x%02x in the checkpoint, was 0x%02x", i->segment, a, memory[a],
                     i->memory[a]);
    for (int k = 0; k < count; k++) {
        const uint8_t *state = p[k].payload + 10;
        if (!recording_is_commit(&p[k]) || p[k].segment != i->segment)
            continue;
        int size = p[k].length - 10;
        assert_memory_equal(state, i->registers, sizeof i->registers);
        int at = 26; /* TBCCTL0 by the list of registers in the image */
        for (uint32_t d = harness_address(h, "__hc_dump"); hc_peek16(h->machine, d + 2); d += 4) {
            if (hc_peek16(h->machine, d) == 0x0182 - 2)
                assert_int_equal(state[at + 2] & 0x10, 0x10); /* CCIE */
            at += hc_peek16(h->machine, d + 2);
        }
        assert_int_equal(at, size);
    }
    free(p);
}

/* Checkpoints at many phases of the interrupts, which come at up to some hundred a second, are what memory was. */
static void test_checkpoint(void **unused)
{
    (void)unused;
    static const uint16_t intervals[] = { 3000, 300, 100, 33 };
    for (int k = 0; k < 4; k++) {
        struct harness h;
        static struct instant i;
        i = (struct instant){ .h = &h };
        recording_start(&h, "recorded");
        harness_run(&h, hc_ms(300));
        harness_set(&h, "limit", 0, 60000);
        harness_set(&h, "interval", 0, intervals[k]);
        harness_run(&h, hc_ms(200));
        uint32_t segment = harness_address(&h, "__hc_segment");
        hc_hook_access(h.machine, segment, segment + 1, HC_WATCH_WRITE, at_commit, &i);
        for (int round = 1; round <= 5; round++) {
            i.taken = false;
            harness_set(&h, "wishes", 0, 2);
            for (int ms = 0; !i.taken && ms < 5000; ms++)
                harness_run(&h, hc_ms(1));
            assert_true(i.taken);
            harness_run(&h, hc_ms(4000)); /* its pages are written one by one */
            check_checkpoint(&h, &i);
        }
        harness_stop(&h);
    }
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
        harness_run(&h, hc_ms(300));
        if (boot % 2)
            hc_machine_power_off(h.machine, (uint64_t)boot);
        recording_restart(&h, boot % 2 ? HC_POR : HC_PUC);
    }
    harness_run(&h, hc_ms(300));
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
        cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_reuse),     cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_boots),      cmocka_unit_test(test_invariant), cmocka_unit_test(test_checkpoint_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
