/* Codes of regions from hostile files, asked in any order: every answer is one of those that are promised, with a
 * sentence at the end, and nothing is read behind the code. The first byte says how many of the others are the code;
 * the rest are the questions. */
#include "replay/region/region_feed.h"

#include <assert.h>
#include <string.h>

enum { SLOTS = 80 };

struct state {
    struct hc_region_feed feed;
    uint16_t last[SLOTS + 2];
    bool inside;
};

static const struct hc_region_map map = { .unit = 2, .cache = 16, .checks = 1, .entries = 9 };

static enum hc_region_answer ask_inside(struct state *s, const struct hc_region_log *log, uint8_t what, uint8_t more)
{
    uint32_t value, slot = more % SLOTS;
    uint8_t entry = 0;
    enum hc_region_answer answer = HC_REGION_ANSWER;

    switch (what & 7) {
    case 0:
        answer = hc_region_feed_in(&s->feed, log, s->last, slot, what & 8 ? 16 : 8, &value);
        break;
    case 1:
        answer = hc_region_feed_in(&s->feed, log, s->last, slot, 32, &value);
        break;
    case 2:
        answer = hc_region_feed_load(&s->feed, log, &map, s->last, slot, (uint32_t)more << 1, &value);
        break;
    case 3:
        hc_region_feed_store(&s->feed, &map, more & ~1u, what, what & 8 ? 2 : 4);
        break;
    case 4:
        hc_region_feed_put(&s->feed, &map, more, what, 1 + (what >> 7));
        break;
    case 5:
        return hc_region_feed_back(&s->feed, log, what & 8, &entry);
    case 6:
        answer = hc_region_feed_step(&s->feed, log);
        break;
    default:
        s->inside = what & 8;
        return hc_region_feed_leave(&s->feed, log, &map, more % 9, s->inside);
    }
    return answer == HC_REGION_ENTERS ? hc_region_feed_interrupt(&s->feed, log, &entry) : answer;
}

static enum hc_region_answer ask(struct state *s, const struct hc_region_log *log, uint8_t what, uint8_t more)
{
    uint8_t entry;

    if (s->inside)
        return ask_inside(s, log, what, more);
    enum hc_region_answer answer = hc_region_feed_enter(&s->feed, log, &entry);
    assert(answer != HC_REGION_ENTERS);
    s->inside = true;
    return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t length = size ? (size - 1) * bytes[0] / 255 : 0;
    struct hc_region_log log = { .code = (uint8_t *)bytes + 1, .size = length };
    static struct state s;
    char text[400];

    memset(&s, 0, sizeof s);
    hc_region_feed_start(&s.feed, &log);
    for (size_t at = 1 + length; at + 1 < size; at += 2) {
        enum hc_region_answer answer = ask(&s, &log, bytes[at], bytes[at + 1]);
        assert(answer <= HC_REGION_DIFFERS && s.feed.position <= log.size * 8);
        if (answer == HC_REGION_OVER || answer == HC_REGION_DIFFERS)
            break;
    }
    assert(strlen(hc_region_feed_text(&s.feed, &log, text, sizeof text)) > 5);
    return 0;
}
