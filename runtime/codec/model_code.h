/* The models of codec set hindcast: one source for encoder and decoder, so that they cannot disagree. The includer
 * defines code_bit(), which encodes a bit or decodes one, code_surprise(), which counts a correct prediction or starts
 * a misprediction, and LEARN(), with which the decoder stores the result; the encoder ignores it. Functions take the
 * value to encode, which is 0 in the decoder, and return the value. port/msp430/encode.S does the same on a node. */

/* Bits of VALUE from TOP down. */
static uint16_t code_bits(struct hc_mixed *x, uint16_t value, uint16_t top)
{
    uint16_t out = 0;
    for (; top; top >>= 1)
        if (code_bit(x, (value & top) != 0))
            out |= top;
    return out;
}

/* 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ..., and back. */
static uint16_t fold(uint16_t difference)
{
    return (uint16_t)(difference << 1 ^ (difference & 0x8000 ? 0xffff : 0));
}

static uint16_t unfold(uint16_t number)
{
    return (uint16_t)(number >> 1 ^ (number & 1 ? 0xffff : 0));
}

/* A number of at least TOP / 2: a bit for each power of two that it reaches, a one, the bits below its highest. */
static uint16_t code_large(struct hc_mixed *x, hc_level *level, uint16_t number, uint16_t top)
{
    while (top && !code_bit(x, number < top))
        top = (uint16_t)(top << 1);
    if (!top)
        return code_bits(x, number, 0x8000);
    ++*level;
    return (uint16_t)(top >> 1 | code_bits(x, number, top >> 2));
}

/* A difference modulo 2^16 to the prediction. */
static uint16_t code_difference(struct hc_mixed *x, hc_level *level, uint16_t difference)
{
    uint16_t number = fold(difference);
    uint16_t top;

    if (!code_surprise(x, !*level, number)) {
        if (!*level)
            return 0;
        top = (uint16_t)(1 << ((*level - 1) >> 2 & 15));
        if (code_bit(x, number < top)) {
            --*level;
            return unfold(code_bits(x, number, top >> 1));
        }
    } else {
        ++*level;
        top = 1;
    }
    return unfold(code_large(x, level, number, (uint16_t)(top << 1)));
}

static uint16_t code_slot(struct hc_mixed *x, struct hc_model_slot *slot, uint16_t value)
{
    return slot->guess += code_difference(x, &slot->level, (uint16_t)(value - slot->guess));
}

static void note_event(struct hc_mixed *x, uint16_t event)
{
    struct hc_model *m = &x->model;

    x->taken++;
    m->recent = (uint16_t)((m->recent << 3) + event);
    m->check = (uint16_t)((m->check << 1 | m->check >> 15) + event);
}

/* ---- reads ---- */

static uint8_t code_byte(struct hc_mixed *x, uint8_t byte)
{
    struct hc_model *m = &x->model;
    uint8_t at = m->at;
    int8_t difference = (int8_t)(byte - m->byte[at]);

    byte = m->byte[at] += (uint8_t)code_difference(x, &m->byte_level[at % HC_MODEL_BYTE_LEVELS], (uint16_t)difference);
    m->at = (uint8_t)((at ? at : byte << 4) + 1) % HC_MODEL_BYTES;
    return byte;
}

static struct hc_model_slot *slot_of(struct hc_model *m, uint16_t site, uint8_t class)
{
    if (class == HC_SITE_TIMER)
        return &m->timer[m->recent / 4 % HC_MODEL_TIMERS];
    return class == HC_SITE_DATA ? &m->sample : &m->state[site % HC_MODEL_STATES];
}

/* VALUE: for a timer, the difference to the prediction. */
static uint16_t code_read(struct hc_mixed *x, uint16_t site, const struct hc_site *s, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint16_t event = (uint16_t)(site * 4);

    if (HC_SITE_CLASS(s) >= HC_SITE_DATA && !HC_SITE_WORD(s)) {
        value = code_byte(x, (uint8_t)value);
    } else {
        value = code_slot(x, slot_of(m, site, HC_SITE_CLASS(s)), value);
        event += value ? 2 : 0;
        m->at = 0;
    }
    note_event(x, event);
    return value;
}

/* ---- interrupts ---- */

static uint8_t code_wake(struct hc_mixed *x, uint8_t vector)
{
    struct hc_model *m = &x->model;

    vector = (uint8_t)code_slot(x, &m->wake[m->recent / 4 % HC_MODEL_WAKES], vector);
    note_event(x, (uint16_t)(vector << 1));
    return vector;
}

/* An asynchronous event: 2 * vector of an interrupt of the awake CPU, with flags; or memory. */
enum { SUDDEN_HASHED = 1, SUDDEN_VECTOR = 0x7e, SUDDEN_LAPS = 0x80, SUDDEN_MEMORY = 0x100 };

static uint16_t code_sudden(struct hc_mixed *x, uint16_t what)
{
    return code_slot(x, &x->model.sudden, what);
}

/* All of it except WHAT, which starts the event. */
static void code_arrival(struct hc_mixed *x, uint16_t what, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;

    LEARN(a->pc, code_slot(x, &m->place[what / 2 % HC_MODEL_PLACES], a->pc));
    LEARN(a->count, code_slot(x, &m->count, a->count));
    if (what & SUDDEN_LAPS)
        LEARN(a->laps, code_bits(x, a->laps, 0x8000));
    if (what & SUDDEN_HASHED) {
        LEARN(a->hash, (uint32_t)code_bits(x, (uint16_t)(a->hash >> 16), 0x8000) << 16);
        LEARN(a->hash, a->hash | code_bits(x, (uint16_t)a->hash, 0x8000));
    }
    note_event(x, what);
}
