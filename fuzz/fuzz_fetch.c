/* Whatever comes over the line in place of a mote's answers: frames are whole or not taken, and finding and reading a
 * mote end, in bounded time. The input is what is heard, in pieces: a byte of length, and so many bytes; a length of 0
 * is silence. When it is used up the line is silent. */
#include "fetch/mote.h"

#include <assert.h>
#include <string.h>

struct tape {
    const uint8_t *bytes;
    size_t size, at, left; /* left: of the piece at hand */
    int64_t ms;
};

static enum hc_fetch_error set_rate(void *owner, unsigned rate, struct hc_fetch_message *message)
{
    (void)owner;
    (void)rate;
    (void)message;
    return HC_FETCH_OK;
}

static enum hc_fetch_error send(void *owner, const void *bytes, size_t count, struct hc_fetch_message *message)
{
    (void)owner;
    (void)message;
    assert(count && count < DUMP_LINE_MAX && ((const char *)bytes)[count - 1] == '\n');
    return HC_FETCH_OK;
}

static enum hc_fetch_error receive(void *owner, uint8_t *to, size_t room, int ms, size_t *count,
                                   struct hc_fetch_message *message)
{
    struct tape *t = owner;

    (void)message;
    if (!t->left && t->at < t->size)
        t->left = t->bytes[t->at++];
    *count = t->left < room ? t->left : room;
    if (*count > t->size - t->at)
        *count = t->size - t->at;
    memcpy(to, t->bytes + t->at, *count);
    t->at += *count;
    t->left = t->at < t->size ? t->left - *count : 0;
    t->ms += *count ? 1 : ms;
    assert(t->ms < 3600 * 1000);
    return HC_FETCH_OK;
}

static int64_t now_ms(void *owner)
{
    return ((struct tape *)owner)->ms;
}

static bool stopped(void *owner)
{
    (void)owner;
    return false;
}

static void check_frames(const uint8_t *bytes, size_t size)
{
    struct hc_fetch_frames frames = { 0 };
    struct hc_fetch_frame frame;
    char text[HC_FRAMES_HEARD + 1];
    uint64_t taken = 0;

    for (size_t at = 0, n; at < size; at += n) {
        n = size - at < HC_FRAMES_PUT ? size - at : HC_FRAMES_PUT;
        hc_frames_put(&frames, bytes + at, n);
        while (hc_frames_take(&frames, &frame)) {
            assert(frame.length <= DUMP_PAYLOAD_MAX && frame.address < HC_FRAMES_ADDRESSES);
            taken += DUMP_HEADER + frame.length + DUMP_CRC;
        }
        if (bytes[at] & 1)
            hc_frames_give_up(&frames);
    }
    assert(taken + frames.skipped + frames.size == size);
    assert(hc_frames_heard(&frames, text) <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct tape tape = { bytes, size, 0, 0, 0 };
    struct hc_mote_line line = { &tape, "line", set_rate, send, receive, now_ms, stopped };
    struct hc_mote mote;
    struct hc_mote_identity identity;
    struct hc_fetch_message message = { "" };
    uint8_t chunk[HC_MOTE_CHUNK];
    unsigned blank;

    check_frames(bytes, size);
    if (hc_mote_find(&mote, &line, 0, &identity, &message)) {
        assert(*message.text);
        return 0;
    }
    assert(identity.size >= HC_MOTE_CHUNK && identity.size <= HC_FRAMES_ADDRESSES);
    if (hc_mote_read(&mote, 0x1000, chunk, &blank, &message))
        assert(*message.text);
    else
        assert(blank <= HC_MOTE_CHUNK);
    return 0;
}
