; The coder's inner loop on the MSP430: what decide() in codec/mixed.c says, in a third of the time and half of the room.
;
;     uint8_t __hc_decide(hc_mq_context *context, uint16_t bit)                       the codec at its fixed place
;     uint8_t __hc_decide(struct hc_mixed *x, hc_mq_context *context, uint16_t bit)   without HC_CODEC_HOME
;
;     void __hc_decide_end(struct hc_mixed *x)                                        end_interval()
;
; Offsets in struct hc_mixed are checked in mixed.c.
#if !defined HC_CODEC_SETS || HC_CODEC_SETS != 7

#define A 0
#define C 2
#define BITS 4
#define AT 6
#define CODE 22 /* the payload */
#define FULL 239

        .text
        .section .text.__hc_decide, "ax", @progbits
        .globl  __hc_decide
        .type   __hc_decide, @function
        .p2align 1
__hc_decide:
#ifdef HC_CODEC_HOME
        mov     &__hc_mixed_home, r14
#else
        mov     r12, r15
        mov     r13, r12
        mov     r14, r13
        mov     r15, r14
#endif
        ; r14 x, r12 context, r13 bit, r15 qe, r11 a
        add     #-1, r13                        ; any value but 0 is 1
        mov     #0, r13
        rlc     r13
        mov.b   @r12, r15
        mov     r15, r11
        xor     r13, r11
        bic     #1, r15
        rla     r15
        mov     hc_mq_states(r15), r15
        bit     #1, r11
        mov     @r14, r11
        jnz     .Lless
        sub     r15, r11
        jn      .Lquick
        jmp     .Lslow
.Lquick:                                        ; the usual way: no shift, the same state
        mov     r11, A(r14)
        add     r15, C(r14)
        jnc     .Lsame
        call    #.Lcarry
.Lsame: mov     r13, r12
        ret

.Lless: sub     r15, r11
.Lslow: push    r10                             ; qe, later c
        push    r9                              ; a
        mov     r15, r10
        mov     r11, r9
        mov.b   @r12, r15
        mov     r15, r11
        xor     r13, r11
        bic     #1, r15
        rla     r15                             ; the state
        bit     #1, r11
        jnz     .Lnext_less
        mov.b   hc_mq_states+2(r15), r11        ; next_more | bit
        bis     r13, r11
        mov.b   r11, 0(r12)
        cmp     r10, r9
        jlo     .Llower
        jmp     .Ladd
.Lnext_less:
        mov.b   hc_mq_states+3(r15), r11        ; next_less ^ !bit
        xor     r13, r11
        xor     #1, r11
        mov.b   r11, 0(r12)
        cmp     r10, r9
        jlo     .Ladd
.Llower:
        mov     r10, r9
        jmp     .Lshifts
.Ladd:  add     r10, C(r14)
        jnc     .Lshifts
        call    #.Lcarry
.Lshifts:
        mov     C(r14), r10
        mov     BITS(r14), r12
.Lshift:
        rla     r10
        rlc     r12
        bit     #0x100, r12
        jz      .Lnext
        mov.b   AT(r14), r11
        inc.b   AT(r14)
        add     r14, r11
        mov.b   r12, CODE(r11)
        mov     #1, r12
.Lnext: rla     r9
        jn      .Lshifted
        jmp     .Lshift
.Lshifted:
        mov     r10, C(r14)
        mov     r12, BITS(r14)
        mov     r9, A(r14)
        mov     r13, r9
        cmp.b   #FULL, AT(r14)
        jlo     .Lreturn
        bit     #2, r13                         ; the page is being ended already
        jnz     .Lreturn
        mov     r14, r12
        call    #__hc_end_code
.Lreturn:
        mov     r9, r12
        pop     r9
        pop     r10
        ret

; Into what is written already.
.Lcarry:
        inc     BITS(r14)
        mov     BITS(r14), r11
        mov     r11, r15
        dec     r15
        and     r11, r15
        jnz     .Lcarried
        rra     r11                             ; the byte under way was all ones
        mov     r11, BITS(r14)
        mov.b   AT(r14), r11
        add     r14, r11
.Lup:   dec     r11
        inc.b   CODE(r11)
        jz      .Lup
.Lcarried:
        ret
        .size   __hc_decide, . - __hc_decide

; 0x7fff is added, and an interval of 1 is shifted 15 times.
        .globl  __hc_decide_end
        .type   __hc_decide_end, @function
__hc_decide_end:
        push    r10
        push    r9
        mov     r12, r14
        mov     #0x7fff, r10
        mov     #1, r9
        mov     #2, r13
        jmp     .Ladd
        .size   __hc_decide_end, . - __hc_decide_end
#endif
