/* What the faulty and the sound programs share: one image each, of which a test runs one program at a time, from
 * power-on; it sets `chosen` when main is reached. */
#ifndef TESTS_CHECK_CASES_H
#define TESTS_CHECK_CASES_H

#include <kit.h>
#include <setjmp.h>

#define CASE __attribute__((noinline)) static void

/* As hc_check_kind of src/check/check.h. */
enum kind { BOUNDS, FREED, FREE, RETURNED, RETURN, UNSET, STACK };

struct program {
    void (*run)(void);
    uint16_t kind;
    char object[12]; /* its name begins so; empty: any */
};

extern volatile uint16_t chosen;

/* Values that the compiler cannot know. */
__attribute__((noinline)) static int number(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

static inline void look_at(const void *p)
{
    __asm__ volatile("" ::"r"(p) : "memory");
}

static volatile int sink;

#endif
