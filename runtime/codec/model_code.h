/* The models of codec set hindcast: one source for encoder and decoder, so that they cannot disagree. Whoever includes
 * it defines decide(), which codes a decision (0 or not) or finds out what it was, toss(), which does so where the
 * chances are even, and LEARN(), which assigns where that is news. Functions take what is to be coded, which the
 * decoder does not know and leaves at 0, and return what was coded. port/msp430/encode.S is the same for a node. */

/* Bits of VALUE from TOP down, without a model. */
static uint16_t code_bits(struct hc_mixed *x, uint16_t value, uint16_t top)
{
    uint16_t out = 0;
    for (; top; top >>= 1)
        if (toss(x, value & top))
            out |= top;
    return out;
}

/* A number modulo 2^16, of which those near 0 are likely: size, sign, bits below the first. */
static uint16_t code_number(struct hc_mixed *x, uint8_t kind, uint16_t value)
{
    struct hc_model_number *n = &x->model.number[kind];
    hc_chance *size = n->size;
    uint16_t top = 0, bit = 1;
    uint8_t negative = value >> 15;

    if (negative)
        value = (uint16_t)-value;
    while (bit && decide(x, size, value >= bit)) {
        top = bit;
        bit = (uint16_t)(bit << 1);
        size = size == &n->size[HC_NUMBER_SIZES - 1] ? x->model.large : size + 1;
    }
    if (!top)
        return 0;
    negative = decide(x, &n->negative, negative);
    top |= code_bits(x, value, top >> 1);
    return negative ? (uint16_t)-top : top;
}

/* ---- what came ---- */

static void note_event(struct hc_model *m, uint16_t event)
{
    m->recent = (uint8_t)((m->recent << 2) + event);
    m->check = (uint16_t)((m->check << 1 | m->check >> 15) + event);
}

/* Before each event: whether it is one that the program does not lead to. If so a vector says which, or one of these.
 */
enum { SUDDEN_END = 64, SUDDEN_MEMORY, SUDDEN_MARK };

static uint8_t code_sudden(struct hc_mixed *x, uint8_t sudden)
{
    struct hc_model *m = &x->model;
    return decide(x, &m->sudden[m->recent % HC_MODEL_SUDDEN], sudden);
}

/* ---- reads ---- */

static uint8_t code_byte(struct hc_mixed *x, uint8_t byte)
{
    struct hc_model *m = &x->model;
    uint8_t slot = (uint8_t)(m->position + (m->first << 4)) % HC_MODEL_DATA;
    uint8_t *guess = &m->guess[slot];

    if (decide(x, &m->surprised[slot % HC_MODEL_SURPRISED], byte ^ *guess))
        *guess = (uint8_t)code_bits(x, byte, 0x80);
    if (m->position++ == 0)
        m->first = *guess;
    return *guess;
}

/* Like sites after like events have like differences. */
static uint16_t code_timer(struct hc_mixed *x, uint16_t site, uint16_t delta)
{
    struct hc_model *m = &x->model;
    uint8_t kind = (uint8_t)((site << 3) + (m->recent >> 1)) / 8 % HC_MODEL_TIMERS;
    struct hc_model_number *n = &m->number[kind];

    delta = decide(x, &n->differs, delta ^ n->last) ? code_number(x, kind, delta) : n->last;
    n->last = (uint8_t)delta;
    return delta;
}

static uint16_t code_guess(struct hc_mixed *x, struct hc_model_guess *guess, uint8_t kind, uint16_t value)
{
    uint16_t change = value ^ guess->value;

    change = decide(x, &guess->differs, change) ? code_number(x, kind, change) : 0;
    value = change ^ guess->value;
    guess->value = (uint8_t)value;
    return value;
}

/* VALUE: of a timer the difference to what was predicted. */
static uint16_t code_read(struct hc_mixed *x, uint16_t site, const struct hc_site *s, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint8_t class = HC_SITE_CLASS(s);
    uint8_t is_something = 0; /* of bytes and samples this says nothing */

    if (class == HC_SITE_DATA && !HC_SITE_WORD(s)) {
        value = code_byte(x, (uint8_t)value);
    } else if (class == HC_SITE_DATA) {
        value = m->sample += code_number(x, HC_KIND_SAMPLE, (uint16_t)(value - m->sample));
    } else {
        if (class == HC_SITE_TIMER)
            value = code_timer(x, site, value);
        else
            value = code_guess(x, &m->state[site % HC_MODEL_STATES], HC_KIND_STATE, value);
        is_something = value != 0;
        m->position = 0;
    }
    note_event(m, (uint16_t)(site * 2 + is_something));
    return value;
}

/* ---- interrupts ---- */

static uint8_t code_vector(struct hc_mixed *x, uint8_t vector)
{
    struct hc_model *m = &x->model;

    vector = (uint8_t)code_guess(x, &m->successor[m->vector % HC_MODEL_VECTORS], HC_KIND_VECTOR, vector);
    m->vector = vector;
    m->position = 0;
    note_event(m, vector | 0x80);
    return vector;
}

/* But for the vector. */
static void code_arrival(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;
    uint8_t slot = m->vector % HC_MODEL_VECTORS;
    struct hc_model_place *place = &m->place[slot];
    uint16_t moved = (a->pc ^ place->pc) | (a->count ^ place->count) | a->laps | (a->flags & HC_ARRIVAL_HASHED);

    if (decide(x, &m->moved[slot], moved)) {
        place->pc += code_number(x, HC_KIND_PC, (uint16_t)(a->pc - place->pc));
        place->count = code_number(x, HC_KIND_COUNT, a->count);
        if (decide(x, &m->laps, a->laps))
            LEARN(a->laps, code_bits(x, a->laps, 0x8000));
        if (decide(x, &m->hashed, a->flags & HC_ARRIVAL_HASHED)) {
            LEARN(a->flags, HC_ARRIVAL_HASHED);
            LEARN(a->hash, code_bits(x, a->hash, 0x8000));
        }
    }
    LEARN(a->pc, place->pc);
    LEARN(a->count, place->count);
}
