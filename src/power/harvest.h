/* Runs a program on a capacitor and a harvester, with every loss of power (supply/intermittent.h), and compares its end
 * with that of the continuous run: memory, and what main returns. Not compared: memory that only the checkpoint and the
 * restore function use, and outputs, which are often repeated. */
#ifndef HC_POWER_HARVEST_H
#define HC_POWER_HARVEST_H

#include "analyse.h"

struct hc_power_harvested {
    struct hc_intermittent run;
    uint64_t ns; /* when it ended */
    bool compared;
    struct hc_evaluated evaluated; /* if so */
    char fault[120];               /* "" when there was none */
    struct hc_harvested_event {
        enum hc_supply_event event;
        uint64_t ns, microvolts, instructions;
    } *event;
    size_t events, room;
};

/* Of REQUEST: the image, its configuration, the capacitor and the harvest. TOLD (or NULL) is told of events as they
 * come. False, with a sentence in MESSAGE, when the program does not fit. hc_power_harvested_free is due. */
bool hc_power_harvest(const struct hc_power_request *request, hc_intermittent_fn *told, struct hc_power_harvested *out,
                      char *message, size_t size);
void hc_power_harvested_free(struct hc_power_harvested *h);

/* It did not come to its end, or to another one. */
bool hc_power_harvested_found(const struct hc_power_harvested *h);

extern const char *const hc_supply_event_names[];

/* Its last line, or all of it as JSON. */
void hc_power_harvested_text(const struct hc_power_harvested *h, const struct hc_image *image, FILE *out);
void hc_power_harvested_json(const struct hc_power_harvested *h, const struct hc_image *image, FILE *out);

#endif
