#include "crc16.h"

#include "machine/device/msp430/word_register.h"

enum { CRCDI = 0x150, CRCDIRB = 0x152, CRCINIRES = 0x154, CRCRESR = 0x156, POLYNOMIAL = 0x1021, AFTER_RESET = 0xffff };

struct hc_crc16 {
    struct hc_device base;
    struct {
        uint16_t data, crc; /* CRCDI as it was written last */
    } s;
};

static uint16_t reversed(uint16_t value, int bits)
{
    unsigned result = 0;

    for (int i = 0; i < bits; i++)
        result |= (value >> i & 1u) << (bits - 1 - i);
    return (uint16_t)result;
}

static void take_byte(struct hc_crc16 *c, uint8_t byte)
{
    c->s.crc ^= (uint16_t)(byte << 8);
    for (int i = 0; i < 8; i++)
        c->s.crc = (uint16_t)(c->s.crc << 1 ^ (c->s.crc & 0x8000 ? POLYNOMIAL : 0));
}

static uint16_t value_at(const struct hc_crc16 *c, uint32_t word)
{
    switch (word) {
    case CRCDI:
        return c->s.data;
    case CRCDIRB:
        return (uint16_t)(reversed(c->s.data & 0xff, 8) | reversed(c->s.data >> 8, 8) << 8);
    case CRCINIRES:
        return c->s.crc;
    default:
        return reversed(c->s.crc, 16);
    }
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_crc16 *)d, address & ~1u), address, size);
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_crc16 *c = (struct hc_crc16 *)d;
    uint32_t word = address & ~1u;

    if (word == CRCINIRES) {
        c->s.crc = hc_word_written(c->s.crc, address, value, size);
        return;
    }
    if (word == CRCRESR)
        return;
    c->s.data = hc_word_written(c->s.data, address, value, size);
    for (int i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        take_byte(c, word == CRCDI ? (uint8_t)reversed(byte, 8) : byte);
    }
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_crc16 *c = (struct hc_crc16 *)d;

    (void)kind;
    c->s.data = 0;
    c->s.crc = AFTER_RESET;
}

static const struct hc_device_ops ops = {
    .name = "crc16",
    .help = "CRC-CCITT of bytes and words",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
};

struct hc_crc16 *hc_crc16_new(struct hc_machine *m)
{
    struct hc_crc16 *c = HC_DEVICE_NEW(m, &ops, "crc16", struct hc_crc16);

    hc_device_claim(&c->base, CRCDI, CRCRESR + 1);
    return c;
}
