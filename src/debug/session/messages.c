/* Messages over the radio, seen where they pass: bytes on the SPI bus to and from the CC2420 of a TelosB.
 *
 *     P4OUT.2 low   the chip is selected, and a transaction begins
 *     U0TXBUF       bytes to the chip; the first is a command: 0x3e writes the transmit buffer, 0x7f reads the receive
 *                   buffer
 *     U0RXBUF       bytes from the chip
 *
 * A byte that comes belongs to the last one that went. In a replay the log answers reads; what the program read and did
 * not look at is in no log. */
#include "session_state.h"
#include "support/plural.h"

enum {
    P4OUT = 0x1d,
    CHIP_SELECT = 4,
    U0RXBUF = 0x76,
    U0TXBUF = 0x77,
    WRITE_TX_BUFFER = 0x3e,
    READ_RX_BUFFER = 0x7f,
    LONGEST = 128,
    SHOWN = 20, /* messages, and bytes of each */
};

struct message {
    hc_time time;
    bool sent;
    int length; /* as the chip counts: with the checksum, without this byte */
    uint8_t byte[LONGEST];
};

struct listener {
    struct hc_debugger *s;
    bool selected;
    int out;  /* bytes of the transaction so far */
    bool got; /* some came back */
    uint8_t command;
    struct message current;
    uint64_t count;
    struct message last[SHOWN];
};

static void finish(struct listener *l)
{
    struct hc_moment now;
    bool sent = l->command == WRITE_TX_BUFFER && l->out > 2;

    if ((sent || (l->command == READ_RX_BUFFER && l->got)) && l->current.length) {
        hc_timeline_present(l->s->timeline, &now);
        l->current.time = now.time;
        l->current.sent = sent;
        l->last[l->count++ % SHOWN] = l->current;
    }
    l->out = 0;
    l->got = false;
    l->command = 0;
    l->current.length = 0;
}

static void keep(struct listener *l, int at, uint8_t value)
{
    if (at == 0)
        l->current.length = value & 0x7f;
    else if (at - 1 < LONGEST)
        l->current.byte[at - 1] = value;
}

static void received(struct listener *l, uint8_t value)
{
    if (!l->selected || l->command != READ_RX_BUFFER || l->out < 2)
        return;
    keep(l, l->out - 2, value);
    l->got = true;
}

/* In a replay. */
static void answered(void *owner, uint32_t address, uint16_t value)
{
    struct listener *l = owner;

    if (address == U0RXBUF && hc_timeline_hears_accesses(l->s->timeline))
        received(l, (uint8_t)value);
}

static enum hc_action heard(void *owner, struct hc_machine *m, const struct hc_access *a)
{
    struct listener *l = owner;
    uint8_t value = (uint8_t)a->value;

    (void)m;
    if (!hc_timeline_hears_accesses(l->s->timeline))
        return HC_CONTINUE;
    if (a->address == P4OUT && a->write) {
        bool selected = !(value & CHIP_SELECT);
        if (!selected && l->selected)
            finish(l);
        l->selected = selected;
    } else if (l->selected && a->address == U0TXBUF && a->write) {
        if (l->out == 0)
            l->command = value;
        else if (l->command == WRITE_TX_BUFFER)
            keep(l, l->out - 1, value);
        l->out++;
    } else if (a->address == U0RXBUF && !a->write) {
        received(l, value);
    }
    return HC_CONTINUE;
}

static bool never(void *owner, const struct hc_moment *moment)
{
    (void)owner;
    (void)moment;
    return false;
}

static void show(struct hc_debugger *s, const struct message *m)
{
    char time[40];

    hc_debugger_say(s, "%16s  %-8s %3d bytes ", hc_time_text(m->time, time, sizeof time), m->sent ? "sent" : "received",
                    m->length);
    for (int i = 0; i < m->length && i < SHOWN; i++)
        hc_debugger_say(s, " %02x", m->byte[i]);
    hc_debugger_say(s, "%s\n", m->length > SHOWN ? " ..." : "");
}

bool hc_info_messages(struct hc_debugger *s)
{
    struct listener l = { .s = s };
    int hooks[3];

    hooks[0] = hc_hook_access(s->machine, P4OUT, P4OUT, HC_WATCH_WRITE, heard, &l);
    hooks[1] = hc_hook_access(s->machine, U0TXBUF, U0TXBUF, HC_WATCH_WRITE, heard, &l);
    hooks[2] = hc_hook_access(s->machine, U0RXBUF, U0RXBUF, HC_WATCH_READ, heard, &l);
    hc_timeline_listen(s->timeline, answered, &l);
    hc_points_quiet(s, true);
    hc_timeline_survey(s->timeline, 0, hc_timeline_now(s->timeline)->instructions, never, NULL);
    for (int i = 0; i < 3; i++)
        hc_unhook(s->machine, hooks[i]);
    hc_points_quiet(s, false);
    hc_timeline_listen(s->timeline, NULL, NULL);
    hc_debugger_moved(s);
    for (uint64_t i = l.count > SHOWN ? l.count - SHOWN : 0; i < l.count; i++)
        show(s, &l.last[i % SHOWN]);
    hc_debugger_say(s, "%llu message%s up to here\n", (unsigned long long)l.count, hc_plural(l.count));
    return true;
}
