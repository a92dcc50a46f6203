/* The one place to add a part of this family (docs/parts.md). */
#include "msp430.h"

#include "machine/board/msp430f1611.h"
#include "machine/board/msp430fr5969.h"

static void add_multiplier(struct hc_machine *m)
{
    hc_multiplier_new(m, NULL);
}

static void add_mpy32(struct hc_machine *m)
{
    hc_mpy32_new(m, NULL);
}

/* TI SLAS541. */
static const struct hc_region msp430f2617_regions[] = {
    { "peripherals", HC_IO, 0x0000, 0x01ff, 0 },
    { "mirrored RAM", HC_MIRROR, 0x0200, 0x09ff, 0x1100 },
    { "boot loader ROM", HC_ROM, 0x0c00, 0x0fff, 0 },
    { "information flash", HC_FLASH, 0x1000, 0x10ff, 0 },
    { "RAM", HC_RAM, 0x1100, 0x30ff, 0 },
    { "flash", HC_FLASH, 0x3100, 0x19fff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};

static const struct hc_part msp430f2617_part = {
    .name = "msp430f2617",
    .cpu = HC_CPU_MSP430X,
    .regions = msp430f2617_regions,
    .vectors_end = 0x10000,
    .vectors = 32,
    .wdtctl = 0x0120,
};

const struct hc_target_part hc_msp430_parts[] = {
    { .name = "msp430f1611",
      .machine = &hc_msp430f1611_part,
      .dump_gap = 1,
      .dump_bytes_end = 0x0100,
      .add_multiplier = add_multiplier },
    { .name = "msp430fr5969",
      .machine = &hc_msp430fr5969_part,
      .dump_gap = 2,
      .dump_bytes_end = 0,
      .add_multiplier = add_mpy32 },
    { .name = "msp430fr5994",
      .machine = &hc_msp430fr5994_part,
      .dump_gap = 2,
      .dump_bytes_end = 0,
      .add_multiplier = add_mpy32 },
    { .name = "msp430f2617",
      .machine = &msp430f2617_part,
      .dump_gap = 1,
      .dump_bytes_end = 0x0100,
      .add_multiplier = add_multiplier },
    { .name = NULL },
};
