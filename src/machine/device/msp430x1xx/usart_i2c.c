#include "usart_i2c.h"

/* Offsets of the registers that share addresses with the USART's */
enum { I2CTCTL = 1, I2CDCTL, I2CPSC, I2CSCLH, I2CSCLL, I2CDR, I2CDR_HIGH };
/* Absolute addresses of the others */
enum { I2CIE = 0x50, I2CIFG, I2CNDAT, I2COA = 0x118, I2CSA = 0x11a, I2CIV = 0x11c };

/* U0CTL */
enum { I2CEN = 0x01, MST = 0x02, LISTEN = 0x08, XA = 0x10, TXDMAEN = 0x40, RXDMAEN = 0x80 };
/* I2CTCTL; the upper half is modifiable only with I2CEN = 0 */
enum { TCTL_FIXED = 0xf0 };
enum { I2CSTT = 0x01, I2CSTP = 0x02, I2CSTB = 0x04, I2CTRX = 0x08, I2CSSEL_SHIFT = 4, I2CRM = 0x40, I2CWORD = 0x80 };
/* I2CDCTL */
enum { I2CBB = 0x01, I2CRXOVR = 0x02, I2CTXUDF = 0x04, I2CSBD = 0x08, I2CSCLLOW = 0x10, I2CBUSY = 0x20 };
/* I2CIFG, I2CIE: in the order of their priority in I2CIV */
enum {
    ALIFG = 0x01,
    NACKIFG = 0x02,
    OAIFG = 0x04,
    ARDYIFG = 0x08,
    RXRDYIFG = 0x10,
    TXRDYIFG = 0x20,
    GCIFG = 0x40,
    STTIFG = 0x80,
};

enum { START_BYTE_CODE = 0x01, BYTE_BITS = 9, LEAST_HALF = 5 };

/* Cycles of the prescaled clock, from figures 15-8 and 15-9 */
enum { GENERATE_START = 4, AFTER_START = 8, GENERATE_STOP = 10, AFTER_STOP = 8 };

/* What the master does. Those up to RESTING end at a time, the others wait for somebody. */
enum phase {
    IDLE,
    START,
    START_BYTE,    /* I2CSTB: a byte that nobody acknowledges, then START again */
    ADDRESS,       /* with 10 bits: two bytes */
    ADDRESS_AGAIN, /* 10 bits and read: START and the first byte once more */
    SEND,
    RECEIVE,
    STOP,
    STOPPED,       /* I2CBB is clear */
    RESTING,       /* I2CSTP and MST are, too */
    NEEDS_DATA,    /* I2CDR is empty: SCL is low */
    NEEDS_ROOM,    /* I2CDR, buffer and shift register are full: SCL is low */
    NEEDS_SLAVE,   /* a slave holds SCL low */
    NEEDS_COMMAND, /* everything is sent or received: I2CSTT or I2CSTP goes on */
    NACKED,        /* the guide's IDLE, but the bus is still taken; I2CSTT or I2CSTP goes on */
};

enum role { NO_SLAVE, SLAVE_SENDS, SLAVE_RECEIVES };

struct hc_usart_i2c {
    struct hc_device base;
    struct hc_usart_i2c_config config;
    struct hc_i2c_bus *bus; /* NULL: pulled up, nobody there */
    int number;             /* as a master on it */
    hc_event step;
    struct {
        uint8_t ctl, tctl, psc, sclh, scll, ie, ifg, ndat;
        uint8_t dctl; /* I2CBB, I2CRXOVR, I2CTXUDF, I2CSBD */
        uint16_t oa, sa;
        uint16_t dr, buffer;           /* I2CDR, and the temporary buffer behind it */
        uint8_t tx_bytes, tx_buffered; /* in these, to be sent */
        uint8_t rx_bytes, rx_buffered; /* in these, to be read */
        bool rx_ready, buffer_ready;   /* they are complete: a word, or the last byte */
        bool tx_ready;                 /* I2CDR or the buffer wait for data to send */
        uint8_t shift;                 /* byte on its way */
        bool shift_full;               /* received, but I2CDR and the buffer are full */
        bool shift_last;               /* nothing follows it */
        uint8_t phase;                 /* of the master */
        uint8_t role;                  /* as a slave */
        bool restarted;                /* as a slave: by a repeated START */
        uint16_t left;                 /* bytes of I2CNDAT to go; unused with I2CRM */
        uint16_t to_write;             /* of these, not yet in I2CDR */
        bool ardy_pending;             /* once everything is read */
        uint64_t tick;                 /* of the I2C clock: the phase's end */
        bool noted_listen, noted_clock;
    } s;
};

/* ---- time ---- */

static const struct hc_clock *clock_of(const struct hc_usart_i2c *i2c)
{
    switch (i2c->s.tctl >> I2CSSEL_SHIFT & 3) {
    case 0:
        return NULL;
    case 1:
        return i2c->config.aclk;
    default:
        return i2c->config.smclk;
    }
}

static unsigned half(uint8_t value)
{
    return value + 2 > LEAST_HALF ? value + 2u : LEAST_HALF;
}

static unsigned bit_ticks(const struct hc_usart_i2c *i2c)
{
    return (i2c->s.psc + 1u) * (half(i2c->s.sclh) + half(i2c->s.scll));
}

static bool is_timed(const struct hc_usart_i2c *i2c)
{
    return i2c->s.phase > IDLE && i2c->s.phase <= RESTING;
}

static hc_time end_of_phase(const struct hc_usart_i2c *i2c)
{
    const struct hc_clock *clock = clock_of(i2c);
    hc_time now = hc_now(i2c->base.machine);

    if (!is_timed(i2c) || !clock || !clock->s.period)
        return HC_NEVER;
    hc_time t = hc_clock_time_of(clock, i2c->s.tick);
    return t > now ? t : now;
}

/* The guide's module would switch its clock on. */
static void note_stopped_clock(struct hc_usart_i2c *i2c)
{
    if (i2c->s.noted_clock || !is_timed(i2c) || end_of_phase(i2c) != HC_NEVER)
        return;
    i2c->s.noted_clock = true;
    hc_note(i2c->base.machine, "%s: its clock stands still and is not switched on: the transfer waits", i2c->base.name);
}

/* Enters a phase that lasts CYCLES of the prescaled clock and BITS (0, 0: until somebody acts). */
static void enter(struct hc_usart_i2c *i2c, enum phase phase, unsigned cycles, unsigned bits)
{
    const struct hc_clock *clock = clock_of(i2c);

    i2c->s.phase = (uint8_t)phase;
    i2c->s.tick = (clock ? hc_clock_ticks(clock, hc_now(i2c->base.machine)) : 0) + cycles * (i2c->s.psc + 1u) +
                  (uint64_t)bits * bit_ticks(i2c);
    hc_event_arm(hc_events(i2c->base.machine), i2c->step, end_of_phase(i2c));
    note_stopped_clock(i2c);
}

/* ---- flags ---- */

static void tell(struct hc_usart_i2c *i2c)
{
    i2c->config.changed(i2c->config.owner);
}

static void raise(struct hc_usart_i2c *i2c, uint8_t flag)
{
    i2c->s.ifg |= flag;
    tell(i2c);
}

static uint8_t pending(const struct hc_usart_i2c *i2c)
{
    uint8_t by_dma = (uint8_t)((i2c->s.ctl & RXDMAEN ? RXRDYIFG : 0) | (i2c->s.ctl & TXDMAEN ? TXRDYIFG : 0));

    return i2c->s.ifg & i2c->s.ie & (uint8_t)~by_dma;
}

bool hc_usart_i2c_interrupt(const struct hc_usart_i2c *i2c)
{
    return pending(i2c);
}

bool hc_usart_i2c_receive_trigger(const struct hc_usart_i2c *i2c)
{
    return (i2c->s.ctl & RXDMAEN) && i2c->s.rx_ready;
}

bool hc_usart_i2c_transmit_trigger(const struct hc_usart_i2c *i2c)
{
    return (i2c->s.ctl & TXDMAEN) && i2c->s.tx_ready;
}

/* The registers may be accessed for the next transfer, but not before what came is read. */
static void access_ready(struct hc_usart_i2c *i2c)
{
    i2c->s.ardy_pending = i2c->s.rx_bytes || i2c->s.rx_buffered || i2c->s.shift_full;
    if (!i2c->s.ardy_pending)
        raise(i2c, ARDYIFG);
}

/* ---- I2CDR ---- */

static unsigned dr_size(const struct hc_usart_i2c *i2c)
{
    return i2c->s.tctl & I2CWORD ? 2 : 1;
}

/* More is to be sent, and there may be room for it. */
static void ask_for_data(struct hc_usart_i2c *i2c)
{
    if (i2c->s.tx_ready || (i2c->s.tx_bytes && i2c->s.tx_buffered))
        return;
    i2c->s.tx_ready = true;
    raise(i2c, TXRDYIFG);
}

static uint8_t take_byte(struct hc_usart_i2c *i2c)
{
    uint8_t byte = (uint8_t)i2c->s.dr;

    i2c->s.dr >>= 8;
    if (!--i2c->s.tx_bytes && i2c->s.tx_buffered) {
        i2c->s.dr = i2c->s.buffer;
        i2c->s.tx_bytes = i2c->s.tx_buffered;
        i2c->s.tx_buffered = 0;
    }
    return byte;
}

/* What I2CDR holds may be read. */
static void data_ready(struct hc_usart_i2c *i2c)
{
    i2c->s.dctl = (uint8_t)((i2c->s.dctl & ~I2CSBD) | (i2c->s.rx_bytes < dr_size(i2c) ? I2CSBD : 0));
    i2c->s.rx_ready = true;
    raise(i2c, RXRDYIFG);
}

static uint16_t append(uint16_t word, uint8_t *bytes, uint8_t byte)
{
    return (*bytes)++ ? (uint16_t)(byte << 8 | (word & 0xff)) : byte;
}

/* A received byte enters I2CDR, or the buffer, or waits in the shift register and keeps SCL low. */
static void received(struct hc_usart_i2c *i2c, uint8_t byte, bool last)
{
    unsigned size = dr_size(i2c);

    if (!i2c->s.rx_ready) {
        i2c->s.dr = append(i2c->s.dr, &i2c->s.rx_bytes, byte);
        if (i2c->s.rx_bytes == size || last)
            data_ready(i2c);
    } else if (!i2c->s.buffer_ready) {
        i2c->s.buffer = append(i2c->s.buffer, &i2c->s.rx_buffered, byte);
        i2c->s.buffer_ready = i2c->s.rx_buffered == size || last;
    } else {
        i2c->s.shift = byte;
        i2c->s.shift_full = true;
        i2c->s.shift_last = last;
        i2c->s.dctl |= I2CRXOVR;
    }
}

/* I2CDR has been read: the buffer moves up. */
static void next_data(struct hc_usart_i2c *i2c)
{
    bool ready = i2c->s.buffer_ready;

    i2c->s.rx_ready = i2c->s.buffer_ready = false;
    i2c->s.rx_bytes = i2c->s.rx_buffered;
    i2c->s.rx_buffered = 0;
    if (i2c->s.rx_bytes)
        i2c->s.dr = i2c->s.buffer;
    if (ready)
        data_ready(i2c);
}

/* ---- master ---- */

static bool is_repeating(const struct hc_usart_i2c *i2c)
{
    return i2c->s.tctl & I2CRM;
}

static bool is_sending(const struct hc_usart_i2c *i2c)
{
    return i2c->s.tctl & I2CTRX;
}

static uint16_t address_bits(const struct hc_usart_i2c *i2c)
{
    return i2c->s.ctl & XA ? 0x3ff : 0x7f;
}

static struct hc_i2c_address target(const struct hc_usart_i2c *i2c)
{
    bool extended = i2c->s.ctl & XA;

    return (struct hc_i2c_address){ i2c->s.sa & address_bits(i2c), extended, !is_sending(i2c) };
}

static void lose_arbitration(struct hc_usart_i2c *i2c)
{
    i2c->s.ctl &= (uint8_t)~MST;
    i2c->s.tctl &= (uint8_t)~(I2CSTT | I2CSTP);
    i2c->s.tx_ready = false;
    enter(i2c, IDLE, 0, 0);
    raise(i2c, ALIFG);
}

static bool arbitrate(struct hc_usart_i2c *i2c, uint8_t byte, hc_time now)
{
    if (!i2c->bus || hc_i2c_arbitrate(i2c->bus, byte, now))
        return true;
    lose_arbitration(i2c);
    return false;
}

/* Both bytes of a 10-bit address, or the one of a 7-bit address. */
static bool arbitrate_address(struct hc_usart_i2c *i2c, hc_time now)
{
    struct hc_i2c_address a = target(i2c);

    if (!a.extended)
        return arbitrate(i2c, (uint8_t)(a.address << 1 | a.read), now);
    return arbitrate(i2c, (uint8_t)(0xf0 | (a.address >> 7 & 6)), now) && arbitrate(i2c, (uint8_t)a.address, now);
}

/* In repeat mode: until software says that it was all. */
static bool more_to_write(const struct hc_usart_i2c *i2c)
{
    return is_repeating(i2c) ? !(i2c->s.tctl & (I2CSTP | I2CSTT)) : i2c->s.to_write;
}

static void do_start(struct hc_usart_i2c *i2c, hc_time now)
{
    if (i2c->bus && !hc_i2c_start(i2c->bus, i2c->number, now)) {
        lose_arbitration(i2c);
        return;
    }
    i2c->s.dctl |= I2CBB;
    if (i2c->s.tctl & I2CSTB) {
        i2c->s.tctl &= (uint8_t)~I2CSTB;
        enter(i2c, START_BYTE, AFTER_START, BYTE_BITS);
        return;
    }
    i2c->s.tctl &= (uint8_t)~I2CSTT;
    i2c->s.left = i2c->s.ndat;
    unsigned written = i2c->s.tx_bytes + i2c->s.tx_buffered;
    i2c->s.to_write = (uint16_t)(i2c->s.ndat > written ? i2c->s.ndat - written : 0);
    enter(i2c, ADDRESS, AFTER_START, target(i2c).extended ? 2 * BYTE_BITS : BYTE_BITS);
    if (is_sending(i2c) && more_to_write(i2c))
        ask_for_data(i2c);
}

/* Everything is sent or received. */
static void finish(struct hc_usart_i2c *i2c)
{
    if (i2c->s.tctl & I2CSTP)
        enter(i2c, STOP, GENERATE_STOP, 0);
    else if (i2c->s.tctl & I2CSTT)
        enter(i2c, START, GENERATE_START, 0);
    else
        enter(i2c, NEEDS_COMMAND, 0, 0);
    if (!is_repeating(i2c) || (i2c->s.tctl & I2CSTP))
        access_ready(i2c);
}

/* Where a byte may begin: what comes next on the bus? */
static void go_on_sending(struct hc_usart_i2c *i2c)
{
    bool done = is_repeating(i2c) ? !i2c->s.tx_bytes && (i2c->s.tctl & (I2CSTT | I2CSTP)) : !i2c->s.left;

    if (done) {
        i2c->s.tx_ready = false;
        finish(i2c);
    } else if (!i2c->s.tx_bytes) {
        i2c->s.dctl |= I2CTXUDF;
        enter(i2c, NEEDS_DATA, 0, 0);
    } else if (i2c->bus && !hc_i2c_ready(i2c->bus, false)) {
        enter(i2c, NEEDS_SLAVE, 0, 0);
    } else {
        i2c->s.shift = take_byte(i2c);
        enter(i2c, SEND, 0, BYTE_BITS);
        if (more_to_write(i2c))
            ask_for_data(i2c);
    }
}

static void go_on_receiving(struct hc_usart_i2c *i2c, bool done)
{
    if (i2c->s.shift_full)
        enter(i2c, NEEDS_ROOM, 0, 0);
    else if (done)
        finish(i2c);
    else if (i2c->bus && !hc_i2c_ready(i2c->bus, true))
        enter(i2c, NEEDS_SLAVE, 0, 0);
    else
        enter(i2c, RECEIVE, 0, BYTE_BITS);
}

/* Nobody acknowledged: no STOP follows by itself, the bus stays taken until software gives it back. */
static void not_acknowledged(struct hc_usart_i2c *i2c)
{
    i2c->s.tx_ready = false;
    i2c->s.tx_bytes = i2c->s.tx_buffered = 0;
    enter(i2c, NACKED, 0, 0);
    raise(i2c, NACKIFG);
}

static void do_address(struct hc_usart_i2c *i2c, hc_time now)
{
    struct hc_i2c_address a = target(i2c);

    if (i2c->s.phase == ADDRESS) {
        if (!arbitrate_address(i2c, now))
            return;
        if (a.extended && a.read) {
            enter(i2c, ADDRESS_AGAIN, GENERATE_START, BYTE_BITS);
            return;
        }
    }
    if (!i2c->bus || !hc_i2c_address(i2c->bus, a, now))
        not_acknowledged(i2c);
    else if (is_sending(i2c))
        go_on_sending(i2c);
    else
        go_on_receiving(i2c, !is_repeating(i2c) && !i2c->s.left);
}

static void do_send(struct hc_usart_i2c *i2c, hc_time now)
{
    if (!arbitrate(i2c, i2c->s.shift, now))
        return;
    if (i2c->s.left)
        i2c->s.left--;
    if (!i2c->bus || !hc_i2c_write(i2c->bus, i2c->s.shift, now))
        not_acknowledged(i2c);
    else
        go_on_sending(i2c);
}

static void do_receive(struct hc_usart_i2c *i2c, hc_time now)
{
    bool last = is_repeating(i2c) ? i2c->s.tctl & (I2CSTP | I2CSTT) : i2c->s.left == 1;
    uint8_t byte = i2c->bus ? hc_i2c_read(i2c->bus, !last, now) : 0xff;

    if (i2c->s.left)
        i2c->s.left--;
    received(i2c, byte, last);
    go_on_receiving(i2c, last);
}

static void do_stop(struct hc_usart_i2c *i2c, hc_time now)
{
    i2c->s.dctl &= (uint8_t)~I2CBB;
    i2c->s.tx_ready = false;
    enter(i2c, STOPPED, AFTER_STOP, 0);
    if (i2c->bus)
        hc_i2c_stop(i2c->bus, now);
}

static void do_stopped(struct hc_usart_i2c *i2c)
{
    i2c->s.tctl &= (uint8_t)~I2CSTP;
    i2c->s.ctl &= (uint8_t)~MST;
    enter(i2c, RESTING, AFTER_STOP, 0);
}

static void command(struct hc_usart_i2c *i2c);

static hc_time step(void *owner, hc_time now)
{
    struct hc_usart_i2c *i2c = owner;

    switch ((enum phase)i2c->s.phase) {
    case START:
        do_start(i2c, now);
        break;
    case START_BYTE:
        if (arbitrate(i2c, START_BYTE_CODE, now))
            enter(i2c, START, GENERATE_START, 0);
        break;
    case ADDRESS:
    case ADDRESS_AGAIN:
        do_address(i2c, now);
        break;
    case SEND:
        do_send(i2c, now);
        break;
    case RECEIVE:
        do_receive(i2c, now);
        break;
    case STOP:
        do_stop(i2c, now);
        break;
    case STOPPED:
        do_stopped(i2c);
        break;
    case RESTING:
        enter(i2c, IDLE, 0, 0);
        command(i2c); /* that came meanwhile */
        break;
    default:
        break;
    }
    tell(i2c);
    return end_of_phase(i2c);
}

/* I2CSTT or I2CSTP were set, in master mode. I2CRM with both is reserved: nothing happens. */
static void command(struct hc_usart_i2c *i2c)
{
    bool start = i2c->s.tctl & I2CSTT, stop = i2c->s.tctl & I2CSTP;

    if ((~i2c->s.ctl & (I2CEN | MST)) || (is_repeating(i2c) && start && stop))
        return;
    switch ((enum phase)i2c->s.phase) {
    case IDLE:
        if (start && (i2c->s.dctl & I2CBB))
            lose_arbitration(i2c);
        else if (start)
            enter(i2c, START, GENERATE_START, 0);
        break;
    case NEEDS_COMMAND:
    case NACKED:
        if (start)
            enter(i2c, START, GENERATE_START, 0);
        else if (stop)
            enter(i2c, STOP, GENERATE_STOP, 0);
        break;
    case NEEDS_DATA:
        if (is_repeating(i2c) && (start || stop))
            go_on_sending(i2c);
        break;
    default:
        break; /* seen at the end of the byte */
    }
}

/* ---- slave ---- */

static bool is_slave(const struct hc_usart_i2c *i2c)
{
    return (i2c->s.ctl & I2CEN) && i2c->s.phase == IDLE;
}

static void slave_started(struct hc_device *d, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    if (!is_slave(i2c))
        return;
    i2c->s.restarted = i2c->s.role != NO_SLAVE;
    raise(i2c, STTIFG);
}

static bool slave_addressed(struct hc_device *d, struct hc_i2c_address a, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;
    bool extended = i2c->s.ctl & XA;
    bool general = !a.extended && !a.read && a.address == 0;
    bool own = a.extended == extended && a.address == (i2c->s.oa & address_bits(i2c));

    (void)now;
    if (!is_slave(i2c) || !(own || general))
        return false;
    i2c->s.role = a.read ? SLAVE_SENDS : SLAVE_RECEIVES;
    if (general || !i2c->s.restarted)
        raise(i2c, general ? GCIFG : OAIFG);
    if (a.read)
        ask_for_data(i2c);
    return true;
}

static bool slave_ready(struct hc_device *d, bool read)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    if (!read)
        return !i2c->s.shift_full;
    if (!i2c->s.tx_bytes)
        i2c->s.dctl |= I2CTXUDF;
    return i2c->s.tx_bytes;
}

static bool slave_write(struct hc_device *d, uint8_t byte, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    if (i2c->s.shift_full) /* a master that does not wait */
        return false;
    received(i2c, byte, false);
    return true;
}

static uint8_t slave_read(struct hc_device *d, bool acknowledged, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    uint8_t byte = i2c->s.tx_bytes ? take_byte(i2c) : 0xff;
    if (acknowledged)
        ask_for_data(i2c);
    return byte;
}

/* A first byte of a word that has no second is all that comes. */
static void slave_stopped(struct hc_device *d, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    if (i2c->s.role == NO_SLAVE)
        return;
    i2c->s.role = NO_SLAVE;
    i2c->s.tx_ready = false;
    i2c->s.buffer_ready = i2c->s.rx_buffered;
    if (i2c->s.rx_bytes && !i2c->s.rx_ready)
        data_ready(i2c);
    access_ready(i2c);
}

static void bus_busy(struct hc_device *d, bool busy, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    if (!(i2c->s.ctl & I2CEN))
        return;
    i2c->s.dctl = (uint8_t)(busy ? i2c->s.dctl | I2CBB : i2c->s.dctl & ~I2CBB);
}

static void slave_released(struct hc_device *d, hc_time now)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)now;
    if (i2c->s.phase != NEEDS_SLAVE)
        return;
    if (is_sending(i2c))
        go_on_sending(i2c);
    else
        go_on_receiving(i2c, false);
}

void hc_usart_i2c_connect(struct hc_usart_i2c *i2c, struct hc_i2c_bus *bus)
{
    i2c->bus = bus;
    i2c->number = hc_i2c_attach_master(bus, (struct hc_i2c_master){ slave_released, bus_busy, &i2c->base });
    hc_i2c_attach_slave(bus, (struct hc_i2c_slave){ slave_addressed, slave_write, slave_read, slave_stopped,
                                                    slave_started, slave_ready, &i2c->base });
}

/* ---- registers ---- */

static void write_data(struct hc_usart_i2c *i2c, uint16_t value)
{
    unsigned bytes = dr_size(i2c);

    if (!is_repeating(i2c) && (i2c->s.ctl & MST) && i2c->s.phase != IDLE) {
        if (i2c->s.to_write < bytes)
            bytes = i2c->s.to_write ? i2c->s.to_write : 1;
        i2c->s.to_write -= i2c->s.to_write < bytes ? i2c->s.to_write : bytes;
    }
    if (i2c->s.tx_bytes) {
        i2c->s.buffer = value;
        i2c->s.tx_buffered = (uint8_t)bytes;
    } else {
        i2c->s.dr = value;
        i2c->s.tx_bytes = (uint8_t)bytes;
    }
    i2c->s.tx_ready = false;
    i2c->s.ifg &= (uint8_t)~TXRDYIFG;
    i2c->s.dctl &= (uint8_t)~I2CTXUDF;
    tell(i2c); /* DMA wants an edge for each */
    bool sending = (i2c->s.phase >= ADDRESS && i2c->s.phase <= SEND) || i2c->s.phase == NEEDS_SLAVE;
    if (sending && is_sending(i2c) && more_to_write(i2c))
        ask_for_data(i2c);
    if (i2c->s.phase == NEEDS_DATA)
        go_on_sending(i2c);
    else if (i2c->s.role == SLAVE_SENDS && i2c->bus)
        hc_i2c_release(i2c->bus, hc_now(i2c->base.machine));
}

/* The byte that waited in the shift register moves up, and whoever was held by it goes on. */
static void make_room(struct hc_usart_i2c *i2c)
{
    bool last = i2c->s.shift_last;

    i2c->s.shift_full = false;
    received(i2c, i2c->s.shift, last);
    if (i2c->s.phase == NEEDS_ROOM)
        go_on_receiving(i2c, last || (is_repeating(i2c) && (i2c->s.tctl & (I2CSTP | I2CSTT))));
    else if (i2c->bus)
        hc_i2c_release(i2c->bus, hc_now(i2c->base.machine));
}

static uint16_t read_data(struct hc_usart_i2c *i2c)
{
    uint16_t value = i2c->s.dr;

    if (i2c->s.rx_ready) {
        i2c->s.ifg &= (uint8_t)~RXRDYIFG;
        i2c->s.dctl &= (uint8_t)~I2CRXOVR;
        i2c->s.rx_ready = false;
        tell(i2c); /* DMA wants an edge for each */
        next_data(i2c);
        if (i2c->s.shift_full)
            make_room(i2c);
        else if (i2c->s.ardy_pending)
            access_ready(i2c);
    }
    return value;
}

static uint8_t data_control(const struct hc_usart_i2c *i2c)
{
    bool busy = (i2c->s.phase != IDLE && i2c->s.phase != NACKED) || i2c->s.role != NO_SLAVE;

    return (uint8_t)(i2c->s.dctl | (busy ? I2CBUSY : 0) | (i2c->s.phase == NEEDS_SLAVE ? I2CSCLLOW : 0));
}

uint16_t hc_usart_i2c_peek(const struct hc_usart_i2c *i2c, unsigned offset, int size)
{
    switch (offset) {
    case I2CTCTL:
        return i2c->s.tctl;
    case I2CDCTL:
        return data_control(i2c);
    case I2CPSC:
        return i2c->s.psc;
    case I2CSCLH:
        return i2c->s.sclh;
    case I2CSCLL:
        return i2c->s.scll;
    case I2CDR:
        return size == 2 ? i2c->s.dr : i2c->s.dr & 0xff;
    default:
        return i2c->s.dr >> 8;
    }
}

uint16_t hc_usart_i2c_read(struct hc_usart_i2c *i2c, unsigned offset, int size)
{
    if (offset != I2CDR)
        return hc_usart_i2c_peek(i2c, offset, size);
    uint16_t value = read_data(i2c);
    return size == 2 ? value : value & 0xff;
}

void hc_usart_i2c_write(struct hc_usart_i2c *i2c, unsigned offset, uint16_t value, int size)
{
    uint8_t byte = (uint8_t)value;
    bool enabled = i2c->s.ctl & I2CEN;

    switch (offset) {
    case I2CTCTL:
        i2c->s.tctl = enabled ? (uint8_t)((byte & ~TCTL_FIXED) | (i2c->s.tctl & TCTL_FIXED)) : byte;
        command(i2c);
        break;
    case I2CPSC:
        i2c->s.psc = enabled ? i2c->s.psc : byte;
        break;
    case I2CSCLH:
        i2c->s.sclh = enabled ? i2c->s.sclh : byte;
        break;
    case I2CSCLL:
        i2c->s.scll = enabled ? i2c->s.scll : byte;
        break;
    case I2CDR:
        if (!(i2c->s.tctl & I2CWORD))
            write_data(i2c, byte);
        else if (size == 2) /* a byte instruction fails */
            write_data(i2c, value);
        break;
    default:
        break; /* I2CDCTL is read only; so is the upper byte of I2CDRW on its own */
    }
}

uint8_t hc_usart_i2c_control(const struct hc_usart_i2c *i2c)
{
    return i2c->s.ctl;
}

/* I2CEN = 0: the lines are let go, the upper half of I2CTCTL and all that is not named here stays. */
static void disable(struct hc_usart_i2c *i2c)
{
    bool mine = i2c->s.phase > START && i2c->s.phase != STOPPED && i2c->s.phase != RESTING;

    i2c->s.tctl &= 0xf0;
    i2c->s.dctl = 0;
    i2c->s.dr = i2c->s.buffer = 0;
    i2c->s.tx_bytes = i2c->s.tx_buffered = i2c->s.rx_bytes = i2c->s.rx_buffered = 0;
    i2c->s.tx_ready = i2c->s.rx_ready = i2c->s.buffer_ready = i2c->s.shift_full = i2c->s.ardy_pending = false;
    i2c->s.role = NO_SLAVE;
    enter(i2c, IDLE, 0, 0);
    if (mine && i2c->bus)
        hc_i2c_stop(i2c->bus, hc_now(i2c->base.machine));
}

void hc_usart_i2c_set_control(struct hc_usart_i2c *i2c, uint8_t ctl)
{
    uint8_t before = i2c->s.ctl;

    i2c->s.ctl = ctl;
    if ((ctl & LISTEN) && !i2c->s.noted_listen) {
        i2c->s.noted_listen = true;
        hc_note(i2c->base.machine, "%s: LISTEN has no effect here", i2c->base.name);
    }
    if ((before & I2CEN) && !(ctl & I2CEN))
        disable(i2c);
    else if (~before & ctl & (MST | I2CEN))
        command(i2c);
}

static uint16_t vector(const struct hc_usart_i2c *i2c)
{
    uint8_t flags = pending(i2c);

    return flags ? (uint16_t)(2 * __builtin_ctz(flags) + 2) : 0;
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;
    uint16_t word;

    switch (address & ~(address >= I2COA ? 1u : 0)) {
    case I2CIE:
        return i2c->s.ie;
    case I2CIFG:
        return i2c->s.ifg;
    case I2CNDAT:
        return i2c->s.ndat;
    case I2COA:
        word = i2c->s.oa & address_bits(i2c);
        break;
    case I2CSA:
        word = i2c->s.sa & address_bits(i2c);
        break;
    default:
        word = vector(i2c);
    }
    return size == 2 ? word : address & 1 ? word >> 8 : word & 0xff;
}

/* Any access to I2CIV clears the flag that it names, but for those that follow I2CDR. */
static void acknowledge(struct hc_usart_i2c *i2c)
{
    uint8_t flags = pending(i2c);

    i2c->s.ifg &= (uint8_t)~(flags & -flags & ~(RXRDYIFG | TXRDYIFG));
    tell(i2c);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    uint16_t value = peek(d, address, size);

    if ((address & ~1u) == I2CIV)
        acknowledge((struct hc_usart_i2c *)d);
    return value;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    if (size == 1 && address >= I2COA) /* word registers: a byte write clears nothing of the other byte */
        value = address & 1 ? (uint16_t)(value << 8 | (peek(d, address - 1, 1) & 0xff))
                            : (uint16_t)(peek(d, address + 1, 1) << 8 | (value & 0xff));
    switch (address & ~(address >= I2COA ? 1u : 0)) {
    case I2CIE:
        i2c->s.ie = (uint8_t)value;
        break;
    case I2CIFG:
        i2c->s.ifg = (uint8_t)value;
        break;
    case I2CNDAT:
        i2c->s.ndat = (uint8_t)value;
        break;
    case I2COA:
        if (!(i2c->s.ctl & I2CEN))
            i2c->s.oa = value & address_bits(i2c);
        break;
    case I2CSA:
        i2c->s.sa = value & address_bits(i2c);
        break;
    default:
        acknowledge(i2c);
    }
    tell(i2c);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_usart_i2c *i2c = (struct hc_usart_i2c *)d;

    (void)kind;
    i2c->s.ctl = 0;
    disable(i2c);
    i2c->s.tctl = i2c->s.psc = i2c->s.sclh = i2c->s.scll = i2c->s.ie = i2c->s.ifg = i2c->s.ndat = 0;
    i2c->s.oa = i2c->s.sa = 0;
}

static void clock_changed(void *owner, hc_time now)
{
    struct hc_usart_i2c *i2c = owner;

    (void)now;
    note_stopped_clock(i2c);
    if (is_timed(i2c))
        hc_event_arm(hc_events(i2c->base.machine), i2c->step, end_of_phase(i2c));
}

static const struct hc_device_ops ops = {
    .name = "usart_i2c",
    .help = "I2C module of USART0",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = peek,
};

struct hc_usart_i2c *hc_usart_i2c_new(struct hc_machine *m, const struct hc_usart_i2c_config *config)
{
    struct hc_usart_i2c *i2c = HC_DEVICE_NEW(m, &ops, "usart0.i2c", struct hc_usart_i2c);
    struct hc_clock_listener listener = { .changed = clock_changed, .owner = i2c };

    i2c->config = *config;
    i2c->step = hc_event_new(hc_events(m), "usart0.i2c", step, i2c);
    hc_clock_listen(config->aclk, listener);
    hc_clock_listen(config->smclk, listener);
    hc_device_claim(&i2c->base, I2CIE, I2CNDAT);
    hc_device_claim(&i2c->base, I2COA, I2CIV + 1);
    return i2c;
}
