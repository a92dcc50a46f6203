/* A busy CPU: CRC16 over fresh bytes and insertion sorts, for ever until ROUNDS are done; no peripherals, no
 * interrupts. */
#include <kit.h>

enum { ROUNDS = 2100, BYTES = 256, NUMBERS = 200 };

static uint8_t bytes[BYTES];
static uint16_t numbers[NUMBERS];
uint16_t checksum;

static uint16_t crc16(const uint8_t *at, uint16_t n)
{
    uint16_t crc = 0xffff;
    while (n--) {
        crc ^= (uint16_t)(*at++ << 8);
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (uint16_t)(crc << 1) ^ 0x1021 : (uint16_t)(crc << 1);
    }
    return crc;
}

static void insertion_sort(uint16_t *a, uint16_t n)
{
    for (uint16_t i = 1; i < n; i++) {
        uint16_t value = a[i];
        uint16_t at = i;
        for (; at > 0 && a[at - 1] > value; at--)
            a[at] = a[at - 1];
        a[at] = value;
    }
}

static uint16_t next_random(uint16_t x)
{
    x ^= (uint16_t)(x << 7);
    x ^= (uint16_t)(x >> 9);
    return x ^ (uint16_t)(x << 8);
}

/* Where both emulators stop. */
__attribute__((noinline)) void bench_done(void)
{
    for (;;)
        ;
}

int main(void)
{
    uint16_t random = 1;
    for (uint16_t round = 0; round < ROUNDS; round++) {
        for (uint16_t i = 0; i < BYTES; i++)
            bytes[i] = (uint8_t)(random = next_random(random));
        for (uint16_t i = 0; i < NUMBERS; i++)
            numbers[i] = random = next_random(random);
        insertion_sort(numbers, NUMBERS);
        checksum = (uint16_t)(checksum << 1 | checksum >> 15) ^ crc16(bytes, BYTES) ^ numbers[round & 127];
    }
    bench_done();
}
