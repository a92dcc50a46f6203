#include "selfcheck.h"

#include "codec/sum.h"
#include "critical.h"
#include "pieces.h"
#include "ram.h"

#if HC_CODEC_SETS == 0

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    WINDOW = 768,       /* bytes */
    KEPT = 7,           /* r4..r10 */
    RETURN_ADDRESS = 2, /* from the program's SP on */
};

/* ---- windows ---- */

static void shorten(struct hc_link_range *range)
{
    if (range->end - range->start >= WINDOW)
        range->end = range->start + WINDOW;
}

/* The stack is the last window. Empty if it is elsewhere. */
static struct hc_link_range stack(void)
{
    struct hc_link_range range = { __hc_link.free.end, __hc_link.free.end };
    uint16_t start = ram.application_sp + RETURN_ADDRESS;

    hc_selfcheck_start();
    if (ram.application_sp >= __hc_link.free.start && start < range.end)
        range.start = start;
    shorten(&range);
    return range;
}

/* The next window, which is passed over. Empty pieces are, too. */
static struct hc_link_range next_window(void)
{
    uint16_t place = self.window, at = self.window_at;

    for (; place != HC_PIECE(HC_PIECES_NOINIT); place = hc_next_piece(place), at = 0) {
        struct hc_link_range range = hc_piece_at(place);
        if (at)
            range.start = at;
        if (range.start >= range.end)
            continue;
        shorten(&range);
        self.window = place;
        self.window_at = range.end;
        return range;
    }
    return stack();
}

/* What DMA may be writing, or has written and nobody knows yet, is not compared. */
static bool dma_writes(void)
{
#if HC_DMA
    for (uint16_t channel = HC_DMA_FIRST; channel < HC_DMA_END; channel += HC_DMA_CHANNEL)
        if (HC_MEMORY16(channel) & (HC_DMAEN | HC_DMAIFG))
            return true;
#endif
    return false;
}

/* ---- all of it ---- */

static uint16_t sum(void)
{
    struct hc_sum s = { 0, 0 };
    struct hc_link_range range = { 0, 0 };

    hc_sum_add(&s, ram.count);
    hc_sum_add(&s, ram.application_sp);
    for (uint8_t i = 0; i < KEPT; i++)
        hc_sum_add(&s, ram.application[i]);
    hc_sum_add(&s, HC_MEMORY16(ram.application_sp + RETURN_ADDRESS));
    if (!dma_writes())
        range = next_window();
    for (uint16_t at = range.start; at != range.end; at += 2)
        hc_sum_add(&s, HC_MEMORY16(at));
    return hc_sum_value(&s);
}

void hc_selfcheck_start(void)
{
    self.window = HC_PIECE(0);
    self.window_at = 0;
}

void hc_selfcheck(void)
{
    uint16_t events = self.codec.mixed.taken - self.codec.mixed.first;

    hc_atomic_clear(&ram.work, HC_WORK_CHECK);
    if (self.codec.mixed.index != HC_MIXED_UNCHECKED || events >= HC_MIXED_UNCHECKED)
        return;
    uint16_t status = hc_critical_enter();
    if (self.tail == ram.head && ram.room >= 0) {
        self.codec.mixed.index = (uint8_t)events;
        self.codec.mixed.at = (uint8_t)ram.count;
        self.codec.mixed.sum = sum();
    } else {
        hc_atomic_set(&ram.work, HC_WORK_CHECK); /* the next update empties the ring, however little is in it */
    }
    hc_critical_leave(status);
}

#else

void hc_selfcheck_start(void)
{
}

void hc_selfcheck(void)
{
}

#endif
