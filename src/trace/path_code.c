#include "path_code.h"

#include <string.h>

enum outcome { DONE, MORE, BAD };

static bool has_bits(const struct hc_path_reader *r, size_t count)
{
    return r->bit + count <= 8 * r->size;
}

static unsigned take(struct hc_path_reader *r, unsigned count)
{
    unsigned value = 0;

    for (; count--; r->bit++)
        value = value << 1 | (r->code[r->bit / 8] >> (7 - r->bit % 8) & 1);
    return value;
}

bool hc_path_reader_begin(struct hc_path_reader *r, uint8_t width)
{
    bool whole = !r->begun || r->bad || (!r->size && !r->cut && !r->run);

    *r = (struct hc_path_reader){ .width = width, .begun = true, .bad = width > 16 };
    return whole;
}

static void found(struct hc_path_reader *r, uint16_t number, hc_path_fn *fn, void *owner)
{
    hc_path_follow(&r->model, number);
    fn(owner, number);
}

/* A number that was not expected. */
static enum outcome take_surprise(struct hc_path_reader *r, hc_path_fn *fn, void *owner)
{
    uint16_t second = *hc_path_single(&r->model);
    bool two = second != *hc_path_pair(&r->model);

    if (two && !has_bits(r, 1))
        return MORE;
    if (two && !take(r, 1)) {
        found(r, second, fn, owner);
        return DONE;
    }
    if (!has_bits(r, r->width))
        return MORE;
    uint16_t number = (uint16_t)take(r, r->width);
    if (number != HC_PATH_PAD)
        found(r, number, fn, owner);
    else
        r->bit = (r->bit + 7) / 8 * 8;
    return DONE;
}

static enum outcome take_run(struct hc_path_reader *r)
{
    uint8_t level = r->model.level;

    if (!has_bits(r, 1))
        return MORE;
    r->cut = take(r, 1);
    if (r->cut && !has_bits(r, level))
        return MORE;
    r->run = r->cut ? take(r, level) : 1u << level;
    hc_path_adapt(&r->model, !r->cut);
    return DONE;
}

static enum outcome take_step(struct hc_path_reader *r, hc_path_fn *fn, void *owner)
{
    size_t before = r->bit;
    enum outcome outcome;

    if (r->run) {
        r->run--;
        found(r, *hc_path_pair(&r->model), fn, owner);
        return DONE;
    }
    if (r->cut) {
        outcome = take_surprise(r, fn, owner);
        r->cut = outcome == MORE;
    } else {
        outcome = take_run(r);
        r->cut &= outcome == DONE;
    }
    if (outcome == MORE)
        r->bit = before;
    return outcome;
}

bool hc_path_reader_add(struct hc_path_reader *r, uint8_t odd, const uint8_t *bytes, uint8_t size, hc_path_fn *fn,
                        void *owner)
{
    if (!r->begun || r->bad || odd == r->odd) /* the same once more: it was written twice */
        return true;
    r->odd = odd;
    if (!r->width || r->size + size > sizeof r->code) {
        r->bad = true;
        return false;
    }
    memcpy(r->code + r->size, bytes, size);
    r->size += size;
    while (take_step(r, fn, owner) == DONE)
        ;
    memmove(r->code, r->code + r->bit / 8, r->size - r->bit / 8);
    r->size -= r->bit / 8;
    r->bit %= 8;
    return true;
}
