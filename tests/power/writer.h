/* Writes machine code, at random. */
#ifndef TESTS_POWER_WRITER_H
#define TESTS_POWER_WRITER_H

#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct writer {
    struct hc_machine *m;
    uint64_t seed;
    uint32_t at;
    int features; /* what the program may have; the generator's own */
};

static inline unsigned random_below(struct writer *w, unsigned n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->seed >> 33) % n;
}

static inline void word(struct writer *w, unsigned value)
{
    assert_true(hc_poke16(w->m, w->at, (uint16_t)value));
    w->at += 2;
}

#endif
