/* Pursuer and evader: nodes watch for an intruder, agree on who is nearest to it, and that one alerts the base station,
 * node 0.
 *
 * All nodes look at the same times, every two seconds of the base station's clock, which it tells in CLOCK messages.
 * Who sees something (light above a threshold) tells the neighbours how strong it is, and decides 300 ms later:
 *
 *     nobody else has seen it      a false alarm of its own sensor
 *     others saw it less well      it is the leader, and alerts the base station
 *     others saw it better         one of them is the leader
 *
 *     message   CLOCK      time 4                      from the base station, to all      (AM type 0x9e, kind first)
 *               DETECTION  signal 2                    to all
 *               ALERT      signal 2                    to the base station
 *               CONFIRM    leader 2                    from the base station, to all
 *     line      alert LEADER SIGNAL
 *
 * With links that work one way only, without a common clock, or when the leader's link to the base station fails, an
 * intruder gets through (CADeT, INFOCOM 2013, section IV.D); docs/pursuer.md tells these apart. */
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

#ifndef PURSUER_FIX
#define PURSUER_FIX \
    0 /* 1: who has no common clock does not take part, and who hears no CONFIRM alerts in the leader's place */
#endif

enum { TYPE = 0x9e, KIND = 0, HEADER = 1 };
enum kind { CLOCK = 1, DETECTION, ALERT, CONFIRM };
enum { THRESHOLD = 200 }; /* of the light sensor's 4095 */
enum { HEARD = 8 };

#define EPOCH (2 * TIMER_SECOND) /* a power of two: it divides the span of the clock */
#define CLOCK_PERIOD (300 * TIMER_SECOND)
#define TELL_SPREAD TIMER_MS(60)
#define DECIDE_AFTER TIMER_MS(300)
#define PATIENCE TIMER_MS(200) /* for a CONFIRM, and for each node that should alert before this one */

static uint32_t offset; /* the base station's clock less this node's */
static bool synchronised;
static uint16_t signal; /* seen by this node in this epoch; 0: nothing */
static struct {
    uint16_t from, signal;
    uint32_t at;
} heard[HEARD]; /* what neighbours saw: the last of it, in turn */
static uint8_t heard_next;
static bool confirmed;

static void look(void *unused);
static void send_detection(void *unused);
static void decide(void *unused);
static void take_over(void *unused);
static struct timer looking = TIMER(look, NULL), telling = TIMER(send_detection, NULL), deciding = TIMER(decide, NULL),
                    waiting = TIMER(take_over, NULL);

/* ---- sending: each kind has a buffer and a turn of its own ---- */

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    leds_set(acked ? LED_GREEN : 0);
}

static struct am_client detection_client = { .type = TYPE, .sent = sent },
                        alert_client = { .type = TYPE, .sent = sent }, base_client = { .type = TYPE, .sent = sent };
static struct am_message detection, alert, base;

static void send_detection(void *unused)
{
    (void)unused;
    if (am_sending(&detection_client))
        return;
    detection.payload[KIND] = DETECTION;
    bytes_put16(detection.payload + HEADER, signal);
    am_send(&detection_client, &detection, AM_BROADCAST, HEADER + 2);
}

static void send_alert(void)
{
    if (am_sending(&alert_client))
        return;
    alert.payload[KIND] = ALERT;
    bytes_put16(alert.payload + HEADER, signal);
    am_send(&alert_client, &alert, BASE_STATION, HEADER + 2);
}

/* ---- who leads ---- */

static void false_alarm(void)
{
    leds_set(LED_RED);
}

static void lead(void)
{
    leds_set(LED_BLUE);
    send_alert();
}

static void follow(void)
{
    leds_set(LED_ALL);
}

static void take_over(void *unused)
{
    (void)unused;
    if (!confirmed)
        send_alert();
}

static bool is_better(uint8_t i)
{
    return heard[i].signal > signal || (heard[i].signal == signal && heard[i].from < node_id);
}

/* What came within the last epoch counts: a neighbour may look a little earlier. */
static void decide(void *unused)
{
    (void)unused;
    uint32_t now = timer_now();
    uint8_t neighbours = 0, better = 0;
    for (uint8_t i = 0; i < HEARD; i++) {
        if (!heard[i].signal || now - heard[i].at >= EPOCH)
            continue;
        neighbours++;
        better += is_better(i);
    }
    if (!neighbours)
        false_alarm();
    else if (!better)
        lead();
    else
        follow();
    if (PURSUER_FIX && neighbours)
        timer_start_once(&waiting, (uint32_t)(better + 1) * PATIENCE);
}

static void detection_received(const struct am_message *m)
{
    heard[heard_next].from = m->source;
    heard[heard_next].signal = bytes_get16(m->payload + HEADER);
    heard[heard_next].at = timer_now();
    heard_next = (heard_next + 1) % HEARD;
}

/* ---- looking ---- */

static void await_epoch(void)
{
    uint32_t now = timer_now();
    timer_start_at(&looking, now + EPOCH - (now + offset) % EPOCH);
}

static void light_read(uint16_t value)
{
    if (value < THRESHOLD)
        return;
    signal = value;
    confirmed = false;
    timer_start_once(&telling, random_below(TELL_SPREAD));
    timer_start_once(&deciding, DECIDE_AFTER);
}

static void look(void *unused)
{
    (void)unused;
    await_epoch();
    if (PURSUER_FIX && !synchronised)
        return;
    signal = 0;
    adc12_read(ADC12_VISIBLE_LIGHT, light_read);
}

static void sync_received(const struct am_message *m)
{
    offset = bytes_get32(m->payload + HEADER) - timer_now();
    synchronised = true;
    await_epoch();
}

/* ---- messages ---- */

static void send_confirm(uint16_t leader)
{
    if (am_sending(&base_client))
        return;
    base.payload[KIND] = CONFIRM;
    bytes_put16(base.payload + HEADER, leader);
    am_send(&base_client, &base, AM_BROADCAST, HEADER + 2);
}

static void alert_received(const struct am_message *m)
{
    uart_text("alert ");
    uart_unsigned(m->source);
    uart_text(" ");
    uart_unsigned(bytes_get16(m->payload + HEADER));
    uart_end();
    send_confirm(m->source);
}

static void confirm_received(void)
{
    confirmed = true;
}

static void received(const struct am_message *m)
{
    if (m->payload_length < HEADER + 2)
        return;
    switch (m->payload[KIND]) {
    case CLOCK:
        sync_received(m);
        break;
    case DETECTION:
        detection_received(m);
        break;
    case ALERT:
        alert_received(m);
        break;
    case CONFIRM:
        confirm_received();
        break;
    default:
        break;
    }
}

static struct am_listener listener = { .type = TYPE, .received = received };

/* ---- the base station ---- */

static void send_sync(void *unused)
{
    (void)unused;
    if (am_sending(&base_client))
        return;
    base.payload[KIND] = CLOCK;
    bytes_put32(base.payload + HEADER, timer_now());
    am_send(&base_client, &base, AM_BROADCAST, HEADER + 4);
}

static struct timer syncing = TIMER(send_sync, NULL);

static void begin_syncing(void *unused)
{
    timer_start_periodic(&syncing, CLOCK_PERIOD);
    send_sync(unused);
}

static struct timer beginning = TIMER(begin_syncing, NULL);

int main(void)
{
    board_start();
    uart_init();
    am_listen(&listener);
    am_start();
    if (is_base_station())
        timer_start_once(&beginning, 3 * TIMER_SECOND);
    else
        await_epoch();
    kernel_run();
}
