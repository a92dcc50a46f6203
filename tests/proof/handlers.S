; Code that handlers share with what they interrupt. NESTED: the handler sets GIE. LEAVES: and ticks before its RETI.
; CRITICAL: what they share saves GIE, clears it, and sets it again if it was set. CARELESS: or if something else says so.
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
#ifdef CRITICAL
        mov     sr, r15
        and     #8, r15
        dint
        nop
        inc     &finished
        dec     &finished
#ifdef CARELESS
        mov     &always, r15
#endif
        tst     r15
        jz      1f
        eint
        nop
1:
#else
        nop
        nop
#endif
        ret

        function handler
#ifdef NESTED
        eint
#endif
mark handler_call
        push    r15
        call    #shared
        pop     r15
#ifdef LEAVES
        tick
#endif
        reti

        .section .data.always, "aw"
        .balign 2
always:
        .word   1

        .section __interrupt_vector_6, "ax"
        .word   handler

        .section .bss.finished, "aw", @nobits
        .global finished
        .balign 2
finished:
        .skip   2
