/* Commands as a user types them: what they print, where, and their exit codes. */
#ifndef TESTS_CLI_SHELL_H
#define TESTS_CLI_SHELL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct fixture {
    char *hindcast, *firmware;
    char directory[32]; /* all files of a test go there */
    /* of the last command */
    int code; /* -1: killed by a signal */
    char out[1 << 16], err[1 << 16];
};

/* Makes the directory. */
bool shell_begin(struct fixture *f, const char *hindcast, const char *firmware);
void shell_end(struct fixture *f);

/* Files in the directory; what does not fit SIZE is left out. */
void read_text(const struct fixture *f, const char *name, char *to, size_t size);
void write_bytes(const struct fixture *f, const char *name, const void *bytes, size_t size);
void write_text(const struct fixture *f, const char *name, const char *text);

/* A shell command in the test's directory; $H is hindcast, $F the firmware. */
__attribute__((format(printf, 2, 3))) void shell(struct fixture *f, const char *format, ...);

/* $H with these arguments ends with CODE, and has said these things. */
struct shell_case {
    const char *arguments;
    int code;
    const char *out, *err;
};
void shell_try(struct fixture *f, const struct shell_case *cases, size_t count);

void assert_contains(const char *text, const char *part);
void assert_code(const struct fixture *f, int code);

#endif
