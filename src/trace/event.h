/* What a recording says: logical events, as the node's recorder saw them. */
#ifndef HC_TRACE_EVENT_H
#define HC_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_event_kind { HC_EVENT_READ, HC_EVENT_INTERRUPT, HC_EVENT_MEMORY, HC_EVENT_MARK };

struct hc_event {
    enum hc_event_kind kind;
    union {
        struct {
            uint16_t site;
            uint16_t value; /* of class timer: the difference to what was predicted, modulo 2^16 */
        } read;
        struct {
            uint8_t vector;
            bool asleep; /* nothing of what follows is known, nor needed */
            bool hashed; /* hash is known */
            uint16_t pc;
            uint16_t hash;
            uint32_t count; /* laps << 16 | count */
        } interrupt;
        struct {
            uint16_t address, size;
            uint32_t bytes; /* where they are in hc_events.bytes */
        } memory;
        struct {
            uint8_t code;
            uint16_t value;
        } mark;
    };
    uint32_t page; /* index into the log's pages: where its last bit lies */
};

/* A sequence of events with what belongs to them. */
struct hc_events {
    struct hc_event *event;
    size_t count, room;
    uint8_t *bytes; /* of memory events */
    size_t byte_count, byte_room;
};

void hc_events_free(struct hc_events *events);

/* Appends; false when memory is exhausted. Bytes of a memory event are appended first. */
bool hc_events_add(struct hc_events *events, const struct hc_event *event);
bool hc_events_add_byte(struct hc_events *events, uint8_t byte);

#endif
