/* What the link needs of the recorder: its RAM, the table that the link step fills, and its words in the map. */
#include "link.h"

#include "codec/page.h"
#include "ram.h"
#include "sink.h"

/* In flash. Others see it as volatile, for its zeros are not what the node will find there; here it is not, or GCC
 * would put it where variables are. */
const struct hc_link __hc_link __attribute__((used)) = {
    .magic = HC_LINK_MAGIC,
    .version = HC_TRACE_VERSION,
    .sets = HC_CODEC_SETS,
    .handlers = { [HC_VECTORS - 1] = 0 },
};

_Static_assert(offsetof(struct hc_link, free) == HC_LINK_FREE, "free");
_Static_assert(offsetof(struct hc_link, pieces) == HC_LINK_PIECES, "pieces");
_Static_assert(offsetof(struct hc_link, hashed) == HC_LINK_HASHED, "hashed");
_Static_assert(offsetof(struct hc_link, handlers) == HC_LINK_HANDLERS, "handlers");

/* Space without contents, which C's section attribute does not make with every compiler; and the map. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__attribute__((used)) static void define(void)
{
    __asm__ volatile(".pushsection .noinit, \"aw\", @nobits\n"
                     "        .balign 2\n"
                     "        .global __hc_ram, __hc_ram_end\n"
                     "__hc_ram:\n"
                     "        .skip %c0\n"
                     "        .global __hc_count, __hc_laps, __hc_segment, __hc_codec\n"
                     "        .set __hc_codec, __hc_ram + %c2\n"
                     "        .set __hc_count, __hc_ram + " TEXT(
                         HC_RAM_COUNT) "\n"
                                       "        .set __hc_laps, __hc_ram + " TEXT(
                                           HC_RAM_LAPS) "\n"
                                                        "        .set __hc_segment, __hc_ram + " TEXT(
                                                            HC_RAM_SEGMENT) "\n"
                                                                            "__hc_ram_end:\n"
                                                                            "        .popsection\n"
                                                                            "        .pushsection .hindcast, \"\", "
                                                                            "@progbits\n"
                                                                            "        .short 0\n"
                                                                            "        .asciz "
                                                                            "\"runtime\\tversion=1\\tsets=%"
                                                                            "c1\\tsink=" HC_SINK_NAME
                                                                            "\\tring=" TEXT(HC_RING) "\\tstack=" TEXT(HC_STACK) "\\tlog=" TEXT(
                                                                                HC_LOG_START) "-" TEXT(HC_LOG_END) "\""
                                                                                                                   "\n"
                                                                                                                   "   "
                                                                                                                   "   "
                                                                                                                   "  "
                                                                                                                   ".po"
                                                                                                                   "pse"
                                                                                                                   "cti"
                                                                                                                   "o"
                                                                                                                   "n" ::"i"(sizeof(
                                                                                                                       struct
                                                                                                                       hc_ram)),
                     "i"(HC_CODEC_SETS), "i"(offsetof(struct hc_ram, recorder.codec)));
}
