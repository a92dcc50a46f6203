/* Instrumentation by hand, as `hindcast cc` would do it. */
#ifndef TESTS_REPLAY_BORDER_H
#define TESTS_REPLAY_BORDER_H

#include <stdint.h>

enum { STATE, TIMER, DATA, VECTOR, WORD = 4 };

#define TICK() __asm__ volatile("call #__hc_tick" ::: "memory", "r2")

/* Reads the register at ADDRESS; CLASS, with WORD for 16 bits. */
#define READ(address, class, mask)                                                                         \
    ({                                                                                                     \
        register uint16_t value_ __asm__("r12");                                                           \
        __asm__ volatile(".pushsection hc_sites, \"a\", @progbits\n"                                       \
                         ".Lsite%=: .short %c1, %c2\n"                                                     \
                         ".popsection\n"                                                                   \
                         "mov #.Lsite%=, r12\n"                                                            \
                         "call #__hc_read"                                                                 \
                         : "=r"(value_)                                                                    \
                         : "i"((address) | ((class) & 3) << 12 | ((class) & WORD ? 0x4000 : 0)), "i"(mask) \
                         : "memory");                                                                      \
        value_;                                                                                            \
    })

/* Reads a byte wherever POINTER leads. */
#define READ_VIA(pointer)                                              \
    ({                                                                 \
        register uint16_t value_ __asm__("r12") = (uint16_t)(pointer); \
        __asm__ volatile(".pushsection hc_sites, \"a\", @progbits\n"   \
                         ".Lsite%=: .short 0, 0xff\n"                  \
                         ".popsection\n"                               \
                         "mov #.Lsite%=, r13\n"                        \
                         "call #__hc_read_via"                         \
                         : "+r"(value_)                                \
                         :                                             \
                         : "r13", "memory", "r2");                     \
        value_;                                                        \
    })

#define POLL(routine, address, mask)                                                          \
    do {                                                                                      \
        register uint16_t address_ __asm__("r12") = (address);                                \
        register uint16_t mask_ __asm__("r13") = (mask);                                      \
        __asm__ volatile("call #" #routine : "+r"(address_), "+r"(mask_) : : "memory", "r2"); \
    } while (0)

void hc_update(void);

#define REGISTER8(address) (*(volatile uint8_t *)(address))
#define REGISTER16(address) (*(volatile uint16_t *)(address))

#endif
