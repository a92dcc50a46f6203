#include "net/ctp.h"

#include "kernel/random.h"
#include "kernel/timer.h"
#include "net/bytes.h"
#include "net/trickle.h"

#include <kit.h>

enum {
    PULL = 0x80,
    BEACON_LENGTH = 7,
    RECENT = 20,      /* messages remembered, more than can wait in the queue */
    OWN_PLACES = 2,   /* of the queue, that others' messages leave free */
    FAR_LONGER = 100, /* neighbours' ways differ by about 20 */
    MOST_HOPS = 64,   /* whatever has come that far goes round in a loop */
};

#define ROUTE_PERIOD TIMER_MS(8000)
#define NO_ROUTE_PAUSE TIMER_MS(10000)
#define BETWEEN_FRAMES TIMER_MS(7) /* pauses are from this to twice this: time for the parent to pass it on */
#define LOOP_PAUSE TIMER_MS(28)
/* To sleeping neighbours a try fills a wake-up interval: leave another to whoever it collided with. */
#define NO_ACK_PAUSE TIMER_MS(LPL_INTERVAL ? LPL_INTERVAL : 7)

/* A data frame that waits, header included. */
struct waiting {
    uint8_t length;
    uint8_t transmissions;
    uint8_t frame[AM_PAYLOAD_MAX];
};

/* What makes a message the same one, arrived again: in a loop it comes with more hops. */
struct recent {
    uint16_t origin;
    uint8_t sequence, type, hops;
};

/* Offsets in a data frame. */
enum { OPTIONS, HOPS, ETX, ORIGIN = 4, SEQUENCE = 6, TYPE };

struct ctp_statistics ctp_statistics;
struct ctp_routes ctp_routes;

static ctp_received_fn *root_received;
static struct trickle beacon_trickle = {
    .minimum = TIMER_MS(CTP_BEACON_MIN_MS),
    .maximum = TIMER_MS(CTP_BEACON_MAX_MS),
};
static uint8_t beacon_sequence, data_sequence;

static struct waiting queue[CTP_QUEUE];
static uint8_t queue_first, queue_count;
static struct recent recent[RECENT];
static uint8_t recent_next, recent_count;

static struct am_message beacon_message, data_message;
static void beacon_sent(struct am_client *client, bool acked);
static struct am_client beacon_client = { .type = CTP_AM_BEACON, .sent = beacon_sent };
static void data_sent(struct am_client *client, bool acked);
static struct am_client data_client = { .type = CTP_AM_DATA, .sent = data_sent };

static void send_next(void *unused);
static void beacon_fired(void *unused);
static void route_fired(void *unused);
static struct timer pause_timer = TIMER(send_next, NULL);
static struct timer beacon_timer = TIMER(beacon_fired, NULL);
static struct timer route_timer = TIMER(route_fired, NULL);

static uint32_t random32(void)
{
    return (uint32_t)random16() << 16 | random16();
}

/* ---- routing ---- */

static void tell_neighbours_soon(void)
{
    uint32_t ticks = trickle_reset(&beacon_trickle, random32());
    if (ticks)
        timer_start_once(&beacon_timer, ticks);
}

static void update_route(void)
{
    bool had = ctp_routes_have(&ctp_routes);
    enum ctp_change change = ctp_routes_update(&ctp_routes);
    ctp_statistics.parent = ctp_routes.parent;
    ctp_statistics.etx = ctp_routes_etx(&ctp_routes);
    if (change == CTP_SAME)
        return;
    ctp_statistics.parent_changes++;
    if (change == CTP_CHANGED_MUCH)
        tell_neighbours_soon();
    if (!had && !am_sending(&data_client))
        timer_start_once(&pause_timer, 1);
}

static void route_fired(void *unused)
{
    (void)unused;
    update_route();
}

static void send_beacon(void)
{
    uint8_t *p = beacon_message.payload;
    if (am_sending(&beacon_client)) /* whose bytes may be on their way to the radio */
        return;
    p[0] = 0;
    p[1] = beacon_sequence;
    p[2] = ctp_routes_have(&ctp_routes) ? 0 : PULL;
    bytes_put16(p + 3, ctp_routes.parent);
    bytes_put16(p + 5, ctp_routes_etx(&ctp_routes));
    if (am_send(&beacon_client, &beacon_message, AM_BROADCAST, BEACON_LENGTH)) {
        beacon_sequence++;
        ctp_statistics.beacons++;
    }
}

static void beacon_sent(struct am_client *client, bool acked)
{
    (void)client;
    (void)acked;
}

static void beacon_fired(void *unused)
{
    bool speak;
    (void)unused;
    timer_start_once(&beacon_timer, trickle_fired(&beacon_trickle, random32(), &speak));
    if (!speak)
        return;
    update_route();
    send_beacon();
}

static bool needs_help(const struct ctp_beacon *beacon)
{
    uint16_t own = ctp_routes_etx(&ctp_routes);
    return CTP_FIX && own != CTP_ETX_NONE && beacon->etx > own && beacon->etx - own > FAR_LONGER;
}

static void beacon_received(const struct am_message *m)
{
    const uint8_t *p = m->payload;
    if (m->payload_length < BEACON_LENGTH)
        return;
    struct ctp_beacon beacon = {
        .from = m->source,
        .sequence = p[1],
        .parent = bytes_get16(p + 3),
        .etx = bytes_get16(p + 5),
    };
    ctp_routes_beacon(&ctp_routes, &beacon);
    if ((p[2] & PULL) || needs_help(&beacon))
        tell_neighbours_soon();
}

/* ---- forwarding ---- */

static void pause(uint32_t ticks)
{
    timer_start_once(&pause_timer, ticks + random_below(ticks));
}

static void drop_first(void)
{
    queue_first = (uint8_t)((queue_first + 1) % CTP_QUEUE);
    queue_count--;
}

static bool enqueue(const uint8_t *frame, uint8_t length, uint8_t places_left)
{
    if (queue_count + places_left >= CTP_QUEUE)
        return false;
    struct waiting *w = &queue[(queue_first + queue_count) % CTP_QUEUE];
    queue_count++;
    w->length = length;
    w->transmissions = 0;
    memcpy(w->frame, frame, length);
    return true;
}

static void send_next(void *unused)
{
    struct waiting *w = &queue[queue_first];
    (void)unused;
    if (queue_count == 0 || am_sending(&data_client))
        return;
    if (!ctp_routes_have(&ctp_routes)) {
        timer_start_once(&pause_timer, NO_ROUTE_PAUSE);
        return;
    }
    memcpy(data_message.payload, w->frame, w->length);
    data_message.payload[OPTIONS] = 0;
    bytes_put16(data_message.payload + ETX, ctp_routes_etx(&ctp_routes));
    if (!am_send(&data_client, &data_message, ctp_routes.parent, w->length))
        pause(BETWEEN_FRAMES);
}

static void data_sent(struct am_client *client, bool acked)
{
    struct waiting *w = &queue[queue_first];
    (void)client;
    link_estimator_sent(&ctp_routes.links, data_message.destination, acked);
    w->transmissions++;
    if (acked) {
        drop_first();
    } else {
        update_route();
        if (w->transmissions == CTP_TRANSMISSIONS) {
            ctp_statistics.dropped++;
            drop_first();
        }
    }
    pause(acked ? BETWEEN_FRAMES : NO_ACK_PAUSE);
}

/* Sends at once unless a pause is kept. */
static void go_on(void)
{
    if (!timer_running(&pause_timer))
        send_next(NULL);
}

static bool seen(const uint8_t *frame)
{
    for (uint8_t i = 0; i < recent_count; i++) {
        const struct recent *r = &recent[i];
        if (r->origin == bytes_get16(frame + ORIGIN) && r->sequence == frame[SEQUENCE] && r->type == frame[TYPE] &&
            r->hops == frame[HOPS])
            return true;
    }
    return false;
}

static void remember(const uint8_t *frame)
{
    recent[recent_next] = (struct recent){
        .origin = bytes_get16(frame + ORIGIN),
        .sequence = frame[SEQUENCE],
        .type = frame[TYPE],
        .hops = frame[HOPS],
    };
    recent_next = (uint8_t)((recent_next + 1) % RECENT);
    if (recent_count < RECENT)
        recent_count++;
}

static void forward(const struct am_message *m)
{
    uint16_t own = ctp_routes_etx(&ctp_routes);
    if (m->payload[HOPS] == MOST_HOPS) {
        ctp_statistics.dropped++;
        return;
    }
    if (!enqueue(m->payload, m->payload_length, OWN_PLACES)) {
        ctp_statistics.no_room++;
        return;
    }
    queue[(queue_first + queue_count - 1) % CTP_QUEUE].frame[HOPS]++;
    remember(m->payload);
    ctp_statistics.forwarded++;
    if (own != CTP_ETX_NONE && bytes_get16(m->payload + ETX) <= own) {
        ctp_statistics.loops++;
        tell_neighbours_soon();
        if (!am_sending(&data_client))
            pause(LOOP_PAUSE);
    }
    go_on();
}

static void data_received(const struct am_message *m)
{
    const uint8_t *p = m->payload;
    if (m->payload_length < CTP_HEADER)
        return;
    if (seen(p)) {
        ctp_statistics.duplicates++;
    } else if (root_received) {
        remember(p);
        ctp_statistics.received++;
        root_received(bytes_get16(p + ORIGIN), p[TYPE], p + CTP_HEADER, (uint8_t)(m->payload_length - CTP_HEADER));
    } else {
        forward(m);
    }
}

bool ctp_send(uint8_t type, const void *payload, uint8_t length)
{
    uint8_t frame[AM_PAYLOAD_MAX] = { [TYPE] = type };
    if (length > CTP_PAYLOAD_MAX)
        return false;
    if (root_received) {
        ctp_statistics.originated++;
        root_received(node_id, type, payload, length);
        return true;
    }
    bytes_put16(frame + ORIGIN, node_id);
    frame[SEQUENCE] = data_sequence;
    memcpy(frame + CTP_HEADER, payload, length);
    if (!enqueue(frame, (uint8_t)(CTP_HEADER + length), 0)) {
        ctp_statistics.refused++;
        return false;
    }
    data_sequence++;
    ctp_statistics.originated++;
    go_on();
    return true;
}

void ctp_start(ctp_received_fn *received)
{
    static struct am_listener beacons = { .type = CTP_AM_BEACON, .received = beacon_received };
    static struct am_listener data = { .type = CTP_AM_DATA, .received = data_received };
    root_received = received;
    ctp_routes_init(&ctp_routes, node_id, received != NULL);
    am_listen(&beacons);
    am_listen(&data);
    timer_start_once(&beacon_timer, trickle_start(&beacon_trickle, random32()));
    timer_start_periodic(&route_timer, ROUTE_PERIOD);
}
