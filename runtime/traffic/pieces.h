/* Sinks that take and give a byte at any address at once, and are always ready: what is the same in all of them. A sink
 * defines `put` and `get`, of addresses of 16 bits, before it includes this. */
#include "traffic/model.h"
#include "traffic/sink.h"

bool hc_piece_open(uint8_t kept[HC_SINK_KEPT])
{
    (void)kept;
    return true;
}

bool hc_piece_close(const uint8_t kept[HC_SINK_KEPT])
{
    (void)kept;
    return true;
}

void hc_piece_write(uint16_t page, uint8_t offset, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    uint16_t at = (uint16_t)(page << 8 | offset);
    uint8_t sum = head;

    put(at++, head);
    for (; size; size--) {
        sum = hc_traffic_sum(sum, *bytes);
        put(at++, *bytes++);
    }
    put(at, hc_traffic_check(sum));
}

void hc_piece_read(uint16_t page, uint8_t *bytes, uint8_t size)
{
    for (uint16_t at = (uint16_t)(page << 8); size; size--)
        *bytes++ = get(at++);
}
