#include "part_facts.h"

#include "field/energy.h"
#include "power/supply/energy.h"
#include "registers/regs.h"

#include <stdlib.h>
#include <string.h>

struct hc_vector_names hc_vector_names(const char *part)
{
    struct hc_vector_names names = { 0 };
    struct hc_regs_message message;

    if (hc_regs_load_part(&names.regs, part, &message))
        return names;
    names.name = calloc(HC_REGS_VECTORS_MAX, sizeof *names.name);
    for (int i = 0; names.name && i < names.regs->vectors; i++)
        names.name[i] = names.regs->vector[i].name;
    names.count = names.name ? (size_t)names.regs->vectors : 0;
    return names;
}

void hc_vector_names_free(struct hc_vector_names *names)
{
    free(names->name);
    if (names->regs)
        hc_regs_free(names->regs);
    *names = (struct hc_vector_names){ 0 };
}

uint32_t hc_uart_register(const char *part)
{
    static const char *const names[] = { "UCA0TXBUF", "TXBUF1", "U1TXBUF" };
    struct hc_regs *regs;
    struct hc_regs_message message;
    const struct hc_reg *found = NULL;

    if (hc_regs_load_part(&regs, part, &message))
        return 0;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = hc_regs_named(regs, names[i]);
    uint32_t address = found ? found->address : 0;
    hc_regs_free(regs);
    return address;
}

double hc_cpu_nanojoules_a_cycle(const char *part)
{
    static const char fr5[] = "msp430fr5", f1[] = "msp430f1", f2[] = "msp430f2";

    if (!strncmp(part, f1, sizeof f1 - 1) || !strncmp(part, f2, sizeof f2 - 1))
        return hc_energy_nanojoules_a_cycle();
    if (!strncmp(part, fr5, sizeof fr5 - 1)) /* nA a MHz are 10^-15 C a cycle */
        return 1e-6 * (double)hc_fr5969_consumption.active_na_per_mhz * HC_SUPPLY_MILLIVOLTS / 1000;
    return 0;
}
