#include "usart.h"

#include "usart_i2c.h"

#include <assert.h>

enum { CTL, TCTL, RCTL, MCTL, BR0, BR1, RXBUF, TXBUF };

/* UxCTL */
enum {
    SWRST = 0x01,
    MM = 0x02,
    SYNC = 0x04,
    LISTEN = 0x08,
    CHAR = 0x10,
    SPB = 0x20,
    I2C = 0x20, /* with SYNC, in USART0 */
    PENA = 0x80,
};
/* UxTCTL */
enum { TXEPT = 0x01, STC = 0x02, TXWAKE = 0x04, URXSE = 0x08, SSEL_SHIFT = 4, CKPL = 0x40, CKPH = 0x80 };
/* UxRCTL */
enum { RXERR = 0x01, RXWAKE = 0x02, URXWIE = 0x04, URXEIE = 0x08, BRK = 0x10, OE = 0x20, PE = 0x40, FE = 0x80 };
enum { RECEIVE_STATUS = FE | PE | OE | BRK | RXWAKE | RXERR };

enum { LISTENERS_MAX = 4, IDLE_BITS = 10, BREAK_BITS = 10, WAKE_UP_BITS = 11, UART_MINIMUM = 3, SPI_MINIMUM = 2 };

/* Where a USART's bits are in the special function registers. */
static const struct wiring {
    enum hc_sfr_register ie, ifg, me;
    uint8_t rx, tx;
    enum hc_dma_trigger rx_trigger, tx_trigger;
    const char *name, *tx_event, *rx_event, *ste;
} wirings[2] = {
    { HC_IE1, HC_IFG1, HC_ME1, 0x40, 0x80, HC_DMA_URXIFG0, HC_DMA_UTXIFG0, "usart0", "usart0.tx", "usart0.rx", "ste0" },
    { HC_IE2, HC_IFG2, HC_ME2, 0x10, 0x20, HC_DMA_URXIFG1, HC_DMA_UTXIFG1, "usart1", "usart1.tx", "usart1.rx", "ste1" },
};

enum phase { IDLE, LOADING, SHIFTING };

struct hc_usart {
    struct hc_device base;
    struct hc_usart_config config;
    const struct wiring *w;
    hc_event transmit, receive;
    hc_wire ste;
    struct hc_spi_bus *bus;
    struct hc_usart_i2c *i2c; /* USART0 */
    int listeners;
    struct {
        hc_usart_transmit_fn *call;
        void *owner;
    } listener[LISTENERS_MAX];
    struct {
        uint8_t reg[8];

        uint8_t phase;     /* of the transmitter */
        bool tx_full;      /* UxTXBUF holds a character */
        bool tx_promised;  /* it was written while the transmitter was enabled: goes out even if that ends */
        uint8_t tx_shift;  /* on its way */
        uint16_t tx_frame; /* HC_UART_ADDRESS, or HC_UART_IDLE: the wake-up gap instead of a character */
        uint64_t tx_start, tx_tick;

        bool rx_busy;
        bool rx_unread; /* UxRXBUF holds a character that nobody has read */
        bool rx_idle;   /* the line was idle before the frame that arrives */
        bool rx_break;  /* that frame had no stop bit, and the line is still low */
        bool rx_first;  /* no frame since reset */
        bool urxs;      /* a start edge was seen with URXSE set */
        uint16_t rx_frame;
        uint64_t rx_tick, rx_last;
        uint16_t queue[HC_USART_QUEUE];
        uint16_t queue_first, queue_count;

        bool noted_rate, noted_phase, noted_clock;
    } s;
};

/* ---- modes and clocks ---- */

static bool is_i2c(const struct hc_usart *u)
{
    return u->i2c && (u->s.reg[CTL] & (SYNC | I2C)) == (SYNC | I2C);
}

static bool is_spi(const struct hc_usart *u)
{
    return (u->s.reg[CTL] & SYNC) && !is_i2c(u);
}

/* In I2C mode UART and SPI are in reset, too. */
static bool in_reset(const struct hc_usart *u)
{
    return is_i2c(u) || (u->s.reg[CTL] & SWRST);
}

static bool is_enabled(const struct hc_usart *u, uint8_t bit)
{
    return hc_sfr_get(u->config.sfr, u->w->me) & bit;
}

/* STE lets a 4-pin master work when high, a 4-pin slave when low. */
static bool is_spi_active(const struct hc_usart *u)
{
    if (!is_spi(u) || in_reset(u) || !is_enabled(u, u->w->rx))
        return false;
    bool ste = hc_wire_level(u->base.machine, u->ste) != 0;
    return (u->s.reg[TCTL] & STC) || ste == ((u->s.reg[CTL] & MM) != 0);
}

static bool is_master(const struct hc_usart *u)
{
    return u->s.reg[CTL] & MM;
}

static const struct hc_clock *brclk_of(const struct hc_usart *u, uint8_t tctl)
{
    switch (tctl >> SSEL_SHIFT & 3) {
    case 0:
        return u->config.uclk;
    case 1:
        return u->config.aclk;
    default:
        return u->config.smclk;
    }
}

static uint64_t ticks_of(const struct hc_usart *u, uint8_t tctl, hc_time t)
{
    const struct hc_clock *clock = brclk_of(u, tctl);

    return clock ? hc_clock_ticks(clock, t) : 0;
}

static uint64_t ticks(const struct hc_usart *u)
{
    return ticks_of(u, u->s.reg[TCTL], hc_now(u->base.machine));
}

/* When BRCLK's count is TICK: not before now, never if it stands still. */
static hc_time time_of(const struct hc_usart *u, uint64_t tick)
{
    const struct hc_clock *clock = brclk_of(u, u->s.reg[TCTL]);
    hc_time now = hc_now(u->base.machine);

    if (!clock || !clock->s.period)
        return HC_NEVER;
    hc_time t = hc_clock_time_of(clock, tick);
    return t > now ? t : now;
}

static unsigned division(struct hc_usart *u, unsigned minimum)
{
    unsigned ubr = u->s.reg[BR0] | (unsigned)u->s.reg[BR1] << 8;

    if (ubr >= minimum)
        return ubr;
    if (!u->s.noted_rate) {
        u->s.noted_rate = true;
        hc_note(u->base.machine, "%s: baud rate division %u is below %u: unpredictable, taken as %u", u->base.name, ubr,
                minimum, minimum);
    }
    return minimum;
}

static unsigned data_bits(const struct hc_usart *u)
{
    return u->s.reg[CTL] & CHAR ? 8 : 7;
}

/* Start, data, address, parity and stop bits. */
static unsigned frame_bits(const struct hc_usart *u)
{
    uint8_t ctl = u->s.reg[CTL];

    return 1 + data_bits(u) + (ctl & MM ? 1 : 0) + (ctl & PENA ? 1 : 0) + (ctl & SPB ? 2 : 1);
}

/* BRCLK cycles of BITS bits: bit n of a frame is one longer where bit n mod 8 of UxMCTL is set. */
static unsigned bit_ticks(struct hc_usart *u, unsigned bits)
{
    unsigned mctl = u->s.reg[MCTL];
    unsigned rest = mctl & ((1u << bits % 8) - 1);

    return bits * division(u, UART_MINIMUM) + bits / 8 * (unsigned)__builtin_popcount(mctl) +
           (unsigned)__builtin_popcount(rest);
}

uint32_t hc_usart_rate(struct hc_usart *u)
{
    enum { BITS = 8 }; /* after which modulation repeats */
    const struct hc_clock *clock = brclk_of(u, u->s.reg[TCTL]);

    if (in_reset(u) || is_spi(u) || !clock || !clock->s.period)
        return 0;
    return (uint32_t)(BITS * HC_SECOND / (bit_ticks(u, BITS) * clock->s.period));
}

/* Was the line idle from BRCLK tick FROM, a frame's end, to TICK? A second stop bit counts. */
static bool was_idle(struct hc_usart *u, uint64_t from, uint64_t tick)
{
    unsigned bits = u->s.reg[CTL] & SPB ? IDLE_BITS - 1 : IDLE_BITS;

    return u->s.rx_first || tick - from >= (uint64_t)bits * division(u, UART_MINIMUM);
}

/* ---- flags ---- */

static void update(struct hc_usart *u)
{
    struct hc_machine *m = u->base.machine;
    uint8_t ie = hc_sfr_get(u->config.sfr, u->w->ie);
    uint8_t ifg = hc_sfr_get(u->config.sfr, u->w->ifg);
    bool rx = ifg & u->w->rx, tx = ifg & u->w->tx;
    bool i2c = u->i2c && is_i2c(u);

    hc_interrupt(m, u->config.rx_vector, (ie & u->w->rx) && (rx || u->s.urxs));
    hc_interrupt(m, u->config.tx_vector, ((ie & u->w->tx) && tx) || (i2c && hc_usart_i2c_interrupt(u->i2c)));
    /* A flag whose interrupt is enabled triggers no transfer. */
    hc_dma_request(u->config.dma, u->w->rx_trigger,
                   i2c ? hc_usart_i2c_receive_trigger(u->i2c) : rx && !(ie & u->w->rx));
    hc_dma_request(u->config.dma, u->w->tx_trigger,
                   i2c ? hc_usart_i2c_transmit_trigger(u->i2c) : tx && !(ie & u->w->tx));
}

static void change_flags(struct hc_usart *u, uint8_t set, uint8_t clear)
{
    hc_sfr_change(u->config.sfr, u->w->ifg, set, clear);
    update(u);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    struct hc_usart *u = (struct hc_usart *)d;

    if (!is_i2c(u))
        change_flags(u, 0, trigger == u->w->rx_trigger ? u->w->rx : u->w->tx);
}

static void i2c_changed(void *owner)
{
    update(owner);
}

/* With URXSE set software has to look what happened: the flag stays. */
static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_usart *u = (struct hc_usart *)d;

    if (vector == u->config.tx_vector) {
        if (hc_sfr_get(u->config.sfr, u->w->ie) & u->w->tx)
            change_flags(u, 0, u->w->tx);
    } else if (!(u->s.reg[TCTL] & URXSE)) {
        change_flags(u, 0, u->w->rx);
    }
}

/* ---- receiver ---- */

static void into_buffer(struct hc_usart *u, uint8_t byte, uint8_t status)
{
    if (u->s.rx_unread)
        status |= OE;
    if (!is_spi(u) && (status & (FE | PE | OE | BRK)))
        status |= RXERR;
    u->s.reg[RXBUF] = byte & (uint8_t)((1u << data_bits(u)) - 1);
    u->s.reg[RCTL] = (uint8_t)((u->s.reg[RCTL] & ~RXWAKE) | status);
    u->s.rx_unread = true;
    change_flags(u, u->w->rx, 0);
}

/* A frame is complete. Without URXEIE an erroneous one is as if it had not been, with URXWIE one that is no address. */
static void arrived(struct hc_usart *u, uint16_t frame, bool idle)
{
    bool address = u->s.reg[CTL] & MM ? (frame & HC_UART_ADDRESS) != 0 : idle;
    uint8_t status = (frame & (HC_UART_BAD_STOP | HC_UART_BREAK)) ? FE : 0;

    if ((frame & HC_UART_BAD_PARITY) && (u->s.reg[CTL] & PENA))
        status |= PE;
    if (status && !(u->s.reg[RCTL] & URXEIE))
        return;
    if (!address && (u->s.reg[RCTL] & URXWIE))
        return;
    into_buffer(u, frame & HC_UART_BREAK ? 0 : (uint8_t)frame, (uint8_t)(status | (address ? RXWAKE : 0)));
}

static void break_detected(struct hc_usart *u)
{
    if (!(u->s.reg[RCTL] & URXEIE))
        return;
    u->s.reg[RCTL] |= BRK | RXERR;
    change_flags(u, u->w->rx, 0);
}

static bool is_listening(const struct hc_usart *u)
{
    return !in_reset(u) && !is_spi(u) && is_enabled(u, u->w->rx) && !(u->s.reg[CTL] & LISTEN);
}

static void note_stopped_clock(struct hc_usart *u)
{
    if (u->s.noted_clock || (u->s.reg[TCTL] & URXSE) || time_of(u, 0) != HC_NEVER)
        return;
    u->s.noted_clock = true;
    hc_note(u->base.machine, "%s: a character arrives while BRCLK stands still: it waits", u->base.name);
}

/* The next frame of the queue begins at BRCLK tick START, or later when it is to be preceded by an idle line. */
static hc_time begin_frame(struct hc_usart *u, uint64_t start)
{
    u->s.rx_frame = u->s.queue[u->s.queue_first];
    u->s.queue_first = (u->s.queue_first + 1) % HC_USART_QUEUE;
    u->s.queue_count--;

    if (u->s.rx_frame & HC_UART_IDLE)
        start += bit_ticks(u, WAKE_UP_BITS);
    u->s.rx_idle = was_idle(u, u->s.rx_last, start);
    u->s.rx_first = false;
    u->s.rx_busy = true;
    u->s.rx_break = false;
    u->s.rx_tick = start + bit_ticks(u, frame_bits(u));
    if (u->s.reg[TCTL] & URXSE) {
        u->s.urxs = true;
        update(u);
    }
    note_stopped_clock(u);
    return time_of(u, u->s.rx_tick);
}

/* Begins with a waiting frame if the receiver is there for it. */
static void listen(struct hc_usart *u)
{
    if (u->s.rx_busy || !u->s.queue_count || !is_listening(u))
        return;
    const struct hc_clock *clock = brclk_of(u, u->s.reg[TCTL]);
    hc_time now = hc_now(u->base.machine);
    hc_time edge = clock ? hc_clock_edge(clock, now) : HC_NEVER;
    uint64_t start = edge == HC_NEVER ? ticks(u) : ticks_of(u, u->s.reg[TCTL], edge);

    hc_event_arm(hc_events(u->base.machine), u->receive, begin_frame(u, start));
}

static hc_time receive_event(void *owner, hc_time now)
{
    struct hc_usart *u = owner;

    (void)now;
    if (u->s.rx_break)
        break_detected(u);
    else
        arrived(u, u->s.rx_frame, u->s.rx_idle);
    u->s.rx_break = (u->s.rx_frame & HC_UART_BREAK) && !u->s.rx_break;
    if (u->s.rx_break) {
        u->s.rx_tick += bit_ticks(u, BREAK_BITS);
        return time_of(u, u->s.rx_tick);
    }
    u->s.rx_busy = false;
    u->s.rx_last = u->s.rx_tick;
    return u->s.queue_count && is_listening(u) ? begin_frame(u, u->s.rx_last) : HC_NEVER;
}

bool hc_usart_receive(struct hc_usart *u, uint16_t frame)
{
    if (u->s.queue_count == HC_USART_QUEUE)
        return false;
    u->s.queue[(u->s.queue_first + u->s.queue_count++) % HC_USART_QUEUE] = frame;
    listen(u);
    return true;
}

int hc_usart_waiting(const struct hc_usart *u)
{
    return u->s.queue_count + u->s.rx_busy;
}

static uint8_t read_buffer(struct hc_usart *u)
{
    uint8_t byte = u->s.reg[RXBUF];

    u->s.rx_unread = false;
    u->s.reg[RCTL] &= (uint8_t)~(is_spi(u) ? OE : RECEIVE_STATUS);
    change_flags(u, 0, u->w->rx);
    return byte;
}

/* ---- transmitter ---- */

static bool may_transmit(const struct hc_usart *u)
{
    if (in_reset(u) || !u->s.tx_full)
        return false;
    return is_spi(u) ? is_spi_active(u) : u->s.tx_promised || is_enabled(u, u->w->tx);
}

static void note_phase(struct hc_usart *u)
{
    bool ckph = u->s.reg[TCTL] & CKPH, ckpl = u->s.reg[TCTL] & CKPL;

    if (ckph != ckpl || u->s.noted_phase)
        return;
    u->s.noted_phase = true;
    hc_note(u->base.machine, "%s: CKPH = CKPL = %d is neither SPI mode 0 nor 3: slaves answer as if it were",
            u->base.name, ckph);
}

static unsigned shift_ticks(struct hc_usart *u)
{
    if (is_spi(u))
        return data_bits(u) * division(u, SPI_MINIMUM);
    if (u->s.tx_frame & HC_UART_IDLE) /* a second stop bit counts as the gap's first */
        return bit_ticks(u, u->s.reg[CTL] & SPB ? WAKE_UP_BITS - 1 : WAKE_UP_BITS);
    return bit_ticks(u, frame_bits(u));
}

/* TXWAKE goes with the character: it makes it an address (MM = 1), or an idle gap in its place. */
static void take_wake_bit(struct hc_usart *u)
{
    u->s.tx_frame = 0;
    if (is_spi(u) || !(u->s.reg[TCTL] & TXWAKE))
        return;
    u->s.tx_frame = u->s.reg[CTL] & MM ? HC_UART_ADDRESS : HC_UART_IDLE;
    u->s.reg[TCTL] &= (uint8_t)~TXWAKE;
}

/* UxTXBUF moves to the shift register at tick u->s.tx_tick. */
static void load(struct hc_usart *u)
{
    u->s.phase = SHIFTING;
    u->s.tx_shift = u->s.reg[TXBUF];
    u->s.tx_full = u->s.tx_promised = false;
    take_wake_bit(u);
    u->s.tx_start = u->s.tx_tick;
    if (is_spi(u) && !is_master(u)) {
        u->s.tx_tick = UINT64_MAX; /* the other master decides when */
    } else {
        u->s.tx_tick += shift_ticks(u);
        if (is_spi(u) && u->bus) {
            note_phase(u);
            hc_spi_begin(u->bus, true);
        }
    }
    change_flags(u, u->w->tx, 0);
}

static hc_time next_transmit(const struct hc_usart *u)
{
    bool waits = u->s.phase == IDLE || u->s.tx_tick == UINT64_MAX;

    return waits ? HC_NEVER : time_of(u, u->s.tx_tick);
}

static void arm_transmit(struct hc_usart *u)
{
    hc_event_arm(hc_events(u->base.machine), u->transmit, next_transmit(u));
}

static void start_transmit(struct hc_usart *u)
{
    if (u->s.phase != IDLE || !may_transmit(u))
        return;
    if (is_spi(u) && !is_master(u)) {
        load(u);
        return;
    }
    u->s.phase = LOADING;
    u->s.tx_tick = ticks(u) + 1;
    arm_transmit(u);
}

static uint8_t exchange(struct hc_usart *u, uint8_t out, hc_time now)
{
    unsigned in = 0;

    if (!u->bus)
        return 0xff;
    if (u->s.reg[CTL] & CHAR)
        return hc_spi_exchange(u->bus, out, now);
    for (int bit = 6; bit >= 0; bit--)
        in = in << 1 | hc_spi_clock(u->bus, out >> bit & 1, now);
    hc_spi_begin(u->bus, false);
    return (uint8_t)in;
}

static void sent_frame(struct hc_usart *u, hc_time now)
{
    uint8_t byte = u->s.tx_shift & (uint8_t)((1u << data_bits(u)) - 1);

    if (u->s.tx_frame & HC_UART_IDLE)
        return;
    for (int i = 0; i < u->listeners; i++)
        u->listener[i].call(u->listener[i].owner, byte, now);
    if (!(u->s.reg[CTL] & LISTEN) || !is_enabled(u, u->w->rx))
        return;
    bool idle = was_idle(u, u->s.rx_last, u->s.tx_start);
    u->s.rx_first = false;
    u->s.rx_last = u->s.tx_tick;
    arrived(u, byte | u->s.tx_frame, idle);
}

static hc_time transmit_event(void *owner, hc_time now)
{
    struct hc_usart *u = owner;

    if (u->s.phase == SHIFTING) {
        u->s.phase = IDLE;
        if (is_spi(u)) {
            uint8_t in = exchange(u, u->s.tx_shift, now);
            into_buffer(u, u->s.reg[CTL] & LISTEN ? u->s.tx_shift : in, 0);
        } else {
            sent_frame(u, now);
        }
    } else {
        u->s.phase = IDLE;
    }
    if (may_transmit(u))
        load(u);
    return next_transmit(u);
}

static void write_buffer(struct hc_usart *u, uint8_t byte)
{
    u->s.reg[TXBUF] = byte & (uint8_t)((1u << data_bits(u)) - 1);
    if (in_reset(u))
        return;
    u->s.tx_full = true;
    u->s.tx_promised = !is_spi(u) && is_enabled(u, u->w->tx);
    change_flags(u, 0, u->w->tx);
    start_transmit(u);
}

void hc_usart_on_transmit(struct hc_usart *u, hc_usart_transmit_fn *call, void *owner)
{
    assert(u->listeners < LISTENERS_MAX);
    u->listener[u->listeners].call = call;
    u->listener[u->listeners++].owner = owner;
}

/* ---- SPI particulars ---- */

void hc_usart_connect_spi(struct hc_usart *u, struct hc_spi_bus *bus)
{
    u->bus = bus;
}

static void tell_bus(struct hc_usart *u)
{
    if (u->bus)
        hc_spi_drive(u->bus, is_spi(u) && is_master(u) && !in_reset(u) && is_enabled(u, u->w->rx));
}

uint8_t hc_usart_spi_clocked(struct hc_usart *u, uint8_t simo)
{
    if (is_master(u) || !is_spi_active(u))
        return 0xff;
    uint8_t out = u->s.tx_shift & (uint8_t)((1u << data_bits(u)) - 1);

    u->s.phase = IDLE;
    into_buffer(u, u->s.reg[CTL] & LISTEN ? out : simo, 0);
    start_transmit(u);
    return out;
}

/* A 4-pin master that loses STE stops where it is: what it was sending is lost, and FE says so. */
static void ste_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_usart *u = owner;

    (void)now;
    if (!is_spi(u) || in_reset(u) || (u->s.reg[TCTL] & STC))
        return;
    if (is_master(u) && !level) {
        u->s.reg[RCTL] |= FE;
        u->s.phase = IDLE;
        arm_transmit(u);
        if (u->bus)
            hc_spi_begin(u->bus, false);
    }
    start_transmit(u);
}

void hc_usart_connect_i2c(struct hc_usart *u, struct hc_i2c_bus *bus)
{
    assert(u->i2c);
    hc_usart_i2c_connect(u->i2c, bus);
}

/* ---- reset and registers ---- */

/* What SWRST = 1 holds in place: URXIE = UTXIE = URXIFG = 0, UTXIFG = 1. */
static void hold_flags(struct hc_usart *u)
{
    hc_sfr_change(u->config.sfr, u->w->ie, 0, u->w->rx | u->w->tx);
    change_flags(u, u->w->tx, u->w->rx);
}

static void software_reset(struct hc_usart *u)
{
    u->s.phase = IDLE;
    u->s.tx_full = u->s.tx_promised = false;
    u->s.rx_busy = u->s.rx_unread = u->s.urxs = false;
    u->s.rx_first = true;
    u->s.reg[TCTL] &= (uint8_t)~TXWAKE;
    u->s.reg[RCTL] &= (uint8_t)~RECEIVE_STATUS;
    hc_event_cancel(hc_events(u->base.machine), u->transmit);
    hc_event_cancel(hc_events(u->base.machine), u->receive);
    hold_flags(u);
}

/* Bit 0 has two meanings: SWRST that is still set when I2C mode is entered does not become I2CEN. */
static void write_ctl(struct hc_usart *u, uint8_t value)
{
    bool was_in_reset = in_reset(u), was_i2c = is_i2c(u), was_swrst = u->s.reg[CTL] & SWRST;

    u->s.reg[CTL] = value;
    if (is_i2c(u) && !was_i2c && was_swrst)
        u->s.reg[CTL] = value &= (uint8_t)~SWRST;
    if (u->i2c)
        hc_usart_i2c_set_control(u->i2c, is_i2c(u) ? value : 0);
    if (in_reset(u) && !was_in_reset)
        software_reset(u);
    else if (in_reset(u) && !is_i2c(u))
        hold_flags(u);
    tell_bus(u);
    update(u);
    start_transmit(u);
    listen(u);
}

/* Another BRCLK: what is left of a frame is counted with the new one. */
static void write_tctl(struct hc_usart *u, uint8_t value)
{
    hc_time now = hc_now(u->base.machine);
    uint64_t shift = ticks_of(u, value, now) - ticks(u);

    u->s.reg[TCTL] = value & (uint8_t)~TXEPT;
    if (u->s.tx_tick != UINT64_MAX)
        u->s.tx_tick += shift;
    u->s.tx_start += shift;
    u->s.rx_tick += shift;
    u->s.rx_last += shift;
    if (!(value & URXSE))
        u->s.urxs = false;
    arm_transmit(u);
    if (u->s.rx_busy)
        hc_event_arm(hc_events(u->base.machine), u->receive, time_of(u, u->s.rx_tick));
    update(u);
    start_transmit(u);
}

static void sfr_written(struct hc_device *d, enum hc_sfr_register reg, uint8_t value, uint8_t changed)
{
    struct hc_usart *u = (struct hc_usart *)d;

    (void)value;
    (void)changed;
    if (reg == u->w->me) {
        tell_bus(u);
        start_transmit(u);
        listen(u);
    } else if (in_reset(u) && !is_i2c(u)) {
        hold_flags(u);
    } else {
        update(u);
    }
}

static bool is_empty(const struct hc_usart *u)
{
    return in_reset(u) || (u->s.phase == IDLE && !u->s.tx_full);
}

/* Byte-wide modules: a word access reaches the addressed byte only, but for I2CDRW. */
static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_usart *u = (struct hc_usart *)d;
    unsigned offset = address - u->config.base;

    if (is_i2c(u))
        return offset == CTL ? hc_usart_i2c_control(u->i2c) : hc_usart_i2c_peek(u->i2c, offset, size);
    if (offset == TCTL)
        return u->s.reg[TCTL] | (is_empty(u) ? TXEPT : 0);
    if (offset == RCTL && !(u->s.reg[CTL] & (PENA | SYNC)))
        return u->s.reg[RCTL] & ~PE;
    return u->s.reg[offset];
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_usart *u = (struct hc_usart *)d;
    unsigned offset = address - u->config.base;

    if (is_i2c(u) && offset != CTL)
        return hc_usart_i2c_read(u->i2c, offset, size);
    return !is_i2c(u) && offset == RXBUF ? read_buffer(u) : peek(d, address, size);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_usart *u = (struct hc_usart *)d;
    unsigned offset = address - u->config.base;

    if (offset == CTL) {
        write_ctl(u, (uint8_t)value);
        return;
    }
    if (is_i2c(u)) {
        hc_usart_i2c_write(u->i2c, offset, value, size);
        return;
    }
    switch (offset) {
    case TCTL:
        write_tctl(u, (uint8_t)value);
        break;
    case RXBUF:
        break; /* read only */
    case TXBUF:
        write_buffer(u, (uint8_t)value);
        break;
    default:
        u->s.reg[offset] = (uint8_t)value;
    }
}

/* UxBR, UxMCTL and the buffers keep what they have. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_usart *u = (struct hc_usart *)d;

    (void)kind;
    u->s.reg[CTL] = SWRST;
    u->s.reg[TCTL] = 0;
    u->s.reg[RCTL] = 0;
    if (u->i2c)
        hc_usart_i2c_set_control(u->i2c, 0);
    software_reset(u);
    tell_bus(u);
}

static void brclk_changed(void *owner, hc_time now)
{
    struct hc_usart *u = owner;

    (void)now;
    if (u->s.phase != IDLE)
        arm_transmit(u);
    if (u->s.rx_busy)
        hc_event_arm(hc_events(u->base.machine), u->receive, time_of(u, u->s.rx_tick));
}

static const struct hc_device_ops ops = {
    .name = "usart",
    .help = "universal serial interface: UART, SPI, I2C in USART0",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
    .interrupt_accepted = interrupt_accepted,
};

static void wire_up(struct hc_usart *u)
{
    const struct hc_usart_config *c = &u->config;
    struct hc_clock *clocks[] = { c->aclk, c->smclk, c->uclk };

    for (int i = 0; i < 3; i++)
        if (clocks[i])
            hc_clock_listen(clocks[i], (struct hc_clock_listener){ .changed = brclk_changed, .owner = u });
    hc_sfr_own(c->sfr, u->w->ie, u->w->rx | u->w->tx, &u->base, sfr_written);
    hc_sfr_own(c->sfr, u->w->ifg, u->w->rx | u->w->tx, &u->base, sfr_written);
    hc_sfr_own(c->sfr, u->w->me, u->w->rx | u->w->tx, &u->base, sfr_written);
    if (c->dma) {
        hc_dma_connect(c->dma, u->w->rx_trigger, &u->base, dma_taken);
        hc_dma_connect(c->dma, u->w->tx_trigger, &u->base, dma_taken);
    }
    hc_device_claim(&u->base, c->base, c->base + 7);
    hc_device_owns_vector(&u->base, c->rx_vector);
    hc_device_owns_vector(&u->base, c->tx_vector);
}

struct hc_usart *hc_usart_new(struct hc_machine *m, const struct hc_usart_config *config)
{
    const struct wiring *w = &wirings[config->number];
    struct hc_usart *u = HC_DEVICE_NEW(m, &ops, w->name, struct hc_usart);

    u->config = *config;
    u->w = w;
    u->transmit = hc_event_new(hc_events(m), w->tx_event, transmit_event, u);
    u->receive = hc_event_new(hc_events(m), w->rx_event, receive_event, u);
    u->ste = hc_wire_new(m, w->ste, 1);
    hc_wire_listen(m, u->ste, ste_changed, u);
    if (config->number == 0)
        u->i2c = hc_usart_i2c_new(m, &(struct hc_usart_i2c_config){ config->aclk, config->smclk, i2c_changed, u });
    wire_up(u);
    return u;
}
