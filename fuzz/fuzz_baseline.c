/* A baseline of --sarif, from anywhere: it is refused, or compared with. */
#include "power/report/sarif.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *log = json_loadb((const char *)data, size, 0, NULL);
    json_t *report = json_pack("{s:[{s:s, s:s, s:{s:s, s:s, s:i}, s:{s:s, s:s, s:i}}]}", "pairs", "kind", "data access",
                               "variable", "counter", "consumer", "function", "main", "file", "app.c", "line", 3,
                               "producer", "function", "main", "file", "app.c", "line", 4);
    size_t fresh;

    if (!report)
        abort();
    if (log && hc_power_sarif_is_baseline(log)) {
        json_t *now = hc_power_sarif(report, log, &fresh);
        if (fresh > 1 || !hc_power_sarif_is_baseline(now))
            abort();
        json_decref(now);
    }
    json_decref(report);
    json_decref(log);
    return 0;
}
