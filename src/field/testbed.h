/* A testbed: the world that a scenario describes, built and loaded.
 *
 * Each image is read once and loaded into its boards, which share decoded code. A node's id reaches its firmware as on
 * real motes: by the DS2411's serial number, by a symbol that the installer patches in the image, or by the contents of
 * its external flash. */
#ifndef HC_FIELD_TESTBED_H
#define HC_FIELD_TESTBED_H

#include "energy.h"
#include "image/image.h"
#include "scenario.h"
#include "world.h"

enum { HC_ID_SYMBOLS_MAX = 8 };

struct hc_testbed_image {
    struct hc_image *image;
    /* Symbols that are set to the node's id. */
    int id_symbols;
    struct hc_id_symbol {
        const char *name;
        uint32_t programmed; /* where */
        int size;            /* bytes */
    } id_symbol[HC_ID_SYMBOLS_MAX];
};

enum { HC_NOTES_SIZE = 4096 };

struct hc_testbed_node {
    struct hc_testbed *testbed;
    const struct hc_scenario_node *plan;
    struct hc_testbed_image *image;
    struct hc_telosb *board; /* the world's */
    struct hc_energy *energy;
    /* The machine's notes, one line each; the first few thousand characters. */
    char *notes;
    size_t notes_size;
};

struct hc_testbed {
    const struct hc_scenario *scenario;
    struct hc_world *world;
    int images, nodes;
    struct hc_testbed_image *image;
    struct hc_testbed_node *node; /* by index in the world, as in the scenario */
    int next_event;               /* of the scenario's */
};

struct hc_testbed_options {
    int threads;           /* at least 1 */
    const char *id_symbol; /* another symbol that is patched and must exist; or NULL */
    bool lenient;          /* hc_machine_set_lenient */
    bool hash;             /* of all instructions of each node: hc_hash_value */
};

/* SCENARIO, with its tables read, must outlive the testbed. On success the caller owns *OUT; otherwise it is NULL, a
 * negative hc_refusal is returned, and the message names the file. */
int hc_testbed_new(struct hc_testbed **out, const struct hc_scenario *scenario,
                   const struct hc_testbed_options *options, struct hc_message *message);
void hc_testbed_free(struct hc_testbed *testbed);

#endif
