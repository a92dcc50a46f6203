; Loops that nobody counts (uncounted.c).
        .macro function name
        .section .text.\name, "ax", @progbits
        .global \name
        .type   \name, @function
        .balign 2
\name:
        .endm

        function shift_left
        tst     r13
        jz      2f
1:      rla     r12
        dec     r13
        jnz     1b
2:      ret

        function shift_right
        tst     r13
        jz      2f
1:      rra     r12
        dec     r13
        jnz     1b
2:      ret

        function rotate
1:      rla     r12
        adc     r12
        dec     r13
        jnz     1b
        ret

        function lfsr
1:      clrc
        rrc     r12
        jnc     2f
        xor     #0xb400, r12
2:      dec     r13
        jnz     1b
        ret

        function reverse
        clr     r13
        mov     #16, r14
1:      rra     r12
        rlc     r13
        dec     r14
        jnz     1b
        mov     r13, r12
        ret

        function gcd
1:      cmp     r12, r13
        jeq     3f
        jlo     2f
        sub     r12, r13
        jmp     1b
2:      sub     r13, r12
        jmp     1b
3:      ret

        function copy_up
1:      mov.b   @r13+, r15
        mov.b   r15, 0(r12)
        inc     r12
        dec     r14
        jnz     1b
        ret

        function copy_down
        add     r14, r12
        add     r14, r13
1:      dec     r12
        dec     r13
        mov.b   @r13, r15
        mov.b   r15, 0(r12)
        dec     r14
        jnz     1b
        ret

        function swap_ends
        mov     r12, r14
        add     r13, r14
1:      dec     r14
        cmp     r14, r12
        jhs     2f
        mov.b   @r12, r15
        mov.b   @r14, r11
        mov.b   r11, 0(r12)
        mov.b   r15, 0(r14)
        inc     r12
        jmp     1b
2:      ret

        function fletcher
        push    r10
        clr     r14
        clr     r15
1:      mov.b   @r12+, r10
        add     r10, r14
        add     r14, r15
        dec     r13
        jnz     1b
        mov     r15, r12
        xor     r14, r12
        pop     r10
        ret

; Two counters, one down and one up by the same step.
        function spin
        clr     r14
1:      mov     #9, r13
2:      incd    r14
        decd    r13
        jge     2b
        dec     r12
        jnz     1b
        ret
