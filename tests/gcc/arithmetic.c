/* The compiler's helpers: shifts by variables and constants, products, quotients, of 16 to 64 bits. Prints the same on
 * a node and on a host, which is compiled with -DHOST. */
#include <stdint.h>
#ifdef HOST
#include <stdio.h>
#define NODE(x)
#else
#include <kit.h>
#define NODE(x) x
#endif

static void show(uint64_t value)
{
#ifdef HOST
    printf("%04x%04x%04x%04x\n", (unsigned)(value >> 48), (unsigned)(value >> 32 & 0xffff),
           (unsigned)(value >> 16 & 0xffff), (unsigned)(value & 0xffff));
#else
    kit_put_hex((uint16_t)(value >> 48));
    kit_put_hex((uint16_t)(value >> 32));
    kit_put_hex((uint16_t)(value >> 16));
    kit_put_hex((uint16_t)value);
    kit_put("\n");
#endif
}

static volatile const uint64_t operands[] = { 0,
                                              1,
                                              2,
                                              7,
                                              255,
                                              0x8000,
                                              0x12345678,
                                              0x80000000,
                                              0xfffffffb,
                                              0x123456789abcdef,
                                              0xfedcba9876543210,
                                              0x8000000000000000 };
enum { OPERANDS = sizeof operands / sizeof *operands };

static void shifts16(uint16_t a, uint8_t n)
{
    show((uint16_t)(a << n));
    show((uint16_t)(a >> n));
    show((uint16_t)((int16_t)a >> n));
    show((uint16_t)(a << 5));
    show((uint16_t)(a >> 7));
    show((uint16_t)((int16_t)a >> 11));
}

static void shifts32(uint32_t a, uint8_t n)
{
    show(a << n);
    show(a >> n);
    show((uint32_t)((int32_t)a >> n));
    show(a << 5);
    show(a >> 7);
    show((uint32_t)((int32_t)a >> 13));
}

static void shifts64(uint64_t a, uint8_t n)
{
    show(a << n);
    show(a >> n);
    show((uint64_t)((int64_t)a >> n));
}

static void products(uint64_t a, uint64_t b)
{
    show((uint16_t)((uint32_t)(uint16_t)a * (uint16_t)b));
    show((uint32_t)(uint16_t)a * (uint16_t)b);
    show((uint32_t)((int32_t)(int16_t)a * (int16_t)b));
    show((uint32_t)a * (uint32_t)b);
    show((uint64_t)(uint32_t)a * (uint32_t)b);
    show((uint64_t)((int64_t)(int32_t)a * (int32_t)b));
    show(a * b);
}

/* Not the one quotient that C leaves open: the most negative by -1; the operands have no -1. */
static void quotients(uint64_t a, uint64_t b)
{
    if ((uint16_t)b && (uint16_t)b != 0xffff) {
        show((uint16_t)((uint16_t)a / (uint16_t)b));
        show((uint16_t)((uint16_t)a % (uint16_t)b));
        show((uint16_t)((int16_t)a / (int16_t)b));
        show((uint16_t)((int16_t)a % (int16_t)b));
    }
    if ((uint32_t)b) {
        show((uint32_t)a / (uint32_t)b);
        show((uint32_t)a % (uint32_t)b);
        show((uint32_t)((int32_t)a / (int32_t)b));
        show((uint32_t)((int32_t)a % (int32_t)b));
    }
    if (b) {
        show(a / b);
        show(a % b);
        show((uint64_t)((int64_t)a / (int64_t)b));
        show((uint64_t)((int64_t)a % (int64_t)b));
    }
}

int main(void)
{
    NODE(kit_uart_init(1048576, 115200));
    for (uint8_t i = 0; i < OPERANDS; i++) {
        for (uint8_t n = 0; n < 16; n += 3)
            shifts16((uint16_t)operands[i], n);
        for (uint8_t n = 0; n < 32; n += 5)
            shifts32((uint32_t)operands[i], n);
        for (uint8_t n = 0; n < 64; n += 9)
            shifts64(operands[i], n);
        for (uint8_t j = 0; j < OPERANDS; j++) {
            products(operands[i], operands[j]);
            quotients(operands[i], operands[j]);
        }
    }
    NODE(kit_uart_drain());
    return 0;
}
