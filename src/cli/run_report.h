/* The result of a run, for people and for programs. */
#ifndef HC_CLI_RUN_REPORT_H
#define HC_CLI_RUN_REPORT_H

#include "node.h"
#include "serial_line.h"

#include <stdio.h>

enum hc_ending {
    HC_ENDED_TIME,        /* the requested time is over */
    HC_ENDED_REACHED,     /* the place of --until */
    HC_ENDED_FAULT,       /* of the firmware */
    HC_ENDED_IDLE,        /* asleep, or in a jump to itself, and nothing can happen any more */
    HC_ENDED_INTERRUPTED, /* Ctrl-C, or the debugger's kill */
};

extern const char *const hc_ending_names[];

/* Prints to stderr, if the firmware faulted: what, where, and what to do. */
void hc_report_fault(const struct hc_node *node);

void hc_report_text(FILE *out, const struct hc_node *node, enum hc_ending ending);

/* One object:
 *
 *     { "image": "app.elf", "part": "msp430f1611",
 *       "stop": { "reason": an ending's name, "pc": 17170, "place": "0x4312 <main+0x1a> app.c:27",
 *                 "fault": text, if it is one },
 *       "seconds": 10.0, "instructions": 1, "cycles": 1, "interrupts": 1,
 *       "modes": { "active": seconds, "LPM0": ... },
 *       "leds": { "red": { "on": false, "times": 3, "seconds": 1.5 }, ... },
 *       "uart": the node's output, a character for each byte,
 *       "uart_bytes": its length, including what was not kept } */
void hc_report_json(FILE *out, const struct hc_node *node, enum hc_ending ending, const struct hc_serial_line *line);

#endif
