#include "led.h"

#include <stdio.h>

struct hc_led {
    struct hc_device base;
    hc_wire wire;
    int lit_level;
    struct {
        hc_time lit_before; /* without the present stretch */
        hc_time lit_since;
        uint64_t switched_on;
        bool on;
    } s;
};

static void pin_changed(void *owner, int32_t level, hc_time now)
{
    struct hc_led *led = owner;
    bool on = level == led->lit_level;
    if (on == led->s.on)
        return;
    led->s.on = on;
    if (on) {
        led->s.lit_since = now;
        led->s.switched_on++;
    } else {
        led->s.lit_before += now - led->s.lit_since;
    }
    hc_wire_set(led->base.machine, led->wire, on);
}

static void power_off(struct hc_device *d)
{
    struct hc_led *led = (struct hc_led *)d;
    pin_changed(led, !led->lit_level, hc_now(d->machine));
}

static const struct hc_device_ops ops = { .name = "led", .help = "light-emitting diode", .power_off = power_off };

struct hc_led *hc_led_new(struct hc_machine *m, const char *name, hc_wire pin, int lit_level)
{
    struct hc_led *led = HC_DEVICE_NEW(m, &ops, name, struct hc_led);
    char wire[64];
    snprintf(wire, sizeof wire, "led.%s", name);
    led->wire = hc_wire_new_wide(m, wire, 1, NULL);
    led->lit_level = lit_level;
    hc_wire_set_pull(m, pin, !lit_level);
    hc_wire_listen(m, pin, pin_changed, led);
    return led;
}

hc_wire hc_led_wire(const struct hc_led *led)
{
    return led->wire;
}

const char *hc_led_name(const struct hc_led *led)
{
    return led->base.name;
}

bool hc_led_is_on(const struct hc_led *led)
{
    return led->s.on;
}

hc_time hc_led_on_time(const struct hc_led *led)
{
    return led->s.lit_before + (led->s.on ? hc_now(led->base.machine) - led->s.lit_since : 0);
}

uint64_t hc_led_switched_on(const struct hc_led *led)
{
    return led->s.switched_on;
}
