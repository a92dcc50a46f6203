/* The DMA controller against the user's guide (SLAU049, chapter 8). */
#include "support/harness.h"
#include "support/serial_bench.h"

#include "machine/board/telosb.h"

enum { DMACTL0 = 0x122, DMACTL1 = 0x124 };
enum { CTL = 0x1e0, SA = 0x1e2, DA = 0x1e4, SZ = 0x1e6, NEXT = 8 }; /* of channel 0 */
enum { DMAREQ = 1, DMAABORT = 2, DMAIE = 4, DMAIFG = 8, DMAEN = 0x10, DMALEVEL = 0x20, SB = 0x40, DB = 0x80 };
enum { SRC_DOWN = 0x200, SRC_UP = 0x300, DST_DOWN = 0x800, DST_UP = 0xc00 };
enum { SINGLE = 0, BLOCK = 0x1000, BURST = 0x2000, REPEATED = 0x4000 };
enum { ENNMI = 1, ROUNDROBIN = 2, DMAONFETCH = 4 };
enum { FROM = 0x1000, TO = 0x2000 };

/* From a trigger at an MCLK edge, CPU asleep: two cycles to synchronise, two to transfer. */
#define FIRST (4 * SMCLK_PERIOD)
#define EACH (2 * SMCLK_PERIOD)

static void channel(struct serial_bench *b, int i, uint16_t ctl, uint16_t from, uint16_t to, uint16_t size)
{
    uint32_t at = (uint32_t)(i * NEXT);
    set16(b, CTL + at, 0);
    set16(b, SA + at, from);
    set16(b, DA + at, to);
    set16(b, SZ + at, size);
    set16(b, CTL + at, ctl);
}

static uint16_t ctl(struct serial_bench *b, int i)
{
    return hc_peek16(b->m, (uint32_t)(CTL + i * NEXT));
}

static uint16_t size(struct serial_bench *b, int i)
{
    return hc_peek16(b->m, (uint32_t)(SZ + i * NEXT));
}

/* Words at FROM: 0x1110, 0x2221, ... */
static void fill(struct serial_bench *b)
{
    for (int i = 0; i < 16; i++)
        hc_poke16(b->m, (uint32_t)(FROM + 2 * i), (uint16_t)(0x1111 * (i + 1) - 1));
    for (uint32_t a = TO - 32; a < TO + 64; a += 2)
        hc_poke16(b->m, a, 0xdddd);
}

static void registers(void **state)
{
    struct serial_bench *b = *state;
    set16(b, DMACTL0, 0xffff);
    set16(b, DMACTL1, 0xffff);
    assert_int_equal(get16(b, DMACTL0), 0xffff); /* reserved bits are storage */
    assert_int_equal(get16(b, DMACTL1), 0x0007);
    for (int i = 0; i < 3; i++) {
        channel(b, i, 0xffef & ~DMAIE, (uint16_t)(0x1234 + i), (uint16_t)(0x2345 + i), (uint16_t)(0x3456 + i));
        assert_int_equal(ctl(b, i), 0xffee & ~DMAIE); /* DMAREQ does not stay without DMAEN */
        assert_int_equal(get16(b, (uint32_t)(SA + i * NEXT)), 0x1234 + i);
        assert_int_equal(get(b, (uint32_t)(DA + i * NEXT + 1)), 0x23);
        set(b, (uint32_t)(SZ + i * NEXT + 1), 0x99);
        assert_int_equal(size(b, i), 0x9956 + i);
    }
    hc_machine_reset(b->m, HC_PUC); /* survived */
    assert_int_equal(get16(b, DMACTL0), 0xffff);
    hc_machine_reset(b->m, HC_POR); /* not the addresses and sizes */
    assert_int_equal(get16(b, SA), 0x1234);
    assert_int_equal(size(b, 2), 0x9958);
    assert_int_equal(get16(b, DMACTL0), 0);
    assert_int_equal(get16(b, DMACTL1), 0);
    assert_int_equal(ctl(b, 1), 0);
}

/* All widths and directions, in blocks of three. */
static void addressing(void **state)
{
    static const struct {
        uint16_t ctl, from, to;
        uint8_t memory[8]; /* at TO afterwards */
    } rows[] = {
        { SRC_UP | DST_UP, FROM, TO, { 0x10, 0x11, 0x21, 0x22, 0x32, 0x33, 0xdd, 0xdd } },
        { SRC_DOWN | DST_UP, FROM + 4, TO, { 0x32, 0x33, 0x21, 0x22, 0x10, 0x11, 0xdd, 0xdd } },
        { SRC_UP | DST_DOWN, FROM, TO + 4, { 0x32, 0x33, 0x21, 0x22, 0x10, 0x11, 0xdd, 0xdd } },
        { SRC_UP, FROM, TO, { 0x32, 0x33, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd } },
        { 0x100 | 0x400, FROM, TO, { 0x10, 0x11, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd } },
        { DST_UP, FROM, TO, { 0x10, 0x11, 0x10, 0x11, 0x10, 0x11, 0xdd, 0xdd } },
        { SB | DB | SRC_UP | DST_UP, FROM + 1, TO + 1, { 0xdd, 0x11, 0x21, 0x22, 0xdd, 0xdd, 0xdd, 0xdd } },
        { SB | SRC_UP | DST_UP, FROM, TO, { 0x10, 0x00, 0x11, 0x00, 0x21, 0x00, 0xdd, 0xdd } },
        { DB | SRC_UP | DST_UP, FROM, TO, { 0x10, 0x21, 0x32, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd } },
        { SRC_UP | DST_UP, FROM + 1, TO + 1, { 0x10, 0x11, 0x21, 0x22, 0x32, 0x33, 0xdd, 0xdd } }, /* odd words */
        { SB | DB | SRC_DOWN | DST_DOWN, FROM + 2, TO + 2, { 0x10, 0x11, 0x21, 0xdd, 0xdd, 0xdd, 0xdd, 0xdd } },
    };
    struct serial_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fill(b);
        channel(b, 0, BLOCK | rows[i].ctl | DMAEN, rows[i].from, rows[i].to, 3);
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        pass(b, hc_ms(1));
        for (uint32_t k = 0; k < 8; k++)
            assert_int_equal(hc_peek(b->m, TO + k), rows[i].memory[k]);
        assert_int_equal(ctl(b, 0), BLOCK | rows[i].ctl | DMAIFG);
    }
}

static void single_transfers(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    align(b);
    channel(b, 0, SINGLE | SRC_UP | DST_UP | DMAEN, FROM, TO, 2);
    for (int round = 0; round < 2; round++) {
        hc_time start = hc_now(b->m);
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        assert_int_equal(ctl(b, 0) & DMAREQ, DMAREQ);
        ASSERT_AT(b, start + FIRST, hc_peek16(b->m, TO) == 0x1110);
        assert_int_equal(ctl(b, 0) & (DMAREQ | DMAIFG | DMAEN), DMAEN);
        assert_int_equal(size(b, 0), 1);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO + 2), 0xdddd);
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO + 2), 0x2221);
        assert_int_equal(ctl(b, 0) & (DMAIFG | DMAEN), DMAIFG);
        assert_int_equal(size(b, 0), 2); /* reloaded */
        assert_int_equal(get16(b, SA), FROM);
        /* Disabled: a request is lost. Enabled again: from the beginning. */
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        fill(b);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
        set16(b, CTL, (ctl(b, 0) & ~DMAIFG) | DMAEN);
        align(b);
    }
}

static void repeated_single(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    channel(b, 2, REPEATED | SRC_UP | DST_UP | DMAEN, FROM, TO, 2);
    set16(b, DMACTL0, HC_DMA_TRIGGER_13 << 8);
    for (int i = 0; i < 5; i++) {
        hc_poke16(b->m, (uint32_t)(FROM + 2 * (i & 1)), (uint16_t)(0x700 + i));
        hc_dma_request(b->dma, HC_DMA_TRIGGER_13, true);
        hc_dma_request(b->dma, HC_DMA_TRIGGER_13, false);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, (uint32_t)(TO + 2 * (i & 1))), 0x700 + i);
        assert_int_equal(size(b, 2), i & 1 ? 2 : 1);
        assert_int_equal(ctl(b, 2) & DMAEN, DMAEN);
        assert_int_equal(ctl(b, 2) & DMAIFG, i & 1 ? DMAIFG : 0);
        set16(b, CTL + 2 * NEXT, ctl(b, 2) & ~DMAIFG);
    }
}

/* DMAxSZ counts; its temporary is taken with DMAEN (figure 8-3). Disabled between transfers the count stays. */
static void sizes(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    channel(b, 0, REPEATED | DMAEN, FROM, TO, 3);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 2);
    set16(b, SZ, 1); /* the last one, but not from now on */
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(ctl(b, 0) & DMAIFG, DMAIFG);
    assert_int_equal(size(b, 0), 3);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    set16(b, CTL, ctl(b, 0) & ~DMAEN);
    assert_int_equal(size(b, 0), 2);
    set16(b, CTL, ctl(b, 0) | DMAEN);
    assert_int_equal(size(b, 0), 2);
    /* In the middle of a burst-block it is reloaded. */
    align(b);
    hc_time start = hc_now(b->m);
    channel(b, 1, BURST | DMAEN, FROM, TO, 9);
    set16(b, CTL + NEXT, ctl(b, 1) | DMAREQ);
    run_to(b, start + FIRST + 3 * EACH + SMCLK_PERIOD);
    assert_int_equal(size(b, 1), 5);
    set16(b, CTL + NEXT, ctl(b, 1) & ~DMAEN);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 1), 9);
    assert_int_equal(ctl(b, 1) & DMAIFG, 0);
}

static void block_times(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    align(b);
    hc_time start = hc_now(b->m);
    channel(b, 1, BLOCK | SRC_UP | DST_UP | DMAEN, FROM, TO, 4);
    set16(b, CTL + NEXT, ctl(b, 1) | DMAREQ);
    for (unsigned i = 0; i < 4; i++)
        ASSERT_AT(b, start + FIRST + i * EACH, hc_peek16(b->m, TO + 2 * i) != 0xdddd);
    assert_int_equal(ctl(b, 1) & (DMAIFG | DMAEN), DMAIFG);
}

/* After every four transfers the CPU runs for two cycles. */
static void burst_block_times(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    align(b);
    hc_time start = hc_now(b->m);
    channel(b, 0, BURST | SRC_UP | DST_UP | DMAEN, FROM, TO, 10);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    for (unsigned i = 0; i < 10; i++)
        ASSERT_AT(b, start + FIRST + i * EACH + i / 4 * 2 * SMCLK_PERIOD, hc_peek16(b->m, TO + 2 * i) != 0xdddd);
    assert_int_equal(ctl(b, 0) & (DMAIFG | DMAEN), DMAIFG);
}

static void repeated_blocks(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    /* A block needs a trigger each time ... */
    channel(b, 0, REPEATED | BLOCK | SRC_UP | DST_UP | DMAEN, FROM, TO, 2);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    fill(b);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
    assert_int_equal(ctl(b, 0) & (DMAEN | DMAIFG), DMAEN | DMAIFG);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO + 2), 0x2221);
    set16(b, CTL, 0);
    /* ... a burst-block does not, until DMAEN is cleared. */
    channel(b, 0, REPEATED | BURST | SRC_UP | DST_UP | DMAEN, FROM, TO, 2);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    for (int i = 0; i < 3; i++) {
        fill(b);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO + 2), 0x2221);
    }
    set16(b, CTL, ctl(b, 0) & ~DMAEN);
    pass(b, hc_ms(1));
    fill(b);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
}

static void pulse(struct serial_bench *b, enum hc_dma_trigger trigger)
{
    hc_dma_request(b->dma, trigger, true);
    hc_dma_request(b->dma, trigger, false);
}

/* An edge counts when it comes while DMAEN is set; a line that is high before does not. */
static void edges(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    set16(b, DMACTL0, HC_DMA_TRIGGER_12);
    hc_dma_request(b->dma, HC_DMA_TRIGGER_12, true);
    channel(b, 0, BLOCK | SRC_UP | DST_UP | DMAEN, FROM, TO, 8);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 8);
    assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
    hc_dma_request(b->dma, HC_DMA_TRIGGER_12, false);
    align(b);
    hc_time start = hc_now(b->m);
    pulse(b, HC_DMA_TRIGGER_12);
    run_to(b, start + FIRST + EACH);
    pulse(b, HC_DMA_TRIGGER_12); /* ignored: the block is under way */
    pulse(b, HC_DMA_TRIGGER_13);
    pass(b, hc_ms(1));
    assert_int_equal(ctl(b, 0) & (DMAEN | DMAIFG), DMAIFG);
    fill(b);
    set16(b, CTL, (ctl(b, 0) & ~DMAIFG) | DMAEN);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
}

/* DMALEVEL: transfers as long as the line is high; a block that loses it waits where it is. */
static void levels(void **state)
{
    struct serial_bench *b = *state;
    hc_wire dmae0 = hc_wire_find(b->m, "dmae0");
    int driver = hc_wire_driver(b->m, dmae0);
    fill(b);
    align(b);
    set16(b, DMACTL0, HC_DMA_DMAE0);
    hc_wire_drive(b->m, dmae0, driver, HC_HIGH);
    hc_time start = hc_now(b->m);
    channel(b, 0, BLOCK | DMALEVEL | SRC_UP | DST_UP | DMAEN, FROM, TO, 6);
    run_to(b, start + FIRST + 2 * EACH);
    hc_wire_drive(b->m, dmae0, driver, HC_LOW);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 3);
    assert_int_equal(hc_peek16(b->m, TO + 6), 0xdddd);
    hc_wire_drive(b->m, dmae0, driver, HC_HIGH);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO + 10), 0x6665);
    assert_int_equal(ctl(b, 0) & (DMAEN | DMAIFG), DMAIFG);
    /* Singles: one after the other, four cycles each and one more to begin with. */
    fill(b);
    align(b);
    start = hc_now(b->m);
    channel(b, 0, SINGLE | DMALEVEL | SRC_UP | DST_UP | DMAEN, FROM, TO, 3);
    for (unsigned i = 0; i < 3; i++)
        ASSERT_AT(b, start + FIRST + i * 4 * SMCLK_PERIOD, hc_peek16(b->m, TO + 2 * i) != 0xdddd);
    assert_int_equal(ctl(b, 0) & DMAEN, 0);
}

/* Who writes first and last to one address? */
static void priorities(void **state)
{
    struct serial_bench *b = *state;
    static const struct {
        uint16_t ctl1;
        uint8_t order[6];
    } rows[] = { { 0, { 0, 0, 1, 1, 2, 2 } }, { ROUNDROBIN, { 0, 1, 2, 0, 1, 2 } } };
    for (size_t r = 0; r < 2; r++) {
        set16(b, DMACTL1, rows[r].ctl1);
        set16(b, DMACTL0, HC_DMA_DMAE0 * 0x111);
        for (int i = 0; i < 3; i++) {
            hc_poke16(b->m, (uint32_t)(FROM + 2 * i), (uint16_t)i);
            channel(b, i, SINGLE | DMALEVEL | DMAEN, (uint16_t)(FROM + 2 * i), TO, 2);
        }
        align(b);
        hc_time start = hc_now(b->m);
        hc_dma_request(b->dma, HC_DMA_DMAE0, true);
        for (unsigned n = 0; n < 6; n++) {
            run_to(b, start + FIRST + n * 4 * SMCLK_PERIOD);
            assert_int_equal(hc_peek16(b->m, TO), rows[r].order[n]);
        }
        hc_dma_request(b->dma, HC_DMA_DMAE0, false);
    }
    /* A block is not interrupted by a higher channel. */
    set16(b, DMACTL1, 0);
    set16(b, DMACTL0, HC_DMA_TRIGGER_12 | HC_DMA_TRIGGER_13 << 8);
    fill(b);
    channel(b, 0, SINGLE | DMAEN, FROM, TO, 1);
    channel(b, 2, BLOCK | DMAEN, FROM + 2, TO, 4);
    align(b);
    hc_time start = hc_now(b->m);
    pulse(b, HC_DMA_TRIGGER_13);
    run_to(b, start + FIRST);
    pulse(b, HC_DMA_TRIGGER_12);
    run_to(b, start + FIRST + 3 * EACH);
    assert_int_equal(hc_peek16(b->m, TO), 0x2221);
    ASSERT_AT(b, start + FIRST + 3 * EACH + 4 * SMCLK_PERIOD, hc_peek16(b->m, TO) == 0x1110);
}

/* Trigger 14: the flag of the channel before. */
static void chaining(void **state)
{
    struct serial_bench *b = *state;
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        fill(b);
        set16(b, DMACTL0, (uint16_t)(HC_DMA_CHAIN << 4 * next));
        channel(b, next, SINGLE | DMAEN, FROM, TO, 1);
        channel(b, i, BLOCK | SRC_UP | DST_UP | DMAEN, FROM + 4, TO + 4, 2);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO), 0xdddd);
        set16(b, (uint32_t)(CTL + i * NEXT), ctl(b, i) | DMAREQ);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO + 6), 0x4443);
        assert_int_equal(hc_peek16(b->m, TO), 0x1110);
        assert_int_equal(ctl(b, i) & DMAIFG, DMAIFG); /* not reset by it */
        set16(b, (uint32_t)(CTL + i * NEXT), 0);
        set16(b, (uint32_t)(CTL + next * NEXT), 0);
    }
}

/* The transfer under way is completed, what follows is not. */
static void nmi_aborts(void **state)
{
    struct serial_bench *b = *state;
    for (int enabled = 0; enabled < 2; enabled++) {
        fill(b);
        set16(b, DMACTL1, enabled ? ENNMI : 0);
        align(b);
        hc_time start = hc_now(b->m);
        channel(b, 0, BLOCK | SRC_UP | DST_UP | DMAEN, FROM, TO, 6);
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        run_to(b, start + FIRST + EACH);
        hc_dma_nmi(b->dma);
        assert_int_equal(ctl(b, 0) & DMAABORT, 0);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO + 4), 0x3332);
        assert_int_equal(hc_peek16(b->m, TO + 6) == 0xdddd, enabled);
        assert_int_equal(ctl(b, 0) & (DMAABORT | DMAIFG), enabled ? DMAABORT : DMAIFG);
    }
    assert_int_equal(size(b, 0), 3);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 3); /* not before DMAABORT is cleared */
    set16(b, CTL, (ctl(b, 0) & ~DMAABORT) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(hc_peek16(b->m, TO + 10), 0x6665); /* went on */
}

/* A single transfer is stopped, too; one that was the last had nothing left to stop. In a burst's pause it is at once.
 */
static void nmi_aborts_others(void **state)
{
    struct serial_bench *b = *state;
    set16(b, DMACTL1, ENNMI);
    for (uint16_t n = 1; n <= 2; n++) {
        fill(b);
        channel(b, 0, SINGLE | DMAEN, FROM, TO, n);
        set16(b, CTL, ctl(b, 0) | DMAREQ);
        hc_dma_nmi(b->dma);
        pass(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, TO), 0x1110);
        assert_int_equal(ctl(b, 0) & (DMAABORT | DMAIFG), n == 2 ? DMAABORT : DMAIFG);
    }
    fill(b);
    align(b);
    hc_time start = hc_now(b->m);
    channel(b, 0, BURST | DMAEN, FROM, TO, 8);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    run_to(b, start + FIRST + 3 * EACH + SMCLK_PERIOD);
    hc_dma_nmi(b->dma);
    assert_int_equal(ctl(b, 0) & DMAABORT, DMAABORT);
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 4);
    hc_dma_nmi(b->dma); /* nothing under way: nothing happens */
    channel(b, 1, SINGLE | DMAEN, FROM, TO, 2);
    set16(b, CTL + NEXT, ctl(b, 1) | DMAREQ);
    pass(b, hc_ms(1));
    assert_int_equal(ctl(b, 1) & DMAABORT, 0);
}

struct source {
    struct hc_device base;
    struct {
        int taken;
    } s;
};

static void taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    assert_int_equal(trigger, HC_DMA_TRIGGER_12);
    ((struct source *)d)->s.taken++;
}

static const struct hc_device_ops source_ops = { .name = "source", .help = "asks for transfers" };

static void tells_the_source(void **state)
{
    struct serial_bench *b = *state;
    struct source *s = HC_DEVICE_NEW(b->m, &source_ops, "source", struct source);
    hc_dma_connect(b->dma, HC_DMA_TRIGGER_12, &s->base, taken);
    set16(b, DMACTL0, HC_DMA_TRIGGER_12);
    channel(b, 0, SINGLE | DMAEN, FROM, TO, 2);
    for (int i = 1; i <= 2; i++) {
        pulse(b, HC_DMA_TRIGGER_12);
        pass(b, hc_ms(1));
        assert_int_equal(s->s.taken, i);
    }
    channel(b, 0, BURST | DMAEN, FROM, TO, 9);
    pulse(b, HC_DMA_TRIGGER_12);
    pass(b, hc_ms(1));
    assert_int_equal(s->s.taken, 3);
    channel(b, 0, BLOCK | DMAEN, FROM, TO, 0); /* no size, no transfer */
    pulse(b, HC_DMA_TRIGGER_12);
    pass(b, hc_ms(1));
    assert_int_equal(s->s.taken, 3);
}

static hc_time six_microseconds(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return hc_us(6);
}

static void oscillator_starts_first(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    align(b);
    hc_dma_set_startup(b->dma, six_microseconds, NULL);
    hc_time start = hc_now(b->m);
    channel(b, 0, SINGLE | DMAEN, FROM, TO, 1);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    hc_time edge = (hc_us(6) / SMCLK_PERIOD + 1) * SMCLK_PERIOD;
    ASSERT_AT(b, start + edge + FIRST, hc_peek16(b->m, TO) == 0x1110);
}

/* Instructions of JMP $ (two cycles each) that fit into SPAN cycles. */
static uint64_t jumps(struct serial_bench *b, uint64_t span)
{
    struct hc_statistics before, after;
    hc_machine_statistics(b->m, &before);
    hc_machine_run(b->m, hc_now(b->m) + span * SMCLK_PERIOD);
    hc_machine_statistics(b->m, &after);
    return after.instructions - before.instructions;
}

/* What transfers cost the CPU: 4 cycles a single one, 2 n + 2 a block, a burst-block four fifths of the time. */
static void cycles_taken_from_the_cpu(void **state)
{
    struct serial_bench *b = *state;
    hc_poke16(b->m, 0x4000, 0x3fff); /* jmp $ */
    hc_set_register(b->m, HC_PC, 0x4000);
    hc_set_register(b->m, HC_SR, 0);
    align(b);
    assert_int_equal(jumps(b, 1000), 500);
    channel(b, 0, SINGLE | DMAEN, FROM, TO, 1);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    assert_int_equal(jumps(b, 1000), 498);
    channel(b, 0, BLOCK | DMAEN, FROM, TO, 100);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    assert_int_equal(jumps(b, 1000), 500 - 101);
    channel(b, 0, BURST | REPEATED | DMAEN, FROM, TO, 10);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    assert_in_range(jumps(b, 10000), 990, 1010);
}

/* A USART's flag whose interrupt is enabled triggers nothing; URXIFG is reset by the transfer that it triggers. */
static void usart_triggers(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    uart(b, CHAR, SSEL_SMCLK, 9, 0);
    set16(b, DMACTL0, HC_DMA_URXIFG1);
    channel(b, 0, SINGLE | SB | DB | DST_UP | DMAEN, U1 + URXBUF, TO, 4);
    set(b, IE2, URX1);
    hc_usart_receive(b->usart[1], 'a');
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 4);
    assert_int_equal(get(b, U1 + URXBUF), 'a');
    set(b, IE2, 0);
    hc_usart_receive(b->usart[1], 'b');
    hc_usart_receive(b->usart[1], 'c');
    pass(b, hc_ms(1));
    assert_int_equal(size(b, 0), 2);
    assert_int_equal(hc_peek16(b->m, TO), 'b' | 'c' << 8);
    assert_int_equal(hc_peek(b->m, IFG2) & URX1, 0);
    assert_int_equal(hc_peek(b->m, U1 + URCTL), 0);
    /* By level, as TI's examples do: UTXIFG is set when the channel is enabled. */
    fill(b);
    set16(b, DMACTL0, HC_DMA_UTXIFG1);
    channel(b, 0, SINGLE | DMALEVEL | SB | DB | SRC_UP | DMAEN, FROM, U1 + UTXBUF, 6);
    pass(b, hc_ms(1));
    static const uint8_t bytes[] = { 0x10, 0x11, 0x21, 0x22, 0x32, 0x33 };
    assert_int_equal(b->sent, 6);
    assert_memory_equal(b->byte, bytes, 6);
    for (int i = 1; i < 6; i++)
        assert_int_equal(b->time[i] - b->time[i - 1], 90 * SMCLK_PERIOD);
}

static void snapshot_in_a_block(void **state)
{
    struct serial_bench *b = *state;
    fill(b);
    align(b);
    channel(b, 0, BLOCK | SRC_UP | DST_UP | DMAEN, FROM, TO, 8);
    hc_time start = hc_now(b->m);
    set16(b, CTL, ctl(b, 0) | DMAREQ);
    run_to(b, start + FIRST + 3 * EACH);
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    pass(b, hc_ms(1));
    hc_snapshot_restore(b->m, snapshot);
    assert_int_equal(size(b, 0), 4);
    ASSERT_AT(b, start + FIRST + 7 * EACH, ctl(b, 0) & DMAIFG);
    assert_int_equal(hc_peek16(b->m, TO + 14), 0x8887);
    hc_snapshot_free(snapshot);
}

static void firmware(void **state)
{
    (void)state;
    struct harness h;
    struct serial_bench seen = { 0 };
    harness_start(&h, "dma");
    hc_usart_on_transmit(h.board->uart, serial_sent, &seen);
    harness_finish(&h, 5 * HC_SECOND);
    assert_int_equal(harness_get(&h, "result", 0), 0); /* differences after a block, right behind DMAREQ */
    assert_int_equal(harness_get(&h, "result", 1), 1); /* interrupts of channel 0 */
    assert_in_range(harness_get(&h, "result", 2), 2 * 64 + 2, 2 * 64 + 2 + 20); /* SMCLK cycles of 64 words */
    assert_int_equal(harness_get(&h, "result", 3),
                     1);        /* interrupts of channel 1, whose triggers come from Timer_A in LPM3 */
    for (int i = 1; i < 8; i++) /* TAR as the transfers found it: every 100 ACLK cycles */
        assert_int_equal(harness_get(&h, "times", i) - harness_get(&h, "times", i - 1), 100);
    assert_memory_equal(seen.byte, "moved by DMA", 12);
    assert_int_equal(seen.sent, 12);
    harness_stop(&h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, serial_set_up, serial_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(registers),
        TEST(addressing),
        TEST(single_transfers),
        TEST(repeated_single),
        TEST(block_times),
        TEST(sizes),
        TEST(burst_block_times),
        TEST(repeated_blocks),
        TEST(edges),
        TEST(levels),
        TEST(priorities),
        TEST(chaining),
        TEST(nmi_aborts),
        TEST(nmi_aborts_others),
        TEST(tells_the_source),
        TEST(oscillator_starts_first),
        TEST(cycles_taken_from_the_cpu),
        TEST(usart_triggers),
        TEST(snapshot_in_a_block),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
