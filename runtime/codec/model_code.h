/* The models of codec set hindcast: one source for encoder and decoder, so that they cannot disagree. Whoever includes
 * it defines decide(), which codes a decision or finds out what it was. Functions take what is to be coded, which the
 * decoder does not know and leaves at any value, and return what was coded. Masks are shifted by one at a time: this
 * CPU has no other shifts. */

static uint8_t decide(struct hc_mixed *x, hc_mq_context *context, uint8_t bit);

/* Bits of VALUE from TOP down, without a model. */
static uint16_t code_bits(struct hc_mixed *x, uint16_t value, uint16_t top)
{
    uint16_t out = 0;
    for (; top; top >>= 1) {
        hc_mq_context even = HC_MQ_EVEN;
        if (decide(x, &even, (value & top) != 0))
            out |= top;
    }
    return out;
}

/* Numbers modulo 2^16, of which those near 0 are likely: size, sign, bits below the first. */
static uint16_t code_number(struct hc_mixed *x, hc_mq_context *contexts, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint8_t negative = value >> 15;
    uint16_t magnitude = negative ? (uint16_t)-value : value;
    uint16_t top = 0, bit = 1;
    uint8_t size = 0;

    while (bit &&
           decide(x, size < HC_NUMBER_SIZES ? &contexts[size] : &m->large[size - HC_NUMBER_SIZES], magnitude >= bit)) {
        top = bit;
        bit = (uint16_t)(bit << 1);
        size++;
    }
    if (size == 0)
        return 0;
    negative = decide(x, &contexts[HC_NUMBER_SIGN], negative);
    uint16_t out = top;
    if (size > 1) {
        bit = top >> 1;
        if (decide(x, size < 4 ? &contexts[HC_NUMBER_SECOND + size - 2] : &m->second[size - 4], (magnitude & bit) != 0))
            out |= bit;
        out |= code_bits(x, magnitude, bit >> 1);
    }
    return negative ? (uint16_t)-out : out;
}

/* The LEAF below TOP (a power of two) by the decisions that lead to it; decisions of the last levels share contexts. */
static uint8_t code_leaf(struct hc_mixed *x, hc_mq_context *contexts, uint8_t leaf, uint8_t top, uint8_t limit)
{
    uint8_t node = 1;
    for (; top; top >>= 1) {
        uint8_t context = node < limit ? node : (uint8_t)(limit / 2 + node % (limit / 2));
        node = (uint8_t)(node << 1 | decide(x, &contexts[context], (leaf & top) != 0));
    }
    return node;
}

/* ---- what came ---- */

static void note_event(struct hc_model *m, uint16_t event)
{
    m->last = (uint8_t)event;
    m->recent = (uint8_t)((m->recent << 3) + event);
    m->check = (uint16_t)((m->check << 1 | m->check >> 15) + event);
}

/* Before each event: whether it is one that the program does not lead to. */
enum { SUDDEN_INTERRUPT, SUDDEN_MEMORY, SUDDEN_MARK, SUDDEN_END };

static uint8_t code_sudden(struct hc_mixed *x, uint8_t sudden)
{
    struct hc_model *m = &x->model;
    return decide(x, &m->sudden[m->last % HC_MODEL_SUDDEN], sudden);
}

static uint8_t code_kind(struct hc_mixed *x, uint8_t kind)
{
    if (decide(x, &x->model.other, kind != SUDDEN_INTERRUPT) == 0)
        return SUDDEN_INTERRUPT;
    return (uint8_t)code_bits(x, kind, 2);
}

/* ---- reads ---- */

static uint16_t code_state(struct hc_mixed *x, uint16_t site, uint16_t mask, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint16_t *last = &m->value[site % HC_MODEL_STATES];
    uint16_t old = *last & mask;

    if (decide(x, &m->changed[site % HC_MODEL_STATES][old != 0], value != old)) {
        hc_mq_context *context = m->changes;
        for (uint16_t bit = 0x8000; bit; bit >>= 1, context++)
            if (mask & bit && decide(x, context, ((value ^ *last) & bit) != 0))
                old ^= bit;
        *last = old;
    }
    note_event(m, (uint16_t)(site * 2 + (old != 0)));
    return old;
}

static uint16_t code_timer(struct hc_mixed *x, uint16_t site, uint16_t delta)
{
    struct hc_model *m = &x->model;
    delta = code_number(x, m->delta[(uint8_t)(site + m->recent) % HC_MODEL_DELTAS], delta);
    note_event(m, (uint16_t)(site * 2 + (delta != 0)));
    return delta;
}

static uint8_t code_byte(struct hc_mixed *x, uint8_t byte)
{
    struct hc_model *m = &x->model;
    uint8_t slot = (uint8_t)(m->byte[0] + (m->byte[0] << 1) + (m->byte[1] << 3) - m->byte[1]) % HC_MODEL_DATA;
    uint8_t guess = m->guess[slot];
    uint8_t surprise = decide(x, &m->surprised[(m->surprises & 3) << 3 | (slot & 7)], byte != guess);

    byte = surprise ? code_leaf(x, m->literal, byte, 0x80, HC_MODEL_LITERAL) : guess;
    m->surprises = (uint8_t)(m->surprises << 1 | surprise);
    m->guess[slot] = byte;
    m->byte[1] = m->byte[0];
    m->byte[0] = byte;
    return byte;
}

static uint16_t code_data(struct hc_mixed *x, uint16_t site, uint8_t is_word, uint16_t value)
{
    struct hc_model *m = &x->model;
    note_event(m, (uint16_t)(site * 2));
    if (!is_word)
        return code_byte(x, (uint8_t)value);
    uint16_t *last = &m->value[site % HC_MODEL_STATES];
    *last += code_number(x, m->sample, (uint16_t)(value - *last));
    return *last;
}

/* ---- interrupts ---- */

static uint8_t code_vector(struct hc_mixed *x, uint8_t vector)
{
    struct hc_model *m = &x->model;
    uint8_t *guess = &m->successor[m->vector % HC_MODEL_WAKES];

    if (decide(x, &m->succeeded[m->vector % HC_MODEL_WAKES], vector != *guess))
        *guess = code_leaf(x, m->vectors, vector, 0x20, 16) & 0x3f;
    m->vector = vector = *guess;
    note_event(m, vector | 0x80);
    return vector;
}

static void code_place(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;
    struct hc_model_place here = m->place[0];
    uint8_t i = 0, is_new = 0;

    while (i < HC_MODEL_PLACES && decide(x, &m->elsewhere[i], a->pc != m->place[i].pc))
        i++;
    if (i < HC_MODEL_PLACES) {
        here = m->place[i];
    } else {
        here.pc += code_number(x, m->jump, (uint16_t)(a->pc - here.pc));
        is_new = 1;
        i--;
    }
    here.count += code_number(x, m->count[is_new], (uint16_t)(a->count - here.count));
    for (; i; i--)
        m->place[i] = m->place[i - 1];
    m->place[0] = here;
    a->pc = here.pc;
    a->count = here.count;
}

static void code_arrival(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;

    a->vector = code_vector(x, a->vector);
    code_place(x, a);
    a->laps = decide(x, &m->laps, a->laps != 0) ? code_bits(x, a->laps, 0x8000) : 0;
    a->flags = decide(x, &m->hashed, (a->flags & HC_ARRIVAL_HASHED) != 0) ? HC_ARRIVAL_HASHED : 0;
    if (a->flags)
        a->hash = code_bits(x, a->hash, 0x8000);
}
