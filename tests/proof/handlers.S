; Code that handlers share with what they interrupt. NESTED: the handler sets GIE. LEAVES: and ticks before its RETI.
        .include "count.inc"

        .set    TACTL, 0x160
        .set    TACCTL0, 0x162
        .set    TACCR0, 0x172
        .set    WDTCTL, 0x120

        function main
        mov     #0x5a80, &WDTCTL
        mov     #61, &TACCR0
        mov     #0x0010, &TACCTL0
        mov     #0x0210, &TACTL
        mov     #2000, r10
        eint
mark good_loop
        tick
        call    #shared
mark good_rest
        nop
        dec     r10
        jnz     good_loop
        dint
        nop
        mov     #0xd09e, &finished
        ret

        function shared
mark shared_entry
        tick
mark shared_body
        nop
        nop
        ret

        function handler
#ifdef NESTED
        eint
#endif
mark handler_call
        call    #shared
        nop
#ifdef LEAVES
        tick
#endif
        reti

        .section __interrupt_vector_6, "ax"
        .word   handler

        .section .bss.finished, "aw", @nobits
        .global finished
        .balign 2
finished:
        .skip   2
