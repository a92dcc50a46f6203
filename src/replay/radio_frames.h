/* Frames that pass between a CPU and its radio chip, seen on the bus between them: a CC2420 on a TelosB.
 *
 *     P4OUT.2 low   the chip is selected, and a transaction begins
 *     U0TXBUF       bytes to the chip; the first is a command: 0x3e writes the transmit buffer, 0x7f reads the receive
 *                   buffer
 *     U0RXBUF       bytes from the chip
 *
 * A byte that comes belongs to the last one that went. In a replay the log answers reads; what the program read and did
 * not look at is in no log. */
#ifndef HC_REPLAY_RADIO_FRAMES_H
#define HC_REPLAY_RADIO_FRAMES_H

#include "machine/machine.h"

enum { HC_RADIO_FRAME_MOST = 128, HC_RADIO_HOOKS = 3 };

struct hc_radio_frame {
    bool sent;   /* given to the chip; else taken from it */
    int length;  /* as the chip counts: with the checksum, without this byte */
    int present; /* bytes of it that passed: a frame is given to the chip without its checksum */
    uint8_t byte[HC_RADIO_FRAME_MOST];
};

typedef void hc_radio_frame_fn(void *owner, const struct hc_radio_frame *frame);

struct hc_radio_bus {
    hc_radio_frame_fn *call;                      /* told of each frame when its transaction ends */
    void (*strobe)(void *owner, uint8_t command); /* told of commands that are one byte; NULL: nobody is */
    bool (*hears)(void *owner);                   /* NULL: always; false: what passes does not count */
    void *owner;
    int hook[HC_RADIO_HOOKS];
    bool selected, got;
    int out; /* bytes of the transaction so far */
    uint8_t command;
    struct hc_radio_frame current;
};

/* Listens on MACHINE. BUS has `call`, `hears` and `owner`, and stays where it is until it is unhooked. */
void hc_radio_bus_hook(struct hc_radio_bus *bus, struct hc_machine *machine);
void hc_radio_bus_unhook(struct hc_radio_bus *bus, struct hc_machine *machine);

/* In a replay: the log answered a read of the register at ADDRESS. */
void hc_radio_bus_answered(struct hc_radio_bus *bus, uint32_t address, uint16_t value);

/* What an IEEE 802.15.4 data frame with short addresses says; false: it is none. */
struct hc_radio_header {
    uint16_t from, to;
    uint8_t number; /* the frame's own */
    int type;       /* of an active message; -1: it is none */
    int payload;    /* where it begins */
    int end;        /* and ends, before the checksum */
};
bool hc_radio_header(const struct hc_radio_frame *frame, struct hc_radio_header *out);

#endif
