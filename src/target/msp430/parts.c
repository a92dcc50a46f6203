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
    { .name = NULL },
};
