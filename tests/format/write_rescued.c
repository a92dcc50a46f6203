/* write_rescued IMAGE EVENTS SEED: random events with self-checks, the last of them rescued after a reset; and what
 * they were, as text:
 *
 *     site NUMBER PLACE MASK
 *     read SITE VALUE BASE|-        asleep VECTOR       interrupt VECTOR PC COUNT HASH|-
 *     memory ADDRESS HEX
 *     check COUNT SUM               after the events above it */
#include "../trace/recording.h"

#include <stdio.h>
#include <stdlib.h>

static void print_event(FILE *out, const struct recorded *e)
{
    const struct hc_arrival *a = &e->arrival;
    switch (e->kind) {
    case HC_EVENT_READ:
        fprintf(out, "read %u %u ", e->site, e->value);
        fprintf(out, e->has_base ? "%u\n" : "-\n", e->base);
        break;
    case HC_EVENT_INTERRUPT:
        if (a->flags & HC_ARRIVAL_ASLEEP) {
            fprintf(out, "asleep %u\n", a->vector);
            break;
        }
        fprintf(out, "interrupt %u %u %u ", a->vector, a->pc, a->count | (unsigned)a->laps << 16);
        fprintf(out, a->flags & HC_ARRIVAL_HASHED ? "%u\n" : "-\n", (unsigned)a->hash);
        break;
    case HC_EVENT_MEMORY:
        fprintf(out, "memory %u .", e->address);
        for (unsigned i = 0; i < e->size; i++)
            fprintf(out, "%02x", e->bytes[i]);
        fputc('\n', out);
        break;
    }
}

int main(int argc, char **argv)
{
    enum { ENCODED = 3000, WAITING = 90 };
    struct recording r;
    if (argc != 4)
        return 2;
    uint64_t seed = strtoull(argv[3], NULL, 0);
    FILE *events = fopen(argv[2], "w"), *image = fopen(argv[1], "wb");
    recording_start(&r, 0);
    recording_boot(&r);
    for (unsigned i = 0; i < RECORDING_SITES; i++)
        fprintf(events, "site %u %u %u\n", i, r.sites[i].place, r.sites[i].mask);
    for (unsigned i = 0; i < ENCODED + WAITING; i++) {
        struct recorded e;
        if (i < ENCODED)
            recording_random(&r, &seed, &e);
        else
            recording_ring_event(&r, &seed, &e);
        (i < ENCODED ? recording_add : recording_remember)(&r, &e);
        print_event(events, &e);
        uint16_t sum = (uint16_t)recording_number(&seed);
        if (i < ENCODED && sum % 8 == 0 && hc_encode_self_check(&r.codec, (uint16_t)i, sum))
            fprintf(events, "check %u %u\n", i & 0xff, sum);
        if (i < ENCODED && sum % 211 == 0)
            recording_end(&r);
    }
    recording_rescue(&r, ENCODED, 0x1234);
    fwrite(r.image, 1, r.size, image);
    recording_stop(&r);
    return fclose(image) || fclose(events);
}
