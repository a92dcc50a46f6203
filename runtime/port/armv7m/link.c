/* What the link needs of the recorder: its RAM, the table that the link step fills, and its words in the map.
 *
 * Addresses of 16 bits are offsets in RAM here, which the link step writes. The linker script says which RAM nobody
 * uses but a stack that grows into it from above: from __hc_free to __hc_free_end. */
#include "../../link.h"

#include "critical.h"
#include "ram.h"
#include "sink.h"

const struct hc_link __hc_link __attribute__((used)) = {
    .magic = HC_LINK_MAGIC,
    .version = HC_TRACE_VERSION,
    .sets = HC_CODEC_SETS,
    .handlers = { [HC_VECTORS - 1] = 0 },
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define RUNTIME "runtime\\tversion=1\\trecorder=c\\tsets=%c0\\tsink=" HC_SINK_NAME "\\tring=%c1\\tlog="
#define LOG TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END)

__attribute__((used)) static void define(void)
{
    __asm__ volatile(".pushsection .noinit,\"aw\",%%nobits\n"
                     ".balign 4\n"
                     ".global __hc_ram, __hc_ram_end, __hc_count, __hc_segment, __hc_registers, __hc_registers_end\n"
                     "__hc_ram: .skip %c0\n"
                     ".set __hc_count, __hc_ram + %c1\n"
                     ".set __hc_segment, __hc_ram + %c2\n"
                     ".set __hc_registers, __hc_ram + %c3\n"
                     ".set __hc_registers_end, __hc_ram + %c4 + 2\n"
                     "__hc_ram_end:\n"
                     ".popsection\n" ::"i"(sizeof(struct hc_ram)),
                     "i"(HC_RAM_COUNT), "i"(HC_RAM_PRESENT), "i"(HC_RAM_APPLICATION), "i"(HC_RAM_APPLICATION_SP));
    __asm__ volatile(".pushsection .hindcast,\"\",%%progbits\n"
                     ".short 0\n"
                     ".asciz \"" RUNTIME LOG "\"\n"
                     ".popsection\n" ::"i"(HC_CODEC_SETS),
                     "i"(HC_RING));
}
