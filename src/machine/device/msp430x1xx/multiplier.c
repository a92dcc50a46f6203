#include "multiplier.h"

enum {
    MPY = 0x130,
    MPYS = 0x132,
    MAC = 0x134,
    MACS = 0x136,
    OP2 = 0x138,
    RESLO = 0x13a,
    RESHI = 0x13c,
    SUMEXT = 0x13e
};

struct hc_multiplier {
    struct hc_device base;
    struct hc_dma *dma;
    struct {
        uint16_t operation; /* MPY, MPYS, MAC or MACS */
        uint16_t op1, op2;
        uint16_t sumext;
        uint32_t result; /* RESHI:RESLO */
    } s;
};

static int64_t as_signed(uint32_t value)
{
    return (int32_t)value;
}

static void multiply(struct hc_multiplier *mpy)
{
    bool is_signed = mpy->s.operation == MPYS || mpy->s.operation == MACS;
    bool accumulates = mpy->s.operation == MAC || mpy->s.operation == MACS;
    int64_t sum;

    if (is_signed)
        sum = (int64_t)(int16_t)mpy->s.op1 * (int16_t)mpy->s.op2 + (accumulates ? as_signed(mpy->s.result) : 0);
    else
        sum = (int64_t)mpy->s.op1 * mpy->s.op2 + (accumulates ? (int64_t)mpy->s.result : 0);
    mpy->s.result = (uint32_t)sum;
    if (is_signed)
        mpy->s.sumext = as_signed(mpy->s.result) < 0 ? 0xffff : 0;
    else
        mpy->s.sumext = (uint16_t)(sum >> 32);
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    struct hc_multiplier *mpy = (struct hc_multiplier *)d;
    uint16_t value;

    switch (address & ~1u) {
    case OP2:
        value = mpy->s.op2;
        break;
    case RESLO:
        value = (uint16_t)mpy->s.result;
        break;
    case RESHI:
        value = (uint16_t)(mpy->s.result >> 16);
        break;
    case SUMEXT:
        value = mpy->s.sumext;
        break;
    default:
        value = mpy->s.op1;
    }
    if (size == 1)
        value = address & 1 ? value >> 8 : value & 0xff;
    return value;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_multiplier *mpy = (struct hc_multiplier *)d;

    if (size == 1)
        value &= 0xff;
    switch (address) {
    case MPY:
    case MPYS:
    case MAC:
    case MACS:
        mpy->s.operation = (uint16_t)address;
        mpy->s.op1 = value;
        break;
    case OP2:
        mpy->s.op2 = value;
        multiply(mpy);
        hc_dma_request(mpy->dma, HC_DMA_MULTIPLIER, true);
        break;
    case RESLO:
        mpy->s.result = (mpy->s.result & 0xffff0000u) | value;
        break;
    case RESHI:
        mpy->s.result = (mpy->s.result & 0xffffu) | (uint32_t)value << 16;
        break;
    case SUMEXT:
        break;
    default: /* the high byte alone */
        hc_unknown_register(d, address, true);
    }
}

static void taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    hc_dma_request(((struct hc_multiplier *)d)->dma, trigger, false);
}

/* The registers keep their values through any reset, RAM-like after power-on. */
static void reset(struct hc_device *d, enum hc_reset kind)
{
    (void)kind;
    hc_dma_request(((struct hc_multiplier *)d)->dma, HC_DMA_MULTIPLIER, false);
}

static const struct hc_device_ops ops = {
    .name = "multiplier",
    .help = "16 x 16 bit hardware multiplier",
    .reset = reset,
    .read = peek,
    .write = write,
    .peek = peek,
};

struct hc_multiplier *hc_multiplier_new(struct hc_machine *m, struct hc_dma *dma)
{
    struct hc_multiplier *mpy = HC_DEVICE_NEW(m, &ops, "multiplier", struct hc_multiplier);

    mpy->dma = dma;
    mpy->s.operation = MPY;
    if (dma)
        hc_dma_connect(dma, HC_DMA_MULTIPLIER, &mpy->base, taken);
    hc_device_claim(&mpy->base, MPY, SUMEXT + 1);
    return mpy;
}
