/* Directed diffusion (Intanagonwiwat et al., 2003): a sink says which data it is interested in, the interest spreads
 * through the network, and data flow back along the ways by which it came. Node 0 is the sink; nodes whose id is a
 * multiple of DIFFUSION_SOURCE (100) have what it is interested in, and the others forward.
 *
 *     message   INTEREST   interest 1 | hops 1                              to all     (AM type 0xdd, kind first)
 *               DATA       interest 1 | source 2 | time 2 | reading 2       to each parent
 *               ASK                                                         to all: who knows an interest?
 *     line      data SOURCE TIME READING
 *
 * TIME is the source's clock, in 1/256 s, when it read its sensor: what is not newer than the last was seen before,
 * and dropped.
 *
 * Two things are not handled well (CADeT, INFOCOM 2013, section IV.E): that time overflows, and that nodes reboot. To
 * the parent both look like messages that are lost; docs/diffusion.md tells them apart. */
#include "apps/base_station.h"
#include "drivers/adc12.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"
#include "net/bytes.h"

#include <string.h>

#ifndef DIFFUSION_FIX
#define DIFFUSION_FIX 0 /* 1: times are compared by their difference, and a node that boots asks for interests */
#endif
#ifndef DIFFUSION_SOURCE
#define DIFFUSION_SOURCE 100
#endif

enum { TYPE = 0xdd, KIND = 0, INTEREST_ID = 1, HEADER = 2, LIGHT = 7 };
enum kind { INTEREST = 1, DATA, ASK };
enum { INTERESTS = 4, PARENTS = 3, SOURCES = 8, QUEUE = 4, DATA_LENGTH = HEADER + 6 };

#define INTEREST_PERIOD (5 * TIMER_SECOND) /* the sink renews it: who has it already does not tell others again */
#define READING_PERIOD (2 * TIMER_SECOND)
#define FLOOD_SPREAD TIMER_MS(100)

/* The interest cache. The sink, too, has an entry, without parents. */
struct interest {
    uint8_t id; /* 0: free */
    uint8_t hops;
    uint8_t parents;
    uint16_t parent[PARENTS];
};
static struct interest interests[INTERESTS];

/* The data cache: the newest of each source. */
static struct {
    uint8_t interest; /* 0: free */
    uint16_t source, time;
} newest[SOURCES];
static uint8_t newest_next;

static void flood(void *unused);
static void flooded(struct am_client *c, bool acked);
static void send_next(struct am_client *c, bool acked);
static struct timer flooding = TIMER(flood, NULL);
static struct am_client flood_client = { .type = TYPE, .sent = flooded },
                        data_client = { .type = TYPE, .sent = send_next };
static struct am_message flood_message, data_message;
static struct interest *to_flood;

/* Data that wait, each for one parent. */
static struct {
    uint16_t to;
    uint8_t payload[DATA_LENGTH];
} queue[QUEUE];
static uint8_t queue_first, queue_count;

/* ---- interests ---- */

static struct interest *interest_of(uint8_t id)
{
    for (uint8_t i = 0; i < INTERESTS; i++)
        if (interests[i].id == id)
            return &interests[i];
    return NULL;
}

static void flooded(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
}

static void flood(void *unused)
{
    (void)unused;
    if (am_sending(&flood_client))
        return;
    flood_message.payload[KIND] = INTEREST;
    flood_message.payload[INTEREST_ID] = to_flood->id;
    flood_message.payload[HEADER] = to_flood->hops;
    am_send(&flood_client, &flood_message, AM_BROADCAST, HEADER + 1);
}

static void flood_soon(struct interest *i)
{
    to_flood = i;
    timer_start_once(&flooding, random_below(FLOOD_SPREAD));
}

static void add_parent(struct interest *i, uint16_t parent)
{
    for (uint8_t at = 0; at < i->parents; at++)
        if (i->parent[at] == parent)
            return;
    if (i->parents < PARENTS)
        i->parent[i->parents++] = parent;
}

static void interest_received(const struct am_message *m)
{
    uint8_t id = m->payload[INTEREST_ID], hops = m->payload[HEADER] + 1;
    struct interest *i = interest_of(id);
    bool new = !i;
    if (new && !(i = interest_of(0)))
        return;
    if (new || hops < i->hops)
        *i = (struct interest){ .id = id, .hops = hops };
    if (hops == i->hops)
        add_parent(i, m->source);
    if (new)
        flood_soon(i);
}

/* ---- data ---- */

static void send_first(void)
{
    memcpy(data_message.payload, queue[queue_first].payload, DATA_LENGTH);
    if (am_send(&data_client, &data_message, queue[queue_first].to, DATA_LENGTH)) {
        queue_first = (queue_first + 1) % QUEUE;
        queue_count--;
    }
}

static void send_next(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
    if (queue_count)
        send_first();
}

static void send_data(uint16_t parent, const uint8_t *payload)
{
    if (queue_count == QUEUE)
        return;
    uint8_t at = (queue_first + queue_count++) % QUEUE;
    queue[at].to = parent;
    memcpy(queue[at].payload, payload, DATA_LENGTH);
    if (!am_sending(&data_client))
        send_first();
}

static void drop_without_interest(void)
{
    leds_toggle(LED_RED);
}

static void drop_old(void)
{
    leds_toggle(LED_BLUE);
}

static bool is_newer(uint16_t time, uint16_t last)
{
    return DIFFUSION_FIX ? (int16_t)(time - last) > 0 : time > last;
}

/* Whether it is new, which is remembered. */
static bool enter_in_cache(uint8_t interest, uint16_t source, uint16_t time)
{
    for (uint8_t i = 0; i < SOURCES; i++) {
        if (newest[i].interest != interest || newest[i].source != source)
            continue;
        if (!is_newer(time, newest[i].time))
            return false;
        newest[i].time = time;
        return true;
    }
    newest[newest_next].interest = interest;
    newest[newest_next].source = source;
    newest[newest_next].time = time;
    newest_next = (newest_next + 1) % SOURCES;
    return true;
}

static void deliver(const uint8_t *payload)
{
    uart_text("data ");
    for (uint8_t at = HEADER; at < DATA_LENGTH; at += 2) {
        uart_unsigned(bytes_get16(payload + at));
        uart_text(" ");
    }
    uart_end();
}

static void send_to_parents(const struct interest *i, const uint8_t *payload)
{
    for (uint8_t at = 0; at < i->parents; at++)
        send_data(i->parent[at], payload);
}

static void data_received(const uint8_t *payload)
{
    struct interest *i = interest_of(payload[INTEREST_ID]);
    if (!i) {
        drop_without_interest();
        return;
    }
    if (!enter_in_cache(i->id, bytes_get16(payload + HEADER), bytes_get16(payload + HEADER + 2))) {
        drop_old();
        return;
    }
    if (is_base_station())
        deliver(payload);
    send_to_parents(i, payload);
}

/* ---- the source ---- */

static void light_read(uint16_t value)
{
    uint8_t payload[DATA_LENGTH] = { DATA, LIGHT };
    struct interest *i = interest_of(LIGHT);
    bytes_put16(payload + HEADER, node_id);
    bytes_put16(payload + HEADER + 2, (uint16_t)(timer_now() / 128));
    bytes_put16(payload + HEADER + 4, value);
    if (i)
        send_to_parents(i, payload);
    else
        drop_without_interest();
}

static void read_light(void *unused)
{
    (void)unused;
    adc12_read(ADC12_VISIBLE_LIGHT, light_read);
}

static struct timer reading = TIMER(read_light, NULL);

/* ---- all ---- */

static void ask(void)
{
    flood_message.payload[KIND] = ASK;
    flood_message.payload[INTEREST_ID] = 0;
    am_send(&flood_client, &flood_message, AM_BROADCAST, HEADER);
}

static void asked(void)
{
    if (interests[0].id)
        flood_soon(&interests[0]);
}

static void received(const struct am_message *m)
{
    if (m->payload_length < HEADER)
        return;
    if (m->payload[KIND] == INTEREST && m->payload_length == HEADER + 1 && m->payload[INTEREST_ID])
        interest_received(m);
    else if (m->payload[KIND] == DATA && m->payload_length == DATA_LENGTH)
        data_received(m->payload);
    else if (m->payload[KIND] == ASK)
        asked();
}

static struct am_listener listener = { .type = TYPE, .received = received };

static void express_interest(void *unused)
{
    (void)unused;
    interests[0] = (struct interest){ .id = LIGHT };
    flood_soon(&interests[0]);
}

static struct timer expressing = TIMER(express_interest, NULL);

/* A sign of life. */
static void beat(void *unused)
{
    (void)unused;
    leds_toggle(LED_GREEN);
}

static struct timer beating = TIMER(beat, NULL);

static void begin(void)
{
    timer_start_periodic(&beating, TIMER_SECOND);
    am_listen(&listener);
    am_start();
    if (is_base_station())
        timer_start_periodic(&expressing, INTEREST_PERIOD);
    else if (node_id % DIFFUSION_SOURCE == 0)
        timer_start_periodic(&reading, READING_PERIOD);
    if (DIFFUSION_FIX && !is_base_station())
        ask();
}

int main(void)
{
    board_start();
    uart_init();
    begin();
    kernel_run();
}
