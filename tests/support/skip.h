/* Ends a cmocka test that cannot run here, with its reason. tools/list-skipped puts the reason into the summary of
 * `make check`; tools/check-tests refuses a skip() without one. */
#ifndef TESTS_SUPPORT_SKIP_H
#define TESTS_SUPPORT_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SKIP_BECAUSE(reason)                           \
    do {                                               \
        print_message("skipped because %s\n", reason); \
        skip();                                        \
    } while (0)

#endif
