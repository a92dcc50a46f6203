        .text
        .global _start
_start: mov     #0x3900, r1
        mov     #__bss_start, r12
clear:  cmp     #__bss_end, r12
        jhs     cleared
        clr     0(r12)
        incd    r12
        jmp     clear
cleared:
        call    #main
        jmp     .

        .section .resetvec, "a", @progbits
        .word   _start
