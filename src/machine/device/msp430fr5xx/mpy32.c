#include "mpy32.h"

#include "machine/device/msp430/word_register.h"

enum { MPY = 0x4c0, MACS = 0x4c6, OP2 = 0x4c8, RESLO = 0x4ca, RESHI = 0x4cc, SUMEXT = 0x4ce };
enum { MPY32L = 0x4d0, MACS32H = 0x4de, OP2L = 0x4e0, OP2H = 0x4e2, RES0 = 0x4e4, RES3 = 0x4ea, MPY32CTL0 = 0x4ec };
enum { MPYC = 0x01, MPYFRAC = 0x04, MPYSAT = 0x08, MPYM_SHIFT = 4, OP1_32 = 0x40, OP2_32 = 0x80, CTL0_BITS = 0x03fd };
enum { SIGNED = 1, ACCUMULATE = 2 }; /* MPYMx */

struct hc_mpy32 {
    struct hc_device base;
    struct hc_dma *dma;
    struct {
        uint16_t ctl0, sumext;
        uint32_t op1, op2;
        uint64_t result;
        bool noted;
    } s;
};

static int operation(const struct hc_mpy32 *mpy)
{
    return mpy->s.ctl0 >> MPYM_SHIFT & 3;
}

static uint64_t extended(uint32_t operand, bool wide, bool is_signed)
{
    if (!is_signed)
        return wide ? operand : operand & 0xffff;
    return wide ? (uint64_t)(int64_t)(int32_t)operand : (uint64_t)(int64_t)(int16_t)operand;
}

/* What the sum adds to: 32 bits where both operands have 16. */
static uint64_t accumulated(const struct hc_mpy32 *mpy, bool wide, bool is_signed)
{
    if (!(operation(mpy) & ACCUMULATE))
        return 0;
    return wide ? mpy->s.result : extended((uint32_t)mpy->s.result, true, is_signed);
}

static void multiply(struct hc_mpy32 *mpy)
{
    bool is_signed = operation(mpy) & SIGNED, wide = mpy->s.ctl0 & (OP1_32 | OP2_32);
    uint64_t product =
        extended(mpy->s.op1, mpy->s.ctl0 & OP1_32, is_signed) * extended(mpy->s.op2, mpy->s.ctl0 & OP2_32, is_signed);
    uint64_t sum = product + accumulated(mpy, wide, is_signed);
    bool carry = wide ? sum < product : sum >> 32;

    mpy->s.ctl0 &= (uint16_t)~MPYC;
    if (is_signed) {
        mpy->s.result = wide ? sum : extended((uint32_t)sum, true, true);
        mpy->s.sumext = mpy->s.result >> 63 ? 0xffff : 0;
    } else {
        mpy->s.result = wide ? sum : (uint32_t)sum;
        mpy->s.sumext = carry;
    }
    if (is_signed ? mpy->s.sumext : carry)
        mpy->s.ctl0 |= MPYC;
    hc_dma_request(mpy->dma, HC_DMA_FR_MPY, true);
}

static uint16_t value_at(const struct hc_mpy32 *mpy, uint32_t word)
{
    if (word >= RES0 && word <= RES3)
        return (uint16_t)(mpy->s.result >> 8 * (word - RES0));
    if (word == RESLO || word == RESHI)
        return (uint16_t)(mpy->s.result >> 8 * (word - RESLO));
    if (word == SUMEXT)
        return mpy->s.sumext;
    if (word == MPY32CTL0)
        return mpy->s.ctl0;
    if (word == OP2 || word == OP2L || word == OP2H)
        return (uint16_t)(mpy->s.op2 >> (word == OP2H ? 16 : 0));
    return (uint16_t)(mpy->s.op1 >> (word >= MPY32L && (word & 2) ? 16 : 0));
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    return hc_word_read(value_at((struct hc_mpy32 *)d, address & ~1u), address, size);
}

static void choose(struct hc_mpy32 *mpy, unsigned mode, bool wide)
{
    mpy->s.ctl0 = (uint16_t)((mpy->s.ctl0 & ~(3u << MPYM_SHIFT | OP1_32)) | mode << MPYM_SHIFT | (wide ? OP1_32 : 0));
}

static uint32_t with_half(uint32_t value, bool high, uint16_t half)
{
    return high ? (value & 0xffff) | (uint32_t)half << 16 : (value & 0xffff0000u) | half;
}

static void write_second(struct hc_mpy32 *mpy, uint32_t word, uint16_t value)
{
    if (word == OP2)
        mpy->s.ctl0 &= (uint16_t)~OP2_32;
    else
        mpy->s.ctl0 |= OP2_32;
    mpy->s.op2 = word == OP2 ? value : with_half(mpy->s.op2, word == OP2H, value);
    if (word != OP2L)
        multiply(mpy);
}

static void write_result(struct hc_mpy32 *mpy, unsigned shift, uint16_t value)
{
    mpy->s.result = (mpy->s.result & ~(0xffffull << shift)) | (uint64_t)value << shift;
}

static void write_control(struct hc_mpy32 *mpy, uint16_t value)
{
    mpy->s.ctl0 = value & CTL0_BITS;
    if ((value & (MPYFRAC | MPYSAT)) && !mpy->s.noted)
        hc_note(mpy->base.machine, "%s: fractional and saturation modes are not modelled", mpy->base.name);
    mpy->s.noted |= (value & (MPYFRAC | MPYSAT)) != 0;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_mpy32 *mpy = (struct hc_mpy32 *)d;
    uint32_t word = address & ~1u;
    bool first = word <= MACS || (word >= MPY32L && word <= MACS32H);

    if (size == 1 && (address & 1)) {
        hc_unknown_register(d, address, true);
        return;
    }
    if (word <= MACS)
        choose(mpy, (word - MPY) / 2, false);
    else if (first)
        choose(mpy, (word - MPY32L) / 4, true);
    if (size == 1) /* the upper byte follows from the operation */
        value = operation(mpy) & SIGNED ? (uint16_t)(int8_t)value : value & 0xff;
    if (word <= MACS)
        mpy->s.op1 = value;
    else if (first)
        mpy->s.op1 = with_half(mpy->s.op1, word & 2, value);
    else if (word == OP2 || word == OP2L || word == OP2H)
        write_second(mpy, word, value);
    else if (word == RESLO || word == RESHI)
        write_result(mpy, 8 * (word - RESLO), value);
    else if (word >= RES0 && word <= RES3)
        write_result(mpy, 8 * (word - RES0), value);
    else if (word == MPY32CTL0)
        write_control(mpy, value);
}

static void taken(struct hc_device *d, enum hc_dma_trigger trigger)
{
    hc_dma_request(((struct hc_mpy32 *)d)->dma, trigger, false);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_mpy32 *mpy = (struct hc_mpy32 *)d;

    (void)kind;
    mpy->s.ctl0 &= OP1_32 | OP2_32 | 3 << MPYM_SHIFT | MPYC;
    hc_dma_request(mpy->dma, HC_DMA_FR_MPY, false);
}

static void power_off(struct hc_device *d)
{
    struct hc_mpy32 *mpy = (struct hc_mpy32 *)d;

    mpy->s.op1 = mpy->s.op2 = 0;
    mpy->s.result = 0;
    mpy->s.ctl0 = mpy->s.sumext = 0;
}

static const struct hc_device_ops ops = {
    .name = "mpy32",
    .help = "32 x 32 bit hardware multiplier",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .power_off = power_off,
};

struct hc_mpy32 *hc_mpy32_new(struct hc_machine *m, struct hc_dma *dma)
{
    struct hc_mpy32 *mpy = HC_DEVICE_NEW(m, &ops, "mpy32", struct hc_mpy32);

    mpy->dma = dma;
    if (dma)
        hc_dma_connect(dma, HC_DMA_FR_MPY, &mpy->base, taken);
    hc_device_claim(&mpy->base, MPY, MPY32CTL0 + 1);
    return mpy;
}
