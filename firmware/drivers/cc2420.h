/* The radio, CC2420: registers, frames and pins; who sends when is decided above (net/csma).
 *
 *     off        voltage regulator off: forgets everything
 *     standby    regulator on, crystal off: keeps registers and RAM at 20 uA
 *     on         receiving, except while it sends
 *
 * Frames are as the FIFOs have them: a length byte, which counts the frame check sequence, then the MPDU. CRC, address
 * recognition and acknowledgements are the radio's.
 *
 * Functions marked "bus" need the SPI bus: between cc2420_acquire and cc2420_release. */
#ifndef DRIVERS_CC2420_H
#define DRIVERS_CC2420_H

#include <stdbool.h>
#include <stdint.h>

enum { CC2420_FRAME_MAX = 127, CC2420_FCS = 2, CC2420_POWER_MAX = 31 };

struct cc2420_config {
    uint8_t channel; /* 11 to 26 */
    uint8_t power;   /* PA_LEVEL, 0 to 31 (0 dBm); 3 is -25 dBm */
    uint16_t pan;
    uint16_t address;
};

/* What came with a frame. */
struct cc2420_footer {
    int8_t rssi;   /* dBm */
    uint8_t lqi;   /* correlation: about 110 is best, 50 is worst */
    bool timed;    /* TIME is known */
    uint32_t time; /* when its start of frame delimiter had been received, in ticks */
};

struct cc2420_events {
    void (*started)(void); /* cc2420_on has finished */
    void (*received)(const uint8_t *frame,
                     const struct cc2420_footer *footer); /* with a good CRC; valid during the call */
    void (*energy)(void);                                 /* see cc2420_watch_channel */
    void (*granted)(void);                                /* the bus, after cc2420_acquire was refused */
};

/* Both are kept by reference. The radio stays off. */
void cc2420_init(const struct cc2420_config *config, const struct cc2420_events *events);

/* From off: about 2.5 ms; from standby: about 1.8 ms until events->started. */
void cc2420_on(void);
/* To standby, at once; a frame in reception or transmission is lost. */
void cc2420_standby(void);
void cc2420_off(void);
bool cc2420_is_on(void);
/* Since when it has been able to hear; before events->started, which has to wait its turn. */
uint32_t cc2420_on_since(void);

/* To look at: CC2420_ON while it receives or sends, less otherwise. */
enum { CC2420_ON = 5 };
extern uint8_t cc2420_state;

/* Takes effect at once if the bus is free and the radio is on, else at the next cc2420_on. */
void cc2420_set_power(uint8_t level);
void cc2420_set_channel(uint8_t channel);

bool cc2420_acquire(void); /* false: events->granted will be called */
void cc2420_release(void);

/* ---- while on ---- */

/* Bus. Loads FRAME into the TXFIFO, where it stays for any number of transmissions. */
void cc2420_load(const uint8_t *frame);

/* Bus. Sends what was loaded, if the channel is clear (CCA) and nothing is being received; false otherwise. */
bool cc2420_transmit(void);

/* Bus. dBm, averaged over 128 us. */
int8_t cc2420_rssi(void);

/* The radio's clear channel assessment; a frame in reception counts as busy. */
bool cc2420_channel_clear(void);

/* True while a frame is being sent or received. */
bool cc2420_in_frame(void);

/* True while a received frame waits to be read. */
bool cc2420_frame_waiting(void);

/* Calls events->energy, once and from a task, as soon as the channel is busy; until then the CPU may sleep. */
void cc2420_watch_channel(bool watch);

/* The time at which the last frame's start of frame delimiter was sent or received. */
uint32_t cc2420_sfd_time(void);

/* Frames lost to a bad CRC or length, and overflows of the RXFIFO. */
extern uint16_t cc2420_bad_frames, cc2420_overflows;

#endif
