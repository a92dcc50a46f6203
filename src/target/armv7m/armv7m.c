#include "armv7m.h"

#include <elf.h>

static const char *const cpus[] = { "armv7m", NULL };
static const char *const gcc_meaning[] = { "-fshort-enums", NULL };

const struct hc_target hc_target_armv7m = {
    .name = "armv7m",
    .cpus = cpus,
    .triple = "thumbv7m-none-eabi",
    .gcc_meaning = gcc_meaning,
    .addresses = UINT32_MAX,
    .region_recorder = "port/cortex-m/sources.txt",
    .recorder = "port/armv7m/sources.txt",
    .reset_vector = 4,
    .elf_machine = EM_ARM,
    .text = &hc_armv7m_text,
    .assembly = &hc_armv7m_assembly,
};
