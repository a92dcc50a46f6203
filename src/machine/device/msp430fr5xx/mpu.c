#include "mpu.h"

#include "machine/device/msp430/word_register.h"

enum { MPUCTL0, MPUCTL1, MPUSEGB2, MPUSEGB1, MPUSAM, MPUIPC0, MPUIPSEGB2, MPUIPSEGB1, REGISTERS };
enum { BASE = 0x5a0, KEY = 0xa5, KEY_READ = 0x9600 };
enum { MPUENA = 0x01, MPULOCK = 0x02, MPUSEGIE = 0x10, CTL0_BITS = 0x13 };
enum { RE = 0x1, WE = 0x2, XE = 0x4, VS = 0x8, SEGMENTS = 3, SEGMENT_SHIFT = 4, SAM_RESET = 0x7777 };
enum { READ_AND_EXECUTE = (RE | XE) * 0x111 };
enum { KILOBYTE = 0x400 };

struct hc_mpu {
    struct hc_device base;
    struct hc_sys *sys;
    uint32_t fram, fram_end; /* one past it */
    struct {
        uint16_t reg[REGISTERS];
        bool open;
        bool noted;
    } s;
};

/* ---- segments ---- */

static uint32_t border(const struct hc_mpu *mpu, int reg)
{
    uint32_t address = (uint32_t)mpu->s.reg[reg] << 4 & ~(KILOBYTE - 1u);

    return address < mpu->fram ? mpu->fram : address > mpu->fram_end ? mpu->fram_end : address;
}

static int segment_of(const struct hc_mpu *mpu, uint32_t address)
{
    return address < border(mpu, MPUSEGB1) ? 0 : address < border(mpu, MPUSEGB2) ? 1 : 2;
}

static unsigned rights(const struct hc_mpu *mpu, int segment)
{
    return mpu->s.reg[MPUSAM] >> SEGMENT_SHIFT * segment & 0xf;
}

static void guard(struct hc_mpu *mpu)
{
    uint32_t start[SEGMENTS + 1] = { mpu->fram, border(mpu, MPUSEGB1), border(mpu, MPUSEGB2), mpu->fram_end };
    bool on = mpu->s.reg[MPUCTL0] & MPUENA;

    for (int i = 0; i < SEGMENTS; i++)
        if (start[i] < start[i + 1])
            hc_device_guard(&mpu->base, start[i], start[i + 1] - 1, on && !(rights(mpu, i) & WE) ? HC_WATCH_WRITE : 0);
    if (on && !mpu->s.noted && (mpu->s.reg[MPUSAM] & READ_AND_EXECUTE) != READ_AND_EXECUTE)
        hc_note(mpu->base.machine, "%s: only writes are protected; reads and execution are not", mpu->base.name);
    mpu->s.noted |= on;
}

static const enum hc_sys_snmi numbers[SEGMENTS] = { HC_SNMI_MPUSEG1, HC_SNMI_MPUSEG2, HC_SNMI_MPUSEG3 };
static const enum hc_sys_cause causes[SEGMENTS] = { HC_SYS_MPUSEG1, HC_SYS_MPUSEG2, HC_SYS_MPUSEG3 };

static void update_nmi(struct hc_mpu *mpu)
{
    bool enabled = mpu->s.reg[MPUCTL0] & MPUSEGIE;

    for (int i = 0; i < SEGMENTS; i++)
        hc_sys_snmi(mpu->sys, numbers[i], enabled && (mpu->s.reg[MPUCTL1] >> i & 1));
}

static void clear_flag(struct hc_device *d, enum hc_sys_snmi number)
{
    struct hc_mpu *mpu = (struct hc_mpu *)d;

    for (int i = 0; i < SEGMENTS; i++)
        if (numbers[i] == number)
            mpu->s.reg[MPUCTL1] &= (uint16_t)~(1u << i);
    update_nmi(mpu);
}

static void violate(struct hc_mpu *mpu, uint32_t address)
{
    int segment = segment_of(mpu, address);

    mpu->s.reg[MPUCTL1] |= (uint16_t)(1u << segment);
    if (rights(mpu, segment) & VS)
        hc_sys_reset(mpu->sys, causes[segment]);
    update_nmi(mpu);
}

/* ---- registers ---- */

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct hc_mpu *mpu = (struct hc_mpu *)d;

    (void)kind;
    if (hc_sys_is_bor(mpu->sys) || !(mpu->s.reg[MPUCTL0] & MPULOCK)) {
        for (int i = 0; i < REGISTERS; i++)
            if (i != MPUCTL1)
                mpu->s.reg[i] = 0;
        mpu->s.reg[MPUSAM] = SAM_RESET;
    }
    if (hc_sys_is_bor(mpu->sys))
        mpu->s.reg[MPUCTL1] = 0;
    mpu->s.open = false;
    guard(mpu);
    update_nmi(mpu);
}

static uint16_t read(struct hc_device *d, uint32_t address, int size)
{
    const struct hc_mpu *mpu = (const struct hc_mpu *)d;
    int i = (int)((address & ~1u) - BASE) / 2;

    return hc_word_read(i ? mpu->s.reg[i] : KEY_READ | mpu->s.reg[0], address, size);
}

static void write_control(struct hc_mpu *mpu, uint32_t address, uint16_t value, int size)
{
    if (size == 2 && value >> 8 != KEY) {
        hc_sys_reset(mpu->sys, HC_SYS_MPUPW);
        return;
    }
    if (size == 2)
        mpu->s.open = true;
    else if (address & 1)
        mpu->s.open = (uint8_t)value == KEY;
    if (mpu->s.open && !(address & 1) && !(mpu->s.reg[MPUCTL0] & MPULOCK))
        mpu->s.reg[MPUCTL0] = value & CTL0_BITS;
}

static void write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_mpu *mpu = (struct hc_mpu *)d;
    int i = (int)((address & ~1u) - BASE) / 2;

    if (address >= mpu->fram) {
        violate(mpu, address);
        return;
    }
    if (i == MPUCTL0)
        write_control(mpu, address, value, size);
    else if (mpu->s.open && i == MPUCTL1)
        mpu->s.reg[i] &= hc_word_written(mpu->s.reg[i], address, value, size);
    else if (mpu->s.open && !(mpu->s.reg[MPUCTL0] & MPULOCK))
        mpu->s.reg[i] = hc_word_written(mpu->s.reg[i], address, value, size);
    guard(mpu);
    update_nmi(mpu);
}

static void loaded(struct hc_device *d)
{
    struct hc_mpu *mpu = (struct hc_mpu *)d;

    hc_device_guard(d, mpu->fram, mpu->fram_end - 1, 0);
    guard(mpu);
}

static const struct hc_device_ops ops = {
    .name = "mpu",
    .help = "memory protection unit: writes to FRAM segments",
    .reset = reset,
    .read = read,
    .write = write,
    .peek = read,
    .loaded = loaded,
};

struct hc_mpu *hc_mpu_new(struct hc_machine *m, struct hc_sys *sys, uint32_t start, uint32_t end)
{
    struct hc_mpu *mpu = HC_DEVICE_NEW(m, &ops, "mpu", struct hc_mpu);

    mpu->sys = sys;
    mpu->fram = start;
    mpu->fram_end = end + 1;
    for (int i = 0; i < SEGMENTS; i++)
        hc_sys_snmi_source(sys, numbers[i], &mpu->base, clear_flag);
    hc_device_claim(&mpu->base, BASE, BASE + 2 * REGISTERS - 1);
    return mpu;
}
