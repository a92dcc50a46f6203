/* What surrounds a node, for `hindcast power --environment MODEL.so`: how it changes when the program acts on it, and
 * when two of its states are the same. A model is a shared object that defines
 *
 *     const struct hc_environment hindcast_environment = { HC_ENVIRONMENT_VERSION, sizeof(struct servo), start, act };
 *
 * built with nothing but this header: cc -shared -fPIC -o model.so model.c
 *
 * The analysis lets copies of a state live through different orders of the same actions and compares them, so all that
 * a model knows is in the state: SIZE bytes, copied by memcpy. */
#ifndef HC_POWER_ENVIRONMENT_H
#define HC_POWER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_ENVIRONMENT_VERSION = 1, HC_ACTION_WHOLE = 256 };

struct hc_environment {
    int version; /* HC_ENVIRONMENT_VERSION */
    size_t size;
    /* Before the program's first action; NULL: all zero. */
    void (*start)(void *context, void *state);
    /* OUTPUT (a function's or register's name, as given to --output) acts with ARGUMENT: a function's first one, sign
     * extended from 16 bits; what is written to a register. DONE of HC_ACTION_WHOLE parts of it: power may fail within
     * the action. */
    void (*act)(void *context, void *state, const char *output, int32_t argument, unsigned done);
    /* The node's supply fails: an LED goes dark. NULL: nothing changes. */
    void (*fail)(void *context, void *state);
    /* As far as OUTPUT is concerned. NULL: byte by byte. */
    bool (*same)(void *context, const void *a, const void *b, const char *output);
    void *context; /* given to each of them */
};

#endif
