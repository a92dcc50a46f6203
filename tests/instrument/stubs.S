/* The least that instrumented code can be run with: reads are made, not recorded. As in the real ones, all registers but
 * r12 are kept; where flags are free to change, they do. */
    .text
    .global __hc_read, __hc_read_stable, __hc_read_via, __hc_tick, __hc_poll_set8, __hc_poll_set16, __hc_poll_clear8, __hc_poll_clear16
    .global reads_made, ticks_made

__hc_read_stable:
__hc_read:
    push    sr
    push    r13
    push    r14
    inc     &reads_made
    mov     @r12+, r13
    mov     @r12, r14
    mov     r13, r12
    and     #0x0fff, r12
    bit     #0x4000, r13
    jnz     1f
    mov.b   @r12, r12
    jmp     2f
1:  mov     @r12, r12
2:  and     r14, r12
    pop     r14
    pop     r13
    pop     sr
    ret

__hc_read_via:
    push    sr
    push    r13
    inc     &reads_made
    mov     @r13, r13
    bit     #0x4000, r13
    jnz     1f
    mov.b   @r12, r12
    jmp     2f
1:  mov     @r12, r12
2:  pop     r13
    pop     sr
    ret

__hc_tick:
    inc     &ticks_made
    setc
    setz
    setn
    ret

__hc_poll_set8:
    inc     &ticks_made
1:  bit.b   r13, 0(r12)
    jz      1b
    ret
__hc_poll_set16:
    inc     &ticks_made
1:  bit     r13, 0(r12)
    jz      1b
    ret
__hc_poll_clear8:
    inc     &ticks_made
1:  bit.b   r13, 0(r12)
    jnz     1b
    ret
__hc_poll_clear16:
    inc     &ticks_made
1:  bit     r13, 0(r12)
    jnz     1b
    ret

    .bss
    .balign 2
reads_made:
    .skip   2
ticks_made:
    .skip   2
