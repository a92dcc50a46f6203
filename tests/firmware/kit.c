/* The kit's arithmetic, start-up and interrupts, checked against values that a host computed. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[40];

volatile uint16_t initialised = 0x1234;
volatile uint16_t cleared;
volatile uint16_t a = 54321, b = 123;
volatile int16_t sa = -12345, sb = 67;
volatile uint32_t la = 3141592653u, lb = 271828;
volatile int32_t lsa = -1618033988, lsb = 5772;
volatile uint64_t qa = 14142135623730950488u, qb = 1732050807;
volatile int64_t qsa = -2236067977499789696, qsb = 2645751311;
volatile uint8_t shift = 5;
volatile uint16_t ticks;

static void put64(uint8_t at, uint64_t value)
{
    for (uint8_t i = 0; i < 4; i++, value >>= 16)
        result[at + i] = (uint16_t)value;
}

static void put32(uint8_t at, uint32_t value)
{
    result[at] = (uint16_t)value;
    result[at + 1] = (uint16_t)(value >> 16);
}

int main(void)
{
    result[0] = initialised;
    result[1] = cleared;
    result[2] = a * b;
    result[3] = a / b;
    result[4] = a % b;
    result[5] = (uint16_t)(sa / sb);
    result[6] = (uint16_t)(sa % sb);
    result[7] = (uint16_t)(a << shift);
    put32(8, la * lb);
    put32(10, la / lb);
    put32(12, la % lb);
    put32(14, (uint32_t)(lsa / lsb));
    put32(16, (uint32_t)(lsa % lsb));
    put32(18, la << shift);
    put32(20, (uint32_t)(lsa >> shift));
    put64(22, qa * qb);
    put64(26, qa / qb);
    put64(30, qa % qb);
    put64(34, (uint64_t)(qsa / qsb));
    result[38] = (uint16_t)(qsa % qsb);
    finished = 0xd09e;
    return 0;
}
