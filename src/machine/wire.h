/* Wires: named signals between devices and boards. A board file connects them like a schematic, tests drive them, and a
 * waveform file is a listener on all of them.
 *
 * A wire has up to HC_DRIVERS_MAX drivers. Each drives low, drives high, or lets go; when all let go, the wire rests at
 * its pull level. Low wins over high (wired AND), as on an open-drain bus. A wider wire (a state, a counter) has one
 * driver and carries any int32_t. */
#ifndef HC_MACHINE_WIRE_H
#define HC_MACHINE_WIRE_H

#include "time.h"

struct hc_machine;

enum { HC_WIRES_MAX = 160, HC_DRIVERS_MAX = 4 };

enum hc_drive { HC_LOW = 0, HC_HIGH = 1, HC_RELEASE = 2 };

typedef uint16_t hc_wire;

#define HC_NO_WIRE ((hc_wire)0xffff)

/* Called after the level has changed, never when it stays the same. */
typedef void hc_wire_fn(void *owner, int32_t level, hc_time now);

/* NAME is copied ("p1.3", "led.red"). PULL is the level when nobody drives. */
hc_wire hc_wire_new(struct hc_machine *m, const char *name, int32_t pull);

/* WIDTH bits for waveforms; driven by hc_wire_set only. VALUES (may be NULL) names the values 0.. for display,
 * ends with NULL and must outlive the machine. */
hc_wire hc_wire_new_wide(struct hc_machine *m, const char *name, int width, const char *const *values);

/* Finds by name; HC_NO_WIRE if there is none. */
hc_wire hc_wire_find(const struct hc_machine *m, const char *name);

/* Changes the level that the wire has when nobody drives it (a board's pull-up or pull-down). */
void hc_wire_set_pull(struct hc_machine *m, hc_wire w, int32_t pull);

/* A new driver of this wire, letting go. More than HC_DRIVERS_MAX are a programming error (assert). */
int hc_wire_driver(struct hc_machine *m, hc_wire w);
void hc_wire_drive(struct hc_machine *m, hc_wire w, int driver, enum hc_drive drive);

void hc_wire_set(struct hc_machine *m, hc_wire w, int32_t value);
int32_t hc_wire_level(const struct hc_machine *m, hc_wire w);
void hc_wire_listen(struct hc_machine *m, hc_wire w, hc_wire_fn *call, void *owner);

int hc_wire_count(const struct hc_machine *m);
const char *hc_wire_name(const struct hc_machine *m, hc_wire w);
int hc_wire_width(const struct hc_machine *m, hc_wire w);
const char *const *hc_wire_values(const struct hc_machine *m, hc_wire w);

#endif
