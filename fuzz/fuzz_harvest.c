/* The harvesting trace's parser, and a capacitor fed by whatever it accepts. */
#include "power/supply/energy.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hc_harvest harvest;
    char message[100];

    if (hc_harvest_parse(&harvest, (const char *)data, size, message, sizeof message))
        return 0;
    assert(harvest.count);
    for (size_t i = 1; i < harvest.count; i++)
        assert(harvest.step[i - 1].from_ns < harvest.step[i].from_ns);
    struct hc_capacitor c = { 10000, 2500000, 1880000, 2000000, 3600000 };
    struct hc_supply s;
    hc_supply_init(&s, &c, &harvest, 0);
    for (int i = 0; i < 8; i++)
        hc_supply_advance(&s, i % 2 ? 310000 : 0, harvest.step[harvest.count - 1].from_ns + 1000);
    assert(hc_supply_microvolts(&s) <= c.v_max);
    hc_harvest_free(&harvest);
    return 0;
}
