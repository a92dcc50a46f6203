; Loops with and without ticks.
        .include "count.inc"

        function main
; a goto loop without a tick
        mov     #3, r12
mark bad_goto
        dec     r12
        jnz     bad_goto
mark good_behind

; a tick in line
        mov     #3, r12
mark good_inline
        tick
mark good_inline_body
        dec     r12
        jnz     good_inline

; a tick by call
        mov     #3, r12
mark good_call
        call    #__hc_tick
mark good_call_body
        dec     r12
        jnz     good_call

; the inner loop ticks, and every turn of the outer one passes it
        mov     #2, r13
mark good_outer
        mov     #2, r12
mark good_inner
        tick
        dec     r12
        jnz     good_inner
mark good_outer_body
        dec     r13
        jnz     good_outer

; only the outer loop ticks
        mov     #2, r13
mark good_outer2
        tick
        mov     #2, r12
mark bad_inner2
        dec     r12
        jnz     bad_inner2
        dec     r13
        jnz     good_outer2

; only one of two branches ticks
        mov     #5, r12
mark bad_head
        bit     #1, r12
        jz      bad_else
mark good_then
        tick
        jmp     bad_join
mark bad_else
        nop
mark bad_join
        dec     r12
        jnz     bad_head

; a loop through a function that ticks, and one through a function that need not
        mov     #4, r12
mark good_through
        call    #ticking
        dec     r12
        jnz     good_through
        mov     #4, r12
mark bad_through
        call    #sometimes
mark bad_through_behind
        dec     r12
        jnz     bad_through
mark good_end
        mov     #0xd09e, &finished
        ret

        function ticking
mark good_ticking
        tick
mark good_ticked
        ret

        function sometimes
mark bad_sometimes
        bit     #1, r12
        jz      bad_way
mark good_way
        tick
        ret
mark bad_way
        nop
        ret

        .section .bss.finished, "aw", @nobits
        .global finished
        .balign 2
finished:
        .skip   2
