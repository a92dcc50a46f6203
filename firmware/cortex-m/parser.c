#include "router.h"

enum state { START, LENGTH, BYTES, SUM };

static enum state state;
static uint8_t length, at, sum;
static uint8_t payload[PAYLOAD];
static uint16_t errors;

static void take_payload(uint8_t byte)
{
    payload[at++] = byte; /* the bug: the frame says how many, and nobody asks whether there is room */
    sum += byte;
    if (at == length)
        state = SUM;
}

static void end_frame(uint8_t byte)
{
    state = START;
    if (byte == sum)
        frame_received(payload, length);
    else
        errors++;
}

void parser_byte(uint8_t byte)
{
    switch (state) {
    case START:
        if (byte == 0x7e)
            state = LENGTH;
        break;
    case LENGTH:
        length = byte;
        at = sum = 0;
        state = length ? BYTES : SUM;
        break;
    case BYTES:
        take_payload(byte);
        break;
    case SUM:
        end_frame(byte);
        break;
    }
}

uint16_t parser_errors(void)
{
    return errors;
}
