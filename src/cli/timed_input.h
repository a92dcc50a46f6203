/* What a node hears on its UART, and when: --uart-at TIME=TEXT, any number of times.
 *
 * What is sent is a function of emulated time alone: an event of the machine that keeps nothing of its own, so that a
 * timeline that goes back and comes again finds the same. */
#ifndef HC_CLI_TIMED_INPUT_H
#define HC_CLI_TIMED_INPUT_H

#include "field/uart_text.h"
#include "machine/time.h"
#include "serial_line.h"

#include <argp.h>

enum { HC_TIMED_INPUTS_MAX = 64 };

struct hc_timed_inputs {
    int count;
    struct hc_timed_input {
        hc_time at;
        int size;
        uint8_t bytes[HC_UART_TEXT_MOST];
    } input[HC_TIMED_INPUTS_MAX]; /* in order of time */
    struct hc_uart_end end;
    struct hc_machine *machine;
};

/* Adds what ARGUMENT says, "5s=hello\n"; a usage error ends the program. *INPUTS is made if it is NULL, and to be freed
 * by the caller. */
void hc_timed_inputs_parse(struct hc_timed_inputs **inputs, const char *argument, struct argp_state *state);

/* Sends them to END of M, which is at its beginning. INPUTS must live as long as M runs; NULL: nothing. */
void hc_timed_inputs_start(struct hc_timed_inputs *inputs, struct hc_uart_end end, struct hc_machine *m);

#endif
