#include "dac12.h"

#include <assert.h>

enum { CTL = 0x1c0, DAT = 0x1c8 };
enum { SREF_EXTERNAL = 0x4000, RES = 0x1000, LSEL_SHIFT = 10, CALON = 0x200, IR = 0x100, AMP_SHIFT = 5, DF = 0x10 };
enum { IE = 0x08, IFG = 0x04, ENC = 0x02, GRP = 0x01, ALWAYS = CALON | IE | IFG | ENC | GRP };
enum { LSEL_DIRECT, LSEL_DATA, LSEL_TA1, LSEL_TB2 };

/* Time of the offset calibration by DAC12AMP, in ms. */
static const uint8_t calibration_ms[8] = { 100, 100, 100, 32, 6, 32, 6, 6 };

struct channel {
    struct hc_dac12 *dac;
    int number;
    hc_wire output;
    hc_event calibrated;
};

struct hc_dac12 {
    struct hc_device base;
    struct hc_dac12_wiring wiring;
    int vector;
    struct channel channel[HC_DAC12_CHANNELS];
    struct {
        struct {
            uint16_t ctl, dat;
            uint16_t latch;
            bool fresh; /* DAT was written since the last update */
        } channel[HC_DAC12_CHANNELS];
    } s;
};

/* ---- output ---- */

static int64_t full_scale(const struct hc_dac12 *dac, unsigned ctl)
{
    hc_wire reference = ctl & SREF_EXTERNAL ? dac->wiring.veref : dac->wiring.vref;
    int64_t volts = reference == HC_NO_WIRE ? 0 : hc_wire_level(dac->base.machine, reference);

    return volts * (ctl & IR ? 1 : 3);
}

static void drive(struct hc_dac12 *dac, int i)
{
    unsigned ctl = dac->s.channel[i].ctl;
    unsigned amp = ctl >> AMP_SHIFT & 7;
    unsigned steps = ctl & RES ? 256 : 4096;
    unsigned data = (dac->s.channel[i].latch ^ (ctl & DF ? steps / 2 : 0)) & (steps - 1);
    int64_t avcc = dac->wiring.avcc == HC_NO_WIRE ? 3000000 : hc_wire_level(dac->base.machine, dac->wiring.avcc);
    int64_t out = full_scale(dac, ctl) * data / steps;

    if (out > avcc)
        out = avcc;
    if (amp < 2)
        out = amp ? 0 : HC_DAC12_HIGH_IMPEDANCE;
    hc_wire_set(dac->base.machine, dac->channel[i].output, (int32_t)out);
}

static void voltage_changed(void *owner, int32_t level, hc_time now)
{
    (void)level;
    (void)now;
    drive(owner, 0);
    drive(owner, 1);
}

/* ---- flags ---- */

static void update_requests(struct hc_dac12 *dac)
{
    unsigned ctl0 = dac->s.channel[0].ctl, ctl1 = dac->s.channel[1].ctl;
    bool request = (ctl0 & (IE | IFG)) == (IE | IFG) || (ctl1 & (IE | IFG)) == (IE | IFG);

    if (dac->wiring.dma)
        hc_dma_share_vector(dac->wiring.dma, request);
    else
        hc_interrupt(dac->base.machine, dac->vector, request);
    hc_dma_request(dac->wiring.dma, HC_DMA_DAC12_0IFG, (ctl0 & (IE | IFG)) == IFG);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    struct hc_dac12 *dac = (struct hc_dac12 *)d;

    (void)trigger;
    dac->s.channel[0].ctl &= (uint16_t)~IFG;
    update_requests(dac);
}

/* ---- updates of the latch ---- */

static bool is_grouped(const struct hc_dac12 *dac)
{
    return dac->s.channel[0].ctl & GRP;
}

static unsigned load_select(const struct hc_dac12 *dac, int i)
{
    unsigned own = dac->s.channel[i].ctl >> LSEL_SHIFT & 3;

    if (own == LSEL_DIRECT || !is_grouped(dac))
        return own;
    return dac->s.channel[1].ctl >> LSEL_SHIFT & 3;
}

static void latch(struct hc_dac12 *dac, int i)
{
    dac->s.channel[i].latch = dac->s.channel[i].dat;
    dac->s.channel[i].fresh = false;
    if (load_select(dac, i) != LSEL_DIRECT)
        dac->s.channel[i].ctl |= IFG;
    drive(dac, i);
}

/* A trigger of kind SELECT (new data, a timer's edge) reached channel I. */
static void triggered(struct hc_dac12 *dac, int i, unsigned select)
{
    if (load_select(dac, i) != select || !(dac->s.channel[i].ctl & ENC))
        return;
    if (!is_grouped(dac)) {
        latch(dac, i);
    } else if ((dac->s.channel[!i].ctl & ENC) && load_select(dac, !i) == select && dac->s.channel[0].fresh &&
               dac->s.channel[1].fresh) {
        latch(dac, 0);
        latch(dac, 1);
    }
    update_requests(dac);
}

static void timer_a_changed(void *owner, int32_t level, hc_time now)
{
    (void)now;
    for (int i = 0; level && i < HC_DAC12_CHANNELS; i++)
        triggered(owner, i, LSEL_TA1);
}

static void timer_b_changed(void *owner, int32_t level, hc_time now)
{
    (void)now;
    for (int i = 0; level && i < HC_DAC12_CHANNELS; i++)
        triggered(owner, i, LSEL_TB2);
}

/* ---- registers ---- */

static hc_time calibrated(void *owner, hc_time now)
{
    struct channel *channel = owner;

    (void)now;
    channel->dac->s.channel[channel->number].ctl &= (uint16_t)~CALON;
    return HC_NEVER;
}

static void calibrate(struct hc_dac12 *dac, int i, bool on)
{
    hc_time time = hc_ms(calibration_ms[dac->s.channel[i].ctl >> AMP_SHIFT & 7]);

    hc_event_arm(hc_events(dac->base.machine), dac->channel[i].calibrated,
                 on ? hc_now(dac->base.machine) + time : HC_NEVER);
}

static void write_control(struct hc_dac12 *dac, int i, uint16_t value)
{
    uint16_t before = dac->s.channel[i].ctl;
    uint16_t writable = before & ENC ? ALWAYS : 0xffff;

    dac->s.channel[i].ctl = (uint16_t)((before & ~writable) | (value & writable));
    if ((before ^ dac->s.channel[i].ctl) & CALON)
        calibrate(dac, i, dac->s.channel[i].ctl & CALON);
    if (load_select(dac, i) == LSEL_DIRECT)
        latch(dac, i);
    drive(dac, i);
    update_requests(dac);
}

static void write_data(struct hc_dac12 *dac, int i, uint16_t value)
{
    dac->s.channel[i].dat = value & 0x0fff;
    dac->s.channel[i].fresh = true;
    if (load_select(dac, i) == LSEL_DIRECT)
        latch(dac, i);
    else
        triggered(dac, i, LSEL_DATA);
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_dac12 *dac = (struct hc_dac12 *)d;
    int i = address >> 1 & 1;
    uint16_t value = 0;

    if ((address & ~3u) == CTL)
        value = dac->s.channel[i].ctl;
    else if ((address & ~3u) == DAT)
        value = dac->s.channel[i].dat;
    if (size == 1)
        value = address & 1 ? value >> 8 : value & 0xff;
    return value;
}

static bool is_register(uint32_t address)
{
    return (address & ~3u) == CTL || (address & ~3u) == DAT;
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    if (!is_register(address))
        hc_unknown_register(d, address, false);
    return peek(d, address, size);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_dac12 *dac = (struct hc_dac12 *)d;

    if (size == 1)
        value &= 0xff; /* a byte written to a word register clears its high byte */
    if (!is_register(address) || address & 1)
        hc_unknown_register(d, address, true);
    else if ((address & ~3u) == CTL)
        write_control(dac, address >> 1 & 1, value);
    else
        write_data(dac, address >> 1 & 1, value);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_dac12 *dac = (struct hc_dac12 *)d;

    for (int i = 0; kind == HC_POR && i < HC_DAC12_CHANNELS; i++) {
        dac->s.channel[i].ctl = dac->s.channel[i].dat = dac->s.channel[i].latch = 0;
        dac->s.channel[i].fresh = false;
        calibrate(dac, i, false);
        drive(dac, i);
    }
    update_requests(dac);
}

static const struct hc_device_ops ops = {
    .name = "dac12",
    .help = "two 12-bit digital-to-analog converters",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
};

/* ---- wiring ---- */

static void listen(struct hc_dac12 *dac, hc_wire wire, hc_wire_fn *call)
{
    if (wire != HC_NO_WIRE)
        hc_wire_listen(dac->base.machine, wire, call, dac);
}

struct hc_dac12 *hc_dac12_new(struct hc_machine *m, const struct hc_dac12_wiring *wiring, int vector)
{
    static const char *const outputs[] = { "dac12.0", "dac12.1" };
    struct hc_dac12 *dac = HC_DEVICE_NEW(m, &ops, "dac12", struct hc_dac12);

    dac->wiring = *wiring;
    dac->vector = vector;
    for (int i = 0; i < HC_DAC12_CHANNELS; i++) {
        struct channel *channel = &dac->channel[i];

        channel->dac = dac;
        channel->number = i;
        channel->output = hc_wire_new_wide(m, outputs[i], 32, NULL);
        channel->calibrated = hc_event_new(hc_events(m), "dac12.calibrated", calibrated, channel);
    }
    listen(dac, wiring->avcc, voltage_changed);
    listen(dac, wiring->vref, voltage_changed);
    listen(dac, wiring->veref, voltage_changed);
    listen(dac, wiring->ta_out1, timer_a_changed);
    listen(dac, wiring->tb_out2, timer_b_changed);
    if (wiring->dma)
        hc_dma_connect(wiring->dma, HC_DMA_DAC12_0IFG, &dac->base, dma_taken);
    hc_device_claim(&dac->base, CTL, DAT + 3);
    return dac;
}

hc_wire hc_dac12_output(const struct hc_dac12 *dac, int channel)
{
    assert(channel >= 0 && channel < HC_DAC12_CHANNELS);
    return dac->channel[channel].output;
}
