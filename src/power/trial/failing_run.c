#include "failing_run.h"

#include "power/locate/run.h"

#include <stdlib.h>

/* From the beginning to the checkpoint, the failure, and on. */
static bool run_through_failure(const struct hc_locate_config *config, const struct hc_located *located,
                                uint64_t resumed, uint8_t *scratch, struct hc_failing_run *out)
{
    struct hc_machine *m = config->machine;
    struct hc_snapshot *checkpoint = NULL;

    if (resumed) {
        if (!hc_power_run_until(m, resumed))
            return false;
        checkpoint = hc_snapshot_take(m);
    }
    bool well = hc_power_run_until(m, out->failure) && (checkpoint || !resumed);
    hc_machine_statistics(m, &out->lost);
    if (well) {
        hc_power_fail(config, located, checkpoint, scratch);
        out->resumed = hc_snapshot_take(m);
        hc_machine_statistics(m, &out->found);
    }
    hc_snapshot_free(checkpoint);
    return well && out->resumed;
}

bool hc_power_failing_run(const struct hc_locate_config *config, const struct hc_located *located,
                          const struct hc_pair *pair, const struct hc_occurrence *occurrence,
                          struct hc_failing_run *out)
{
    struct hc_snapshot *beginning = hc_snapshot_take(config->machine);
    uint8_t *scratch = malloc(hc_power_memory_size(config->machine) + 1);

    *out = (struct hc_failing_run){ .failure = hc_power_failure_of(pair, occurrence) };
    if (!beginning || !scratch)
        abort();
    bool well = hc_power_run_to_main(config->machine, &config->program);
    out->end = hc_power_end_of(config->machine, &config->program);
    hc_snapshot_restore(config->machine, beginning);
    well = well && run_through_failure(config, located, occurrence->resumed, scratch, out);
    hc_snapshot_restore(config->machine, beginning);
    hc_snapshot_free(beginning);
    free(scratch);
    return well;
}
