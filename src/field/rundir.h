/* The directory that a run leaves behind:
 *
 *     manifest.json            what was run and how it ended: seed, versions, build ids, scenario, command, every node
 *     scenario.txt             the scenario's text
 *     air.pcap                 every frame on the air (pcap.h)
 *     node-7/uart.txt          what node 7 said, byte for byte
 *     node-7/statistics.json   instructions, sleep modes, radio states, frames, energy
 *     node-7/flash.bin         its M25P80, all of it; only if something other than erased bytes is in it
 *     node-7/notes.txt         what the machine noted about its firmware; only if it did
 *
 * Of two runs of one scenario and seed all files but the manifest's command and number of threads are the same. */
#ifndef HC_FIELD_RUNDIR_H
#define HC_FIELD_RUNDIR_H

#include "testbed.h"

struct hc_rundir;

struct hc_rundir_config {
    const char *path; /* NULL: hindcast-run-N in the current directory, the first N that is free */
    const char *version;
    int words; /* the command */
    char **command;
    const char *scenario_text;
    size_t scenario_size;
    int threads;
    bool hash;
    hc_time duration;
};

/* Creates the directory, or uses an empty one, and listens to the testbed's nodes and air. On success the caller owns
 * *OUT. TESTBED and everything CONFIG points to must outlive it. */
int hc_rundir_open(struct hc_rundir **out, struct hc_testbed *testbed, const struct hc_rundir_config *config,
                   struct hc_message *message);
const char *hc_rundir_path(const struct hc_rundir *rundir);
uint64_t hc_rundir_frames(const struct hc_rundir *rundir);

/* Writes the remaining files. ENDED: "time", "interrupted"; see also the nodes' faults. */
int hc_rundir_finish(struct hc_rundir *rundir, const char *ended, struct hc_message *message);

/* A hash of all nodes' instructions, in order of the nodes; 0 without hc_testbed_options.hash. */
uint64_t hc_rundir_hash(const struct hc_testbed *testbed);

void hc_rundir_free(struct hc_rundir *rundir);

#endif
