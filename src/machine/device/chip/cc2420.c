/* The chip around the radio: supply, reset, SPI protocol, registers and pins. */
#include "cc2420_internal.h"

#include <stdio.h>

/* The regulator settles in 300 us. Well before that the digital core answers on real chips: firmware that waited for
 * only 170 us has been in use for years. The crystal starts when the supply is stable. */
enum { VREG_SETTLE_US = 300, CORE_START_US = 50, BATTMON_US = 5 };

enum spi_phase { SPI_ADDRESS, SPI_REGISTER_HIGH, SPI_REGISTER_LOW, SPI_RAM_ADDRESS, SPI_RAM, SPI_TXFIFO, SPI_RXFIFO };

enum {
    STATUS_XOSC16M_STABLE = 0x40,
    STATUS_TX_UNDERFLOW = 0x20,
    STATUS_ENC_BUSY = 0x10,
    STATUS_TX_ACTIVE = 0x08,
    STATUS_LOCK = 0x04,
    STATUS_RSSI_VALID = 0x02,
};

/* ---- registers ---- */

static const struct {
    uint16_t reset, writable;
} registers[] = {
    [MAIN] = { 0xf800, 0xf801 },     [MDMCTRL0] = { 0x0ae2, 0x3fff }, [MDMCTRL1] = { 0x0500, 0x07ff },
    [RSSI] = { 0xe080, 0xff00 },     [SYNCWORD] = { 0xa70f, 0xffff }, [TXCTRL] = { 0xa0ff, 0xffff },
    [RXCTRL0] = { 0x12e5, 0x3fff },  [RXCTRL1] = { 0x0a56, 0x3fff },  [FSCTRL] = { 0x4165, 0xcbff },
    [SECCTRL0] = { 0x03c4, 0x03ff }, [SECCTRL1] = { 0x0000, 0x7f7f }, [BATTMON] = { 0x0040, 0x003f },
    [IOCFG0] = { 0x0040, 0x0fff },   [IOCFG1] = { 0x0000, 0x1fff },   [MANFIDL] = { 0x233d, 0x0000 },
    [MANFIDH] = { 0x3000, 0x0000 },  [FSMTC] = { 0x7a94, 0xffff },    [MANAND] = { 0xffff, 0xffff },
    [MANOR] = { 0x0000, 0xffff },    [AGCCTRL] = { 0x07f3, 0x0ffc },  [AGCTST0] = { 0x3649, 0xffff },
    [AGCTST1] = { 0x0854, 0x7fff },  [AGCTST2] = { 0x012a, 0x03ff },  [FSTST0] = { 0x0210, 0x0fe0 },
    [FSTST1] = { 0x5002, 0xffff },   [FSTST2] = { 0x0620, 0x7fc0 },   [FSTST3] = { 0x82dd, 0xffff },
    [RXBPFTST] = { 0x0000, 0x7f80 }, [FSMSTATE] = { 0x0000, 0x0000 }, [ADCTST] = { 0x0000, 0x8000 },
    [DACTST] = { 0x0000, 0x7fff },   [TOPTST] = { 0x0010, 0x00ff },   [RESERVED] = { 0x0000, 0xffff },
};

/* The comparator toggles at 1.25 V x (72 - BATTMON_VOLTAGE) / 27. */
static bool supply_above_toggle(const struct hc_cc2420 *r)
{
    unsigned toggle = 72 - (r->s.reg[BATTMON] & 0x1f);

    return !hc_cc2420_on(r, BATTMON, BATTMON_EN) || r->s.supply_mv * 27u > 1250u * toggle;
}

static uint16_t battmon(const struct hc_cc2420 *r, hc_time now)
{
    bool settled = now - r->s.battmon_since >= hc_us(BATTMON_US);
    bool ok = settled ? supply_above_toggle(r) : r->s.battmon_ok;

    return (uint16_t)((r->s.reg[BATTMON] & 0x3f) | (ok ? BATTMON_OK : 0));
}

static uint16_t fsctrl(const struct hc_cc2420 *r)
{
    return (uint16_t)(r->s.reg[FSCTRL] | (r->s.calibrated ? CAL_DONE : 0) |
                      (hc_cc2420_calibrating(r) ? CAL_RUNNING : 0) | (hc_cc2420_locked(r) ? LOCK_STATUS : 0));
}

/* The gain mode is the one that LNAMIX_GAINMODE_O forces, or else high: the AGC is not modelled. */
static uint16_t agcctrl(const struct hc_cc2420 *r)
{
    unsigned forced = r->s.reg[AGCCTRL] >> 2 & 3;

    return (uint16_t)((r->s.reg[AGCCTRL] & ~3u) | (forced ? forced : 3));
}

static uint16_t register_read(const struct hc_cc2420 *r, int reg, hc_time now)
{
    switch (reg) {
    case RSSI:
        return (uint16_t)((r->s.reg[RSSI] & 0xff00) | (hc_cc2420_rssi_value(r, now) & 0xff));
    case FSCTRL:
        return fsctrl(r);
    case BATTMON:
        return battmon(r, now);
    case AGCCTRL:
        return agcctrl(r);
    case FSMSTATE:
        return hc_cc2420_fsm_state(r);
    default:
        return r->s.reg[reg];
    }
}

/* Everything but RAM, the supply and the random numbers. */
static void chip_reset(struct hc_cc2420 *r, hc_time now)
{
    for (int i = MAIN; i < REGISTERS_END; i++)
        r->s.reg[i] = registers[i].reset;
    r->s.battmon_since = 0;
    r->s.battmon_ok = true;
    r->s.spi_phase = SPI_ADDRESS;
    r->s.ack_pending = r->s.ack_strobed = r->s.ack_possible = false;
    hc_cc2420_security_cancel(r);
    hc_cc2420_txfifo_flush(r);
    hc_cc2420_rxfifo_flush(r);
    r->s.rx_overflow = false;
    if (r->s.state > HC_CC2420_POWER_DOWN)
        hc_cc2420_enter(r, HC_CC2420_POWER_DOWN, now);
    hc_cc2420_pins(r);
}

static void main_written(struct hc_cc2420 *r, uint16_t value, hc_time now)
{
    if (!(value & MAIN_RESETN)) {
        chip_reset(r, now);
        r->s.reg[MAIN] = value;
        return;
    }
    r->s.reg[MAIN] = value;
    if (!(value & MAIN_ENC_RESETN))
        hc_cc2420_security_cancel(r);
    if (!(value & MAIN_DEMOD_RESETN) && r->s.state == HC_CC2420_RX_FRAME)
        hc_cc2420_enter(r, HC_CC2420_RX_SFD_SEARCH, now);
}

static void register_write(struct hc_cc2420 *r, int reg, uint16_t value, hc_time now)
{
    uint16_t writable = registers[reg].writable;

    value = (uint16_t)((value & writable) | (r->s.reg[reg] & ~writable));
    if (reg == MAIN)
        main_written(r, value, now);
    else if (!hc_cc2420_on(r, MAIN, MAIN_RESETN))
        return; /* all but MAIN is held in reset */
    if (reg == BATTMON) {
        r->s.battmon_ok = battmon(r, now) & BATTMON_OK;
        r->s.battmon_since = now;
    }
    r->s.reg[reg] = value;
    if (reg == MDMCTRL0 || reg == RSSI)
        hc_cc2420_cca_update(r, now);
    hc_cc2420_pins(r);
}

/* ---- pins ---- */

void hc_cc2420_note(struct hc_cc2420 *r, unsigned what, const char *text)
{
    if (!(r->s.noted & what))
        hc_note(r->base.machine, "%s: %s", r->base.name, text);
    r->s.noted |= what;
}

/* Test signals that SFDMUX and CCAMUX can select, besides the pin's own (0). */
static bool mux(struct hc_cc2420 *r, int pin, int selected, bool own)
{
    switch (selected) {
    case 0:
        return own;
    case 3:
        return hc_cc2420_locked(r);
    case 6:
        return !hc_cc2420_synthesizing(r);
    case 7:
    case 8:
    case 9:
    case 10:
        return !hc_cc2420_receiving(r);
    case 11:
        return !hc_cc2420_on_air(r);
    case 24:
        if (pin == PIN_CCA)
            return hc_cc2420_crystal(r);
        break;
    case 30:
        return false;
    case 31:
        return true;
    default:
        break;
    }
    hc_cc2420_note(r, NOTE_MUX, "IOCFG1 selects a test signal that is not modelled; the pin stays inactive");
    return false;
}

static bool fifo_active(const struct hc_cc2420 *r)
{
    return r->s.rx_in != r->s.rx_out && !r->s.rx_overflow && r->s.security != SECURITY_RX;
}

/* The end of a frame raises FIFOP until a byte is read. The datasheet does not say what a second frame does: assumed is
 * that it raises FIFOP again when its turn comes, which drivers rely on. */
static bool fifop_active(const struct hc_cc2420 *r)
{
    if (r->s.rx_overflow)
        return true;
    if (r->s.security == SECURITY_RX)
        return false;
    return r->s.rx_ended || (r->s.rx_complete && !r->s.rx_left) ||
           hc_cc2420_rxfifo_unread(r) > (r->s.reg[IOCFG0] & 0x7fu);
}

static void drive(struct hc_cc2420 *r, int pin, bool active, uint16_t polarity)
{
    if (r->pin[pin].wire != HC_NO_WIRE)
        hc_wire_drive(r->base.machine, r->pin[pin].wire, r->pin[pin].driver,
                      active != hc_cc2420_on(r, IOCFG0, polarity) ? HC_HIGH : HC_LOW);
}

void hc_cc2420_pins(struct hc_cc2420 *r)
{
    if (r->s.state < HC_CC2420_POWER_DOWN) {
        for (int i = 0; i < PINS; i++)
            if (r->pin[i].wire != HC_NO_WIRE)
                hc_wire_drive(r->base.machine, r->pin[i].wire, r->pin[i].driver, HC_RELEASE);
        return;
    }
    /* FIFO before FIFOP: an interrupt handler of FIFOP looks at FIFO to tell an overflow. */
    drive(r, PIN_FIFO, fifo_active(r), FIFO_POLARITY);
    drive(r, PIN_FIFOP, fifop_active(r), FIFOP_POLARITY);
    drive(r, PIN_SFD, mux(r, PIN_SFD, r->s.reg[IOCFG1] >> 5 & 0x1f, r->s.sfd), SFD_POLARITY);
    drive(r, PIN_CCA, mux(r, PIN_CCA, r->s.reg[IOCFG1] & 0x1f, r->s.cca), CCA_POLARITY);
}

/* ---- SPI ---- */

static uint8_t status(const struct hc_cc2420 *r, hc_time now)
{
    return (uint8_t)((hc_cc2420_crystal(r) ? STATUS_XOSC16M_STABLE : 0) |
                     (r->s.tx_underflow ? STATUS_TX_UNDERFLOW : 0) | (r->s.security ? STATUS_ENC_BUSY : 0) |
                     (hc_cc2420_tx_active(r) ? STATUS_TX_ACTIVE : 0) | (hc_cc2420_locked(r) ? STATUS_LOCK : 0) |
                     (hc_cc2420_rssi_valid(r, now) ? STATUS_RSSI_VALID : 0));
}

/* FIFOs and RAM are clocked by the crystal; without it only registers and strobes answer. */
static bool ram_works(const struct hc_cc2420 *r)
{
    return hc_cc2420_crystal(r);
}

static uint8_t ram_get(const struct hc_cc2420 *r, unsigned address)
{
    return ram_works(r) && address < RAM_SIZE ? r->s.ram[address] : 0;
}

/* What the datasheet draws as "X" reads as 0. */
static uint8_t spi_output(const struct hc_cc2420 *r, hc_time now)
{
    switch (r->s.spi_phase) {
    case SPI_ADDRESS:
        return status(r, now);
    case SPI_REGISTER_HIGH:
        return (uint8_t)(r->s.spi_read ? r->s.spi_value >> 8 : 0);
    case SPI_REGISTER_LOW:
        return (uint8_t)(r->s.spi_read ? r->s.spi_value : 0);
    case SPI_RAM:
        return ram_get(r, r->s.spi_value);
    case SPI_TXFIFO:
        return r->s.spi_read ? 0 : status(r, now);
    case SPI_RXFIFO:
        return r->s.spi_read && ram_works(r) ? hc_cc2420_rxfifo_peek(r) : 0;
    default:
        return 0;
    }
}

static void spi_address(struct hc_cc2420 *r, uint8_t mosi, hc_time now)
{
    int address = mosi & 0x3f;

    r->s.spi_read = mosi & 0x40;
    r->s.spi_address = (uint8_t)address;
    if (mosi & 0x80) {
        r->s.spi_value = mosi & 0x7f;
        r->s.spi_phase = SPI_RAM_ADDRESS;
    } else if (address < STROBES) {
        hc_cc2420_strobe(r, address, now);
    } else if (address == TXFIFO || address == RXFIFO) {
        r->s.spi_phase = address == TXFIFO ? SPI_TXFIFO : SPI_RXFIFO;
    } else if (address < MAIN || address >= REGISTERS_END) {
        hc_cc2420_note(r, NOTE_REGISTER, "SPI access to an address where there is no register");
        r->s.spi_value = 0;
        r->s.spi_phase = address < MAIN ? SPI_ADDRESS : SPI_REGISTER_HIGH;
    } else {
        r->s.spi_value = register_read(r, address, now);
        r->s.spi_phase = SPI_REGISTER_HIGH;
    }
}

static void spi_register_low(struct hc_cc2420 *r, uint8_t mosi, hc_time now)
{
    int reg = r->s.spi_address;

    r->s.spi_phase = SPI_ADDRESS;
    if (!r->s.spi_read && reg < REGISTERS_END)
        register_write(r, reg, (uint16_t)(r->s.spi_high << 8 | mosi), now);
}

static void spi_data(struct hc_cc2420 *r, uint8_t mosi, hc_time now)
{
    if (!ram_works(r)) {
        hc_cc2420_note(r, NOTE_NO_XOSC, "RAM or FIFO access while the crystal oscillator is off");
    } else if (r->s.spi_phase == SPI_RAM) {
        if (!r->s.spi_read && r->s.spi_value < RAM_SIZE)
            r->s.ram[r->s.spi_value] = mosi;
        r->s.spi_value = (r->s.spi_value + 1) & 0x1ff;
    } else if (r->s.spi_phase == SPI_TXFIFO) {
        if (!r->s.spi_read)
            hc_cc2420_txfifo_write(r, mosi, now);
    } else if (r->s.spi_read) {
        hc_cc2420_rxfifo_read(r);
    } else {
        hc_cc2420_rxfifo_write(r, mosi, now);
    }
}

static uint8_t exchange(struct hc_device *d, uint8_t mosi, hc_time now)
{
    struct hc_cc2420 *r = (struct hc_cc2420 *)d;
    uint8_t out = spi_output(r, now);

    switch (r->s.spi_phase) {
    case SPI_ADDRESS:
        spi_address(r, mosi, now);
        break;
    case SPI_REGISTER_HIGH:
        r->s.spi_high = mosi;
        r->s.spi_phase = SPI_REGISTER_LOW;
        break;
    case SPI_REGISTER_LOW:
        spi_register_low(r, mosi, now);
        break;
    case SPI_RAM_ADDRESS:
        r->s.spi_value |= (uint16_t)((mosi & 0xc0) << 1);
        r->s.spi_read = mosi & 0x20;
        r->s.spi_phase = SPI_RAM;
        break;
    default:
        spi_data(r, mosi, now);
    }
    return out;
}

static uint8_t next(struct hc_device *d)
{
    return spi_output((struct hc_cc2420 *)d, hc_now(d->machine));
}

static bool level(const struct hc_cc2420 *r, hc_wire w, bool unconnected)
{
    return w == HC_NO_WIRE ? unconnected : hc_wire_level(r->base.machine, w) != 0;
}

static bool selected(struct hc_device *d)
{
    struct hc_cc2420 *r = (struct hc_cc2420 *)d;

    return r->s.state >= HC_CC2420_POWER_DOWN && !level(r, r->csn, false) && level(r, r->resetn, true);
}

static void csn_changed(void *owner, int32_t csn, hc_time now)
{
    struct hc_cc2420 *r = owner;

    (void)csn;
    (void)now;
    r->s.spi_phase = SPI_ADDRESS;
    hc_spi_select_changed(r->spi);
}

/* ---- supply and reset ---- */

uint32_t hc_cc2420_random(struct hc_cc2420 *r)
{
    uint64_t x = r->s.random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    r->s.random = x;
    return (uint32_t)(x >> 32);
}

static void resetn_changed(void *owner, int32_t resetn, hc_time now)
{
    if (!resetn)
        chip_reset(owner, now);
}

static void vreg_en_changed(void *owner, int32_t vreg_en, hc_time now)
{
    struct hc_cc2420 *r = owner;

    if (!vreg_en) {
        hc_cc2420_enter(r, HC_CC2420_OFF, now);
        return;
    }
    chip_reset(r, now);
    for (int i = 0; i < RAM_SIZE; i++)
        r->s.ram[i] = (uint8_t)hc_cc2420_random(r);
    r->s.vreg_settled = now + hc_us(VREG_SETTLE_US);
    hc_cc2420_enter_for(r, HC_CC2420_VREG_START, CORE_START_US, now);
}

/* The microcontroller's reset is not the radio's. But what resets all of the board, or lets go of VREG_EN, is. */
static void power_off(struct hc_device *d)
{
    hc_cc2420_enter((struct hc_cc2420 *)d, HC_CC2420_OFF, hc_now(d->machine));
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_cc2420 *r = (struct hc_cc2420 *)d;
    hc_time now = hc_now(d->machine);

    if (kind != HC_POR)
        return;
    hc_cc2420_enter(r, HC_CC2420_OFF, now);
    if (!r->s.random)
        r->s.random = r->seed * 0x9e3779b97f4a7c15u + 1;
    if (level(r, r->vreg_en, true))
        vreg_en_changed(r, 1, now);
}

void hc_cc2420_set_supply(struct hc_cc2420 *r, unsigned millivolts)
{
    r->s.supply_mv = millivolts;
}

/* ---- wiring ---- */

static const struct hc_device_ops ops = {
    .name = "cc2420",
    .help = "IEEE 802.15.4 radio",
    .reset = reset,
    .power_off = power_off,
};

static void connect_outputs(struct hc_cc2420 *r, const struct hc_cc2420_config *c)
{
    const hc_wire wires[PINS] = {
        [PIN_FIFO] = c->fifo, [PIN_FIFOP] = c->fifop, [PIN_SFD] = c->sfd, [PIN_CCA] = c->cca
    };

    for (int i = 0; i < PINS; i++) {
        r->pin[i].wire = wires[i];
        if (wires[i] != HC_NO_WIRE)
            r->pin[i].driver = hc_wire_driver(r->base.machine, wires[i]);
    }
}

static void connect_inputs(struct hc_cc2420 *r, const struct hc_cc2420_config *c)
{
    r->csn = c->csn;
    r->resetn = c->resetn;
    r->vreg_en = c->vreg_en;
    if (c->csn != HC_NO_WIRE)
        hc_wire_listen(r->base.machine, c->csn, csn_changed, r);
    if (c->resetn != HC_NO_WIRE)
        hc_wire_listen(r->base.machine, c->resetn, resetn_changed, r);
    if (c->vreg_en != HC_NO_WIRE)
        hc_wire_listen(r->base.machine, c->vreg_en, vreg_en_changed, r);
}

struct hc_cc2420 *hc_cc2420_new(struct hc_machine *m, const struct hc_cc2420_config *c)
{
    struct hc_cc2420 *r = HC_DEVICE_NEW(m, &ops, c->name, struct hc_cc2420);
    char name[24];

    r->spi = c->spi;
    r->seed = c->seed;
    r->s.supply_mv = 3000;
    r->step = hc_event_new(hc_events(m), "radio state", hc_cc2420_step, r);
    r->rssi = hc_event_new(hc_events(m), "radio rssi", hc_cc2420_rssi_step, r);
    r->security = hc_event_new(hc_events(m), "radio security", hc_cc2420_security_step, r);
    snprintf(name, sizeof name, "%s.state", c->name);
    r->state_wire = hc_wire_new_wide(m, name, 5, hc_cc2420_state_names);
    hc_cc2420_energy_reset(r, 0);
    connect_outputs(r, c);
    connect_inputs(r, c);
    hc_spi_attach(c->spi, (struct hc_spi_slave){ selected, exchange, next, &r->base });
    return r;
}

void hc_cc2420_set_medium(struct hc_cc2420 *r, struct hc_radio_medium medium)
{
    r->medium = medium;
}
