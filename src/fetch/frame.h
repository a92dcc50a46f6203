/* Splits the output of a mote's dump program into frames (firmware/apps/dump/protocol.h), and makes requests.
 *
 * Bytes may be lost, repeated, changed or unrelated: a frame is accepted only if it is plausible and its CRC is right;
 * everything else is skipped and counted. An incomplete frame hides nothing: hc_frames_give_up continues the search
 * after its first byte. */
#ifndef HC_FETCH_FRAME_H
#define HC_FETCH_FRAME_H

#include "../../firmware/apps/dump/protocol.h"

#include <stdbool.h>
#include <stddef.h>

enum { HC_FRAMES_PUT = 1024, HC_FRAMES_HEARD = 160, HC_FRAMES_ADDRESSES = 1 << 24 };

struct hc_fetch_frames {
    uint8_t bytes[HC_FRAMES_PUT + DUMP_HEADER + DUMP_PAYLOAD_MAX + DUMP_CRC];
    size_t size;                    /* of what was not yet accepted */
    uint64_t skipped;               /* bytes that belong to no frame */
    uint8_t heard[HC_FRAMES_HEARD]; /* the last of them, in a ring: byte n of all skipped is at n % HC_FRAMES_HEARD */
};

struct hc_fetch_frame {
    uint8_t kind; /* enum dump_kind */
    uint32_t address;
    uint16_t count;
    uint16_t length; /* of the payload */
    uint8_t payload[DUMP_PAYLOAD_MAX];
};

/* Zeroed, *F is ready. */
void hc_frames_clear(struct hc_fetch_frames *f);

/* COUNT is at most HC_FRAMES_PUT; call only after hc_frames_take has returned false. */
void hc_frames_put(struct hc_fetch_frames *f, const void *bytes, size_t count);

/* The next complete frame; false: there is none yet. */
bool hc_frames_take(struct hc_fetch_frames *f, struct hc_fetch_frame *frame);

/* Call when the line is silent: an incomplete frame is skipped up to where the next frame may start. */
void hc_frames_give_up(struct hc_fetch_frames *f);

/* The bytes that were skipped last, as text with dots for unprintable ones, at most HC_FRAMES_HEARD characters. Returns
 * how many were printable. */
size_t hc_frames_heard(const struct hc_fetch_frames *f, char text[HC_FRAMES_HEARD + 1]);

/* A request, with its CRC and line feed. Returns its length. */
size_t hc_frame_request(char to[DUMP_LINE_MAX], char verb, uint32_t address, uint16_t count);

#endif
