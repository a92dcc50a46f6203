; What a link step would add: the table, vectors to trampolines, and a recorder that never runs. The machine answers at
; the cuts.
#include "codec/version.h"
#include "link.h"

        .global __hc_record_update, __hc_record_reset, __hc_ram, __hc_ram_end, __hc_link
        .section .text.recorder, "ax"
__hc_record_update:
__hc_record_reset:
        ret

        .section .noinit.recorder, "aw", @nobits
        .balign 2
__hc_ram:
        .space  1024
__hc_ram_end:

        .section .rodata.link, "a"
        .balign 2
        .type   __hc_link, @object
__hc_link:
        .short  HC_LINK_MAGIC
        .byte   HC_TRACE_VERSION, 0
        .byte   1, 2, 3, 4, 5, 6, 7, 8
        .short  __hc_ram_end, 0x3900
        .short  0x1100, __hc_ram
        .short  0, 0
        .short  __hc_ram + 32, __hc_ram + 62    ; registers
        .space  4 * (HC_PIECES - 3)
        .space  32, 0xff
        .short  0xffff, 0xffff, 0xffff, 0xffff, 0xffff, handler_5, handler_6, 0xffff
        .short  0xffff, 0xffff, 0xffff, 0xffff, 0xffff, handler_13, handler_14, _start
        .size   __hc_link, . - __hc_link

; Registers of peripherals in checkpoints: 12 words from 0x01e0 on, the DMA channels.
        .global __hc_dump
        .type   __hc_dump, @object
__hc_dump:
        .byte   200, 0, 200, 0, 80, 12
        .size   __hc_dump, . - __hc_dump

.macro handler n
        .section __interrupt_vector_\n, "ax"
        .short  __hc_trampoline_\n
        .text
handler_\n:
        push    r11
        push    r12
        push    r13
        push    r14
        push    r15
        call    #on_\n
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     r11
        bic     #0x10, 0(r1)            ; awake after it
        reti
.endm
        handler 5
        handler 6
        handler 13
        handler 14
