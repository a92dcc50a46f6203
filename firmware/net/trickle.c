#include "net/trickle.h"

static uint32_t begin_interval(struct trickle *t, uint32_t length, uint32_t random)
{
    uint32_t half = length / 2;
    t->interval = length;
    t->moment = half + random % half;
    t->moment_passed = false;
    t->heard = 0;
    return t->moment;
}

uint32_t trickle_start(struct trickle *t, uint32_t random)
{
    return begin_interval(t, t->minimum, random);
}

uint32_t trickle_fired(struct trickle *t, uint32_t random, bool *speak)
{
    if (t->moment_passed) {
        *speak = false;
        return begin_interval(t, t->interval > t->maximum / 2 ? t->maximum : t->interval * 2, random);
    }
    t->moment_passed = true;
    *speak = t->enough == 0 || t->heard < t->enough;
    return t->interval - t->moment;
}

uint32_t trickle_reset(struct trickle *t, uint32_t random)
{
    return t->interval == t->minimum ? 0 : begin_interval(t, t->minimum, random);
}

void trickle_heard(struct trickle *t)
{
    if (t->heard < UINT8_MAX)
        t->heard++;
}
