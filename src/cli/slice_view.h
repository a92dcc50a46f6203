/* A slice of a program with its graph, as several commands need it. */
#ifndef HC_CLI_SLICE_VIEW_H
#define HC_CLI_SLICE_VIEW_H

#include "depend/pfdg.h"

enum { HC_SLICE_MODELS = 16 };

/* Queues of operating systems that are looked through. */
struct hc_slice_models {
    char *text[HC_SLICE_MODELS]; /* of models that were given, cut into pieces */
    struct hc_dispatch model[HC_SLICE_MODELS];
    size_t count;
};

struct hc_slice_view {
    struct hc_depend_program program;
    struct hc_points_to points_to;
    struct hc_slice slice;
    struct hc_pfdg graph;
    struct hc_criterion criterion;
    struct hc_dispatch model[HC_SLICE_MODELS]; /* of queues that the program has */
    size_t models;
};

/* Those that are known without being told: the kit's. Free them. */
void hc_slice_models_known(struct hc_slice_models *models);
/* Adds POST:WHAT:ARGUMENT:RUN. False: it is no such text, or there are too many. */
bool hc_slice_models_add(struct hc_slice_models *models, const char *text);
void hc_slice_models_free(struct hc_slice_models *models);

/* Reads the program in FILES and makes the slice of ASKED. Returns an exit code, with a message if it is not
 * HC_EXIT_FINE. Free *V in any case, before MODELS. */
int hc_slice_view_open(struct hc_slice_view *v, const char *const *files, size_t count, const char *asked,
                       const struct hc_slice_models *models, struct hc_depend_message *message);
void hc_slice_view_free(struct hc_slice_view *v);

#endif
