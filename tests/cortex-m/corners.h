/* Between the region (corners.c) and the outside (corners_main.c): all kinds of things that cross its border. */
#ifndef CORNERS_H
#define CORNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
    uint8_t kind;
    int64_t big; /* aligned to 8 bytes on the node */
    double real;
    const char *name;
};
struct small {
    uint16_t a, b;
};
union word {
    uint32_t all;
    uint8_t bytes[4];
    const char *text;
};
typedef int visitor(void *context, int value);

/* The region's. */
int64_t corner_wide(int64_t a, uint32_t b);
double corner_real(double a, float b);
struct pair corner_struct(struct pair in, struct small s);
int corner_callback(int count);
int corner_visit(void *context, int value);
uint32_t corner_union(union word *w);
int corner_local(int n);
uint32_t corner_register(volatile const uint32_t *at);
const char *corner_name(unsigned i);
int corner_depth(int n);
int corner_copy(struct pair *to, const struct pair *from);
uint32_t corner_bits(uint32_t value);
extern struct pair shared[3];

/* The outside's. */
int for_each(visitor *call, void *context, int count);
void fill(int *values, int count);
int length_of(const char *text);
struct small swap(struct small s);
extern uint32_t weather;
extern const char *const names[2];

#endif
