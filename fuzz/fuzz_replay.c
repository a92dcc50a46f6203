/* Replays of hostile logs: checkpoints, trailers and rescues that say anything. Whatever the pages hold, a replay is
 * refused with a sentence or comes to an end with one, and a moment that is come back to has the same end.
 *
 * Input: pages, each | stream | segment and more | length | payload |. They are numbered and their checksums are right;
 * a boot page of the program comes first. */
#include "../runtime/codec/codec.h"
#include "replay/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 60, HEAD = 3, INSTRUCTIONS = 60000, RESTARTS = 3, DUMPED = 24 /* bytes of __hc_dump's registers */ };

struct writer {
    FILE *out;
    uint8_t segment, boot, sequence;
};

static void add_page(struct writer *w, uint8_t stream, const uint8_t *payload, size_t length)
{
    uint8_t page[HC_PAGE_SIZE] = { HC_PAGE_MAGIC,  stream, w->boot, 0, w->segment, 0, w->sequence++, 0, 0,
                                   (uint8_t)length };
    memcpy(page + HC_PAGE_HEADER, payload, length);
    uint16_t crc = hc_page_crc(0xffff, page, HC_PAGE_CRC);
    page[HC_PAGE_CRC] = (uint8_t)(crc >> 8);
    page[HC_PAGE_CRC + 1] = (uint8_t)crc;
    fwrite(page, 1, sizeof page, w->out);
}

/* Beginnings are of the right program, or nothing would be tried. */
static void add_input_page(struct writer *w, uint8_t stream, uint8_t *payload, size_t length)
{
    static const struct hc_page_begin begin = { HC_TRACE_VERSION, 0, { 1, 2, 3, 4, 5, 6, 7, 8 } };
    bool begins = stream == HC_STREAM_BOOT || stream == HC_STREAM_COMMIT || stream == HC_STREAM_RECOVERY;
    if (begins && length >= sizeof begin)
        memcpy(payload, &begin, sizeof begin);
    add_page(w, stream, payload, length);
}

static void write_log(FILE *out, const uint8_t *bytes, size_t size)
{
    struct writer w = { .out = out };
    uint8_t payload[HC_PAGE_PAYLOAD] = { HC_TRACE_VERSION, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    static const uint8_t records[] = { 0, 0, 0, 0, HC_RECORD_PERIPHERALS, 0, DUMPED, 0, [8 + DUMPED - 1] = 0 };
    add_page(&w, HC_STREAM_CHECKPOINT, records, sizeof records);
    add_page(&w, HC_STREAM_BOOT, payload, sizeof(struct hc_page_boot));
    while (size > HEAD && w.sequence < PAGES) {
        size_t length = bytes[2] % HC_PAGE_PAYLOAD + 1;
        length = length < size - HEAD ? length : size - HEAD;
        w.segment = (uint8_t)(w.segment + (bytes[1] & 1));
        w.boot = (uint8_t)(w.boot + (bytes[1] >> 1 & 1));
        w.sequence = (uint8_t)(w.sequence + (bytes[1] == 0xff));
        memcpy(payload, bytes + HEAD, length);
        add_input_page(&w, bytes[0] % HC_STREAMS, payload, length);
        bytes += HEAD + length;
        size -= HEAD + length;
    }
    fflush(out);
}

static bool is_end(enum hc_replay_stop stop)
{
    return stop == HC_REPLAY_END || stop == HC_REPLAY_DIVERGED || stop == HC_REPLAY_FAULT;
}

static void run(struct hc_replay *r)
{
    struct hc_replay_place first, again;
    struct hc_replay_checks checks, checks_again;
    struct hc_replay_life life;
    struct hc_replay_snapshot *begin = hc_replay_snapshot_take(r);
    assert(begin);
    enum hc_replay_stop stop = hc_replay_run(r, INSTRUCTIONS);
    assert(stop == HC_REPLAY_REACHED || (is_end(stop) && strlen(hc_replay_why(r)) > 8));
    hc_replay_place(r, &first);
    hc_replay_checks(r, &checks);
    assert(checks.agreed <= checks.made);
    hc_replay_snapshot_restore(r, begin);
    assert(hc_replay_run(r, INSTRUCTIONS) == stop);
    hc_replay_place(r, &again);
    hc_replay_checks(r, &checks_again);
    assert(first.instruction == again.instruction && first.reads == again.reads && checks.made == checks_again.made);
    assert(!hc_replay_life(r, &life) || strlen(life.text) > 8);
    hc_replay_snapshot_free(begin);
}

static void replay_all(struct hc_image *image, const char *log)
{
    struct hc_replay *r;
    struct hc_replay_message message = { "" };
    if (hc_replay_open(&r, image, log, -1, &message)) {
        assert(strlen(message.text) > 8);
        return;
    }
    run(r);
    for (int i = 0, next; i < RESTARTS && (next = hc_replay_next_segment(r)) >= 0; i++) {
        if (hc_replay_restart(r, (size_t)next, i & 1, &message)) {
            assert(strlen(message.text) > 8);
            break;
        }
        run(r);
    }
    hc_replay_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hc_image_message message;
    struct hc_image *image;
    char path[40];
    int fd = memfd_create("log", 0);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out || hc_image_load_file(&image, FUZZ_IMAGE, &message))
        abort();
    write_log(out, bytes, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    replay_all(image, path);
    hc_image_free(image);
    fclose(out);
    return 0;
}
