/* The models of codec set hindcast: one source for encoder and decoder, so that they cannot disagree. Whoever includes
 * it defines decide(), which codes a decision or finds out what it was. Functions take what is to be coded, which the
 * decoder does not know and which is then ignored, and return what was coded. */

static uint8_t decide(struct hc_mixed *x, hc_mq_context *cx, uint8_t bit);

enum { SYMBOL_END, SYMBOL_MARK, SYMBOL_MEMORY, SYMBOL_FAR, SYMBOL_VECTOR, SYMBOL_SITE = SYMBOL_VECTOR + 64 };

/* Decisions without a model. */
static uint16_t code_bits(struct hc_mixed *x, uint16_t value, uint8_t bits)
{
    uint16_t out = 0;
    while (bits--) {
        hc_mq_context even = HC_MQ_EVEN;
        out = (uint16_t)(out << 1 | decide(x, &even, value >> bits & 1));
    }
    return out;
}

/* ---- what comes next ---- */

static uint8_t code_symbol(struct hc_mixed *x, uint8_t symbol)
{
    struct hc_model *m = &x->model;
    uint8_t slot = (uint8_t)(m->symbol * 5 + m->outcome * 13) % HC_SUCCESSORS;

    if (decide(x, &m->succeeds[slot], symbol != m->successor[slot]) == 0) {
        symbol = m->successor[slot];
    } else {
        uint8_t node = 1;
        for (int8_t i = 7; i >= 0; i--) {
            uint8_t bit = decide(x, &m->tree[node & 63], symbol >> i & 1);
            node = (uint8_t)(node << 1 | bit);
        }
        m->successor[slot] = symbol = node;
    }
    m->symbol = symbol;
    m->outcome = 0;
    return symbol;
}

/* ---- states ---- */

static uint16_t code_state(struct hc_mixed *x, uint16_t site, uint16_t mask, uint16_t value)
{
    struct hc_model *m = &x->model;
    uint8_t slot = site % HC_VALUES;
    uint16_t last = m->value[slot] & mask;

    if (decide(x, &m->same[slot * 2 + (last != 0)], value != last)) {
        uint16_t out = 0;
        for (int8_t i = 15; i >= 0; i--)
            if (mask >> i & 1)
                out |= (uint16_t)(decide(x, &m->bit[i], (value ^ last) >> i & 1) << i);
        last ^= out;
        m->value[slot] = last;
    }
    m->outcome = (uint8_t)(last | last >> 8);
    return last;
}

/* ---- numbers: small ones are likely, of either sign ---- */

static uint16_t code_number(struct hc_mixed *x, hc_mq_context *cx, uint16_t value)
{
    uint16_t magnitude = value & 0x8000 ? (uint16_t)-value : value;
    uint8_t size = 0, bits = 0;
    while (magnitude >> bits)
        bits++;
    while (size < 16 && decide(x, &cx[size], bits > size))
        size++;
    if (size == 0)
        return 0;
    uint8_t negative = decide(x, &cx[17], value >> 15);
    uint16_t out = 1;
    for (int8_t i = (int8_t)(size - 2); i >= 0; i--) {
        hc_mq_context even = HC_MQ_EVEN;
        hc_mq_context *c = &even;
        if (out < 4)
            c = &cx[18 + (size - 2) + (out > 1)];
        out = (uint16_t)(out << 1 | decide(x, c, magnitude >> i & 1));
    }
    return negative ? (uint16_t)-out : out;
}

static uint16_t code_timer(struct hc_mixed *x, uint16_t site, uint16_t delta)
{
    struct hc_model *m = &x->model;
    delta = code_number(x, m->delta[site % HC_DELTA_SLOTS], delta);
    m->outcome = delta != 0;
    return delta;
}

/* ---- data ---- */

static uint8_t code_byte(struct hc_mixed *x, uint8_t byte)
{
    struct hc_model *m = &x->model;
    uint8_t slot = (uint8_t)(m->before * 3 + m->before2 * 7) % HC_DATA_SLOTS;

    if (decide(x, &m->guessed[slot], byte != m->guess[slot]) == 0) {
        byte = m->guess[slot];
    } else {
        uint8_t node = 1;
        for (int8_t i = 7; i >= 0; i--)
            node = (uint8_t)(node << 1 | decide(x, &m->literal[node], byte >> i & 1));
        m->guess[slot] = byte = node;
    }
    m->before2 = m->before;
    m->before = byte;
    return byte;
}

static uint16_t code_data(struct hc_mixed *x, uint16_t site, const struct hc_site *s, uint16_t value)
{
    struct hc_model *m = &x->model;
    if (!HC_SITE_WORD(s))
        return code_byte(x, (uint8_t)value);
    uint8_t slot = site % HC_VALUES;
    value = (uint16_t)(m->value[slot] +
                       code_number(x, m->delta[site % HC_DELTA_SLOTS], (uint16_t)(value - m->value[slot])));
    m->value[slot] = value;
    return value;
}

/* ---- interrupts ---- */

static void code_arrival(struct hc_mixed *x, struct hc_arrival *a)
{
    struct hc_model *m = &x->model;
    uint8_t asleep = decide(x, &m->asleep[a->vector % 16], !(a->flags & HC_ARRIVAL_ASLEEP)) == 0;
    a->flags = asleep ? HC_ARRIVAL_ASLEEP : a->flags & HC_ARRIVAL_HASHED;
    if (asleep)
        return;
    uint8_t slot = (uint8_t)(a->vector % 16);
    if (decide(x, &m->near[0], a->pc != m->pc[slot])) {
        m->pc[slot] = a->pc = code_bits(x, a->pc, 16);
    }
    a->pc = m->pc[slot];
    a->laps = code_number(x, m->pcs, a->laps);
    a->count = code_number(x, m->pcs, a->count);
    a->flags = decide(x, &m->hashed[0], (a->flags & HC_ARRIVAL_HASHED) != 0) ? HC_ARRIVAL_HASHED : 0;
    if (a->flags)
        a->hash = code_bits(x, a->hash, 16);
}
