/* Lives of a program that is recorded by the recorder in C on the host (host.h): bytes say what it does, when it calls
 * hc_update, when interrupts come, when it is reset and when power fails. Afterwards the log must hold what it did, or
 * say what is missing. For tests and for the fuzzer. */
#ifndef TESTS_RUNTIME_LIFE_H
#define TESTS_RUNTIME_LIFE_H

#include <stddef.h>
#include <stdint.h>

/* What was seen, so that a test can be sure that it saw something. */
struct life_report {
    size_t events, lost; /* that happened; of them those that did not fit */
    size_t decoded;      /* found in the log again */
    size_t segments;     /* replayed */
    size_t states;       /* beginnings compared with memory as it was */
    size_t whole;        /* segments that had to be complete, and were */
    size_t shelved;      /* resets that found pages on the shelf */
    size_t rescued;      /* of them, those of which a reset found the end in RAM */
    size_t resets, cuts;
};

/* Does what BYTES say, with updates leaving up to BATCH bytes in the ring (HC_BATCH in a node) and power failing at the
 * CUT_AT-th byte that is written to flash (-1: never), and checks all of it. Fails by assert. */
void life_run(const uint8_t *bytes, size_t size, uint16_t batch, long cut_at, struct life_report *report);

#endif
