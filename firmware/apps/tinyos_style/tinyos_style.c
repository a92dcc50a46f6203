/* A small radio stack in the style of TinyOS, and a program on it: where its components call hc_message_send and
 * hc_message_receive (docs/order.md).
 *
 *     App                  counts; sends its count to everybody, and to a neighbour that it has heard
 *     ActiveMessage        headers, types
 *     Unique               a number for each message; drops what came before
 *     Link                 repeats a message until it is acknowledged, TRIES times
 *     Csma                 the kit's: carrier sense, one attempt
 *
 * Components use each other by commands, which return at once, and are told by events that it is done (split phase).
 * Which component is below or above is wired at the end of each by macros. A message_t has room for every layer's
 * header and metadata, and belongs to the stack from send to sendDone. With STACK_DSN the number of a message is that
 * of its frame. */
#include "../../../runtime/messages.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/csma.h"

#include <kit.h>

enum { CHANNEL = 21, PAN = 0x2210, AM_BROADCAST_ADDR = 0xffff, AM_COUNT = 6, TRIES = 4, RECENT = 8 };

typedef enum { SUCCESS, FAIL, EBUSY } error_t;

/* ---- message_t ---- */

enum { DATA_LENGTH = 8, DATA_FRAME = 0x41, ACK_REQUEST = 0x20, SHORT_ADDRESSES = 0x88, TINYOS_NETWORK = 0x3f };

typedef struct {
    struct {
        uint8_t length, fcf[2], dsn, destpan[2], dest[2], src[2], network, type;
#if !STACK_DSN
        uint8_t number; /* at its end, so that all others are where they were */
#endif
    } header; /* as the radio has it */
    uint8_t data[DATA_LENGTH];
    uint8_t fcs[CC2420_FCS];
    struct {
        uint8_t tries;
        bool acked;
    } metadata;
} message_t;

static uint8_t header_size(void)
{
    return sizeof((message_t *)0)->header - 1; /* without the length itself */
}

static void put_word(uint8_t to[2], uint16_t word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
}

static uint16_t word(const uint8_t from[2])
{
    return (uint16_t)(from[0] | from[1] << 8);
}

/* ---- Link: events first, as components above are told by them ---- */

static void Unique_sendDone(message_t *m, error_t error);
static void Unique_receive(message_t *m);

static message_t *link_sending;

static error_t Link_send(message_t *m)
{
    if (link_sending)
        return EBUSY;
    link_sending = m;
    m->metadata.tries = 0;
    return csma_send(&m->header.length, 0) ? SUCCESS : FAIL;
}

static void Link_done(void *result)
{
    message_t *m = link_sending;

    link_sending = NULL;
    Unique_sendDone(m, result ? FAIL : SUCCESS);
}

static void Csma_sendDone(enum csma_result result)
{
    message_t *m = link_sending;

    m->metadata.acked = result == CSMA_SENT && m->header.fcf[0] & ACK_REQUEST;
    if (result == CSMA_NO_ACK && ++m->metadata.tries < TRIES)
        csma_send(&m->header.length, 0);
    else
        task_post(Link_done, result == CSMA_SENT ? NULL : m);
}

static void Csma_receive(const uint8_t *frame, const struct cc2420_footer *footer)
{
    static message_t buffer;

    (void)footer;
    if (frame[0] < header_size() + CC2420_FCS || frame[0] > header_size() + DATA_LENGTH + CC2420_FCS)
        return;
    memcpy(&buffer.header, frame, 1 + frame[0] - CC2420_FCS);
    Unique_receive(&buffer);
}

/* ---- Unique ---- */

static void ActiveMessage_sendDone(message_t *m, error_t error);
static void ActiveMessage_receive(message_t *m);

static uint8_t unique_next;

static error_t Unique_send(message_t *m)
{
    m->header.dsn = unique_next++;
#if STACK_DSN
    hc_message_sent(node_id, word(m->header.dest), m->header.dsn);
#endif
    return Link_send(m);
}

static void Unique_sendDone(message_t *m, error_t error)
{
    ActiveMessage_sendDone(m, error);
}

static void Unique_receive(message_t *m)
{
    static struct {
        uint16_t source;
        uint8_t dsn;
    } recent[RECENT] = { [0 ... RECENT - 1] = { AM_BROADCAST_ADDR, 0 } };
    static uint8_t next;
    uint16_t source = word(m->header.src);

    for (uint8_t i = 0; i < RECENT; i++)
        if (recent[i].source == source && recent[i].dsn == m->header.dsn)
            return;
    recent[next].source = source;
    recent[next].dsn = m->header.dsn;
    next = (next + 1) % RECENT;
    ActiveMessage_receive(m);
}

/* ---- ActiveMessage ---- */

static void App_sendDone(message_t *m, error_t error);
static void App_receive(message_t *m, uint16_t source, uint16_t destination);

static bool active_busy;

/* A message is numbered here, once; the layers below repeat the same frame. */
static error_t ActiveMessage_send(uint16_t to, message_t *m, uint8_t type, uint8_t length)
{
    if (active_busy || length > DATA_LENGTH)
        return active_busy ? EBUSY : FAIL;
    active_busy = true;
    m->header.length = (uint8_t)(header_size() + length + CC2420_FCS);
    m->header.fcf[0] = to == AM_BROADCAST_ADDR ? DATA_FRAME : DATA_FRAME | ACK_REQUEST;
    m->header.fcf[1] = SHORT_ADDRESSES;
    put_word(m->header.destpan, PAN);
    put_word(m->header.dest, to);
    put_word(m->header.src, node_id);
    m->header.network = TINYOS_NETWORK;
    m->header.type = type;
#if !STACK_DSN
    m->header.number = hc_message_send(node_id, to);
#endif
    return Unique_send(m);
}

static void ActiveMessage_sendDone(message_t *m, error_t error)
{
    active_busy = false;
    App_sendDone(m, error);
}

static void ActiveMessage_receive(message_t *m)
{
    uint16_t source = word(m->header.src), destination = word(m->header.dest);

    if ((m->header.fcf[0] & ~ACK_REQUEST) != DATA_FRAME || m->header.network != TINYOS_NETWORK)
        return;
#if STACK_DSN
    hc_message_receive(source, destination, m->header.dsn);
#else
    hc_message_receive(source, destination, m->header.number);
#endif
    if (m->header.type == AM_COUNT)
        App_receive(m, source, destination);
}

/* ---- App ---- */

static message_t app_message;
static uint16_t app_count, app_neighbour = AM_BROADCAST_ADDR;

static error_t App_send(uint16_t to)
{
    put_word(app_message.data, app_count);
    return ActiveMessage_send(to, &app_message, AM_COUNT, sizeof app_count);
}

static void App_fired(void *unused)
{
    (void)unused;
    app_count++;
    leds_set(app_count & LED_ALL);
    App_send(AM_BROADCAST_ADDR);
}

/* After each fourth broadcast the neighbour that was heard last gets a message of its own. */
static void App_sendDone(message_t *m, error_t error)
{
    (void)error;
    if (word(m->header.dest) == AM_BROADCAST_ADDR && app_neighbour != AM_BROADCAST_ADDR && !(app_count & 3))
        App_send(app_neighbour);
}

static void App_receive(message_t *m, uint16_t source, uint16_t destination)
{
    (void)m;
    if (destination == AM_BROADCAST_ADDR)
        app_neighbour = source;
}

static struct timer app_timer = TIMER(App_fired, NULL);

static void Csma_startDone(void)
{
    if (!timer_running(&app_timer))
        timer_start_periodic(&app_timer, TIMER_MS(1000) + random_below(TIMER_MS(100)));
}

int main(void)
{
    static struct cc2420_config config = { .channel = CHANNEL, .power = CC2420_POWER_MAX, .pan = PAN };
    static const struct csma_events events = { .received = Csma_receive, .sent = Csma_sendDone };

    board_start();
    config.address = node_id;
    unique_next = (uint8_t)random16();
    csma_init(&config, &events, Csma_startDone, NULL);
    csma_on();
    kernel_run();
}
