/* The contents of a recording: logical events, as the node's recorder saw them. */
#ifndef HC_TRACE_EVENT_H
#define HC_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_event_kind { HC_EVENT_READ, HC_EVENT_INTERRUPT, HC_EVENT_MEMORY };

struct hc_event {
    enum hc_event_kind kind;
    union {
        struct {
            uint16_t site;
            uint16_t value; /* of class timer: the difference to what was predicted, modulo 2^16 */
        } read;
        struct {
            uint8_t vector;
            bool asleep; /* the following members are neither known nor needed */
            bool hashed; /* hash is known */
            uint16_t pc;
            uint32_t hash;
            uint32_t count; /* laps << 16 | count */
        } interrupt;
        struct {
            uint16_t address, size;
            const uint8_t *bytes;
        } memory;
    };
};

/* Events in the order in which they happened; owned by the caller. */
struct hc_events {
    const struct hc_event *event;
    size_t count;
};

#endif
