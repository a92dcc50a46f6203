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
; Throughout r8..r12 are the codec's: recent events, where the run is counted, bits under way, check, how many events the
; segment has. r5 is where in the ring the next thing lies, r6 and r7 are an event and its value.
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
        .set    units, __hc_ram + HC_RAM_UNITS
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
        .set    nearly_full, full - event_max
        .set    timer, check + 4
        .set    event_max, 80                   ; bytes of code that an entry of the ring may make
        .set    UNITS, 0xffff - HC_LOOK_AROUND
        .set    BELOW_0, 0x2000                 ; of what is left of a number below 0
        .set    INTERRUPT_UNITS, 2              ; what an entry costs: a read 1, as each byte more, and 16
                                                ; reads more of a value; some 200 cycles

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
        inc     r12
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
        mov     #model, r13
clear_model:
        clr     0(r13)
        incd    r13
        cmp     #timer + HC_CODEC_TIMERS, r13
        jne     clear_model
        clr     r8
        clr     r11
        clr     r12
        call    #begin_page
        jmp     leave_all
; Without events there is nothing to hand out.
function hc_codec_finish
        cmp     &events, &page_events
        jeq     codec_empty
        call    #enter
        call    #end_page
leave_all:
        mov     r12, &events
        mov     r12, &taken
        mov     #run, r13
        mov     r9, 0(r13)
        mov     r10, 2(r13)
        mov     r8, 6(r13)
        mov     r11, 4(r13)
        ret

enter:  mov     #run, r13
        mov     @r13+, r9
        mov     @r13+, r10
        mov     @r13+, r11
        mov     @r13, r8
        mov     &events, r12
codec_empty:
        ret

; ---- pages ----

; What bits there are go to the top of their byte.
end_page:
        rla.b   r10
        jnc     end_page
put_page:
        mov     r12, &events
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
        mov     &events, r12
begin_page:
        clr     &age
        mov.b   #-1, &check                     ; none in this page
        mov     r12, &page_events
        mov     #code, &next
        call    #take_byte
        mov     &next, r13
        jmp     begin_bits

begin_run:
        cmp     #nearly_full - 1, &next
        jlo     take_byte
        call    #look_if_spare
        cmp     #full, &next
        jne     take_byte
        call    #end_page
take_byte:
        mov     &next, r9
        inc     &next
        mov.b   #-1, 0(r9)
        ret

; Uses r13.
byte_complete:
        mov     &bits_at, r13
        mov.b   r10, 0(r13)
        mov     &next, r13
        cmp     #nearly_full - 1, r13
        jhs     byte_nearly_last
begin_bits:
        mov     r13, &bits_at
        inc     &next
        mov     #1, r10
        ret
byte_nearly_last:
        call    #look_if_spare
        cmp     #full, r13
        jne     begin_bits
        jmp     put_page

; This page may have to wait for the one before it.
look_if_spare:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      no_spare
        bis     #HC_LOOK_AROUND, &units
no_spare:
        ret

; ---- numbers ----

; r4 = slot, r7 = value. Uses r4 and r13..r15, as all that follows. What is as it should be takes no call.
.macro guess
        cmp     @r4, r7
        jne     .Lguess\@
        tst.b   2(r4)
        jnz     .Lguess\@
        dec.b   0(r9)
        jnz     .Lguessed\@
        call    #begin_run
        jmp     .Lguessed\@
.Lguess\@:
        call    #guess_any
.Lguessed\@:
.endm
guess_any:
        mov     r7, r14
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
large:  tst     r14
        jn      largest
zero_bit:
        rla.b   r10
        jnc     zero_put
        call    #byte_complete
zero_put:
        rla     r15
        cmp     r15, r14
        jhs     zero_bit
        inc.b   0(r4)                   ; without a carry
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
; More than fifteen bits.
largest:
        rla.b   r10
        jnc     largest_put
        call    #byte_complete
largest_put:
        rla     r15
        jnc     largest
        rrc     r15
        jmp     bits
        .balign 2
powers: .short  0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080
        .short  0x0100, 0x0200, 0x0400, 0x0800, 0x1000, 0x2000, 0x4000, 0x8000

; ---- the ring ----

; units: how many more may be taken. It is below 0 when there are none, and when there is reason to look around.
; 0(sp): up to where entries are taken without another look. 2(sp): the newest of all; what comes meanwhile is an interrupt's.
function __hc_take
        mov     r12, &units
        call    #enter
        mov     &head, r14
        push    r14
        push    r14
        mov     &tail, r5
        jmp     look_around

look_again:
        inc     &units
look_around:
        cmp     #ring_end, r5
        jlo     look_at_units
        sub     #HC_RING, r5
look_at_units:
        and     #UNITS, &units
        jz      stop
        bit     #BELOW_0, &units
        jnz     stop
        cmp     &head, r5
        jeq     stop
        cmp     &boundary, r5
        jeq     stop
        cmp     #HC_RESERVE + 16, &room         ; less might not last
        jl      has_time
        bit     #1, &limit                      ; enough for hc_update_later
        jnz     stop
        cmp     2(sp), &head
        jne     stop
has_time:
        cmp     #nearly_full, &next
        jlo     take_some
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      take_some
#if HC_HAS_SHELF
        mov     r12, &events
        call    #hc_shelf_put
        mov     &events, r12
        jnc     stop
#else
        jmp     stop
#endif
take_some:
        mov     #newest, &newest                ; nothing is added to what is being taken
        mov     &head, r14
        cmp     r5, r14
        jhs     head_is_ahead
        mov     #ring_end, r14
head_is_ahead:
        mov     &boundary, r13
        cmp     r5, r13
        jlo     take_up_to
        cmp     r14, r13
        jhs     take_up_to
        mov     r13, r14
take_up_to:
        mov     r14, 0(sp)
        jmp     next_entry

; r6 = descriptor, r7 = value
__hc_code_read:
        mov     @r6, r14
        sub     #__start_hc_sites, r6   ; 4 * site
        rla     r14
        rla     r14
        jn      code_data
        jnc     code_byte_of_state
        rla     r14
        jn      code_timer
code_state:
        mov     r6, r4
        and     #4 * 15, r4
        add     #states, r4
code_slot:
        guess
        clr.b   &at
        tst     r7
        jz      noted
        incd    r6
; r6 = event
noted:  note
next_entry:
        cmp     @sp, r5
        jhs     look_around
        dec     &units
        jn      look_again
        mov     @r5+, r6
        cmp     #HC_RING_TAGS, r6
        jlo     tag
        mov     @r5+, r7
        jmp     __hc_code_read

code_data:
        jnc     code_bytes
        rla     r14                     ; a word
        jn      code_state
        mov     #sample, r4
        jmp     code_slot

; r7 = byte of a state, above it how many times more it was read
code_byte_of_state:
        cmp     #0x100, r7
        jlo     code_state
        push    r7
        mov.b   r7, r7
        mov     r6, r4
        and     #4 * 15, r4
        add     #states, r4
        call    #guess_any                      ; leaves r4 = level
        clr.b   &at
        tst     r7
        jz      state_zero
        incd    r6
state_zero:
        note
        pop     r14
        swpb    r14
        mov.b   r14, r14
        mov     r14, r15
        rra     r15
        rra     r15
        rra     r15
        rra     r15
        sub     r15, &units
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
        jmp     next_entry
state_sure:
        dec.b   0(r9)
        jnz     state_counted
        push    r14
        call    #begin_run
        pop     r14
state_counted:
        note
        dec     r14
        jnz     state_sure
        jmp     next_entry

; All that was taken is the ring's no more.
stop:   add     #4, sp
        mov     r12, &events
        mov     r5, r14
        sub     &tail, r14
        jhs     stop_credit
        add     #HC_RING, r14
; A reset that finds the tail odd ends this (rescue.S): until then the new check is in the place of r8, too.
stop_credit:
        mov     #run, r13
        mov     r9, 0(r13)
        mov     r10, 2(r13)
        mov     r11, 6(r13)
        inc     r5
        mov     r5, &tail
        mov     r11, 4(r13)
        mov     r12, &taken
        dec     &tail
        mov     r8, 6(r13)
        add     r14, &room
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
code_bytes:
        mov     r7, r14
        swpb    r14
        mov.b   r14, r14
        sub     r14, &units
__hc_code_bytes:
        mov.b   &at, r13
        cmp.b   bytes(r13), r7
        jne     any_byte
        mov     r13, r4
        and     #7, r4
        tst.b   byte_levels(r4)
        jnz     any_byte
        dec.b   0(r9)
        jz      any_run_ends
        mov     r7, r15
        call    #byte_passed
byte_coded:
        note
        sub     #0x100, r7
        jnc     bytes_done
        mov.b   @r5+, r14
        and     #0xff00, r7
        bis     r14, r7
        jmp     __hc_code_bytes
any_run_ends:
        inc.b   0(r9)
any_byte:
        mov.b   r7, r14
        call    #code_byte
        jmp     byte_coded
bytes_done:
        inc     r5
        bic     #1, r5
        jmp     next_entry

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
        call    #byte_passed
        jmp     difference

; r13 = where in the message it was, r15 = byte
byte_passed:
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
        ret

; r6 = tag
tag:
#if HC_DMA
        cmp     #HC_RING_MEMORY, r6
        jhs     memory
#endif
        sub     #INTERRUPT_UNITS - 1, &units
        mov     r6, r14
        and     #HC_RING_TIMER, r14
        jz      __hc_code_interrupt
        swpb    r14
        rla     r14
#if HC_CODEC_TIMER_FIRST
        add     #HC_CODEC_TIMER_FIRST, r14
#endif
        and     #HC_CODEC_TIMERS - 2, r14
        mov     @r5+, r15
        mov     r15, timer(r14)                 ; what it is predicted from
__hc_code_interrupt:
        bit     #HC_RING_ASLEEP, r6
        mov.b   r6, r6
        jz      code_awake
        bic     #HC_RING_ASLEEP, r6
        mov     r6, r7
        rra     r7
        mov     r8, r4
        and     #4 * 1, r4
        add     #wakes, r4
        guess
        jmp     noted

code_awake:
        push    r6
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
        call    #guess_any
        mov     @r5+, r7
        mov     #count, r4
        call    #guess_any
        pop     r7                              ; as the ring has it
        bit     #HC_RING_HASHED, r7
        jz      noted
        mov     @r5+, r7
        mov     @r5+, r14
        bit     #HC_RING_HASHED, r6
        jz      noted
        call    #word
        mov     r7, r14
        call    #word
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
        br      #guess_any

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
        dec     &units
        mov.b   @r5+, r14
        call    #code_byte
        dec     r7
        jnz     memory_byte
        note
        inc     r5
        bic     #1, r5
        jmp     next_entry
#endif
        .size   __hc_take, . - __hc_take
#endif
