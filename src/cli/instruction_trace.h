/* An instruction trace as text, with source lines and the registers that each instruction changed.
 *
 *     app.c:27 main: counter = counter + 1;
 *       0x4312  5392 1100      inc     &0x1100 ; counter          sr=0x0000 */
#ifndef HC_CLI_INSTRUCTION_TRACE_H
#define HC_CLI_INSTRUCTION_TRACE_H

#include "image/image.h"
#include "image/source.h"
#include "machine/machine.h"

#include <stdio.h>

struct hc_target_cpu;

struct hc_trace {
    FILE *file;
    struct hc_machine *machine;
    struct hc_image *image;
    const struct hc_target_cpu *cpu;
    uint32_t registers[HC_REGISTERS]; /* after the last instruction */
    struct hc_line line;              /* the last one shown */
    const char *function;
    struct hc_sources sources;
};

/* Traces M to FILE, which remains the caller's. Call before M's first instruction. *TRACE must stay at its address. */
void hc_trace_start(struct hc_trace *trace, struct hc_machine *m, struct hc_image *image, FILE *file);

/* Does nothing if it was not started. */
void hc_trace_stop(struct hc_trace *trace);

#endif
