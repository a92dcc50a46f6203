#include "radio_frames.h"

enum {
    P4OUT = 0x1d,
    CHIP_SELECT = 4,
    U0RXBUF = 0x76,
    U0TXBUF = 0x77,
    WRITE_TX_BUFFER = 0x3e,
    READ_RX_BUFFER = 0x7f,
    LAST_STROBE = 0x0f,
    CHECKSUM = 2,
};

static bool hears(const struct hc_radio_bus *bus)
{
    return !bus->hears || bus->hears(bus->owner);
}

static void finish(struct hc_radio_bus *bus)
{
    struct hc_radio_frame *f = &bus->current;

    f->sent = bus->command == WRITE_TX_BUFFER && bus->out > 2;
    if (bus->strobe && bus->out && bus->command <= LAST_STROBE)
        bus->strobe(bus->owner, bus->command);
    if ((f->sent || (bus->command == READ_RX_BUFFER && bus->got)) && f->length)
        bus->call(bus->owner, f);
    bus->out = 0;
    bus->got = false;
    bus->command = 0;
    f->length = f->present = 0;
}

static void keep(struct hc_radio_bus *bus, int at, uint8_t value)
{
    struct hc_radio_frame *f = &bus->current;

    if (at == 0) {
        f->length = value & 0x7f;
    } else if (at - 1 < HC_RADIO_FRAME_MOST) {
        f->byte[at - 1] = value;
        f->present = at;
    }
}

static void received(struct hc_radio_bus *bus, uint8_t value)
{
    if (!bus->selected || bus->command != READ_RX_BUFFER || bus->out < 2)
        return;
    keep(bus, bus->out - 2, value);
    bus->got = true;
}

void hc_radio_bus_answered(struct hc_radio_bus *bus, uint32_t address, uint16_t value)
{
    if (address == U0RXBUF && hears(bus))
        received(bus, (uint8_t)value);
}

static enum hc_action heard(void *owner, struct hc_machine *m, const struct hc_access *a)
{
    struct hc_radio_bus *bus = owner;
    uint8_t value = (uint8_t)a->value;

    (void)m;
    if (!hears(bus))
        return HC_CONTINUE;
    if (a->address == P4OUT && a->write) {
        bool selected = !(value & CHIP_SELECT);
        if (!selected && bus->selected)
            finish(bus);
        bus->selected = selected;
    } else if (bus->selected && a->address == U0TXBUF && a->write) {
        if (bus->out == 0)
            bus->command = value;
        else if (bus->command == WRITE_TX_BUFFER)
            keep(bus, bus->out - 1, value);
        bus->out++;
    } else if (a->address == U0RXBUF && !a->write) {
        received(bus, value);
    }
    return HC_CONTINUE;
}

void hc_radio_bus_hook(struct hc_radio_bus *bus, struct hc_machine *machine)
{
    bus->hook[0] = hc_hook_access(machine, P4OUT, P4OUT, HC_WATCH_WRITE, heard, bus);
    bus->hook[1] = hc_hook_access(machine, U0TXBUF, U0TXBUF, HC_WATCH_WRITE, heard, bus);
    bus->hook[2] = hc_hook_access(machine, U0RXBUF, U0RXBUF, HC_WATCH_READ, heard, bus);
}

void hc_radio_bus_unhook(struct hc_radio_bus *bus, struct hc_machine *machine)
{
    for (int i = 0; i < HC_RADIO_HOOKS; i++)
        hc_unhook(machine, bus->hook[i]);
}

/* ---- frames ---- */

static uint16_t word(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

bool hc_radio_header(const struct hc_radio_frame *frame, struct hc_radio_header *out)
{
    enum { DATA = 0x41, ACK_REQUEST = 0x20, SHORT_ADDRESSES = 0x88, NETWORK = 9, TYPE = 10, TINYOS = 0x3f };
    const uint8_t *b = frame->byte;
    int end = frame->length - CHECKSUM;

    if (frame->present < end || end < NETWORK || (b[0] & ~ACK_REQUEST) != DATA || b[1] != SHORT_ADDRESSES)
        return false;
    bool active = end > TYPE && b[NETWORK] == TINYOS;
    *out = (struct hc_radio_header){ .to = word(b + 5),
                                     .from = word(b + 7),
                                     .number = b[2],
                                     .type = active ? b[TYPE] : -1,
                                     .payload = active ? TYPE + 1 : NETWORK,
                                     .end = end };
    return true;
}
