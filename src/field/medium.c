#include "medium.h"

#include "decibel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const struct hc_medium_config hc_medium_indoors = {
    .seed = 1, .noise_floor = -9800, .loss_at_1m = 4020, .exponent = 300, .shadowing = 0, .weakest = -10500
};

enum { LONGEST_FRAME = 16 + 2 + 128, NO_LINK = HC_NOT_HEARD + 1 };

/* A byte, complete at END. */
struct air_byte {
    hc_time end;
    uint16_t number; /* in its transmission */
    uint8_t value;
};

/* As many bytes as can be on their way at once. A machine stops at an instruction's end: with a slow MCLK tens of
 * microseconds behind that of its window, so that it announces more than one byte in it. */
enum { BYTES_AHEAD = 8 };

/* What a node has on the air, as everyone may see it. Changes between windows only. */
struct air {
    hc_time start, end; /* the carrier is on in [start, end) */
    uint16_t mhz;
    int8_t dbm;
    bool reversed;
    uint32_t frame;                    /* counts transmissions */
    struct air_byte byte[BYTES_AHEAD]; /* the latest, by number modulo BYTES_AHEAD */
    uint16_t bytes;                    /* of this transmission */
};

/* What a node announced in the window under way. Its own thread's. */
struct outbox {
    bool planned, started, ended;
    struct hc_radio_signal signal;
    hc_time start, end;
    int bytes;
    struct air_byte byte[BYTES_AHEAD];
};

/* Somebody who hears a node. */
struct listener {
    int node;
    int gain; /* hundredths of a dB */
};

/* A carrier that a node hears, or will hear in a moment. */
struct signal {
    int node;
    uint64_t power; /* at the receiver's antenna, femtowatts */
};

/* A receiver. Its own thread's while a window runs. */
struct ear {
    struct hc_machine *machine;
    struct hc_cc2420 *radio;
    hc_event event;
    unsigned mhz;                      /* 0: not listening */
    int carrier;                       /* dBm, as told to the radio */
    uint64_t power;                    /* the same in femtowatts */
    uint64_t ratio_signal, ratio_rest; /* the last ratio that was needed ... */
    int ratio;                         /* ... and what it was */
    int locked;                        /* the node whose frame is being received, or -1 */
    uint32_t locked_frame;
    hc_time heard_until; /* what happened up to here has been told */
};

/* What a radio's callbacks and the ear's event are called with. */
struct attachment {
    struct hc_medium *medium;
    int node;
};

struct node {
    struct attachment attachment;
    struct air air;
    struct outbox out;
    struct ear ear;
    bool placed;
    int32_t position[3];
    int listeners, listeners_room;
    struct listener *listener;
    int signals, signals_room;
    struct signal *signal; /* of those whom it hears and who transmit */
    bool transmitting;     /* or planning to */
    int threats;           /* such nodes among those whom it hears */
    uint8_t bytes[LONGEST_FRAME];
    uint16_t length;
    int island;
    struct hc_medium_statistics statistics;
};

/* A frame that ended and of which the listener has not been told. */
struct ended {
    struct hc_air_frame frame;
    uint8_t bytes[LONGEST_FRAME];
};

/* Its own thread's while a window runs. */
struct island {
    int on_air; /* carriers on or announced */
    int ended, ended_room;
    struct ended *frame;
};

struct hc_medium {
    struct hc_medium_config config;
    struct hc_decibels decibels;
    int nodes;
    struct node *node;
    uint16_t *tuned; /* what each node listens to, in MHz; 0: nothing. Together, for every byte sent looks at many */
    int *link;       /* from * nodes + to: a gain, or NO_LINK */
    bool stale;      /* the lists of neighbours */
    int islands;
    struct island *island; /* room for one a node */
    hc_air_frame_fn *frame_call;
    void *frame_owner;
    uint64_t noise;
};

struct hc_medium *hc_medium_new(const struct hc_medium_config *config, int nodes)
{
    struct hc_medium *medium = calloc(1, sizeof *medium);
    if (!medium)
        return NULL;
    medium->config = *config;
    medium->nodes = nodes;
    medium->node = calloc((size_t)nodes, sizeof *medium->node);
    medium->tuned = calloc((size_t)nodes, sizeof *medium->tuned);
    medium->link = malloc((size_t)nodes * (size_t)nodes * sizeof *medium->link);
    medium->island = calloc((size_t)nodes, sizeof *medium->island);
    if (!medium->node || !medium->tuned || !medium->link || !medium->island) {
        hc_medium_free(medium);
        return NULL;
    }
    hc_decibels_init(&medium->decibels);
    medium->noise = hc_femtowatts(&medium->decibels, config->noise_floor);
    for (int i = 0; i < nodes * nodes; i++)
        medium->link[i] = NO_LINK;
    for (int i = 0; i < nodes; i++)
        medium->node[i].ear.locked = -1;
    medium->stale = true;
    return medium;
}

void hc_medium_free(struct hc_medium *medium)
{
    if (!medium)
        return;
    for (int i = 0; medium->node && i < medium->nodes; i++) {
        free(medium->node[i].listener);
        free(medium->node[i].signal);
    }
    for (int i = 0; medium->island && i < medium->nodes; i++)
        free(medium->island[i].frame);
    free(medium->island);
    free(medium->node);
    free(medium->tuned);
    free(medium->link);
    free(medium);
}

/* ---- who hears whom ---- */

/* A standard normal number, times 1000, that belongs to the pair in either direction. */
static int normal(const struct hc_medium *medium, int a, int b)
{
    uint32_t pair[2] = { (uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a) };
    int sum = -6000;
    for (uint64_t i = 0; i < 12; i++)
        sum += (int)(XXH3_64bits_withSeed(pair, sizeof pair, medium->config.seed * 31 + i) % 1000);
    return sum;
}

static int path_gain(const struct hc_medium *medium, int from, int to)
{
    const struct node *a = &medium->node[from];
    const struct node *b = &medium->node[to];
    if (!a->placed || !b->placed)
        return HC_NOT_HEARD;
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += 1e-6 * (double)(a->position[i] - b->position[i]) * (double)(a->position[i] - b->position[i]);
    double distance = sqrt(square) < 0.1 ? 0.1 : sqrt(square);
    int loss = medium->config.loss_at_1m + (int)(10.0 * medium->config.exponent * log10(distance) + 0.5);
    return -(loss + medium->config.shadowing * normal(medium, from, to) / 1000);
}

int hc_medium_gain(const struct hc_medium *medium, int from, int to)
{
    int link = medium->link[from * medium->nodes + to];
    return link == NO_LINK ? path_gain(medium, from, to) : link;
}

void hc_medium_place(struct hc_medium *medium, int node, int32_t x, int32_t y, int32_t z)
{
    struct node *n = &medium->node[node];
    n->placed = true;
    n->position[0] = x;
    n->position[1] = y;
    n->position[2] = z;
    medium->stale = true;
}

void hc_medium_link(struct hc_medium *medium, int from, int to, int gain)
{
    medium->link[from * medium->nodes + to] = gain;
    medium->stale = true;
}

void hc_medium_unlink(struct hc_medium *medium, int from, int to)
{
    medium->link[from * medium->nodes + to] = NO_LINK;
    medium->stale = true;
}

static void *grow(void *list, int count, int *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 8;
    list = realloc(list, (size_t)*room * size);
    if (!list)
        abort();
    return list;
}

static void connect(struct hc_medium *medium, int from, int to)
{
    int gain = hc_medium_gain(medium, from, to);
    struct node *n = &medium->node[from];
    if (gain == HC_NOT_HEARD || gain < medium->config.weakest)
        return;
    n->listener = grow(n->listener, n->listeners, &n->listeners_room, sizeof *n->listener);
    n->listener[n->listeners++] = (struct listener){ to, gain };
}

/* FROM transmits: RECEIVER's list has it once, and none of those that ended long before. */
static void add_signal(struct hc_medium *medium, struct node *receiver, int from, uint64_t power)
{
    const hc_time long_before = hc_ms(1);
    int kept = 0;
    for (int i = 0; i < receiver->signals; i++) {
        const struct air *air = &medium->node[receiver->signal[i].node].air;
        bool over = air->end != HC_NEVER && air->end + long_before < medium->node[from].air.start;
        if (!over && receiver->signal[i].node != from)
            receiver->signal[kept++] = receiver->signal[i];
    }
    receiver->signal = grow(receiver->signal, kept, &receiver->signals_room, sizeof *receiver->signal);
    receiver->signal[kept++] = (struct signal){ from, power };
    receiver->signals = kept;
}

static void spread(struct hc_medium *medium, int from)
{
    const struct node *n = &medium->node[from];
    for (int i = 0; i < n->listeners; i++)
        add_signal(medium, &medium->node[n->listener[i].node], from,
                   hc_femtowatts(&medium->decibels, 100 * n->air.dbm + n->listener[i].gain));
}

static void threaten(struct hc_medium *medium, const struct node *n, int more)
{
    for (int i = 0; i < n->listeners; i++)
        medium->node[n->listener[i].node].threats += more;
}

/* While islands are being found, node.island is a node of the same one with a lower index, or itself. */
static int lowest_of(struct hc_medium *medium, int node)
{
    while (medium->node[node].island != node)
        node = medium->node[node].island = medium->node[medium->node[node].island].island;
    return node;
}

static void join_islands(struct hc_medium *medium, int a, int b)
{
    a = lowest_of(medium, a);
    b = lowest_of(medium, b);
    medium->node[a > b ? a : b].island = a < b ? a : b;
}

static void find_islands(struct hc_medium *medium)
{
    for (int i = 0; i < medium->nodes; i++)
        medium->node[i].island = i;
    for (int i = 0; i < medium->nodes; i++)
        for (int k = 0; k < medium->node[i].listeners; k++)
            join_islands(medium, i, medium->node[i].listener[k].node);
    medium->islands = 0;
    for (int i = 0; i < medium->nodes; i++)
        medium->node[i].island = lowest_of(medium, i);
    for (int i = 0; i < medium->nodes; i++) { /* the lowest one comes first, and has its number when the others come */
        int lowest = medium->node[i].island;
        medium->node[i].island = lowest == i ? medium->islands++ : medium->node[lowest].island;
    }
    for (int i = 0; i < medium->islands; i++)
        medium->island[i].on_air = 0;
    for (int i = 0; i < medium->nodes; i++)
        medium->island[medium->node[i].island].on_air += medium->node[i].transmitting;
}

static void refresh_neighbours(struct hc_medium *medium)
{
    medium->stale = false;
    for (int i = 0; i < medium->nodes; i++)
        medium->node[i].listeners = medium->node[i].signals = medium->node[i].threats = 0;
    for (int from = 0; from < medium->nodes; from++)
        for (int to = 0; to < medium->nodes; to++)
            if (from != to)
                connect(medium, from, to);
    find_islands(medium);
    for (int from = 0; from < medium->nodes; from++) {
        if (medium->node[from].air.end == HC_NEVER)
            spread(medium, from);
        if (medium->node[from].transmitting)
            threaten(medium, &medium->node[from], 1);
    }
}

/* ---- a receiver ---- */

static bool audible(const struct air *air, const struct ear *ear, hc_time now)
{
    return air->start <= now && now < air->end && air->mhz == ear->mhz;
}

static uint64_t total_power(const struct hc_medium *medium, const struct node *n, hc_time now)
{
    uint64_t sum = medium->noise;
    for (int i = 0; i < n->signals; i++)
        if (audible(&medium->node[n->signal[i].node].air, &n->ear, now))
            sum += n->signal[i].power;
    return sum;
}

static void tell_carrier(const struct hc_medium *medium, struct node *n, hc_time now)
{
    uint64_t power = total_power(medium, n, now);
    if (power == n->ear.power)
        return;
    n->ear.power = power;
    int dbm = (hc_centi_dbm(&medium->decibels, power) - 50) / 100; /* nearest, of a negative number */
    if (dbm < HC_CC2420_SILENCE)
        dbm = HC_CC2420_SILENCE;
    if (dbm == n->ear.carrier)
        return;
    n->ear.carrier = dbm;
    hc_cc2420_carrier(n->ear.radio, dbm, now);
}

/* The latest byte is number 0, for it is nearly always the one that is asked for. NULL when there are no more. */
static const struct air_byte *recent_byte(const struct air *air, unsigned back)
{
    return back < BYTES_AHEAD && back < air->bytes ? &air->byte[(air->bytes - 1 - back) % BYTES_AHEAD] : NULL;
}

static const struct air_byte *byte_ending(const struct air *air, hc_time now)
{
    const struct air_byte *byte;
    for (unsigned back = 0; (byte = recent_byte(air, back)) && byte->end >= now; back++)
        if (byte->end == now)
            return byte;
    return NULL;
}

/* Whose byte ends at NOW and is what the demodulator follows: of the frame being received, or else the strongest. */
static const struct signal *followed(const struct hc_medium *medium, const struct node *n, hc_time now)
{
    const struct signal *best = NULL;
    bool receiving = hc_cc2420_state(n->ear.radio) == HC_CC2420_RX_FRAME;
    for (int i = 0; i < n->signals; i++) {
        const struct signal *signal = &n->signal[i];
        const struct air *air = &medium->node[signal->node].air;
        bool carries = air->start < now && now <= air->end && air->mhz == n->ear.mhz &&
                       air->reversed == hc_cc2420_listens_reversed(n->ear.radio);
        if (!carries)
            continue;
        if (receiving && signal->node == n->ear.locked && air->frame == n->ear.locked_frame)
            return byte_ending(air, now) ? signal : NULL;
        if (!best || signal->power > best->power || (signal->power == best->power && signal->node < best->node))
            best = signal;
    }
    if (receiving && n->ear.locked >= 0)
        return NULL; /* the frame went silent: the radio goes on with noise */
    return best && byte_ending(&medium->node[best->node].air, now) ? best : NULL;
}

static uint64_t chance(const struct hc_medium *medium, int sender, int receiver, uint16_t byte)
{
    uint32_t what[4] = { (uint32_t)sender, (uint32_t)receiver, medium->node[sender].air.frame, byte };
    return XXH3_64bits_withSeed(what, sizeof what, medium->config.seed);
}

/* A wrong byte has one wrong 4-bit symbol or two. */
static uint8_t corrupt(uint8_t byte, uint64_t random)
{
    uint8_t low = (uint8_t)(1 + random % 15);
    uint8_t high = (uint8_t)(1 + (random >> 8) % 15);
    switch (random >> 16 & 3) {
    case 0:
        return byte ^ low;
    case 1:
        return byte ^ (uint8_t)(high << 4);
    default:
        return byte ^ low ^ (uint8_t)(high << 4);
    }
}

/* Signal to noise and interference, in hundredths of a dB. Mostly the same from byte to byte. */
static int ratio(const struct hc_medium *medium, struct ear *ear, uint64_t signal, uint64_t rest)
{
    if (signal != ear->ratio_signal || rest != ear->ratio_rest) {
        ear->ratio_signal = signal;
        ear->ratio_rest = rest;
        ear->ratio = hc_centi_dbm(&medium->decibels, signal) - hc_centi_dbm(&medium->decibels, rest);
    }
    return ear->ratio;
}

static void tell_byte(const struct hc_medium *medium, struct node *n, const struct signal *from, hc_time now)
{
    const struct air *air = &medium->node[from->node].air;
    const struct air_byte *byte = byte_ending(air, now);
    uint64_t rest = total_power(medium, n, now - 1);
    rest = rest > from->power + medium->noise ? rest - from->power : medium->noise;
    int snr = ratio(medium, &n->ear, from->power, rest);
    uint64_t random = chance(medium, from->node, (int)(n - medium->node), byte->number);
    bool wrong = (uint32_t)random < hc_byte_error_rate(&medium->decibels, snr);
    n->statistics.bytes_received++;
    n->statistics.bytes_corrupted += wrong;
    n->ear.locked = from->node;
    n->ear.locked_frame = air->frame;
    hc_cc2420_air_byte(n->ear.radio, wrong ? corrupt(byte->value, random >> 32) : byte->value, snr / 100, now);
}

static hc_time soonest_after(hc_time after, hc_time candidate, hc_time best)
{
    return candidate > after && candidate < best ? candidate : best;
}

/* The next thing on the air after HEARD_UNTIL that this receiver must be told. */
static hc_time next_change(const struct hc_medium *medium, const struct node *n)
{
    hc_time next = HC_NEVER;
    hc_time after = n->ear.heard_until;
    for (int i = 0; n->ear.mhz && i < n->signals; i++) {
        const struct air *air = &medium->node[n->signal[i].node].air;
        if (air->mhz != n->ear.mhz || air->end <= after)
            continue;
        next = soonest_after(after, air->start, next);
        next = soonest_after(after, air->end, next);
        const struct air_byte *byte;
        for (unsigned back = 0; (byte = recent_byte(air, back)) && byte->end > after; back++)
            next = soonest_after(after, byte->end, next);
    }
    return next;
}

static struct node *node_of(const struct attachment *a)
{
    return &a->medium->node[a->node];
}

static hc_time hear(void *owner, hc_time now)
{
    struct hc_medium *medium = ((struct attachment *)owner)->medium;
    struct node *n = node_of(owner);
    if (!n->ear.mhz)
        return HC_NEVER;
    const struct signal *from = followed(medium, n, now);
    if (from)
        tell_byte(medium, n, from, now);
    tell_carrier(medium, n, now);
    n->ear.heard_until = now;
    return next_change(medium, n);
}

/* ---- what a radio says ---- */

static void on_listen(void *owner, struct hc_cc2420 *radio, unsigned mhz, hc_time now)
{
    struct hc_medium *medium = ((struct attachment *)owner)->medium;
    struct node *n = node_of(owner);
    (void)radio;
    n->ear.mhz = mhz;
    medium->tuned[n - medium->node] = (uint16_t)mhz;
    n->ear.locked = -1;
    n->ear.heard_until = now;
    if (mhz) {
        n->ear.carrier = HC_CC2420_SILENCE - 1; /* tell it in any case */
        n->ear.power = 0;
        tell_carrier(medium, n, now);
    }
    hc_event_arm(hc_events(n->ear.machine), n->ear.event, next_change(medium, n));
}

static void on_planned(void *owner, struct hc_cc2420 *radio)
{
    (void)radio;
    node_of(owner)->out.planned = true;
}

static void on_start(void *owner, struct hc_cc2420 *radio, struct hc_radio_signal signal, hc_time at)
{
    struct outbox *out = &node_of(owner)->out;
    (void)radio;
    out->started = true;
    out->signal = signal;
    out->start = at;
}

static void on_byte(void *owner, struct hc_cc2420 *radio, uint8_t byte, hc_time at)
{
    struct outbox *out = &node_of(owner)->out;
    (void)radio;
    assert(out->bytes < BYTES_AHEAD);
    out->byte[out->bytes++] = (struct air_byte){ .end = at, .value = byte };
}

static void on_end(void *owner, struct hc_cc2420 *radio, hc_time at)
{
    struct outbox *out = &node_of(owner)->out;
    (void)radio;
    out->ended = true;
    out->end = at;
}

void hc_medium_attach(struct hc_medium *medium, int node, struct hc_machine *m, struct hc_cc2420 *radio)
{
    struct node *n = &medium->node[node];
    n->ear.machine = m;
    n->ear.radio = radio;
    n->ear.event = hc_event_new(hc_events(m), "air", hear, &n->attachment);
    n->attachment = (struct attachment){ medium, node };
    medium->stale = true; /* there is somebody to sort into an island */
    hc_cc2420_set_medium(radio, (struct hc_radio_medium){ .transmit_planned = on_planned,
                                                          .transmit_start = on_start,
                                                          .transmit_byte = on_byte,
                                                          .transmit_end = on_end,
                                                          .listen = on_listen,
                                                          .owner = &n->attachment });
}

/* ---- between windows ---- */

static void take_start(struct hc_medium *medium, struct node *n)
{
    const struct outbox *out = &n->out;
    n->air.start = out->start;
    n->air.end = HC_NEVER;
    n->air.mhz = out->signal.mhz;
    n->air.dbm = out->signal.dbm;
    n->air.reversed = out->signal.reversed;
    n->air.frame++;
    n->air.bytes = 0;
    n->length = 0;
    n->statistics.frames_sent++;
    spread(medium, (int)(n - medium->node));
}

static void take_byte(struct node *n, struct air_byte byte)
{
    byte.number = n->air.bytes;
    n->air.byte[n->air.bytes++ % BYTES_AHEAD] = byte;
    n->statistics.bytes_sent++;
    if (n->length < LONGEST_FRAME)
        n->bytes[n->length++] = byte.value;
}

static void keep_ended(struct island *island, const struct node *n, int number)
{
    island->frame = grow(island->frame, island->ended, &island->ended_room, sizeof *island->frame);
    struct ended *ended = &island->frame[island->ended++];
    ended->frame = (struct hc_air_frame){ .node = number,
                                          .start = n->air.start,
                                          .end = n->air.end,
                                          .mhz = n->air.mhz,
                                          .dbm = n->air.dbm,
                                          .length = n->length };
    memcpy(ended->bytes, n->bytes, n->length);
}

static void take_end(struct hc_medium *medium, struct node *n)
{
    medium->island[n->island].on_air--;
    n->transmitting = false;
    threaten(medium, n, -1);
    if (n->air.end != HC_NEVER) /* a plan that was given up */
        return;
    n->air.end = n->out.end;
    if (medium->frame_call)
        keep_ended(&medium->island[n->island], n, (int)(n - medium->node));
}

static void wake_listeners(struct hc_medium *medium, const struct node *n, hc_medium_changed_fn *changed, void *owner)
{
    for (int i = 0; i < n->listeners; i++) {
        if (medium->tuned[n->listener[i].node] != n->air.mhz)
            continue;
        struct node *l = &medium->node[n->listener[i].node];
        hc_time next = next_change(medium, l);
        if (next == hc_event_time(hc_events(l->ear.machine), l->ear.event))
            continue;
        hc_event_arm(hc_events(l->ear.machine), l->ear.event, next);
        changed(owner, n->listener[i].node);
    }
}

void hc_medium_publish(struct hc_medium *medium, int node, hc_medium_changed_fn *changed, void *owner)
{
    struct node *n = &medium->node[node];
    if (!n->out.planned && !n->out.started && !n->out.bytes && !n->out.ended)
        return;
    if (n->out.started)
        take_start(medium, n);
    for (int i = 0; i < n->out.bytes; i++)
        take_byte(n, n->out.byte[i]);
    if (n->out.ended && n->transmitting)
        take_end(medium, n);
    if (n->out.planned) { /* after the end of the transmission before it */
        medium->island[n->island].on_air++;
        n->transmitting = true;
        threaten(medium, n, 1);
    }
    n->out = (struct outbox){ 0 };
    wake_listeners(medium, n, changed, owner);
}

void hc_medium_silence(struct hc_medium *medium, int node, hc_time at, hc_medium_changed_fn *changed, void *owner)
{
    struct node *n = &medium->node[node];
    if (!n->transmitting)
        return;
    n->out = (struct outbox){ .ended = true, .end = at };
    hc_medium_publish(medium, node, changed, owner);
}

/* Links changed: whoever listens hears something else from now on. */
static void reconsider(struct hc_medium *medium, hc_medium_changed_fn *changed, void *owner)
{
    refresh_neighbours(medium);
    for (int i = 0; i < medium->nodes; i++) {
        struct node *n = &medium->node[i];
        if (!n->ear.mhz)
            continue;
        hc_event_arm(hc_events(n->ear.machine), n->ear.event, hc_now(n->ear.machine));
        changed(owner, i);
    }
}

bool hc_medium_settle(struct hc_medium *medium, hc_medium_changed_fn *changed, void *owner)
{
    if (!medium->stale)
        return false;
    reconsider(medium, changed, owner);
    return true;
}

int hc_medium_islands(const struct hc_medium *medium)
{
    return medium->islands;
}

int hc_medium_island(const struct hc_medium *medium, int node)
{
    return medium->node[node].island;
}

hc_time hc_medium_window(const struct hc_medium *medium, int island)
{
    return (medium->island[island].on_air ? HC_RADIO_AHEAD : HC_RADIO_QUIET) - hc_us(1);
}

hc_time hc_medium_reach(const struct hc_medium *medium, int node)
{
    return (medium->node[node].threats ? HC_RADIO_AHEAD : HC_RADIO_QUIET) - hc_us(1);
}

void hc_medium_listen(struct hc_medium *medium, hc_air_frame_fn *call, void *owner)
{
    medium->frame_call = call;
    medium->frame_owner = owner;
}

static int by_end(const void *a, const void *b)
{
    const struct hc_air_frame *x = &((const struct ended *)a)->frame;
    const struct hc_air_frame *y = &((const struct ended *)b)->frame;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->node - y->node;
}

void hc_medium_deliver(struct hc_medium *medium)
{
    struct island *all = &medium->island[0];
    for (int i = 1; i < medium->islands; i++) {
        struct island *island = &medium->island[i];
        for (int k = 0; k < island->ended; k++) {
            all->frame = grow(all->frame, all->ended, &all->ended_room, sizeof *all->frame);
            all->frame[all->ended++] = island->frame[k];
        }
        island->ended = 0;
    }
    if (all->ended)
        qsort(all->frame, (size_t)all->ended, sizeof *all->frame, by_end);
    for (int k = 0; k < all->ended; k++) {
        all->frame[k].frame.bytes = all->frame[k].bytes;
        medium->frame_call(medium->frame_owner, &all->frame[k].frame);
    }
    all->ended = 0;
}

void hc_medium_statistics(const struct hc_medium *medium, int node, struct hc_medium_statistics *out)
{
    *out = medium->node[node].statistics;
}
