; Functions that are entered more than once.
        .include "count.inc"

        function main
; called twice on a straight path
mark good_start
        call    #twice
mark good_between
        call    #twice
; called twice, ticks
        call    #ticks
        call    #ticks
; called once
        call    #once
; called twice, but a tick lies between
        call    #parted
        tick
        call    #parted
; two functions that call a third, once each; the third is entered twice
        call    #first
        call    #second
; by tail calls
        call    #tail1
        call    #tail2
; that return by RETI
        call    #by_reti
        call    #by_reti
; by address
        mov     #by_address, r12
        call    r12
        mov     #by_address_too, r12
        call    r12
        call    r12
; shifts of the library
        mov     #3, r13
        mov     #1, r12
        call    #__mspabi_slli
; recursion with a tick at entry
        mov     #3, r12
        call    #recursive
; recursion without
        mov     #3, r12
        call    #untold
; a part of a function is entered from outside
        mov     #0, r12
        call    #whole
        call    #middle
mark good_end
        mov     #0xd09e, &finished
        ret

        function twice
mark bad_twice
        nop
mark bad_twice_ret
        ret

        function by_reti
mark bad_by_reti
        push    r2
        dint
        nop
mark bad_by_reti_ret
        reti

        function ticks
mark good_ticks
        tick
mark good_ticks_ret
        ret

        function once
mark good_once
        nop
        ret

        function parted
mark good_parted
        nop
        ret

        function first
mark good_first
        call    #third
        ret

        function second
mark good_second
        call    #third
        ret

        function third
mark bad_third
        nop
        ret

        function tail1
mark good_tail1
        br      #tail

        function tail2
mark good_tail2
        jmp     tail
        .section .text.tail2, "ax"
        .global tail
        .type   tail, @function
tail:
mark bad_tail
        nop
        ret

        function by_address
mark bad_by_address
        nop
        ret

        function by_address_too
mark bad_by_address_too
        nop
        ret

        function recursive
mark good_recursive
        tick
mark good_recursive_body
        dec     r12
        jz      bad_recursive_ret
mark good_recursive_call
        call    #recursive
mark bad_recursive_back
        nop
mark bad_recursive_ret
        ret

        function untold
mark bad_untold
        dec     r12
        jz      1f
        call    #untold
1:
mark bad_untold_ret
        ret

        function whole
mark good_whole
        tst     r12
        .global middle
        .type   middle, @function
middle:
mark bad_middle
        nop
        ret

        .section .bss.finished, "aw", @nobits
        .global finished
        .balign 2
finished:
        .skip   2
