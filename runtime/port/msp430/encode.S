; Codec set hindcast on the MSP430, from the ring to pages: what record.c and codec/mixed.c do with codec/model_code.h, in a
; third of the time and of the room. Only where all events are of that set.
;
;     hc_codec_start         a segment begins
;     __hc_take              encodes what the ring holds; stops when an interrupt came, or when the page is nearly full and
;                            nowhere to be put
;     hc_codec_finish        the page is handed out as it is
;
; They are called from assembly and use all registers. Each page that is complete goes to
;
;     __hc_page_full         r12 = length of what is in the page. May use r12 and r13
;
; Throughout r8..r11 are the codec's: recent events, where the run is counted, bits under way, check. r5 is the offset in the ring
; of what was not looked at yet, r6 and r7 are an event and its value.
#include "codec/page.h"
#include "layout.h"
#include "part.h"
#include "ring.h"
#include "ring.inc"
#include "function.inc"

#if HC_CODEC_SETS == 0

; Offsets are checked in record.c.
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    run_site, __hc_ram + HC_RAM_RUN_SITE
        .set    ring, __hc_ram + HC_RAM_RING
        .set    next, __hc_codec
        .set    bits_at, next + 2
        .set    run, next + 4                   ; then bits
        .set    model, next + 8                 ; begins with check and recent
        .set    timers, model + 4
        .set    states, timers + 4 * 32
        .set    wakes, states + 4 * 16
        .set    places, wakes + 4 * 2
        .set    what, places + 4 * 4            ; of what is sudden
        .set    count, what + 4
        .set    sample, count + 4
        .set    bytes, sample + 4
        .set    byte_levels, bytes + 64
        .set    at, byte_levels + 8             ; and nothing behind it
        .set    code, at + 2
        .set    full, code + HC_PAGE_PAYLOAD - 2
        .set    timer, code + HC_PAGE_PAYLOAD
        .set    event_max, 80                   ; bytes of code that an entry of the ring may make

        .weak   __start_hc_sites                ; a program may have none

        .section .text.__hc_take, "ax", @progbits
        .balign 2

; r6 = what happened
.macro note
        rla     r8
        rla     r8
        rla     r8
        add     r6, r8
        rla     r11
        adc     r11
        add     r6, r11
.endm

; A word of the ring.
.macro fetch reg
        mov     ring(r5), \reg
        advance r5
.endm

; To the next byte of the ring.
.macro step
#if HC_RING == 256
        inc.b   r5
#else
        inc     r5
        and     #HC_RING - 1, r5
#endif
.endm

; A bit, in C.
.macro put
        rlc.b   r10
        jnc     .Lput\@
        call    #byte_complete
.Lput\@:
.endm

; ---- from outside ----

function hc_codec_start
        mov     #model, r12
1:      clr     0(r12)
        incd    r12
        cmp     #timer + HC_CODEC_TIMERS, r12
        jne     1b
        clr     r8
        clr     r11
        call    #begin_page
        jmp     leave
function hc_codec_finish
        call    #enter
        call    #end_page
        jmp     leave

enter:  mov     #run, r12
        mov     @r12+, r9
        mov     @r12+, r10
        mov     @r12+, r11
        mov     @r12, r8
        ret

; ---- pages ----

; What bits there are go to the top of their byte.
end_page:
        rla.b   r10
        jnc     end_page
put_page:
        mov     &bits_at, r12
        mov.b   r10, 0(r12)
        mov     &next, r12
        mov.b   r11, 0(r12)
        swpb    r11
        mov.b   r11, 1(r12)
        swpb    r11
        sub     #code - 2, r12
        call    #__hc_page_full
begin_page:
        mov     #code, &next
        call    #take_byte
        jmp     begin_bits

begin_run:
        cmp     #full, &next
        jne     take_byte
        call    #end_page
take_byte:
        mov     &next, r9
        inc     &next
        mov.b   #-1, 0(r9)
        ret

byte_complete:
        cmp     #full, &next
        jeq     put_page
        mov     &bits_at, r12
        mov.b   r10, 0(r12)
begin_bits:
        mov     &next, &bits_at
        inc     &next
        mov     #1, r10
        ret

; ---- numbers ----

; r4 = slot, r7 = value. Uses r4 and r12..r15, as all that follows.
guess:  mov     r7, r14
        sub     @r4, r14
        mov     r7, 0(r4)
        incd    r4
; r4 = level, r14 = difference
difference:
        rla     r14
        jnc     1f
        inv     r14
1:      mov.b   @r4, r13
        dec     r13
        jc      2f
        tst     r14
        jnz     surprise
        dec.b   0(r9)
        jz      begin_run
        ret
2:      dec.b   0(r9)
        jnz     3f
        call    #begin_run
        mov.b   @r4, r13
        dec     r13
3:      mov     #1, r15
        jmp     5f
4:      rla     r15
5:      sub     #4, r13
        jge     4b
        cmp     r15, r14
        jhs     large
        bis     r15, r14
        dec.b   0(r4)
        jmp     bits
surprise:
        call    #begin_run
        inc.b   0(r4)
        mov     #1, r15
large:  clrc
        put
        rla     r15
        jc      6f
        cmp     r15, r14
        jhs     large
        inc.b   0(r4)                   ; without a carry
6:      rrc     r15
; Bits of r14 from r15 down.
bits:   bit     r15, r14
        put
        clrc
        rrc     r15
        jnz     bits
        ret

; ---- the ring ----

function __hc_take
        call    #enter
        mov     &interrupts, r14
        push    r14
        mov     &tail, r5
        jmp     next_entry

; r6 = event
noted:  note
entry_done:
        mov     r5, r14
#if HC_RING == 256
        sub.b   &tail, r14
#else
        sub     &tail, r14
        and     #HC_RING - 1, r14
#endif
        mov     r5, &tail
        add     r14, &room
next_entry:
        cmp     &head, r5
        jeq     stop
        cmp     #HC_RESERVE + 16, &room ; less might not last
        jl      2f
        bit     #1, &limit              ; enough for hc_update_later
        jnz     stop
        cmp     @sp, &interrupts
        jne     stop
2:      cmp     #full - event_max, &next
        jlo     1f
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     stop
1:      clr     &run_site               ; nothing is added to what is being taken
        fetch   r6
        cmp     #HC_RING_TAGS, r6
        jlo     tag
        fetch   r7

; r6 = descriptor, r7 = value
__hc_code_read:
        mov     @r6, r14
        sub     #__start_hc_sites, r6   ; 4 * site
        rla     r14
        rla     r14
        jn      2f
        rla     r14
        jn      code_timer
code_state:
        mov     r6, r4
        and     #4 * 15, r4
        add     #states, r4
code_slot:
        call    #guess
        clr.b   &at
        tst     r7
        jz      noted
        incd    r6
        jmp     noted
2:      jnc     __hc_code_bytes
        rla     r14                     ; a word
        jn      code_state
        mov     #sample, r4
        jmp     code_slot

stop:   incd    sp
leave:  mov     #run, r12
        mov     r9, 0(r12)
        mov     r10, 2(r12)
        mov     r11, 4(r12)
        mov     r8, 6(r12)
        ret

; r14 = address << 3
code_timer:
        swpb    r14
        and     #HC_CODEC_TIMERS - 2, r14
        mov     r7, r15
        sub     timer(r14), r7
        mov     r15, timer(r14)
        mov     r8, r4
        and     #4 * 31, r4
        add     #timers, r4
        jmp     code_slot

; r7 = byte, above it how many more there are in the ring
__hc_code_bytes:
        mov.b   r7, r14
        call    #code_byte
        note
        sub     #0x100, r7
        jnc     1f
        mov.b   ring(r5), r14
        and     #0xff00, r7
        bis     r14, r7
        step
        jmp     __hc_code_bytes
1:      step
        bic     #1, r5
        jmp     entry_done

; r14 = byte
code_byte:
        mov.b   &at, r13
        mov     r13, r4
        and     #7, r4
        add     #byte_levels, r4
        mov     r14, r15
        sub.b   bytes(r13), r14
        sxt     r14
        mov.b   r15, bytes(r13)
        tst     r13
        jnz     1f
        mov     r15, r13
        rla     r13
        rla     r13
        rla     r13
        rla     r13
1:      inc     r13
        and     #63, r13
        mov.b   r13, &at
        jmp     difference

; r6 = tag
tag:    cmp     #HC_RING_BASE, r6
        jhs     base
#if HC_DMA
        cmp     #HC_RING_MEMORY, r6
        jhs     memory
#endif
__hc_code_interrupt:
        bit     #HC_RING_ASLEEP, r6
        mov.b   r6, r6
        jz      code_awake
        mov     r6, r7
        rra     r7
        mov     r8, r4
        and     #4 * 1, r4
        add     #wakes, r4
        call    #guess
        jmp     noted

code_awake:
        call    #begin_sudden
        fetch   r7                      ; PC
        mov     r6, r4
        rla     r4
        and     #4 * 3, r4
        add     #places, r4
        call    #guess
        fetch   r7
        mov     #count, r4
        call    #guess
        bit     #HC_RING_HASHED, r6
        jz      noted
        fetch   r14
        mov     #0x8000, r15
        call    #bits
        jmp     noted

; r6 = what is sudden
begin_sudden:
        call    #begin_run
        setc
        put
        mov     r6, r7
        mov     #what, r4
        jmp     guess

base:   fetch   r7
        rla     r6
        rla     r6
        rla     r6
        swpb    r6
        and     #HC_CODEC_TIMERS - 2, r6
        mov     r7, timer(r6)
        jmp     entry_done

#if HC_DMA
; r6 = tag, with the size
memory: push    r6
        mov     #0x100, r6
        call    #begin_sudden
        fetch   r14
        mov     #0x8000, r15
        call    #bits
        pop     r7
        and     #HC_RING_VECTOR, r7
        rra     r7
        mov     r7, r14
        mov     #0x8000, r15
        call    #bits
1:      mov.b   ring(r5), r14
        step
        call    #code_byte
        dec     r7
        jnz     1b
        note
        step
        bic     #1, r5
        jmp     entry_done
#endif
        .size   __hc_take, . - __hc_take
#endif
