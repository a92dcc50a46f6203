#include "button.h"

struct hc_button {
    struct hc_device base;
    hc_wire wire;
    int driver;
    hc_event move;
    struct {
        bool pressed;
        hc_time length; /* of the click that is awaited */
    } s;
};

static void set(struct hc_button *b, bool pressed)
{
    b->s.pressed = pressed;
    hc_wire_drive(b->base.machine, b->wire, b->driver, pressed ? HC_LOW : HC_RELEASE);
}

/* Down, and up again a click's length later. */
static hc_time move(void *owner, hc_time now)
{
    struct hc_button *b = owner;
    hc_time length = b->s.length;
    b->s.length = 0;
    set(b, length != 0);
    return length ? now + length : HC_NEVER;
}

/* A finger knows nothing of resets: no operations. */
static const struct hc_device_ops ops = { .name = "button", .help = "push button" };

struct hc_button *hc_button_new(struct hc_machine *m, const char *name, hc_wire wire)
{
    struct hc_button *b = HC_DEVICE_NEW(m, &ops, name, struct hc_button);
    b->wire = wire;
    b->driver = hc_wire_driver(m, wire);
    b->move = hc_event_new(hc_events(m), "button", move, b);
    hc_wire_set_pull(m, wire, 1);
    return b;
}

void hc_button_press(struct hc_button *b)
{
    set(b, true);
}

void hc_button_release(struct hc_button *b)
{
    set(b, false);
}

void hc_button_click(struct hc_button *b, hc_time at, hc_time length)
{
    b->s.length = length;
    hc_event_arm(hc_events(b->base.machine), b->move, at);
}
