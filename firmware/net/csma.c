#include "net/csma.h"

#include "kernel/random.h"
#include "kernel/timer.h"

/* Times in ticks. A frame of n bytes is on the air for (6 + n) x 32 us, after 192 us of calibration; 192 us after its
 * end an acknowledgement of 11 x 32 us begins. */
enum {
    BACKOFF_LEAST = 10,
    BACKOFF_INITIAL = 320,
    BACKOFF_BUSY = 70,
    BACKOFF_REPEAT = 30,
    TURNAROUND = 7,
    RECEIVER_READY = 12, /* after a frame: 320 us until CCA is valid again */
    ACK_WAIT = 30,
    ACK_MORE = 4,
    PATIENCE = 8192, /* 250 ms, and four times the span of repetition */

    /* Repetitions leave gaps of 1.3 ms: looks at the channel, this far apart, must all find it clear. */
    LOOK_TICKS = 16,
    LOOKS_REPEAT = 5,
};

/* Of an MPDU, after the length byte. */
enum { FCF_TYPE = 7, FCF_ACK_REQUEST = 0x20, TYPE_ACK = 2, ACK_LENGTH = 5 };

enum state { IDLE, BACKOFF, SENT };

static void timeout(void *unused);
static struct timer timer = TIMER(timeout, NULL);

static struct {
    const struct csma_events *events;
    enum state state;
    const uint8_t *frame;
    uint32_t repeat, until; /* until: when repetition ends, once it has begun */
    uint32_t give_up;
    bool loaded, repeating;
    uint8_t clear_looks, tries;
} mac;

uint16_t csma_transmissions;

static bool wants_ack(void)
{
    return mac.frame[1] & FCF_ACK_REQUEST;
}

static void back_off(uint16_t most)
{
    mac.state = BACKOFF;
    mac.clear_looks = 0;
    timer_start_once(&timer, BACKOFF_LEAST + random_below(most));
}

static void finish(enum csma_result result)
{
    mac.state = IDLE;
    timer_stop(&timer);
    mac.events->sent(result);
}

/* ---- a frame leaves ---- */

static uint16_t air_ticks(void)
{
    uint16_t bytes = (uint16_t)(6 + mac.frame[0]);
    return TURNAROUND + bytes + bytes / 20 + 1;
}

static void await_end(void)
{
    mac.state = SENT;
    csma_transmissions++;
    timer_start_once(&timer, air_ticks() + (wants_ack() ? ACK_WAIT : RECEIVER_READY));
    if (mac.repeat && !mac.repeating)
        mac.until = timer_now() + mac.repeat;
    mac.repeating = mac.repeat != 0;
}

static void busy(void)
{
    if (!mac.repeating && !timer_before(timer_now(), mac.give_up))
        finish(CSMA_CONGESTED);
    else
        back_off(mac.repeating ? BACKOFF_REPEAT : BACKOFF_BUSY);
}

/* True when the channel has been clear often enough; starts the wait for the next look otherwise. */
static bool looked_enough(void)
{
    uint8_t needed = mac.repeat && !mac.repeating ? LOOKS_REPEAT : 1;
    if (++mac.clear_looks >= needed)
        return true;
    timer_start_once(&timer, LOOK_TICKS);
    return false;
}

static void try_to_send(void)
{
    if (!cc2420_channel_clear()) {
        busy();
        return;
    }
    if (!looked_enough() || !cc2420_acquire())
        return;
    if (!mac.loaded)
        cc2420_load(mac.frame);
    mac.loaded = true;
    bool leaves = cc2420_transmit();
    cc2420_release();
    if (leaves)
        await_end();
    else
        busy();
}

/* ---- it has left, and no acknowledgement has come ---- */

static void sent_or_not(void)
{
    if (mac.repeating) {
        if (timer_before(timer_now(), mac.until))
            try_to_send();
        else
            finish(wants_ack() ? CSMA_NO_ACK : CSMA_SENT);
    } else if (!wants_ack()) {
        finish(CSMA_SENT);
    } else if (++mac.tries < CSMA_TRIES) {
        back_off(BACKOFF_INITIAL);
    } else {
        finish(CSMA_NO_ACK);
    }
}

static void timeout(void *unused)
{
    (void)unused;
    if (mac.state == BACKOFF)
        try_to_send();
    else if (wants_ack() && (cc2420_in_frame() || cc2420_frame_waiting()))
        timer_start_once(&timer, ACK_MORE); /* perhaps that is it */
    else
        sent_or_not();
}

/* ---- from the radio ---- */

static void received(const uint8_t *frame, const struct cc2420_footer *footer)
{
    if ((frame[1] & FCF_TYPE) != TYPE_ACK) {
        mac.events->received(frame, footer);
        return;
    }
    bool mine = mac.state == SENT && frame[0] == ACK_LENGTH && wants_ack() && frame[3] == mac.frame[3];
    if (mine)
        finish(CSMA_SENT);
}

static void granted(void)
{
    if (mac.state == BACKOFF && !timer_running(&timer))
        try_to_send();
}

static struct cc2420_events radio_events = { .received = received, .granted = granted };

void csma_init(const struct cc2420_config *config, const struct csma_events *events, void (*started)(void),
               void (*energy)(void))
{
    mac.events = events;
    radio_events.started = started;
    radio_events.energy = energy;
    cc2420_init(config, &radio_events);
}

void csma_on(void)
{
    cc2420_on();
}

void csma_off(void)
{
    cc2420_standby();
}

void csma_stop(void)
{
    mac.state = IDLE;
    timer_stop(&timer);
    cc2420_off();
}

bool csma_send(const uint8_t *frame, uint32_t repeat)
{
    if (mac.state != IDLE)
        return false;
    mac.frame = frame;
    mac.repeat = repeat;
    mac.repeating = mac.loaded = false;
    mac.tries = 0;
    mac.give_up = timer_now() + PATIENCE + 4 * repeat;
    back_off(BACKOFF_INITIAL);
    return true;
}

bool csma_sending(void)
{
    return mac.state != IDLE;
}
