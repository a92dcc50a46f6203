; Ticks by call: those named plain... need not look whether the counter has to begin again, those named looks... must.
        .include "count.inc"

        function main
        call    #straight
        call    #straight

; the loop's own tick looks: what it calls need not
        mov     #3, r12
mark looks_loop
        call    #__hc_tick
        call    #beside
        dec     r12
        jnz     looks_loop

        call    #twice
        mov     #3, r12
        call    #even

; the function's tick is the only one of each turn
        mov     #3, r12
through:
        call    #called_in_turns
        dec     r12
        jnz     through

; by way of a function that has none itself
        mov     #3, r12
further:
        call    #without
        dec     r12
        jnz     further

        mov     #3, r12
        call    #recursive
        mov     #3, r12
        call    #unwinding

        call    #double_0
        mov     #0xd09e, &finished
forever:
mark looks_forever
        call    #__hc_tick
        jmp     forever

        function straight
mark plain_straight
        call    #__hc_tick
        ret

        function beside
mark plain_beside
        call    #__hc_tick
        ret

        function called_in_turns
mark looks_in_turns
        call    #__hc_tick
        ret

        function without
        call    #behind
        ret
        function behind
mark looks_behind
        call    #__hc_tick
        ret

        function recursive
mark looks_recursive
        call    #__hc_tick
        dec     r12
        jz      recursive_end
        call    #recursive
recursive_end:
        ret

; of two in each turn one is enough, and of two in a recursion
        function twice
        mov     #3, r12
twice_again:
mark plain_first
        call    #__hc_tick
        mov     r12, r13
mark looks_last
        call    #__hc_tick
        dec     r12
        jnz     twice_again
        ret
        function even
mark looks_even
        call    #__hc_tick
        dec     r12
        jz      even_end
        call    #odd
even_end:
        ret
        function odd
mark plain_odd
        call    #__hc_tick
        call    #even
        ret

; on the way down it looks, on the way up it does not: there `after` has to
        function unwinding
mark looks_unwinding
        call    #__hc_tick
        dec     r12
        jz      unwinding_end
        call    #unwinding
unwinding_end:
        call    #after
        ret
        function after
mark looks_after
        call    #__hc_tick
        ret

; each calls the next one twice: sixteen of them are 65,535 ticks
        .macro  double n next
        function double_\n
mark tick_\n
        call    #__hc_tick
        call    #double_\next
        call    #double_\next
        ret
        .endm
        .altmacro
        .set    i, 0
        .rept   15
        double  %i, %i + 1
        .set    i, i + 1
        .endr
        function double_15
mark tick_15
        call    #__hc_tick
        ret

        .section .bss.finished, "aw", @nobits
        .global finished
finished:
        .skip   2
