/* Node 1 sends to node 2 ten times a second. Node 2 is always on for 2 s, then listens every 64 ms, is off from 4 s to
 * 6 s, and on again. At 8 s node 1 stops its radio with a message on its way, and starts it at 9 s.
 * result of node 1: 0-4 acknowledged in each of these phases, 5-9 not acknowledged */
#include "drivers/board.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/am.h"
#include "net/lpl.h"

enum { TYPE = 7, RECEIVER = 2 };

volatile uint16_t result[10];
volatile uint16_t phase, received_count;
static struct am_message message;

static void sent(struct am_client *c, bool acked)
{
    (void)c;
    result[acked ? phase : 5 + phase]++;
}

static struct am_client client = { .type = TYPE, .sent = sent };

static void received(const struct am_message *m)
{
    (void)m;
    received_count++;
}

static struct am_listener listener = { .type = TYPE, .received = received };

static void send(void *unused)
{
    (void)unused;
    am_send(&client, &message, RECEIVER, 4);
}

static void receiver_phase(void)
{
    if (phase == 1)
        lpl_set_wakeup(64);
    else if (phase == 2)
        am_stop();
    else if (phase == 3)
        am_start();
}

static void restart(void *unused)
{
    (void)unused;
    am_start();
}

static struct timer sending = TIMER(send, NULL), restarting = TIMER(restart, NULL);

static void sender_phase(void)
{
    if (phase != 4)
        return;
    timer_stop(&sending);
    send(NULL);
    am_stop();
    timer_start_once(&restarting, TIMER_SECOND);
}

static void next_phase(void *unused)
{
    (void)unused;
    phase++;
    if (node_id == RECEIVER)
        receiver_phase();
    else
        sender_phase();
}

static struct timer phases = TIMER(next_phase, NULL);

int main(void)
{
    board_start();
    am_listen(&listener);
    am_start();
    lpl_set_neighbours(64);
    timer_start_periodic(&phases, 2 * TIMER_SECOND);
    if (node_id == 1)
        timer_start_periodic(&sending, TIMER_MS(100));
    kernel_run();
}
