#include "runtime/recording.h"

#include "../../runtime/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VECTORS = 16, RAM_START = 0x1100, RAM_END = 0x3900 };

static uint32_t address(const struct harness *h, const char *name)
{
    struct hc_symbol symbol;
    if (!hc_image_symbol(h->image, name, &symbol))
        fail_msg("no symbol %s", name);
    return symbol.address;
}

static void set_range(struct harness *h, uint32_t at, uint32_t start, uint32_t end)
{
    hc_poke16(h->machine, at, (uint16_t)start);
    hc_poke16(h->machine, at + 2, (uint16_t)end);
}

void recording_set_free(struct harness *h, uint32_t bytes)
{
    uint32_t link = address(h, "__hc_link"), start = RAM_END - bytes;
    set_range(h, link + HC_LINK_FREE, start, RAM_END);
    set_range(h, link + HC_LINK_PIECES + 4, address(h, "__hc_ram_end"), start);
}

static void link_by_hand(struct harness *h)
{
    struct hc_machine *m = h->machine;
    uint32_t link = address(h, "__hc_link");
    assert_int_equal(hc_peek16(m, link), HC_LINK_MAGIC);
    for (int i = 0; i < 8; i++)
        hc_poke(m, link + 4 + (uint32_t)i, (uint8_t)(0xb0 + i));
    recording_set_free(h, RAM_END - address(h, "__hc_ram_end"));
    set_range(h, link + HC_LINK_PIECES, RAM_START, address(h, "__hc_ram"));
    set_range(h, link + HC_LINK_PIECES + 4 * HC_PIECES_NOINIT, address(h, "__bss_end"), address(h, "__hc_ram"));
    for (uint32_t n = 0; n < VECTORS; n++) {
        uint32_t at = 0xffe0 + 2 * n;
        uint16_t handler = hc_peek16(m, at);
        char name[32];
        hc_poke16(m, link + HC_LINK_HANDLERS + 2 * n, handler);
        snprintf(name, sizeof name, n == 15 ? "__hc_reset" : "__hc_trampoline_%u", (unsigned)n);
        if (handler != 0xffff)
            hc_poke16(m, at, (uint16_t)address(h, name));
    }
}

void recording_start(struct harness *h, const char *name)
{
    char path[1024];
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    assert_non_null(board);
    snprintf(path, sizeof path, "%s/%s%s.elf", RECORDING_FIRMWARE, name, RECORDING_SUFFIX);
    *h = (struct harness){ .board = board, .machine = board->machine };
    h->image = harness_fill(board->machine, path);
    link_by_hand(h);
    hc_machine_reset(h->machine, HC_POR);
}

void recording_restart(struct harness *h, enum hc_reset kind)
{
    hc_machine_reset(h->machine, kind);
}

/* ---- pages ---- */

static int by_sequence(const void *a, const void *b)
{
    const struct recording_page *p = a, *q = b;
    return p->sequence < q->sequence ? -1 : p->sequence > q->sequence;
}

static bool take_page(struct recording_page *out, uint32_t address, const uint8_t *p)
{
    if (p[0] != HC_PAGE_MAGIC || p[9] > HC_PAGE_PAYLOAD || hc_page_crc(0xffff, p, HC_PAGE_SIZE) != 0)
        return false;
    *out = (struct recording_page){
        .address = address,
        .stream = p[1],
        .length = p[9],
        .boot = (uint16_t)(p[2] | p[3] << 8),
        .segment = (uint16_t)(p[4] | p[5] << 8),
        .sequence = (uint32_t)(p[6] | p[7] << 8 | p[8] << 16),
    };
    memcpy(out->payload, p + HC_PAGE_HEADER, p[9]);
    return true;
}

bool recording_is_commit(const struct recording_page *page)
{
    return page->stream == HC_STREAM_COMMIT || page->stream == HC_STREAM_RECOVERY;
}

struct recording_page *recording_find(const uint8_t *bytes, size_t size, int *count)
{
    struct recording_page *pages = calloc(size / HC_PAGE_HEADER + 1, sizeof *pages);
    int n = 0;
    for (size_t at = 0; at + HC_PAGE_SIZE <= size;) {
        bool found = take_page(&pages[n], (uint32_t)at, bytes + at);
        n += found;
        at += found ? HC_PAGE_SIZE : 1;
    }
    qsort(pages, (size_t)n, sizeof *pages, by_sequence);
    *count = n;
    return pages;
}

struct recording_page *recording_pages(const struct hc_m25p80 *flash, int *count)
{
    uint8_t *bytes = malloc(HC_M25P80_SIZE);
    hc_m25p80_read(flash, 0, bytes, HC_M25P80_SIZE);
    struct recording_page *pages = recording_find(bytes, HC_M25P80_SIZE, count);
    free(bytes);
    return pages;
}
