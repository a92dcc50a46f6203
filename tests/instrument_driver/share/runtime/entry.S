; Trampolines that count and go on.
#include "codec/version.h"
#include "link.h"

        .section .text.hindcast, "ax"
        .global __hc_reset
__hc_reset:
        clr     &__hc_taken
        clr     &__hc_count
        br      &__hc_link + HC_LINK_HANDLERS + 30

.macro trampoline n
        .global __hc_trampoline_\n
__hc_trampoline_\n:
        inc     &__hc_taken
        br      &__hc_link + HC_LINK_HANDLERS + 2 * \n
.endm
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
        trampoline \n
.endr

        .global __hc_tick, __hc_lap
__hc_tick:
__hc_lap:
        inc     &__hc_count
        ret

        .global hc_update, hc_update_later, __hc_update_handled
hc_update:
hc_update_later:
__hc_update_handled:
        ret

        .section .rodata.hindcast, "a"
        .global __hc_link
__hc_link:
        .word   HC_LINK_MAGIC
        .byte   HC_TRACE_VERSION, 0
        .fill   8 + 4 + 4 * HC_PIECES, 1, 0
        .fill   32, 1, 0
        .fill   32, 1, 0

        .section .noinit, "aw", @nobits
        .global __hc_ram, __hc_count, __hc_taken, __hc_ram_end
__hc_ram:
__hc_count:
        .skip   2
__hc_taken:
        .skip   2
__hc_ram_end:
