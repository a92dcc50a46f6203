/* What accounts need to know of a part: names of its interrupts, the charge of a cycle. */
#ifndef HC_CLI_PART_FACTS_H
#define HC_CLI_PART_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* By vector; NULL where the part has none, count 0 when there is no description of the part. */
struct hc_vector_names {
    const char **name;
    size_t count;
    struct hc_regs *regs;
};
struct hc_vector_names hc_vector_names(const char *part);
void hc_vector_names_free(struct hc_vector_names *names);

/* Where a program of PART writes what it sends to the host by UART, as the boards here are wired; 0: not known. */
uint32_t hc_uart_register(const char *part);

/* Of a CPU that is awake, at 3 V, in nanojoules; 0: not known. */
double hc_cpu_nanojoules_a_cycle(const char *part);

#endif
