#include "dma.h"

#include "word_register.h"

enum { CHANNELS = 3, CONTROLS = 5 };

/* Where a family has its registers. */
struct hc_dma_layout {
    uint32_t control;  /* address of DMACTL0 */
    int controls;      /* DMACTLx that there are */
    int options;       /* the one with ENNMI and ROUNDROBIN */
    uint32_t channels; /* address of DMA0CTL */
    uint32_t stride;   /* from channel to channel */
    uint32_t iv;       /* DMAIV; 0: none */
    uint32_t address_mask;
    enum hc_dma_trigger chain, dmae0;
    struct {
        uint8_t control, shift; /* of DMAxTSEL */
    } tsel[CHANNELS];
    uint8_t tsel_mask;
};

const struct hc_dma_layout hc_dma_f1 = {
    .control = 0x0122,
    .controls = 2,
    .options = 1,
    .channels = 0x01e0,
    .stride = 8,
    .address_mask = 0xffff,
    .chain = HC_DMA_CHAIN,
    .dmae0 = HC_DMA_DMAE0,
    .tsel = { { 0, 0 }, { 0, 4 }, { 0, 8 } },
    .tsel_mask = 0x0f,
};

const struct hc_dma_layout hc_dma_fr = {
    .control = 0x0500,
    .controls = 5,
    .options = 4,
    .channels = 0x0510,
    .stride = 16,
    .iv = 0x050e,
    .address_mask = 0xfffff,
    .chain = HC_DMA_FR_CHAIN,
    .dmae0 = HC_DMA_FR_DMAE0,
    .tsel = { { 0, 0 }, { 0, 8 }, { 1, 0 } },
    .tsel_mask = 0x1f,
};

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

/* DMACTL1, or DMACTL4 */
enum { ENNMI = 0x0001, ROUNDROBIN = 0x0002, OPTION_BITS = 0x0007 };

/* MCLK cycles */
enum { SYNCHRONISE = 1, SYNCHRONISE_ASLEEP = 2, TRANSFER = 2, WAIT = 1, BURST_TRANSFERS = 4, BURST_CPU = 2 };

struct channel {
    uint16_t ctl, sz, t_sz;
    uint32_t sa, da, t_sa, t_da; /* t_: the guide's temporary registers */
    bool triggered;              /* an edge waits to be served */
    bool in_block;               /* a block has begun: no further trigger is needed */
};

struct hc_dma {
    struct hc_device base;
    const struct hc_dma_layout *layout;
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
        uint16_t control[CONTROLS]; /* DMACTLx */
        uint32_t lines;             /* trigger levels, by number */
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

static enum hc_dma_trigger selected_by(const struct hc_dma *dma, const uint16_t *control, int i)
{
    const struct hc_dma_layout *l = dma->layout;

    return (enum hc_dma_trigger)(control[l->tsel[i].control] >> l->tsel[i].shift & l->tsel_mask);
}

static enum hc_dma_trigger selected(const struct hc_dma *dma, int i)
{
    return selected_by(dma, dma->s.control, i);
}

static uint16_t options(const struct hc_dma *dma)
{
    return dma->s.control[dma->layout->options];
}

static bool line(const struct hc_dma *dma, int i)
{
    enum hc_dma_trigger trigger = selected(dma, i);

    if (trigger == dma->layout->chain)
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

/* The DMACTLx are about to be CONTROL. */
static void tell_watchers(struct hc_dma *dma, const uint16_t *control)
{
    for (int trigger = 0; trigger < HC_DMA_TRIGGERS; trigger++) {
        bool chosen = false;

        for (int i = 0; i < CHANNELS; i++)
            chosen |= (int)selected_by(dma, control, i) == trigger;
        if (dma->source[trigger].watch)
            dma->source[trigger].watch(dma->source[trigger].device, chosen);
    }
}

void hc_dma_request(struct hc_dma *dma, enum hc_dma_trigger trigger, bool level)
{
    if (!dma || (dma->s.lines >> trigger & 1) == level)
        return;
    dma->s.lines ^= 1u << trigger;
    if (!level)
        return;
    for (int i = 0; i < CHANNELS; i++)
        if (selected(dma, i) == trigger)
            edge(dma, i);
    kick(dma);
}

static void external_trigger(void *owner, int32_t level, hc_time now)
{
    struct hc_dma *dma = owner;

    (void)now;
    hc_dma_request(dma, dma->layout->dmae0, level != 0);
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
    if (!was && selected(dma, next) == dma->layout->chain)
        edge(dma, next);
    update_interrupt(dma);
}

/* ---- transfers ---- */

static uint32_t step(const struct hc_dma *dma, uint32_t address, uint16_t ctl, int shift, bool byte)
{
    unsigned size = byte ? 1 : 2;

    switch (ctl >> shift & 3) {
    case 2:
        return (address - size) & dma->layout->address_mask;
    case 3:
        return (address + size) & dma->layout->address_mask;
    default:
        return address;
    }
}

/* A byte into a word clears the upper byte; of a word into a byte the lower one goes. Word addresses ignore bit 0. */
static void move_one(struct hc_dma *dma, struct channel *c)
{
    struct hc_machine *m = dma->base.machine;
    bool from_byte = c->ctl & DMASRCBYTE, to_byte = c->ctl & DMADSTBYTE;
    uint32_t from = from_byte ? c->t_sa : c->t_sa & ~1u;
    uint32_t to = to_byte ? c->t_da : c->t_da & ~1u;

    c->t_sa = step(dma, c->t_sa, c->ctl, DMASRCINCR_SHIFT, from_byte);
    c->t_da = step(dma, c->t_da, c->ctl, DMADSTINCR_SHIFT, to_byte);
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
    if (options(dma) & ROUNDROBIN)
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
    if (!(options(dma) & ENNMI) || !dma->s.armed)
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

enum register_kind { CONTROL, CTL, SA, DA, SA_HIGH, DA_HIGH, SZ, IV, VACANT };

/* INDEX: of the DMACTLx, or the channel. */
static enum register_kind decode(const struct hc_dma *dma, uint32_t address, int *index)
{
    static const enum register_kind narrow[] = { CTL, SA, DA, SZ };
    static const enum register_kind wide[] = { CTL, SA, SA_HIGH, DA, DA_HIGH, SZ, VACANT, VACANT };
    const struct hc_dma_layout *l = dma->layout;

    *index = 0;
    if (l->iv && address == l->iv)
        return IV;
    if (address >= l->control && address < l->control + 2 * (uint32_t)l->controls) {
        *index = (int)(address - l->control) / 2;
        return CONTROL;
    }
    if (address < l->channels)
        return VACANT;
    *index = (int)((address - l->channels) / l->stride);
    uint32_t word = (address - l->channels) % l->stride / 2;
    return l->stride == 8 ? narrow[word] : wide[word];
}

/* The channel with the highest priority among those that request an interrupt, from 1; 0: none. */
static int pending(const struct hc_dma *dma)
{
    for (int i = 0; i < CHANNELS; i++)
        if ((~dma->s.channel[i].ctl & (DMAIE | DMAIFG)) == 0)
            return i + 1;
    return 0;
}

static void clear_pending(struct hc_dma *dma)
{
    if (pending(dma))
        dma->s.channel[pending(dma) - 1].ctl &= (uint16_t)~DMAIFG;
    update_interrupt(dma);
}

static uint16_t value_at(const struct hc_dma *dma, uint32_t word)
{
    int i;
    enum register_kind kind = decode(dma, word, &i);
    const struct channel *c = &dma->s.channel[i < CHANNELS ? i : 0];

    switch (kind) {
    case CONTROL:
        return dma->s.control[i];
    case CTL:
        return c->ctl;
    case SA:
        return (uint16_t)c->sa;
    case SA_HIGH:
        return (uint16_t)(c->sa >> 16);
    case DA:
        return (uint16_t)c->da;
    case DA_HIGH:
        return (uint16_t)(c->da >> 16);
    case SZ:
        return c->sz;
    case IV:
        return (uint16_t)(2 * pending(dma));
    default:
        return 0;
    }
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_dma *)d, address & ~1u), address, size);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_dma *dma = (struct hc_dma *)d;
    uint16_t value = peek(d, address, size);
    int i;
    enum register_kind kind = decode(dma, address & ~1u, &i);

    if (kind == IV)
        clear_pending(dma);
    else if (kind == VACANT)
        hc_unknown_register(d, address, false);
    return value;
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
    if (value & ~before & DMAIFG && selected(dma, (i + 1) % CHANNELS) == dma->layout->chain)
        edge(dma, (i + 1) % CHANNELS);
    update_interrupt(dma);
}

static void write_choice(struct hc_dma *dma, int i, uint16_t value)
{
    uint16_t control[CONTROLS];

    for (int n = 0; n < CONTROLS; n++)
        control[n] = n == i ? value : dma->s.control[n];
    if (i == dma->layout->options) {
        control[i] &= OPTION_BITS;
        if (!(value & ROUNDROBIN))
            dma->s.first = 0;
    }
    tell_watchers(dma, control);
    dma->s.control[i] = control[i];
}

static uint32_t with_high_word(const struct hc_dma *dma, uint32_t address, uint16_t value)
{
    return ((address & 0xffff) | (uint32_t)value << 16) & dma->layout->address_mask;
}

/* A new size is the count at once, but not what it is reloaded with; new addresses take effect with the next DMAEN, or
 * when a repeated transfer starts over. */
static void write_word(struct hc_dma *dma, uint32_t address, uint16_t value)
{
    int i;
    enum register_kind kind = decode(dma, address, &i);
    struct channel *c = &dma->s.channel[i < CHANNELS ? i : 0];

    if (kind == CONTROL)
        write_choice(dma, i, value);
    else if (kind == CTL)
        write_control(dma, i, value);
    else if (kind == SA)
        c->sa = value;
    else if (kind == SA_HIGH)
        c->sa = with_high_word(dma, c->sa, value);
    else if (kind == DA)
        c->da = value;
    else if (kind == DA_HIGH)
        c->da = with_high_word(dma, c->da, value);
    else if (kind == SZ)
        c->sz = value;
    else if (kind == IV)
        clear_pending(dma);
    else
        hc_unknown_register(&dma->base, address, true);
    kick(dma);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_dma *dma = (struct hc_dma *)d;
    uint32_t word = address & ~1u;

    write_word(dma, word, hc_word_written(value_at(dma, word), address, value, size));
}

/* All registers are reset by POR only; what runs goes on through a PUC. The trigger lines are the sources'. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_dma *dma = (struct hc_dma *)d;

    if (kind == HC_POR) {
        for (int i = 0; i < CONTROLS; i++)
            dma->s.control[i] = 0;
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
    .peek = peek,
};

struct hc_dma *hc_dma_new_layout(struct hc_machine *m, int vector, const struct hc_dma_layout *layout)
{
    struct hc_dma *dma = HC_DEVICE_NEW(m, &ops, "dma", struct hc_dma);

    dma->layout = layout;
    dma->vector = vector;
    dma->s.active = -1;
    dma->engine = hc_event_new(hc_events(m), "dma", engine, dma);
    dma->dmae0 = hc_wire_new(m, "dmae0", 0);
    hc_wire_listen(m, dma->dmae0, external_trigger, dma);
    hc_clock_listen(hc_mclk(m), (struct hc_clock_listener){ .changed = mclk_changed, .owner = dma });
    hc_device_claim(&dma->base, layout->control, layout->control + 2 * (uint32_t)layout->controls - 1);
    hc_device_claim(&dma->base, layout->channels, layout->channels + CHANNELS * layout->stride - 1);
    if (layout->iv)
        hc_device_claim(&dma->base, layout->iv, layout->iv + 1);
    hc_device_owns_vector(&dma->base, vector);
    return dma;
}

struct hc_dma *hc_dma_new(struct hc_machine *m, int vector)
{
    return hc_dma_new_layout(m, vector, &hc_dma_f1);
}
