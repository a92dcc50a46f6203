/* What the link needs of the recorder: its RAM, the table that the link step fills, and its words in the map. */
#include "link.h"

#include "critical.h"
#include "ram.h"
#include "sink.h"

/* In flash. Others see it as volatile, for its zeros are not what the node will find there; here it is not, or GCC
 * would put it where variables are. */
const struct hc_link __hc_link __attribute__((used)) = {
    .magic = HC_LINK_MAGIC,
    .version = HC_TRACE_VERSION,
    .sets = HC_CODEC_SETS,
    .pieces[HC_PIECES_REGISTERS] = { HC_ADDRESS(__hc_ram.application), HC_ADDRESS(&__hc_ram.application_sp + 1) },
    .handlers = { [HC_VECTORS - 1] = 0 },
};

_Static_assert(offsetof(struct hc_link, free) == HC_LINK_FREE, "free");
_Static_assert(offsetof(struct hc_link, pieces) == HC_LINK_PIECES, "pieces");
_Static_assert(offsetof(struct hc_link, hashed) == HC_LINK_HASHED, "hashed");
_Static_assert(offsetof(struct hc_link, handlers) == HC_LINK_HANDLERS, "handlers");

_Static_assert(HC_STREAM_BOOT == 2 && HC_STREAM_CHECKPOINT == 3 && HC_STREAM_COMMIT == 4 && HC_STREAM_RECOVERY == 5 &&
                   HC_STREAM_MARK == 6 && HC_STREAM_RESCUE == 7,
               "names.inc");
#if HC_CODEC_SETS == 0
#define PAGE offsetof(struct hc_ram, recorder.codec.mixed.page)
#define NEXT offsetof(struct hc_ram, recorder.codec.mixed.coder.next)
#else
#define PAGE 0
#define NEXT 0
#endif

/* Space without contents, which C's section attribute does not make with every compiler; and the map. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if HC_RECORDER_C
#define RECORDER "c"
#else
#define RECORDER "asm"
#endif
#define RUNTIME \
    "runtime\\tversion=1\\trecorder=" RECORDER "\\tsets=%c0\\tsink=" HC_SINK_NAME "\\tring=%c1\\tstack=%c2\\tlog="
#define LOG TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END)
/* In FRAM, where the log is, too: then what waits there survives a loss of power. */
#if HC_SINK_FRAM
#define SECTION ".persistent, \"aw\", @progbits"
#else
#define SECTION ".noinit, \"aw\", @nobits"
#endif
__attribute__((used)) static void define(void)
{
    __asm__ volatile(".pushsection " SECTION "\n"
                     ".balign 2\n"
                     ".global __hc_ram, __hc_ram_end, __hc_count, __hc_segment\n"
                     ".global __hc_codec, __hc_page, __hc_page_next, __hc_spare\n"
                     "__hc_ram: .skip %c0\n"
                     ".set __hc_count, __hc_ram + %c1\n"
                     ".set __hc_segment, __hc_ram + %c2\n"
                     ".set __hc_codec, __hc_ram + %c3\n"
                     ".set __hc_page, __hc_ram + %c4\n"
                     ".set __hc_page_next, __hc_ram + %c5\n"
                     ".set __hc_spare, __hc_ram + %c6\n"
                     "__hc_ram_end:\n"
                     ".popsection\n" ::"i"(sizeof(struct hc_ram)),
                     "i"(HC_RAM_COUNT), "i"(HC_RAM_PRESENT), "i"(offsetof(struct hc_ram, recorder.codec)), "i"(PAGE),
                     "i"(NEXT), "i"(offsetof(struct hc_ram, recorder.spare)));
    __asm__ volatile(".pushsection .hindcast, \"\", @progbits\n"
                     ".short 0\n"
                     ".asciz \"" RUNTIME LOG "\"\n"
                     ".popsection\n" ::"i"(HC_CODEC_SETS),
                     "i"(HC_RING), "i"(HC_STACK));
}
