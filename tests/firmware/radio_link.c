/* Node 1 sends COUNT numbered messages to node 2, one every PERIOD ms, and a broadcast after every tenth; node 2 and
 * all others check what they receive. Meanwhile (FLASH) every node writes pages to its flash chip and reads them back,
 * over the SPI bus that the radio needs. result: 0 acked, 1 not acked, 2 received, 3 out of order, 4 wrong contents, 5
 * broadcasts received, 6 pages checked, 7 pages that differed, 8 frames without a time, 9 last RSSI */
#include "drivers/board.h"
#include "drivers/m25p80.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"

#ifndef PERIOD
#define PERIOD 50
#endif
#ifndef COUNT
#define COUNT 100
#endif
#ifndef RIVALS
#define RIVALS 0
#endif
#ifndef FLASH
#define FLASH 0
#endif

enum { TYPE = 7, LENGTH = 20, SENDER = 1, RECEIVER = 2, NODES = 3 };

volatile uint16_t result[10];
volatile uint32_t broadcast_sent_at, broadcast_received_at;
static uint16_t number;
static struct am_message message, news;

/* ---- messages ---- */

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    result[acked ? 0 : 1]++;
}

static void news_sent(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
    broadcast_sent_at = cc2420_sfd_time();
}

static struct am_client client = { .type = TYPE, .sent = sent }, newsman = { .type = TYPE, .sent = news_sent };

static void received(const struct am_message *m)
{
    static uint16_t last[NODES + 1];
    uint16_t value = (uint16_t)(m->payload[0] | m->payload[1] << 8);
    if (!m->footer.timed)
        result[8]++;
    result[9] = (uint16_t)m->footer.rssi;
    if (m->destination == AM_BROADCAST) {
        result[5]++;
        broadcast_received_at = m->footer.time;
        return;
    }
    result[2]++;
    result[3] += value != (uint16_t)(last[m->source] + 1);
    last[m->source] = value;
    for (uint8_t i = 2; i < LENGTH; i++)
        result[4] += m->payload[i] != (uint8_t)(value + i);
    result[4] += m->payload_length != LENGTH || (!RIVALS && m->source != SENDER);
}

static struct am_listener listener = { .type = TYPE, .received = received };

static void send(void *unused);
static struct timer sending = TIMER(send, NULL);

static void send(void *unused)
{
    (void)unused;
    if (am_sending(&client))
        return;
    if (number == COUNT) {
        timer_stop(&sending);
        return;
    }
    number++;
    message.payload[0] = (uint8_t)number;
    message.payload[1] = (uint8_t)(number >> 8);
    for (uint8_t i = 2; i < LENGTH; i++)
        message.payload[i] = (uint8_t)(number + i);
    am_send(&client, &message, RECEIVER, LENGTH);
    if (number % 10 == 0)
        am_send(&newsman, &news, AM_BROADCAST, 2);
}

/* ---- flash ---- */

static uint8_t out[M25P80_PAGE], in[M25P80_PAGE];
static uint32_t address;

static void write_page(void);

static void check_page(void)
{
    result[6]++;
    result[7] += memcmp(out, in, sizeof out) != 0;
    address += M25P80_PAGE;
    write_page();
}

static void read_page(void)
{
    m25p80_read(address, in, sizeof in, check_page);
}

static void write_page(void)
{
    for (uint16_t i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)((address >> 8) * 3 + i);
    m25p80_write(address, out, sizeof out, read_page);
}

int main(void)
{
    board_start();
    am_listen(&listener);
    am_start();
    if (node_id == SENDER || (RIVALS && node_id != RECEIVER))
        timer_start_periodic(&sending, TIMER_MS(PERIOD));
    if (FLASH)
        write_page();
    kernel_run();
}
