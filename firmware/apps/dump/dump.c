/* Lets a host read the flash chip, over the UART: `hindcast fetch`. protocol.h says how.
 *
 * It reads only. The chip's commands are listed below, and none of them writes; between requests the chip sleeps. The
 * green LED is lit while a request is answered. */
#include "apps/dump/protocol.h"

#include "drivers/board.h"
#include "drivers/clock.h"
#include "drivers/ds2411.h"
#include "drivers/leds.h"
#include "drivers/spi.h"

#include <kit.h>
#include <stdbool.h>

#ifdef __HINDCAST__
#error a recorder would write the chip that this program must leave as it is
#endif

#ifndef DUMP_BAUD
#define DUMP_BAUD 115200
#endif
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static const char banner[] =
    "\r\n" DUMP_BANNER " 1, " TEXT(DUMP_BAUD) " baud. Read this mote's flash chip with: hindcast "
                                              "fetch PORT -o node.flash\r\n";

/* ---- requests: gathered by the handler, one at a time ---- */

static struct {
    char text[DUMP_LINE_MAX];
    volatile uint8_t length; /* DUMP_LINE_MAX: it is none, and does not have to end: the host may have another rate */
    volatile bool complete;  /* what comes until line_next is lost */
} line;

KIT_INTERRUPT(USART1RX_VECTOR) void line_receive(void)
{
    char c = (char)RXBUF1;
    if (line.complete || (c == '\n' && !line.length))
        return;
    line.complete = c == '\n' || c == '\r' || line.length == DUMP_LINE_MAX;
    if (!line.complete)
        line.text[line.length++] = c;
    if (line.complete)
        KIT_WAKE_ON_EXIT();
}

static void line_await(void)
{
    for (;;) {
        kit_disable_interrupts();
        if (line.complete)
            break;
        kit_sleep(LPM0_bits | GIE);
    }
    kit_enable_interrupts();
}

static void line_next(void)
{
    line.length = 0;
    line.complete = false;
}

struct request {
    char verb; /* 0: it is none */
    uint32_t address;
    uint16_t count;
};

/* DIGITS of lower-case hex; false if they are not. */
static bool parse_hex(const char *text, uint8_t digits, uint32_t *value)
{
    *value = 0;
    for (; digits; digits--, text++) {
        uint8_t digit = (uint8_t)(*text - '0');
        if (digit > 9)
            digit = (uint8_t)(*text - 'a' + 10);
        if (digit > 15 || (digit > 9 && *text < 'a'))
            return false;
        *value = *value << 4 | digit;
    }
    return true;
}

static bool has_good_crc(uint8_t length)
{
    uint16_t crc = DUMP_CRC_START;
    uint32_t given;
    for (uint8_t i = 0; i < length; i++)
        crc = dump_crc(crc, (uint8_t)line.text[i]);
    return line.length == length + 5 && line.text[length] == ' ' && parse_hex(line.text + length + 1, 4, &given) &&
           given == crc;
}

static struct request parse(void)
{
    enum { IDENTIFY_LENGTH = 1, READ_LENGTH = 13 };
    struct request none = { 0, 0, 0 }, request = { line.text[0], 0, 0 };
    uint32_t count;

    if (request.verb == 'i')
        return has_good_crc(IDENTIFY_LENGTH) ? request : none;
    if ((request.verb != 'r' && request.verb != 's') || !has_good_crc(READ_LENGTH) ||
        !parse_hex(line.text + 2, 6, &request.address) || !parse_hex(line.text + 9, 4, &count) || !count ||
        count > DUMP_COUNT_MAX)
        return none;
    request.count = (uint16_t)count;
    return request;
}

/* ---- the chip ---- */

enum { SELECT = BIT4 }; /* P4 */
enum { READ = 0x03, RDSR = 0x05, RDID = 0x9f, RES = 0xab, DP = 0xb9 };
enum { WIP = 0x01, WAKE_US = 30 };

static void chip_begin(uint8_t command)
{
    P4OUT &= (uint8_t)~SELECT;
    spi_put(command);
}

static void chip_end(void)
{
    P4OUT |= SELECT;
}

static void chip_seek(uint32_t address)
{
    chip_begin(READ);
    spi_put((uint8_t)(address >> 16));
    spi_put((uint8_t)(address >> 8));
    spi_put((uint8_t)address);
}

/* Returns its signature. */
static uint8_t chip_wake(void)
{
    chip_begin(RES);
    for (uint8_t i = 0; i < 3; i++)
        spi_put(0);
    uint8_t signature = spi_exchange(0);
    chip_end();
    clock_spin(WAKE_US);
    return signature;
}

static uint8_t chip_status(void)
{
    chip_begin(RDSR);
    uint8_t status = spi_exchange(0);
    chip_end();
    return status;
}

static void chip_sleep(void)
{
    chip_begin(DP);
    chip_end();
}

static bool chip_is_blank(uint32_t address, uint16_t count)
{
    chip_seek(address);
    while (count && spi_exchange(0) == 0xff)
        count--;
    chip_end();
    return !count;
}

/* ---- answers ---- */

static uint16_t frame_crc;

static void frame_put(uint8_t byte)
{
    kit_put_char((char)byte);
    frame_crc = dump_crc(frame_crc, byte);
}

static void frame_put_word(uint16_t word)
{
    frame_put((uint8_t)(word >> 8));
    frame_put((uint8_t)word);
}

static void frame_begin(uint8_t kind, uint32_t address, uint16_t count)
{
    kit_put_char(DUMP_SOH);
    frame_crc = DUMP_CRC_START;
    frame_put(kind);
    frame_put((uint8_t)(address >> 16));
    frame_put_word((uint16_t)address);
    frame_put_word(count);
}

static void frame_end(void)
{
    frame_put_word(frame_crc);
}

static uint8_t serial[6]; /* low byte first */

static void answer_identity(uint8_t signature)
{
    frame_begin(DUMP_IDENTITY, 0, DUMP_ID_LENGTH);
    frame_put(DUMP_VERSION);
    frame_put(signature);
    chip_begin(RDID);
    for (uint8_t i = 0; i < 3; i++)
        frame_put(spi_exchange(0));
    chip_end();
    frame_put(chip_status());
    for (uint8_t i = sizeof serial; i; i--)
        frame_put(serial[i - 1]);
    frame_put_word(node_id);
    frame_end();
}

/* From the chip to the line, byte by byte: the line is slower. */
static void answer_data(uint32_t address, uint16_t count)
{
    frame_begin(DUMP_DATA, address, count);
    chip_seek(address);
    for (; count; count--)
        frame_put(spi_exchange(0));
    chip_end();
    frame_end();
}

static void answer_blank(uint32_t address, uint16_t count)
{
    if (!count)
        return;
    frame_begin(DUMP_BLANK, address, count);
    frame_end();
}

static void answer_read(uint32_t address, uint16_t count)
{
    uint16_t blank = 0; /* bytes before ADDRESS, of which the host does not know yet */

    while (count && !line.complete) {
        uint16_t n = count < DUMP_PAYLOAD_MAX ? count : DUMP_PAYLOAD_MAX;
        if (chip_is_blank(address, n)) {
            blank += n;
        } else {
            answer_blank(address - blank, blank);
            blank = 0;
            answer_data(address, n);
        }
        address += n;
        count -= n;
    }
    answer_blank(address - blank, blank);
}

static void answer_sums(uint32_t address, uint16_t count)
{
    struct dump_sum sum = { 0, 0 };

    chip_seek(address);
    for (uint16_t i = count; i; i--)
        dump_sum(&sum, spi_exchange(0));
    chip_end();
    frame_begin(DUMP_SUMS, address, count);
    frame_put_word(sum.bytes);
    frame_put_word(sum.sums);
    frame_end();
}

static void answer_request(const struct request *request)
{
    uint8_t signature = chip_wake(), status = chip_status();

    if (request->verb == 'i') {
        answer_identity(signature);
    } else if (status & WIP) {
        frame_begin(DUMP_WAIT, request->address, status);
        frame_end();
    } else if (request->verb == 'r') {
        answer_read(request->address, request->count);
    } else {
        answer_sums(request->address, request->count);
    }
    chip_sleep();
}

/* The DCO drifts as the mote warms up: it is set again for each answer, while the host waits and the line is silent. */
static void tune(void)
{
    kit_uart_drain();
    kit_disable_interrupts();
    clock_calibrate();
    kit_enable_interrupts();
}

int main(void)
{
    board_start();
    ds2411_read(serial);
    kit_uart_init(CLOCK_HZ, DUMP_BAUD);
    IE2 |= URXIE1;
    kit_put(banner);
    for (;;) {
        line_await();
        tune();
        struct request request = parse();
        line_next();
        leds_set(LED_GREEN);
        if (request.verb)
            answer_request(&request);
        else
            kit_put(banner);
        leds_set(0);
    }
}
