/* A program, where its parts are, and how far it has come. */
#ifndef HC_POWER_RUN_H
#define HC_POWER_RUN_H

#include "image/image.h"
#include "machine/machine.h"

enum hc_heap_function { HC_MALLOC, HC_CALLOC, HC_REALLOC, HC_FREE, HC_HEAP_FUNCTIONS };

/* Where things are in a program; 0: there is none. */
struct hc_power_program {
    uint32_t start, main;         /* main: or where else the analysis begins, */
    uint64_t from_ns;             /* or when after power-on; 0: there */
    uint32_t until;               /* where it ends; 0: where main returns to, */
    uint64_t until_ns;            /* or when after power-on; 0: there */
    uint32_t stack;               /* one past it */
    uint32_t heap_low, heap_high; /* one past it */
    uint32_t heap_function[HC_HEAP_FUNCTIONS];
};

/* By the reset vector and symbols: main, malloc, calloc, realloc, free, and what the kit, GCC and TI's compiler call
 * the ends of the stack and of the heap. */
void hc_power_program_find(struct hc_power_program *program, const struct hc_image *image);

/* Instructions retired. */
uint64_t hc_power_time(const struct hc_machine *m);

/* From power-on to the entry of main, or where else the analysis begins; false when it is not reached within seconds.
 */
bool hc_power_run_to_main(struct hc_machine *m, const struct hc_power_program *program);
/* At the entry of a function: where it will return to. */
uint32_t hc_power_back(struct hc_machine *m);
/* There, too: the call before that place. */
uint32_t hc_power_call_site(struct hc_machine *m);
/* At the entry of main: where the run ends. */
uint32_t hc_power_end_of(struct hc_machine *m, const struct hc_power_program *program);

/* Until TIME instructions have retired; false when something comes in between, or they already have. */
bool hc_power_run_until(struct hc_machine *m, uint64_t time);

enum hc_power_end {
    HC_END_DONE,  /* it came to BACK, or nothing will ever happen again, or the time is over */
    HC_END_LIMIT, /* LIMIT instructions have passed */
    HC_END_FAULT, /* see hc_fault_text */
    HC_END_RESET, /* it came to RESET */
};
/* RESET 0: that does not matter. PATIENCE: time that may pass, too; a program may sleep and never come to LIMIT. */
enum hc_power_end hc_power_run_to_end(struct hc_machine *m, uint32_t back, uint32_t reset, uint64_t limit,
                                      hc_time patience);
/* From the entry of main, or where else the analysis begins, to PROGRAM's end. */
enum hc_power_end hc_power_run_program(struct hc_machine *m, const struct hc_power_program *program, uint64_t limit);

#endif
