; How a kernel changes stacks. Nothing here counts: no line is hindcast cc's.
;
;   void switch_to(uint16_t **from, uint16_t *to)    leaves by RET on another stack
;   void yield_by_reti(void)                         as if interrupted; leaves by RETI on the stack that schedule() gives
;   on_tick                                          the same, entered by an interrupt
;   thread_in_assembly                               a thread whose loop only its registers tell apart
#ifndef TICK_VECTOR
#define TICK_VECTOR __interrupt_vector_6 /* Timer A's of the F1611 */
#endif

        .macro function name
        .section .text.\name, "ax", @progbits
        .global \name
        .type   \name, @function
        .balign 2
\name:
        .endm

        .macro save
        .irp    n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        push    r\n
        .endr
        .endm
        .macro restore
        .irp    n, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4
        pop     r\n
        .endr
        .endm

        function switch_to
        .irp    n, 4, 5, 6, 7, 8, 9, 10
        push    r\n
        .endr
        mov     r1, 0(r12)
        mov     r13, r1
        .irp    n, 10, 9, 8, 7, 6, 5, 4
        pop     r\n
        .endr
        ret

#ifdef PREEMPTIVE
        function yield_by_reti
        push    r2
        dint
        nop
        save
        jmp     change

        function on_tick
        save
        call    #tick
change:
        mov     r1, r12
        call    #schedule
        mov     r12, r1
        restore
        reti

        .section TICK_VECTOR, "ax", @progbits
        .short  on_tick
#endif

        function thread_in_assembly
        clr     r10
again:
        inc     r10
        mov     r10, r12
        mov     #7, r13
shift:
        rla     r12
        dec     r13
        jnz     shift
        add     r12, &mixed
        call    #thread_yield
        jmp     again
