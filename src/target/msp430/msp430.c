#include "msp430.h"

#include "code.h"

#include <elf.h>

static const char *const cpus[] = { "msp430", "msp430x", NULL };

/* RET */
static const uint8_t returns[] = { 0x30, 0x41 };

const struct hc_target_code hc_msp430_code = {
    .addresses = 1 << 20,
    .vectors = { .lowest = 0xff80,
                 .lowest_few = 0xffe0,
                 .reset = 0xfffe,
                 .nonmaskable = 0xfffc,
                 .nonmaskable_many = 0xfffa },
    .returns = returns,
    .returns_size = sizeof returns,
    .make_tick_plain = hc_msp430_make_tick_plain,
    .decode = hc_msp430_decode_node,
    .takes_address = hc_msp430_takes_address,
    .constant = hc_msp430_constant,
    .look = hc_msp430_look,
    .follow_stack = hc_msp430_follow_stack,
    .find_enabling = hc_msp430_find_enabling,
    .find_stuck = hc_msp430_find_stuck,
};

const struct hc_target hc_target_msp430 = {
    .name = "msp430",
    .cpus = cpus,
    .triple = "msp430-none-elf",
    .addresses = 0xfffff,
    .recorder = "sources.txt",
    .message_recorder = "traffic/sources.txt",
    .region_recorder = "region/sources.txt",
    .elf_machine = EM_MSP430,
    .text = &hc_msp430_text,
    .assembly = &hc_msp430_assembly,
    .code = &hc_msp430_code,
    .cpu = &hc_msp430_cpu,
    .unwind = &hc_msp430_unwind,
    .value_flow = &hc_msp430_value_flow,
    .steps = &hc_msp430_steps,
    .flow = &hc_msp430_flow,
    .parts = hc_msp430_parts,
};
