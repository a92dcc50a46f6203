#include "eusci_internal.h"

#include "machine/device/msp430/word_register.h"

#include <assert.h>

enum { SSEL_SHIFT = 6, UCOS16 = 0x0001, UCSTEM = 0x0002, UCABDEN = 0x0001, UCIREN = 0x0001, UCCLTO = 0x00c0 };
/* UCAxSTATW */
enum {
    UCLISTEN = 0x80,
    UCFE = 0x40,
    UCOE = 0x20,
    UCPE = 0x10,
    UCBRK = 0x08,
    UCRXERR = 0x04,
    UCADDR = 0x02,
    UCBUSY = 0x01
};
enum { RECEIVE_ERRORS = UCFE | UCPE | UCOE | UCBRK | UCRXERR };
enum { MODE_IDLE_LINE = 0x0200, MODE_ADDRESS_BIT = 0x0400, UCOAEN = 0x0400 };
enum { IDLE_BITS = 10, OVERSAMPLING = 16 };
enum { IE_A = 0x0f, IE_SPI = 0x03, IE_I2C = 0x7fff };

void hc_eusci_note(struct hc_eusci *u, enum eusci_note what, const char *text)
{
    if (!(u->s.noted >> what & 1))
        hc_note(u->base.machine, "%s: %s", u->base.name, text);
    u->s.noted |= 1u << what;
}

/* ---- modes and clocks ---- */

static bool in_reset(const struct hc_eusci *u)
{
    return u->s.ctlw0 & UCSWRST;
}

static bool is_spi(const struct hc_eusci *u)
{
    return (u->s.ctlw0 & UCSYNC) && !hc_eusci_is_i2c(u);
}

static bool is_uart(const struct hc_eusci *u)
{
    return !u->config.is_b && !(u->s.ctlw0 & UCSYNC);
}

/* UCLK at its pin has no edges. */
static const struct hc_clock *brclk(const struct hc_eusci *u)
{
    switch (u->s.ctlw0 >> SSEL_SHIFT & 3) {
    case 0:
        return NULL;
    case 1:
        return u->aclk;
    default:
        return u->smclk;
    }
}

uint64_t hc_eusci_ticks(const struct hc_eusci *u)
{
    const struct hc_clock *clock = brclk(u);

    return clock ? hc_clock_ticks(clock, hc_now(u->base.machine)) : 0;
}

hc_time hc_eusci_time_of(const struct hc_eusci *u, uint64_t tick)
{
    const struct hc_clock *clock = brclk(u);
    hc_time now = hc_now(u->base.machine);

    if (!clock || !clock->s.period)
        return HC_NEVER;
    hc_time t = hc_clock_time_of(clock, tick);
    return t > now ? t : now;
}

static unsigned data_bits(const struct hc_eusci *u)
{
    return u->s.ctlw0 & UC7BIT ? 7 : 8;
}

static bool has_address_bit(const struct hc_eusci *u)
{
    return (u->s.ctlw0 & UCMODE) == MODE_ADDRESS_BIT;
}

static unsigned frame_bits(const struct hc_eusci *u)
{
    return 1 + data_bits(u) + has_address_bit(u) + (u->s.ctlw0 & UCPEN ? 1 : 0) + (u->s.ctlw0 & UCSPB ? 2 : 1);
}

/* BRCLK cycles of BITS bits of a UART frame. */
static unsigned bit_ticks(struct hc_eusci *u, unsigned bits)
{
    unsigned each = u->s.mctlw & UCOS16 ? OVERSAMPLING * u->s.brw + (u->s.mctlw >> 4 & 15) : u->s.brw;
    unsigned ticks = 0;

    if (!u->s.brw)
        hc_eusci_note(u, NOTE_RATE, "UCBRx is 0: unpredictable, taken as 1");
    if (!each)
        each = 1;
    for (unsigned n = 0; n < bits; n++)
        ticks += each + (u->s.mctlw >> (15 - n % 8) & 1);
    return ticks;
}

uint32_t hc_eusci_rate(struct hc_eusci *u)
{
    enum { BITS = 8 }; /* after which modulation repeats */
    const struct hc_clock *clock = brclk(u);

    if (in_reset(u) || !is_uart(u) || !clock || !clock->s.period)
        return 0;
    return (uint32_t)(BITS * HC_SECOND / (bit_ticks(u, BITS) * clock->s.period));
}

/* SMCLK is needed while anything is under way. */
static void request_clock(struct hc_eusci *u)
{
    bool active = u->s.phase != EUSCI_IDLE || u->s.rx_busy || u->s.i2c_phase != I2C_OFF;

    hc_cs_request_smclk(u->config.cs, u->config.request, active && brclk(u) == u->smclk);
}

/* ---- flags ---- */

/* A word of UCxIV, and the flag that it stands for, by priority. */
struct vector_entry {
    uint16_t word, flag;
};
static const struct vector_entry uart_vectors[] = {
    { 2, UCRXIFG }, { 4, UCTXIFG }, { 6, UCSTTIFG }, { 8, UCTXCPTIFG }
};
static const struct vector_entry i2c_vectors[] = { { 0x02, UCALIFG },  { 0x04, UCNACKIFG }, { 0x06, UCSTTIFG },
                                                   { 0x08, UCSTPIFG }, { 0x16, UCRXIFG },   { 0x18, UCTXIFG },
                                                   { 0x1a, UCBCNTIFG } };

static struct vector_entry highest_pending(const struct hc_eusci *u)
{
    uint16_t pending = u->s.ie & u->s.ifg;
    bool i2c = hc_eusci_is_i2c(u);
    const struct vector_entry *entry = i2c ? i2c_vectors : uart_vectors;
    size_t count = i2c ? sizeof i2c_vectors / sizeof *i2c_vectors : sizeof uart_vectors / sizeof *uart_vectors;

    for (size_t i = 0; i < count; i++)
        if (pending & entry[i].flag)
            return entry[i];
    return (struct vector_entry){ 0, 0 };
}

void hc_eusci_update(struct hc_eusci *u)
{
    hc_interrupt(u->base.machine, u->config.vector, u->s.ie & u->s.ifg);
    /* A flag whose interrupt is enabled triggers no transfer. */
    hc_dma_request(u->config.dma, u->config.dma_rx, (u->s.ifg & UCRXIFG) && !(u->s.ie & UCRXIFG));
    hc_dma_request(u->config.dma, u->config.dma_tx, (u->s.ifg & UCTXIFG) && !(u->s.ie & UCTXIFG) && !in_reset(u));
    request_clock(u);
}

void hc_eusci_change_flags(struct hc_eusci *u, uint16_t set, uint16_t clear)
{
    u->s.ifg = (uint16_t)((u->s.ifg & ~clear) | set);
    hc_eusci_update(u);
}

static void dma_taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    struct hc_eusci *u = (struct hc_eusci *)d;

    hc_eusci_change_flags(u, 0, trigger == u->config.dma_rx ? UCRXIFG : UCTXIFG);
}

/* ---- receiver ---- */

static void into_buffer(struct hc_eusci *u, uint8_t byte, uint16_t status)
{
    if (u->s.rx_unread)
        status |= UCOE;
    if (status & (UCFE | UCPE | UCOE | UCBRK))
        status |= is_uart(u) ? UCRXERR : 0;
    u->s.rxbuf = byte & (uint8_t)((1u << data_bits(u)) - 1);
    u->s.statw = (uint16_t)((u->s.statw & ~UCADDR) | status);
    u->s.rx_unread = true;
    hc_eusci_change_flags(u, UCRXIFG, 0);
}

/* Erroneous characters need UCRXEIE to be received, breaks UCBRKIE; a dormant receiver takes addresses only. */
static void arrived(struct hc_eusci *u, uint16_t frame)
{
    bool idle_line = (u->s.ctlw0 & UCMODE) == MODE_IDLE_LINE;
    bool address = has_address_bit(u) ? (frame & HC_UART_ADDRESS) != 0 : idle_line && u->s.rx_idle;
    uint16_t status = address ? UCADDR : 0;

    if (frame & HC_UART_BREAK)
        status |= UCBRK | UCFE;
    if (frame & HC_UART_BAD_STOP)
        status |= UCFE;
    if ((frame & HC_UART_BAD_PARITY) && (u->s.ctlw0 & UCPEN))
        status |= UCPE;
    if ((u->s.ctlw0 & UCDORM) && !address && (has_address_bit(u) || idle_line))
        return;
    if (status & UCBRK ? !(u->s.ctlw0 & UCBRKIE) : (status & (UCFE | UCPE)) && !(u->s.ctlw0 & UCRXEIE))
        return;
    into_buffer(u, frame & HC_UART_BREAK ? 0 : (uint8_t)frame, status);
}

static bool is_listening(const struct hc_eusci *u)
{
    return !in_reset(u) && is_uart(u) && !(u->s.statw & UCLISTEN);
}

static hc_time begin_frame(struct hc_eusci *u, uint64_t start)
{
    u->s.rx_frame = u->s.queue[u->s.queue_first];
    u->s.queue_first = (u->s.queue_first + 1) % HC_USART_QUEUE;
    u->s.queue_count--;
    if (u->s.rx_frame & HC_UART_IDLE)
        start += bit_ticks(u, IDLE_BITS + 1);
    u->s.rx_idle = u->s.rx_first || start - u->s.rx_last >= bit_ticks(u, IDLE_BITS);
    u->s.rx_first = false;
    u->s.rx_busy = true;
    u->s.rx_tick = start + bit_ticks(u, frame_bits(u));
    hc_eusci_change_flags(u, UCSTTIFG, 0); /* and keeps the clock */
    return hc_eusci_time_of(u, u->s.rx_tick);
}

/* The start edge asks for the clock, whose next edge is the frame's first. */
static void listen(struct hc_eusci *u)
{
    if (u->s.rx_busy || !u->s.queue_count || !is_listening(u))
        return;
    hc_cs_request_smclk(u->config.cs, u->config.request, brclk(u) == u->smclk);
    hc_event_arm(hc_events(u->base.machine), u->receive, begin_frame(u, hc_eusci_ticks(u) + 1));
}

static hc_time receive_event(void *owner, hc_time now)
{
    struct hc_eusci *u = owner;

    (void)now;
    u->s.rx_busy = false;
    u->s.rx_last = u->s.rx_tick;
    arrived(u, u->s.rx_frame);
    if (u->s.queue_count && is_listening(u))
        return begin_frame(u, u->s.rx_last);
    hc_eusci_update(u);
    return HC_NEVER;
}

bool hc_eusci_receive(struct hc_eusci *u, uint16_t frame)
{
    if (u->s.queue_count == HC_USART_QUEUE)
        return false;
    u->s.queue[(u->s.queue_first + u->s.queue_count++) % HC_USART_QUEUE] = frame;
    listen(u);
    return true;
}

int hc_eusci_waiting(const struct hc_eusci *u)
{
    return u->s.queue_count + u->s.rx_busy;
}

static uint8_t read_buffer(struct hc_eusci *u)
{
    uint8_t byte = u->s.rxbuf;

    u->s.rx_unread = false;
    u->s.statw &= (uint16_t)~RECEIVE_ERRORS;
    hc_eusci_change_flags(u, 0, UCRXIFG);
    if (hc_eusci_is_i2c(u))
        hc_eusci_i2c_go_on(u);
    return byte;
}

/* ---- transmitter ---- */

static unsigned shift_ticks(struct hc_eusci *u)
{
    if (is_spi(u))
        return data_bits(u) * (u->s.brw ? u->s.brw : 1u);
    return bit_ticks(u, u->s.tx_frame & HC_UART_IDLE ? IDLE_BITS + 1 : frame_bits(u));
}

static void take_address_bit(struct hc_eusci *u)
{
    u->s.tx_frame = 0;
    if (!is_uart(u) || !(u->s.ctlw0 & UCTXADDR))
        return;
    u->s.tx_frame = has_address_bit(u) ? HC_UART_ADDRESS : 0;
    u->s.ctlw0 &= (uint16_t)~UCTXADDR;
}

/* UCxTXBUF moves to the shift register. */
static void load(struct hc_eusci *u)
{
    u->s.phase = EUSCI_SHIFTING;
    u->s.tx_shift = u->s.txbuf;
    u->s.tx_full = false;
    take_address_bit(u);
    u->s.tx_tick += shift_ticks(u);
    if (is_spi(u) && u->spi)
        hc_spi_begin(u->spi, true);
    hc_eusci_change_flags(u, UCTXIFG, 0);
}

static hc_time next_transmit(const struct hc_eusci *u)
{
    if (hc_eusci_is_i2c(u))
        return hc_eusci_i2c_next(u);
    return u->s.phase == EUSCI_IDLE ? HC_NEVER : hc_eusci_time_of(u, u->s.tx_tick);
}

static void start_transmit(struct hc_eusci *u)
{
    if (u->s.phase != EUSCI_IDLE || in_reset(u) || !u->s.tx_full || (!is_uart(u) && !is_spi(u)))
        return;
    if (is_spi(u) && !(u->s.ctlw0 & UCMST)) {
        hc_eusci_note(u, NOTE_SLAVE, "SPI slaves are not modelled: the character waits");
        return;
    }
    u->s.phase = EUSCI_LOADING;
    request_clock(u);
    u->s.tx_tick = hc_eusci_ticks(u) + 1;
    hc_event_arm(hc_events(u->base.machine), u->transmit, next_transmit(u));
}

static uint8_t reversed(uint8_t byte, unsigned bits)
{
    unsigned result = 0;

    for (unsigned i = 0; i < bits; i++)
        result |= (byte >> i & 1u) << (bits - 1 - i);
    return (uint8_t)result;
}

static uint8_t exchange(struct hc_eusci *u, uint8_t out, hc_time now)
{
    bool lsb_first = !(u->s.ctlw0 & UCMSB);
    unsigned in = 0;

    if (u->s.statw & UCLISTEN)
        return out;
    if (!u->spi)
        return 0xff;
    if (lsb_first)
        out = reversed(out, data_bits(u));
    if (data_bits(u) == 8) {
        in = hc_spi_exchange(u->spi, out, now);
    } else {
        for (int bit = 6; bit >= 0; bit--)
            in = in << 1 | hc_spi_clock(u->spi, out >> bit & 1, now);
        hc_spi_begin(u->spi, false);
    }
    return lsb_first ? reversed((uint8_t)in, data_bits(u)) : (uint8_t)in;
}

static void sent(struct hc_eusci *u, hc_time now)
{
    uint8_t byte = u->s.tx_shift & (uint8_t)((1u << data_bits(u)) - 1);

    if (is_spi(u)) {
        into_buffer(u, exchange(u, u->s.tx_shift, now), 0);
        return;
    }
    for (int i = 0; i < u->listeners; i++)
        u->listener[i].call(u->listener[i].owner, byte, now);
    if (u->s.statw & UCLISTEN)
        arrived(u, (uint16_t)(byte | u->s.tx_frame));
}

static hc_time transmit_event(void *owner, hc_time now)
{
    struct hc_eusci *u = owner;

    if (hc_eusci_is_i2c(u))
        return hc_eusci_i2c_step(u, now);
    if (u->s.phase == EUSCI_LOADING) {
        load(u);
        return next_transmit(u);
    }
    u->s.phase = EUSCI_IDLE;
    sent(u, now);
    if (u->s.tx_full) {
        load(u);
    } else {
        if (is_uart(u))
            u->s.ifg |= UCTXCPTIFG;
        hc_eusci_update(u);
    }
    return next_transmit(u);
}

static void write_buffer(struct hc_eusci *u, uint8_t byte)
{
    u->s.txbuf = byte;
    if (in_reset(u))
        return;
    u->s.tx_full = true;
    hc_eusci_change_flags(u, 0, UCTXIFG);
    if (hc_eusci_is_i2c(u))
        hc_eusci_i2c_go_on(u);
    else
        start_transmit(u);
}

/* ---- registers ---- */

enum register_name {
    CTLW0,
    CTLW1,
    BRW,
    MCTLW,
    STATW,
    TBCNT,
    RXBUF,
    TXBUF,
    ABCTL,
    IRCTL,
    OWN0,
    OWN1,
    OWN2,
    OWN3,
    ADDRX,
    ADDMASK,
    SA,
    IE,
    IFG,
    IV,
    NONE,
};

/* By offset / 2. */
static const uint8_t layout_a[0x20 / 2] = { CTLW0, CTLW1, NONE, BRW,  MCTLW, STATW, RXBUF, TXBUF,
                                            ABCTL, IRCTL, NONE, NONE, NONE,  IE,    IFG,   IV };
static const uint8_t layout_b[0x30 / 2] = { CTLW0, CTLW1, NONE, BRW,  STATW, TBCNT, RXBUF, TXBUF,
                                            NONE,  NONE,  OWN0, OWN1, OWN2,  OWN3,  ADDRX, ADDMASK,
                                            SA,    NONE,  NONE, NONE, NONE,  IE,    IFG,   IV };

static enum register_name register_at(const struct hc_eusci *u, uint32_t address)
{
    uint32_t i = (address - u->config.base) / 2;

    return (enum register_name)(u->config.is_b ? layout_b[i] : layout_a[i]);
}

static uint16_t *storage_of(struct hc_eusci *u, enum register_name name)
{
    uint16_t *const storage[NONE] = {
        [CTLW0] = &u->s.ctlw0, [CTLW1] = &u->s.ctlw1,     [BRW] = &u->s.brw,     [MCTLW] = &u->s.mctlw,
        [STATW] = &u->s.statw, [TBCNT] = &u->s.tbcnt,     [ABCTL] = &u->s.abctl, [IRCTL] = &u->s.irctl,
        [OWN0] = &u->s.own[0], [OWN1] = &u->s.own[1],     [OWN2] = &u->s.own[2], [OWN3] = &u->s.own[3],
        [ADDRX] = &u->s.addrx, [ADDMASK] = &u->s.addmask, [SA] = &u->s.sa,       [IE] = &u->s.ie,
        [IFG] = &u->s.ifg,
    };

    return name < NONE ? storage[name] : NULL;
}

static uint16_t status(const struct hc_eusci *u)
{
    if (hc_eusci_is_i2c(u))
        return hc_eusci_i2c_status(u);
    return (uint16_t)(u->s.statw | (u->s.phase != EUSCI_IDLE || u->s.rx_busy ? UCBUSY : 0));
}

static uint16_t value_of(struct hc_eusci *u, enum register_name name)
{
    switch (name) {
    case STATW:
        return status(u);
    case RXBUF:
        return u->s.rxbuf;
    case TXBUF:
        return u->s.txbuf;
    case IV:
        return highest_pending(u).word;
    default:
        return storage_of(u, name) ? *storage_of(u, name) : 0;
    }
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_eusci *u = (struct hc_eusci *)d;

    return hc_word_read(value_of(u, register_at(u, address)), address, size);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    struct hc_eusci *u = (struct hc_eusci *)d;
    enum register_name name = register_at(u, address);
    uint16_t value = peek(d, address, size);

    if (name == RXBUF && !(address & 1))
        read_buffer(u);
    else if (name == IV)
        hc_eusci_change_flags(u, 0, highest_pending(u).flag);
    else if (name == NONE)
        hc_unknown_register(d, address, false);
    return value;
}

/* What UCSWRST does while it is set. */
static void swrst(struct hc_eusci *u)
{
    u->s.ie = 0;
    u->s.ifg = hc_eusci_is_i2c(u) ? 0 : UCTXIFG;
    u->s.statw &= UCLISTEN;
    u->s.tx_full = u->s.rx_unread = u->s.rx_busy = false;
    u->s.rx_first = true;
    if (u->s.phase == EUSCI_SHIFTING && is_spi(u) && u->spi)
        hc_spi_begin(u->spi, false);
    u->s.phase = EUSCI_IDLE;
    hc_eusci_i2c_reset(u);
    hc_event_cancel(hc_events(u->base.machine), u->transmit);
    hc_event_cancel(hc_events(u->base.machine), u->receive);
    hc_eusci_update(u);
}

static void note_modes(struct hc_eusci *u)
{
    if (is_uart(u) && (u->s.abctl & UCABDEN))
        hc_eusci_note(u, NOTE_AUTO_BAUD, "automatic baud rate detection is not modelled");
    if (is_uart(u) && (u->s.irctl & UCIREN))
        hc_eusci_note(u, NOTE_IRDA, "IrDA is not modelled");
    if (is_uart(u) && (u->s.ctlw0 & UCTXBRK))
        hc_eusci_note(u, NOTE_BREAK, "UCTXBRK is not modelled: an ordinary character goes out");
    if (is_spi(u) && (u->s.ctlw0 & UCMODE))
        hc_eusci_note(u, NOTE_FOUR_PIN, "4-pin SPI is not modelled: it works as with 3 pins");
    if (hc_eusci_is_i2c(u) && (u->s.own[0] & UCOAEN))
        hc_eusci_note(u, NOTE_OWN, "I2C slaves are not modelled: its own address is not answered");
    if (hc_eusci_is_i2c(u) && (u->s.ctlw1 & UCCLTO))
        hc_eusci_note(u, NOTE_TIMEOUT, "the clock low time-out is not modelled");
}

static void drive_spi(struct hc_eusci *u)
{
    if (u->spi)
        hc_spi_drive(u->spi, is_spi(u) && !in_reset(u) && (u->s.ctlw0 & UCMST));
}

static void write_control(struct hc_eusci *u, uint16_t value)
{
    bool was_in_reset = in_reset(u);

    u->s.ctlw0 = u->config.is_b ? value | UCSYNC : value;
    if (in_reset(u)) {
        swrst(u);
    } else {
        note_modes(u);
        if (was_in_reset)
            u->s.rx_last = hc_eusci_ticks(u);
        if (hc_eusci_is_i2c(u))
            hc_eusci_i2c_go_on(u);
        start_transmit(u);
        listen(u);
    }
    drive_spi(u);
    hc_eusci_update(u);
}

static void write_register(struct hc_eusci *u, enum register_name name, uint16_t value)
{
    uint16_t enables = hc_eusci_is_i2c(u) ? IE_I2C : is_spi(u) ? IE_SPI : IE_A;

    if (name == CTLW0)
        write_control(u, value);
    else if (name == IE || name == IFG)
        *storage_of(u, name) = value & enables;
    else if (name == STATW)
        u->s.statw = (uint16_t)((u->s.statw & ~UCLISTEN) | (value & UCLISTEN));
    else if (storage_of(u, name))
        *storage_of(u, name) = value;
    hc_eusci_update(u);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_eusci *u = (struct hc_eusci *)d;
    enum register_name name = register_at(u, address);

    if (name == TXBUF) {
        if (!(address & 1))
            write_buffer(u, (uint8_t)value);
    } else if (name == IV) {
        hc_eusci_change_flags(u, 0, u->s.ie & u->s.ifg);
    } else if (name == NONE) {
        hc_unknown_register(d, address, true);
    } else if (name != RXBUF) {
        write_register(u, name, hc_word_written(value_of(u, name), address, value, size));
    }
}

/* ---- the device ---- */

static void clock_changed(void *owner, hc_time now)
{
    struct hc_eusci *u = owner;

    (void)now;
    hc_event_arm(hc_events(u->base.machine), u->transmit, next_transmit(u));
    if (u->s.rx_busy)
        hc_event_arm(hc_events(u->base.machine), u->receive, hc_eusci_time_of(u, u->s.rx_tick));
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_eusci *u = (struct hc_eusci *)d;

    (void)kind;
    u->s.ctlw0 = u->config.is_b ? UCSWRST | UCSYNC | 0x00c0 : UCSWRST;
    u->s.ctlw1 = 0x0003;
    u->s.brw = u->s.mctlw = u->s.statw = u->s.abctl = u->s.irctl = u->s.tbcnt = 0;
    for (int i = 0; i < 4; i++)
        u->s.own[i] = 0;
    u->s.addmask = 0x03ff;
    swrst(u);
    drive_spi(u);
}

static const struct hc_device_ops ops = {
    .name = "eusci",
    .help = "serial interface: UART, SPI, I2C",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
};

struct hc_eusci *hc_eusci_new(struct hc_machine *m, const struct hc_eusci_config *config)
{
    struct hc_eusci *u = HC_DEVICE_NEW(m, &ops, config->name, struct hc_eusci);

    u->config = *config;
    u->aclk = hc_cs_aclk(config->cs);
    u->smclk = hc_cs_smclk(config->cs);
    u->transmit = hc_event_new(hc_events(m), config->name, transmit_event, u);
    u->receive = hc_event_new(hc_events(m), config->name, receive_event, u);
    hc_device_claim(&u->base, config->base, config->base + (config->is_b ? 0x2f : 0x1f));
    hc_device_owns_vector(&u->base, config->vector);
    hc_clock_listen(u->aclk, (struct hc_clock_listener){ .changed = clock_changed, .owner = u });
    hc_clock_listen(u->smclk, (struct hc_clock_listener){ .changed = clock_changed, .owner = u });
    if (config->dma) {
        hc_dma_connect(config->dma, config->dma_rx, &u->base, dma_taken);
        hc_dma_connect(config->dma, config->dma_tx, &u->base, dma_taken);
    }
    return u;
}

void hc_eusci_on_transmit(struct hc_eusci *u, hc_usart_transmit_fn *call, void *owner)
{
    assert(u->listeners < EUSCI_LISTENERS_MAX);
    u->listener[u->listeners].call = call;
    u->listener[u->listeners++].owner = owner;
}

void hc_eusci_connect_spi(struct hc_eusci *u, struct hc_spi_bus *bus)
{
    u->spi = bus;
}
