#include "corners.h"

static int64_t sum;
static struct {
    char pad;
    double total;
    const char *last;
} own;
static const char *const words[] = { "zero", "one", "two", "three" };
struct pair shared[3];

int64_t corner_wide(int64_t a, uint32_t b)
{
    sum += a * b - (a >> 3);
    return sum ^ (int64_t)weather << 20;
}

double corner_real(double a, float b)
{
    own.total += a * (double)b;
    if (own.total > 1e6)
        own.total = own.total / 3.0;
    return own.total - (double)(int)own.total;
}

struct pair corner_struct(struct pair in, struct small s)
{
    struct small t = swap(s);

    in.big += t.a * 1000 + t.b;
    in.kind++;
    in.real *= 0.5;
    in.name = words[in.kind & 3];
    own.last = in.name;
    shared[in.kind % 3] = in;
    return in;
}

int corner_visit(void *context, int value)
{
    int *total = context;

    *total += value * (int)(shared[1].big & 15);
    return *total;
}

int corner_callback(int count)
{
    int total = count;

    return for_each(corner_visit, &total, count) + total;
}

uint32_t corner_union(union word *w)
{
    w->bytes[1] ^= 0x55;
    uint32_t all = w->all;
    w->text = words[all & 3];
    return all;
}

int corner_local(int n)
{
    int values[8], total = 0;

    fill(values, 8);
    for (int i = 0; i < 8; i++)
        total += values[i] * (i + n);
    return total + length_of(words[n & 3]) + length_of(names[n & 1]);
}

uint32_t corner_register(volatile const uint32_t *at)
{
    uint32_t mask;

    __asm__ volatile("mrs %0, primask" : "=r"(mask));
    return *at - *at + mask;
}

const char *corner_name(unsigned i)
{
    switch (i) {
    case 0:
        return "none";
    case 1:
        return own.last ? own.last : "nothing";
    case 2:
        return names[0];
    case 3:
        return words[3];
    case 4:
        return words[2] + 1;
    default:
        return NULL;
    }
}

int corner_depth(int n)
{
    if (n <= 0)
        return for_each(corner_visit, (int[]){ 0 }, 1);
    return corner_depth(n - 1) + corner_depth(n - 2) + n;
}

int corner_copy(struct pair *to, const struct pair *from)
{
    struct pair kept = *from;

    *to = kept;
    to->name = to->name == words[1] ? words[2] : to->name;
    return from->kind == kept.kind && to->big == kept.big;
}

uint32_t corner_bits(uint32_t value)
{
    return (uint32_t)__builtin_popcount(value) + (value ? (uint32_t)__builtin_clz(value) : 32) +
           (value << 7 | value >> 25);
}
