#include "fetch.h"

#include "partial.h"

#include <string.h>

struct work {
    const struct hc_fetch_config *config;
    struct hc_fetch_result *result;
    struct hc_fetch_message *message;
    struct hc_mote mote;
    struct hc_partial partial;
};

static void show(const struct work *w, uint32_t done, uint32_t all, bool checking)
{
    if (w->config->progress)
        w->config->progress(w->config->owner, done, all, checking);
}

/* In whole chunks, within the chip. */
static enum hc_fetch_error find_range(struct work *w)
{
    uint32_t size = w->result->identity.size;

    if (w->config->first >= size)
        return hc_fetch_fail(w->message, HC_FETCH_OTHER_CHIP, "%s: the chip ends at 0x%06x, before 0x%06x",
                             w->config->line.name, size - 1, w->config->first);
    w->result->first = w->config->first / HC_MOTE_CHUNK * HC_MOTE_CHUNK;
    w->result->last = (w->config->last < size ? w->config->last : size - 1) | (HC_MOTE_CHUNK - 1);
    return HC_FETCH_OK;
}

/* Every byte that was there before is still what the chip has. */
static enum hc_fetch_error check_part(struct work *w)
{
    uint8_t bytes[HC_MOTE_CHUNK];
    uint32_t done = 0, all = w->partial.read * HC_MOTE_CHUNK;
    enum hc_fetch_error error = HC_FETCH_OK;

    for (uint32_t at = 0; !error && at < w->result->identity.size; at += HC_MOTE_CHUNK) {
        bool same = true;
        if (!hc_partial_has(&w->partial, at))
            continue;
        error = hc_partial_get(&w->partial, at, bytes, w->message);
        if (!error)
            error = hc_mote_compare(&w->mote, at, bytes, &same, w->message);
        if (!error && !same)
            error =
                hc_fetch_fail(w->message, HC_FETCH_OTHER_CHIP,
                              "%s: differs from the chip at 0x%06x: it is of another node, or the node has recorded "
                              "since; give another -o, or begin anew with --restart",
                              w->partial.partial, at);
        show(w, done += HC_MOTE_CHUNK, all, true);
    }
    w->result->continued = all;
    return error;
}

static enum hc_fetch_error read_rest(struct work *w)
{
    uint8_t bytes[HC_MOTE_CHUNK];
    const struct hc_fetch_result *r = w->result;
    enum hc_fetch_error error = HC_FETCH_OK;

    for (uint32_t at = r->first; !error && at <= r->last; at += HC_MOTE_CHUNK) {
        unsigned blank = 0;
        if (!hc_partial_has(&w->partial, at)) {
            error = hc_mote_read(&w->mote, at, bytes, &blank, w->message);
            if (!error)
                error = hc_partial_put(&w->partial, at, bytes, w->message);
            if (error)
                break;
            w->result->read += HC_MOTE_CHUNK;
            w->result->blank += blank;
        }
        show(w, at + HC_MOTE_CHUNK - r->first, r->last + 1 - r->first, false);
    }
    return error;
}

static enum hc_fetch_error transfer(struct work *w)
{
    enum hc_fetch_error error = find_range(w);

    if (!error)
        error = hc_partial_open(&w->partial, w->config->out, &w->result->identity, w->config->restart, w->message);
    if (!error)
        error = check_part(w);
    if (!error)
        error = read_rest(w);
    if (!error)
        return hc_partial_finish(&w->partial, w->message);
    if (error != HC_FETCH_OTHER_CHIP && error != HC_FETCH_FILE && w->partial.read)
        hc_fetch_add(w->message, "%s %u KB are kept in %s, and the same command continues there",
                     strchr(w->message->text, '?') ? "" : ";", w->partial.read * (HC_MOTE_CHUNK / 1024),
                     w->partial.partial);
    return error;
}

enum hc_fetch_error hc_fetch(const struct hc_fetch_config *config, struct hc_fetch_result *result,
                             struct hc_fetch_message *message)
{
    struct work w = { .config = config, .result = result, .message = message, .partial = { .fd = -1 } };

    *result = (struct hc_fetch_result){ 0 };
    enum hc_fetch_error error = hc_mote_find(&w.mote, &config->line, config->rate, &result->identity, message);
    if (!error)
        error = transfer(&w);
    hc_partial_close(&w.partial);
    result->rate = w.mote.rate;
    result->requests = w.mote.requests;
    result->repeated = w.mote.repeated;
    result->skipped = w.mote.frames.skipped;
    return error;
}
