; Codec set hindcast on the MSP430, from the ring to pages: what encode.c and codec/mixed.c do with codec/model_code.h, in a
; third of the time and of the room. Only where all events are of that set.
;
;     hc_codec_start         a segment begins
;     __hc_take              encodes what the ring holds, r12 units of it at most; stops when an interrupt came, or when the
;                            page is nearly full and nowhere to be put
;     hc_codec_finish        the page is handed out as it is
;
; They are called from assembly and use all registers. Each page that is complete goes to
;
;     __hc_page_full         r12 = length of what is in the page. May use r12 and r13
;
; Throughout r8..r11 are the codec's: recent events, where the run is counted, bits under way, check. r5 is where in the ring
; the next thing lies, r6 and r7 are an event and its value.
;
; Taking is a transaction: until __hc_take puts r8..r11 away, all that it took lies in the ring still. A reset in its middle
; finds what was put away last, a page that may have more in it, and the ring from there on (FORMAT.md, rescue).
#include "codec/page.h"
#include "layout.h"
#include "link.h"
#include "part.h"
#include "function.inc"

#if HC_CODEC_SETS == 0

; Offsets are checked in encode.c.
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    newest, __hc_ram + HC_RAM_NEWEST
        .set    ring_end, __hc_ram + HC_RAM_RING + HC_RING
        .set    events, __hc_page + HC_PAGE_PAYLOAD     ; of the segment
        .set    taken, __hc_ram + HC_RAM_TAKEN
        .set    page_events, events + 2         ; of it, before the page
        .set    check, events + 4               ; index, count, sum
        .set    boundary, __hc_ram + HC_RAM_BOUNDARY
        .set    age, __hc_ram + HC_RAM_AGE
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
        .set    full, code + HC_PAGE_PAYLOAD - HC_MIXED_TRAILER
        .set    timer, check + 4
        .set    event_max, 80                   ; bytes of code that an entry of the ring may make
        .set    INTERRUPT_UNITS, 2              ; what an entry costs: a read 1, as each byte more, and 16 reads more of a value; some 300 cycles

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
        inc     &events
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
clear_model:
        clr     0(r12)
        incd    r12
        cmp     #timer + HC_CODEC_TIMERS, r12
        jne     clear_model
        clr     r8
        clr     r11
        clr     &events
        call    #begin_page
        jmp     leave_all
; Without events there is nothing to hand out.
function hc_codec_finish
        cmp     &events, &page_events
        jeq     codec_empty
        call    #enter
        call    #end_page
leave_all:
        mov     &events, &taken
        jmp     leave

enter:  mov     #run, r12
        mov     @r12+, r9
        mov     @r12+, r10
        mov     @r12+, r11
        mov     @r12, r8
codec_empty:
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
        mov     #check, r13
put_check:
        mov.b   @r13, 2(r12)
        inc     r12
        inc     r13
        cmp     #check + 4, r13
        jne     put_check
        sub     #code - 2, r12
        call    #__hc_page_full
begin_page:
        clr     &age
        mov.b   #-1, &check                     ; none in this page
        mov     &events, &page_events
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
        jnc     folded
        inv     r14
folded: mov.b   @r4, r13
        dec     r13
        jc      unsure
        tst     r14
        jnz     surprise
        dec.b   0(r9)
        jz      begin_run
        ret
unsure: dec.b   0(r9)
        jnz     counted
        call    #begin_run
        mov.b   @r4, r13
        dec     r13
counted:
        bic     #3, r13
        rra     r13
        mov     powers(r13), r15        ; 2 to the power of (level - 1) / 4
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
        jc      largest
        cmp     r15, r14
        jhs     large
        inc.b   0(r4)                   ; without a carry
largest:
        rrc     r15
; Bits of r14 from r15 down.
bits:   bit     r15, r14
        rlc.b   r10
        jnc     next_bit
        call    #byte_complete
        clrc
next_bit:
        rrc     r15
        jnz     bits
        ret
        .balign 2
powers: .short  0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080
        .short  0x0100, 0x0200, 0x0400, 0x0800, 0x1000, 0x2000, 0x4000, 0x8000

; ---- the ring ----

; 2(sp): how many more units may be taken. 0(sp): the newest of them; what comes meanwhile is an interrupt's.
function __hc_take
        push    r12
        call    #enter
        mov     &head, r14
        push    r14
        mov     &tail, r5
        jmp     next_entry

; r6 = event
noted:  note
entry_done:
        cmp     #ring_end, r5
        jlo     next_entry
        sub     #HC_RING, r5
next_entry:
        cmp     &head, r5
        jeq     stop
        cmp     &boundary, r5
        jeq     stop
        dec     2(sp)
        jn      stop
        cmp     #HC_RESERVE + 16, &room         ; less might not last
        jl      take_entry
        bit     #1, &limit                      ; enough for hc_update_later
        jnz     stop
        cmp     @sp, &head
        jne     stop
take_entry:
        cmp     #full - event_max, &next
        jlo     take_it
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      take_it
        call    #hc_shelf_put
        jnc     stop
take_it:
        mov     #newest, &newest                ; nothing is added to what is being taken
        mov     @r5+, r6
        cmp     #HC_RING_TAGS, r6
        jlo     tag
        mov     @r5+, r7

; r6 = descriptor, r7 = value
__hc_code_read:
        mov     @r6, r14
        sub     #__start_hc_sites, r6   ; 4 * site
        rla     r14
        rla     r14
        jn      code_data
        jnc     code_states
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
code_data:
        jnc     __hc_code_bytes
        rla     r14                     ; a word
        jn      code_state
        mov     #sample, r4
        jmp     code_slot

; r7 = byte of a state, above it how many times more it was read
code_states:
        push    r7
        mov.b   r7, r7
        mov     r6, r4
        and     #4 * 15, r4
        add     #states, r4
        call    #guess                          ; leaves r4 = level
        clr.b   &at
        tst     r7
        jz      state_zero
        incd    r6
state_zero:
        note
        pop     r14
        swpb    r14
        mov.b   r14, r14
        mov     r14, r12
        rra     r12
        rra     r12
        rra     r12
        rra     r12
        sub     r12, 2(sp)
        tst     r14
        jz      entry_done
; r14 = how many times more. They are as guessed; what is left to do is little once that is no surprise.
state_again:
        tst.b   0(r4)
        jz      state_sure
        push    r14
        clr     r14
        call    #folded
        pop     r14
        note
        dec     r14
        jnz     state_again
        jmp     entry_done
state_sure:
        dec.b   0(r9)
        jnz     state_counted
        call    #begin_run
state_counted:
        note
        dec     r14
        jnz     state_sure
        jmp     entry_done

; All that was taken is the ring's no more.
stop:   add     #4, sp
        mov     r5, r14
        sub     &tail, r14
        jhs     stop_credit
        add     #HC_RING, r14
; A reset that finds the tail odd ends this (rescue.S): until then the new check is in the place of r8, too.
stop_credit:
        mov     #run, r12
        mov     r9, 0(r12)
        mov     r10, 2(r12)
        mov     r11, 6(r12)
        inc     r5
        mov     r5, &tail
        mov     r11, 4(r12)
        mov     &events, &taken
        dec     &tail
        mov     r8, 6(r12)
        add     r14, &room
        ret

leave:  mov     #run, r12
        mov     r9, 0(r12)
        mov     r10, 2(r12)
        mov     r8, 6(r12)
        mov     r11, 4(r12)
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
        jnc     bytes_done
        dec     2(sp)
        mov.b   @r5+, r14
        and     #0xff00, r7
        bis     r14, r7
        jmp     __hc_code_bytes
bytes_done:
        inc     r5
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
        jnz     byte_goes_on
        mov     r15, r13
        rla     r13
        rla     r13
        rla     r13
        rla     r13
byte_goes_on:
        inc     r13
        and     #63, r13
        mov.b   r13, &at
        jmp     difference

; r6 = tag
tag:
#if HC_DMA
        cmp     #HC_RING_MEMORY, r6
        jhs     memory
#endif
__hc_code_interrupt:
        sub     #INTERRUPT_UNITS - 1, 2(sp)
        push    r6                              ; for the timer
        bit     #HC_RING_ASLEEP, r6
        mov.b   r6, r6
        jz      code_awake
        bic     #HC_RING_ASLEEP, r6
        mov     r6, r7
        rra     r7
        mov     r8, r4
        and     #4 * 1, r4
        add     #wakes, r4
        call    #guess
        jmp     base

code_awake:
        mov     @r5, r14                        ; PC: bit (pc >> 8) of the table
        swpb    r14
        mov.b   r14, r14
        mov     r14, r15
        rra     r14
        rra     r14
        rra     r14
        mov.b   __hc_link+HC_LINK_HASHED(r14), r14
        and     #7, r15
        jz      page_known
page_bit:
        rra     r14
        dec     r15
        jnz     page_bit
page_known:
        bit     #1, r14
        jnz     code_position
        bic     #HC_RING_HASHED, r6
code_position:
        call    #begin_sudden
        mov     @r5+, r7                        ; PC
        mov     r6, r4
        rla     r4
        and     #4 * 3, r4
        add     #places, r4
        call    #guess
        mov     @r5+, r7
        mov     #count, r4
        call    #guess
        bit     #HC_RING_HASHED, 0(sp)
        jz      base
        mov     @r5+, r12
        mov     @r5+, r14
        bit     #HC_RING_HASHED, r6
        jz      base
        push    r12
        call    #word
        pop     r14
        call    #word

; What the timer is predicted from, if the tag names one.
base:   pop     r14
        and     #HC_RING_TIMER, r14
        jz      noted
        swpb    r14
        rla     r14
#if HC_CODEC_TIMER_FIRST
        add     #HC_CODEC_TIMER_FIRST, r14
#endif
        and     #HC_CODEC_TIMERS - 2, r14
        mov     @r5+, r7
        mov     r7, timer(r14)
        jmp     noted

; r14 = word, all of its bits
word:   mov     #0x8000, r15
        jmp     bits

; r6 = what is sudden
begin_sudden:
        call    #begin_run
        setc
        put
        mov     r6, r7
        mov     #what, r4
        jmp     guess

#if HC_DMA
; r6 = tag, with the size
memory: push    r6
        mov     #0x100, r6
        call    #begin_sudden
        mov     @r5+, r14
        call    #word
        pop     r7
        sub     #HC_RING_MEMORY, r7
        rra     r7
        mov     r7, r14
        call    #word
memory_byte:
        dec     2(sp)
        mov.b   @r5+, r14
        call    #code_byte
        dec     r7
        jnz     memory_byte
        note
        inc     r5
        bic     #1, r5
        jmp     entry_done
#endif
        .size   __hc_take, . - __hc_take
#endif
