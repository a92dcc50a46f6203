; What hc_update does in which order, and resets. runtime/record.c is the same in C.
;
; An update returns soon, whatever there is to do: it encodes some of what the ring holds, and then does one thing more.
;
; Called by entry.S, on the recorder's stack; no register is anybody's. Of what is called, the log and sinks use r11..r15.
#include "names.inc"

        .set    PATIENCE, 32            ; calls for a checkpoint between two attempts, at most
        .set    TAKEN_ALONE, 32         ; units (encode.S) of what an update takes from the ring
        .set    TAKEN_WAITING, 24       ; while a page waits: it may have to go to the shelf
        .set    TAKEN_BESIDE, 4         ; where it has done something for a checkpoint, too
        .set    TAKEN_AFTER, 22         ; where the sink was asked, or the last step of a checkpoint was tried
#if HC_SINK_FRAM
        .set    TAKEN_BESIDE_PAGE, 8    ; where a page was written, or all of one was looked at
#else
        .set    TAKEN_BESIDE_PAGE, 0
#endif
        .set    TAKEN_IN_TURN, 8        ; in a loop, as long as there is room
        .set    UNITS, 128              ; of 256 ticks in a second
        .set    BOOT_PATIENCE, 2000     ; looks at the sink at a reset: a tenth of a second; what is not written then waits

        .section .text.__hc_record_update, "ax", @progbits
        .balign 2

; ---- update ----

function __hc_record_update
        bit     #HC_RAM_FLAG_FULL, &flags
        jnz     ended
#if HC_CODEC_SETS == 0
        cmp     #HC_LIMIT_TURN, &limit  ; a loop may wait for what is soon over: it is held up as little as can be
        jne     at_length
        tst     &room                   ; after a loss there is no hurry
        jn      over
#if HC_HAS_SHELF
        mov     &free + 2, r12          ; loops alone must not fill the shelf
        sub     #RESCUE_ROOM, r12
        add     &free, r12
        rrc     r12                     ; its middle
        cmp     r12, &shelf_end
        jhs     at_length
#endif
        mov     #TAKEN_IN_TURN, r12
        cmp     #HC_RING / 3, &room
        jge     in_turn
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     at_length
        mov     #TAKEN_ALONE, r12
in_turn:
        br      #__hc_take
at_length:
        call    #look_at_clock
        cmp     #COPIED_ALL, &copied
        jne     not_last
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     not_last
        call    #hc_checkpoint_last
        jc      over                    ; it took its time: the ring is looked at the next time
        mov     #TAKEN_AFTER, r12
        jmp     take
not_last:
        call    #do_one_thing
        tst     r12
        jz      over
take:   call    #__hc_take
        cmp     &boundary, &tail
        jne     same_segment
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     same_segment
        call    #__hc_record_begin_segment
same_segment:
        call    #hc_selfcheck
        br      #hand_out

; r12 = units that may be taken from the ring besides; 0: a page was written, or all of one was looked at, which uses all time
; up where the sink is slow.
do_one_thing:
        mov     &copied, r12
        and     #-2, r12
        cmp     #COPIED_CLEAR, r12      ; or COPIED_AGAIN
        jne     not_clear
        call    #hc_checkpoint_clear
        jmp     done_beside
not_clear:
        call    #hc_checkpoint_begin    ; without the sink: looking for the stack's end takes as long as a page
        jnc     not_begun
        call    #__hc_record_more
done_beside:
        mov     #TAKEN_BESIDE, r12
        ret
not_begun:
        mov     #1, r12                 ; urgent: courtesy would cost events
        tst     &room
        jn      ask
        bit     #HC_RAM_FLAGS_WAIT, &flags
        jz      nothing_waits
#if HC_HAS_SHELF
        bit     #HC_RAM_FLAG_SHELF, &flags      ; which can wait for longer than the ring
        jz      page_waits
        cmp     #HC_PIECES_ROOM, &room
        jge     page_waits
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      nothing_done
        call    #hc_shelf_put
        mov     #TAKEN_WAITING, r12
        jc      done
page_waits:
#endif
        cmp     #__hc_page + 128, &__hc_page_next
        jhs     ask
        jmp     maybe_urgent
nothing_waits:
        cmp     #HC_RING / 2, &room     ; the ring comes first
        jl      nothing_done
maybe_urgent:
        bit     #HC_WORK_SINK | HC_WORK_FREEZE | HC_WORK_LATE, &work
        jnz     ask
        bit     #0xffff - HC_WORK_CHECK, &work
        jz      nothing_done
        clr     r12
ask:    call    #hc_port_may_write
        tst.b   r12
        jz      nothing_done
        mov     &flags, r12
        push    r12
        mov     &sequence, r12
        push    r12
        call    #hc_sink_open
        call    #use_sink
        pop     r12
        pop     r13
        xor     &sequence, r12          ; a page was written
        xor     &flags, r13
        and     #HC_RAM_FLAG_BLANK, r13 ; or looked at
        bis     r13, r12
        tst     r12
        mov     #TAKEN_AFTER, r12
        jz      unless_waiting
        mov     #TAKEN_BESIDE_PAGE, r12
        ret
nothing_done:
        mov     #TAKEN_ALONE, r12
unless_waiting:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      done
        mov     #TAKEN_WAITING, r12
done:   ret
#else
        mov     &copied, r12
        and     #-2, r12
        cmp     #COPIED_CLEAR, r12      ; or COPIED_AGAIN
        jne     not_clear
        br      #hc_checkpoint_clear
not_clear:
        call    #hc_checkpoint_begin
        jc      __hc_record_more
        mov     #1, r12                 ; several pages may come of one event
        call    #hc_port_may_write
        tst.b   r12
        jz      over
        call    #hc_sink_open
        mov     #TAKEN_ALONE, r12
        call    #__hc_take
        cmp     #COPIED_ALL, &copied
        jne     ready
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     ready
        call    #hc_sink_close          ; its registers are the program's
        br      #hc_checkpoint_last
ready:
#endif
use_sink:
        call    #hc_log_ready
        tst.b   r12
        jz      close
        bic     #HC_WORK_MORE, &work
        call    #step
close:  call    #hc_sink_close
        bic     #HC_WORK_SINK, &work
        tst.b   r12
        jnz     __hc_record_more
        bis     #HC_WORK_SINK, &work
; Whether the next update has to go on.
function __hc_record_more
        bit     #HC_RAM_FLAGS_WAIT, &flags
        jnz     go_on
        tst     &made
        jnz     go_on
        tst     &copied
        jnz     go_on
        bit     #HC_WORK_FLUSH, &work
        jnz     go_on
        bic     #HC_WORK_LATE, &work
        ret
go_on:  bis     #HC_WORK_MORE, &work
over:   ret

; Recording is over: the program appends to a ring that nobody reads.
ended:  mov     #0x7fff, &room
        clr     &work
        ret

; One thing that is due. The sink is open and ready.
step:   bit     #HC_RAM_FLAGS_WAIT, &flags
        jz      step_waiting
        br      #hc_log_flush
step_waiting:
        tst     &made
        jz      step_made
        br      #__hc_record_waiting
step_made:
#if HC_CODEC_SETS
        call    #__hc_record_even_out
#endif
        bit     #HC_WORK_FREEZE, &work
#if HC_ORDERED
        jz      step_goes_on
        bit     #HC_WORK_HANDED, &work  ; not before all that came before it
        jz      over
        jmp     freeze
step_goes_on:
#else
        jnz     freeze
#endif
        cmp     #COPIED_AGAIN + 1, &copied
        jhs     step_copy
        tst     &copied
        jnz     over
        br      #hc_log_erase_ahead     ; nothing must wait for that, and pages that come meanwhile need the memory
step_copy:
        br      #hc_checkpoint_copy

freeze:
#if HC_CODEC_SETS
        call    #hc_codec_finish
        call    #hc_log_flush
#endif
        bic     #HC_WORK_FREEZE | HC_WORK_HANDED, &work
        bit     #HC_RAM_FLAG_FROZEN, &flags
        jnz     over
        mov     #MARK, r12
        mov     &present, r13
        mov     #reason, r14
        mov     #2, r15
        br      #hc_log_write

; ---- pages ----

#if HC_CODEC_SETS == 0
; There is no place for a page. What comes behind it is of a segment that has no beginning, also if that is not the newest.
drop_page:
        tst     &boundary
        jz      drop_newest
        inc     &present
drop_newest:
        inc     &present
        jmp     __hc_record_lose

; A page of the codec's waits elsewhere until it can be written. r12 = length
function __hc_page_full
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     drop_page
        mov     r12, &spare_length      ; and its stream: MIXED
        call    #__hc_coded_segment
        mov     r13, &spare_segment
        cmp     &present, r13
        jne     not_worth
        clr     &tries                  ; the segment was worth its beginning
        jmp     move_whole
not_worth:
        cmp     #2 * PATIENCE, &tries   ; the next one has begun already
        jlo     move_whole
        mov     #PATIENCE, &tries
move_whole:
        mov     #HC_PAGE_PAYLOAD, r12
move_page:
        mov     __hc_page - 2(r12), __hc_spare - 2(r12)
        mov     __hc_page - 4(r12), __hc_spare - 4(r12)
        sub     #4, r12
        jnz     move_page
        bis     #HC_RAM_FLAG_SPARE, &flags      ; a reset finds it there, or not yet
        ret

; r13 = the segment whose events are being encoded: the one before, while some of it are in the ring
function __hc_coded_segment
        mov     &present, r13
        tst     &boundary
        jz      coded_present
        dec     r13
coded_present:
        ret

; A page that is old is handed out though it is not full, and before the log is frozen. What is in the ring may be as old, and
; goes with it: until the ring is empty, each update takes more.
hand_out:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     over
        bit     #HC_WORK_FLUSH | HC_WORK_FREEZE, &work
        jz      over
        bit     #HC_WORK_HANDED, &work
        jnz     over
        cmp     &head, &tail
        jne     over
        bit     #HC_WORK_FREEZE, &work
        jz      hand_out_now
        bis     #HC_WORK_HANDED, &work
hand_out_now:
        call    #hc_codec_finish
        bic     #HC_WORK_FLUSH, &work
        jmp     __hc_record_more

; How old the page is, or what waits for a program that needs the bus, by a timer that counts ACLK and comes round.
look_at_clock:
        bic     #HC_WORK_LOOK, &work
        cmp     &events, &page_events
        jne     is_older
        cmp     &head, &tail            ; what waits there may be as old
        jne     is_older
        bit     #HC_WORK_MORE, &work
        jnz     is_older
        clr     &age
is_older:
        mov     #HC_TIMER_ADDRESS(HC_TIMERS_PRESENT), r13
find_clock:
        mov     @r13, r12
        and     #HC_TIMER_CLOCK_MASK, r12
        cmp     #HC_TIMER_CLOCK, r12
        jeq     found_clock
        sub     #HC_TIMER_ADDRESS(1) - (HC_TIMER_ADDRESS(0)), r13
        cmp     #HC_TIMER_ADDRESS(0), r13
        jne     find_clock
        mov     #head, &clock           ; four bytes, an event or two, are a quarter of a second then
        mov     &head, r12
        mov     r12, r13
        sub     &stamp, r12
        jhs     no_wrap
        add     #HC_RING, r12
no_wrap:
        mov     r13, &stamp
        rla     r12
        rla     r12
        rla     r12
        jmp     older
found_clock:
        add     #HC_TIMER_R, r13
        mov     r13, &clock
        mov     @r13, r12
        sub     &stamp, r12
        and     #0xff00, r12            ; what is less than a unit is counted the next time
        add     r12, &stamp
        swpb    r12
older:  add     r12, &age
#if HC_FLUSH_BELOW
        bit.b   #HC_SVSFG, &HC_SVSCTL
        jz      supply_fine
        bic.b   #HC_SVSFG, &HC_SVSCTL   ; set again at once while it is low
        cmp     #UNITS / 2, &age
        jlo     supply_fine
        clr     &age
        bis     #HC_WORK_FLUSH | HC_WORK_LATE, &work
        ret
supply_fine:
#endif
        cmp     #HC_LATE * UNITS, &age
        jlo     clock_seen
        clr     &age
#if HC_FLUSH
        bis     #HC_WORK_FLUSH | HC_WORK_LATE, &work
#else
        bis     #HC_WORK_LATE, &work
#endif
clock_seen:
        ret
#endif

; r10 = the piece behind the one that it was; registers are none.
function __hc_next_piece
        add     #4, r10
        cmp     #pieces_registers, r10
        jne     next_is_memory
        add     #4, r10
next_is_memory:
        ret

; Nothing is appended any more until there is another checkpoint.
function __hc_record_lose
        mov     #newest, &newest
        mov     #HC_ROOM_LOST, &room
        ret

; All events of the segment before are in its pages. Its last one goes to the spare page; it must be free.
function __hc_record_begin_segment
        call    #hc_codec_finish
#if HC_CODEC_SETS
        call    #hc_log_flush
#endif
        clr     &boundary
        mov     #pieces, &window
        clr     &window_at
        call    #hc_codec_start
        br      #__hc_record_more

; ---- reset ----

; The log is looked at, and pages are written, as fast as the part can at any supply. Clocks are as after a reset then.
.macro fast
#ifdef HC_PART_F1XX
        mov.b   #0x87, &HC_CLOCK_CONTROL
#endif
.endm
.macro slow
#ifdef HC_PART_F1XX
        mov.b   #0x84, &HC_CLOCK_CONTROL
#endif
.endm

; r10 = how often the sink is asked. r12 = 0: it is not ready
function hc_record_open_log
        fast
        call    #hc_sink_open
open_again:
        call    #hc_log_ready
        tst.b   r12
        jnz     opened
        dec     r10
        jnz     open_again
opened: ret
function hc_record_close_log
        call    #hc_sink_close
        slow
        ret

; Everything as after a reset. Of the program's registers, too, which are all 0 then. r9 = 1: RAM held a life of this program
function __hc_record_reset
#ifdef HC_PART_F1XX
        mov.b   &HC_CAUSE, r8
#else
        mov     &HC_PMMIFG, r8
        bit     #1, &HC_SFRIFG1         ; WDTIFG
        jz      not_watchdog
        bis     #1, r8
not_watchdog:
#endif
        push    r8                      ; what the beginning says at its end
#if HC_SINK_YIELDS
        clr     &__hc_ram + HC_RAM_SAVED + HC_SINK_WRITTEN
#endif
        clr     r9
#if HC_RESCUES
        call    #hc_rescue
        tst     r9
        jnz     reset_ram
#endif
        clr     &flags
reset_ram:
        push    r9
#if HC_FLUSH_BELOW
        mov.b   #HC_SVS_LEVEL, &HC_SVSCTL
#endif
        mov     #__hc_ram, r12
        mov     #ring, r13
        call    #__hc_zero
        mov     #page, r12
        mov     #boundary + 2, r13
        call    #__hc_zero
        mov     &free, r12
        mov     &free + 2, r13
        call    #__hc_zero
        mov     #ring, &head
        mov     #ring, &tail
        mov     #newest, &newest
        mov     #head, &clock
        mov     #ring, &stamp
        mov     #HC_IDLE, &idle
        mov     #HC_WORK_SINK | HC_WORK_MORE, &work
        mov     #HC_ROOM, &room
        mov     #pieces, &window
#if HC_OPENS_AT_RESET
        mov     #BOOT_PATIENCE, r10
        call    #hc_record_open_log
        call    #hc_record_close_log
#endif
        pop     r13
        pop     r12
        call    #hc_checkpoint_boot
#if HC_OPENS_AT_RESET
        mov     #BOOT_PATIENCE, r10
        call    #hc_record_open_log
        tst.b   r12
        jz      boot_waits
        call    #hc_checkpoint_boot_write
boot_waits:
        call    #hc_record_close_log
#endif
        call    #hc_checkpoint_boot_end
        mov     &build, r12
        xor     #MAGIC, r12
        mov     r12, &magic
        br      #hc_codec_start

; Words from r12 up to r13 become 0. Uses r14
zero_words:
        .irp    at, 0, 2, 4, 6, 8, 10, 12, 14
        clr     \at(r12)
        .endr
        add     #16, r12
function __hc_zero
        cmp     r13, r12
        jhs     zeroed
        mov     r13, r14
        sub     r12, r14
        cmp     #16, r14
        jhs     zero_words
zero_word:
        clr     0(r12)
        incd    r12
        cmp     r13, r12
        jlo     zero_word
zeroed: ret
        .size   __hc_record_update, . - __hc_record_update
