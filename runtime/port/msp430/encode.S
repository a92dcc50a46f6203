; Codec set hindcast on the MSP430, from the ring to pages: what record.c and codec/mixed.c do with codec/model_code.h, in a
; third of the time and of the room. Only where all events are of that set.
;
;     void hc_codec_start(void)              a segment begins
;     void __hc_take(void)                   encodes what the ring holds; stops when there is room again and the
;                                            program has more to do, or when the page is nearly full and nowhere to be put
;     void hc_codec_finish(void)             the page is handed out as it is
;
; Throughout r8..r11 are the coder: size and lower end of the interval, bits of the byte under way, where it goes. Functions
; here may use r12..r15, and where they say so r4 and r5; r6 and r7 are the event's.
#include "layout.h"
#include "part.h"
#include "ring.h"
#include "ring.inc"

#if HC_CODEC_SETS == 0

; Offsets are checked in record.c.
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    site, __hc_ram + HC_RAM_SITE
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    run_site, __hc_ram + HC_RAM_RUN_SITE
        .set    ring, __hc_ram + HC_RAM_RING
        .set    coder, __hc_codec
        .set    code, coder + 8 + 10
        .set    full, code + 241
        .set    event_max, 80                   ; bytes of code that an entry of the ring may make
        .set    model, coder + 8 + 256
        .set    recent, model
        .set    vector, model + 1
        .set    check, model + 2
        .set    sudden_chances, model + 4
        .set    number_timer, model + 8
        .set    sizes_state, number_timer + 16 * 8 + 1
        .set    sizes_sample, sizes_state + 8
        .set    sizes_vector, sizes_state + 16
        .set    sizes_pc, sizes_state + 24
        .set    sizes_count, sizes_state + 32
        .set    large, number_timer + 21 * 8
        .set    laps, large + 11
        .set    hashed, laps + 1
        .set    first, laps + 2
        .set    state_guess, laps + 3
        .set    successor, state_guess + 32
        .set    place, successor + 8
        .set    moved, place + 16
        .set    sample, moved + 4
        .set    position, sample + 2
        .set    byte_guess, position + 1
        .set    surprised, byte_guess + 128
        .set    timer, surprised + 8 + 1        ; even

        .section .text.__hc_take, "ax", @progbits
        .balign 2

.macro function name
        .global \name
        .type   \name, @function
\name:
.endm

; ---- from C ----

function hc_codec_start
        mov     #start, r13
        jmp     1f
function hc_codec_finish
        mov     #finish, r13
        jmp     1f
function __hc_take
        mov     #take, r13
1:      push    r4
        push    r5
        push    r6
        push    r7
        push    r8
        push    r9
        push    r10
        mov     #coder, r14
        mov     @r14+, r8
        mov     @r14+, r9
        mov     @r14+, r10
        mov     @r14, r11
        call    r13
        mov     #coder, r14
        mov     r8, 0(r14)
        mov     r9, 2(r14)
        mov     r10, 4(r14)
        mov     r11, 6(r14)
        pop     r10
        pop     r9
        pop     r8
        pop     r7
        pop     r6
        pop     r5
        pop     r4
        ret

start:  mov     #model, r12
1:      clr     0(r12)
        incd    r12
        cmp     #timer + HC_CODEC_TIMERS, r12
        jne     1b
begin_code:
        mov     #0x8000, r8
        clr     r9
        mov     #0x100, r10
        mov     #code, r11
        ret

finish: mov     #1, r13
        call    #sudden
        mov     #64, r7                 ; SUDDEN_END
        call    #code_vector
        jmp     end_code

; ---- the coder ----

; The page is full: the byte that ends its code, and the check. r4..r10 stay as they are in C.
page_full:
        push    r13
        push    r12
        call    #end_code
        pop     r12
        pop     r13
        jmp     decided
end_code:
        add     #0x7fff, r9
        adc     r10
        and     #0x8000, r9
1:      rla     r9
        rlc     r10
        jnc     1b
        call    #put_byte
        mov     &check, r14
        mov.b   r14, 0(r11)
        swpb    r14
        mov.b   r14, 1(r11)
        mov     r11, r12
        sub     #code - 2, r12
        call    #__hc_page_full
        jmp     begin_code

; The byte in r10 is complete; above it may be a carry.
put_byte:
        mov.b   r10, 0(r11)
        bit     #0x100, r10
        jz      2f
        mov     r11, r14
1:      dec     r14
        inc.b   0(r14)
        jz      1b
2:      inc     r11
        mov     #0x100, r10
        ret

; r12 = whose chances, r13 = 0 or (decide_any) not 0 -> r12 the same, r13 = 0 or 1 and Z accordingly
sudden:
        mov.b   &recent, r12
        and     #3, r12
        add     #sudden_chances, r12
        jmp     decide
decide_any:
        add     #-1, r13
        mov     #0, r13
        rlc     r13
decide:
        mov.b   @r12, r14
        mov     r14, r15
        bic     #1, r14
        mov     hc_chances(r14), r14
        xor     r13, r15
        bit     #1, r15
        jnz     less
        sub     r14, r8
        jn      decided
        cmp     #2 * 18, r15            ; there is no place further on
        jeq     narrow
        incd.b  0(r12)
        jmp     narrow
less:   sub     r14, r8
        add     r8, r9
        adc     r10
        mov     r14, r8
        xor     r13, r14
        xor     #1, r14
        mov.b   r14, 0(r12)
; The interval r8 is made large again.
narrow: rla     r9
        rlc     r10
        jnc     1f
        call    #put_byte
1:      rla     r8
        jn      2f
        jmp     narrow
2:      cmp     #full, r11
        jeq     page_full
decided:
        tst     r13
        ret

; Bits of r13 from r12 down, or below it.
bits:   clrc
        rrc     r8
        bit     r12, r13
        jz      1f
        add     r8, r9
        adc     r10
1:      call    #narrow
bits_below:
        clrc
        rrc     r12
        jnz     bits
        ret

; r12 = chances of its sizes, r13 = number. Uses r4, r5.
number:
        push    r12
        push    r13
        mov     r13, r5
        tst     r5
        jge     1f
        inv     r5
        inc     r5
1:      mov     #1, r4
2:      cmp     r4, r5
        mov     #0, r13
        rlc     r13
        call    #decide
        jz      3f
        inc     r12
        rla     r4
        jc      4f
        cmp     #32, r4
        jne     2b
        mov     #large, r12
        jmp     2b
3:      clrc
4:      rrc     r4                      ; its highest bit
        pop     r13
        pop     r12
        jz      decided
        add     #5, r12
        rla     r13
        mov     #0, r13
        rlc     r13
        call    #decide
        mov     r4, r12
        mov     r5, r13
        jmp     bits_below

; ---- models ----

; r7 = value, r12 = its guess, r4 = chances of the sizes of what differs. Uses r4, r5.
guess:  mov.b   @r12, r5
        xor     r7, r5
        mov.b   r7, 0(r12)
        inc     r12
        mov     r5, r13
        call    #decide_any
        jz      decided
        mov     r5, r13
        mov     r4, r12
        jmp     number

; r7 = vector. Uses r4, r5.
code_vector:
        mov.b   &vector, r12
        mov.b   r7, &vector
        and     #3, r12
        rla     r12
        add     #successor, r12
        mov     #sizes_vector, r4
        call    #guess
        clr.b   &position
        mov     r7, r13
        bis     #0x80, r13

; r13 = event
note:   mov.b   &recent, r14
        rla     r14
        rla     r14
        add     r13, r14
        mov.b   r14, &recent
        mov     &check, r14
        rla     r14
        adc     r14
        add     r13, r14
        mov     r14, &check
        ret

; r7 = byte. Uses r5.
code_byte:
        mov.b   &first, r5
        rla     r5
        rla     r5
        rla     r5
        rla     r5
        add.b   &position, r5
        and     #127, r5
        mov     r5, r12
        and     #7, r12
        add     #surprised, r12
        mov.b   byte_guess(r5), r13
        mov.b   r7, byte_guess(r5)
        xor     r7, r13
        call    #decide_any
        jz      1f
        mov     #0x80, r12
        mov     r7, r13
        call    #bits
1:      tst.b   &position
        jnz     2f
        mov.b   r7, &first
2:      inc.b   &position
        ret

; r6 = descriptor, r7 = value. Uses r4..r7.
__hc_code_read:
        clr     r13
        call    #sudden
        mov     @r6, r4
        sub     #__start_hc_sites, r6
        rra     r6                      ; twice the site
        mov     r4, r14                 ; its class, in bits 13 and 12
        rla     r14
        rla     r14
        jn      1f
        rla     r14
        jn      code_timer
        jmp     code_state
1:      rla     r14
        jn      code_state
        bit     #0x4000, r4
        jnz     2f
        call    #code_byte
        mov     r6, r13
        jmp     note
2:      mov     r7, r13
        sub     &sample, r13
        mov     r7, &sample
        mov     #sizes_sample, r12
        call    #number
        mov     r6, r13
        jmp     note

code_timer:
#ifdef HC_PART_F1XX
        mov     #timer, r15
        bit     #0x40, r4
        jz      1f
        incd    r15
1:
#else
        mov     r4, r15
        .rept   5
        rra     r15
        .endr
        and     #14, r15
        add     #timer, r15
#endif
        mov     r7, r14
        sub     @r15, r7
        mov     r14, 0(r15)
        mov.b   &recent, r12
        rra     r12
        mov     r6, r14
        rla     r14
        rla     r14
        add     r14, r12
        and     #0x78, r12
        add     #number_timer, r12
        mov.b   7(r12), r13
        mov.b   r7, 7(r12)
        xor     r7, r13
        call    #decide_any
        jz      something
        inc     r12
        mov     r7, r13
        call    #number
        jmp     something

code_state:
        mov     r6, r12
        and     #30, r12
        add     #state_guess, r12
        mov     #sizes_state, r4
        call    #guess
something:
        clr.b   &position
        mov     r6, r13
        tst     r7
        jz      note
        inc     r13
        jmp     note

; ---- the ring ----

take:   mov     &interrupts, r14
        push    r14
next:   mov     &tail, r5
        cmp     &head, r5
        jeq     1f
        cmp     #HC_RESERVE + 32, &room
        jl      3f
        bit     #1, &limit              ; enough for hc_update_later
        jnz     1f
        cmp     @sp, &interrupts
        jne     1f
3:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      2f
        cmp     #full - event_max, r11
        jhs     1f
2:      clr     &run_site               ; a handler must not add to what is being taken
        mov     ring(r5), r6
        advance r5
        cmp     #HC_RING_TAGS, r6
        jlo     tag
        mov     ring(r5), r7
        advance r5
        push    r5
        push    #0
        bit     #0x4000, 0(r6)
        jnz     4f
        mov.b   r7, r14
        mov     r14, r15
        xor     r7, r15
        swpb    r15
        mov     r15, 0(sp)
        mov     r14, r7
4:      mov     r6, &site
        call    #__hc_code_read
        tst     0(sp)
        jz      5f
        dec     0(sp)
        mov     2(sp), r5
        mov.b   ring(r5), r7
        inc     r5
        and     #HC_RING - 1, r5
        mov     r5, 2(sp)
        mov     &site, r6
        jmp     4b
5:      incd    sp
        pop     r7
        inc     r7
        and     #HC_RING - 2, r7
; r7 = the offset up to which all is done
entry_done:
        mov     r7, r14
        sub     &tail, r14
        and     #HC_RING - 1, r14
        mov     r7, &tail
        add     r14, &room
        jmp     next
1:      incd    sp
        ret

; r6 = tag, r5 = where the words after it are
tag:
#if HC_DMA
        mov     r6, r14
        and     #HC_RING_BASE, r14
        cmp     #HC_RING_MEMORY, r14
        jeq     memory
#endif
        cmp     #HC_RING_BASE, r6
        jlo     __hc_code_interrupt
        mov     ring(r5), r7
        advance r5
#ifdef HC_PART_F1XX
        bit     #0x40, r6
        jnz     1f
        mov     r7, &timer
        jmp     2f
1:      mov     r7, &timer+2
2:
#else
        .rept   5
        rra     r6
        .endr
        and     #14, r6
        mov     r7, timer(r6)
#endif
        mov     r5, r7
        jmp     entry_done

__hc_code_interrupt:
        push    r5
        clr     r13
        bit     #HC_RING_ASLEEP, r6
        jnz     1f
        inc     r13
1:      call    #sudden
        mov     r6, r7
        and     #HC_RING_VECTOR, r7
        rra     r7
        call    #code_vector
        pop     r7
        bit     #HC_RING_ASLEEP, r6
        jnz     entry_done
        call    #code_arrival
        jmp     entry_done

; r6 = tag, r7 = where the words after it are; then where they end. Uses r4..r6.
code_arrival:
        mov     ring(r7), r14
        advance r7
        mov     ring(r7), r5
        advance r7
        clr     r13
        and     #HC_RING_HASHED, r6
        jz      2f
        mov     ring(r7), r13
        advance r7
2:      push    r7
        push    r13
        mov     r14, r7                 ; r7 = PC, r5 = count
        mov.b   &vector, r12
        and     #3, r12
        mov     r12, r4
        rla     r4
        rla     r4
        add     #place, r4
        add     #moved, r12
        mov     @r4, r13
        mov     r7, 0(r4)
        sub     r13, r7                 ; from where the last one came
        mov     2(r4), r13
        mov     r5, 2(r4)
        xor     r5, r13
        bis     r7, r13
        bis     r6, r13
        call    #decide_any
        jz      1f
        push    r5
        mov     r7, r13
        mov     #sizes_pc, r12
        call    #number
        pop     r13
        mov     #sizes_count, r12
        call    #number
        clr     r13
        mov     #laps, r12
        call    #decide
        mov     @sp, r5
        mov     r6, r13
        mov     #hashed, r12
        call    #code_optional
1:      incd    sp
        pop     r7
        ret

; r5 = a word that is there if r13 is not 0
code_optional:
        call    #decide_any
        jz      1f
        mov     r5, r13
        mov     #0x8000, r12
        jmp     bits
1:      ret

#if HC_DMA
memory:
        push    r5
        and     #HC_RING_VECTOR, r6
        rra     r6
        mov     #1, r13
        call    #sudden
        mov     #65, r7                 ; SUDDEN_MEMORY
        call    #code_vector
        mov     @sp, r5
        mov     ring(r5), r13
        mov     #0x8000, r12
        call    #bits
        mov     r6, r13
        mov     #0x8000, r12
        call    #bits
        pop     r4
        advance r4
1:      mov.b   ring(r4), r7
        call    #code_byte
        inc     r4
        and     #HC_RING - 1, r4
        dec     r6
        jnz     1b
        mov     r4, r7
        inc     r7
        and     #HC_RING - 2, r7
        jmp     entry_done
#endif
        .size   __hc_take, . - __hc_take
#endif
