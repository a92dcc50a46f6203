/* What a mote with the dump program and `hindcast fetch` say to each other over the UART, 8N1. Both are
 * built from this.
 *
 * The host asks, the mote answers and keeps no state: every request can be repeated. Requests are lines of text in
 * lower-case hex, each ended by a line feed. The CRC is that of all bytes before the space in front of it:
 *
 *     i CRC\n                    who are you?
 *     r ADDRESS COUNT CRC\n      read:  r 01f000 1000 a605
 *     s ADDRESS COUNT CRC\n      sum:   what are the sums of these bytes?
 *
 * ADDRESS has six digits, COUNT and CRC four. COUNT is at most DUMP_COUNT_MAX, and 0 is none of it. Empty lines are
 * ignored, so that a host can end whatever was before. Anything else, when its line feed or more than DUMP_LINE_MAX
 * bytes have come, is answered by the banner, a line of text that says what the program is; so is a carriage return,
 * which is what a terminal sends for the Enter key.
 *
 * Answers are frames, numbers with the high byte first:
 *
 *     0      1      2 3 4     5 6     7 ...
 *     SOH    kind   address   count   payload   CRC of all from kind on (2)
 *
 *     'I'  who it is; address 0, count = length of the payload: see DUMP_ID_...
 *     'D'  data: count bytes, 1 to DUMP_PAYLOAD_MAX, are the payload
 *     'B'  blank: count bytes at address are all 0xff; no payload
 *     'S'  sums of count bytes at address; the payload are the two sums (see dump_sum), 4 bytes
 *     'W'  wait: the chip is busy (or there is none: all status bits are 1); no payload, count is its status register
 *
 * A read is answered by as many 'D' and 'B' frames as it takes, in the order of addresses. A request that comes
 * meanwhile ends them. A frame tells its address, so that a host can use whatever arrives whole and ask for the rest.
 */
#ifndef DUMP_PROTOCOL_H
#define DUMP_PROTOCOL_H

#include <stdint.h>

enum { DUMP_VERSION = 1 };

/* Begins every banner. */
#define DUMP_BANNER "hindcast dump"

enum { DUMP_COUNT_MAX = 4096, DUMP_PAYLOAD_MAX = 256, DUMP_LINE_MAX = 24 };

enum { DUMP_SOH = 0x01, DUMP_HEADER = 7, DUMP_CRC = 2 };
enum dump_kind { DUMP_IDENTITY = 'I', DUMP_DATA = 'D', DUMP_BLANK = 'B', DUMP_SUMS = 'S', DUMP_WAIT = 'W' };

/* The payload of 'I'. A later version may append to it. */
enum {
    DUMP_ID_VERSION,
    DUMP_ID_SIGNATURE,                 /* the chip's answer to RES: 0x13 is an M25P80 */
    DUMP_ID_CHIP,                      /* its answer to RDID, which old chips lack: manufacturer, type, capacity */
    DUMP_ID_STATUS = DUMP_ID_CHIP + 3, /* its status register */
    DUMP_ID_SERIAL,                    /* of the mote's DS2411, high byte first; zeros: it does not answer */
    DUMP_ID_NODE = DUMP_ID_SERIAL + 6, /* the node's id: 2 bytes */
    DUMP_ID_LENGTH = DUMP_ID_NODE + 2,
    DUMP_ID_LENGTH_MAX = 64,
};

/* CRC-16 with the polynomial x^16 + x^12 + x^5 + 1, high bit first, started with DUMP_CRC_START. */
enum { DUMP_CRC_START = 0xffff };

static inline uint16_t dump_crc(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc >> 8 | crc << 8);
    crc ^= byte;
    crc ^= (uint8_t)crc >> 4;
    crc = (uint16_t)(crc ^ crc << 12);
    return (uint16_t)(crc ^ (uint16_t)(crc & 0xff) << 5);
}

/* Two sums that know nothing of the CRC: of the bytes, and of the first sum after each of them. Both start at 0. */
struct dump_sum {
    uint16_t bytes, sums;
};

static inline void dump_sum(struct dump_sum *sum, uint8_t byte)
{
    sum->bytes = (uint16_t)(sum->bytes + byte);
    sum->sums = (uint16_t)(sum->sums + sum->bytes);
}

#endif
