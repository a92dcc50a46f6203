/* CRC-16 (CCITT) of a message by a table that is made at run time: about 5 x 10^4 instructions. */
#include <kit.h>

enum { MESSAGE = 512, POLYNOMIAL = 0x8408 };

static uint16_t table[256];
static uint8_t message[MESSAGE];
static uint16_t crc;

volatile uint16_t result;
volatile uint16_t finished;

static void make_table(void)
{
    for (uint16_t i = 0; i < 256; i++) {
        uint16_t value = i;
        for (uint8_t bit = 0; bit < 8; bit++)
            value = value & 1 ? (uint16_t)(value >> 1 ^ POLYNOMIAL) : value >> 1;
        table[i] = value;
    }
}

static void write_message(void)
{
    uint8_t byte = 1;
    for (uint16_t i = 0; i < MESSAGE; i++) {
        message[i] = byte;
        byte = (uint8_t)(byte * 5 + 3);
    }
}

static __attribute__((noinline)) void update(uint8_t byte)
{
    crc = (uint16_t)(crc >> 8 ^ table[(uint8_t)crc ^ byte]);
}

int main(void)
{
    make_table();
    write_message();
    crc = 0xffff;
    for (uint16_t i = 0; i < MESSAGE; i++)
        update(message[i]);
    result = crc;
    finished = 0xd09e;
    return 0;
}
