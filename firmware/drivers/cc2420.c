#include "drivers/cc2420.h"

#include "drivers/spi.h"
#include "kernel/critical.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { FIFOP = BIT0, FIFO = BIT3, CCA = BIT4 };                 /* P1 */
enum { SFD = BIT1, CSN = BIT2, VREG_EN = BIT5, RESETN = BIT6 }; /* P4 */

enum strobe { SNOP, SXOSCON, SRXON = 3, STXON, STXONCCA, SRFOFF, SXOSCOFF, SFLUSHRX, SFLUSHTX };
enum reg {
    MDMCTRL0 = 0x11,
    MDMCTRL1,
    RSSI,
    TXCTRL = 0x15,
    RXCTRL1 = 0x17,
    FSCTRL,
    SECCTRL0,
    IOCFG0 = 0x1c,
    TXFIFO = 0x3e,
    RXFIFO = 0x3f,
    READ = 0x40,
};
enum ram { PANID = 0x168, SHORTADR = 0x16a };
enum status { XOSC16M_STABLE = 0x40, TX_ACTIVE = 0x08 };

/* What differs from the reset values, and why. */
static const struct {
    uint8_t reg;
    uint16_t value;
} setup[] = {
    { MDMCTRL0, 0x0af2 }, /* as after reset, and AUTOACK: address recognition, CCA mode 3, AUTOCRC, preamble 3 */
    { MDMCTRL1, 0x0500 }, /* correlation threshold 20: the datasheet's advice */
    { RXCTRL1, 0x2a56 },  /* RXBPF_LOCUR: the same */
    { SECCTRL0, 0x01c4 }, /* no RXFIFO protection, which is for security only */
    { IOCFG0, 0x007f },   /* FIFOP only for complete frames */
};

enum {
    VREG_TICKS = 20,     /* 0.6 ms */
    CRYSTAL_TICKS = 34,  /* 1 ms, whatever the phase */
    RETRY_TICKS = 4,     /* looks for the crystal */
    RECEIVER_TICKS = 12, /* 320 us until RSSI, and so CCA, is valid */
    RSSI_OFFSET = -45,
    FIFO_BYTES = 128,
};

enum state { OFF, REGULATOR, STANDBY, CRYSTAL, RECEIVER, ON = CC2420_ON };
uint8_t cc2420_state;

static void settled(void *unused);
static void granted(void);

static struct spi_client client = { .granted = granted };
static struct timer settling = TIMER(settled, NULL);

static struct {
    const struct cc2420_config *config;
    const struct cc2420_events *events;
    enum state wanted; /* OFF, STANDBY or ON */
    uint8_t channel, power;
    bool configured;              /* the registers hold the configuration */
    bool announce;                /* events->started, when on */
    bool acquire_refused;         /* someone above waits for the bus */
    volatile bool receive_posted; /* or waiting for the bus */
    volatile uint16_t fifop_at, sfd_at;
    uint8_t unread; /* bytes of the RXFIFO that are sure to be there, once it has overflowed; until then all */
    uint8_t frame[1 + CC2420_FRAME_MAX];
} radio;

uint16_t cc2420_bad_frames, cc2420_overflows;

/* ---- registers ---- */

static void chip_select(bool selected)
{
    if (selected)
        P4OUT &= (uint8_t)~CSN;
    else
        P4OUT |= CSN;
}

static void strobe(enum strobe which)
{
    chip_select(true);
    spi_put((uint8_t)which);
    chip_select(false);
}

static uint8_t status(void)
{
    chip_select(true);
    uint8_t bits = spi_exchange(SNOP);
    chip_select(false);
    return bits;
}

static void set(uint8_t reg, uint16_t value)
{
    chip_select(true);
    spi_put(reg);
    spi_put((uint8_t)(value >> 8));
    spi_put((uint8_t)value);
    chip_select(false);
}

static uint16_t get(uint8_t reg)
{
    chip_select(true);
    spi_put(READ | reg);
    uint16_t high = spi_exchange(0);
    uint16_t value = (uint16_t)(high << 8 | spi_exchange(0));
    chip_select(false);
    return value;
}

static void set_ram(uint16_t address, uint16_t value)
{
    chip_select(true);
    spi_put((uint8_t)(0x80 | (address & 0x7f)));
    spi_put((uint8_t)(address >> 1 & 0xc0));
    spi_put((uint8_t)value);
    spi_put((uint8_t)(value >> 8));
    chip_select(false);
}

static void set_tuning(void)
{
    set(FSCTRL, (uint16_t)(0x4000 | (357 + 5 * (radio.channel - 11)))); /* 2048 + FREQ is the frequency in MHz */
    set(TXCTRL, (uint16_t)(0xa0e0 | radio.power));
}

static void configure(void)
{
    for (uint8_t i = 0; i < sizeof setup / sizeof *setup; i++)
        set(setup[i].reg, setup[i].value);
    set_ram(PANID, radio.config->pan);
    set_ram(SHORTADR, radio.config->address);
}

/* ---- the bus ---- */

bool cc2420_acquire(void)
{
    if (spi_acquire(&client))
        return true;
    spi_request(&client);
    radio.acquire_refused = true;
    return false;
}

void cc2420_release(void)
{
    spi_release(&client);
}

/* ---- on and off: from `state` to `wanted`, a step at a time ---- */

static void watch_fifop(bool watch)
{
    if (watch) {
        P1IFG &= (uint8_t)~FIFOP;
        P1IE |= FIFOP;
    } else {
        P1IE &= (uint8_t)~(FIFOP | CCA);
    }
}

static void go(enum state next, uint16_t wait)
{
    cc2420_state = next;
    timer_start_once(&settling, wait);
}

static void flush_received(void)
{
    strobe(SFLUSHRX);
    strobe(SFLUSHRX);
    radio.unread = FIFO_BYTES;
}

static void power_off(void)
{
    watch_fifop(false);
    P4OUT &= (uint8_t)~(VREG_EN | RESETN);
    radio.configured = false;
    cc2420_state = OFF;
}

static void crystal_off(void)
{
    watch_fifop(false);
    strobe(SRFOFF);
    flush_received();
    strobe(SXOSCOFF);
    cc2420_state = STANDBY;
}

static void crystal_started(void)
{
    if (!(status() & XOSC16M_STABLE)) {
        go(CRYSTAL, RETRY_TICKS);
        return;
    }
    if (!radio.configured)
        configure();
    radio.configured = true;
    set_tuning();
    strobe(SRXON);
    watch_fifop(true);
    go(RECEIVER, RECEIVER_TICKS);
}

static void step_up(void)
{
    switch (cc2420_state) {
    case OFF:
        P4OUT |= VREG_EN;
        go(REGULATOR, VREG_TICKS);
        break;
    case REGULATOR:
        P4OUT |= RESETN;
        cc2420_state = STANDBY; /* fall through */
    case STANDBY:
        strobe(SXOSCON);
        go(CRYSTAL, CRYSTAL_TICKS);
        break;
    case CRYSTAL:
        crystal_started();
        break;
    case RECEIVER:
        cc2420_state = ON;
        break;
    case ON:
        break;
    }
}

static void step_down(void)
{
    timer_stop(&settling);
    if (cc2420_state > STANDBY)
        crystal_off();
    if (radio.wanted == OFF)
        power_off();
}

/* Does one step and releases the bus. */
static void step(void)
{
    if (radio.wanted != ON)
        step_down();
    else if (!timer_running(&settling))
        step_up();
    cc2420_release();
    if (cc2420_state == ON && radio.announce) {
        radio.announce = false;
        radio.events->started();
    }
}

static bool own_acquire(void)
{
    if (spi_acquire(&client))
        return true;
    spi_request(&client);
    return false;
}

static void settled(void *unused)
{
    (void)unused;
    if (own_acquire())
        step();
}

static void want(enum state wanted)
{
    radio.wanted = wanted;
    if (own_acquire())
        step();
}

void cc2420_on(void)
{
    if (radio.wanted == ON)
        return;
    radio.announce = true;
    want(ON);
}

void cc2420_standby(void)
{
    if (cc2420_state != OFF)
        want(STANDBY);
}

void cc2420_off(void)
{
    want(OFF);
}

bool cc2420_is_on(void)
{
    return cc2420_state == ON && radio.wanted == ON;
}

uint32_t cc2420_on_since(void)
{
    return settling.at;
}

void cc2420_set_power(uint8_t level)
{
    radio.power = level & CC2420_POWER_MAX;
    if (cc2420_is_on() && spi_acquire(&client)) {
        set_tuning();
        cc2420_release();
    }
}

void cc2420_set_channel(uint8_t channel)
{
    radio.channel = channel;
    if (cc2420_is_on() && spi_acquire(&client)) {
        set_tuning();
        strobe(SRXON); /* the synthesizer locks to the new frequency */
        cc2420_release();
    }
}

/* ---- reception ---- */

/* A frame of LENGTH bytes ends LENGTH + 1 bytes, of 32 us, after its SFD. If FIFOP rose then, the last capture was this
 * frame's; otherwise (a second frame in the FIFO, or a late handler) it was that of another. */
static bool capture_fits(uint8_t length)
{
    uint16_t elapsed = radio.fifop_at - radio.sfd_at;
    uint16_t expected = (uint16_t)(length + 1 + (length + 1) / 20);
    return elapsed + 2 >= expected && elapsed <= expected + 8;
}

/* Reads a frame to radio.frame; false when there is none to be had. */
static bool read_frame(void)
{
    chip_select(true);
    spi_put(READ | RXFIFO);
    uint8_t length = radio.frame[0] = spi_exchange(0);
    bool sane = length >= 3 && length <= CC2420_FRAME_MAX && length < radio.unread;
    if (sane)
        spi_read(radio.frame + 1, length);
    chip_select(false);
    if (sane && radio.frame[length] & 0x80)
        return true;
    if (radio.unread == FIFO_BYTES)
        cc2420_bad_frames++;
    if (!sane)
        flush_received();
    return false;
}

/* FIFOP without FIFO: the RXFIFO has overflowed. It was full then, and takes nothing more until it is flushed; but what
 * came before must be read first: the radio has acknowledged it. Some of the frame just read may have left it since. */
static void look_for_overflow(uint8_t pins)
{
    if ((pins & (FIFOP | FIFO)) != FIFOP)
        return;
    if (radio.unread == FIFO_BYTES)
        cc2420_overflows++;
    radio.unread -= 1 + radio.frame[0];
}

static void deliver(void)
{
    uint8_t length = radio.frame[0];
    struct cc2420_footer footer = {
        .rssi = (int8_t)((int8_t)radio.frame[length - 1] + RSSI_OFFSET),
        .lqi = radio.frame[length] & 0x7f,
        .timed = capture_fits(length),
        .time = timer_of_capture(radio.sfd_at),
    };
    radio.events->received(radio.frame, &footer);
}

static void receive(void *unused)
{
    (void)unused;
    if (cc2420_state < RECEIVER) {
        radio.receive_posted = false;
        return;
    }
    if (!own_acquire())
        return;
    radio.receive_posted = false;
    bool good = cc2420_frame_waiting() && read_frame();
    uint8_t pins = P1IN;
    look_for_overflow(pins);
    bool more = pins & FIFOP;
    cc2420_release();
    if (good)
        deliver();
    uint16_t state = critical_enter();
    if (more && !radio.receive_posted)
        radio.receive_posted = task_post(receive, NULL);
    critical_leave(state);
}

static void energy(void *unused)
{
    (void)unused;
    if (cc2420_is_on())
        radio.events->energy();
}

KIT_INTERRUPT(PORT1_VECTOR) void cc2420_pin_handler(void)
{
    uint8_t flags = P1IFG & P1IE;
    if (flags & FIFOP) {
        P1IFG &= (uint8_t)~FIFOP;
        radio.fifop_at = TBR;
        radio.sfd_at = TBCCR1;
        if (!radio.receive_posted)
            radio.receive_posted = task_post(receive, NULL);
    }
    if (flags & CCA) {
        P1IE &= (uint8_t)~CCA;
        task_post(energy, NULL);
    }
    KERNEL_HANDLER_END();
}

/* What waited for the bus: a step, a frame to be read, the layer above. */
static void granted(void)
{
    bool refused = radio.acquire_refused;
    radio.acquire_refused = false;
    step();
    if (radio.receive_posted)
        receive(NULL);
    if (refused)
        radio.events->granted();
}

/* ---- transmission ---- */

void cc2420_load(const uint8_t *frame)
{
    strobe(SFLUSHTX);
    chip_select(true);
    spi_put(TXFIFO);
    spi_write(frame, (uint16_t)(frame[0] + 1 - CC2420_FCS));
    chip_select(false);
}

bool cc2420_transmit(void)
{
    if (!cc2420_channel_clear())
        return false;
    strobe(STXONCCA);
    return status() & TX_ACTIVE;
}

/* ---- the channel ---- */

int8_t cc2420_rssi(void)
{
    return (int8_t)((int8_t)get(RSSI) + RSSI_OFFSET);
}

bool cc2420_in_frame(void)
{
    return P4IN & SFD;
}

bool cc2420_frame_waiting(void)
{
    return P1IN & FIFOP;
}

bool cc2420_channel_clear(void)
{
    return (P1IN & CCA) && !cc2420_in_frame();
}

void cc2420_watch_channel(bool watch)
{
    uint16_t state = critical_enter();
    P1IE &= (uint8_t)~CCA;
    if (watch) {
        P1IFG &= (uint8_t)~CCA;
        P1IE |= CCA;
        if (!(P1IN & CCA))
            P1IFG |= CCA;
    }
    critical_leave(state);
}

uint32_t cc2420_sfd_time(void)
{
    return timer_of_capture(TBCCR1);
}

void cc2420_init(const struct cc2420_config *config, const struct cc2420_events *events)
{
    radio.config = config;
    radio.events = events;
    radio.channel = config->channel;
    radio.power = config->power;
    radio.unread = FIFO_BYTES;
    P1IES = (uint8_t)((P1IES & ~FIFOP) | CCA); /* FIFOP rises, CCA falls */
    P4SEL |= SFD;
    TBCCTL1 = CM_1 | CCIS_0 | SCS | CAP;
    P4OUT &= (uint8_t)~(VREG_EN | RESETN);
}
