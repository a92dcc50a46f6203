; <setjmp.h>. A jmp_buf is R4 to R10, the stack pointer at setjmp's return address, and that address. R12 points at it.

        .section .text.setjmp, "ax"
        .global setjmp
        .type   setjmp, @function
setjmp:
        mov     r4, 0(r12)
        mov     r5, 2(r12)
        mov     r6, 4(r12)
        mov     r7, 6(r12)
        mov     r8, 8(r12)
        mov     r9, 10(r12)
        mov     r10, 12(r12)
        mov     r1, 14(r12)
        mov     @r1, 16(r12)
        clr     r12
        ret
        .size   setjmp, . - setjmp

        .section .text.longjmp, "ax"
        .global longjmp
        .type   longjmp, @function
longjmp:                                ; R13: what setjmp returns, 1 instead of 0
        mov     @r12+, r4
        mov     @r12+, r5
        mov     @r12+, r6
        mov     @r12+, r7
        mov     @r12+, r8
        mov     @r12+, r9
        mov     @r12+, r10
        mov     @r12+, r1
        mov     @r12, 0(r1)             ; where it was; whoever called setjmp has used the place since
        mov     r13, r12
        tst     r12
        jnz     done
        inc     r12
done:
        ret
        .size   longjmp, . - longjmp
