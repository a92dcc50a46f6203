/* Facts about a part that profiles and reports need: names of its interrupts, the energy of a cycle. */
#ifndef HC_CLI_PART_FACTS_H
#define HC_CLI_PART_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* Names by vector: NULL where the part has none. COUNT is 0 if there is no description of the part. */
struct hc_vector_names {
    const char **name;
    size_t count;
    struct hc_regs *regs;
};
struct hc_vector_names hc_vector_names(const char *part);
void hc_vector_names_free(struct hc_vector_names *names);

/* The address of the register to which a program of PART writes bytes for the host, on our boards; 0: not known. */
uint32_t hc_uart_register(const char *part);

/* The energy of a cycle of an active CPU at 3 V, in nanojoules; 0: not known. */
double hc_cpu_nanojoules_a_cycle(const char *part);

#endif
