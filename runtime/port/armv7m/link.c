/* What the link needs of the recorder: its RAM, the table that the link step fills, and its words in the map. */
#include "../../link.h"

#include "critical.h"
#include "ram.h"
#include "sink.h"

/* In code memory. Which memory a checkpoint holds is not filled in yet. */
const struct hc_link __hc_link __attribute__((used)) = {
    .magic = HC_LINK_MAGIC,
    .version = HC_TRACE_VERSION,
    .sets = HC_CODEC_SETS,
    .handlers = { [HC_VECTORS - 1] = 0 },
};

struct hc_ram __hc_ram __attribute__((section(".noinit")));
__asm__(".global __hc_ram_end\n.set __hc_ram_end, __hc_ram + 0\n");

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define RUNTIME                                                                                                   \
    "runtime\\tversion=1\\trecorder=c\\tsets=" TEXT(HC_CODEC_SET_NUMBER) "\\tsink=" HC_SINK_NAME "\\tring=" TEXT( \
        HC_RING) "\\tlog=" TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END)
#if HC_CODEC_SETS == 0
#define HC_CODEC_SET_NUMBER 0
#else
#define HC_CODEC_SET_NUMBER 7
#endif
__asm__(".pushsection .hindcast,\"\",%progbits\n"
        ".short 0\n"
        ".asciz \"" RUNTIME "\"\n"
        ".popsection\n");
