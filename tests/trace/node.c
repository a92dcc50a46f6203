/* The encoder on the node: encodes the events of node_events.h and hands each page to page_out, where the test waits.
 */
#include "node_events.h"

#include <kit.h>

volatile uint16_t finished;
#ifdef HC_CODEC_IN_ASSEMBLY
#define the_codec (__hc_ram.recorder.codec)
enum { MARKS = false };
#else
struct hc_codec the_codec;
enum { MARKS = true };
#endif

__attribute__((noinline)) void page_out(struct hc_codec *from, uint8_t stream, uint8_t *page, uint8_t length)
{
    __asm__ volatile("" : : "r"(from), "r"(stream), "r"(page), "r"(length) : "memory");
}

#ifdef HC_CODEC_IN_ASSEMBLY
void keep_page(uint8_t length);
void keep_page(uint8_t length)
{
    __hc_ram.recorder.flags = HC_RAM_FLAG_SPARE;
    page_out(&the_codec, HC_STREAM_MIXED, the_codec.mixed.page, length);
}

/* It may use r12 and r13 only. */
__asm__("        .global __hc_page_full\n"
        "__hc_page_full:\n"
        "        push    r11\n"
        "        push    r14\n"
        "        push    r15\n"
        "        call    #keep_page\n"
        "        pop     r15\n"
        "        pop     r14\n"
        "        pop     r11\n"
        "        ret\n"
        "        .global hc_shelf_put\n" /* C: there is room */
        "hc_shelf_put:\n"
        "        clrc\n"
        "        ret\n");
#endif

/* Around one event, for the test to count cycles. */
__attribute__((noinline)) void one_event(uint32_t *seed)
{
    node_event(&the_codec, seed, MARKS);
}

int main(void)
{
    uint32_t seed = 1;
#ifdef HC_CODEC_IN_ASSEMBLY
    __hc_ram.head = __hc_ram.recorder.tail = (uint16_t)(uintptr_t)__hc_ram.ring;
    __hc_ram.recorder.flags = __hc_ram.recorder.boundary = 0;
#else
    hc_codec_open(&the_codec, node_sites, page_out);
#endif
    hc_codec_start(&the_codec);
    for (uint16_t i = 0; i < NODE_EVENTS; i++)
        one_event(&seed);
    hc_codec_finish(&the_codec);
    finished = 0xd09e;
    for (;;)
        ;
}
