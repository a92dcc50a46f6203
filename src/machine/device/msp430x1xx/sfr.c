#include "sfr.h"

#include "machine/device/msp430/dma.h"

#include <assert.h>

enum { OWNERS_MAX = 32, NMI_VECTOR = 14 };

struct hc_sfr {
    struct hc_device base;
    struct hc_dma *dma; /* or NULL */
    int owners;
    struct {
        enum hc_sfr_register reg;
        uint8_t mask;
        struct hc_device *device;
        hc_sfr_fn *call;
    } owner[OWNERS_MAX];
    struct {
        uint8_t value[HC_SFR_REGISTERS];
        bool access_violation; /* ACCVIFG */
        bool nmi;              /* requested */
    } s;
};

/* What a reset leaves: bits in `kept` survive a PUC; the others, and all bits at a POR, take `initial`. */
static const struct {
    uint8_t initial, kept;
} after_reset[HC_SFR_REGISTERS] = {
    [HC_IE1] = { 0, 0 },           [HC_IE2] = { 0, 0 }, [HC_IFG1] = { HC_UTXIFG0 | HC_OFIFG, HC_NMIIFG | HC_WDTIFG },
    [HC_IFG2] = { HC_UTXIFG1, 0 }, [HC_ME1] = { 0, 0 }, [HC_ME2] = { 0, 0 },
};

static void update_nmi(struct hc_sfr *sfr)
{
    unsigned enabled = sfr->s.value[HC_IE1];
    bool request = (enabled & sfr->s.value[HC_IFG1] & (HC_NMIIFG | HC_OFIFG)) ||
                   ((enabled & HC_ACCVIE) && sfr->s.access_violation);

    hc_interrupt(sfr->base.machine, NMI_VECTOR, request);
    if (request && !sfr->s.nmi && sfr->dma)
        hc_dma_nmi(sfr->dma);
    sfr->s.nmi = request;
}

static void interrupt_accepted(struct hc_device *d, int vector)
{
    struct hc_sfr *sfr = (struct hc_sfr *)d;

    (void)vector;
    sfr->s.value[HC_IE1] &= (uint8_t)~(HC_NMIIFG | HC_OFIFG | HC_ACCVIE);
    update_nmi(sfr);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_sfr *sfr = (struct hc_sfr *)d;

    for (int i = 0; i < HC_SFR_REGISTERS; i++) {
        uint8_t kept = kind == HC_POR ? 0 : after_reset[i].kept;
        sfr->s.value[i] = (uint8_t)((sfr->s.value[i] & kept) | (after_reset[i].initial & ~kept));
    }
    sfr->s.access_violation = false;
    update_nmi(sfr);
}

/* Byte-wide modules: a word access reaches the addressed byte only. */
static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    (void)size;
    return ((struct hc_sfr *)d)->s.value[address];
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_sfr *sfr = (struct hc_sfr *)d;
    uint8_t changed = (uint8_t)(sfr->s.value[address] ^ value);

    (void)size;
    sfr->s.value[address] = (uint8_t)value;
    for (int i = 0; i < sfr->owners; i++)
        if ((uint32_t)sfr->owner[i].reg == address && (sfr->owner[i].mask & changed))
            sfr->owner[i].call(sfr->owner[i].device, sfr->owner[i].reg, sfr->s.value[address], changed);
    update_nmi(sfr);
}

static const struct hc_device_ops ops = {
    .name = "sfr",
    .help = "special function registers IE1, IE2, IFG1, IFG2, ME1, ME2",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .interrupt_accepted = interrupt_accepted,
};

struct hc_sfr *hc_sfr_new(struct hc_machine *m)
{
    struct hc_sfr *sfr = HC_DEVICE_NEW(m, &ops, "sfr", struct hc_sfr);

    hc_device_claim(&sfr->base, HC_IE1, HC_ME2);
    hc_device_owns_vector(&sfr->base, NMI_VECTOR);
    return sfr;
}

void hc_sfr_own(struct hc_sfr *sfr, enum hc_sfr_register reg, uint8_t mask, struct hc_device *owner, hc_sfr_fn *call)
{
    int i = sfr->owners++;

    assert(i < OWNERS_MAX);
    sfr->owner[i].reg = reg;
    sfr->owner[i].mask = mask;
    sfr->owner[i].device = owner;
    sfr->owner[i].call = call;
}

uint8_t hc_sfr_get(const struct hc_sfr *sfr, enum hc_sfr_register reg)
{
    return sfr->s.value[reg];
}

void hc_sfr_change(struct hc_sfr *sfr, enum hc_sfr_register reg, uint8_t set, uint8_t clear)
{
    sfr->s.value[reg] = (uint8_t)((sfr->s.value[reg] & ~clear) | set);
    if (reg == HC_IFG1 || reg == HC_IE1)
        update_nmi(sfr);
}

void hc_sfr_access_violation(struct hc_sfr *sfr, bool flag)
{
    sfr->s.access_violation = flag;
    update_nmi(sfr);
}

void hc_sfr_connect_dma(struct hc_sfr *sfr, struct hc_dma *dma)
{
    sfr->dma = dma;
}
