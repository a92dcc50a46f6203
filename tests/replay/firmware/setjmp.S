; int save_context(uint16_t context[9]), void restore_context(uint16_t context[9], int value): setjmp and longjmp.
        .section .text.save_context, "ax", @progbits
        .global save_context
        .type   save_context, @function
        .balign 2
save_context:
        pop     r14
        mov     r14, 0(r12)
        mov     r1, 2(r12)
        mov     r4, 4(r12)
        mov     r5, 6(r12)
        mov     r6, 8(r12)
        mov     r7, 10(r12)
        mov     r8, 12(r12)
        mov     r9, 14(r12)
        mov     r10, 16(r12)
        clr     r12
        br      r14

        .section .text.restore_context, "ax", @progbits
        .global restore_context
        .type   restore_context, @function
        .balign 2
restore_context:
        mov     @r12+, r14
        mov     @r12+, r1
        mov     @r12+, r4
        mov     @r12+, r5
        mov     @r12+, r6
        mov     @r12+, r7
        mov     @r12+, r8
        mov     @r12+, r9
        mov     @r12, r10
        mov     r13, r12
        br      r14
