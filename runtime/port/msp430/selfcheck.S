; The self-check of each page. runtime/selfcheck.c is the same in C.
#include "names.inc"

#if HC_CODEC_SETS == 0
        .set    WINDOW, 768             ; bytes of a self-check

        .section .text.hc_selfcheck, "ax", @progbits
        .balign 2

; Once in a page, when nothing is in the ring: sums over the position counter, SP, r4 to r10, where hc_update returns to, and
; the next window of memory. r8 and r9 are the sums.
function hc_selfcheck
        bic     #HC_WORK_CHECK, &work
        cmp.b   #-1, &check
        jne     window_short
        mov     &events, r7
        sub     &page_events, r7
        cmp     #255, r7
        jhs     window_short
        push    sr
        dint
        nop
        cmp     &head, &tail
        jne     not_empty
        tst     &room
        jn      not_empty               ; the program went on without us
        mov     &count, r8
        mov     r8, r9
        mov     &application_sp, r4
        add     r4, r8
        add     r8, r9
        mov     #application, r4
        mov     #application + 14, r5
        call    #add_words
        mov     &application_sp, r4
        incd    r4
        mov     r4, r5
        incd    r5
        call    #add_words
        call    #next_window
        call    #add_words
        mov.b   &count, r12
        swpb    r12
        bis     r12, r7
        mov     r7, &check
        swpb    r9
        bit     #1, r9
        rrc     r9
        xor     r8, r9
        mov     r9, &check + 2
        jmp     check_over
not_empty:
        bis     #HC_WORK_CHECK, &work   ; the next update empties the ring, however little is in it
check_over:
        pop_sr
        ret

; Words from r4 up to r5 are added to the sums. Uses r12
add_words:
        mov     r5, r12
        sub     r4, r12
        cmp     #12, r12
        jlo     add_rest
        .rept   6
        add     @r4+, r8
        add     r8, r9
        .endr
        jmp     add_words
add_word:
        add     @r4+, r8
        add     r8, r9
add_rest:
        cmp     r5, r4
        jlo     add_word
        ret

; r4..r5: what the self-check looks at.
next_window:
#if HC_DMA
        mov     &HC_DMA_FIRST, r12
        bis     &HC_DMA_FIRST + HC_DMA_CHANNEL, r12
        bis     &HC_DMA_FIRST + 2 * HC_DMA_CHANNEL, r12
        bit     #HC_DMAEN | HC_DMAIFG, r12
        jz      window_here
        clr     r4                      ; memory is being written, or was and nobody knows yet
        clr     r5
        ret
window_here:
#endif
        mov     &window, r10
        mov     &window_at, r4
window_piece:
        cmp     #pieces_noinit, r10
        jeq     window_stack
        mov     2(r10), r5
        tst     r4
        jnz     window_goes_on
        mov     @r10, r4
window_goes_on:
        cmp     r5, r4
        jlo     window_found
        clr     r4
        call    #__hc_next_piece
        jmp     window_piece
window_stack:
        mov     #pieces, &window
        clr     &window_at
        mov     &application_sp, r4
        mov     &free + 2, r5
        cmp     &free, r4
        jlo     window_none
        incd    r4
        cmp     r5, r4
        jlo     window_end
window_none:
        mov     r5, r4
        ret
window_found:
        mov     r10, &window
        call    #window_end
        mov     r5, &window_at
        ret
; At most WINDOW bytes.
window_end:
        mov     r5, r12
        sub     r4, r12
        cmp     #WINDOW, r12
        jlo     window_short
        mov     r4, r5
        add     #WINDOW, r5
window_short:
        ret
        .size   hc_selfcheck, . - hc_selfcheck
#endif
