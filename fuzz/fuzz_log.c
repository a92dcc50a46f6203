/* Recordings from hostile files: any bytes are a log or refused with a message; every feed comes to an end with a
 * sentence, whatever its pages say.
 *
 * The first byte says what the others are: even, an image; odd, payloads (stream, length, bytes ...) of pages whose
 * checksums are right. */
#include "trace/feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 80, SITES_AT = 0x5000, QUESTIONS = 2000 };

static void make_sites(struct hc_site *sites)
{
    for (unsigned i = 0; i < SITES; i++) {
        sites[i].place = (uint16_t)(0x100 + i | i % 8 << 12);
        sites[i].mask = (uint16_t)(0x1234 * (i + 1) | 1);
    }
}

/* ---- pages around payloads ---- */

struct image {
    uint8_t *bytes;
    size_t size;
    uint8_t sequence;
};

static void add_page(struct image *image, uint8_t stream, const uint8_t *payload, uint8_t length)
{
    uint8_t *page = image->bytes + image->size;
    const uint8_t header[] = { HC_PAGE_MAGIC, stream, 0, 0, 0, 0, image->sequence++, 0, 0, length };
    memcpy(page, header, sizeof header);
    memset(page + HC_PAGE_HEADER, 0, HC_PAGE_PAYLOAD);
    memcpy(page + HC_PAGE_HEADER, payload, length);
    uint16_t crc = hc_page_crc(0xffff, page, HC_PAGE_CRC);
    page[HC_PAGE_CRC] = (uint8_t)(crc >> 8);
    page[HC_PAGE_CRC + 1] = (uint8_t)crc;
    image->size += HC_PAGE_SIZE;
}

enum { PAGES = 200 };

static void wrap(struct image *image, uint8_t sets, const uint8_t *bytes, size_t size)
{
    const struct hc_page_boot begin = { .begin = { .version = HC_TRACE_VERSION, .sets = sets } };
    image->bytes = malloc((PAGES + 1) * HC_PAGE_SIZE);
    assert(image->bytes);
    add_page(image, HC_STREAM_BOOT, (const uint8_t *)&begin, sizeof begin);
    while (size > 2 && image->sequence <= PAGES) {
        size_t length = bytes[1] % (HC_PAGE_PAYLOAD + 1);
        length = length < size - 2 ? length : size - 2;
        add_page(image, bytes[0] % HC_STREAMS, bytes + 2, (uint8_t)length);
        bytes += length + 2;
        size -= length + 2;
    }
}

/* ---- questions ---- */

/* Self-checks come in order, and a reset only at the end. */
static void look_at_checks(struct hc_feed *feed)
{
    struct hc_feed_check check;
    uint16_t count;
    if (hc_feed_check(feed, &check) && check.after <= hc_feed_taken(feed))
        hc_feed_take_check(feed);
    if (hc_feed_reset(feed, &count))
        assert(hc_feed_rescued(feed) && hc_feed_status_next(feed) == HC_FEED_END);
}

static void question(struct hc_feed *feed, unsigned i)
{
    struct hc_event event;
    uint16_t value;
    uint16_t address;
    uint16_t size;
    const uint8_t *bytes;
    enum hc_feed_status status = HC_FEED_OK;

    if (hc_feed_interrupt(feed)) {
        hc_feed_take_interrupt(feed);
    } else if (hc_feed_has_memory(feed) || i % 32 == 31) {
        status = hc_feed_memory(feed, &address, &size, &bytes);
        if (!status && size)
            assert(bytes[0] + bytes[size - 1] >= 0);
    } else if (i % 5 == 0) {
        status = hc_feed_wake(feed, &event);
    } else {
        status = hc_feed_read(feed, (uint16_t)(i * 7 % (SITES + 1)), i % 2 ? &(uint16_t){ 77 } : NULL, &value);
    }
    assert(!status || strlen(hc_feed_text(feed)) > 5);
    look_at_checks(feed);
}

static void replay(const struct hc_log *log, const struct hc_log_segment *segment)
{
    struct hc_site sites[SITES];
    struct hc_site_table table = { sites, SITES, SITES_AT };
    struct hc_feed *feed;
    struct hc_log_message message = { "" };

    make_sites(sites);
    if (hc_feed_open(&feed, log, segment, &table, &message) != HC_LOG_OK) {
        assert(strlen(message.text) > 5);
        return;
    }
    void *place = malloc(hc_feed_place_size(feed));
    assert(place);
    hc_feed_save(feed, place);
    for (unsigned i = 0; i < QUESTIONS && hc_feed_status_next(feed) == HC_FEED_OK; i++)
        question(feed, i);
    uint64_t taken = hc_feed_taken(feed);
    hc_feed_restore(feed, place);
    for (unsigned i = 0; i < QUESTIONS && hc_feed_status_next(feed) == HC_FEED_OK; i++)
        question(feed, i);
    assert(hc_feed_taken(feed) == taken);
    free(place);
    hc_feed_free(feed);
}

static void check_boots(const struct hc_log *log, size_t segments)
{
    const struct hc_log_boot *boots;
    char text[500];
    size_t n = hc_log_boots(log, &boots), sum = 0;
    assert(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert(boots[i].first_segment == sum && strlen(hc_log_life(&boots[i], text, sizeof text)) > 5);
        sum += boots[i].segments;
    }
    assert(sum == segments);
}

static void check_log(const struct hc_log *log)
{
    const struct hc_log_page *pages;
    const struct hc_log_segment *segments;
    const struct hc_log_damage *damages;
    size_t page_count = hc_log_pages(log, &pages);
    size_t segment_count = hc_log_segments(log, &segments);
    size_t damage_count = hc_log_damages(log, &damages);

    assert(page_count > 0 && segment_count > 0 && segment_count <= page_count);
    check_boots(log, segment_count);
    for (size_t i = 0; i < damage_count; i++)
        assert(strlen(damages[i].text) > 5 && damages[i].page <= page_count);
    for (size_t i = 0; i < segment_count; i++) {
        assert(segments[i].first_page + segments[i].page_count <= page_count);
        assert(segments[i].begin_page >= segments[i].first_page);
        if (i < 4)
            replay(log, &segments[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hc_log *log;
    struct hc_log_message message = { "" };
    struct image image = { 0 };

    if (size < 1)
        return 0;
    if (bytes[0] & 1)
        wrap(&image, bytes[0] >> 1 & HC_PAPER_ALL, bytes + 1, size - 1);
    enum hc_log_error error = image.bytes ? hc_log_open_memory(&log, "log", image.bytes, image.size, &message)
                                          : hc_log_open_memory(&log, "log", bytes + 1, size - 1, &message);
    assert(error ? !log && strlen(message.text) > 5 : log != NULL);
    if (!error)
        check_log(log);
    hc_log_free(log);
    free(image.bytes);
    return 0;
}
