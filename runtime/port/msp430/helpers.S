; What GCC's code calls, for the recorder alone: see helpers.h.
#ifndef __clang__

        .macro  entry name
        .global __hc_abi_\name
        .type   __hc_abi_\name, @function
__hc_abi_\name:
        .endm
        .macro  function name
        .section .text.__hc_abi_\name, "ax"
        entry   \name
        .endm

; The ends of functions: restore as many of the registers up to R10 and return.
        .section .text.__hc_abi_func_epilog, "ax"
        .macro  restore n register
        entry   func_epilog_\n
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

; Shifts: the value in R12 or R13:R12, the count in R13 or R14.
        .macro  loop    count, step:vararg
        jmp     2f
1:      \step
2:      dec     \count
        jge     1b
        ret
        .endm
        .macro  shift   name, count, step:vararg
        function \name
        loop    \count, \step
        .endm
; Of a word: by a whole byte first, which checksums and page numbers are made of.
        .macro  shift_word name, byte, step:vararg
        function \name
        cmp     #8, r13
        jl      1f
        \byte
        sub     #8, r13
1:      loop    r13, \step
        .endm
        .macro  byte_left
        and     #0xff, r12
        swpb    r12
        .endm
        .macro  byte_right
        swpb    r12
        and     #0xff, r12
        .endm
        .macro  byte_right_signed
        swpb    r12
        sxt     r12
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

        shift_word slli, byte_left, rla r12
        shift_word srai, byte_right_signed, rra r12
        shift_word srli, byte_right, right
        shift   slll, r14, left_long
        shift   sral, r14, right_signed_long
        shift   srll, r14, right_long

; R12 = R12 * R13, without the multiplier: the program may be using it.
        function mpyi
        mov     r12, r14
        clr     r12
        jmp     3f
1:      clrc
        rrc     r13
        jnc     2f
        add     r14, r12
2:      rla     r14
3:      tst     r13
        jnz     1b
        ret

; void *memset(void *to, int value, size_t n)
        function set
        mov     r12, r15
        jmp     2f
1:      mov.b   r13, 0(r15)
        inc     r15
2:      dec     r14
        jc      1b
        ret

; void *memcpy(void *to, const void *from, size_t n)
        function copy
        mov     r12, r15
        jmp     2f
1:      mov.b   @r13+, 0(r15)
        inc     r15
2:      dec     r14
        jc      1b
        ret
#endif
