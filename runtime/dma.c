/* Memory that DMA has written, from the ring to the codec. How it comes into the ring: port/.../dma.inc. */
#include "ram.h"
#include "ring.h"

#if HC_CODEC_SETS
#error "what DMA writes is recorded by codec set hindcast only: with several streams nothing says when it came"
#endif

uint16_t hc_dma_encode(uint16_t from)
{
    const uint16_t *head = (const uint16_t *)(const void *)(__hc_ram.ring + from);
    uint16_t address = head[1], at = (from + 4) & (HC_RING - 1);
    uint16_t size = (head[0] & HC_RING_VECTOR) >> 1;
    uint16_t first = HC_RING - at < size ? HC_RING - at : size;
    hc_encode_memory(&__hc_ram.recorder.codec, address, first, __hc_ram.ring + at);
    if (first < size)
        hc_encode_memory(&__hc_ram.recorder.codec, address + first, size - first, __hc_ram.ring);
    return (at + size + 3) & (HC_RING - 4);
}
