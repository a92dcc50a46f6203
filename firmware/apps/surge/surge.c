/* Surge: every node sends a light reading to the base station every two seconds, and obeys commands that the base
 * station takes from its UART and disseminates.
 *
 *     message   number 2 | reading 2 | parent 2 | ETX 2                       (collection type 0x51)
 *     line      surge ORIGIN NUMBER READING PARENT ETX
 *     command   rate MS      readings are MS milliseconds apart, 100 ... 60000
 *               freeze       no more readings
 *               go           readings again
 *               focus NODE   NODE shows its blue LED, the others none
 *               freeze-log   nodes that record keep what they have recorded so far
 *
 *     disseminated (key 0x5501): what 1 | argument 2 */
#include "apps/base_station.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/recorder.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/bytes.h"
#include "net/ctp.h"
#include "net/dissemination.h"

enum { TYPE = 0x51, MESSAGE = 8, COMMAND_KEY = 0x5501, COMMAND = 3 };
enum { PERIOD_MS = 2000, SHORTEST_MS = 100, LONGEST_MS = 60000 };
enum what { RATE, FREEZE, GO, FOCUS, FREEZE_LOG, WHATS };

static const char *const names[WHATS] = { "rate", "freeze", "go", "focus", "freeze-log" };

static uint16_t number;
static uint16_t period_ms = PERIOD_MS;
static bool frozen;

static void received(uint16_t origin, uint8_t type, const uint8_t *payload, uint8_t length)
{
    if (type != TYPE || length != MESSAGE)
        return;
    uart_text("surge ");
    uart_unsigned(origin);
    for (uint8_t at = 0; at < MESSAGE; at += 2) {
        uart_text(" ");
        uart_unsigned(bytes_get16(payload + at));
    }
    uart_end();
}

static void light_read(uint16_t value)
{
    uint8_t message[MESSAGE];
    bytes_put16(message, number++);
    bytes_put16(message + 2, value);
    bytes_put16(message + 4, ctp_routes.parent);
    bytes_put16(message + 6, ctp_routes_etx(&ctp_routes));
    leds_toggle(ctp_send(TYPE, message, MESSAGE) ? LED_GREEN : LED_RED);
}

static void read_light(void *unused)
{
    (void)unused;
    adc12_read(ADC12_VISIBLE_LIGHT, light_read);
}

static struct timer sampling = TIMER(read_light, NULL);

static void begin_sampling(void *unused)
{
    (void)unused;
    if (!frozen)
        timer_start_periodic(&sampling, (uint32_t)period_ms * TIMER_SECOND / 1000);
}

static struct timer phase = TIMER(begin_sampling, NULL);

/* At a moment of each node's own, so that not all answer at once. */
static void begin_sampling_soon(void)
{
    timer_stop(&sampling);
    timer_start_once(&phase, random_below(TIMER_SECOND));
}

static void obey(const uint8_t *command)
{
    uint16_t argument = bytes_get16(command + 1);
    switch (command[0]) {
    case RATE:
        period_ms = argument;
        break;
    case FREEZE:
        frozen = true;
        break;
    case GO:
        frozen = false;
        break;
    case FOCUS:
        leds_set(argument == node_id ? LED_BLUE : 0);
        return;
    case FREEZE_LOG:
        hc_freeze(HC_FREEZE_COMMAND);
        return;
    default:
        return;
    }
    begin_sampling_soon();
}

static struct dissemination commands = { .key = COMMAND_KEY, .length = COMMAND, .changed = obey };

/* The length of NAME if LINE begins with that word, else 0. */
static uint8_t match(const char *line, const char *name)
{
    uint8_t n = 0;
    while (name[n] && line[n] == name[n])
        n++;
    return name[n] == 0 && (line[n] == 0 || line[n] == ' ') ? n : 0;
}

/* False when there is no number, or it is too great. */
static bool parse(const char *text, uint16_t *value)
{
    uint32_t sum = 0;
    while (*text == ' ')
        text++;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        sum = sum * 10 + (uint8_t)(*text - '0');
        if (sum > UINT16_MAX)
            return false;
    }
    *value = (uint16_t)sum;
    return true;
}

static bool understood(const char *line, uint8_t *command)
{
    uint8_t length = 0;
    uint16_t argument = 0;
    command[0] = 0;
    while (command[0] < WHATS && !(length = match(line, names[command[0]])))
        command[0]++;
    if (command[0] == WHATS)
        return false;
    bool wants_number = command[0] == RATE || command[0] == FOCUS;
    if (wants_number ? !parse(line + length, &argument) : line[length] != 0)
        return false;
    if (command[0] == RATE && (argument < SHORTEST_MS || argument > LONGEST_MS))
        return false;
    bytes_put16(command + 1, argument);
    return true;
}

static void line_received(char *line)
{
    uint8_t command[COMMAND];
    if (!understood(line, command)) {
        uart_line("surge: rate MS (100 ... 60000) | freeze | go | focus NODE | freeze-log");
        return;
    }
    dissemination_set(&commands, command);
    obey(command);
    uart_line("surge: sent");
}

int main(void)
{
    board_start();
    uart_init();
    am_start();
    ctp_start(is_base_station() ? received : NULL);
    dissemination_add(&commands);
    if (is_base_station())
        uart_listen(line_received);
    begin_sampling_soon();
    kernel_run();
}
