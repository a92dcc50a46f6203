/* The yardstick: Lamport's clock and the sender of each message, six bytes (Liblog, as the paper on CADeT adapts it).
 * With HC_TRAFFIC_FCM bytes that a finite context of three others predicts are a bit. A part of record.c. */

static void put(uint16_t value, uint8_t count)
{
    for (uint16_t bit = 1u << (count - 1); bit; bit >>= 1) {
        bool full = ram.bits & 0x80;
        ram.bits = (uint8_t)(ram.bits << 1) | ((value & bit) != 0);
        if (full) {
            put_byte(ram.bits);
            ram.bits = 1;
        }
    }
}

static bool is_at_rest(void)
{
    return ram.bits == 1;
}

static void pad(void)
{
    while (!is_at_rest())
        put(0, 1);
}

static void put_entry(uint8_t byte)
{
#if HC_TRAFFIC_FCM
    uint8_t *expected = &ram.expected[hc_fcm_context(ram.last)];

    if (*expected == byte)
        put(1, 1);
    else
        put(byte, 9);
    *expected = byte;
    ram.last[2] = ram.last[1];
    ram.last[1] = ram.last[0];
    ram.last[0] = byte;
#else
    put(byte, 8);
#endif
}

/* Of a send the sender is the node itself. */
static void put_event(uint16_t sender)
{
    put_entry((uint8_t)sender);
    put_entry(sender >> 8);
    put_entry((uint8_t)ram.clock);
    put_entry((uint8_t)(ram.clock >> 8));
    put_entry((uint8_t)(ram.clock >> 16));
    put_entry((uint8_t)(ram.clock >> 24));
}

static bool has_events(void)
{
    return ram.clock;
}

static void put_reset(void)
{
    put_event(0xffff);
}

static void clear_coder(void)
{
    ram.bits = 1;
}

static void number_boot(void)
{
}

static void note_epochs(void)
{
}

static void begin_epochs(void)
{
}

static void start(void);

uint32_t hc_lamport_send(uint16_t from)
{
    start();
    ram.magic = 0;
    ram.clock++;
    put_event(from);
    ram.magic = MAGIC;
    return ram.clock;
}

void hc_lamport_receive(uint16_t from, uint32_t clock)
{
    start();
    ram.magic = 0;
    if (ram.clock < clock)
        ram.clock = clock;
    ram.clock++;
    put_event(from);
    ram.magic = MAGIC;
}
