/* Algorithm 1: partners have aliases, and only what was not expected is recorded. A part of record.c. */

/* What of the tables outlives a reset in the middle of a change. */
#define KEEP_LIFE uint16_t highest = ram.tables.highest
#define BEGIN_LIFE hc_traffic_clear(&ram.tables)
#define CONTINUE_LIFE ram.tables.highest = highest

/* ---- coding ---- */

static void put_number(uint8_t ahead, uint8_t digit, uint8_t expected)
{
    uint8_t length = 1;

    if (digit == expected) {
        put(1, 1);
    } else {
        put(digit, 3);
        ahead++;
    }
    for (uint8_t v = ahead; v > 1; v >>= 1)
        length += 2;
    put(ahead, length);
}

/* A symbol that is not as expected: what follows are its details. */
static void cut_run(void)
{
    put(1, 1);
    if (ram.tables.level)
        put(ram.run, ram.tables.level);
    ram.run = 0;
    hc_traffic_adapt(&ram.tables, false);
}

static void put_expected(void)
{
    if (++ram.run >> ram.tables.level) {
        put(0, 1);
        ram.run = 0;
        hc_traffic_adapt(&ram.tables, true);
    }
}

static void put_own(uint8_t symbol, uint16_t value, uint8_t bits)
{
    cut_run();
    put(0x38 | (symbol & 7), 6);
    put(value, bits);
}

/* Everything that was put is in whole bytes. */
static void pad(void)
{
    if (!has_bits())
        return;
    cut_run();
    put(0x38 | (HC_TRAFFIC_PAD & 7), 6);
    while (ram.bits != 1)
        put(0, 1);
}

static void put_reset(void)
{
    put_own(HC_TRAFFIC_RESET, hc_reset_cause(), 8);
}

static bool has_room(void);
static void start(void);

static void note_self(uint16_t self)
{
    if (ram.tables.self == self)
        return;
    ram.tables.self = self;
    if (has_room())
        put_own(HC_TRAFFIC_ADDRESS, self, 16);
}

/* ---- messages ---- */

/* A symbol that is neither of those that were expected. FRESH: its alias is. ODD: so is its number. */
static void put_symbol(uint8_t symbol, bool fresh, uint16_t address, bool odd)
{
    uint8_t bits = hc_traffic_alias_bits(&ram.tables);

    put(1, 1);
    if (odd)
        put(0x18 | (HC_TRAFFIC_ODD & 7), 5);
    put(symbol >> 5, 2);
    if (symbol >= HC_TRAFFIC_OWN) {
        put(symbol & 7, 3);
        return;
    }
    if (bits)
        put(fresh ? ram.tables.known : symbol & HC_TRAFFIC_ALIAS, bits);
    if (fresh)
        put(address, 16);
}

static bool is_receive(uint8_t symbol)
{
    return symbol >= HC_TRAFFIC_FROM && symbol < HC_TRAFFIC_OWN;
}

/* ODD: its number was not expected, and follows. */
static void put_event(const struct hc_traffic_guess *guess, uint8_t symbol, uint16_t address, bool odd)
{
    if (symbol == guess->first && !odd) {
        put_expected();
        return;
    }
    cut_run();
    if (symbol == guess->first) {
        put(1, 2);
    } else if (symbol == guess->second) {
        put(0, 2);
        if (is_receive(symbol))
            put(odd, 1);
    } else {
        put_symbol(symbol, (symbol & HC_TRAFFIC_ALIAS) == HC_TRAFFIC_NEW, address, odd);
    }
}

static uint8_t hc_number_of(uint16_t epoch, uint8_t n)
{
    return hc_number(hc_number_gray(epoch), n);
}

uint8_t hc_message_send(uint16_t from, uint16_t to)
{
    struct hc_traffic_tables *t = &ram.tables;
    uint16_t epoch;
    uint8_t symbol = HC_TRAFFIC_TO_ALL, n;

    start();
    ram.flags |= HC_TRAFFIC_FLAG_BUSY;
    note_self(from);
    struct hc_traffic_guess guess = hc_traffic_expected(t);
    if (to != HC_MESSAGE_TO_ALL)
        symbol = HC_TRAFFIC_TO | hc_traffic_find(t, to);
    if (has_room())
        put_event(&guess, symbol, to, false);
    if (to == HC_MESSAGE_TO_ALL) {
        n = hc_traffic_count(t, &t->epoch, &t->next, &epoch);
    } else {
        if (symbol == HC_TRAFFIC_NEW)
            symbol = hc_traffic_enter(t, to, HC_MESSAGE_PARTNERS);
        t->last[0][symbol] |= HC_TRAFFIC_USED;
        n = hc_traffic_count(t, &t->epochs[symbol], &t->nexts[symbol], &epoch);
    }
    hc_traffic_follow(t, guess.first, symbol);
    ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_BUSY;
    return hc_number_of(epoch, n);
}

void hc_message_receive(uint16_t from, uint16_t to, uint8_t number)
{
    struct hc_traffic_tables *t = &ram.tables;
    uint8_t all = to == HC_MESSAGE_TO_ALL, digit = number >> HC_NUMBER_LOW_BITS;
    uint8_t kind = all ? HC_TRAFFIC_FROM_ALL : HC_TRAFFIC_FROM;
    uint8_t ahead = number & HC_NUMBER_LOW, expected = 0; /* of a new partner */

    start();
    ram.flags |= HC_TRAFFIC_FLAG_BUSY;
    if (!all)
        note_self(to);
    struct hc_traffic_guess guess = hc_traffic_expected(t);
    uint8_t alias = hc_traffic_find(t, from);
    if (alias != HC_TRAFFIC_NEW) {
        ahead = hc_traffic_ahead(t, all, alias, number);
        expected = hc_traffic_digit(t, all, alias, number);
    }
    bool odd = ahead || digit != expected;
    if (has_room()) {
        put_event(&guess, kind | alias, from, odd);
        if (odd)
            put_number(ahead, digit, expected);
    }
    if (alias == HC_TRAFFIC_NEW)
        alias = hc_traffic_enter(t, from, HC_MESSAGE_PARTNERS);
    t->last[0][alias] |= HC_TRAFFIC_USED;
    hc_traffic_note(t, all, alias, number);
    hc_traffic_follow(t, guess.first, kind | alias);
    ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_BUSY;
}

/* ---- tables ---- */

static void write_piece(uint8_t head, const uint8_t *bytes, uint8_t size);

static void write_tables(void)
{
    enum { MOST = 52 };
    const uint8_t *at = (const uint8_t *)&ram.tables;

    _Static_assert(sizeof(struct hc_traffic_tables) % 4 == 0, "whole words of 32 bits");
    for (uint16_t left = sizeof ram.tables; left;) {
        uint8_t size = left > MOST ? MOST : left;
        write_piece(HC_PIECE_TABLES | size / 4, at, size);
        at += size;
        left -= size;
    }
}
