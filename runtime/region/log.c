/* The log of a region: pages of pieces, as of depth `messages` (FORMAT.md), written from the beginning of the area to
 * its end. It is not reused: without its beginning nothing can be replayed. */
#include "region/record.h"

#include "critical.h"
#include "traffic/model.h"
#include "traffic/sink.h"

enum {
    FIRST = HC_LOG_START >> 8,
    END = HC_LOG_END >> 8,
    SECTOR = HC_LOG_SECTOR >> 8,
};

/* What the link step fills in. */
const volatile struct hc_traffic_begin __hc_traffic_begin
    __attribute__((used)) = { .version = HC_REGION_VERSION, .partners = sizeof(hc_word) };

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(".pushsection .hindcast,\"\",%progbits\n\t.short 0\n\t.asciz \"runtime\\tversion=1\\tdepth=region"
        "\\trecorder=c\\tring=" TEXT(HC_REGION_RING) "\\tcache=" TEXT(
            HC_REGION_CACHE) "\\tsink=" HC_SINK_NAME
                             "\\tlog=" TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END) "\"\n\t.popsection");

static struct {
    uint16_t place;
    uint16_t boot, segment, sequence; /* as pages have them */
    uint8_t sequence_high;
    uint8_t at;  /* offset in the page; 0: it is to be begun */
    uint8_t odd; /* of the next piece */
    bool opened, begun, full, erased, awake;
} place;

enum { BLANK, SPOILT, PAGE };

static uint8_t look(uint16_t page)
{
    uint8_t header[HC_PAGE_HEADER], blank = 0xff;

    hc_piece_read(page, header, sizeof header);
    for (uint8_t i = 0; i < sizeof header; i++)
        blank &= header[i];
    if (blank == 0xff)
        return BLANK;
    if (header[0] != HC_PAGE_MAGIC || header[1] != HC_STREAM_REGION)
        return SPOILT;
    place.boot = (uint16_t)(header[2] | header[3] << 8);
    place.sequence = (uint16_t)(header[6] | header[7] << 8);
    place.sequence_high = header[8];
    return PAGE;
}

/* Behind the last page of the last sector that is in use. */
static void open_log(void)
{
    uint16_t page = FIRST;

    place.opened = true;
    place.place = FIRST;
    if (look(FIRST) != PAGE)
        return;
    while (page + SECTOR < END && look(page + SECTOR) == PAGE)
        page += SECTOR;
    while (page + 1 < END && (page + 1) % SECTOR && look(page + 1) != BLANK)
        page++;
    place.boot++;
    if (!++place.sequence)
        place.sequence_high++;
    place.place = page + 1;
    place.full = place.place == END;
}

static void next_page(void)
{
    place.at = 0;
    place.erased = false;
    if (!++place.sequence)
        place.sequence_high++;
    if (++place.place == END) {
#if HC_SINK_UART || HC_SINK_CALLBACK
        place.place = FIRST; /* a wire has no end */
#else
        place.full = true;
#endif
    }
}

static void write_header(void)
{
    uint8_t header[] = { HC_STREAM_REGION,
                         (uint8_t)place.boot,
                         (uint8_t)(place.boot >> 8),
                         0,
                         0,
                         (uint8_t)place.sequence,
                         (uint8_t)(place.sequence >> 8),
                         place.sequence_high };

    hc_piece_write(place.place, 0, HC_PAGE_MAGIC, header, sizeof header);
    place.at = HC_PAGE_HEADER;
}

static bool write_piece(uint8_t head, const uint8_t *bytes, uint8_t size)
{
    if (place.at && place.at > HC_PAGE_SIZE - 2 - size)
        next_page();
    if (place.full)
        return false;
    if (!place.at && place.place % SECTOR == 0 && !place.erased && look(place.place) != BLANK) {
        hc_piece_erase(place.place); /* which takes its time: the next call goes on */
        place.erased = true;
        return false;
    }
    if (!place.at)
        write_header();
    hc_piece_write(place.place, place.at, head, bytes, size);
    if ((place.at += size + 2) == 0)
        next_page();
    return true;
}

static bool write_begin(void)
{
    struct hc_traffic_begin begin;

    for (uint8_t i = 0; i < sizeof begin; i++)
        ((uint8_t *)&begin)[i] = ((const volatile uint8_t *)&__hc_traffic_begin)[i];
    return write_piece(HC_PIECE_BEGIN, (const uint8_t *)&begin, sizeof begin);
}

static bool write_code(const uint8_t *bytes, uint8_t size)
{
    if (!write_piece(size | place.odd, bytes, size))
        return false;
    place.odd ^= HC_PIECE_ODD;
    return true;
}

uint8_t hc_region_log(const uint8_t *bytes, uint8_t size)
{
    uint8_t kept[HC_SINK_KEPT], taken = 0;

    if (place.full)
        return 0;
    if (hc_piece_open(kept)) {
        if (!place.opened)
            open_log();
        if (!place.begun)
            place.begun = write_begin();
        while (place.begun && taken < size) {
            uint8_t next = size - taken < HC_REGION_PIECE ? size - taken : HC_REGION_PIECE;
            if (!write_code(bytes + taken, next))
                break;
            taken += next;
        }
    }
    hc_piece_close(kept);
    return taken;
}
