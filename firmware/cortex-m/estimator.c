#include "router.h"

enum { SAMPLES = 4, OLD = 3, NEW = 1 };

void estimator_heard(struct link *link, uint8_t sequence)
{
    uint8_t gap = (uint8_t)(sequence - link->sequence - 1);

    link->sequence = sequence;
    link->heard++;
    link->missed += gap < 16 ? gap : 0; /* more is a reset of the neighbour */
}

static void estimate(struct link *link)
{
    unsigned sent = (unsigned)link->heard + link->missed;

    if (sent < SAMPLES)
        return;
    unsigned now = 256u * link->heard / sent;
    link->quality = (uint16_t)((OLD * link->quality + NEW * now) / (OLD + NEW));
    link->heard = link->missed = 0;
}

void estimator_tick(void)
{
    for (int i = 0; i < ROUTES; i++) {
        struct link *link = routes_link(i);
        if (link)
            estimate(link);
    }
}
