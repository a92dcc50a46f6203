; Registers of peripherals that a checkpoint holds. How much further on the next ones are, how many there are: bytes below
; HC_BYTES_END, words above. Where that is 0, the former is in words, too. Tools read it from the ELF file.
#include "part.h"

        .section .rodata.__hc_dump, "a", @progbits
        .global __hc_dump, __hc_dump_end
        .type   __hc_dump, @object
__hc_dump:
        .set    .Lat, 0
        .set    .Lfirst, -1             ; after the first register's address: that
.irp n, HC_DUMP
        .if     .Lfirst < 0
        .set    .Lfirst, \n
        .byte   (.Lfirst - .Lat) / HC_GAP
        .else
        .byte   \n
        .if     .Lfirst < HC_BYTES_END
        .set    .Lat, .Lfirst + \n
        .else
        .set    .Lat, .Lfirst + 2 * \n
        .endif
        .set    .Lfirst, -1
        .endif
.endr
__hc_dump_end:
        .size   __hc_dump, . - __hc_dump
