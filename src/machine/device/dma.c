#include "dma.h"

enum { CHANNELS = 3, BASE_CONTROL = 0x0122, BASE_CHANNELS = 0x01e0 };

/* DMAxCTL */
enum {
    DMAREQ = 0x0001,
    DMAABORT = 0x0002,
    DMAIE = 0x0004,
    DMAIFG = 0x0008,
    DMAEN = 0x0010,
    DMALEVEL = 0x0020,
    DMASRCBYTE = 0x0040,
    DMADSTBYTE = 0x0080,
    DMASRCINCR_SHIFT = 8,
    DMADSTINCR_SHIFT = 10,
    DMADT_BLOCK = 0x1000,
    DMADT_BURST = 0x2000,
    DMADT_REPEATED = 0x4000,
};

/* DMACTL1 */
enum { ENNMI = 0x0001, ROUNDROBIN = 0x0002, CTL1_BITS = 0x0007 };

/* MCLK cycles */
enum { SYNCHRONISE = 1, SYNCHRONISE_ASLEEP = 2, TRANSFER = 2, WAIT = 1, BURST_TRANSFERS = 4, BURST_CPU = 2 };

struct channel {
    uint16_t ctl, sa, da, sz;
    uint16_t t_sa, t_da, t_sz; /* the guide's temporary registers */
    bool triggered;            /* an edge waits to be served */
    bool in_block;             /* a block has begun: no further trigger is needed */
};

struct hc_dma {
    struct hc_device base;
    int vector;
    hc_event engine;
    hc_wire dmae0;
    hc_dma_startup_fn *startup;
    void *startup_owner;
    struct {
        struct hc_device *device;
        hc_dma_taken_fn *taken;
        hc_dma_watch_fn *watch;
    } source[HC_DMA_TRIGGERS];
    struct {
        uint16_t ctl0, ctl1;
        uint16_t lines; /* trigger levels, by number */
        struct channel channel[CHANNELS];
        int active;         /* channel that has the bus, or -1 */
        uint8_t first;      /* priority goes round from here */
        uint8_t burst;      /* transfers since the CPU last ran */
        bool armed;         /* the engine's event is */
        bool cpu_runs;      /* a burst's pause */
        bool abort;         /* an NMI came: the transfer under way is the last */
        bool shared_vector; /* the other owner's request */
    } s;
};

static void kick(struct hc_dma *dma);

/* ---- triggers ---- */

static enum hc_dma_trigger selected(const struct hc_dma *dma, int i)
{
    return (enum hc_dma_trigger)(dma->s.ctl0 >> 4 * i & 0xf);
}

static bool line(const struct hc_dma *dma, int i)
{
    enum hc_dma_trigger trigger = selected(dma, i);

    if (trigger == HC_DMA_CHAIN)
        return dma->s.channel[(i + CHANNELS - 1) % CHANNELS].ctl & DMAIFG;
    return dma->s.lines >> trigger & 1;
}

/* Edges count for channels that wait for one: not while a block is under way, nor before DMAABORT is cleared. */
static void edge(struct hc_dma *dma, int i)
{
    struct channel *c = &dma->s.channel[i];

    if ((c->ctl & (DMAEN | DMALEVEL | DMAABORT)) == DMAEN && !c->in_block)
        c->triggered = true;
}

static bool wants_bus(const struct hc_dma *dma, int i)
{
    const struct channel *c = &dma->s.channel[i];

    if (!(c->ctl & DMAEN) || (c->ctl & DMAABORT) || !c->sz)
        return false;
    if (selected(dma, i) == HC_DMA_DMAREQ)
        return (c->ctl & DMAREQ) || c->in_block;
    return c->ctl & DMALEVEL ? line(dma, i) : c->triggered || c->in_block;
}

void hc_dma_connect(struct hc_dma *dma, enum hc_dma_trigger trigger, struct hc_device *source, hc_dma_taken_fn *taken)
{
    dma->source[trigger].device = source;
    dma->source[trigger].taken = taken;
}

void hc_dma_watch(struct hc_dma *dma, enum hc_dma_trigger trigger, hc_dma_watch_fn *call)
{
    dma->source[trigger].watch = call;
}

static void tell_watchers(struct hc_dma *dma, uint16_t ctl0)
{
    for (int trigger = 0; trigger < HC_DMA_TRIGGERS; trigger++) {
        bool chosen = false;

        for (int i = 0; i < CHANNELS; i++)
            chosen |= (ctl0 >> 4 * i & 0xf) == trigger;
        if (dma->source[trigger].watch)
            dma->source[trigger].watch(dma->source[trigger].device, chosen);
    }
}

void hc_dma_request(struct hc_dma *dma, enum hc_dma_trigger trigger, bool level)
{
    if (!dma || (dma->s.lines >> trigger & 1) == level)
        return;
    dma->s.lines ^= (uint16_t)(1u << trigger);
    if (!level)
        return;
    for (int i = 0; i < CHANNELS; i++)
        if (selected(dma, i) == trigger)
            edge(dma, i);
    kick(dma);
}

static void external_trigger(void *owner, int32_t level, hc_time now)
{
    (void)now;
    hc_dma_request(owner, HC_DMA_DMAE0, level != 0);
}

/* The trigger is used up: its source clears the flag behind it. */
static void take(struct hc_dma *dma, int i)
{
    enum hc_dma_trigger trigger = selected(dma, i);

    dma->s.channel[i].triggered = false;
    dma->s.channel[i].ctl &= (uint16_t)~DMAREQ;
    if (dma->source[trigger].taken)
        dma->source[trigger].taken(dma->source[trigger].device, trigger);
}

/* ---- interrupt ---- */

static void update_interrupt(struct hc_dma *dma)
{
    bool request = dma->s.shared_vector;

    for (int i = 0; i < CHANNELS; i++)
        request |= (~dma->s.channel[i].ctl & (DMAIE | DMAIFG)) == 0;
    hc_interrupt(dma->base.machine, dma->vector, request);
}

void hc_dma_share_vector(struct hc_dma *dma, bool request)
{
    dma->s.shared_vector = request;
    update_interrupt(dma);
}

static void set_flag(struct hc_dma *dma, int i)
{
    int next = (i + 1) % CHANNELS;
    bool was = dma->s.channel[i].ctl & DMAIFG;

    dma->s.channel[i].ctl |= DMAIFG;
    if (!was && selected(dma, next) == HC_DMA_CHAIN)
        edge(dma, next);
    update_interrupt(dma);
}

/* ---- transfers ---- */

static uint16_t step(uint16_t ctl, int shift, bool byte)
{
    unsigned size = byte ? 1 : 2;

    switch (ctl >> shift & 3) {
    case 2:
        return (uint16_t)-size;
    case 3:
        return (uint16_t)size;
    default:
        return 0;
    }
}

/* A byte into a word clears the upper byte; of a word into a byte the lower one goes. Word addresses ignore bit 0. */
static void move_one(struct hc_dma *dma, struct channel *c)
{
    struct hc_machine *m = dma->base.machine;
    bool from_byte = c->ctl & DMASRCBYTE, to_byte = c->ctl & DMADSTBYTE;
    uint16_t from = from_byte ? c->t_sa : c->t_sa & 0xfffe;
    uint16_t to = to_byte ? c->t_da : c->t_da & 0xfffe;

    c->t_sa += step(c->ctl, DMASRCINCR_SHIFT, from_byte);
    c->t_da += step(c->ctl, DMADSTINCR_SHIFT, to_byte);
    c->sz--;
    uint16_t value = hc_bus_read(m, from, from_byte ? 1 : 2);
    hc_bus_write(m, to, from_byte || to_byte ? value & 0xff : value, to_byte ? 1 : 2);
}

static void reload(struct channel *c)
{
    c->sz = c->t_sz;
    c->t_sa = c->sa;
    c->t_da = c->da;
}

static void complete(struct hc_dma *dma, int i)
{
    struct channel *c = &dma->s.channel[i];

    reload(c);
    /* Repeated burst-blocks follow one another without a trigger. */
    c->in_block = (c->ctl & (DMADT_REPEATED | DMADT_BURST)) == (DMADT_REPEATED | DMADT_BURST);
    if (!(c->ctl & DMADT_REPEATED))
        c->ctl &= (uint16_t)~DMAEN;
    set_flag(dma, i);
}

static int highest_priority(const struct hc_dma *dma)
{
    for (int n = 0; n < CHANNELS; n++) {
        int i = (dma->s.first + n) % CHANNELS;
        if (wants_bus(dma, i))
            return i;
    }
    return -1;
}

static hc_time cycles(const struct hc_dma *dma, unsigned n)
{
    return n * hc_mclk(dma->base.machine)->s.period;
}

/* The channel lets go of the bus; the next one has to synchronise again. */
static hc_time release_bus(struct hc_dma *dma, hc_time now)
{
    if (dma->s.ctl1 & ROUNDROBIN)
        dma->s.first = (uint8_t)((dma->s.active + 1) % CHANNELS);
    dma->s.active = -1;
    dma->s.burst = 0;
    if (highest_priority(dma) < 0)
        return HC_NEVER;
    hc_cpu_steal_cycles(dma->base.machine, SYNCHRONISE + TRANSFER + WAIT);
    return now + cycles(dma, WAIT + SYNCHRONISE + TRANSFER);
}

/* After a transfer: when is the next one? */
static hc_time go_on(struct hc_dma *dma, hc_time now)
{
    struct channel *c = &dma->s.channel[dma->s.active];

    if (!c->in_block || !wants_bus(dma, dma->s.active))
        return release_bus(dma, now);
    if ((c->ctl & DMADT_BURST) && ++dma->s.burst == BURST_TRANSFERS) {
        dma->s.burst = 0;
        dma->s.cpu_runs = true;
        return now + cycles(dma, BURST_CPU);
    }
    hc_cpu_steal_cycles(dma->base.machine, TRANSFER);
    return now + cycles(dma, TRANSFER);
}

static bool begin(struct hc_dma *dma)
{
    int i = highest_priority(dma);

    if (i < 0)
        return false;
    dma->s.active = i;
    struct channel *c = &dma->s.channel[i];
    bool resumed = c->in_block;
    c->in_block = c->ctl & (DMADT_BLOCK | DMADT_BURST);
    if (!resumed)
        take(dma, i);
    return true;
}

/* Stopped by an NMI, where it is. */
static void abort_channel(struct channel *c)
{
    c->ctl |= DMAABORT;
    c->in_block = c->triggered = false;
}

static hc_time transfer(struct hc_dma *dma, hc_time now)
{
    bool last = dma->s.abort;

    dma->s.abort = false;
    if (dma->s.cpu_runs) {
        dma->s.cpu_runs = false;
        hc_cpu_steal_cycles(dma->base.machine, TRANSFER);
        return now + cycles(dma, TRANSFER);
    }
    if (dma->s.active < 0) {
        if (!begin(dma))
            return HC_NEVER;
    } else if (!wants_bus(dma, dma->s.active)) {
        return release_bus(dma, now); /* switched off, or the level that it needs is gone */
    }

    int i = dma->s.active;
    struct channel *c = &dma->s.channel[i];
    move_one(dma, c);
    if (!c->sz)
        complete(dma, i);
    if (last && (c->ctl & DMAEN))
        abort_channel(c);
    return go_on(dma, now);
}

static hc_time engine(void *owner, hc_time now)
{
    struct hc_dma *dma = owner;
    hc_time next = transfer(dma, now);

    dma->s.armed = next != HC_NEVER;
    return next;
}

/* A channel may have a reason to transfer: synchronise to MCLK, unless that is under way. */
static void kick(struct hc_dma *dma)
{
    struct hc_machine *m = dma->base.machine;
    struct hc_clock *mclk = hc_mclk(m);

    if (dma->s.armed || dma->s.active >= 0 || !mclk->s.period || highest_priority(dma) < 0)
        return;

    bool asleep = hc_register(m, HC_SR) & HC_SR_CPUOFF;
    hc_time now = hc_now(m);
    hc_time started = now + (asleep && dma->startup ? dma->startup(dma->startup_owner, now) : 0);
    hc_time at = hc_clock_edge(mclk, started) + cycles(dma, (asleep ? SYNCHRONISE_ASLEEP : SYNCHRONISE) + TRANSFER);

    dma->s.armed = true;
    hc_event_arm(hc_events(m), dma->engine, at);
    if (asleep)
        hc_cpu_hold(m, at + cycles(dma, WAIT)); /* a wake-up meanwhile waits */
    else
        hc_cpu_steal_cycles(m, SYNCHRONISE + TRANSFER + WAIT);
}

void hc_dma_nmi(struct hc_dma *dma)
{
    if (!(dma->s.ctl1 & ENNMI) || !dma->s.armed)
        return;
    dma->s.abort = true;
    if (!dma->s.cpu_runs)
        return;
    abort_channel(&dma->s.channel[dma->s.active]);
    dma->s.active = -1;
    dma->s.burst = 0;
    dma->s.abort = dma->s.cpu_runs = dma->s.armed = false;
    hc_event_cancel(hc_events(dma->base.machine), dma->engine);
    kick(dma);
}

void hc_dma_set_startup(struct hc_dma *dma, hc_dma_startup_fn *call, void *owner)
{
    dma->startup = call;
    dma->startup_owner = owner;
}

static void mclk_changed(void *owner, hc_time now)
{
    (void)now;
    kick(owner);
}

/* ---- registers ---- */

static uint16_t *register_at(struct hc_dma *dma, uint32_t address)
{
    if (address == BASE_CONTROL)
        return &dma->s.ctl0;
    if (address == BASE_CONTROL + 2)
        return &dma->s.ctl1;
    struct channel *c = &dma->s.channel[(address - BASE_CHANNELS) / 8];
    uint16_t *const registers[4] = { &c->ctl, &c->sa, &c->da, &c->sz };
    return registers[(address - BASE_CHANNELS) / 2 % 4];
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    uint16_t value = *register_at((struct hc_dma *)d, address & ~1u);

    if (size == 2)
        return value;
    return address & 1 ? value >> 8 : value & 0xff;
}

/* DMAEN cleared: whatever waits is forgotten; a block that is under way also has its size back. DMAEN set: temporaries
 * are loaded. */
static void write_control(struct hc_dma *dma, int i, uint16_t value)
{
    struct channel *c = &dma->s.channel[i];
    uint16_t before = c->ctl;

    c->ctl = value;
    if (!(value & DMAEN)) {
        c->ctl &= (uint16_t)~DMAREQ;
        c->triggered = c->in_block = false;
        if ((before & DMAEN) && dma->s.active == i)
            c->sz = c->t_sz;
    } else if (!(before & DMAEN)) {
        c->t_sz = c->sz;
        c->t_sa = c->sa;
        c->t_da = c->da;
        c->triggered = c->in_block = false;
    }
    if (value & ~before & DMAIFG && selected(dma, (i + 1) % CHANNELS) == HC_DMA_CHAIN)
        edge(dma, (i + 1) % CHANNELS);
    update_interrupt(dma);
}

/* A new size is the count at once, but not what it is reloaded with; new addresses take effect with the next DMAEN, or
 * when a repeated transfer starts over. */
static void write_word(struct hc_dma *dma, uint32_t address, uint16_t value)
{
    if (address == BASE_CONTROL + 2) {
        dma->s.ctl1 = value & CTL1_BITS;
        if (!(value & ROUNDROBIN))
            dma->s.first = 0;
    } else if (address >= BASE_CHANNELS && (address - BASE_CHANNELS) % 8 == 0) {
        write_control(dma, (int)(address - BASE_CHANNELS) / 8, value);
    } else {
        if (address == BASE_CONTROL)
            tell_watchers(dma, value);
        *register_at(dma, address) = value;
    }
    kick(dma);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_dma *dma = (struct hc_dma *)d;
    uint32_t word = address & ~1u;

    if (size == 1) {
        uint16_t before = *register_at(dma, word);
        value = address & 1 ? (uint16_t)(value << 8 | (before & 0xff)) : (uint16_t)((before & 0xff00) | (value & 0xff));
    }
    write_word(dma, word, value);
}

/* All registers are reset by POR only; what runs goes on through a PUC. The trigger lines are the sources'. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_dma *dma = (struct hc_dma *)d;

    if (kind == HC_POR) {
        dma->s.ctl0 = dma->s.ctl1 = 0;
        for (int i = 0; i < CHANNELS; i++) {
            dma->s.channel[i].ctl = 0;
            dma->s.channel[i].triggered = dma->s.channel[i].in_block = false;
        }
        dma->s.active = -1;
        dma->s.first = dma->s.burst = 0;
        dma->s.armed = dma->s.cpu_runs = dma->s.abort = false;
        hc_event_cancel(hc_events(d->machine), dma->engine);
    }
    update_interrupt(dma);
}

static const struct hc_device_ops ops = {
    .name = "dma",
    .help = "DMA controller with three channels",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
};

struct hc_dma *hc_dma_new(struct hc_machine *m, int vector)
{
    struct hc_dma *dma = HC_DEVICE_NEW(m, &ops, "dma", struct hc_dma);

    dma->vector = vector;
    dma->s.active = -1;
    dma->engine = hc_event_new(hc_events(m), "dma", engine, dma);
    dma->dmae0 = hc_wire_new(m, "dmae0", 0);
    hc_wire_listen(m, dma->dmae0, external_trigger, dma);
    hc_clock_listen(hc_mclk(m), (struct hc_clock_listener){ .changed = mclk_changed, .owner = dma });
    hc_device_claim(&dma->base, BASE_CONTROL, BASE_CONTROL + 3);
    hc_device_claim(&dma->base, BASE_CHANNELS, BASE_CHANNELS + CHANNELS * 8 - 1);
    hc_device_owns_vector(&dma->base, vector);
    return dma;
}
