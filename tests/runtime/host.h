/* The recorder in C on the host (runtime/port/host): a node's memory, a flash chip that may lose its power at any byte,
 * and what a port says. One node in a process. */
#ifndef TESTS_RUNTIME_HOST_H
#define TESTS_RUNTIME_HOST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOST_PAGES = 64, HOST_SECTOR = 16, HOST_FLASH = HOST_PAGES * 256 };

/* How a write that power cuts short ends: everything before the byte is there and nothing behind it; or any bits of the
 * page, which the chip had in its buffer and was programming all at once. */
enum host_tear { HOST_TEAR_BYTE, HOST_TEAR_BITS, HOST_TEARS };

struct host {
    uint8_t flash[HOST_FLASH];
    long written; /* bytes programmed, and stages of erases */
    long cut_at;  /* power fails at this one; -1 never */
    enum host_tear tear;
    uint32_t random;
    int busy;     /* looks until the chip is ready */
    bool spoiled; /* something was programmed that was not blank */
    bool open;
    bool may_write; /* what hc_port_may_write says */
    jmp_buf dead;   /* power has failed: the flash is as it left it */
    long accesses;  /* a reset comes at this one of those to memory, or to flash; 0: none */
    jmp_buf reset;
    void (*moment)(void); /* interrupts may come: see critical.h. May be NULL */
};

extern struct host host;

/* A blank chip, memory of random bytes. */
void host_start(uint32_t random);
/* The next of its random numbers. */
uint32_t host_draw(void);

#endif
