/* The options of `hindcast power`. */
#ifndef HC_CLI_POWER_OPTIONS_H
#define HC_CLI_POWER_OPTIONS_H

#include "power/analyse.h"
#include "support/output.h"

enum { HC_POWER_PLACES_MAX = 64 };

struct hc_power_options {
    const char *file;
    uint64_t depth[HC_POWER_DEPTHS_MAX];
    size_t depths;
    bool depth_in_cycles;
    const char *checkpoint;
    const char *place[HC_POWER_PLACES_MAX]; /* of further checkpoints */
    size_t places;
    enum hc_placement placement;
    uint32_t before[HC_POWER_PLACES_MAX];
    int nvm;                                        /* HC_NVM_* */
    const char *nvm_name[HC_POWER_PLACES_MAX];      /* symbols and sections, of HC_NVM_NAMED, */
    struct hc_nvm_range range[HC_POWER_PLACES_MAX]; /* and where they are */
    size_t ranges;
    struct hc_power_variables {
        const char *name[HC_POWER_PLACES_MAX];
        struct hc_nvm_range range[HC_POWER_PLACES_MAX];
        size_t count;
    } versioned, excluded;
    struct hc_power_input input[HC_INPUTS_MAX]; /* their addresses are not yet known */
    size_t inputs;
    char *values[HC_INPUTS_MAX]; /* NAME=SPEC, of some of them */
    size_t values_count;
    struct hc_input_values input_values[HC_INPUTS_MAX];
    struct hc_output output[HC_OUTPUTS_MAX]; /* their entries are not yet known */
    size_t outputs;
    const char *environment; /* file of more, or a shared object */
    int unsaved;             /* HC_UNSAVED_* */
    uint64_t limit;
    const struct hc_part *part; /* NULL: the smallest that is large enough */
    const char *from, *until;   /* places or times; NULL: main, and where it returns */
    struct hc_cuts_choice cuts;
    bool torn;
    const char *restore; /* function that continues from a checkpoint; NULL: none */
    bool evaluate, silent, brute_force, suggest, json;
    uint64_t effort;               /* instructions that --evaluate may execute */
    const char *sarif, *baseline;  /* files: one to write, one to compare with */
    const char *html;              /* file for the HTML page */
    unsigned debug;                /* the finding to open the debugger at; 0: none */
    bool dap;                      /* by an editor */
    struct hc_capacitor capacitor; /* nanofarads 0: not given */
    uint64_t nanoamperes, save_ns, hz;
    const char *harvest;
    struct hc_output_file *page, *findings; /* of --html and --sarif, opened before the work; NULL: not wanted */
    uint64_t harvest_ns;
};

/* Exits with code 2 and a message if the options are invalid, with 0 after --help. */
void hc_power_options_parse(struct hc_power_options *options, int argc, char **argv);

/* "0.5s", "20ms", "300us": true. */
bool hc_power_parse_time(const char *text, uint64_t *ns);

/* Whether checkpoints are at given places rather than anywhere. */
bool hc_power_checkpoints_known(const struct hc_power_options *options);

#endif
