; The CRC of pages. runtime/codec/page.c is the same in C.
#include "function.inc"
#include "crc.inc"

        .section .text.hc_page_crc, "ax", @progbits
        .balign 2

; r12 = the CRC so far, and then with r14 bytes from r13 on. Uses r11..r15.
function hc_page_crc
        mov     r12, r15
        swpb    r15
        jmp     more
next_byte:
        mov.b   @r13+, r12
        add_to_crc
more:   dec     r14
        jc      next_byte
        swpb    r15
        mov     r15, r12
        ret
        .size   hc_page_crc, . - hc_page_crc
