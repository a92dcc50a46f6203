/* Instrumented C for a target: one line of GNU C each, in the reserved spelling (__asm__), so that it compiles in every
 * mode of every compiler. The functions it calls are the recorder's (runtime/port). */
#ifndef HC_TARGET_TEXT_H
#define HC_TARGET_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An access to a peripheral register. */
struct hc_text_access {
    uint32_t address;
    int size;      /* in bytes */
    uint32_t mask; /* the bits that are used */
    unsigned site; /* the number of its descriptor, .Lhc_N */
    bool gcc;      /* for GCC, else clang */
};

struct hc_target_text {
    int widest_read; /* in bytes: wider accesses are recorded in parts of 2 */

    /* Statements: increments the position counter; calls FUNCTION, which preserves all registers. */
    void (*tick)(FILE *to, bool in_line, bool gcc);
    void (*call)(FILE *to, const char *function, bool gcc);
    /* The same every 2^n-th time: when adding ADD makes the byte COUNTER, a label, overflow. */
    void (*call_sometimes)(FILE *to, const char *function, const char *counter, unsigned add, bool gcc);
    /* A handler that lets the CPU wake at its end every fourth time. */
    void (*wake)(FILE *to, const char *counter, bool gcc);

    /* Expressions of type unsigned: a recorded read; an unrecorded read, of which only the bits of the mask reach a
     * register; a recorded read through the pointer variable __hc_q at OFFSET ("+2*__hc_i") bytes. */
    void (*read)(FILE *to, const struct hc_text_access *a);
    void (*read_masked)(FILE *to, const struct hc_text_access *a);
    void (*read_via)(FILE *to, const struct hc_text_access *a, const char *offset);
    /* Statements: an access whose value is discarded; the same for the lvalue between the two texts. */
    void (*touch)(FILE *to, const struct hc_text_access *a);
    void (*touch_open)(FILE *to, const struct hc_text_access *a);
    void (*touch_close)(FILE *to, const struct hc_text_access *a);
    /* Statements around the operand of a change in place by OPERATION (| & ^ + -; for & it is the complement); before
     * that, if the lvalue is not at a known address, the texts around it. */
    void (*modify_open)(FILE *to, const struct hc_text_access *a, char operation);
    void (*modify_pointed_open)(FILE *to, const struct hc_text_access *a, char operation);
    void (*modify_pointed_middle)(FILE *to, const struct hc_text_access *a, char operation);
    void (*modify_close)(FILE *to, const struct hc_text_access *a);
    /* A statement: waits until a bit of the mask is set, or all are clear. */
    void (*poll)(FILE *to, const struct hc_text_access *a, bool until_set);
    const char *jump; /* assembly that continues at a function, before its name */
    /* Reserves a byte with the label NAME, at the top level. */
    void (*counter)(FILE *to, const char *name);
};

#endif
