/* The inside of the CC2420: shared by cc2420*.c only.
 *
 *     RAM    0x000 +-----------------+      The TXFIFO holds one frame, from its start. The RXFIFO is a ring of frames:
 *                  | TXFIFO      128 |
 *            0x080 +-----------------+        released      rx_first     rx_out               rx_in
 *                  | RXFIFO      128 |            |            |            |                   |
 *            0x100 +-----------------+      ------+============+############+...................+------
 *                  | KEY0         16 |              (kept for    read, first   unread: frames, each
 *            0x110 | RXNONCE      16 |               security)   frame         a length byte and its MPDU
 *            0x120 | SABUF        16 |
 *            0x130 | KEY1         16 |      The four are counts of bytes since the last flush; a byte's place is its
 *            0x140 | TXNONCE      16 |      count modulo 128.
 *            0x150 | CBCSTATE     16 |
 *            0x160 | IEEEADDR      8 |
 *            0x168 | PANID         2 |      Keys and nonces are stored least significant byte first, data as sent.
 *            0x16a | SHORTADR      2 |
 *            0x16c | (unused)      4 |
 *            0x170 +-----------------+
 */
#ifndef HC_MACHINE_DEVICE_CHIP_CC2420_INTERNAL_H
#define HC_MACHINE_DEVICE_CHIP_CC2420_INTERNAL_H

#include "cc2420.h"

enum {
    RAM_TXFIFO = 0x000,
    RAM_RXFIFO = 0x080,
    RAM_KEY0 = 0x100,
    RAM_RXNONCE = 0x110,
    RAM_SABUF = 0x120,
    RAM_KEY1 = 0x130,
    RAM_TXNONCE = 0x140,
    RAM_CBCSTATE = 0x150,
    RAM_IEEEADDR = 0x160,
    RAM_PANID = 0x168,
    RAM_SHORTADR = 0x16a,
    RAM_SIZE = 0x170,
    FIFO_SIZE = 128,
};

enum {
    SNOP,
    SXOSCON,
    STXCAL,
    SRXON,
    STXON,
    STXONCCA,
    SRFOFF,
    SXOSCOFF,
    SFLUSHRX,
    SFLUSHTX,
    SACK,
    SACKPEND,
    SRXDEC,
    STXENC,
    SAES,
    STROBES,
};

enum {
    MAIN = 0x10,
    MDMCTRL0,
    MDMCTRL1,
    RSSI,
    SYNCWORD,
    TXCTRL,
    RXCTRL0,
    RXCTRL1,
    FSCTRL,
    SECCTRL0,
    SECCTRL1,
    BATTMON,
    IOCFG0,
    IOCFG1,
    MANFIDL,
    MANFIDH,
    FSMTC,
    MANAND,
    MANOR,
    AGCCTRL,
    AGCTST0,
    AGCTST1,
    AGCTST2,
    FSTST0,
    FSTST1,
    FSTST2,
    FSTST3,
    RXBPFTST,
    FSMSTATE,
    ADCTST,
    DACTST,
    TOPTST,
    RESERVED,
    REGISTERS_END,
    TXFIFO = 0x3e,
    RXFIFO = 0x3f,
};

/* MAIN */
enum { MAIN_RESETN = 0x8000, MAIN_ENC_RESETN = 0x4000, MAIN_DEMOD_RESETN = 0x2000, MAIN_FS_RESETN = 0x0800 };
/* MDMCTRL0 */
enum { RESERVED_FRAME_MODE = 0x2000, PAN_COORDINATOR = 0x1000, ADR_DECODE = 0x0800, AUTOCRC = 0x20, AUTOACK = 0x10 };
/* MDMCTRL1 */
enum { MODULATION_MODE = 0x10 };
/* TXCTRL */
enum { TX_TURNAROUND = 0x2000 };
/* FSCTRL: read-only bits */
enum { CAL_DONE = 0x2000, CAL_RUNNING = 0x1000, LOCK_STATUS = 0x0400 };
/* SECCTRL0 */
enum { RXFIFO_PROTECTION = 0x200, SEC_CBC_HEAD = 0x100, SEC_SAKEYSEL = 0x80, SEC_TXKEYSEL = 0x40, SEC_RXKEYSEL = 0x20 };
/* BATTMON */
enum { BATTMON_OK = 0x40, BATTMON_EN = 0x20 };
/* IOCFG0 */
enum { BCN_ACCEPT = 0x800, FIFO_POLARITY = 0x400, FIFOP_POLARITY = 0x200, SFD_POLARITY = 0x100, CCA_POLARITY = 0x80 };

enum { TX_BUFFERED, TX_SERIAL, TX_LOOPING, TX_RANDOM };
enum { RX_BUFFERED, RX_SERIAL, RX_LOOPING };

/* Frame control field */
enum { FCF_SECURITY = 0x08, FCF_PENDING = 0x10, FCF_ACK_REQUEST = 0x20 };
enum { FRAME_BEACON, FRAME_DATA, FRAME_ACK, FRAME_COMMAND };

enum { SYMBOL_US = 16, BYTE_US = 32, RSSI_SYMBOLS = 8, ENERGY_STEPS = 16 };

enum security { SECURITY_IDLE, SECURITY_SAES, SECURITY_TX, SECURITY_RX };

/* Output pins, in the order of s.pin. */
enum { PIN_FIFO, PIN_FIFOP, PIN_SFD, PIN_CCA, PINS };

struct hc_cc2420 {
    struct hc_device base;
    struct hc_spi_bus *spi;
    struct hc_radio_medium medium;
    hc_wire csn, resetn, vreg_en, state_wire;
    struct {
        hc_wire wire;
        int driver;
    } pin[PINS];
    hc_event step;     /* the state machine: start-up, calibration, bytes on air */
    hc_event rssi;     /* symbol by symbol while RSSI moves */
    hc_event security; /* an AES operation ends */
    uint64_t seed;
    struct {
        uint16_t reg[64];
        uint8_t ram[RAM_SIZE];
        uint64_t random; /* xorshift64; never 0 */
        uint32_t noted;  /* what has been said already, a bit each */
        unsigned supply_mv;
        hc_time battmon_since;
        bool battmon_ok; /* of the comparison before battmon_since */

        /* SPI */
        uint8_t spi_phase;
        uint8_t spi_address;
        uint8_t spi_high;
        bool spi_read;
        uint16_t spi_value; /* register being read, RAM address */

        /* state machine */
        hc_time vreg_settled;
        uint8_t state;
        uint16_t mhz;    /* as of the last calibration */
        bool calibrated; /* since the synthesizer was turned on */
        bool sfd;
        bool cca;

        /* transmission */
        hc_time tx_since;  /* of the first preamble byte */
        uint32_t tx_index; /* byte on air, from the first preamble byte */
        hc_time tx_at;     /* of a planned transmission */
        bool tx_planned;   /* and the medium has not been told of its end */
        bool tx_announced; /* the medium knows when the carrier comes */
        uint8_t tx_header; /* preamble and SFD bytes of this transmission */
        uint8_t tx_length; /* of the frame on air */
        uint16_t tx_crc;
        uint8_t tx_count; /* bytes in the TXFIFO */
        bool tx_sent;     /* the TXFIFO holds a frame that has been sent: the next write flushes it */
        bool tx_underflow;

        /* reception */
        uint32_t rx_in, rx_out, rx_first, rx_released;
        uint8_t rx_left;     /* unread bytes of the frame that is being read */
        uint8_t rx_complete; /* complete frames of which no byte has been read */
        bool rx_ended;       /* the last byte of a frame came and none has been read since */
        bool rx_overflow;
        bool rx_protected; /* the first frame must stay until it is decrypted */
        uint32_t rx_start; /* of the frame on air, in rx_in's terms */
        uint8_t rx_index;  /* of its next byte; 0 is the length */
        uint8_t rx_length;
        uint16_t rx_crc;
        bool rx_accepted;      /* by address recognition */
        bool rx_noisy;         /* its carrier was lost */
        uint8_t rx_header[16]; /* FCF, sequence number, addresses */
        uint32_t rx_history;   /* latest bytes while searching */
        hc_time rx_byte_at;
        int8_t rx_rssi; /* of the frame on air */
        uint16_t rx_correlation;
        uint8_t spi_left; /* bytes that a frame still lacks which is written to the RXFIFO over SPI */

        /* acknowledgement */
        bool ack_pending;  /* SACKPEND was the last */
        bool ack_strobed;  /* SACK or SACKPEND during the frame on air */
        bool ack_possible; /* the last frame's CRC was right, and it has not been acknowledged */
        uint8_t ack_sequence;

        /* RSSI */
        hc_time rx_since; /* the receiver is on */
        struct {
            hc_time since;
            int dbm;
        } energy[ENERGY_STEPS]; /* a ring; energy[energy_at] is the latest */
        uint8_t energy_at;

        /* security */
        uint8_t security;            /* enum security */
        bool security_waits;         /* for the rest of its frame */
        uint16_t secctrl0, secctrl1; /* as of the strobe */
    } s;
};

/* cc2420.c */
/* Says once what is not modelled or what firmware does wrong: WHAT is a bit of s.noted. */
void hc_cc2420_note(struct hc_cc2420 *r, unsigned what, const char *text);
enum { NOTE_SERIAL = 1, NOTE_MUX = 2, NOTE_NO_XOSC = 4, NOTE_TX_OVERFLOW = 8, NOTE_REGISTER = 16 };
/* Drives the pins from the state. */
void hc_cc2420_pins(struct hc_cc2420 *r);
uint32_t hc_cc2420_random(struct hc_cc2420 *r);
static inline bool hc_cc2420_on(const struct hc_cc2420 *r, int reg, uint16_t bit)
{
    return r->s.reg[reg] & bit;
}

/* cc2420_state.c */
bool hc_cc2420_on_air(const struct hc_cc2420 *r);
bool hc_cc2420_crystal(const struct hc_cc2420 *r);      /* XOSC16M_STABLE */
bool hc_cc2420_locked(const struct hc_cc2420 *r);       /* the synthesizer */
bool hc_cc2420_synthesizing(const struct hc_cc2420 *r); /* it is on */
bool hc_cc2420_calibrating(const struct hc_cc2420 *r);
bool hc_cc2420_receiving(const struct hc_cc2420 *r); /* the receiver is on */
bool hc_cc2420_tx_active(const struct hc_cc2420 *r);
uint8_t hc_cc2420_fsm_state(const struct hc_cc2420 *r); /* as FSMSTATE reads */
/* Enters STATE; a transmission or reception that it ends is ended. */
void hc_cc2420_enter(struct hc_cc2420 *r, enum hc_cc2420_state state, hc_time now);
/* Enters STATE, which ends after US. */
void hc_cc2420_enter_for(struct hc_cc2420 *r, enum hc_cc2420_state state, unsigned us, hc_time now);
/* RX_CALIBRATE, then RX_SFD_SEARCH. */
void hc_cc2420_to_receive(struct hc_cc2420 *r, hc_time now);
/* The last frame, 12 symbols from now. */
void hc_cc2420_acknowledge(struct hc_cc2420 *r, hc_time now);
void hc_cc2420_underflow(struct hc_cc2420 *r, hc_time now);
void hc_cc2420_strobe(struct hc_cc2420 *r, int strobe, hc_time now);
hc_event_fn hc_cc2420_step;
extern const char *const hc_cc2420_state_names[];

/* cc2420_transmit.c */
void hc_cc2420_transmit(struct hc_cc2420 *r, enum hc_cc2420_state preamble, hc_time now);
/* The byte on air is complete. */
void hc_cc2420_transmit_next(struct hc_cc2420 *r, hc_time now);
void hc_cc2420_announce(struct hc_cc2420 *r, hc_time at);
void hc_cc2420_announce_end(struct hc_cc2420 *r, hc_time at);
void hc_cc2420_txfifo_write(struct hc_cc2420 *r, uint8_t byte, hc_time now);
void hc_cc2420_txfifo_flush(struct hc_cc2420 *r);
uint16_t hc_cc2420_crc(uint16_t crc, uint8_t byte);

/* cc2420_receive.c */
void hc_cc2420_rxfifo_flush(struct hc_cc2420 *r);
uint8_t hc_cc2420_rxfifo_peek(const struct hc_cc2420 *r);
uint8_t hc_cc2420_rxfifo_read(struct hc_cc2420 *r);
void hc_cc2420_rxfifo_write(struct hc_cc2420 *r, uint8_t byte, hc_time now);
/* Bytes that count for FIFOP's threshold: those of a frame that may yet be rejected do not. */
uint32_t hc_cc2420_rxfifo_unread(const struct hc_cc2420 *r);
/* The carrier of the frame in progress was lost: a byte of noise. */
void hc_cc2420_receive_noise(struct hc_cc2420 *r, hc_time now);
void hc_cc2420_search(struct hc_cc2420 *r, hc_time now);

/* cc2420_rssi.c */
void hc_cc2420_energy_reset(struct hc_cc2420 *r, hc_time now);
bool hc_cc2420_rssi_valid(const struct hc_cc2420 *r, hc_time now);
/* RSSI.RSSI_VAL; -128 while it is not valid. */
int hc_cc2420_rssi_value(const struct hc_cc2420 *r, hc_time now);
/* Averaged over the last 8 symbols, however long the receiver has been on. */
int hc_cc2420_rssi_average(const struct hc_cc2420 *r, hc_time now);
/* The receiver came on, the energy or the threshold changed. */
void hc_cc2420_rssi_follow(struct hc_cc2420 *r, hc_time now);
/* Derives s.cca. */
void hc_cc2420_cca_update(struct hc_cc2420 *r, hc_time now);
hc_event_fn hc_cc2420_rssi_step;

/* cc2420_security.c */
void hc_cc2420_security_start(struct hc_cc2420 *r, enum security operation, hc_time now);
/* Bytes came to a FIFO: an operation may have waited for them. */
void hc_cc2420_security_try(struct hc_cc2420 *r, hc_time now);
void hc_cc2420_security_cancel(struct hc_cc2420 *r);
/* Whether the TXFIFO's byte AT waits for its encryption. */
bool hc_cc2420_security_holds(const struct hc_cc2420 *r, unsigned at);
hc_event_fn hc_cc2420_security_step;

#endif
