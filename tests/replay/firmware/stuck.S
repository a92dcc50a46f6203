; Loops that change memory: in the first two no register tells the turns apart.
        .macro function name
        .section .text.\name, "ax", @progbits
        .global \name
        .type   \name, @function
        .balign 2
\name:
        .endm

        function count_down
        mov     #3000, &counter
1:      dec     &counter
        jnz     1b
        ret

        function blink
1:      call    #delay
        xor.b   #1, &0x0031
        cmp     #0, &never
        jeq     1b
        ret

        function delay
        push    r15
        mov     #100, r15
1:      dec     r15
        jnz     1b
        pop     r15
        ret

        function counted
1:      call    #__hc_tick
        dec     &counter
        jnz     1b
        ret

        function fill
        mov     #5, r12
1:      mov.b   r12, &counter
        dec     r12
        jnz     1b
        ret

        function by_variable
1:      mov     &counter, r12
        inc     r12
        mov     r12, &counter
        cmp     #100, r12
        jne     1b
        ret

        function idle
1:      cmp     #0, &never
        jeq     1b
        ret

        .section .bss.counter, "aw", @nobits
        .balign 2
counter:
        .skip   2
never:  .skip   2
