/* LEACH (Heinzelman et al., 2002): in each round some nodes elect themselves heads of clusters, the others join the
 * head that they hear best, and send their data to it in time slots that it gives out. Node 0 is the base station: it
 * begins rounds and prints what heads send it. Ids are below 256.
 *
 *     message   kind 1 | round 1 | ...                                            (AM type 0x1e)
 *               ROUND                      from the base station, to all
 *               ADVERTISEMENT              from heads, to all
 *               JOIN                       to the head
 *               SCHEDULE  member 1 x n     from heads, to all: the first member sends in the first slot
 *               DATA      reading 2        to the head
 *               SUMMARY   members 1 | data 1     to the base station, at the end of a round
 *               DEBUG     members 1        to the base station, when the schedule has been sent
 *     line      leach ROUND HEAD MEMBERS DATA, head ROUND HEAD MEMBERS
 *
 * It has the two faults of CADeT (INFOCOM 2013, sections IV.B and IV.C); docs/leach.md finds them. */
#include "apps/base_station.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "drivers/uart.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"
#include "net/bytes.h"

#include <string.h>

#ifndef LEACH_JOIN_FIX
#define LEACH_JOIN_FIX 0 /* 1: a long slot for joins, and random exponential backoff in it */
#endif
#ifndef LEACH_BUFFER_FIX
#define LEACH_BUFFER_FIX \
    0 /* 1: the shared buffer is left alone while it is being sent, and the schedule's slot is long */
#endif

enum { TYPE = 0x1e, KIND = 0, ROUND_NUMBER = 1, HEADER = 2 };
enum kind { ROUND = 1, ADVERTISEMENT, JOIN, SCHEDULE, DATA, SUMMARY, DEBUG };

/* A round, in milliseconds from the base station's message on. */
enum {
    BEGIN_MS = 2000, /* the first round */
    ROUND_MS = 5000,
    JOINS_AT = 200,
    JOIN_SLOT = LEACH_JOIN_FIX ? 1600 : 60,
    SCHEDULE_AT = JOINS_AT + JOIN_SLOT,
    SCHEDULE_SLOT = LEACH_BUFFER_FIX ? 300
                    : LEACH_JOIN_FIX ? 8
                                     : 10,
    SCHEDULE_SPREAD = 200, /* of the long slot */
    DATA_AT = 2200,
    DATA_SLOT = 25,
    CLUSTERS = 8, /* slots of clusters are this many times CLUSTER_STEP apart, in place of LEACH's spreading codes */
    CLUSTER_STEP = 3,
    SUMMARY_AT = 4500,
    SUMMARY_SPREAD = 400,
};
enum { ROUNDS_OF_CYCLE = 20 }; /* in which each node is head once: one in twenty nodes is, in the mean */
enum { MEMBERS = AM_PAYLOAD_MAX - HEADER, NOBODY = 0xffff };

enum state { IDLE, HEAD, MEMBER, TDMA, NO_TDMA };

static enum state state;
static uint8_t round_number;
static bool was_head; /* in this cycle */
static uint16_t head; /* whom this node joins */
static int8_t head_rssi;
static uint8_t joined; /* of a head: members */
static uint8_t heard;  /* of a head: data messages */
static uint8_t members[MEMBERS];
static uint16_t reading;
static uint16_t join_window; /* ticks */

static void message_sent(struct am_client *c, bool acked);

/* Only one message is sent at a time, so there is one buffer for all of them. */
static struct am_message out;
static struct am_client client = { .type = TYPE, .sent = message_sent };

static void next_state(void *unused);
static void send_join(void *unused);
static void send_data(void *unused);
static void send_schedule(void *unused);
static void send_summary(void *unused);
static struct timer slots = TIMER(next_state, NULL);
static struct timer joining = TIMER(send_join, NULL), slot = TIMER(send_data, NULL);             /* of a member */
static struct timer scheduling = TIMER(send_schedule, NULL), ending = TIMER(send_summary, NULL); /* of a head */
static uint32_t round_began;

static uint32_t ticks_of(uint16_t ms)
{
    return (uint32_t)ms * 4096 / 125;
}

/* ---- sending ---- */

/* False while the buffer's last message is still being sent. */
static bool begin_message(enum kind kind)
{
    if (LEACH_BUFFER_FIX && am_sending(&client))
        return false;
    out.payload[KIND] = (uint8_t)kind;
    out.payload[ROUND_NUMBER] = round_number;
    return !am_sending(&client);
}

static void send_advertisement(void)
{
    if (begin_message(ADVERTISEMENT))
        am_send(&client, &out, AM_BROADCAST, HEADER);
}

static void send_schedule(void *unused)
{
    (void)unused;
    if (!begin_message(SCHEDULE))
        return;
    memcpy(out.payload + HEADER, members, joined);
    am_send(&client, &out, AM_BROADCAST, (uint8_t)(HEADER + joined));
}

static void send_debug(void)
{
    if (!begin_message(DEBUG))
        return;
    out.payload[HEADER] = joined;
    am_send(&client, &out, BASE_STATION, HEADER + 1);
}

static void send_summary(void *unused)
{
    (void)unused;
    if (!begin_message(SUMMARY))
        return;
    out.payload[HEADER] = joined;
    out.payload[HEADER + 1] = heard;
    am_send(&client, &out, BASE_STATION, HEADER + 2);
}

static void send_data(void *unused)
{
    (void)unused;
    if (!begin_message(DATA))
        return;
    bytes_put16(out.payload + HEADER, reading++);
    am_send(&client, &out, head, HEADER + 2);
}

static void send_join(void *unused)
{
    (void)unused;
    if (begin_message(JOIN))
        am_send(&client, &out, head, HEADER);
}

/* At a random time in a window that doubles with each attempt, while the slot for joins lasts. */
static void join_later(void)
{
    uint32_t end = round_began + ticks_of(SCHEDULE_AT);
    uint32_t at = timer_now() + random_below(join_window);
    join_window *= 2;
    if (timer_before(at, end))
        timer_start_at(&joining, at);
}

static void message_sent(struct am_client *c, bool acked)
{
    (void)c;
    if (LEACH_JOIN_FIX && out.payload[KIND] == JOIN && !acked)
        join_later();
}

/* ---- a round ---- */

static bool elect(void)
{
    uint8_t place = round_number % ROUNDS_OF_CYCLE;
    if (place == 0)
        was_head = false;
    return !was_head && random_below(ROUNDS_OF_CYCLE - place) == 0;
}

static void no_slot(void)
{
    state = NO_TDMA;
    leds_set(LED_RED);
}

static void begin_joining(void)
{
    if (head == NOBODY)
        return; /* no cluster can be heard: this node has a holiday */
    if (LEACH_JOIN_FIX) {
        join_window = TIMER_MS(400);
        join_later();
    } else {
        send_join(NULL);
    }
}

/* What follows at which time: of a head and of the others. */
static void head_goes_on(uint16_t ms)
{
    switch (ms) {
    case SCHEDULE_AT:
        if (LEACH_BUFFER_FIX)
            timer_start_once(&scheduling, random_below(TIMER_MS(SCHEDULE_SPREAD)));
        else
            send_schedule(NULL);
        break;
    case SCHEDULE_AT + SCHEDULE_SLOT:
        send_debug();
        break;
    case SUMMARY_AT:
        timer_start_once(&ending, random_below(TIMER_MS(SUMMARY_SPREAD)));
        break;
    default:
        break;
    }
}

static void member_goes_on(uint16_t ms)
{
    if (ms == JOINS_AT)
        begin_joining();
    else if (ms == DATA_AT && state == MEMBER && head != NOBODY)
        no_slot();
}

static const uint16_t steps[] = { JOINS_AT, SCHEDULE_AT, SCHEDULE_AT + SCHEDULE_SLOT, DATA_AT, SUMMARY_AT };
static uint8_t step;

static void await_step(void)
{
    if (step < sizeof steps / sizeof *steps)
        timer_start_at(&slots, round_began + ticks_of(steps[step]));
}

static void next_state(void *unused)
{
    (void)unused;
    uint16_t ms = steps[step++];
    await_step();
    if (state == HEAD)
        head_goes_on(ms);
    else
        member_goes_on(ms);
}

static void begin_round(uint8_t number)
{
    round_number = number;
    round_began = timer_now();
    head = NOBODY;
    joined = heard = 0;
    timer_stop(&joining);
    timer_stop(&slot);
    state = elect() ? HEAD : MEMBER;
    was_head |= state == HEAD;
    leds_set(state == HEAD ? LED_BLUE : 0);
    if (state == HEAD)
        send_advertisement();
    step = 0;
    await_step();
}

/* ---- receiving ---- */

static void advertisement_received(const struct am_message *m)
{
    if (state != MEMBER || (head != NOBODY && m->footer.rssi <= head_rssi))
        return;
    head = m->source;
    head_rssi = m->footer.rssi;
}

/* After the slot for joins the schedule is made. */
static void join_received(const struct am_message *m)
{
    if (state != HEAD || step > 1)
        return;
    for (uint8_t i = 0; i < joined; i++)
        if (members[i] == m->source)
            return;
    if (joined < MEMBERS)
        members[joined++] = (uint8_t)m->source;
}

static void schedule_received(const struct am_message *m)
{
    if (state != MEMBER || m->source != head)
        return;
    for (uint8_t i = 0; i < m->payload_length - HEADER; i++) {
        if (m->payload[HEADER + i] != node_id)
            continue;
        state = TDMA;
        leds_set(LED_GREEN);
        timer_start_at(&slot,
                       round_began + ticks_of((uint16_t)(DATA_AT + i * DATA_SLOT + head % CLUSTERS * CLUSTER_STEP)));
        return;
    }
    no_slot();
}

static void data_received(void)
{
    if (state == HEAD)
        heard++;
}

static void report(const char *what, const struct am_message *m)
{
    if (!is_base_station())
        return;
    uart_text(what);
    uart_unsigned(m->payload[ROUND_NUMBER]);
    uart_text(" ");
    uart_unsigned(m->source);
    for (uint8_t i = HEADER; i < m->payload_length; i++) {
        uart_text(" ");
        uart_unsigned(m->payload[i]);
    }
    uart_end();
}

/* For the base station only: others drop it. */
static void debug_received(const struct am_message *m)
{
    report("head ", m);
}

static void received(const struct am_message *m)
{
    if (m->payload_length < HEADER)
        return;
    if (m->payload[KIND] == ROUND) {
        begin_round(m->payload[ROUND_NUMBER]);
        return;
    }
    if (m->payload[ROUND_NUMBER] != round_number)
        return;
    switch (m->payload[KIND]) {
    case ADVERTISEMENT:
        advertisement_received(m);
        break;
    case JOIN:
        join_received(m);
        break;
    case SCHEDULE:
        schedule_received(m);
        break;
    case DATA:
        data_received();
        break;
    case SUMMARY:
        report("leach ", m);
        break;
    case DEBUG:
        debug_received(m);
        break;
    default:
        break;
    }
}

static struct am_listener listener = { .type = TYPE, .received = received };

/* ---- the base station ---- */

static void send_round(void *unused)
{
    (void)unused;
    if (am_sending(&client))
        return;
    round_number++;
    if (begin_message(ROUND))
        am_send(&client, &out, AM_BROADCAST, HEADER);
}

static struct timer rounds = TIMER(send_round, NULL);

static void begin(void *unused)
{
    timer_start_periodic(&rounds, TIMER_MS(ROUND_MS));
    send_round(unused);
}

static struct timer beginning = TIMER(begin, NULL);

int main(void)
{
    board_start();
    uart_init();
    am_listen(&listener);
    am_start();
    if (is_base_station())
        timer_start_once(&beginning, TIMER_MS(BEGIN_MS));
    kernel_run();
}
