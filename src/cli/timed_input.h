/* Timed input to a node's UART: --uart-at TIME=TEXT, any number of times.
 *
 * The input depends on emulated time alone: it is sent by an event of the machine that has no state of its own. So a
 * timeline that goes back and forth always gets the same input. */
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
    hc_event event;
};

/* Adds the input that ARGUMENT describes, such as "5s=hello\n"; a usage error ends the program. Allocates *INPUTS if it
 * is NULL; the caller frees it. */
void hc_timed_inputs_parse(struct hc_timed_inputs **inputs, const char *argument, struct argp_state *state);

/* Sends them to END of M, which must be at its start. INPUTS must live as long as M runs; NULL: nothing is sent. */
void hc_timed_inputs_start(struct hc_timed_inputs *inputs, struct hc_uart_end end, struct hc_machine *m);
/* Adds TEXT (with \n and such) to what was started, for M's present. False with a sentence in PROBLEM if it cannot. */
bool hc_timed_inputs_add(struct hc_timed_inputs *inputs, const char *text, char *problem, size_t size);
/* Call after a snapshot of M was restored that may be older than some of the inputs. */
void hc_timed_inputs_restored(struct hc_timed_inputs *inputs);

#endif
