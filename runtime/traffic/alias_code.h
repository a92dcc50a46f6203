/* Algorithm 1: channels have aliases, and only what was not expected is recorded. A part of record.c. */

/* ---- coding ---- */

static void encode(uint8_t *kept, bool bit)
{
    uint8_t context = *kept + HC_TRAFFIC_CONTEXT_NEW;
    uint16_t bound = ram.low + hc_traffic_bound(ram.high - ram.low, context);

    *kept = hc_traffic_adapt(context, bit) - HC_TRAFFIC_CONTEXT_NEW;
    if (bit)
        ram.low = bound;
    else
        ram.high = bound;
    while ((uint16_t)(ram.high - ram.low) < 0x100) {
        if ((uint8_t)ram.high < (uint8_t)ram.low)
            ram.high = 0; /* it would cross: no carry can come */
        put_byte(ram.low >> 8);
        ram.low <<= 8;
        ram.high <<= 8;
    }
}

/* The last three bits are the context of the next. */
static void put(uint8_t byte)
{
    uint16_t bits =
        (uint16_t)(byte << 8 | 1); /* what is to come, and behind it what came: the 1 tells when that is all */

    do {
        uint8_t *context = ram.contexts + HC_TRAFFIC_CONTEXT_BITS + (bits & 7);
        bool bit = bits & 0x8000;
        bits = (uint16_t)(bits << 1 | bit);
        encode(context, bit);
    } while (!(bits & 0x100));
}

static void put_alias(uint8_t alias)
{
    uint8_t *context = ram.contexts + HC_TRAFFIC_CONTEXT_PLACE + (ram.tables.channels->next & HC_TRAFFIC_KIND) * 4;

    do {
        encode(context, alias > 0);
        if (context < ram.contexts + HC_TRAFFIC_CONTEXTS - 1)
            context++;
    } while (alias--);
}

static void rest(void)
{
    ram.low = 0;
    ram.high = HC_TRAFFIC_REST;
}

/* The coder holds nothing that is not in bytes. */
static bool is_at_rest(void)
{
    return ram.high == HC_TRAFFIC_REST;
}

/* Everything that was put is in bytes. */
static void pad(void)
{
    if (is_at_rest())
        return;
    put_alias(ram.tables.known + HC_TRAFFIC_PAD);
    put_byte(ram.low >> 8);
    put_byte((uint8_t)ram.low);
    rest();
}

/* Since RAM was lost. */
static bool has_events(void)
{
    return ram.tables.known;
}

static void put_reset(void)
{
    put_alias(ram.tables.known + HC_TRAFFIC_RESET);
    put((uint8_t)hc_reset_cause());
}

/* As a segment begins with it. */
static void clear_coder(void)
{
    for (uint8_t i = 0; i < HC_TRAFFIC_CONTEXTS; i++)
        ram.contexts[i] = 0;
    rest();
}

/* ---- epochs ----
 *
 * They go on from life to life: the upper byte of the highest is the lower one of the boot's number in the log. */

static void number_boot(void)
{
    ram.boot = (ram.boot & 0xff00) | ram.tables.highest >> 8;
}

/* A segment says that the number of the boot went up. */
static void note_epochs(void)
{
    if (ram.tables.highest >> 8 != (uint8_t)ram.boot)
        ram.tables.flags |= HC_TRAFFIC_FLAG_BEGIN;
}

/* Behind all that were used before. */
static void begin_epochs(void)
{
    ram.tables.highest = ram.boot << 8;
}

/* ---- messages ---- */

static void start(void);

/* NEXT: the kind, and what the first message makes it. */
static void enter(struct hc_traffic_channel *c, uint8_t next, uint16_t address)
{
    put(next);
    put((uint8_t)address);
    put(address >> 8);
    *c = (struct hc_traffic_channel){ { (uint8_t)address, address >> 8 }, { 0 }, next };
}

/* The channel of ADDRESS and of the kind in NEXT is the first; NEXT is what a new one expects. SELF: the node's
 * address, or HC_MESSAGE_TO_ALL. */
static void use(uint8_t next, uint16_t address, uint16_t self)
{
    struct hc_traffic_channel *c = ram.tables.channels;
    uint8_t alias = 0;

    start();
    ram.magic = 0;
    if (self != HC_MESSAGE_TO_ALL && ram.tables.self != self) {
        ram.tables.self = self;
        ram.tables.flags |= HC_TRAFFIC_FLAG_BEGIN;
    }
    for (; alias < ram.tables.known; alias++, c++)
        if (c->address[0] == (uint8_t)address && c->address[1] == address >> 8 && !((c->next ^ next) & HC_TRAFFIC_KIND))
            break;
    put_alias(alias);
    if (alias == ram.tables.known) {
        if (alias == 2 * HC_MESSAGE_PARTNERS)
            c--;
        else
            ram.tables.known++;
        enter(c, next, address);
    }
    for (uint8_t *to = (uint8_t *)c; to-- != (uint8_t *)ram.tables.channels;) { /* all before it move by one */
        uint8_t byte = to[0];
        to[0] = to[sizeof *c];
        to[sizeof *c] = byte;
    }
}

uint8_t hc_message_send(uint16_t from, uint16_t to)
{
    struct hc_traffic_channel *c = ram.tables.channels;
    bool all = to == HC_MESSAGE_TO_ALL;

    use(all ? HC_TRAFFIC_TO_ALL : HC_TRAFFIC_TO, all ? from : to, from);
    uint16_t epoch = c->round[0] | c->round[1] << 8;
    if (!epoch)
        epoch = ++ram.tables.highest;
    uint8_t number = hc_number(hc_number_gray(epoch), c->next / HC_TRAFFIC_ONE);
    c->next += HC_TRAFFIC_ONE;
    if (c->next < HC_TRAFFIC_ONE && epoch++ == ram.tables.highest)
        ram.tables.highest = epoch;
    c->round[0] = (uint8_t)epoch;
    c->round[1] = epoch >> 8;
    path_mark();
    ram.magic = MAGIC;
    return number;
}

void hc_message_receive(uint16_t from, uint16_t to, uint8_t number)
{
    struct hc_traffic_channel *c = ram.tables.channels;

    uint8_t next =
        (uint8_t)(number * HC_TRAFFIC_ONE | (to == HC_MESSAGE_TO_ALL ? HC_TRAFFIC_FROM_ALL : HC_TRAFFIC_FROM));

    use(next, from, to);
    uint8_t ahead = (uint8_t)(next - c->next);
    uint16_t round = hc_traffic_turn((uint16_t)(c->round[0] | c->round[1] << 8), ahead / HC_TRAFFIC_ONE);
    uint8_t digit = (round & 3) ^ number >> HC_NUMBER_LOW_BITS, odd = ahead | digit;
    round = hc_traffic_turn(round ^ digit, 1);
    c->round[0] = (uint8_t)round;
    c->round[1] = round >> 8;
    c->next = next + HC_TRAFFIC_ONE;
    encode(ram.contexts + HC_TRAFFIC_CONTEXT_ODD, odd);
    if (odd)
        put(odd);
    path_mark();
    ram.magic = MAGIC;
}
