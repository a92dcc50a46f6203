#include "light_sensor.h"

enum { SUPPLY_MICROVOLTS = 3000000 };

/* Microvolts per lux: multiply, then divide. */
static const struct {
    uint32_t multiply, divide;
} sensitivity[] = {
    [HC_S1087] = { 160, 1 },
    [HC_S1087_01] = { 1000000, 769 },
};

struct hc_light_sensor {
    struct hc_device base;
    enum hc_light_sensor_kind kind;
    hc_light_source_fn *source;
    void *source_owner;
};

static uint32_t office(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return 300;
}

static const struct hc_device_ops ops = { .name = "light_sensor", .help = "photodiode" };

struct hc_light_sensor *hc_light_sensor_new(struct hc_machine *m, const char *name, enum hc_light_sensor_kind kind)
{
    struct hc_light_sensor *l = hc_device_new(m, &ops, name, sizeof *l, 0, 0);
    l->kind = kind;
    l->source = office;
    return l;
}

void hc_light_sensor_set_source(struct hc_light_sensor *l, hc_light_source_fn *source, void *owner)
{
    l->source = source;
    l->source_owner = owner;
}

int64_t hc_light_sensor_microvolts(void *sensor, int channel, hc_time now)
{
    (void)channel;
    const struct hc_light_sensor *l = sensor;
    uint64_t lux = l->source(l->source_owner, now);
    uint64_t microvolts = lux * sensitivity[l->kind].multiply / sensitivity[l->kind].divide;
    return microvolts > SUPPLY_MICROVOLTS ? SUPPLY_MICROVOLTS : (int64_t)microvolts;
}
