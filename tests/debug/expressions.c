/* Evaluates expressions.def and writes the size and the bytes of each value, one after the other. */
#include <kit.h>

#include <stdbool.h>
#include <stddef.h>

struct item {
    struct item *next;
    int16_t n;
    uint32_t value;
    char name[4];
};
enum color { RED, GREEN, BLUE, BIG = 40000 };
enum level { DEEP = -300, HIGH = 5 };
union word {
    uint16_t value;
    uint8_t bytes[2];
    uint8_t low;
    struct {
        uint8_t a, b;
    } half;
};
struct flags {
    unsigned one : 1;
    unsigned three : 3;
    int s5 : 5;
    unsigned long wide : 20;
    uint16_t sixteen : 16;
    uint8_t rest : 6;
};
struct nested {
    uint8_t y;
    union {
        uint16_t z;
        uint8_t zz[2];
    };
    struct {
        struct {
            int32_t x;
        } inner;
        int8_t k;
    } deep;
};
typedef int16_t temperature;

volatile uint16_t finished;
volatile uint8_t out[6000];
volatile uint16_t out_size, overflow;

volatile int8_t i8 = -100;
volatile uint8_t u8 = 0xf0;
volatile int16_t i16 = 12345;
volatile uint16_t u16 = 54321;
volatile int32_t i32 = -123456789;
volatile uint32_t u32 = 0x12563478;
volatile int64_t i64 = -1234567890123;
volatile uint64_t u64 = 0x8123456789abcdef;
volatile char c = 'x';
/* Real numbers are computed by the compiler: the kit has no routines for them. */
const float f32 = 1.75f;
const double f64 = -1234.5678;
const int32_t ki32 = -123456789;
const uint32_t ku32 = 0x12563478;
const int64_t ki64 = -1234567890123;
const int16_t ki16 = 12345;
const void *volatile kept[] = { &f32, &f64, &ki32, &ku32, &ki64, &ki16 };
volatile bool b = true;
volatile int16_t a[6] = { 11, -22, 33, -44, 55, -66 };
volatile int16_t matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
struct item items[4] = {
    { &items[1], 100, 0x11223344, "one" },
    { &items[0], 200, 0x55667788, "two" },
    { 0, 300, 0x99aabbcc, "3" },
    { &items[2], -400, 7, "four" },
};
struct item *p = &items[1];
struct item **pp = &p;
volatile union word word = { 0xbeef };
volatile struct flags flags = { 1, 5, -9, 0xabcde, 0x1234, 33 };
volatile struct nested nested = { 9, { 1000 }, { { -70000 }, -3 } };
volatile enum color color = BLUE;
volatile enum level level = DEEP;
volatile temperature typed = -40;

static uint16_t twice(uint16_t n)
{
    return 2 * n;
}
uint16_t (*volatile handler)(uint16_t) = twice;

static void put(const void *bytes, uint16_t n)
{
    const uint8_t *from = bytes;

    if (out_size + n + 1 > sizeof out) {
        overflow = 1;
        return;
    }
    out[out_size++] = (uint8_t)n;
    while (n--)
        out[out_size++] = *from++;
}

static volatile int16_t file_static = 78;

/* A function for each, by the line that it stands in: one with all of them keeps the compiler busy for minutes. */
#pragma clang diagnostic ignored "-Weverything"
#define PASTE(a, b) a##b
#define FUNCTION(line) PASTE(expression_, line)
#define X(e)                                                       \
    static __attribute__((noinline)) void FUNCTION(__LINE__)(void) \
    {                                                              \
        __typeof__((e)) value = (e);                               \
        put(&value, sizeof value);                                 \
    }
#include "expressions.def"
#undef X
#define X(e) FUNCTION(__LINE__)();

int main(void)
{
    static volatile int16_t local_static = 77;

#include "expressions.def"
    finished = 0xd09e;
    for (;;)
        handler(local_static + (kept[0] == kept[1]));
}
