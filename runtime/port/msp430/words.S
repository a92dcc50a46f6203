; Words of memory, quickly: a checkpoint copies some thousand of them while the program waits. See words.h.

        .macro  function name
        .section .text.\name, "ax"
        .global \name
        .type   \name, @function
\name:
        .endm

        function hc_words_copy
        clr     r15
1:      mov     @r13+, r11
        add     r11, r15
        mov     r11, 0(r12)
        incd    r12
        dec     r14
        jnz     1b
        mov     r15, r12
        ret

        function hc_words_sum
        clr     r14
1:      add     @r12+, r14
        dec     r13
        jnz     1b
        mov     r14, r12
        ret

        function hc_words_zero
        mov     #-1, r14
1:      cmp     r13, r12
        jeq     2f
        bit     @r12+, r14
        jz      1b
        decd    r12
2:      ret

        function hc_words_clear
        jmp     2f
1:      clr     0(r12)
        incd    r12
2:      cmp     r13, r12
        jlo     1b
        ret
