#include "bytes.h"

#include "critical.h"
#include "ram.h"

bool hc_sink_look(uint16_t page)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;
    hc_sink_begin(HC_SINK_READ, page);
    for (uint8_t i = 0; i < HC_PAGE_HEADER; i++)
        header[i] = hc_sink_exchange(0xff);
    return header[0] == HC_PAGE_MAGIC;
}

#if !HC_SINK_FRAM /* which knows by a page's first byte */
bool hc_sink_used(uint16_t page)
{
    hc_sink_begin(HC_SINK_READ, page);
    for (uint16_t i = 0; i < HC_PAGE_SIZE; i++)
        if (hc_sink_exchange(0xff) != 0xff)
            return true;
    return false;
}
#endif

uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;
    uint16_t crc = 0xffff, end = what == HC_SINK_PROGRAM ? HC_PAGE_HEADER + __hc_ram.recorder.next.length : 0;
    hc_sink_begin(what, page);
    for (uint16_t i = 0; i < HC_PAGE_SIZE; i++) {
        uint8_t out = crc >> 8;
        if (i < HC_PAGE_HEADER)
            out = header[i];
        else if (i < HC_PAGE_CRC)
            out = i < end ? payload[i - HC_PAGE_HEADER] : 0; /* behind it memory may end */
        uint8_t byte = hc_sink_exchange(out);
        if (what == HC_SINK_PROGRAM)
            byte = out;
        if (i < HC_PAGE_HEADER)
            header[i] = byte;
        if (header[0] != HC_PAGE_MAGIC)
            break;
        crc = hc_page_crc(crc, &byte, 1);
    }
    return crc;
}
