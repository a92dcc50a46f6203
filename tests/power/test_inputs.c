/* What was measured, and when it is used: the rules by direct calls, then values that are followed through random
 * instructions, against an oracle that knows nothing of instructions: the same program is run with another value of the
 * input, and whatever differs must have its label. A failing one prints its number, which `test_inputs NUMBER` runs
 * alone. */
#include "choice.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/interactions/inputs.h"
#include "writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEMPERATURE, AVERAGE };

static const struct hc_power_input inputs[] = {
    [TEMPERATURE] = { .name = "temperature", .address = 0xc000, .size = 2 },
    [AVERAGE] = { .name = "average", .address = 0xc002, .size = 2, .long_term = true },
};

/* Figure 2: acquired, a checkpoint, used. */
static void across_a_checkpoint(void **state)
{
    const struct hc_input_finding *f;
    struct hc_power_inputs *i = hc_power_inputs_new(inputs, 2, 0, false);

    (void)state;
    hc_power_inputs_read(i, TEMPERATURE, 0x4400, HC_NO_LABELS); /* before anything was acquired: of no interest */
    uint32_t value = hc_power_inputs_acquired(i, TEMPERATURE, 0x4402, HC_NO_LABELS);
    hc_power_inputs_read(i, TEMPERATURE, 0x4404, value);
    assert_int_equal(hc_power_inputs_findings(i, &f), 0);
    hc_power_inputs_checkpoint(i, 100);
    hc_power_inputs_read(i, TEMPERATURE, 0x4406, value);
    hc_power_inputs_checkpoint(i, 200);
    hc_power_inputs_read(i, TEMPERATURE, 0x4406, value);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    assert_int_equal(f->use, 0x4406);
    assert_int_equal(f->acquisition, 0x4402);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->checkpoints, 2);
    value = hc_power_inputs_acquired(i, TEMPERATURE, 0x4402, HC_NO_LABELS); /* anew */
    hc_power_inputs_read(i, TEMPERATURE, 0x4408, value);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    hc_power_inputs_free(i);
}

/* In the other direction: meant to survive, but used at once only. */
static void long_term(void **state)
{
    const struct hc_input_finding *f;
    struct hc_power_inputs *i = hc_power_inputs_new(inputs, 2, 0, false);

    (void)state;
    uint32_t value = hc_power_inputs_acquired(i, AVERAGE, 0x4400, HC_NO_LABELS);
    hc_power_inputs_read(i, AVERAGE, 0x4402, value);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    assert_int_equal(f->checkpoints, 0);
    hc_power_inputs_checkpoint(i, 100);
    hc_power_inputs_read(i, AVERAGE, 0x4404, value);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    hc_power_inputs_free(i);
}

static void checkpoints_anywhere(void **state)
{
    const struct hc_input_finding *f;
    struct hc_power_inputs *i = hc_power_inputs_new(inputs, 2, 5000, false);

    (void)state;
    uint32_t now = hc_power_inputs_acquired(i, TEMPERATURE, 0x4400, HC_NO_LABELS);
    uint32_t mean = hc_power_inputs_acquired(i, AVERAGE, 0x4400, HC_NO_LABELS);
    hc_power_inputs_read(i, TEMPERATURE, 0x4402, now);
    hc_power_inputs_read(i, AVERAGE, 0x4404, mean);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    assert_int_equal(f->input, TEMPERATURE);
    hc_power_inputs_free(i);
}

/* A copy of the variable ages as the variable does; what was judged when it was read is not judged again. */
static void copies(void **state)
{
    const struct hc_input_finding *f;
    struct hc_power_inputs *i = hc_power_inputs_new(inputs, 2, 0, false);

    (void)state;
    uint32_t value = hc_power_inputs_acquired(i, TEMPERATURE, 0x4400, HC_NO_LABELS);
    uint32_t copy = hc_power_inputs_read(i, TEMPERATURE, 0x4402, value);
    hc_power_inputs_used(i, HC_USE_BRANCH, 0x4404, copy);
    assert_int_equal(hc_power_inputs_findings(i, &f), 0);
    hc_power_inputs_checkpoint(i, 100);
    hc_power_inputs_used(i, HC_USE_BRANCH, 0x4406, copy);
    assert_int_equal(hc_power_inputs_findings(i, &f), 1);
    assert_int_equal(f->kind, HC_USE_BRANCH);
    copy = hc_power_inputs_read(i, TEMPERATURE, 0x4408, value);
    hc_power_inputs_used(i, HC_USE_BRANCH, 0x440a, copy); /* one warning a use: it is the read that was late */
    assert_int_equal(hc_power_inputs_findings(i, &f), 2);
    /* stored anew, it is as old as it was */
    uint32_t late = hc_power_inputs_acquired(i, AVERAGE, 0x440c, copy);
    hc_power_inputs_read(i, AVERAGE, 0x440e, late);
    assert_int_equal(hc_power_inputs_findings(i, &f), 2); /* long-term, as expected of it */
    hc_power_inputs_free(i);
}

/* ---- values through instructions ---- */

enum { PROGRAMS = 1500, STEPS = 24, START = 0x4400, MAIN = 0x4800, DATA = 0xc000, DATA_BYTES = 12, STACK = 0xff80 };
enum { INPUT = 0x1d00 };

static unsigned somewhere(struct writer *w)
{
    return DATA + 2 * random_below(w, DATA_BYTES / 2);
}

/* Between registers R5..R8, data and constants, of bytes, words and 20 bits. */
static void random_instruction(struct writer *w)
{
    unsigned b = random_below(w, 2) << 6, r = 5 + random_below(w, 4), s = 5 + random_below(w, 4);
    unsigned op = (4 + random_below(w, 12)) << 12;

    switch (random_below(w, 13)) {
    case 0:
    case 1: /* op Rs, Rr */
        word(w, op | s << 8 | b | r);
        break;
    case 2: /* op &a, Rr */
        word(w, op | 0x0210 | b | r);
        word(w, somewhere(w));
        break;
    case 3: /* op Rs, &a */
        word(w, op | s << 8 | 0x82 | b);
        word(w, somewhere(w));
        break;
    case 4: /* op &a, &b */
        word(w, op | 0x0292 | b);
        word(w, somewhere(w));
        word(w, somewhere(w));
        break;
    case 5: /* op #n, Rr */
        word(w, op | 0x0030 | b | r);
        word(w, random_below(w, 4) ? random_below(w, 65536) : 0xff00);
        break;
    case 6: /* RRC, SWPB, RRA, SXT Rr */
        word(w, 0x1000 | random_below(w, 4) << 7 | r);
        break;
    case 7: /* PUSH Rs, POP Rr */
        word(w, 0x1200 | s);
        word(w, 0x4130 | r);
        break;
    case 8: /* PUSHM #2, Rs; POPM #2 of 16 or of 20 bits */
        word(w, (b ? 0x1400 : 0x1500) | 1 << 4 | (s | 1));
        word(w, (b ? 0x1600 : 0x1700) | 1 << 4 | (r & ~1u));
        break;
    case 9: /* MOVA, CMPA, ADDA, SUBA Rs, Rr */
        word(w, 0x00c0 | random_below(w, 4) << 4 | s << 8 | r);
        break;
    case 10: /* RRCM, RRAM, RLAM, RRUM #1..4, Rr */
        word(w, 0x0040 | random_below(w, 16) << 8 | (b ? 0x10 : 0) | r);
        break;
    case 11: /* MOV Rs, &MPY or &MAC; MOV Rr, &OP2; MOV &RESLO or &RESHI, Rr */
        word(w, 0x4082 | s << 8);
        word(w, b ? 0x04c0 : 0x04c4);
        word(w, 0x4082 | r << 8);
        word(w, 0x04c8);
        word(w, 0x4210 | r);
        word(w, 0x04ca + 2 * random_below(w, 2));
        break;
    default: /* the input */
        word(w, 0x4210 | b | r);
        word(w, INPUT);
        break;
    }
}

static struct hc_launchpad *board_of(unsigned number, uint16_t input)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    struct writer w = { .m = board->machine, .seed = number * 7919u + 11, .at = START };

    static const uint16_t start[] = { 0x4031, STACK, 0x40b2, 0x5a80, 0x015c, 0x40b2, 0, INPUT, 0x12b0, MAIN, 0x3fff };
    for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
        word(&w, i == 6 ? input : start[i]);
    w.at = MAIN;
    for (unsigned r = 5; r < 9; r++) { /* MOV #n, Rr */
        word(&w, 0x4030 | r);
        word(&w, random_below(&w, 65536));
    }
    for (int i = 0; i < STEPS; i++)
        random_instruction(&w);
    word(&w, 0x4130);
    hc_poke16(w.m, 0xfffe, START);
    for (uint32_t i = 0; i < DATA_BYTES; i++)
        hc_poke(w.m, DATA + i, (uint8_t)random_below(&w, 256));
    hc_machine_reset(w.m, HC_POR);
    return board;
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static uint32_t label_of_input(void *owner, uint32_t address, uint32_t pc, uint32_t set)
{
    struct hc_labels *labels = owner;
    struct hc_label label = { .acquisition = pc };

    return address - INPUT < 2 ? hc_labels_single(labels, &label) : set;
}

static uint32_t unchanged(void *owner, uint32_t address, uint32_t pc, uint32_t set)
{
    (void)owner;
    (void)address;
    (void)pc;
    return set;
}

static void ignore_use(void *owner, enum hc_use use, uint32_t pc, uint32_t set)
{
    (void)owner;
    (void)use;
    (void)pc;
    (void)set;
}

/* Where the two runs differ there are labels; how many have labels and do not differ goes to *SPARE. */
static void compare(unsigned number, uint16_t one, uint16_t other, unsigned *spare, unsigned *differing)
{
    static const struct hc_taint_ops ops = { label_of_input, unchanged, ignore_use };
    struct hc_launchpad *a = board_of(number, one), *b = board_of(number, other);
    struct hc_labels *labels = hc_labels_new();
    struct hc_taint *taint = hc_taint_new(a->machine, labels, &ops, labels);

    hc_hook_pc(a->machine, START + 20, stop_here, NULL);
    hc_hook_pc(b->machine, START + 20, stop_here, NULL);
    assert_int_equal(hc_machine_run(a->machine, HC_SECOND), HC_STOP_HOOK);
    assert_int_equal(hc_machine_run(b->machine, HC_SECOND), HC_STOP_HOOK);
    for (int r = 5; r < 9; r++) {
        bool differs = hc_register(a->machine, r) != hc_register(b->machine, r);
        if (differs && hc_taint_register(taint, r) == HC_NO_LABELS)
            fail_msg("program %u: R%d is 0x%05x or 0x%05x and has no label", number, r,
                     (unsigned)hc_register(a->machine, r), (unsigned)hc_register(b->machine, r));
        *differing += differs;
        *spare += !differs && hc_taint_register(taint, r) != HC_NO_LABELS;
    }
    for (uint32_t i = 0; i < DATA_BYTES; i++) {
        bool differs = hc_peek(a->machine, DATA + i) != hc_peek(b->machine, DATA + i);
        bool labelled = hc_taint_byte(taint, DATA + i) != HC_NO_LABELS;
        if (differs && !labelled)
            fail_msg("program %u: byte %u differs and has no label", number, (unsigned)i);
        *differing += differs;
        *spare += labelled && !differs;
    }
    uint32_t flags = HC_SR_C | HC_SR_Z | HC_SR_N | HC_SR_V;
    uint32_t differing_flags = (hc_register(a->machine, HC_SR) ^ hc_register(b->machine, HC_SR)) & flags;
    if (differing_flags && hc_taint_flags(taint) == HC_NO_LABELS)
        fail_msg("program %u: flags 0x%03x differ and have no label", number, (unsigned)differing_flags);
    hc_taint_free(taint);
    hc_labels_free(labels);
    hc_launchpad_free(a);
    hc_launchpad_free(b);
}

static struct choice choice;

static void random_instructions(void **state)
{
    unsigned spare = 0, differing = 0;

    (void)state;
    for (unsigned i = choice.first; i < choice.end; i++)
        compare(i, (uint16_t)(i * 40503u), (uint16_t)~(i * 40503u), &spare, &differing);
    /* two values cannot show everything that depends; but labels on all bytes would be none */
    if (choice.end - choice.first > 1) {
        assert_true(differing > choice.end / 2);
        assert_true(spare < differing);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(across_a_checkpoint),  cmocka_unit_test(long_term),
        cmocka_unit_test(checkpoints_anywhere), cmocka_unit_test(copies),
        cmocka_unit_test(random_instructions),
    };

    choice = choose(argc, argv, PROGRAMS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
