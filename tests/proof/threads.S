; Two stacks. The thread is entered by the RET of swap, and nobody calls it; it runs twice between two ticks of main.
        .include "count.inc"

        function main
        mov     #stack_end - 2, r15
        mov     #bad_thread, 0(r15)
        mov     r15, &other
        mov     #100, r10
        eint
mark good_loop
        tick
mark good_head
        call    #swap
        nop
        call    #swap
        tick
; a frame pointer is no other stack
        call    #framed
        tick
; a return that is a call
        call    #computed
        call    #computed
        tick
mark good_tail
        dec     r10
        jnz     good_loop
        dint
        nop
        mov     #0xd09e, &finished
        ret

        function swap
mark bad_swap
        mov     sp, r15
        mov     &other, sp
        mov     r15, &other
mark bad_swap_ret
        ret

        function bad_thread
        nop
        call    #swap
mark bad_thread_back
        jmp     bad_thread

        function framed
mark good_framed
        push    r4
        mov     sp, r4
        sub     #6, sp
        sub     r10, sp
mark good_framed_body
        nop
        mov     r4, sp
        pop     r4
mark good_framed_ret
        ret

        function computed
mark bad_computed
        push    #by_return
        ret

        function by_return
mark bad_by_return
        nop
        ret

        .section .bss.finished, "aw", @nobits
        .global finished
        .balign 2
finished:
        .skip   2
other:
        .skip   2
        .skip   64
stack_end:
