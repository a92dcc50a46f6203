/* Descriptions of registers: what they say, what they refuse, and the register file. */
#include "registers/regs.h"
#include "registers/skeleton.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char head[] = "part small\nperipherals 0 0x1ff\nwidths strict\n";

/* HEAD and then TEXT; fails the test when it is refused. */
static struct hc_regs *load(const char *text)
{
    struct hc_regs_message message = { "" };
    struct hc_regs *regs;
    char whole[4000];

    snprintf(whole, sizeof whole, "%s%s", head, text);
    if (hc_regs_load_memory(&regs, "small.regs", whole, strlen(whole), &message))
        fail_msg("%s", message.text);
    return regs;
}

static struct hc_regs *load_part(const char *part)
{
    struct hc_regs_message message = { "" };
    struct hc_regs *regs;

    if (hc_regs_load_part(&regs, part, &message))
        fail_msg("%s", message.text);
    return regs;
}

/* ---- refusals ---- */

static const struct {
    const char *text, *message;
} refusals[] = {
    { "part small", "bad.regs: a line 'peripherals FIRST LAST' is missing" },
    { "peripherals 0 0x1ff", "bad.regs: names no part: a line 'part NAME' is missing" },
    { "part a\npart b", "bad.regs:2: the part is named a second time" },
    { "part a\nregister X 1", "bad.regs:2: unknown directive 'register'" },
    { "part a\nperipherals 0 0x1ff\nbyte X", "bad.regs:3: should be: byte NAME ADDRESS ..." },
    { "part a\nperipherals 0 0x1ff\nbyte X foo", "bad.regs:3: address: 'foo' is not a number" },
    { "part a\nperipherals 0 0x1ff\nbyte 9X 3 keep=1", "bad.regs:3: '9X' is not a valid name for a register" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 keep=0x100", "bad.regs:3: keep: 0x100 is more than 0xff" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 nd=1", "bad.regs:3: nd= needs a class: state, timer, data or vector" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 state", "bad.regs:3: a class without nd= bits" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 state nd=3 keep=6", "bad.regs:3: bits 0x2 are called both nd and keep" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 keep=1 reads=1", "bad.regs:3: reads= has bits that are nd or keep" },
    { "part a\nperipherals 0 0x1ff\nbyte X 3 keep=1 puc=2",
      "bad.regs:3: reset value 0x2 has bits that are not kept or not in its mask" },
    { "part a\nperipherals 0 0x1ff\nword X 3 keep=1", "bad.regs:3: a word at an odd address" },
    { "part a\nperipherals 0 0x1ff\nword X 0x1ff0 keep=1", "bad.regs:3: X lies beyond the peripheral space (0x0200)" },
    { "part a\nperipherals 0 0x1ff\nword X 2 keep=1\nbyte Y 3 keep=1", "bad.regs:4: Y overlaps X of line 3" },
    { "part a\nperipherals 0 0x1ff\nbyte X 2 keep=1\nbyte X 3 keep=1", "bad.regs:4: the name X is given twice" },
    { "part a\nperipherals 0 0x1ff\nbyte X[0] 2 keep=1", "bad.regs:3: an array of no elements" },
    { "part a\nperipherals 0 0x1ff\nbyte X[3 2 keep=1", "bad.regs:3: 'X[3': the bracket is not closed" },
    { "part a\nperipherals 0 0x1ff\nbyte X 2 state nd=1 when=Y:1", "bad.regs:3: no register Y" },
    { "part a\nperipherals 0 0x1ff\nbyte X 2 keep=1 wehn=Y:1", "bad.regs:3: 'wehn=Y:1' is not understood" },
    { "part a\nperipherals 0 0x1ff\nbyte X 2 keep=1\neffect write X 1=1 clear Y 1", "bad.regs:4: no register Y" },
    { "part a\nperipherals 0 0x1ff\nbyte X 2 keep=1\nlock X 1 X 1=1",
      "bad.regs:4: should be: lock REGISTER bits while REGISTER MASK=VALUE" },
    { "part a\nperipherals 0 0x1ff\nvectors 0xffe0 15", "bad.regs:3: 15 vectors from 0xffe0 do not end at 0xffff" },
    { "part a\nperipherals 0 0x1ff\nvectors 0xffe0 16\nvector 16 X",
      "bad.regs:4: vector 16: the part has 16 (a line 'vectors' must come first)" },
    { "part a\nperipherals 0 0x1ff\nword X 2 keep=1\ntimer T counter=X control=X ccr=X",
      "bad.regs:4: cctl= is missing" },
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct hc_regs_message message = { "" };
        struct hc_regs *regs;

        assert_int_equal(hc_regs_load_memory(&regs, "bad.regs", refusals[i].text, strlen(refusals[i].text), &message),
                         HC_REGS_BAD);
        assert_null(regs);
        assert_string_equal(message.text, refusals[i].message);
    }
}

static void refuses_parts_that_it_does_not_know(void **state)
{
    struct hc_regs_message message = { "" };
    struct hc_regs *regs;

    (void)state;
    assert_int_equal(hc_regs_load_part(&regs, "msp430f9999", &message), HC_REGS_UNREADABLE);
    assert_non_null(strstr(message.text, "hindcast regs --from-header msp430f9999"));
    assert_int_equal(hc_regs_load_file(&regs, "no/such.regs", &message), HC_REGS_UNREADABLE);
    assert_string_equal(message.text, "no/such.regs: No such file or directory");
}

/* Every truncation is read or refused with a message. */
static void survives_truncation(void **state)
{
    static char text[40000];
    FILE *file = fopen(HC_TEST_DEVICES "/msp430f1611.regs", "r");

    (void)state;
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t i = 0; i < size; i += 7) {
        struct hc_regs_message message = { "" };
        struct hc_regs *regs;
        int error = hc_regs_load_memory(&regs, "cut.regs", text, i, &message);
        assert_true(error ? !regs && strstr(message.text, "cut.regs") : regs && !*message.text);
        hc_regs_free(regs);
    }
}

/* ---- questions ---- */

static void finds_registers(void **state)
{
    struct hc_regs *regs = load_part("msp430f1611");

    (void)state;
    assert_string_equal(hc_regs_named(regs, "P1IN")->name, "P1IN");
    assert_int_equal(hc_regs_named(regs, "__P1IN")->address, 0x20);
    assert_int_equal(hc_regs_named(regs, "P1IN_")->address, 0x20);
    assert_null(hc_regs_named(regs, "P1"));
    assert_null(hc_regs_named(regs, "P1INX"));
    assert_null(hc_regs_named(regs, "_"));
    assert_int_equal(hc_regs_named(regs, "CCR2")->address, 0x176);
    assert_int_equal(hc_regs_named(regs, "ADC12MEM")->address, 0x140);
    assert_int_equal(hc_regs_named(regs, "ADC12MEM15")->address, 0x15e);
    assert_int_equal(hc_regs_named(regs, "ADC12MEM15")->array, 0x140);
    assert_int_equal(hc_regs_named(regs, "ADC12MEM15")->element, 15);
    assert_null(hc_regs_named(regs, "ADC12MEM16"));
    assert_string_equal(hc_regs_at(regs, 0x171)->name, "TAR");
    uint32_t address;
    assert_true(hc_regs_locate(regs, "__TAR_H", &address) && address == 0x171);
    assert_true(hc_regs_locate(regs, "TAR_L", &address) && address == 0x170);
    assert_false(hc_regs_locate(regs, "XYZ_L", &address));
    assert_null(hc_regs_at(regs, 0x27));
    assert_null(hc_regs_at(regs, 0x1ff));
    assert_null(hc_regs_at(regs, 0x1234));
    const struct hc_reg *taccr1 = hc_regs_named(regs, "TACCR1");
    assert_int_equal(taccr1->when_address, 0x164);
    assert_int_equal(taccr1->when_mask, 0x100);
    assert_int_equal(regs->timers, 2);
    assert_int_equal(regs->timer[1].ccr0_vector, 13);
    assert_int_equal(regs->timer[1].overflow, 14);
    assert_int_equal(regs->dmas, 3);
    assert_int_equal(regs->dma[2].size, 0x1f6);
    assert_int_equal(regs->vectors, 16);
    assert_string_equal(regs->vector[15].name, "RESET");
    hc_regs_free(regs);
}

static void describes_accesses(void **state)
{
    struct hc_regs *regs = load_part("msp430f1611");
    struct hc_regs_access a;

    (void)state;
    hc_regs_access(regs, 0x120, 2, &a); /* WDTCTL */
    assert_int_equal(a.class, HC_SITE_NONE);
    assert_int_equal(a.constant, 0x6900);
    assert_int_equal(a.kept, 0xf7);
    hc_regs_access(regs, 0x162, 1, &a); /* TACCTL0, lower and upper byte */
    assert_int_equal(a.nondeterministic, 0x0b);
    hc_regs_access(regs, 0x163, 1, &a);
    assert_int_equal(a.nondeterministic, 0x04);
    assert_false(a.conditional);
    hc_regs_access(regs, 0x172, 2, &a); /* TACCR0 */
    assert_int_equal(a.class, HC_SITE_TIMER);
    assert_true(a.conditional);
    hc_regs_access(regs, 0x21, 1, &a); /* P1OUT; then a word of it, whose upper half is anything */
    assert_int_equal(a.nondeterministic, 0);
    hc_regs_access(regs, 0x26, 2, &a);
    assert_int_equal(a.nondeterministic, 0xff00);
    assert_true(a.unknown);
    hc_regs_access(regs, 0x170, 4, &a); /* TAR and TACCR0 */
    assert_int_equal(a.nondeterministic, 0xffffffff);
    assert_false(a.conditional);
    hc_regs_access(regs, 0x40, 1, &a);
    assert_true(a.unknown && !a.first && a.nondeterministic == 0xff && a.class == HC_SITE_STATE);
    hc_regs_free(regs);
}

/* Dumps hold every register that keeps something, and touch none whose reading has an effect. */
static void dumps_what_is_kept(void **state)
{
    struct hc_regs *regs = load_part("msp430f1611");
    struct hc_regs_dump dump[64];
    size_t count = hc_regs_dump(regs, dump, 64);

    (void)state;
    assert_in_range(count, 1, 64);
    for (size_t i = 0; i < regs->count; i++) {
        const struct hc_reg *reg = &regs->reg[i];
        bool in = false;
        for (size_t k = 0; k < count; k++)
            in |= reg->address >= dump[k].start && reg->address <= dump[k].end;
        assert_int_equal(in, (reg->kept || reg->when_mask) && !reg->read_effect);
    }
    for (size_t k = 0; k < count; k++) {
        for (uint32_t a = dump[k].start; a <= dump[k].end; a++)
            assert_non_null(hc_regs_at(regs, a));
        assert_true(k == 0 || dump[k - 1].end < dump[k].start);
        assert_true(dump[k].width == 1 || (dump[k].end - dump[k].start) % 2 == 1);
    }
    hc_regs_free(regs);
}

/* ---- skeletons ---- */

static struct hc_regs *make_skeleton(const char *part)
{
    struct hc_regs_message message = { "" };
    struct hc_regs *regs = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    int error = hc_regs_skeleton(out, part, "/usr/msp430", &message);
    fclose(out);
    if (error || hc_regs_load_memory(&regs, part, text, size, &message))
        fail_msg("%s", message.text);
    free(text);
    return regs;
}

/* Names and addresses are those of the description that was written by hand; nothing is recorded less. */
static void makes_skeletons(void **state)
{
    static const char *const parts[] = { "msp430f1611", "msp430fr5969" };

    (void)state;
    for (size_t p = 0; p < 2; p++) {
        struct hc_regs *skeleton = make_skeleton(parts[p]), *regs = load_part(parts[p]);

        for (size_t i = 0; i < regs->count; i++) {
            const struct hc_reg *reg = &regs->reg[i];
            struct hc_regs_access made, right;
            hc_regs_access(skeleton, reg->address, reg->size, &made);
            hc_regs_access(regs, reg->address, reg->size, &right);
            if (!made.first || (right.nondeterministic & ~made.nondeterministic))
                fail_msg("%s: %s", parts[p], reg->name);
        }
        assert_int_equal(skeleton->vectors, regs->vectors);
        assert_int_equal(skeleton->ram.start, regs->ram.start);
        hc_regs_free(skeleton);
        hc_regs_free(regs);
    }
}

static void refuses_skeletons_of_nothing(void **state)
{
    struct hc_regs_message message = { "" };

    (void)state;
    assert_int_equal(hc_regs_skeleton(stdout, "../../etc/passwd", "/usr/msp430", &message), HC_REGS_BAD);
    assert_int_equal(hc_regs_skeleton(stdout, "nosuchpart", "/usr/msp430", &message), HC_REGS_UNREADABLE);
    assert_non_null(strstr(message.text, "nosuchpart.h: No such file"));
}

/* ---- the register file ---- */

static void keeps_what_is_written(void **state)
{
    struct hc_regs *regs = load("word A 0x100 keep=0x0ff0 reads=0x8000 por=0x0120/0x0ff0 puc=0x0040/0x00f0\n"
                                "word B 0x102 state nd=0x00ff keep=0xff00\n"
                                "word K 0x104 keep=0x00ff reads=0x6900 key=0x5a00/0xff00\n"
                                "byte C 0x10 keep=0xff\nbyte D 0x11 keep=0xff\n"
                                "word E 0x106 timer nd=0xffff when=C:0x01\n");
    struct hc_regfile *file = hc_regfile_new(regs);

    (void)state;
    hc_regfile_reset(file, true);
    assert_int_equal(hc_regfile_read(file, 0x100, 2), 0x8140);
    hc_regfile_write(file, 0x100, 0xffff, 2);
    assert_int_equal(hc_regfile_read(file, 0x100, 2), 0x8ff0);
    hc_regfile_reset(file, false);
    assert_int_equal(hc_regfile_read(file, 0x100, 2), 0x8f40);
    hc_regfile_write(file, 0x100, 0xff, 1); /* a byte clears the upper half of a word */
    assert_int_equal(hc_regfile_read(file, 0x100, 2), 0x80f0);
    assert_int_equal(hc_regfile_read(file, 0x101, 1), 0x80);
    hc_regfile_write(file, 0x102, 0x1234, 2);
    assert_int_equal(hc_regfile_read(file, 0x102, 2), 0x1200);
    hc_regfile_write(file, 0x104, 0x5a12, 2);
    hc_regfile_write(file, 0x104, 0x1234, 2);
    assert_int_equal(hc_regfile_read(file, 0x104, 2), 0x6912);
    hc_regfile_write(file, 0x10, 0x5534, 2); /* a word to a byte register reaches that one only */
    assert_int_equal(hc_regfile_read(file, 0x10, 1), 0x34);
    assert_int_equal(hc_regfile_read(file, 0x11, 1), 0);
    hc_regfile_write(file, 0x106, 77, 2);
    assert_int_equal(hc_regfile_read(file, 0x106, 2), 77);
    hc_regfile_write(file, 0x10, 1, 1);
    assert_int_equal(hc_regfile_read(file, 0x106, 2), 0);
    hc_regfile_restore(file, 0x100, 0x0550, 2);
    assert_int_equal(hc_regfile_peek(file, 0x100, 2), 0x8550);
    assert_int_equal(hc_regfile_read(file, 0x1fe, 4), 0); /* beyond */
    hc_regfile_write(file, 0x5000, 1, 2);
    hc_regfile_free(file);
    hc_regs_free(regs);
}

static void obeys_effects_and_locks(void **state)
{
    struct hc_regs *regs = load("byte A 0x10 keep=0xff\nbyte B 0x11 keep=0xff\nbyte C 0x12 keep=0xff\n"
                                "effect write A 0x81=0x80 clear B 0x0f\n"
                                "effect write A 0x01=0x01 while A 0x01=0x00 set C 0x40\n"
                                "effect write B clear B 0x02\n"
                                "effect interrupt 3 clear C 0xf0\n"
                                "effect read C set A 0x10\n"
                                "lock C 0x0f while B 0x80=0x80\n");
    struct hc_regfile *file = hc_regfile_new(regs);

    (void)state;
    hc_regfile_write(file, 0x11, 0xff, 1); /* bit 1 clears itself */
    assert_int_equal(hc_regfile_read(file, 0x11, 1), 0xfd);
    hc_regfile_write(file, 0x10, 0x81, 1); /* not the first effect; the second, for bit 0 rose */
    assert_int_equal(hc_regfile_read(file, 0x11, 1), 0xfd);
    assert_int_equal(hc_regfile_peek(file, 0x12, 1), 0x40);
    hc_regfile_write(file, 0x12, 0x2f, 1); /* the lower half is locked */
    assert_int_equal(hc_regfile_peek(file, 0x12, 1), 0x20);
    hc_regfile_write(file, 0x10, 0x81, 1); /* no rise */
    assert_int_equal(hc_regfile_peek(file, 0x12, 1), 0x20);
    hc_regfile_write(file, 0x10, 0x80, 1);
    assert_int_equal(hc_regfile_read(file, 0x11, 1), 0xf0);
    hc_regfile_interrupt(file, 2);
    assert_int_equal(hc_regfile_peek(file, 0x12, 1), 0x20);
    hc_regfile_interrupt(file, 3);
    assert_int_equal(hc_regfile_read(file, 0x12, 1), 0);
    assert_int_equal(hc_regfile_read(file, 0x10, 1), 0x90);
    hc_regfile_free(file);
    hc_regs_free(regs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_parts_that_it_does_not_know),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(finds_registers),
        cmocka_unit_test(describes_accesses),
        cmocka_unit_test(dumps_what_is_kept),
        cmocka_unit_test(makes_skeletons),
        cmocka_unit_test(refuses_skeletons_of_nothing),
        cmocka_unit_test(keeps_what_is_written),
        cmocka_unit_test(obeys_effects_and_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
