/* Of C's <stdlib.h> what a microcontroller can do without files, floats, processes and locales. */
#ifndef KIT_STDLIB_H
#define KIT_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 32767

typedef struct {
    int quot, rem;
} div_t;

typedef struct {
    long quot, rem;
} ldiv_t;

/* First fit, from a fixed heap of KIT_HEAP_SIZE bytes (an option of kit/build: -DKIT_HEAP_SIZE=2048; by default 512).
 * Not from interrupt handlers. malloc(0) returns NULL. */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

int atoi(const char *text);
long atol(const char *text);
/* Out of range: the nearest, and errno is ERANGE. A base that there is not: 0, and errno is EINVAL. */
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);

/* Heap sort: in place, without recursion, not stable. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

int rand(void);
void srand(unsigned seed);

int abs(int n);
long labs(long n);
div_t div(int n, int d);
ldiv_t ldiv(long n, long d);

/* Nothing is left to return to: interrupts are disabled and the CPU sleeps for good, as when main returns. An
 * application that wants a reset instead defines its own _Exit, which the other two call. */
__attribute__((noreturn)) void exit(int code);
__attribute__((noreturn)) void abort(void);
__attribute__((noreturn)) void _Exit(int code);

#endif
