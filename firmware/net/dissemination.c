#include "net/dissemination.h"

#include "kernel/random.h"
#include "net/bytes.h"

#include <kit.h>

static struct dissemination *values;
static struct am_message message;

static void told(struct am_client *c, bool acked)
{
    (void)c;
    (void)acked;
}

static struct am_client client = { .type = DISSEMINATION_AM, .sent = told };

static uint32_t random32(void)
{
    return (uint32_t)random16() << 16 | random16();
}

static void tell_soon(struct dissemination *d)
{
    uint32_t ticks = trickle_reset(&d->trickle, random32());
    if (ticks)
        timer_start_once(&d->timer, ticks);
}

/* When another value is just being sent this one waits for its next interval. */
static void tell(struct dissemination *d)
{
    if (am_sending(&client))
        return;
    bytes_put16(message.payload, d->key);
    bytes_put32(message.payload + 2, d->sequence);
    memcpy(message.payload + DISSEMINATION_HEADER, d->value, d->length);
    am_send(&client, &message, AM_BROADCAST, (uint8_t)(DISSEMINATION_HEADER + d->length));
}

static void fired(void *argument)
{
    struct dissemination *d = argument;
    bool speak;
    timer_start_once(&d->timer, trickle_fired(&d->trickle, random32(), &speak));
    if (speak)
        tell(d);
}

static void take(struct dissemination *d, uint32_t sequence, const uint8_t *value)
{
    d->sequence = sequence;
    memcpy(d->value, value, d->length);
    tell_soon(d);
    d->changed(d->value);
}

static void received(const struct am_message *m)
{
    struct dissemination *d = values;
    if (m->payload_length < DISSEMINATION_HEADER)
        return;
    while (d && d->key != bytes_get16(m->payload))
        d = d->next;
    if (!d || m->payload_length != DISSEMINATION_HEADER + d->length)
        return;
    uint32_t sequence = bytes_get32(m->payload + 2);
    if (sequence == d->sequence)
        trickle_heard(&d->trickle);
    else if (sequence == 0 || (d->sequence != 0 && (int32_t)(sequence - d->sequence) < 0))
        tell_soon(d);
    else
        take(d, sequence, m->payload + DISSEMINATION_HEADER);
}

void dissemination_add(struct dissemination *d)
{
    static struct am_listener listener = { .type = DISSEMINATION_AM, .received = received };
    if (!values)
        am_listen(&listener);
    d->next = values;
    values = d;
    d->trickle.minimum = TIMER_MS(DISSEMINATION_MIN_MS);
    d->trickle.maximum = TIMER_MS(DISSEMINATION_MAX_MS);
    d->trickle.enough = 1;
    d->timer.fired = fired;
    d->timer.argument = d;
    timer_start_once(&d->timer, trickle_start(&d->trickle, random32()));
}

void dissemination_set(struct dissemination *d, const uint8_t *value)
{
    d->sequence = ((d->sequence >> 16) + 1) << 16 | node_id;
    memcpy(d->value, value, d->length);
    tell_soon(d);
}
