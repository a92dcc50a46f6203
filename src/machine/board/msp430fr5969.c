#include "msp430fr5969.h"

#include <assert.h>

/* Interrupt vectors: the number is (address - 0xff80) / 2. */
enum {
    VECTOR_P8 = 27, /* to VECTOR_TA4: of the FR5994 */
    VECTOR_P7,
    VECTOR_EUSCI_B3,
    VECTOR_EUSCI_B2,
    VECTOR_EUSCI_B1,
    VECTOR_EUSCI_A3,
    VECTOR_EUSCI_A2,
    VECTOR_P6,
    VECTOR_P5,
    VECTOR_TA4,
    VECTOR_RTC = 39,
    VECTOR_P4 = 40,
    VECTOR_P3 = 41,
    VECTOR_TA3 = 42, /* CCR0 is the next one, here and below */
    VECTOR_P2 = 44,
    VECTOR_TA2 = 45,
    VECTOR_P1 = 47,
    VECTOR_TA1 = 48,
    VECTOR_DMA = 50,
    VECTOR_EUSCI_A1 = 51,
    VECTOR_TA0 = 52,
    VECTOR_ADC12 = 54,
    VECTOR_EUSCI_B0 = 55,
    VECTOR_EUSCI_A0 = 56,
    VECTOR_WDT = 57,
    VECTOR_TB0 = 58,
};

enum { SUPPLY_MICROVOLTS = 3000000, LFXIN = 4, HFXIN = 6 /* of PJ */ };
enum { BOOT_ROM = 0x1000, BOOT_ROM_END = 0x17ff, JUMP_TO_ITSELF = 0x3fff };
enum { TLV = 0x1a00, DEVICE_ID = 4, FRAM = 0x4400, FRAM_END = 0x13fff, LARGE_FRAM = 0x4000, LARGE_FRAM_END = 0x43fff };

static const struct hc_region regions[] = {
    { "peripherals", HC_IO, 0x0000, 0x0fff, 0 },
    { "boot loader ROM", HC_ROM, BOOT_ROM, BOOT_ROM_END, 0 },
    { "information FRAM", HC_FRAM, 0x1800, 0x19ff, 0 },
    { "device descriptors", HC_ROM, TLV, 0x1aff, 0 },
    { "SRAM", HC_RAM, 0x1c00, 0x23ff, 0 },
    { "FRAM", HC_FRAM, FRAM, FRAM_END, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};

static const struct hc_region large_regions[] = {
    { "peripherals", HC_IO, 0x0000, 0x0fff, 0 },
    { "boot loader ROM", HC_ROM, BOOT_ROM, BOOT_ROM_END, 0 },
    { "information FRAM", HC_FRAM, 0x1800, 0x19ff, 0 },
    { "device descriptors", HC_ROM, TLV, 0x1aff, 0 },
    { "SRAM", HC_RAM, 0x1c00, 0x3bff, 0 },
    { "FRAM", HC_FRAM, LARGE_FRAM, LARGE_FRAM_END, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};

const struct hc_part hc_msp430fr5969_part = {
    .name = "msp430fr5969",
    .cpu = HC_CPU_MSP430X,
    .regions = regions,
    .vectors_end = 0x10000,
    .vectors = 64,
    .wdtctl = 0x015c,
};

const struct hc_part hc_msp430fr5994_part = {
    .name = "msp430fr5994",
    .cpu = HC_CPU_MSP430X,
    .regions = large_regions,
    .vectors_end = 0x10000,
    .vectors = 64,
};

static bool is_large(const struct hc_msp430fr5969 *chip)
{
    return hc_machine_part(chip->machine) == &hc_msp430fr5994_part;
}

/* What a pin does for PxSEL1:PxSEL0 = FUNCTION, from the datasheet's port tables: timers and the DMA's trigger. The
 * serial modules' data lines are byte-wise and move no pin: "mark" is a line at rest. Pins whose function has no wire:
 * the clocks' outputs, the comparator, and the serial modules' clock and STE pins. */
enum use { INPUT, OUTPUT, BOTH, MARK };

static const struct {
    uint8_t port, pin, function, use;
    const char *wire, *input; /* of BOTH: output and input */
} functions[] = {
    { HC_IO_P1, 0, 1, BOTH, "ta0.out1", "ta0.cci1a" },
    { HC_IO_P1, 0, 2, INPUT, "dmae0", NULL },
    { HC_IO_P1, 1, 1, BOTH, "ta0.out2", "ta0.cci2a" },
    { HC_IO_P1, 1, 2, INPUT, "ta1clk", NULL },
    { HC_IO_P1, 2, 1, BOTH, "ta1.out1", "ta1.cci1a" },
    { HC_IO_P1, 2, 2, INPUT, "ta0clk", NULL },
    { HC_IO_P1, 3, 1, BOTH, "ta1.out2", "ta1.cci2a" },
    { HC_IO_P1, 4, 1, BOTH, "tb0.out1", "tb0.cci1a" },
    { HC_IO_P1, 5, 1, BOTH, "tb0.out2", "tb0.cci2a" },
    { HC_IO_P1, 6, 1, BOTH, "tb0.out3", "tb0.cci3b" },
    { HC_IO_P1, 6, 3, BOTH, "ta0.out0", "ta0.cci0a" },
    { HC_IO_P1, 7, 1, BOTH, "tb0.out4", "tb0.cci4b" },
    { HC_IO_P1, 7, 3, BOTH, "ta1.out0", "ta1.cci0a" },
    { HC_IO_P2, 0, 1, BOTH, "tb0.out6", "tb0.cci6b" },
    { HC_IO_P2, 0, 2, MARK, "mark", NULL },
    { HC_IO_P2, 0, 3, INPUT, "tb0clk", NULL },
    { HC_IO_P2, 1, 1, BOTH, "tb0.out0", "tb0.cci0a" },
    { HC_IO_P2, 1, 3, BOTH, "tb0.out0", "tb0.cci0a" },
    { HC_IO_P2, 2, 1, OUTPUT, "tb0.out2", NULL },
    { HC_IO_P2, 3, 1, BOTH, "ta0.out0", "ta0.cci0b" },
    { HC_IO_P2, 4, 1, BOTH, "ta1.out0", "ta1.cci0b" },
    { HC_IO_P2, 5, 1, BOTH, "tb0.out0", "tb0.cci0b" },
    { HC_IO_P2, 5, 2, MARK, "mark", NULL },
    { HC_IO_P2, 6, 1, OUTPUT, "tb0.out1", NULL },
    { HC_IO_P3, 4, 1, BOTH, "tb0.out3", "tb0.cci3a" },
    { HC_IO_P3, 5, 1, BOTH, "tb0.out4", "tb0.cci4a" },
    { HC_IO_P3, 6, 1, BOTH, "tb0.out5", "tb0.cci5a" },
    { HC_IO_P3, 7, 1, BOTH, "tb0.out6", "tb0.cci6a" },
    { HC_IO_P4, 4, 1, BOTH, "tb0.out5", "tb0.cci5b" },
};

static hc_wire wire_named(const struct hc_msp430fr5969 *chip, const char *name)
{
    hc_wire wire = hc_wire_find(chip->machine, name);
    assert(wire != HC_NO_WIRE);
    return wire;
}

static void connect_pins(struct hc_msp430fr5969 *chip)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        int port = functions[i].port, pin = functions[i].pin, function = functions[i].function;
        hc_wire wire = wire_named(chip, functions[i].wire);

        if (functions[i].use == INPUT)
            hc_digital_io_input(chip->ports, port, pin, function, wire);
        else
            hc_digital_io_output(chip->ports, port, pin, function, wire, functions[i].use == MARK);
        if (functions[i].use == BOTH)
            hc_digital_io_input(chip->ports, port, pin, function, wire_named(chip, functions[i].input));
    }
}

static enum hc_action boot_loader_called(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)pc;
    hc_fault(m, "the boot loader was called, whose ROM is not part of this machine");
    return HC_STOP;
}

/* Lengths and tags as SLAU367 has them: identity, die record, ideal ADC12_B and REF calibration. Temperatures: what a
 * linear sensor of 2.5 mV/K and 790 mV at 30 C gives at 30 and 85 C with references of 1.2, 2.0 and 2.5 V. */
static const uint8_t descriptors[] = {
    0x06, 0x06, 0x00, 0x00, 0x69, 0x81, 0x10, 0x10,                         /* length, CRC length, CRC, id, revisions */
    0x08, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, /* die record */
    0x11, 0x10, 0x00, 0x80, 0x00, 0x00, 0x88, 0x0a, 0x5d, 0x0c, 0x52, 0x06, /* ADC: gain, offset, 30 C and 85 C ... */
    0x6b, 0x07, 0x0e, 0x05, 0xef, 0x05,                                     /* ... at each reference */
    0x12, 0x06, 0x00, 0x80, 0x00, 0x80, 0x00, 0x80,                         /* REF: factors */
    0x15, 0x10, 0x5b, 0x29, 0xc7, 0x60, 0x0d, 0xf1, 0x94, 0x3a,             /* a random number of 128 bits */
    0xe8, 0x72, 0x1f, 0xb6, 0x83, 0x4d, 0x58, 0xae,
};

static void fill_roms(const struct hc_msp430fr5969 *chip)
{
    enum { ID_OF_FR5994 = 0x82a1 };
    struct hc_machine *m = chip->machine;

    for (uint32_t address = BOOT_ROM; address < BOOT_ROM_END; address += 2)
        hc_poke16(m, address, JUMP_TO_ITSELF);
    hc_hook_pc(m, BOOT_ROM, boot_loader_called, NULL);
    for (uint32_t i = 0; i < sizeof descriptors; i++)
        hc_poke(m, TLV + i, descriptors[i]);
    if (is_large(chip))
        hc_poke16(m, TLV + DEVICE_ID, ID_OF_FR5994);
}

/* ---- modules ---- */

static const struct hc_timer_config timers_a[HC_FR59XX_TIMERS_A] = {
    { .name = "ta0",
      .wires = "ta0",
      .base = 0x340,
      .ccrs = 3,
      .vector_others = VECTOR_TA0,
      .aclk_input = 2,
      .clk_wire = "ta0clk",
      .dma_ccr0 = HC_DMA_FR_TA0CCR0,
      .dma_ccr2 = HC_DMA_FR_TA0CCR2 },
    { .name = "ta1",
      .wires = "ta1",
      .base = 0x380,
      .ccrs = 3,
      .vector_others = VECTOR_TA1,
      .aclk_input = 2,
      .clk_wire = "ta1clk",
      .dma_ccr0 = HC_DMA_FR_TA1CCR0,
      .dma_ccr2 = HC_DMA_FR_TA1CCR2 },
    { .name = "ta2",
      .wires = "ta2",
      .base = 0x400,
      .ccrs = 2,
      .vector_others = VECTOR_TA2,
      .aclk_input = 0,
      .clk_wire = "ta2clk",
      .dma_ccr0 = HC_DMA_FR_TA2CCR0 },
    { .name = "ta3",
      .wires = "ta3",
      .base = 0x440,
      .ccrs = 2,
      .vector_others = VECTOR_TA3,
      .aclk_input = 0,
      .clk_wire = "ta3clk",
      .dma_ccr0 = HC_DMA_FR_TA3CCR0 },
    { .name = "ta4", .wires = "ta4", .base = 0x7c0, .ccrs = 2, .vector_others = VECTOR_TA4, .clk_wire = "ta4clk" },
};

static const struct hc_timer_config timer_b0 = {
    .name = "tb0",
    .wires = "tb0",
    .base = 0x3c0,
    .ccrs = 7,
    .vector_others = VECTOR_TB0,
    .has_latches = true,
    .aclk_input = 2,
    .clk_wire = "tb0clk",
    .dma_ccr0 = HC_DMA_FR_TB0CCR0,
    .dma_ccr2 = HC_DMA_FR_TB0CCR2,
};

static struct hc_timer *attach_timer(struct hc_msp430fr5969 *chip, struct hc_timer_config config)
{
    enum { EX0 = 0x20, IV = 0x2e, IV_OVERFLOW = 0x0e };

    config.iv = config.base + IV;
    config.ex0 = config.base + EX0;
    config.iv_overflow = IV_OVERFLOW;
    config.vector_ccr0 = config.vector_others + 1;
    config.aclk = hc_cs_aclk(chip->cs);
    config.smclk = hc_cs_smclk(chip->cs);
    config.dma = config.dma_ccr0 ? chip->dma : NULL;
    return hc_timer_new(chip->machine, &config);
}

static void output_changed(void *owner, int32_t level, hc_time now)
{
    const struct hc_msp430fr5969_link *link = owner;

    (void)now;
    hc_wire_drive(link->machine, link->to, link->driver, level ? HC_HIGH : HC_LOW);
}

static void connect(const struct hc_msp430fr5969 *chip, struct hc_msp430fr5969_link *link, const char *from,
                    const char *to)
{
    *link = (struct hc_msp430fr5969_link){ chip->machine, wire_named(chip, to), 0 };
    link->driver = hc_wire_driver(chip->machine, link->to);
    hc_wire_listen(chip->machine, wire_named(chip, from), output_changed, link);
}

static void attach_timers(struct hc_msp430fr5969 *chip)
{
    struct hc_machine *m = chip->machine;
    chip->watchdog = hc_wdt_a_new(m, chip->sys, chip->cs, VECTOR_WDT);
    for (int i = 0; i < HC_FR59XX_TIMERS_A - !is_large(chip); i++)
        chip->timer_a[i] = attach_timer(chip, timers_a[i]);
    chip->timer_b = attach_timer(chip, timer_b0);
    connect(chip, &chip->ta2_to_ta3, "ta2.out0", "ta3.cci0a");
    connect(chip, &chip->ta3_to_ta2, "ta3.out0", "ta2.cci0a");
    if (!is_large(chip))
        chip->rtc = hc_rtc_b_new(m, chip->sys, VECTOR_RTC);
}

static void attach_serial(struct hc_msp430fr5969 *chip)
{
    struct hc_eusci_config config = {
        .name = "eusci_a0",
        .base = 0x5c0,
        .vector = VECTOR_EUSCI_A0,
        .cs = chip->cs,
        .request = 0,
        .dma = chip->dma,
        .dma_rx = HC_DMA_FR_UCA0RXIFG,
        .dma_tx = HC_DMA_FR_UCA0TXIFG,
    };

    chip->eusci_a0 = hc_eusci_new(chip->machine, &config);
    config = (struct hc_eusci_config){ "eusci_a1",         0x5e0, false,     VECTOR_EUSCI_A1,
                                       chip->cs,           1,     chip->dma, HC_DMA_FR_UCA1RXIFG,
                                       HC_DMA_FR_UCA1TXIFG };
    chip->eusci_a1 = hc_eusci_new(chip->machine, &config);
    config = (struct hc_eusci_config){
        "eusci_b0", 0x640, true, VECTOR_EUSCI_B0, chip->cs, 2, chip->dma, HC_DMA_FR_UCB0RXIFG0, HC_DMA_FR_UCB0TXIFG0
    };
    chip->eusci_b0 = hc_eusci_new(chip->machine, &config);
}

/* Of the FR5994. They ask no DMA channel. */
static void attach_more_serial(struct hc_msp430fr5969 *chip)
{
    struct hc_eusci_config config[HC_FR59XX_MORE_SERIAL] = {
        { .name = "eusci_a2", .base = 0x600, .vector = VECTOR_EUSCI_A2 },
        { .name = "eusci_a3", .base = 0x620, .vector = VECTOR_EUSCI_A3 },
        { .name = "eusci_b1", .base = 0x680, .vector = VECTOR_EUSCI_B1, .is_b = true },
        { .name = "eusci_b2", .base = 0x6c0, .vector = VECTOR_EUSCI_B2, .is_b = true },
        { .name = "eusci_b3", .base = 0x700, .vector = VECTOR_EUSCI_B3, .is_b = true },
    };
    enum { FIRST_REQUEST = 3 };

    for (int i = 0; i < HC_FR59XX_MORE_SERIAL; i++) {
        config[i].cs = chip->cs;
        config[i].request = FIRST_REQUEST + i;
        chip->more_serial[i] = hc_eusci_new(chip->machine, &config[i]);
    }
}

static void attach_analog(struct hc_msp430fr5969 *chip)
{
    chip->ref = hc_ref_a_new(chip->machine);
    struct hc_adc12_b_wiring wiring = {
        .avcc = chip->supply,
        .ref = chip->ref,
        .trigger = { HC_NO_WIRE, wire_named(chip, "ta0.out1"), wire_named(chip, "tb0.out0"),
                     wire_named(chip, "tb0.out1"), wire_named(chip, "ta1.out1"), wire_named(chip, "ta2.out1"),
                     wire_named(chip, "ta3.out1"), HC_NO_WIRE },
        .modclk = hc_cs_modclk(chip->cs),
        .aclk = hc_cs_aclk(chip->cs),
        .smclk = hc_cs_smclk(chip->cs),
        .dma = chip->dma,
    };
    chip->adc12 = hc_adc12_b_new(chip->machine, &wiring, VECTOR_ADC12);
}

static void mode_changed(void *owner, uint16_t sr, hc_time now)
{
    struct hc_msp430fr5969 *chip = owner;

    hc_cs_mode_changed(chip->cs, sr, now);
    hc_pmm_mode_changed(chip->pmm, sr);
}

int hc_msp430fr5969_new(struct hc_msp430fr5969 *chip, const struct hc_part *part, struct hc_code_store *store)
{
    static const int port_vectors[8] = { VECTOR_P1, VECTOR_P2, VECTOR_P3, VECTOR_P4,
                                         VECTOR_P5, VECTOR_P6, VECTOR_P7, VECTOR_P8 };
    uint32_t fram = part == &hc_msp430fr5994_part ? LARGE_FRAM : FRAM;
    uint32_t fram_end = part == &hc_msp430fr5994_part ? LARGE_FRAM_END : FRAM_END;
    struct hc_machine *m = hc_machine_new(part, store);

    if (!m)
        return -1;
    *chip = (struct hc_msp430fr5969){ .machine = m };
    chip->supply = hc_wire_new_wide(m, "vcc", 32, NULL);
    hc_wire_set(m, chip->supply, SUPPLY_MICROVOLTS);
    hc_wire_new(m, "mark", 1);
    chip->sys = hc_sys_new(m); /* first: the others ask it what kind of reset this is */
    chip->cs = hc_cs_new(m, chip->sys);
    chip->pmm = hc_pmm_new(m, chip->sys);
    chip->fram = hc_fram_controller_new(m, chip->sys, fram, fram_end);
    chip->mpu = hc_mpu_new(m, chip->sys, fram, fram_end);
    chip->dma = hc_dma_new_layout(m, VECTOR_DMA, &hc_dma_fr);
    chip->ports = hc_digital_io_new(m, chip->pmm, port_vectors, is_large(chip) ? 8 : 4);
    chip->mpy32 = hc_mpy32_new(m, chip->dma);
    chip->crc16 = hc_crc16_new(m);
    attach_timers(chip);
    attach_serial(chip);
    if (is_large(chip))
        attach_more_serial(chip);
    attach_analog(chip);
    connect_pins(chip);
    hc_set_power_listener(m, mode_changed, chip);
    hc_cs_watch_pins(chip->cs, chip->ports, HC_IO_PJ, LFXIN, HFXIN);
    fill_roms(chip);
    return 0;
}
