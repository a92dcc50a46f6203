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

#if !HC_SINK_FRAM /* which knows by a page's first byte, and is faster */
bool hc_sink_used(uint16_t page, uint16_t size)
{
    hc_sink_begin(HC_SINK_READ, page);
    for (uint16_t i = 0; i < size; i++)
        if (hc_sink_exchange(0xff) != 0xff)
            return true;
    return false;
}

void hc_sink_put(const uint8_t *bytes, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++)
        hc_sink_exchange(bytes[i]);
}
#endif

static uint16_t read_page(uint8_t *header)
{
    uint16_t crc = 0xffff;

    for (uint16_t i = 0; i < HC_PAGE_SIZE; i++) {
        uint8_t byte = hc_sink_exchange(0xff);
        if (i < HC_PAGE_HEADER)
            header[i] = byte;
        if (header[0] != HC_PAGE_MAGIC)
            break;
        crc = hc_page_crc(crc, &byte, 1);
    }
    return crc;
}

static uint16_t send(uint16_t crc, const uint8_t *bytes, uint8_t size)
{
    hc_sink_put(bytes, size);
    return hc_page_crc(crc, bytes, size);
}

static void write_page(const uint8_t *header, const uint8_t *payload)
{
    uint8_t length = header[HC_PAGE_LENGTH], rest = (uint8_t)(HC_PAGE_PAYLOAD - length);
    uint16_t crc = send(0xffff, header, HC_PAGE_HEADER);

    crc = send(crc, payload, length);
    for (; rest > HC_PAGE_HEADER; rest -= HC_PAGE_HEADER)
        crc = send(crc, header, HC_PAGE_HEADER); /* anything: behind the payload memory may end */
    crc = send(crc, header, rest);
    hc_sink_exchange((uint8_t)(crc >> 8));
    hc_sink_exchange((uint8_t)crc);
}

uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;

    hc_sink_begin(what, page);
    if (what == HC_SINK_READ)
        return read_page(header);
    write_page(header, payload);
    return 0;
}
