/* Hamamatsu photodiodes of the Tmote Sky, each with a load resistor of 100 kOhm: a current proportional to the light,
 * measured as a voltage.
 *
 *     S1087      visible light (photosynthetically active radiation)    1.6 nA per lux     160 uV per lux
 *     S1087-01   visible and infrared (total solar radiation)           13 nA per lux     1300 uV per lux
 *
 * (The inverse of the mote's published conversions, 0.625e9 and 0.769e8 lux per ampere.) The voltage ends at the
 * supply. */
#ifndef HC_MACHINE_DEVICE_CHIP_LIGHT_SENSOR_H
#define HC_MACHINE_DEVICE_CHIP_LIGHT_SENSOR_H

#include "machine/device.h"

enum hc_light_sensor_kind { HC_S1087, HC_S1087_01 };

/* Lux at a time; must be a function of time alone for runs to repeat. */
typedef uint32_t hc_light_source_fn(void *owner, hc_time now);

struct hc_light_sensor;

/* 300 lux, a lit office, until a source is set. */
struct hc_light_sensor *hc_light_sensor_new(struct hc_machine *m, const char *name, enum hc_light_sensor_kind kind);
void hc_light_sensor_set_source(struct hc_light_sensor *l, hc_light_source_fn *source, void *owner);

/* Shaped as an ADC input's source; SENSOR is a struct hc_light_sensor. */
int64_t hc_light_sensor_microvolts(void *sensor, int channel, hc_time now);

#endif
