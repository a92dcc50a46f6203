#include "timer_internal.h"

#include <stdio.h>

const struct hc_timer_config hc_timer_a3 = {
    .name = "timer_a",
    .wires = "ta",
    .base = 0x160,
    .iv = 0x12e,
    .iv_overflow = 0x0a,
    .ccrs = 3,
    .vector_ccr0 = 6,
    .vector_others = 5,
    .aclk_input = 2,
    .clk_wire = "taclk",
    .inclk_wire = "inclk",
    .dma_ccr0 = HC_DMA_TACCR0,
    .dma_ccr2 = HC_DMA_TACCR2,
};

const struct hc_timer_config hc_timer_b7 = {
    .name = "timer_b",
    .wires = "tb",
    .base = 0x180,
    .iv = 0x11e,
    .iv_overflow = 0x0e,
    .ccrs = 7,
    .vector_ccr0 = 13,
    .vector_others = 12,
    .has_latches = true,
    .aclk_input = 6,
    .clk_wire = "tbclk",
    .dma_ccr0 = HC_DMA_TBCCR0,
    .dma_ccr2 = HC_DMA_TBCCR2,
};

/* ---- what others see ---- */

enum { LINE_CCR0 = 1, LINE_OTHERS = 2, LINE_DMA_CCR0 = 4, LINE_DMA_CCR2 = 8 };

static uint8_t lines(const struct hc_timer *t)
{
    enum { PENDING = CCIFG | CCIE };
    uint8_t on = 0;

    if ((t->s.cctl[0] & PENDING) == PENDING)
        on |= LINE_CCR0;
    if ((t->s.ctl & (IFG | IE)) == (IFG | IE))
        on |= LINE_OTHERS;
    for (int x = 1; x < t->config.ccrs; x++)
        if ((t->s.cctl[x] & PENDING) == PENDING)
            on |= LINE_OTHERS;
    if (hc_timer_dma_source(t, 0) && (t->s.cctl[0] & PENDING) == CCIFG)
        on |= LINE_DMA_CCR0;
    if (hc_timer_dma_source(t, 2) && (t->s.cctl[2] & PENDING) == CCIFG)
        on |= LINE_DMA_CCR2;
    return on;
}

static void publish_lines(struct hc_timer *t)
{
    uint8_t now = lines(t), changed = now ^ t->s.lines;

    t->s.lines = now;
    if (changed & LINE_CCR0)
        hc_interrupt(t->base.machine, t->config.vector_ccr0, now & LINE_CCR0);
    if (changed & LINE_OTHERS)
        hc_interrupt(t->base.machine, t->config.vector_others, now & LINE_OTHERS);
    if (changed & LINE_DMA_CCR0)
        hc_dma_request(t->config.dma, t->config.dma_ccr0, now & LINE_DMA_CCR0);
    if (changed & LINE_DMA_CCR2)
        hc_dma_request(t->config.dma, t->config.dma_ccr2, now & LINE_DMA_CCR2);
}

/* A wire may come back as an input of this timer: the state is final before anything is driven. */
static void publish(struct hc_timer *t)
{
    publish_lines(t);
    hc_event_arm(hc_events(t->base.machine), t->event, hc_timer_next_event(t));
    uint8_t changed = t->s.outputs ^ t->s.driven;
    t->s.driven = t->s.outputs;
    for (int x = 0; changed >> x; x++)
        if (changed >> x & 1)
            hc_wire_drive(t->base.machine, t->out[x], t->driver[x], t->s.driven >> x & 1 ? HC_HIGH : HC_LOW);
}

static hc_time fire(void *owner, hc_time now)
{
    struct hc_timer *t = owner;

    hc_timer_advance(t, now);
    publish(t);
    return hc_timer_next_event(t);
}

/* ---- from the other devices ---- */

static void external_edge(struct hc_timer *t, int select, bool rising, hc_time now)
{
    uint8_t half = (uint8_t)(hc_timer_division(t) / 2);
    bool counted = hc_timer_ssel(t) == select;

    if (counted) /* captures until now are of the old count */
        hc_timer_advance(t, now);
    if (rising)
        t->s.external[select == SSEL_INCLK]++;
    if (!counted)
        return;
    hc_timer_count_to(t, now);
    if (rising ? half && t->s.prescale == half : !half)
        hc_timer_take_due_captures(t);
    publish(t);
}

/* Without a wire of its own, INCLK is CLK inverted. */
static void clk_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_timer *t = owner;

    external_edge(t, SSEL_CLK, level, now);
    if (t->inclk == HC_NO_WIRE)
        external_edge(t, SSEL_INCLK, !level, now);
}

static void inclk_changed(void *owner, int32_t level, hc_time now)
{
    external_edge(owner, SSEL_INCLK, level, now);
}

static void input_changed(void *owner, int32_t level, hc_time now)
{
    const struct hc_timer_input *in = owner;

    hc_timer_advance(in->timer, now);
    hc_timer_input_changed(in->timer, in->ccr, in->select, level, now);
    publish(in->timer);
}

static void aclk_changing(void *owner, hc_time now)
{
    hc_timer_advance(owner, now);
}

static void aclk_changed(void *owner, hc_time now)
{
    hc_timer_find_edges(owner, now);
    publish(owner);
}

/* SMCLK stops and starts with every sleep: a timer that does not count it takes no notice. */
static void smclk_changing(void *owner, hc_time now)
{
    if (hc_timer_ssel(owner) == SSEL_SMCLK)
        hc_timer_advance(owner, now);
}

static void smclk_changed(void *owner, hc_time now)
{
    if (hc_timer_ssel(owner) != SSEL_SMCLK)
        return;
    hc_timer_find_edges(owner, now);
    publish(owner);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    struct hc_timer *t = (struct hc_timer *)d;

    hc_timer_advance(t, hc_now(d->machine));
    t->s.cctl[trigger == t->config.dma_ccr0 ? 0 : 2] &= (uint16_t)~CCIFG;
    publish(t);
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_timer *t = (struct hc_timer *)d;

    if (vector != t->config.vector_ccr0)
        return;
    hc_timer_advance(t, hc_now(d->machine));
    t->s.cctl[0] &= (uint16_t)~CCIFG;
    publish(t);
}

/* ---- registers ---- */

enum register_kind { CTL, CCTL, R, CCR, IV, EX0 };

static enum register_kind decode(const struct hc_timer *t, uint32_t address, int *x)
{
    uint32_t offset = (address & ~1u) - t->config.base;

    *x = 0;
    if ((address & ~1u) == t->config.iv)
        return IV;
    if (t->config.ex0 && (address & ~1u) == t->config.ex0)
        return EX0;
    if (offset == 0)
        return CTL;
    if (offset == 0x10)
        return R;
    *x = (int)((offset & 0xf) / 2) - 1;
    return offset & 0x10 ? CCR : CCTL;
}

/* The block that TxIV names, `ccrs` for TxIFG, 0 for none. */
static int highest_pending(const struct hc_timer *t)
{
    for (int x = 1; x < t->config.ccrs; x++)
        if ((t->s.cctl[x] & (CCIE | CCIFG)) == (CCIE | CCIFG))
            return x;
    return (t->s.ctl & (IE | IFG)) == (IE | IFG) ? t->config.ccrs : 0;
}

static uint16_t iv(const struct hc_timer *t)
{
    int x = highest_pending(t);
    return (uint16_t)(x < t->config.ccrs ? 2 * x : t->config.iv_overflow);
}

static void clear_highest_pending(struct hc_timer *t)
{
    int x = highest_pending(t);
    if (x == t->config.ccrs)
        t->s.ctl &= (uint16_t)~IFG;
    else if (x)
        t->s.cctl[x] &= (uint16_t)~CCIFG;
}

static uint16_t value_at(const struct hc_timer *t, uint32_t address, int size, hc_time now)
{
    int x;
    uint16_t value = 0;

    switch (decode(t, address, &x)) {
    case CTL:
        value = t->s.ctl;
        break;
    case CCTL:
        value = (uint16_t)(t->s.cctl[x] | (hc_timer_input_level(t, x, t->s.cctl[x], now) ? CCI : 0));
        break;
    case R:
        value = t->s.r;
        break;
    case CCR:
        value = t->s.ccr[x];
        break;
    case IV:
        value = iv(t);
        break;
    case EX0:
        value = t->s.ex0;
        break;
    }
    return size == 2 ? value : address & 1 ? value >> 8 : value & 0xff;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_timer *t = (struct hc_timer *)d;
    hc_time now = hc_now(d->machine);
    int x;

    hc_timer_advance(t, now);
    uint16_t value = value_at(t, address, size, now);
    enum register_kind kind = decode(t, address, &x);
    if (kind == IV)
        clear_highest_pending(t);
    if (kind == CCR)
        t->s.unread &= (uint8_t)~(1 << x);
    if (kind == IV || lines(t) != t->s.lines || t->s.outputs != t->s.driven)
        publish(t);
    return value;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_timer now_copy = *(struct hc_timer *)d;
    hc_time now = hc_now(d->machine);

    hc_timer_advance(&now_copy, now);
    return value_at(&now_copy, address, size, now);
}

static void write_ctl(struct hc_timer *t, uint16_t value, hc_time now)
{
    t->s.ctl = (uint16_t)(value & ~CLR);
    t->s.tick = hc_timer_ticks(t, now);
    t->s.prescale = (uint8_t)(t->s.prescale % hc_timer_division(t));
    t->s.r &= (uint16_t)hc_timer_max(t);
    if (value & CLR) {
        t->s.r = 0;
        t->s.prescale = 0;
        t->s.down = false;
    }
    hc_timer_find_edges(t, now);
}

/* Byte writes to a word module clear the high byte; those to an odd address are not permitted. */
static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_timer *t = (struct hc_timer *)d;
    hc_time now = hc_now(d->machine);
    int x;

    if (size == 1 && (address & 1)) {
        hc_unknown_register(d, address, true);
        return;
    }
    hc_timer_advance(t, now);
    switch (decode(t, address, &x)) {
    case CTL:
        write_ctl(t, value, now);
        break;
    case CCTL:
        hc_timer_write_cctl(t, x, value, now);
        break;
    case R:
        t->s.r = (uint16_t)(value & hc_timer_max(t));
        break;
    case CCR:
        hc_timer_write_ccr(t, x, value);
        break;
    case IV:
        clear_highest_pending(t);
        break;
    case EX0: /* loads with TxCLR at the latest; at once here */
        t->s.ex0 = value & 7;
        t->s.prescale = 0;
        break;
    }
    publish(t);
}

/* ---- the device ---- */

/* Timers keep running through a PUC; the machine forgets their requests, so they are made again. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_timer *t = (struct hc_timer *)d;

    hc_timer_advance(t, hc_now(d->machine));
    t->s.lines &= (uint8_t)~(LINE_CCR0 | LINE_OTHERS);
    if (kind == HC_POR) {
        t->s.ctl = t->s.ex0 = 0;
        t->s.r = 0;
        t->s.down = false;
        t->s.prescale = 0;
        t->s.tick = hc_timer_ticks(t, hc_now(d->machine));
        t->s.capture_at = t->s.fall_at = HC_NEVER;
        for (int x = 0; x < t->config.ccrs; x++)
            t->s.cctl[x] = t->s.ccr[x] = t->s.latch[x] = 0;
        t->s.written = t->s.unread = t->s.capture_due = t->s.outputs = 0;
    }
    publish(t);
}

static const struct hc_device_ops ops = {
    .name = "timer",
    .help = "Timer_A or Timer_B with its capture/compare blocks",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .interrupt_accepted = interrupt_accepted,
};

static void make_wires(struct hc_timer *t, struct hc_machine *m)
{
    char name[16];

    t->clk = hc_wire_new(m, t->config.clk_wire, 0);
    hc_wire_listen(m, t->clk, clk_changed, t);
    t->inclk = HC_NO_WIRE;
    if (t->config.inclk_wire) {
        t->inclk = hc_wire_new(m, t->config.inclk_wire, 0);
        hc_wire_listen(m, t->inclk, inclk_changed, t);
    }
    for (int x = 0; x < t->config.ccrs; x++) {
        snprintf(name, sizeof name, "%s.out%d", t->config.wires, x);
        t->out[x] = hc_wire_new(m, name, 0);
        t->driver[x] = hc_wire_driver(m, t->out[x]);
        for (int i = 0; i < 2; i++) {
            if (i == CCIS_B && x == t->config.aclk_input)
                continue;
            snprintf(name, sizeof name, "%s.cci%d%c", t->config.wires, x, "ab"[i]);
            t->input[x][i] = (struct hc_timer_input){ t, (uint8_t)x, (uint8_t)i };
            hc_wire_listen(m, hc_wire_new(m, name, 0), input_changed, &t->input[x][i]);
        }
    }
}

struct hc_timer *hc_timer_new(struct hc_machine *m, const struct hc_timer_config *config)
{
    struct hc_timer *t = HC_DEVICE_NEW(m, &ops, config->name, struct hc_timer);
    uint32_t blocks = 2 * (uint32_t)config->ccrs;

    t->config = *config;
    t->s.capture_at = t->s.fall_at = HC_NEVER;
    t->event = hc_event_new(hc_events(m), config->name, fire, t);
    make_wires(t, m);
    hc_device_claim(&t->base, config->base, config->base + 1 + blocks);
    hc_device_claim(&t->base, config->base + 0x10, config->base + 0x11 + blocks);
    hc_device_claim(&t->base, config->iv, config->iv + 1);
    if (config->ex0)
        hc_device_claim(&t->base, config->ex0, config->ex0 + 1);
    hc_device_owns_vector(&t->base, config->vector_ccr0);
    hc_device_owns_vector(&t->base, config->vector_others);
    hc_clock_listen(config->aclk, (struct hc_clock_listener){ aclk_changing, aclk_changed, t });
    hc_clock_listen(config->smclk, (struct hc_clock_listener){ smclk_changing, smclk_changed, t });
    if (config->dma) {
        hc_dma_connect(config->dma, config->dma_ccr0, &t->base, dma_taken);
        if (hc_timer_dma_source(t, 2))
            hc_dma_connect(config->dma, config->dma_ccr2, &t->base, dma_taken);
    }
    return t;
}
