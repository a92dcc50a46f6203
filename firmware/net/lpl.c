#include "net/lpl.h"

#include "kernel/random.h"
#include "kernel/timer.h"

/* Times in ticks. */
#define WINDOW TIMER_MS(3)  /* a look at the channel: longer than a sender's gap and the start of its next frame */
#define EXPECT TIMER_MS(10) /* after energy: longer than the rest of one frame, a gap and another frame */
#define LINGER TIMER_MS(20) /* after a frame was received or sent: others may follow */
#define IN_FRAME TIMER_MS(4)
#define MARGIN TIMER_MS(10) /* for the neighbours' start-up and the difference of clocks */

enum { HISTORY = 8, NOBODY = 0xffff };

/* Offsets in a frame, from its length byte. */
enum { FCF = 1, DSN = 3, SOURCE = 8, FCF_ACK_REQUEST = 0x20 };

static void wake_up(void *unused);
static void fall_asleep(void *unused);
static struct timer wakeup = TIMER(wake_up, NULL), awake = TIMER(fall_asleep, NULL);

static struct {
    const struct csma_events *events;
    uint32_t own, neighbours; /* intervals in ticks */
    bool started;
    bool lingering;       /* awake for what may follow, not in the course of a look */
    const uint8_t *frame; /* to be sent */
} lpl;

static struct {
    uint16_t source;
    uint8_t dsn;
} history[HISTORY];
static uint8_t history_next;

uint16_t lpl_duplicates;

static uint32_t ticks_of(uint16_t ms)
{
    return (uint32_t)ms * 4096 / 125;
}

/* ---- the radio's sleep ---- */

static void stay_awake(uint32_t ticks)
{
    if (lpl.own)
        timer_start_once(&awake, ticks);
}

static void linger(uint32_t ticks)
{
    if (!lpl.lingering || timer_before(awake.at, timer_now() + ticks))
        stay_awake(ticks);
    lpl.lingering = true;
}

static void sleep_unless(bool something_comes)
{
    if (csma_sending() || lpl.frame || !lpl.own)
        return;
    cc2420_watch_channel(false);
    if (something_comes)
        stay_awake(IN_FRAME);
    else
        csma_off();
}

static void fall_asleep(void *unused)
{
    (void)unused;
    lpl.lingering = false;
    sleep_unless(cc2420_in_frame() || cc2420_frame_waiting());
}

static void wake_up(void *unused)
{
    (void)unused;
    timer_start_at(&wakeup, wakeup.at + lpl.own);
    csma_on();
}

static void radio_started(void)
{
    if (lpl.frame) {
        csma_send(lpl.frame, lpl.neighbours ? lpl.neighbours + MARGIN : 0);
    } else if (lpl.own) {
        timer_start_at(&awake, cc2420_on_since() + WINDOW);
        cc2420_watch_channel(true);
    }
}

static void energy(void)
{
    stay_awake(EXPECT);
}

/* The first look comes at a random time, so that neighbours do not look, and later answer, all at once. */
static void start_cycle(void)
{
    timer_stop(&wakeup);
    if (!lpl.started)
        return;
    if (!lpl.own) {
        csma_on();
        return;
    }
    timer_start_once(&wakeup, random_below(lpl.own));
    stay_awake(WINDOW);
}

/* ---- frames ---- */

static bool is_new(const uint8_t *frame)
{
    uint16_t source = (uint16_t)(frame[SOURCE] | frame[SOURCE + 1] << 8);
    for (uint8_t i = 0; i < HISTORY; i++)
        if (history[i].source == source && history[i].dsn == frame[DSN])
            return false;
    history[history_next].source = source;
    history[history_next].dsn = frame[DSN];
    history_next = (history_next + 1) % HISTORY;
    return true;
}

/* A broadcast's repetitions keep all others silent: nothing else comes until they end, and what is on the air now is
 * one of them. After a unicast, which its sender repeats if he has not heard the acknowledgement, others may follow. */
static void received(const uint8_t *frame, const struct cc2420_footer *footer)
{
    bool broadcast = !(frame[FCF] & FCF_ACK_REQUEST), new = is_new(frame);
    if (broadcast && !lpl.lingering)
        sleep_unless(cc2420_frame_waiting());
    else if (new)
        linger(LINGER);
    if (new)
        lpl.events->received(frame, footer);
    else
        lpl_duplicates++;
}

static void sent(enum csma_result result)
{
    lpl.frame = NULL;
    linger(LINGER);
    lpl.events->sent(result);
}

static const struct csma_events mac_events = { .received = received, .sent = sent };

void lpl_send(const uint8_t *frame)
{
    lpl.frame = frame;
    if (cc2420_is_on())
        radio_started();
    else if (lpl.started)
        csma_on();
}

void lpl_set_wakeup(uint16_t ms)
{
    lpl.own = ticks_of(ms);
    start_cycle();
}

void lpl_set_neighbours(uint16_t ms)
{
    lpl.neighbours = ticks_of(ms);
}

void lpl_init(const struct cc2420_config *config, const struct csma_events *events)
{
    lpl.events = events;
    lpl.own = lpl.neighbours = ticks_of(LPL_INTERVAL);
    for (uint8_t i = 0; i < HISTORY; i++)
        history[i].source = NOBODY;
    csma_init(config, &mac_events, radio_started, energy);
}

void lpl_start(void)
{
    lpl.started = true;
    start_cycle();
    if (lpl.frame)
        csma_on();
}

void lpl_stop(void)
{
    lpl.started = false;
    timer_stop(&wakeup);
    timer_stop(&awake);
    csma_stop();
}
