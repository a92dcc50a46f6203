/* A scenario: the nodes, how they hear each other, what their sensors see, and what happens when. docs/scenario.md
 * describes its text.
 *
 * An invalid scenario is refused as a whole, with the line and the cause, before anything runs. */
#ifndef HC_FIELD_SCENARIO_H
#define HC_FIELD_SCENARIO_H

#include "input.h"
#include "medium.h"
#include "topology.h"

enum {
    HC_SCENARIO_NODES_MAX = HC_TOPOLOGY_MAX,
    HC_SCENARIO_LINKS_MAX = 1000000,
    HC_SCENARIO_EVENTS_MAX = 100000,
    HC_SCENARIO_FILE_MAX = 16 << 20, /* bytes, of a scenario or of a table */
    HC_NODE_ID_MAX = 0xfffe,         /* 0xffff is everyone */
};

/* What a node can sense. */
enum hc_sense {
    HC_SENSE_LIGHT,
    HC_SENSE_TEMPERATURE,
    HC_SENSE_HUMIDITY,
    HC_SENSE_ADC0, /* to ADC0 + 7: the analog inputs; 4 and 5 carry the light sensors unless set */
    HC_SENSES = HC_SENSE_ADC0 + 8,
};

struct hc_scenario_node {
    uint16_t id;
    int image;        /* index */
    bool names_image; /* its line does */
    int line;
    bool placed;
    struct hc_position position;
    hc_time start;
    bool has_serial;
    uint64_t serial;
    char *flash;          /* a file with the contents of its M25P80, or NULL */
    int sense[HC_SENSES]; /* index of an input, or -1 */
};

/* One way. Nodes are indices. */
struct hc_scenario_link {
    int from, to;
    int gain; /* hundredths of a dB */
    int line;
};

/* Instead of a gain: the path-loss model applies. */
enum { HC_GAIN_OF_MODEL = HC_NOT_HEARD + 1 };

enum hc_happening {
    HC_HAPPENS_LINK, /* from a node to another: a gain, HC_NOT_HEARD, or HC_GAIN_OF_MODEL */
    HC_HAPPENS_MOVE,
    HC_HAPPENS_REBOOT,
    HC_HAPPENS_OFF,
    HC_HAPPENS_ON,
    HC_HAPPENS_PRESS, /* the user button */
    HC_HAPPENS_RESET, /* the reset button */
    HC_HAPPENS_UART,  /* text arrives at the UART */
};

struct hc_scenario_event {
    hc_time at;
    enum hc_happening what;
    int line;
    int node, to;
    int gain;
    struct hc_position position;
    hc_time length; /* of a press */
    int text;       /* that arrives: its number */
};

struct hc_scenario_text {
    uint8_t *bytes;
    size_t size;
};

struct hc_scenario_input {
    struct hc_sensor_input input;
    enum hc_sense sense;
    char *file; /* of a table, which hc_scenario_read_files reads; NULL otherwise */
    int column, line;
};

struct hc_scenario {
    char *name, *directory; /* of the file; the directory ends with a slash, or is empty */
    uint64_t seed;
    hc_time duration; /* HC_NEVER: none given */
    int threads;      /* 0: none given */
    char *id_symbol;  /* NULL: none given */
    struct hc_medium_config medium;
    int images;
    char **image; /* paths */
    int nodes;
    struct hc_scenario_node *node;
    int links, links_room;
    struct hc_scenario_link *link; /* sorted by from, then to; no two equal */
    int events, events_room;
    struct hc_scenario_event *event; /* in order of time; those of equal time as they are written */
    int inputs, inputs_room;
    struct hc_scenario_input *input;
    int texts, texts_room;
    struct hc_scenario_text *text;
};

/* The caller's choices. */
struct hc_scenario_choices {
    bool has_seed;
    uint64_t seed;
    /* Images for nodes whose line names none: the first node's, the second's, ... the last one for all others. */
    int images;
    const char *const *image;
};

/* Whether a file with these bytes is meant to be a scenario: its first word after blanks and comments is a word of
 * letters. hc_scenario_parse decides whether it is a directive. */
bool hc_scenario_recognise(const void *bytes, size_t size);

/* Parses a scenario from memory and opens no file. NAME is used in messages and gives the directory of the files that
 * it names. CHOICES may be NULL. On success the caller owns *OUT; otherwise it is NULL, and a negative hc_refusal is
 * returned. */
int hc_scenario_parse(struct hc_scenario **out, const char *name, const char *text, size_t size,
                      const struct hc_scenario_choices *choices, struct hc_message *message);

/* Reads the tables of its sensors. */
int hc_scenario_read_files(struct hc_scenario *scenario, struct hc_message *message);

void hc_scenario_free(struct hc_scenario *scenario);

/* A whole file, followed by a NUL. The caller frees *OUT. */
int hc_read_whole_file(const char *path, char **out, size_t *size, struct hc_message *message);

/* The unit of an input's values. */
const struct hc_quantity_unit *hc_sense_units(enum hc_sense sense);
extern const char *const hc_sense_names[HC_SENSES];

#endif
