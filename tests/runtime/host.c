#include "runtime/host.h"

#include "../../runtime/link.h"
#include "bytes.h"
#include "critical.h"
#include "port.h"
#include "ram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(HC_LOG_START == 0 && HC_LOG_END == HOST_FLASH && HC_LOG_SECTOR == HOST_SECTOR * HC_PAGE_SIZE, "host.h");

struct host host;

uint8_t hc_host_memory[0x10000] __attribute__((aligned(8)));
uint16_t hc_host_ram = 0x1100;
uint16_t hc_host_status;
struct hc_kept hc_host_kept;
uint16_t hc_host_link, hc_host_sites, hc_host_dump, hc_host_dump_end;

uint32_t host_draw(void)
{
    host.random = host.random * 1664525 + 1013904223;
    return host.random >> 8;
}

void host_start(uint32_t random)
{
    memset(&host, 0, sizeof host);
    memset(host.flash, 0xff, sizeof host.flash);
    host.random = random;
    host.cut_at = -1;
    host.may_write = true;
    for (size_t i = 0; i < sizeof hc_host_memory; i++)
        hc_host_memory[i] = (uint8_t)host_draw();
}

uint8_t *hc_host_access(uint16_t address)
{
    if (host.accesses && !--host.accesses)
        longjmp(host.reset, 1);
    return hc_host_memory + address;
}

void hc_host_moment(void)
{
    if (host.moment)
        host.moment();
}

bool hc_port_may_write(bool urgent)
{
    return host.may_write || urgent;
}

/* ---- the chip ---- */

static struct {
    uint8_t what;
    uint32_t address, first; /* the next byte, the page's first */
} transfer;

/* True when power fails at this write. */
static bool is_cut(void)
{
    return host.written++ == host.cut_at;
}

void hc_sink_open(void)
{
    assert(!host.open);
    host.open = true;
}

bool hc_sink_close(void)
{
    assert(host.open);
    host.open = false;
    return host.busy == 0;
}

bool hc_sink_ready(void)
{
    assert(host.open);
    if (host.busy)
        host.busy--;
    return host.busy == 0;
}

void hc_sink_begin(uint8_t what, uint16_t page)
{
    assert(host.open && host.busy == 0 && page < HOST_PAGES);
    transfer.what = what;
    transfer.address = transfer.first = page * 256u;
}

static void tear(uint8_t byte)
{
    uint8_t *at = &host.flash[transfer.address];
    *at &= (uint8_t)(byte | host_draw());
    if (host.tear == HOST_TEAR_BITS)
        for (uint32_t i = transfer.first; i < transfer.address; i++)
            host.flash[i] |= (uint8_t)host_draw();
    longjmp(host.dead, 1);
}

uint8_t hc_sink_exchange(uint8_t byte)
{
    uint8_t *at = &host.flash[transfer.address];
    if (host.accesses && !--host.accesses)
        longjmp(host.reset, 1);
    if (transfer.what == HC_SINK_READ) {
        transfer.address++;
        return *at;
    }
    host.spoiled |= *at != 0xff;
    if (is_cut())
        tear(byte);
    *at &= byte;
    transfer.address++;
    host.busy = 3;
    return byte;
}

/* Several stages, at each of which power may fail. */
void hc_sink_erase(uint16_t page)
{
    uint8_t *sector = host.flash + page * 256u;
    assert(host.open && host.busy == 0 && page % HOST_SECTOR == 0 && page < HOST_PAGES);
    enum { STAGES = 4, SIZE = HOST_SECTOR * 256 };
    for (int stage = 0; stage < STAGES; stage++) {
        if (is_cut())
            longjmp(host.dead, 1);
        for (int i = 0; i < SIZE; i++)
            if (host.tear == HOST_TEAR_BITS)
                sector[i] |= (uint8_t)host_draw();
            else if (i < SIZE / STAGES * stage)
                sector[i] = 0xff;
    }
    memset(sector, 0xff, SIZE);
    host.busy = 250;
}
