/* Sensirion SHT11: temperature and relative humidity over two wires (not I2C, though it looks like it).
 *
 *     transmission start     DATA falls while SCK is high, SCK low pulse, DATA rises while SCK is high
 *     command                000 ccccc, acknowledged by DATA low during the ninth clock
 *     measurement            DATA high while it lasts, then low: MSB, LSB, CRC-8, each acknowledged by the master
 *
 * The world is a function that is asked at the end of a measurement; the readings are what the datasheet's conversion
 * formulas turn back into its answer (temperature: d1 by supply, d2 = 0.01; humidity: c1 = -4, c2 = 0.0405,
 * c3 = -2.8e-6, t1 = 0.01, t2 = 0.00008, the coefficients of the chips of the Tmote's time).
 *
 * Not modelled: the chip's inaccuracy and the sensor element's response time; the heater acts at once (+7.5 degrees).
 */
#ifndef HC_MACHINE_DEVICE_CHIP_SHT11_H
#define HC_MACHINE_DEVICE_CHIP_SHT11_H

#include "machine/device.h"

/* What the wire "NAME.state" carries. */
enum hc_sht11_state { HC_SHT11_OFF, HC_SHT11_IDLE, HC_SHT11_MEASURING };

struct hc_sht11_world {
    int32_t millidegrees;      /* Celsius */
    int32_t humidity_permille; /* relative */
    int32_t supply_millivolts;
};

/* Must be a function of time alone for runs to repeat. */
typedef struct hc_sht11_world hc_sht11_source_fn(void *owner, hc_time now);

struct hc_sht11_pins {
    hc_wire data;
    hc_wire sck;
    hc_wire power; /* supplies the chip and the pull-up of DATA; HC_NO_WIRE: always on */
};

struct hc_sht11;

/* 23.5 degrees, 45 % and 3 V until a source is set. */
struct hc_sht11 *hc_sht11_new(struct hc_machine *m, const char *name, struct hc_sht11_pins pins);

void hc_sht11_set_source(struct hc_sht11 *d, hc_sht11_source_fn *source, void *owner);

#endif
