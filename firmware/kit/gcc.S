; What msp430-elf-gcc calls and clang does not: the ends of functions, shifts by constants and of 64 bits, and products
; that are wider than their factors. Its own library has them too, but only for the MSP430X where it was built for that.
#ifndef __clang__

        .macro  function name
        .section .text.\name, "ax"
        .global \name
        .type   \name, @function
\name:
        .endm

        .macro  entry name
        .global \name
        .type   \name, @function
\name:
        .endm

; ---- ends of functions: GCC branches here to restore R10, R10 and R9, ... and to return ----

        .section .text.__mspabi_func_epilog, "ax"
        .macro  restore n register
        entry   __mspabi_func_epilog_\n
        pop     \register
        .endm
        restore 7, r4
        restore 6, r5
        restore 5, r6
        restore 4, r7
        restore 3, r8
        restore 2, r9
        restore 1, r10
        ret

; ---- shifts by a constant: entered where as many are left as are wanted ----

        .macro  shift1 name, step:vararg
        entry   \name
        \step
        .endm
        .macro  shifts name, step:vararg
        .section .text.\name, "ax"
        .irp    n, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
        shift1  \name\()_\n, \step
        .endr
        ret
        .endm

        .macro  left_long
        rla     r12
        rlc     r13
        .endm
        .macro  right
        clrc
        rrc     r12
        .endm
        .macro  right_long
        clrc
        rrc     r13
        rrc     r12
        .endm
        .macro  right_signed_long
        rra     r13
        rrc     r12
        .endm

        shifts  __mspabi_slli, rla r12
        shifts  __mspabi_srai, rra r12
        shifts  __mspabi_srli, right
        shifts  __mspabi_slll, left_long
        shifts  __mspabi_sral, right_signed_long
        shifts  __mspabi_srll, right_long

; ---- 64 bits: R15:R12 = R11:R8 shifted by R12 ----

        .macro  shift64 name, step:vararg
        function \name
        push    r12
        mov     r8, r12
        mov     r9, r13
        mov     r10, r14
        mov     r11, r15
1:      tst     0(r1)
        jz      2f
        \step
        dec     0(r1)
        jmp     1b
2:      incd    r1
        ret
        .endm

        .macro  left64
        rla     r12
        rlc     r13
        rlc     r14
        rlc     r15
        .endm
        .macro  rest64
        rrc     r14
        rrc     r13
        rrc     r12
        .endm
        .macro  right64
        clrc
        rrc     r15
        rest64
        .endm
        .macro  right_signed64
        rra     r15
        rest64
        .endm

        shift64 __mspabi_sllll, left64
        shift64 __mspabi_srlll, right64
        shift64 __mspabi_srall, right_signed64

        function __mspabi_mpyll         ; R15:R12 = R11:R8 * R15:R12
        push    r15
        push    r14
        push    r13
        push    r12
        mov     r8, r12
        mov     r9, r13
        mov     r10, r14
        mov     r11, r15
        call    #kit_mpyll
        add     #8, r1
        ret

; ---- wide products on the multiplier ----

        function __mspabi_mpysl_hw      ; R13:R12 = R12 * R13, signed
        push    r2
        dint
        nop
        mov     r12, &__MPYS
        mov     r13, &__OP2
        mov     &__RESLO, r12
        mov     &__RESHI, r13
        pop     r2
        ret

; R15:R12 = R13:R12 * R15:R14: what C makes of it, with the high words of the factors.
        function __mspabi_mpyull_hw
        push    #0
        push    #0
        push    r15
        push    r14
        clr     r14
        clr     r15
        call    #__mspabi_mpyll_hw
        add     #8, r1
        ret

        function __mspabi_mpysll_hw
        push    #0
        push    #0
        push    r15
        push    r14
        tst     r15
        jge     1f
        mov     #-1, 4(r1)
        mov     #-1, 6(r1)
1:      clr     r14
        tst     r13
        jge     2f
        mov     #-1, r14
2:      mov     r14, r15
        call    #__mspabi_mpyll_hw
        add     #8, r1
        ret
#endif
