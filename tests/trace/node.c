/* The encoder on the node: encodes the events of node_events.h and hands each page to page_out, where the test waits.
 */
#include "node_events.h"

#include <kit.h>

volatile uint16_t finished;
struct hc_codec codec;

__attribute__((noinline)) void page_out(struct hc_codec *from, uint8_t stream, uint8_t *page, uint8_t length)
{
    __asm__ volatile("" : : "r"(from), "r"(stream), "r"(page), "r"(length) : "memory");
}

/* Around one event, for the test to count cycles. */
__attribute__((noinline)) void one_event(uint32_t *seed)
{
    node_event(&codec, seed);
}

int main(void)
{
    uint32_t seed = 1;
    hc_codec_open(&codec, node_sites, page_out);
    hc_codec_start(&codec);
    for (uint16_t i = 0; i < NODE_EVENTS; i++)
        one_event(&seed);
    hc_codec_finish(&codec);
    finished = 0xd09e;
    for (;;)
        ;
}
