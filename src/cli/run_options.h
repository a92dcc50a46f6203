/* The options of `hindcast run`. */
#ifndef HC_CLI_RUN_OPTIONS_H
#define HC_CLI_RUN_OPTIONS_H

#include "machine/time.h"
#include "timed_input.h"

#include <stdbool.h>

enum { HC_RUN_FILES_MAX = 64 };

enum hc_run_board { HC_RUN_TELOSB, HC_RUN_FR5969, HC_RUN_FR5994, HC_RUN_FLAT };

struct hc_run_options {
    int files; /* images, or a scenario and images */
    const char *file[HC_RUN_FILES_MAX];
    enum hc_run_board board;
    hc_time limit;     /* HC_NEVER: none given */
    const char *until; /* the other strings: NULL if not given */
    const char *uart_input;
    struct hc_timed_inputs *timed_input; /* to be freed */
    const char *uart_pty_link;
    const char *flash;
    const char *memory;
    const char *vcd;
    const char *trace_file;
    const char *oracle;
    bool uart_pty;
    bool trace, stats, json, leds, lenient;
    int gdb_port; /* -1: no debugger */
    uint16_t node_id;
    uint64_t serial, seed;
    bool has_seed;
    struct hc_message_buffer *messages; /* NULL: stderr */
    const char *one_node_only;          /* a given option that is for one node only, "--vcd"; or NULL */

    /* Several nodes. */
    bool field; /* one of these was given */
    int nodes;  /* 0: not given */
    unsigned first_id;
    const char *topology, *out, *id_symbol, *spread;
    int threads; /* 0: not given */
    bool hash;
};

/* Exits with code 2 and a message if the options are invalid, with 0 after --help. */
void hc_run_options_parse(struct hc_run_options *options, int argc, char **argv);

extern const char *const hc_run_board_names[];

#endif
