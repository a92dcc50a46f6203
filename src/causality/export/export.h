/* A network's history in formats that other tools read. Call a writer's begin, its add for each event of the stream
 * (stream.h), and its end. It stores only what is open at the moment. Write errors are left in the file.
 *
 *     Perfetto TrackEvent    a track for each node, below it messages (with flows), interrupts, tasks, radio and sleep
 *     pcapng                 an interface for each node: the frames that it gave to its radio and took from it
 *     CTF 1.8                a directory: metadata, and one stream of all nodes
 *     ShiViz                 messages with vector clocks, of tens of nodes and a window of time */
#ifndef HC_CAUSALITY_EXPORT_EXPORT_H
#define HC_CAUSALITY_EXPORT_EXPORT_H

#include "../fates.h"
#include "stream.h"

#include <stdio.h>

struct hc_export {
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    const struct hc_fates *fates;
    const struct hc_axis *axis;
    int64_t shift; /* added to all times, so that none is negative */
};

/* ---- Perfetto ---- */

struct hc_perfetto {
    const struct hc_export *e;
    FILE *out;
    uint8_t *radio; /* by node: 1 + the state that is open; 0: none */
};
/* Returns false on out-of-memory. */
bool hc_perfetto_begin(struct hc_perfetto *p, const struct hc_export *e, FILE *out);
void hc_perfetto_add(struct hc_perfetto *p, const struct hc_stream_event *event);
void hc_perfetto_end(struct hc_perfetto *p);

/* ---- pcapng ---- */

void hc_pcapng_begin(const struct hc_export *e, FILE *out);
void hc_pcapng_add(const struct hc_export *e, FILE *out, const struct hc_stream_event *event);

/* ---- CTF ---- */

/* Writes the metadata and the start of the stream. */
void hc_ctf_begin(const struct hc_export *e, FILE *metadata, FILE *stream);
void hc_ctf_add(const struct hc_export *e, FILE *stream, const struct hc_stream_event *event);

/* ---- ShiViz ---- */

enum { HC_SHIVIZ_NODES = 64 };
/* Writes the messages from FROM to TO on the axis, of at most HC_SHIVIZ_NODES nodes. Returns 0 or HC_NETWORK_FULL. */
int hc_shiviz_write(const struct hc_export *e, FILE *out, int64_t from, int64_t to);

#endif
