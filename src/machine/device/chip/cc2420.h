/* Chipcon/TI CC2420: IEEE 802.15.4 radio at 2.4 GHz, as its datasheet (SWRS041) describes it.
 *
 * Modelled: the SPI protocol with its status byte; the 15 strobes, all registers with their reset values and read-only
 * bits, the 368 bytes of RAM; VREG_EN, RESETn and the crystal with their start-up times; the radio control state
 * machine; FIFO, FIFOP, SFD and CCA pins with polarity and multiplexers; buffered transmission and reception with CRC,
 * RSSI and correlation; RXFIFO overflow and TXFIFO underflow; address recognition, acknowledgements by AUTOACK, SACK
 * and SACKPEND; the three CCA modes; endless transmit modes and looping reception; stand-alone and in-line AES.
 *
 *     STXON                                   SFD pin high                            low
 *       |<--- 192 (128) us --->|<-- 4 x 32 us -->|<-32 us->|<- 32 us a byte ->|       |<--- 192 us --->|
 *       | TX_CALIBRATE         | preamble        | SFD     | length | MPDU    | FCS   | RX_CALIBRATE   | RX_SFD_SEARCH
 *                              ^ transmit_start                                       ^ transmit_end
 *
 * (The SFD pin rises at the end of the SFD field.) Nothing is stepped: a listening radio that hears nothing has no
 * event armed. RSSI is computed when somebody reads it, and followed symbol by symbol only while it moves and CCA may
 * change.
 *
 * Known to be left out, each noted at run time when firmware asks for it: serial modes (MDMCTRL1.TX_MODE or RX_MODE 1),
 * test signals on the SFD and CCA pins other than LOCK_STATUS, the FFCTRL power-down signals, XOSC16M_STABLE, ZERO and
 * ONE. Written and read back, but without effect: analog trim and test registers (RXCTRL, FSMTC, MANAND, MANOR, AGC*,
 * FSTST*, RXBPFTST, ADCTST, TOPTST). An in-line security operation starts when its whole frame is buffered, not block
 * by block; a frame that is written while it is being sent with security underflows. Where the datasheet is silent, a
 * comment in the source says what was assumed. */
#ifndef HC_MACHINE_DEVICE_CHIP_CC2420_H
#define HC_MACHINE_DEVICE_CHIP_CC2420_H

#include "machine/device.h"
#include "machine/device/bus/spi.h"

struct hc_cc2420;

/* What the wire "NAME.state" carries: the states of the datasheet's radio control state machine, and those before it.
 */
enum hc_cc2420_state {
    HC_CC2420_OFF,        /* VREG_EN is low */
    HC_CC2420_VREG_START, /* the regulator starts: nothing answers for 50 us */
    HC_CC2420_POWER_DOWN, /* registers only; the crystal is off */
    HC_CC2420_XOSC_START, /* the crystal starts: 1 ms, from when the regulator has settled (300 us) */
    HC_CC2420_IDLE,
    HC_CC2420_RX_CALIBRATE, /* 192 us */
    HC_CC2420_RX_SFD_SEARCH,
    HC_CC2420_RX_WAIT,
    HC_CC2420_RX_FRAME,
    HC_CC2420_RX_OVERFLOW,
    HC_CC2420_TX_CALIBRATE, /* 192 us, or 128 us */
    HC_CC2420_TX_WAIT,      /* after STXCAL: only the synthesizer runs */
    HC_CC2420_TX_PREAMBLE,
    HC_CC2420_TX_FRAME,
    HC_CC2420_TX_UNDERFLOW,
    HC_CC2420_TX_ACK_CALIBRATE,
    HC_CC2420_TX_ACK_PREAMBLE,
    HC_CC2420_TX_ACK,
    HC_CC2420_STATES,
};

struct hc_cc2420_config {
    const char *name; /* "radio"; must outlive the machine */
    struct hc_spi_bus *spi;
    hc_wire csn, resetn, vreg_en;  /* HC_NO_WIRE: tied so that the chip is selected, not reset, powered */
    hc_wire fifo, fifop, sfd, cca; /* HC_NO_WIRE: not connected */
    uint64_t seed;                 /* of noise and of what RAM holds at power-on */
};

/* Attached to C->spi. Unpowered until the machine's first reset. */
struct hc_cc2420 *hc_cc2420_new(struct hc_machine *m, const struct hc_cc2420_config *c);

/* ---- the air ---- */

struct hc_radio_signal {
    uint16_t mhz;  /* centre: 2405 is channel 11, 5 MHz a channel */
    int8_t dbm;    /* at the antenna, from TXCTRL.PA_LEVEL */
    bool reversed; /* MDMCTRL1.MODULATION_MODE: only a receiver set alike can demodulate it */
};

/* What is said to the medium takes effect elsewhere this much later, so that other machines may meanwhile run. */
#define HC_RADIO_AHEAD hc_us(32)
/* The least time between a plan to transmit and the carrier. */
#define HC_RADIO_QUIET hc_us(128)

/* What a radio tells the medium that it is in. All calls are made at event times of the radio's machine. Any may be
 * NULL. The order is planned, start, bytes, end; a plan that is given up is ended without a start. */
struct hc_radio_medium {
    /* The synthesizer calibrates for a transmission: a carrier may come, HC_RADIO_QUIET from now at the earliest. */
    void (*transmit_planned)(void *owner, struct hc_cc2420 *radio);
    /* The carrier comes on, and the first byte begins, at AT: HC_RADIO_AHEAD from now. */
    void (*transmit_start)(void *owner, struct hc_cc2420 *radio, struct hc_radio_signal signal, hc_time at);
    /* BYTE begins to leave; its last chip has left at AT, HC_RADIO_AHEAD from now. Every byte from the preamble on. */
    void (*transmit_byte)(void *owner, struct hc_cc2420 *radio, uint8_t byte, hc_time at);
    /* The carrier goes off at AT: the end of a frame, announced as its last byte begins; or HC_RADIO_AHEAD from now,
     * when a transmission is broken off. */
    void (*transmit_end)(void *owner, struct hc_cc2420 *radio, hc_time at);
    /* The receiver listens to MHZ from now on, or (0) no more. */
    void (*listen)(void *owner, struct hc_cc2420 *radio, unsigned mhz, hc_time now);
    void *owner;
};

/* MEDIUM is copied. Without one the radio transmits into the void and hears HC_CC2420_SILENCE. */
void hc_cc2420_set_medium(struct hc_cc2420 *r, struct hc_radio_medium medium);

enum { HC_CC2420_SILENCE = -100 /* dBm: thermal noise and the receiver's own */ };

/* A byte arrived at the antenna, complete at NOW: as the demodulator sees it, errors included. SNR_DB: signal to noise
 * and interference, from which the correlation value is made. Ignored unless the radio is receiving. A transmission
 * that ends early needs no call: a receiver in the middle of a frame goes on with noise. */
void hc_cc2420_air_byte(struct hc_cc2420 *r, uint8_t byte, int snr_db, hc_time now);

/* All energy in the channel that the receiver is tuned to, from now on. */
void hc_cc2420_carrier(struct hc_cc2420 *r, int dbm, hc_time now);

/* What it listens to in MHz, or 0 when the receiver is off. */
unsigned hc_cc2420_listening(const struct hc_cc2420 *r);
/* Whether the receiver demodulates reversed phase (see hc_radio_signal). */
bool hc_cc2420_listens_reversed(const struct hc_cc2420 *r);

enum hc_cc2420_state hc_cc2420_state(const struct hc_cc2420 *r);

/* TXCTRL.PA_LEVEL: 31 is 0 dBm. */
int hc_cc2420_pa_level(const struct hc_cc2420 *r);

/* Supply at the regulator, for the battery monitor. 3,000 mV at first. */
void hc_cc2420_set_supply(struct hc_cc2420 *r, unsigned millivolts);

#endif
