#include "flat.h"

static const struct hc_region small[] = { { .name = "ram", .kind = HC_RAM, .start = 0, .end = 0xffff }, { 0 } };
static const struct hc_region large[] = { { .name = "ram", .kind = HC_RAM, .start = 0, .end = 0xfffff }, { 0 } };

static const struct hc_part parts[] = {
    [HC_CPU_MSP430] = { "flat-msp430", HC_CPU_MSP430, small, 0x10000, 16, 0 },
    [HC_CPU_MSP430X] = { "flat-msp430x", HC_CPU_MSP430X, large, 0x10000, 16, 0 },
};

struct hc_machine *hc_flat_new(enum hc_cpu_kind cpu)
{
    return hc_machine_new(&parts[cpu], NULL);
}
