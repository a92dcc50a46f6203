/* The radio channel between nodes: who hears whom how well, what is on the air, and what a receiver makes of it.
 *
 *   transmitter                      the air                          receiver
 *   announces 32 us ahead   ->   one record a node   ->   energy, bytes and errors, at their time
 *
 * A radio announces its carrier and each byte HC_RADIO_AHEAD before they take effect elsewhere. The records change only
 * between windows of that length (world.h), so that receivers on any thread see the same air. All that decides what
 * happens is integer arithmetic and hashes of (seed, sender, receiver, frame, byte): runs repeat, whatever the number
 * of threads.
 *
 * Powers are in hundredths of a dBm, or linear in femtowatts (1 fW is -120 dBm). */
#ifndef HC_FIELD_MEDIUM_H
#define HC_FIELD_MEDIUM_H

#include "machine/device/chip/cc2420.h"

struct hc_medium;

enum { HC_NOT_HEARD = -32768 };

struct hc_medium_config {
    uint64_t seed;
    int noise_floor; /* hundredths of a dBm; -9800 for the CC2420's channel and noise figure */
    /* Log-distance path loss with log-normal shadowing, for pairs without a link of their own:
     * loss(d) = loss_at_1m + 10 * exponent * log10(d / 1 m) + shadowing. All in hundredths of a dB. */
    int loss_at_1m;
    int exponent; /* hundredths: 300 is 3.00 */
    int shadowing;
    int weakest; /* a weaker signal is ignored */
};

/* Indoors at 2.4 GHz: 40.2 dB at 1 m, exponent 3, no shadowing. */
extern const struct hc_medium_config hc_medium_indoors;

/* For NODES nodes; NULL on out-of-memory. */
struct hc_medium *hc_medium_new(const struct hc_medium_config *config, int nodes);
void hc_medium_free(struct hc_medium *medium);

/* Connects NODE by RADIO of M. Call once for each node, before it runs. */
void hc_medium_attach(struct hc_medium *medium, int node, struct hc_machine *m, struct hc_cc2420 *radio);

/* ---- geometry, between windows ---- */

/* Metres times 1000. A node without a position hears only over links. */
void hc_medium_place(struct hc_medium *medium, int node, int32_t x, int32_t y, int32_t z);

/* GAIN in hundredths of a dB (negative: a loss) from one node to another, in this direction, instead of the path-loss
 * model; HC_NOT_HEARD cuts the link. */
void hc_medium_link(struct hc_medium *medium, int from, int to, int gain);
/* Back to the model. */
void hc_medium_unlink(struct hc_medium *medium, int from, int to);
int hc_medium_gain(const struct hc_medium *medium, int from, int to);

/* ---- the boundary between two windows ---- */

/* Call for each node whose machine's next event has moved. */
typedef void hc_medium_changed_fn(void *owner, int node);

/* Call after links or places may have changed: computes who hears whom. Returns whether they had changed. */
bool hc_medium_settle(struct hc_medium *medium, hc_medium_changed_fn *changed, void *owner);

/* Islands: 0, 1 ... Nodes of different ones do not hear each other, directly or through others. Everything below may be
 * called for nodes of different islands at once, by different threads. */
int hc_medium_islands(const struct hc_medium *medium);
int hc_medium_island(const struct hc_medium *medium, int node);

/* The length of the next window of ISLAND: HC_RADIO_AHEAD while any carrier is on or planned, longer otherwise. */
hc_time hc_medium_window(const struct hc_medium *medium, int island);

/* How far NODE may run in a window: its length, or longer if none of the nodes that it hears transmits or plans to. */
hc_time hc_medium_reach(const struct hc_medium *medium, int node);

/* After a window: takes what NODE announced in it, and tells its listening neighbours. */
void hc_medium_publish(struct hc_medium *medium, int node, hc_medium_changed_fn *changed, void *owner);

/* NODE stopped abruptly (a fault): its transmission ends at AT. */
void hc_medium_silence(struct hc_medium *medium, int node, hc_time at, hc_medium_changed_fn *changed, void *owner);

/* ---- what was on the air ---- */

/* A transmission that ended. BYTES start with the first preamble byte. */
struct hc_air_frame {
    int node;
    hc_time start, end;
    uint16_t mhz;
    int8_t dbm;
    uint16_t length;
    const uint8_t *bytes;
};
typedef void hc_air_frame_fn(void *owner, const struct hc_air_frame *frame);
/* Called within hc_medium_deliver. */
void hc_medium_listen(struct hc_medium *medium, hc_air_frame_fn *call, void *owner);
/* Tells the listener of all frames that ended since the last call, in the order of their ends. */
void hc_medium_deliver(struct hc_medium *medium);

struct hc_medium_statistics {
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t bytes_received; /* handed to a receiver's demodulator */
    uint64_t bytes_corrupted;
};
void hc_medium_statistics(const struct hc_medium *medium, int node, struct hc_medium_statistics *out);

#endif
