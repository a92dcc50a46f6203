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

/* Kinds of numbers other than reads. */
enum { KIND_VECTOR = 1, KIND_PC, KIND_COUNT };

/* A number that is not 0, modulo 2^16: size, sign, bits below the first. */
static uint16_t code_rest(struct hc_mixed *x, hc_mq_context *contexts, uint16_t value)
{
    hc_mq_context *size = contexts + 1, *end = contexts + HC_NUMBER_SIZES;
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
        if (++size == end)
            size = x->model.large;
    }
    negative = decide(x, end, negative);
    bit = top >> 1;
    if (bit && bit < 4) {
        if (decide(x, &x->model.second[bit], value & bit))
            top |= bit;
        bit >>= 1;
    }
    top |= code_bits(x, value, bit);
    return negative ? (uint16_t)-top : top;
}

/* Numbers of which those near 0 are likely. KIND: numbers of one kind are like each other. */
static uint16_t code_number(struct hc_mixed *x, uint8_t kind, uint16_t value)
{
    hc_mq_context *contexts = x->model.number[kind % HC_MODEL_NUMBERS];

    return decide(x, contexts, value) ? code_rest(x, contexts, value) : 0;
}

/* ---- what came ---- */

static void note_event(struct hc_model *m, uint16_t event)
{
    m->last = (uint8_t)event;
    m->recent = (uint8_t)((m->recent << 3) + event);
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

/* VALUE: of a timer the difference to what was predicted. */
static uint16_t code_read(struct hc_mixed *x, uint16_t site, const struct hc_site *s, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint16_t none = 0;
    uint16_t *last = &m->value[site % HC_MODEL_STATES];

    if ((s->place >> 12 & 7) == HC_SITE_DATA) {
        value = code_byte(x, (uint8_t)value);
        last = &none;
    } else {
        if (HC_SITE_CLASS(s) == HC_SITE_TIMER)
            last = &none;
        value = *last += code_number(x, (uint8_t)(site ^ m->recent), (uint16_t)(value - *last));
    }
    note_event(m, (uint16_t)(site * 2 + (*last != 0)));
    return value;
}

/* ---- interrupts ---- */

static uint8_t code_vector(struct hc_mixed *x, uint8_t vector)
{
    struct hc_model *m = &x->model;
    uint8_t *guess = &m->successor[m->vector % HC_MODEL_VECTORS];

    *guess += (uint8_t)code_number(x, KIND_VECTOR, (uint16_t)(vector - *guess));
    m->vector = vector = *guess;
    note_event(m, vector | 0x80);
    return vector;
}

/* But for the vector. */
static void code_arrival(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;

    m->pc += code_number(x, KIND_PC, (uint16_t)(a->pc - m->pc));
    m->count += code_number(x, KIND_COUNT, (uint16_t)(a->count - m->count));
    LEARN(a->pc, m->pc);
    LEARN(a->count, m->count);
    if (decide(x, &m->laps, a->laps))
        LEARN(a->laps, code_bits(x, a->laps, 0x8000));
    if (decide(x, &m->hashed, a->flags & HC_ARRIVAL_HASHED)) {
        LEARN(a->flags, HC_ARRIVAL_HASHED);
        LEARN(a->hash, code_bits(x, a->hash, 0x8000));
    }
}
