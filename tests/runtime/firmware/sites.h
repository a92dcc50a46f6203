/* Instrumentation by hand: what `hindcast cc` would have made of the reads, loops and calls of these programs. */
#ifndef SITES_H
#define SITES_H

#include <kit.h>

/* A descriptor with the given name. PLACE: address | class << 12 | word << 14 */
#define SITE(name, place, mask)                                                    \
    __asm__(".pushsection hc_sites, \"a\", @progbits\n"                            \
            "        .balign 2\n"                                                  \
            "        .global " #name "\n" #name ": .short " #place ", " #mask "\n" \
            "        .popsection")

#define READ(name)                                                                           \
    __extension__({                                                                          \
        register uint16_t value_ __asm__("r12");                                             \
        __asm__ volatile("mov #" #name ", r12\n\tcall #__hc_read" : "=r"(value_)::"memory"); \
        value_;                                                                              \
    })

#define READ_VIA(name, pointer)                                                                               \
    __extension__({                                                                                           \
        register uint16_t value_ __asm__("r12") = (uint16_t)(pointer);                                        \
        register uint16_t site_ __asm__("r13");                                                               \
        __asm__ volatile("mov #" #name ", r13\n\tcall #__hc_read_via" : "+r"(value_), "=r"(site_)::"memory"); \
        value_;                                                                                               \
    })

#define TICK() __extension__({ __asm__ volatile("call #__hc_tick" ::: "memory"); })

#endif
