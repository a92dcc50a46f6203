/* The I2C master of eUSCI_B. A transfer is a row of steps, each as long as its bits on the bus; between steps the
 * master may have to wait for software, with SCL held low. */
#include "eusci_internal.h"

enum { BYTE_BITS = 9, CONDITION_BITS = 1, UCASTP_SHIFT = 2, ASTP_FLAG = 1, ASTP_STOP = 2 };
enum { UCSCLLOW = 0x40, UCBBUSY = 0x10, TEN_BITS = 0x3ff, SEVEN_BITS = 0x7f };

static uint8_t automatic_stop(const struct hc_eusci *u)
{
    return u->s.ctlw1 >> UCASTP_SHIFT & 3;
}

static bool counts_out(const struct hc_eusci *u)
{
    return u->s.tbcnt && u->s.i2c_count >= (uint8_t)u->s.tbcnt;
}

static void begin(struct hc_eusci *u, enum eusci_i2c_phase phase, unsigned bits)
{
    u->s.i2c_phase = (uint8_t)phase;
    u->s.i2c_tick = hc_eusci_ticks(u) + (uint64_t)bits * (u->s.brw ? u->s.brw : 1u);
    hc_eusci_update(u);
    hc_event_arm(hc_events(u->base.machine), u->transmit, hc_eusci_i2c_next(u));
}

static void wait(struct hc_eusci *u, enum eusci_i2c_phase phase)
{
    u->s.i2c_phase = (uint8_t)phase;
    hc_eusci_update(u);
}

static bool is_waiting(const struct hc_eusci *u)
{
    uint8_t phase = u->s.i2c_phase;

    return phase == I2C_OFF || phase == I2C_WAIT_WRITE || phase == I2C_WAIT_READ || phase == I2C_REFUSED;
}

hc_time hc_eusci_i2c_next(const struct hc_eusci *u)
{
    return is_waiting(u) ? HC_NEVER : hc_eusci_time_of(u, u->s.i2c_tick);
}

uint16_t hc_eusci_i2c_status(const struct hc_eusci *u)
{
    bool held = is_waiting(u) && u->s.i2c_phase != I2C_OFF;

    return (uint16_t)(u->s.i2c_count << 8 | (held ? UCSCLLOW : 0) | (u->i2c && hc_i2c_busy(u->i2c) ? UCBBUSY : 0));
}

void hc_eusci_i2c_reset(struct hc_eusci *u)
{
    if (u->s.i2c_owns_bus && u->i2c)
        hc_i2c_stop(u->i2c, hc_now(u->base.machine));
    u->s.i2c_owns_bus = false;
    u->s.i2c_phase = I2C_OFF;
    u->s.i2c_count = 0;
    u->s.ctlw0 &= hc_eusci_is_i2c(u) ? (uint16_t)~(UCTXSTT | UCTXSTP | UCTXNACK) : 0xffff;
}

static void begin_start(struct hc_eusci *u)
{
    u->s.i2c_reads = !(u->s.ctlw0 & UCTR);
    u->s.i2c_count = 0;
    begin(u, I2C_START, CONDITION_BITS);
}

static void begin_stop(struct hc_eusci *u)
{
    begin(u, I2C_STOP, CONDITION_BITS);
}

/* The next byte, or what software asks for instead. A repeated START, too, comes at a byte's border. */
static void next_byte(struct hc_eusci *u)
{
    if (u->s.ctlw0 & UCTXSTT)
        begin_start(u);
    else if (u->s.i2c_reads && u->s.rx_unread)
        wait(u, I2C_WAIT_READ);
    else if (u->s.i2c_reads)
        begin(u, I2C_READ, BYTE_BITS);
    else if (u->s.tx_full) {
        u->s.tx_shift = u->s.txbuf;
        u->s.tx_full = false;
        if (!(automatic_stop(u) == ASTP_STOP && u->s.tbcnt && u->s.i2c_count + 1 >= (uint8_t)u->s.tbcnt))
            u->s.ifg |= UCTXIFG;
        begin(u, I2C_WRITE, BYTE_BITS);
    } else if (u->s.ctlw0 & UCTXSTP)
        begin_stop(u);
    else
        wait(u, I2C_WAIT_WRITE);
}

static void sent_start(struct hc_eusci *u, hc_time now)
{
    if (u->i2c && !hc_i2c_start(u->i2c, u->i2c_master, now)) {
        begin(u, I2C_START, CONDITION_BITS); /* another master has the bus */
        return;
    }
    u->s.i2c_owns_bus = true;
    if (!u->s.i2c_reads && !u->s.tx_full)
        u->s.ifg |= UCTXIFG;
    begin(u, I2C_ADDRESS, u->s.ctlw0 & UCSLA10 ? 2 * BYTE_BITS : BYTE_BITS);
}

static void refused(struct hc_eusci *u)
{
    u->s.ifg |= UCNACKIFG;
    u->s.ifg &= (uint16_t)~UCTXIFG;
    u->s.tx_full = false;
    if (u->s.ctlw0 & UCTXSTT)
        begin_start(u);
    else if (u->s.ctlw0 & UCTXSTP)
        begin_stop(u);
    else
        wait(u, I2C_REFUSED);
}

static void sent_address(struct hc_eusci *u, hc_time now)
{
    bool extended = u->s.ctlw0 & UCSLA10;
    struct hc_i2c_address address = { extended ? u->s.sa & TEN_BITS : u->s.sa & SEVEN_BITS, extended, u->s.i2c_reads };

    u->s.ctlw0 &= (uint16_t)~UCTXSTT;
    if (!u->i2c || !hc_i2c_address(u->i2c, address, now))
        refused(u);
    else
        next_byte(u);
}

static void count_byte(struct hc_eusci *u)
{
    u->s.i2c_count++;
    if (!counts_out(u))
        return;
    if (automatic_stop(u) == ASTP_FLAG || automatic_stop(u) == ASTP_STOP)
        u->s.ifg |= UCBCNTIFG;
    if (automatic_stop(u) == ASTP_STOP)
        u->s.ctlw0 |= UCTXSTP;
}

static void sent_byte(struct hc_eusci *u, hc_time now)
{
    if (!hc_i2c_write(u->i2c, u->s.tx_shift, now)) {
        refused(u);
        return;
    }
    count_byte(u);
    if ((u->s.ctlw0 & UCTXSTP) && !u->s.tx_full)
        begin_stop(u);
    else
        next_byte(u);
}

static void received_byte(struct hc_eusci *u, hc_time now)
{
    count_byte(u);
    bool last = u->s.ctlw0 & (UCTXSTP | UCTXNACK);

    u->s.rxbuf = hc_i2c_read(u->i2c, !last, now);
    u->s.rx_unread = true;
    u->s.ifg |= UCRXIFG;
    u->s.ctlw0 &= (uint16_t)~UCTXNACK;
    if (u->s.ctlw0 & UCTXSTP)
        begin_stop(u);
    else
        next_byte(u);
}

static void stopped(struct hc_eusci *u, hc_time now)
{
    if (u->i2c && u->s.i2c_owns_bus)
        hc_i2c_stop(u->i2c, now);
    u->s.i2c_owns_bus = false;
    u->s.ctlw0 &= (uint16_t)~UCTXSTP;
    u->s.ifg |= UCSTPIFG;
    u->s.i2c_phase = I2C_OFF;
    if (u->s.ctlw0 & UCTXSTT)
        begin_start(u);
    hc_eusci_update(u);
}

hc_time hc_eusci_i2c_step(struct hc_eusci *u, hc_time now)
{
    switch (u->s.i2c_phase) {
    case I2C_START:
        sent_start(u, now);
        break;
    case I2C_ADDRESS:
        sent_address(u, now);
        break;
    case I2C_WRITE:
        sent_byte(u, now);
        break;
    case I2C_READ:
        received_byte(u, now);
        break;
    case I2C_STOP:
        stopped(u, now);
        break;
    }
    return hc_eusci_i2c_next(u);
}

void hc_eusci_i2c_go_on(struct hc_eusci *u)
{
    if (u->s.ctlw0 & UCSWRST)
        return;
    switch (u->s.i2c_phase) {
    case I2C_OFF:
        if ((u->s.ctlw0 & UCTXSTT) && (u->s.ctlw0 & UCMST))
            begin_start(u);
        else
            u->s.ctlw0 &= (uint16_t)~UCTXSTP; /* nothing to stop */
        break;
    case I2C_WAIT_WRITE:
    case I2C_WAIT_READ:
        if ((u->s.ctlw0 & UCTXSTP) && u->s.i2c_phase == I2C_WAIT_WRITE && !u->s.tx_full)
            begin_stop(u);
        else if ((u->s.ctlw0 & UCTXSTT) || (u->s.i2c_reads ? !u->s.rx_unread : u->s.tx_full))
            next_byte(u);
        break;
    case I2C_REFUSED:
        if (u->s.ctlw0 & UCTXSTT)
            begin_start(u);
        else if (u->s.ctlw0 & UCTXSTP)
            begin_stop(u);
        break;
    }
}

void hc_eusci_connect_i2c(struct hc_eusci *u, struct hc_i2c_bus *bus)
{
    u->i2c = bus;
    u->i2c_master = hc_i2c_attach_master(bus, (struct hc_i2c_master){ .device = &u->base });
}
