/* Sending one frame: carrier sense with random backoff, acknowledgement, retries.
 *
 *     wait 0.3 ... 10 ms, then while the channel is busy wait 0.3 ... 2.4 ms; send; if an acknowledgement was asked
 *     for, wait a millisecond for it, and if none comes begin again, CSMA_TRIES times in all */
#ifndef NET_CSMA_H
#define NET_CSMA_H

#include "drivers/cc2420.h"

#ifndef CSMA_TRIES
#define CSMA_TRIES 3 /* a build option */
#endif

enum csma_result {
    CSMA_SENT, /* broadcast, or acknowledged */
    CSMA_NO_ACK,
    CSMA_CONGESTED, /* the channel never became clear */
};

struct csma_events {
    void (*received)(const uint8_t *frame, const struct cc2420_footer *footer); /* not acknowledgements */
    void (*sent)(enum csma_result result);
};

/* STARTED follows csma_on, ENERGY cc2420_watch_channel. All is kept by reference. */
void csma_init(const struct cc2420_config *config, const struct csma_events *events, void (*started)(void),
               void (*energy)(void));

/* Radio on; STARTED follows. Off (standby), at once: nothing may be being sent. */
void csma_on(void);
void csma_off(void);

/* Radio off altogether; a frame that is being sent is forgotten, without events->sent. */
void csma_stop(void);

/* The radio must be on. FRAME (length byte first) must stay until events->sent. With REPEAT other than 0, the frame is
 * sent again and again for that many ticks, without backoff, or until it is acknowledged. False while another is being
 * sent. */
bool csma_send(const uint8_t *frame, uint32_t repeat);

bool csma_sending(void);

/* Frames put on the air, repetitions included. */
extern uint16_t csma_transmissions;

#endif
