#include "msp430f1611.h"

#include <assert.h>

/* Interrupt vectors: the number is (address - 0xffe0) / 2. Those of the timers stand in their own templates. */
enum {
    VECTOR_DAC12_DMA = 0,
    VECTOR_USART1_TX = 2,
    VECTOR_USART1_RX = 3,
    VECTOR_ADC12 = 7,
    VECTOR_USART0_TX = 8,
    VECTOR_USART0_RX = 9,
    VECTOR_COMPARATOR_A = 11,
};

enum { USART0_BASE = 0x70, USART1_BASE = 0x78, SUPPLY_MICROVOLTS = 3000000, DAC12_0_CHANNEL = 6 };

enum { BOOT_ROM = 0x0c00, BOOT_ENTRY = 0x0c04, BOOT_ROM_END = 0x0fff, CHIP_ID = 0x0ff0, RET = 0x4130 };

static const struct hc_region regions[] = {
    { "peripherals", HC_IO, 0x0000, 0x01ff, 0 },
    { "mirrored RAM", HC_MIRROR, 0x0200, 0x09ff, 0x1100 },
    { "boot loader ROM", HC_ROM, BOOT_ROM, BOOT_ROM_END, 0 },
    { "information flash", HC_FLASH, 0x1000, 0x10ff, 0 },
    { "RAM", HC_RAM, 0x1100, 0x38ff, 0 },
    { "flash", HC_FLASH, 0x4000, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};

const struct hc_part hc_msp430f1611_part = {
    .name = "msp430f1611",
    .cpu = HC_CPU_MSP430,
    .regions = regions,
    .vectors_end = 0x10000,
    .vectors = 16,
    .wdtctl = 0x0120,
};

static const struct hc_flash_layout flash_layout = {
    .main_start = 0x4000,
    .main_end = 0xffff,
    .main_segment = 512,
    .info_start = 0x1000,
    .info_end = 0x10ff,
    .info_segment = 128,
};

/* What a pin does while PxSEL is 1, from the datasheet's port tables. "mark" is a line at rest: the UART's characters
 * are whole and move no pin. Pins whose module function has no wire: the clocks' outputs (P1.4, P2.0, P5.4-P5.6),
 * ADC12CLK (P2.6), and the SPI pins, whose bus is byte-wise as well. */
enum use { INPUT, OUTPUT };

static const struct {
    uint8_t port, pin;
    enum use use;
    const char *wire;
} functions[] = {
    { 1, 0, INPUT, "taclk" },    { 1, 1, INPUT, "ta.cci0a" }, { 1, 1, OUTPUT, "ta.out0" }, { 1, 2, INPUT, "ta.cci1a" },
    { 1, 2, OUTPUT, "ta.out1" }, { 1, 3, INPUT, "ta.cci2a" }, { 1, 3, OUTPUT, "ta.out2" }, { 1, 5, OUTPUT, "ta.out0" },
    { 1, 6, OUTPUT, "ta.out1" }, { 1, 7, OUTPUT, "ta.out2" }, { 2, 1, INPUT, "inclk" },    { 2, 2, INPUT, "ta.cci0b" },
    { 2, 2, OUTPUT, "caout" },   { 2, 3, OUTPUT, "ta.out1" }, { 2, 4, OUTPUT, "ta.out2" }, { 2, 6, INPUT, "dmae0" },
    { 2, 7, OUTPUT, "ta.out0" }, { 3, 0, INPUT, "ste0" },     { 3, 4, OUTPUT, "mark" },    { 3, 6, OUTPUT, "mark" },
    { 4, 0, INPUT, "tb.cci0a" }, { 4, 0, INPUT, "tb.cci0b" }, { 4, 0, OUTPUT, "tb.out0" }, { 4, 1, INPUT, "tb.cci1a" },
    { 4, 1, INPUT, "tb.cci1b" }, { 4, 1, OUTPUT, "tb.out1" }, { 4, 2, INPUT, "tb.cci2a" }, { 4, 2, INPUT, "tb.cci2b" },
    { 4, 2, OUTPUT, "tb.out2" }, { 4, 3, INPUT, "tb.cci3a" }, { 4, 3, INPUT, "tb.cci3b" }, { 4, 3, OUTPUT, "tb.out3" },
    { 4, 4, INPUT, "tb.cci4a" }, { 4, 4, INPUT, "tb.cci4b" }, { 4, 4, OUTPUT, "tb.out4" }, { 4, 5, INPUT, "tb.cci5a" },
    { 4, 5, INPUT, "tb.cci5b" }, { 4, 5, OUTPUT, "tb.out5" }, { 4, 6, INPUT, "tb.cci6a" }, { 4, 6, OUTPUT, "tb.out6" },
    { 4, 7, INPUT, "tbclk" },    { 5, 0, INPUT, "ste1" },     { 5, 7, OUTPUT, "svsout" },
};

/* Pins whose module, not PxDIR, decides the direction. */
static const struct {
    uint8_t port, pin;
    enum hc_port_direction direction;
} directions[] = {
    { 3, 4, HC_DIRECTION_OUT }, { 3, 5, HC_DIRECTION_IN },  { 3, 6, HC_DIRECTION_OUT }, { 3, 7, HC_DIRECTION_IN },
    { 5, 0, HC_DIRECTION_IN },  { 5, 4, HC_DIRECTION_OUT }, { 5, 5, HC_DIRECTION_OUT }, { 5, 6, HC_DIRECTION_OUT },
};

static void connect_pins(struct hc_msp430f1611 *chip)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        hc_wire wire = hc_wire_find(chip->machine, functions[i].wire);
        assert(wire != HC_NO_WIRE);
        if (functions[i].use == INPUT)
            hc_port_module_input(chip->ports, functions[i].port, functions[i].pin, wire);
        else
            hc_port_module_output(chip->ports, functions[i].port, functions[i].pin, wire);
    }
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++)
        hc_port_module_direction(chip->ports, directions[i].port, directions[i].pin, directions[i].direction);
}

static enum hc_action boot_loader_called(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)pc;
    hc_fault(m, "the boot loader was called, whose ROM is not part of this machine");
    return HC_STOP;
}

static void fill_boot_rom(struct hc_machine *m)
{
    for (uint32_t address = BOOT_ROM; address < BOOT_ROM_END; address += 2)
        hc_poke16(m, address, RET);
    hc_poke16(m, BOOT_ROM, BOOT_ENTRY);
    hc_poke(m, CHIP_ID, 0xf1);
    hc_poke(m, CHIP_ID + 1, 0x6c);
    hc_hook_pc(m, BOOT_ENTRY, boot_loader_called, NULL);
}

/* Timers, serial ports, DMA: what runs from the clocks. */
static void attach_digital(struct hc_msp430f1611 *chip, struct hc_clock *aclk, struct hc_clock *smclk)
{
    struct hc_machine *m = chip->machine;
    struct hc_timer_config timer_a = hc_timer_a3, timer_b = hc_timer_b7;
    timer_a.aclk = timer_b.aclk = aclk;
    timer_a.smclk = timer_b.smclk = smclk;
    timer_a.dma = timer_b.dma = chip->dma;
    chip->timer_a = hc_timer_new(m, &timer_a);
    chip->timer_b = hc_timer_new(m, &timer_b);
    struct hc_usart_config usart = {
        .number = 0,
        .base = USART0_BASE,
        .sfr = chip->sfr,
        .aclk = aclk,
        .smclk = smclk,
        .dma = chip->dma,
        .rx_vector = VECTOR_USART0_RX,
        .tx_vector = VECTOR_USART0_TX,
    };
    chip->usart0 = hc_usart_new(m, &usart);
    usart.number = 1;
    usart.base = USART1_BASE;
    usart.rx_vector = VECTOR_USART1_RX;
    usart.tx_vector = VECTOR_USART1_TX;
    chip->usart1 = hc_usart_new(m, &usart);
}

/* A connection inside the chip: a module's input that is another's output. */
struct connection {
    struct hc_device base;
    hc_wire to;
    int driver;
};

static const struct hc_device_ops connection_ops = { .name = "connection", .help = "one module's output to another" };

static void carry(void *owner, int32_t level, hc_time now)
{
    (void)now;
    struct connection *c = owner;
    hc_wire_drive(c->base.machine, c->to, c->driver, level ? HC_HIGH : HC_LOW);
}

static void follow(struct hc_machine *m, hc_wire to, hc_wire from)
{
    struct connection *c = hc_device_new(m, &connection_ops, "connection", sizeof *c, 0, 0);
    c->to = to;
    c->driver = hc_wire_driver(m, to);
    hc_wire_listen(m, from, carry, c);
}

static void attach_analog(struct hc_msp430f1611 *chip, struct hc_clock *aclk, struct hc_clock *smclk)
{
    struct hc_machine *m = chip->machine;
    struct hc_adc12_wiring adc12 = {
        .avcc = chip->supply,
        .ta_out1 = hc_wire_find(m, "ta.out1"),
        .tb_out0 = hc_wire_find(m, "tb.out0"),
        .tb_out1 = hc_wire_find(m, "tb.out1"),
        .aclk = aclk,
        .smclk = smclk,
        .dma = chip->dma,
    };
    chip->adc12 = hc_adc12_new(m, &adc12, VECTOR_ADC12);
    struct hc_dac12_wiring dac12 = {
        .avcc = chip->supply,
        .vref = hc_adc12_vref(chip->adc12),
        .veref = hc_adc12_veref(chip->adc12),
        .ta_out1 = hc_wire_find(m, "ta.out1"),
        .tb_out2 = hc_wire_find(m, "tb.out2"),
        .dma = chip->dma,
    };
    chip->dac12 = hc_dac12_new(m, &dac12, VECTOR_DAC12_DMA);
    for (int i = 0; i < HC_DAC12_CHANNELS; i++) /* A6 and A7 are also the DAC's outputs */
        hc_adc12_set_wire(chip->adc12, DAC12_0_CHANNEL + i, hc_dac12_output(chip->dac12, i));
    chip->comparator_a = hc_comparator_a_new(m, chip->supply, VECTOR_COMPARATOR_A);
    follow(m, hc_wire_find(m, "ta.cci1b"), hc_comparator_a_output(chip->comparator_a));
    hc_comparator_a_connect_port(chip->comparator_a, chip->ports, 2, 0xff);
    chip->svs = hc_svs_new(m, chip->supply);
}

int hc_msp430f1611_new(struct hc_msp430f1611 *chip, struct hc_code_store *store)
{
    struct hc_machine *m = hc_machine_new(&hc_msp430f1611_part, store);
    if (!m)
        return -1;
    *chip = (struct hc_msp430f1611){ .machine = m };
    chip->supply = hc_wire_new_wide(m, "vcc", 32, NULL);
    hc_wire_set(m, chip->supply, SUPPLY_MICROVOLTS);
    hc_wire_new(m, "mark", 1);
    chip->sfr = hc_sfr_new(m); /* first: its reset sets whole registers, of which others then change bits */
    chip->clock = hc_basic_clock_new(m, chip->sfr);
    struct hc_clock *aclk = hc_basic_clock_aclk(chip->clock), *smclk = hc_basic_clock_smclk(chip->clock);
    chip->dma = hc_dma_new(m, VECTOR_DAC12_DMA);
    hc_dma_set_startup(chip->dma, hc_basic_clock_startup, chip->clock);
    hc_sfr_connect_dma(chip->sfr, chip->dma);
    chip->watchdog = hc_watchdog_new(m, chip->sfr, aclk, smclk);
    chip->ports = hc_ports_new(m);
    chip->flash = hc_flash_controller_new(m, &flash_layout, chip->sfr, aclk, smclk);
    chip->multiplier = hc_multiplier_new(m, chip->dma);
    attach_digital(chip, aclk, smclk);
    attach_analog(chip, aclk, smclk);
    connect_pins(chip);
    fill_boot_rom(m);
    return 0;
}
