; The compiler's helpers of the MSP430 EABI: shifts, products on the hardware multiplier (interrupts held off, for a
; handler may multiply too), and the doors to the 64-bit divisions in arithmetic.c. What GCC calls besides is in gcc.S.

        .macro  function name
        .section .text.\name, "ax"
        .global \name
        .type   \name, @function
\name:
        .endm

; ---- shifts: value in R12 or R13:R12, count in R13 or R14; counts are taken modulo the width by the compiler ----

        function __mspabi_slli
1:      tst     r13
        jz      2f
        rla     r12
        dec     r13
        jmp     1b
2:      ret

        function __mspabi_srai
1:      tst     r13
        jz      2f
        rra     r12
        dec     r13
        jmp     1b
2:      ret

        function __mspabi_srli
1:      tst     r13
        jz      2f
        clrc
        rrc     r12
        dec     r13
        jmp     1b
2:      ret

        function __mspabi_slll
1:      tst     r14
        jz      2f
        rla     r12
        rlc     r13
        dec     r14
        jmp     1b
2:      ret

        function __mspabi_sral
1:      tst     r14
        jz      2f
        rra     r13
        rrc     r12
        dec     r14
        jmp     1b
2:      ret

        function __mspabi_srll
1:      tst     r14
        jz      2f
        clrc
        rrc     r13
        rrc     r12
        dec     r14
        jmp     1b
2:      ret

; ---- products on the multiplier ----

; SR waits in a register: on top of the stack is who called, all the time, which tells interrupts here apart in recordings.

        function __mspabi_mpyi_hw       ; R12 = R12 * R13
        mov     r2, r11
        dint
        nop
        mov     r12, &__MPY
        mov     r13, &__OP2
        mov     &__RESLO, r12
        mov     r11, r2
        nop
        ret

        function kit_mpyul_hw           ; R13:R12 = R12 * R13, unsigned
        .global __mspabi_mpyul_hw
__mspabi_mpyul_hw:
        mov     r2, r11
        dint
        nop
        mov     r12, &__MPY
        mov     r13, &__OP2
        mov     &__RESLO, r12
        mov     &__RESHI, r13
        mov     r11, r2
        nop
        ret

        function __mspabi_mpyl_hw       ; R13:R12 = R13:R12 * R15:R14, modulo 2^32
        mov     r2, r11
        dint
        nop
        mov     r12, &__MPY             ; low * low
        mov     r14, &__OP2
        mov     r12, &__MAC             ; wait for the result by loading the next operand
        mov     &__RESLO, r12
        mov     &__RESHI, &__RESLO      ; carry the high word into the cross products
        mov     r15, &__OP2             ; + low * high
        mov     r13, &__MAC
        mov     r14, &__OP2             ; + high * low
        mov     &__RESLO, r13
        mov     r11, r2
        nop
        ret

; ---- 64-bit division: R11:R8 by R15:R12 ----

        .macro  division name target
        function \name
        push    r15
        push    r14
        push    r13
        push    r12
        mov     r8, r12
        mov     r9, r13
        mov     r10, r14
        mov     r11, r15
        call    #\target
        add     #8, r1
        ret
        .endm

        division __mspabi_divull kit_divull
        division __mspabi_remull kit_remull
        division __mspabi_divlli kit_divlli
        division __mspabi_remlli kit_remlli
