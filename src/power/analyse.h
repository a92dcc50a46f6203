/* The whole analysis of one program: locate, and the other parts that the request names. */
#ifndef HC_POWER_ANALYSE_H
#define HC_POWER_ANALYSE_H

#include "power/locate/placement.h"
#include "power/report/report.h"
#include "power/supply/energy.h"
#include "power/trial/brute_force.h"

enum { HC_POWER_DEPTHS_MAX = 16, HC_POWER_MESSAGE = 1200 };

/* What each of LOCATED's pairs is about, in the words of the source; each may be NULL. CONFIG as for hc_power_locate.
 * All of it is freed by free(). */
typedef char **hc_power_names_fn(struct hc_image *image, const struct hc_locate_config *config,
                                 const struct hc_located *located);

struct hc_power_request {
    struct hc_image *image;
    const struct hc_part *part;     /* NULL: the smallest that has room */
    struct hc_locate_config config; /* machine and depth are not looked at */
    enum hc_placement placement;    /* checkpoints instead of config.before */
    const char *checkpoint;         /* what the checkpoints that are known are called; NULL: they may be anywhere */
    uint64_t depth[HC_POWER_DEPTHS_MAX]; /* ascending */
    size_t depths;
    uint64_t effort;                   /* of evaluate: see there */
    struct hc_capacitor capacitor;     /* nanofarads 0: not given */
    uint64_t nanoamperes, save_ns, hz; /* what the node draws; how long saving a checkpoint takes; its clock */
    bool evaluate, torn, suggest, show_silent;
    bool brute_force;           /* takes long */
    struct hc_cuts_choice cuts; /* where power is cut for the program to go on by itself; all 0: nowhere */
    bool cuts_decide;           /* no scenario is given: pairs are there to explain the cuts */
    uint32_t restore;           /* function that goes on from a checkpoint; 0: none is named */
    hc_power_names_fn *names;
    bool history;                     /* for drawings; */
    const struct hc_harvest *harvest; /* with this, or NULL: charged once */
    uint64_t harvest_ns;
};

struct hc_power_analysis {
    struct hc_power_report report;
    struct hc_locate_config config; /* all but the machine */
    struct hc_located located;
    struct hc_history history;
    struct hc_brute_forced forced;
    char warning[HC_POWER_MESSAGE]; /* what could not be done, or "" */
    /* The rest is what REPORT points at. */
    struct hc_regs *registers;
    uint32_t *placed;
    struct hc_verdict *verdict;
    struct hc_steered *steered;
    struct hc_suggestion suggestion;
    struct hc_torn torn;
    struct hc_cuts cuts;
    char **names;
};

/* False, with a sentence in MESSAGE, when the program is none that can be analysed. OUT is filled in in any case, and
 * hc_power_analysis_free is due. */
bool hc_power_analyse(const struct hc_power_request *request, struct hc_power_analysis *out, char *message,
                      size_t size);
void hc_power_analysis_free(struct hc_power_analysis *a);

/* Equation 4 of the paper, in cycles. 0: the capacitor is empty before a checkpoint is saved. */
uint64_t hc_power_depth_cycles(const struct hc_power_request *request);

/* How the capacitor is fed, for hc_intermittent_run; SUPPLY is initialised. */
struct hc_intermittent_config hc_power_feed(const struct hc_power_request *request, struct hc_machine *machine,
                                            struct hc_supply *supply);

#endif
