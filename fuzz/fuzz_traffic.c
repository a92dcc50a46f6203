/* Logs of messages from hostile files: pieces of any contents with right checks, in pages with right headers. Every
 * event makes sense, and reading comes to an end. */
#include "trace/traffic.h"

#include "../runtime/traffic/model.h"

#include <assert.h>
#include <string.h>

enum { PAGES = 64, ROOM = HC_PAGE_SIZE - HC_PAGE_HEADER };

struct image {
    uint8_t bytes[PAGES * HC_PAGE_SIZE];
    size_t pages, at; /* in the last page; 0: none is open */
};

static void begin_page(struct image *image, uint8_t segment)
{
    uint8_t *page = image->bytes + image->pages * HC_PAGE_SIZE;
    const uint8_t header[HC_PAGE_HEADER - 1] = {
        HC_PAGE_MAGIC, HC_STREAM_MESSAGES, 0, 0, segment, 0, (uint8_t)image->pages, 0, 0
    };

    memcpy(page, header, sizeof header);
    page[sizeof header] = hc_traffic_check_of(page, sizeof header);
    image->pages++;
    image->at = HC_PAGE_HEADER;
}

static bool add_piece(struct image *image, uint8_t segment, uint8_t head, const uint8_t *bytes, size_t size)
{
    if (!image->at || image->at + size + 2 > HC_PAGE_SIZE) {
        if (image->pages == PAGES)
            return false;
        begin_page(image, segment);
    }
    uint8_t *at = image->bytes + (image->pages - 1) * HC_PAGE_SIZE + image->at;
    *at = head;
    memcpy(at + 1, bytes, size);
    at[size + 1] = hc_traffic_check_of(at, size + 1);
    image->at += size + 2;
    return true;
}

static void wrap(struct image *image, const uint8_t *bytes, size_t size)
{
    struct hc_traffic_begin begin = { .version = HC_TRAFFIC_VERSION, .partners = 20, .path_width = 9 };
    uint8_t segment = 0;

    uint8_t tables[HC_TRAFFIC_FRESH_SIZE] = { 7, 0, size ? bytes[0] & 3 : HC_TRAFFIC_FRESH, 0 };
    add_piece(image, 0, HC_PIECE_BEGIN, (const uint8_t *)&begin, sizeof begin);
    if (size && bytes[0] & HC_TRAFFIC_FRESH) /* else they are among the bytes, or missing */
        add_piece(image, 0, HC_PIECE_TABLES | HC_TRAFFIC_FRESH_SIZE / 4, tables, sizeof tables);
    while (size > 1) {
        uint8_t head = *bytes;
        size_t length = head >= HC_PIECE_TABLES ? (head & 0x3fu) * 4u : head & HC_PIECE_SIZE;
        if (head == HC_PIECE_BEGIN) {
            image->at = 0;
            segment++;
        }
        if (length > size - 1 || length + 2 > ROOM || !add_piece(image, segment, head, bytes + 1, length))
            return;
        bytes += length + 1;
        size -= length + 1;
    }
}

static void look(void *owner, const struct hc_traffic_event *e)
{
    size_t *count = owner;

    ++*count;
    assert(e->kind <= HC_TRAFFIC_EVENT_PATHS_LOST);
    assert(e->kind != HC_TRAFFIC_EVENT_GAP || strlen(e->why) > 5);
    assert(e->kind != HC_TRAFFIC_EVENT_SENT || e->broadcast == (e->partner == HC_MESSAGE_TO_ALL) || !e->broadcast);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct image image = { .pages = 0 };
    struct hc_log_message message;
    struct hc_log *log;
    size_t count = 0;

    memset(image.bytes, 0xff, sizeof image.bytes);
    wrap(&image, bytes, size);
    assert(hc_log_open_memory(&log, "fuzz", image.bytes, sizeof image.bytes, &message) == HC_LOG_OK);
    assert(hc_traffic_is(log));
    hc_traffic_read(log, look, &count);
    assert(count);
    hc_log_free(log);
    return 0;
}
