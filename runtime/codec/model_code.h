/* The models of codec set hindcast: one source for encoder and decoder, so that they cannot disagree. Whoever includes
 * it defines decide(), which codes a decision (0 or not) or finds out what it was, and LEARN(), which assigns where
 * that is news. Functions take what is to be coded, which the decoder does not know and leaves at 0, and return what
 * was coded. Masks are shifted by one at a time: this CPU has no other shifts. */

/* Bits of VALUE from TOP down, without a model. */
static uint16_t code_bits(struct hc_mixed *x, uint16_t value, uint16_t top)
{
    uint16_t out = 0;
    for (; top; top >>= 1) {
        hc_mq_context even = HC_MQ_EVEN;
        if (decide(x, &even, value & top))
            out |= top;
    }
    return out;
}

/* A number that is not 0, modulo 2^16: size, sign, bits below the first. CONTEXTS: of its kind, HC_KINDS apart. */
static uint16_t code_rest(struct hc_mixed *x, hc_mq_context *contexts, uint16_t value)
{
    hc_mq_context *size = contexts + HC_KINDS, *end = contexts + HC_NUMBER_SIZES * HC_KINDS;
    uint8_t negative = 0;
    uint16_t top = 1, bit = 2;

    if (value & 0x8000) {
        negative = 1;
        value = (uint16_t)-value;
        __asm__(""); /* else the compiler avoids a jump by thirty shifts */
    }
    while (bit && decide(x, size, value >= bit)) {
        top = bit;
        bit = (uint16_t)(bit << 1);
        if (size >= x->model.large)
            size++;
        else if ((size += HC_KINDS) == end)
            size = x->model.large;
    }
    negative = decide(x, end, negative);
    bit = top >> 1;
    if (bit && bit < 64) {
        if (decide(x, &x->model.second[bit % 8], value & bit))
            top |= bit;
        bit >>= 1;
    }
    top |= code_bits(x, value, bit);
    return negative ? (uint16_t)-top : top;
}

/* Numbers of which those near 0 are likely. ZERO is the context of whether it is 0. */
static uint16_t code_number(struct hc_mixed *x, hc_mq_context *zero, hc_mq_context *contexts, uint16_t value)
{
    return decide(x, zero, value) ? code_rest(x, contexts, value) : 0;
}

/* ---- what came ---- */

static void note_event(struct hc_model *m, uint16_t event)
{
    m->last = (uint8_t)event;
    m->recent = (uint8_t)((m->recent << 2) + event);
    if (m->check & 0x8000) {
        event++;
        __asm__(""); /* as above */
    }
    m->check = (uint16_t)(m->check + m->check + event);
}

/* Before each event: whether it is one that the program does not lead to. If so a vector says which, or one of these.
 */
enum { SUDDEN_END = 64, SUDDEN_MEMORY, SUDDEN_MARK };

static uint8_t code_sudden(struct hc_mixed *x, uint8_t sudden)
{
    struct hc_model *m = &x->model;
    return decide(x, &m->sudden[m->last % HC_MODEL_SUDDEN], sudden);
}

/* ---- reads ---- */

static uint8_t code_byte(struct hc_mixed *x, uint8_t byte)
{
    struct hc_model *m = &x->model;
    uint8_t slot = (uint8_t)(m->byte[0] ^ m->byte[1] << 3) % HC_MODEL_DATA;
    uint8_t *guess = &m->guess[slot];
    uint8_t surprise = decide(x, &m->surprised[(m->surprises + slot) % HC_MODEL_SURPRISED], byte ^ *guess);

    m->surprises = (uint8_t)((m->surprises << 3) + (surprise << 2));
    if (surprise) {
        uint8_t node = 1;
        for (uint8_t bit = 0x80; bit; bit >>= 1)
            node = (uint8_t)(node << 1 | decide(x, &m->literal[node % HC_MODEL_LITERAL], byte & bit));
        *guess = node;
    }
    m->byte[1] = m->byte[0];
    return m->byte[0] = *guess;
}

/* A value that is near the last of its kind. */
static uint16_t code_near(struct hc_mixed *x, uint8_t kind, uint16_t *last, uint16_t value)
{
    hc_mq_context *contexts = &x->model.number[0][kind];

    return *last += code_number(x, contexts, contexts, (uint16_t)(value - *last));
}

/* Like sites after like events have like differences. */
static uint16_t code_timer(struct hc_mixed *x, uint16_t site, uint16_t delta)
{
    struct hc_model *m = &x->model;
    uint8_t kind = (uint8_t)(site ^ m->recent ^ m->recent >> 4) % HC_MODEL_TIMERS;

    return code_number(x, &m->number[0][kind], &m->number[0][kind], delta);
}

static uint16_t code_state(struct hc_mixed *x, uint16_t site, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint8_t slot = site % HC_MODEL_STATES;
    uint8_t last = m->value[slot];

    value = last + code_number(x, &m->changed[slot], &m->number[0][HC_KIND_STATE], (uint16_t)(value - last));
    m->value[slot] = (uint8_t)value;
    return value;
}

/* VALUE: of a timer the difference to what was predicted. */
static uint16_t code_read(struct hc_mixed *x, uint16_t site, const struct hc_site *s, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint8_t class = HC_SITE_CLASS(s);
    uint8_t is_something = 0; /* of bytes and samples this says nothing */

    if (class == HC_SITE_TIMER) {
        value = code_timer(x, site, value);
        is_something = value != 0;
    } else if (class != HC_SITE_DATA) {
        value = code_state(x, site, value);
        is_something = value != 0;
    } else if (HC_SITE_WORD(s)) {
        value = code_near(x, HC_KIND_SAMPLE, &m->sample, value);
    } else {
        value = code_byte(x, (uint8_t)value);
    }
    note_event(m, (uint16_t)(site * 2 + is_something));
    return value;
}

/* ---- interrupts ---- */

static uint8_t code_vector(struct hc_mixed *x, uint8_t vector)
{
    struct hc_model *m = &x->model;
    uint8_t slot = m->vector % HC_MODEL_VECTORS;

    vector = m->successor[slot] += (uint8_t)code_number(x, &m->succeeded[slot], &m->number[0][HC_KIND_VECTOR],
                                                        (uint16_t)(vector - m->successor[slot]));
    m->vector = vector;
    note_event(m, vector | 0x80);
    return vector;
}

/* But for the vector. */
static void code_arrival(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;
    struct hc_model_place *place = &m->place[m->vector % HC_MODEL_VECTORS];

    LEARN(a->pc, code_near(x, HC_KIND_PC, &place->pc, a->pc));
    LEARN(a->count, code_near(x, HC_KIND_COUNT, &place->count, a->count));
    if (decide(x, &m->laps, a->laps))
        LEARN(a->laps, code_bits(x, a->laps, 0x8000));
    if (decide(x, &m->hashed, a->flags & HC_ARRIVAL_HASHED)) {
        LEARN(a->flags, HC_ARRIVAL_HASHED);
        LEARN(a->hash, code_bits(x, a->hash, 0x8000));
    }
}
