; What hc_update does in which order, checkpoints, resets. runtime/record.c and checkpoint.c are the same in C.
;
; An update returns soon, whatever there is to do: it encodes some of what the ring holds, and then does one thing more. So
; a checkpoint takes many of them, as a virtual machine is moved to another host while it runs:
;
;     copy      each update copies some memory into a page, with two sums over each block of it kept in a table
;     last      with interrupts off: the sums are made again, and blocks that differ are copied to where the table ends,
;               behind the registers of the CPU and of peripherals. Here the segment begins
;     write     each update writes a page of these, in the end one that makes the checkpoint valid
;     clear     table and copies become zero again
;
; The table and the last copies lie in memory that no section lies in, below anything that the stack ever reached:
;
;     free                                   lowest                                    end of free
;       | sums | registers, changed blocks |   | 0 0 0 | the stack, as deep as it ever was |
;       ^ free ^ start                     ^ made
;
; A program whose stack gets there meanwhile is noticed by a sum: the segment is void, and another checkpoint is taken. Where
; memory is too small for that, all of it is written at once with interrupts off, by way of the ring, which is empty then.
;
; Called by entry.S, on the recorder's stack; no register is anybody's. Of what is called, the log and sinks use r11..r15.
#include "codec/page.h"
#include "layout.h"
#include "link.h"
#include "part.h"
#include "sink.h"
#include "function.inc"

        .set    GIE, 8
        .set    TRIES, 8                ; attempts at a checkpoint before interrupts are kept off for it
        .set    PATIENCE, 32            ; calls for a checkpoint between two attempts, at most
        .set    MARGIN, 64              ; bytes below the stack that are left alone
        .set    CHUNK, 240              ; bytes of memory in a page
        .set    BLOCK, 60               ; bytes that have two sums; CHUNK is a multiple
        .set    RECORD, 4               ; bytes of a record's head: address, length
        .set    BEGIN_MAX, 14           ; bytes of the page that makes a beginning valid
        .set    WINDOW, 768             ; bytes of a self-check
        .set    STRIDE, 16              ; words that are looked at together; `free` has as many
        .set    TAKEN_ALONE, 38         ; units (encode.S) of what an update takes from the ring
        .set    TAKEN_BESIDE, 8        ; where it has written a page, too
        .set    TAKEN_IN_TURN, 8        ; in a loop, as long as there is room
        .set    MIXED_FULL, HC_PAGE_PAYLOAD - HC_MIXED_TRAILER
        .set    IDLE, 16                ; updates with nothing to do between two looks at the clock
        .set    MAGIC, 0x6c69
        .set    BOOT_PATIENCE, 2000     ; looks at the sink at a reset: a tenth of a second; what is not written then waits
        .set    RESCUE_PATIENCE, 0      ; 65,536 looks: for as long as an erase may take

; enum hc_stream, checked in link.c
        .set    BOOT, 2
        .set    CHECKPOINT, 3
        .set    COMMIT, 4
        .set    RECOVERY, 5
        .set    MARK, 6
        .set    RESCUE, 7

; `copied`, besides a piece's place
        .set    COPIED_ALL, 1
        .set    COPIED_CLEAR, 2

        .set    count, __hc_ram + HC_RAM_COUNT
        .set    laps, __hc_ram + HC_RAM_LAPS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    state, __hc_ram + HC_RAM_STATE
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    newest, __hc_ram + HC_RAM_NEWEST
        .set    top, __hc_ram + HC_RAM_TOP
        .set    idle, __hc_ram + HC_RAM_IDLE
        .set    application, __hc_ram + HC_RAM_APPLICATION
        .set    application_sp, __hc_ram + HC_RAM_APPLICATION_SP
        .set    ended_boot, __hc_ram + HC_RAM_ENDED + 2 * HC_ENDED_BOOT
        .set    ended_segment, __hc_ram + HC_RAM_ENDED + 2 * HC_ENDED_SEGMENT
        .set    ended_sequence, __hc_ram + HC_RAM_ENDED + 2 * HC_ENDED_SEQUENCE
        .set    ended_flags, __hc_ram + HC_RAM_ENDED + 2 * HC_ENDED_FLAGS
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    magic, __hc_ram + HC_RAM_MAGIC
        .set    ring, __hc_ram + HC_RAM_RING
        .set    ring_end, ring + HC_RING
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    boot, __hc_ram + HC_RAM_NEXT + 2
        .set    sequence, __hc_ram + HC_RAM_NEXT + 6
        .set    sequence_high, __hc_ram + HC_RAM_NEXT + 8
        .set    erased, __hc_ram + HC_RAM_ERASED
        .set    segment, __hc_ram + HC_RAM_SEGMENT
        .set    present, __hc_ram + HC_RAM_PRESENT
        .set    page, __hc_ram + HC_RAM_PAGE
        .set    made, __hc_ram + HC_RAM_MADE
        .set    checksum, __hc_ram + HC_RAM_CHECKSUM
        .set    beginning, __hc_ram + HC_RAM_BEGINNING
        .set    tries, __hc_ram + HC_RAM_TRIES
        .set    start, __hc_ram + HC_RAM_START
        .set    copied, __hc_ram + HC_RAM_COPIED
        .set    copied_at, __hc_ram + HC_RAM_COPIED_AT
        .set    sums_end, __hc_ram + HC_RAM_SUMS_END
        .set    lowest, __hc_ram + HC_RAM_LOWEST
        .set    window, __hc_ram + HC_RAM_WINDOW
        .set    window_at, __hc_ram + HC_RAM_WINDOW_AT
        .set    age, __hc_ram + HC_RAM_AGE
        .set    stamp, __hc_ram + HC_RAM_STAMP
        .set    events, __hc_page + HC_PAGE_PAYLOAD     ; of the segment
        .set    taken, __hc_ram + HC_RAM_TAKEN
        .set    page_events, events + 2         ; of it, before the page
        .set    check, events + 4               ; index, count, sum
        .set    boundary, __hc_ram + HC_RAM_BOUNDARY

        .set    begin, __hc_link + HC_LINK_BEGIN
        .set    build, __hc_link + HC_LINK_BUILD
        .set    free, __hc_link + HC_LINK_FREE
        .set    pieces, __hc_link + HC_LINK_PIECES
        .set    pieces_registers, pieces + 4 * HC_PIECES_REGISTERS
        .set    pieces_lasting, pieces_registers + 4
        .set    pieces_noinit, pieces + 4 * HC_PIECES_NOINIT
        .set    pieces_end, pieces + 4 * HC_PIECES

        .set    spare_length, __hc_spare + HC_PAGE_PAYLOAD
        .set    spare_stream, spare_length + 1
        .set    spare_segment, spare_length + 2

#define HC_OPENS_AT_RESET (HC_SINK_M25P80 || HC_SINK_FLASH || HC_SINK_FRAM)  /* others are the program's to set up */
#define HC_RESCUES (HC_OPENS_AT_RESET && HC_CODEC_SETS == 0)

        .section .text.__hc_record_update, "ax", @progbits
        .balign 2

; Interrupts as they were when SR was pushed.
.macro pop_sr
        nop
        pop     sr
        nop
.endm

; mov @r4+, at(r6), which LLVM's assembler does not know.
.macro move_word at
        .word   0x44b6, \at
.endm

; ---- update ----

function __hc_record_update
        mov     #IDLE, &idle
        bit     #HC_RAM_FLAG_FULL, &flags
        jnz     ended
#if HC_CODEC_SETS == 0
        cmp     #HC_LIMIT_TURN, &limit  ; a loop may wait for what is soon over: as long as there is room, it is held up little
        jne     at_length
        mov     #TAKEN_IN_TURN, r12
        cmp     #HC_RING / 3, &room
        jl      at_length
        br      #__hc_take
at_length:
        call    #last_if_due            ; takes its time: the ring is looked at the next time
        jc      over
        call    #look_at_clock
        call    #do_one_thing
        mov     #TAKEN_BESIDE, r12
        jc      take
        mov     #TAKEN_ALONE, r12
take:   call    #__hc_take
        cmp     &boundary, &tail
        jne     same_segment
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     same_segment
        call    #begin_segment
same_segment:
        call    #self_check
        call    #hand_out
        cmp     &head, &tail
        jne     over
        call    #has_room               ; where not, the last step needs the ring, empty
        jge     over
; C: it is taken, or given up.
last_if_due:
        cmp     #COPIED_ALL, &copied
        jne     nothing_done
        bit     #HC_RAM_FLAG_SPARE, &flags      ; comes first: the last step may need it
        jnz     nothing_done
        br      #last

; C: there was something to do, and it took its time.
do_one_thing:
        cmp     #COPIED_CLEAR, &copied
        jne     not_clear
        call    #clear
        setc
        ret
not_clear:
        call    #begin_checkpoint       ; without the sink: looking for the stack's end takes as long as a page
        jnc     not_begun
        call    #more
        setc
        ret
not_begun:
        mov     #1, r12                 ; urgent: courtesy would cost events
        tst     &room
        jn      ask
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      no_spare
        cmp     #__hc_page + 128, &__hc_page_next
        jhs     ask
        jmp     maybe_urgent
no_spare:
        cmp     #HC_RING / 2, &room     ; the ring comes first
        jl      nothing_done
maybe_urgent:
        bit     #HC_WORK_SINK | HC_WORK_FREEZE | HC_WORK_LATE, &work
        jnz     ask
        tst     &work
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
        add     #-1, r12
        ret
nothing_done:
        clrc
        ret
#else
        cmp     #COPIED_CLEAR, &copied
        jne     not_clear
        br      #clear
not_clear:
        call    #begin_checkpoint
        jc      more
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
        br      #last
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
        jnz     more
        bis     #HC_WORK_SINK, &work
; Whether the next update has to go on.
more:   bit     #HC_RAM_FLAG_SPARE, &flags
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
step:   bit     #HC_RAM_FLAG_SPARE, &flags
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
        jnz     freeze
        mov     &erased, r10
        call    #hc_log_erase_ahead
        cmp     &erased, r10
        jne     over                    ; nothing must wait for that
        cmp     #COPIED_CLEAR + 1, &copied
        jhs     copy
        ret

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
; A page of the codec's waits elsewhere until it can be written. r12 = length
function __hc_page_full
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     __hc_record_lose
        mov     r12, &spare_length      ; and its stream: MIXED
        call    #coded_segment
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
coded_segment:
        mov     &present, r13
        tst     &boundary
        jz      coded_present
        dec     r13
coded_present:
        ret

; A page that is old is handed out though it is not full, and before the log is frozen.
hand_out:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     over
        bit     #HC_WORK_FLUSH | HC_WORK_FREEZE, &work
        jz      over
        bit     #HC_WORK_HANDED, &work
        jnz     over
        bit     #HC_WORK_FREEZE, &work
        jz      hand_out_now
        tst     &room
        jn      hand_out_last
        cmp     &head, &tail            ; all that was before goes out
        jne     over
hand_out_last:
        bis     #HC_WORK_HANDED, &work
hand_out_now:
        call    #hc_codec_finish
        bic     #HC_WORK_FLUSH, &work
        jmp     more

; How old the page is, or what waits for a program that needs the bus, by a timer that counts ACLK and comes round.
look_at_clock:
        mov     #HC_TIMER_ADDRESS(HC_TIMERS_PRESENT), r13
find_clock:
        mov     @r13, r12
        and     #HC_TIMER_CLOCK_MASK, r12
        cmp     #HC_TIMER_CLOCK, r12
        jeq     found_clock
        sub     #HC_TIMER_ADDRESS(1) - (HC_TIMER_ADDRESS(0)), r13
        cmp     #HC_TIMER_ADDRESS(0), r13
        jne     find_clock
        mov     #IDLE / 4, &idle        ; a quarter of a second for each event then
        mov     &events, r12
        mov     &stamp, r13
        mov     r12, &stamp
        sub     r13, r12
        and     #31, r12
        .rept   5
        rla     r12
        .endr
        jmp     older
found_clock:
        mov     HC_TIMER_R(r13), r12
        sub     &stamp, r12
        add     r12, &stamp
        swpb    r12
        mov     r12, r13
        mov.b   r12, r12
        xor     r12, r13                ; what is less than a unit is counted the next time
        swpb    r13
        sub     r13, &stamp
older:  cmp     &events, &page_events
        jne     page_older
        bit     #HC_WORK_MORE, &work
        jnz     page_older
        clr     &age
page_older:
        add     r12, &age
        cmp     #HC_LATE * 128, &age
        jlo     clock_seen
        clr     &age
#if HC_FLUSH
        bis     #HC_WORK_FLUSH | HC_WORK_LATE, &work
#else
        bis     #HC_WORK_LATE, &work
#endif
clock_seen:
        ret

; ---- self-check ----

; Once in a page, when nothing is in the ring: sums over the position counter, SP, r4 to r10, where hc_update returns to, and
; the next window of memory. r8 and r9 are the sums.
self_check:
        cmp.b   #-1, &check
        jne     over
        cmp     &head, &tail
        jne     over
        push    sr
        dint
        nop
        mov     &events, r7
        sub     &page_events, r7
        cmp     #255, r7
        jhs     unchecked
        cmp     &head, &tail
        jne     unchecked
        tst     &room
        jn      unchecked               ; the program went on without us
        mov     &count, r8
        mov     r8, r9
        mov     &application_sp, r4
        add     r4, r8
        add     r8, r9
        mov     #application, r4
        mov     #application + 14, r5
        call    #add_words
        mov     &application_sp, r4
        incd    r4
        mov     r4, r5
        incd    r5
        call    #add_words
        call    #next_window
        call    #add_words
        mov.b   &count, r12
        swpb    r12
        bis     r12, r7
        mov     r7, &check
        swpb    r9
        bit     #1, r9
        rrc     r9
        xor     r8, r9
        mov     r9, &check + 2
unchecked:
        pop_sr
        ret

; Words from r4 up to r5 are added to the sums. Uses r12
add_words:
        mov     r5, r12
        sub     r4, r12
        cmp     #12, r12
        jlo     add_rest
        .rept   6
        add     @r4+, r8
        add     r8, r9
        .endr
        jmp     add_words
add_word:
        add     @r4+, r8
        add     r8, r9
add_rest:
        cmp     r5, r4
        jlo     add_word
        ret

; r4..r5: what the self-check looks at.
next_window:
#if HC_DMA
        mov     &HC_DMA_FIRST, r12
        bis     &HC_DMA_FIRST + HC_DMA_CHANNEL, r12
        bis     &HC_DMA_FIRST + 2 * HC_DMA_CHANNEL, r12
        bit     #HC_DMAEN | HC_DMAIFG, r12
        jz      window_here
        clr     r4                      ; memory is being written, or was and nobody knows yet
        clr     r5
        ret
window_here:
#endif
        mov     &window, r10
        mov     &window_at, r4
window_piece:
        cmp     #pieces_noinit, r10
        jeq     window_stack
        mov     2(r10), r5
        tst     r4
        jnz     window_goes_on
        mov     @r10, r4
window_goes_on:
        cmp     r5, r4
        jlo     window_found
        clr     r4
        call    #next_piece
        jmp     window_piece
window_stack:
        mov     #pieces, &window
        clr     &window_at
        mov     &application_sp, r4
        mov     &free + 2, r5
        cmp     &free, r4
        jlo     window_none
        incd    r4
        cmp     r5, r4
        jlo     window_end
window_none:
        mov     r5, r4
        ret
window_found:
        mov     r10, &window
        call    #window_end
        mov     r5, &window_at
        ret
; At most WINDOW bytes.
window_end:
        mov     r5, r12
        sub     r4, r12
        cmp     #WINDOW, r12
        jlo     window_short
        mov     r4, r5
        add     #WINDOW, r5
window_short:
        ret
#endif

; r10 = the piece behind the one that it was; registers are none.
next_piece:
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

; ---- checkpoints: copy ----

; A node that has no time for it must not spend all of its time on it: attempts are made at calls 1, 2, 4, 8, 16, 32, 64, 96...
; since a segment had a page of events before the next one began.
; C: one is being taken since.
begin_checkpoint:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     no_checkpoint
        bit     #HC_WORK_FREEZE, &work
        jnz     no_checkpoint
        tst     &copied
        jnz     no_checkpoint
        tst     &made
        jnz     no_checkpoint
        bit     #HC_WORK_CHECKPOINT, &work
        jnz     try_checkpoint
        tst     &room
        jge     no_checkpoint
try_checkpoint:
        inc     &tries
        mov     &tries, r12
        dec     r12
        bit     &tries, r12
        jnz     no_checkpoint
        mov     &free, r7
        mov     &free + 2, r5
        clr     r8
        sub     #2 * STRIDE, r5
find_stack_fast:
        cmp     r7, r5
        jlo     find_stack
        .rept   STRIDE
        bis     @r7+, r8
        .endr
        tst     r8
        jz      find_stack_fast
        sub     #2 * STRIDE, r7
        clr     r8
find_stack:
        cmp     &free + 2, r7
        jhs     found_stack
        add     @r7+, r8
        jz      find_stack
found_stack:
        sub     #MARGIN, r7
        mov     r7, &lowest
        mov     &free, r6
        mov     r6, &sums_end
        mov     r6, &start
        sub     r6, r7
        cmp     #2 * CHUNK, r7
        jl      copy_done
        mov     #pieces, &copied
        clr     &copied_at
        setc
        ret
; All of it is copied in the end, with interrupts off.
copy_done:
        mov     #COPIED_ALL, &copied
        setc
        ret
no_checkpoint:
        clrc
        ret

; Two words go into the sums of a block. Plain sums do not see small changes that cancel each other; these hardly ever miss
; one, and take four cycles a word, which is what counts: interrupts are off.
.macro mix_pair
        add     @r4+, r12
        add     r12, r13
        swpb    r12
        add     @r4+, r13
        add     r13, r12
        swpb    r13
.endm

; A chunk of memory and its sums. Interrupts are off while a block is copied: what is in the page is what has the sums.
; r4..r7: from, up to, to, end of the chunk; r8: block; r10: not 0 if there is anything to write
copy:   mov     &lowest, r13
        call    #stack_meets
        jlo     copy_meets_stack
        mov     &copied, r10
        mov     &copied_at, r4
        clr     r11
        cmp     &free, &sums_end
        jne     copy_piece
        inc     r11                     ; the first chunk
copy_piece:
        mov     @r10, r12
        mov     2(r10), r7
        cmp     #pieces_noinit, r10
        jne     copy_memory
        mov     &lowest, r12
        mov     &free + 2, r7
copy_memory:
        tst     r4
        jnz     copy_goes_on
        mov     r12, r4
copy_goes_on:
        cmp     r7, r4
        jlo     copy_chunk
        cmp     #pieces_noinit, r10
        jeq     copy_done
        clr     r4
        call    #next_piece
        jmp     copy_piece
copy_chunk:
        mov     r10, &copied
        mov     r7, r12
        sub     r4, r12
        mov     #CHUNK, r13
        mov     #__hc_spare, r6
        mov     r11, r10
        tst     r11
        jz      copy_size
        mov     #CHUNK - BLOCK, r13
        call    #put_first
copy_size:
        cmp     r12, r13
        jhs     copy_short
        mov     r13, r12
copy_short:
        mov     r4, r7
        add     r12, r7
        mov     r4, 0(r6)
        mov     r12, 2(r6)
        add     #RECORD, r6
copy_block:
        mov     &sums_end, r12
        add     #4, r12
        cmp     &lowest, r12
        jhs     copy_meets_stack
        push    sr
        dint
        nop
        call    #block_end
        mov     r4, r8
        tst     r10
        jnz     copy_words
copy_any:
        bis     @r4+, r10
        cmp     r5, r4
        jne     copy_any
        mov     r8, r4
copy_words:
        call    #put_words
        mov     r8, r4
        call    #sum_block
        mov     &sums_end, r14
        mov     r12, 0(r14)
        mov     r13, 2(r14)
        add     #4, &sums_end
        pop_sr
        cmp     r7, r4
        jne     copy_block
        mov     r4, &copied_at
        tst     r10
        jz      no_checkpoint           ; memory is zero where no record is
        sub     #__hc_spare, r6
        bis     #CHECKPOINT * 256, r6
        mov     r6, &spare_length       ; and its stream
        mov     &present, r12
        inc     r12
        mov     r12, &spare_segment
        bis     #HC_RAM_FLAG_SPARE, &flags
        br      #hc_log_flush
copy_meets_stack:
        br      #abandon

; Records before this one, of an attempt that was given up, do not count.
put_first:
        clr     0(r6)
        clr     2(r6)
        add     #RECORD, r6
        ret

; LO: the program's stack has come below r13, in memory that no section lies in. One elsewhere, of a thread, cannot. Uses r12
stack_meets:
        mov     &application_sp, r12
        cmp     &free, r12
        jlo     stack_elsewhere
        cmp     r13, r12
        ret
stack_elsewhere:
        setc
        ret

; r5 = the end of the block that begins at r4, or r7
block_end:
        mov     r7, r5
        sub     r4, r5
        cmp     #BLOCK + 1, r5
        jlo     block_short
        mov     #BLOCK, r5
block_short:
        add     r4, r5
        ret

; ---- checkpoints: last ----

; r6 = where records go, r7 up to where, r9 = count of interrupts, r10 = piece, r11 = sums of the table
; C: it is taken, or given up. Otherwise it is tried again.
last:   mov     &lowest, r13
        call    #stack_meets
        jlo     abandon
        push    sr
        cmp     #TRIES, &tries
        jlo     last_try
        dint
        nop
last_try:
        call    #count_interrupts
        mov     r12, r9
        mov     &sums_end, r6
        mov     &lowest, r7
        call    #has_room
        jge     last_fits
        dint                            ; then the ring is at hand
        nop
        mov     #TRIES, &tries
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     last_fails
        cmp     &head, &tail
        jne     last_fails
        mov     #ring, r6
        mov     #ring_end, r7
last_fits:
        mov     r6, &start
        mov     r6, &page
        cmp     &free, &sums_end
        jne     last_goes_on
        call    #put_first              ; nothing was copied before
last_goes_on:
        call    #put_peripherals
        mov     #pieces_registers, r10
        mov     @r10, r4
        mov     2(r10), r5
        call    #put_record
        mov     &start, r13
        mov     r6, r14
        clr     r12
        call    #sum_words
        mov     r12, &checksum
        dint
        nop
        call    #count_interrupts
        cmp     r12, r9
        jne     last_fails
        mov     r6, r9                  ; up to here is summed
#if HC_CODEC_SETS
        cmp     &head, &tail
        jne     last_fails
#endif
        mov     &free, r11
        mov     #pieces, r10
last_piece:
        mov     @r10, r4
        mov     2(r10), r8
        cmp     #pieces_noinit, r10
        jne     last_memory
        mov     &lowest, r4
        mov     &free + 2, r8
last_memory:
        call    #put_changes
        jc      last_abandoned
        cmp     #pieces_noinit, r10
        jeq     last_done
        call    #next_piece
        jmp     last_piece

; The segment begins here: what is in the ring is of the one before. Stream COMMIT, or RECOVERY after a loss.
last_done:
        inc     &present
        mov     &head, &boundary
        mov     #COMMIT, r12
        tst     &room
        jge     last_stream
        inc     r12
        mov     &tail, r13
        sub     &head, r13
        jn      last_room
        jz      last_room
        sub     #HC_RING, r13
last_room:
        add     #HC_ROOM, r13
        mov     r13, &room
last_stream:
        mov     &count, r13
        call    #put_begin
        mov     #newest, &newest
        bic     #HC_WORK_CHECKPOINT, &work
        clr     &copied
#if HC_CODEC_SETS
        clr     &count
        clr     &laps
        call    #hc_sink_open
        call    #hc_log_flush
        call    #begin_segment
        call    #hc_sink_close
#endif
        cmp     #ring, &start
        jne     last_waits
        call    #sum_new
        call    #begin_segment
        call    #hc_sink_open
        call    #hc_log_flush           ; the last page of the segment before comes before the one that ends it
        call    #write_out              ; the ring is needed
        call    #hc_sink_close
        pop_sr
        setc
        ret
last_waits:
        call    #sum_new
        pop_sr
        call    #more
        setc
        ret
last_abandoned:
        call    #zero_records
        pop_sr
; Another attempt is made later. The program's stack may be deeper than it ever was before: what is below `lowest` was not
; copied.
abandon:
        mov     &sums_end, &page        ; up to where memory is ours
        mov     #COPIED_CLEAR, &copied
        setc
        ret
last_fails:
        call    #zero_records
        pop_sr
        inc     &tries
        clrc
        ret

; GE: there is room for records in unused memory. Uses r12
has_room:
        mov     &lowest, r12
        sub     &sums_end, r12
        cmp     #2 * CHUNK, r12
        ret

; r12 = another number after an interrupt: it left an entry, or was lost
count_interrupts:
        mov     &head, r12
        add     &interrupts, r12
        ret

; r6 = where records end that are of no use.
zero_records:
        mov     &sums_end, r12
        mov     r6, r13
        cmp     #ring, &start
        jeq     zero_none
        br      #zero
zero_none:
        ret

; All events of the segment before are in its pages. Its last one goes to the spare page; it must be free.
begin_segment:
        call    #hc_codec_finish
#if HC_CODEC_SETS
        call    #hc_log_flush
#endif
        clr     &boundary
        mov     #pieces, &window
        clr     &window_at
        call    #hc_codec_start
        br      #more

; r4..r8: a piece. Blocks of it that are not as the table (r11) says become records. C: there is no room. Uses r4, r5, r12..r15
put_changes:
        cmp     &sums_end, r11          ; was never copied: its sums are not known
        jhs     put_unknown
changes:
        mov     r4, r15
        mov     r8, r5
        sub     r4, r5
        cmp     #BLOCK, r5
        jlo     changes_rest
        clr     r12
        clr     r13
        .rept   BLOCK / 4
        mix_pair
        .endr
changes_compare:
        cmp     @r11+, r12
        jne     changes_differ
        cmp     @r11+, r13
        jeq     changes
        jmp     changes_put
changes_rest:
        tst     r5
        jz      no_changes
        mov     r8, r5
        call    #sum_block
        jmp     changes_compare
changes_differ:
        incd    r11
changes_put:
        mov     r4, r5
        mov     r15, r4
        call    #put_record
        jnc     changes
        ret
put_unknown:
        cmp     r8, r4
        jhs     no_changes
        mov     r7, r15
        mov     r8, r7
        call    #block_end
        mov     r15, r7
        call    #put_record
        jnc     put_unknown
        ret
no_changes:
        clrc
        ret

; r12, r13 = the sums of words from r4 up to r5. r4 = r5 then
sum_block:
        clr     r12
        clr     r13
        sub     #4, r5
        jmp     sum_next
sum_pair:
        mix_pair
sum_next:
        cmp     r4, r5
        jhs     sum_pair
        add     #4, r5
        cmp     r4, r5
        jeq     summed
        add     @r4+, r12
        add     r12, r13
        swpb    r12
summed: ret

; Memory from r4 up to r5 as a record. C: there is no room. Where interrupts are off for good, what is there is written then.
put_record:
        mov     r7, r12
        sub     r6, r12
        cmp     #BLOCK + RECORD + BEGIN_MAX, r12
        jlo     put_full
        mov     r4, 0(r6)
        mov     r5, r12
        sub     r4, r12
        mov     r12, 2(r6)
        add     #RECORD, r6
; Words from r4 up to r5 to where r6 is; they go on then. Uses r12
put_words:
        mov     r5, r12
        sub     r4, r12
        cmp     #BLOCK / 2, r12
        jlo     put_rest
        .irp    at, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
        move_word \at
        .endr
        add     #BLOCK / 2, r6
        jmp     put_words
put_word:
        move_word 0
        incd    r6
put_rest:
        cmp     r5, r4
        jlo     put_word
        clrc
        ret
put_full:
        cmp     #TRIES, &tries
        jhs     put_out
        setc
        ret
put_out:
        push    r4
        push    r5
        push    r11
        mov     r6, &made
        call    #hc_sink_open
        call    #write_pages
        call    #hc_sink_close
        mov     &start, r6
        mov     r6, &page
        mov     r6, r9
        clr     &checksum
        clr     &made
        pop     r11
        pop     r5
        pop     r4
        jmp     put_record

; The registers of peripherals: a word each, in the order of __hc_dump. Uses r4, r5, r10, r12
put_peripherals:
        mov     #1, 0(r6)
        push    r6
        add     #RECORD, r6
        clr     r4
        mov     #__hc_dump, r10
put_range:
        mov.b   @r10+, r5
        add     r5, r4
#if !HC_BYTES_END
        add     r5, r4
#endif
        mov.b   @r10+, r5
#if HC_BYTES_END
        cmp     #HC_BYTES_END, r4
        jhs     put_wide
put_narrow:
        mov.b   @r4+, r12
        mov     r12, 0(r6)
        incd    r6
        dec     r5
        jnz     put_narrow
        jmp     put_range_end
#endif
put_wide:
        move_word 0
        incd    r6
        dec     r5
        jnz     put_wide
put_range_end:
        cmp     #__hc_dump_end, r10
        jne     put_range
        pop     r10
        mov     r6, r12
        sub     r10, r12
        sub     #RECORD, r12
        mov     r12, 2(r10)
        ret

; What makes a beginning valid. r12 = stream, r13 = behind the program's own words: the counter, or what reset it
put_begin:
        mov     r12, &beginning
        mov     r6, &made
        mov     #begin, r4
put_own:
        mov     @r4+, r12
        mov     r12, 0(r6)
        incd    r6
        cmp     #begin + HC_LINK_BEGIN_SIZE, r4
        jne     put_own
        mov     r13, 0(r6)
        ret

; checksum less the sum of all words that wait: 0 if it was that. r14 = made
sum_made:
        mov     &start, r13
        clr     r12
        jmp     sum_from
; The same, where all up to r9 is in checksum already.
sum_new:
        mov     r9, r13
        mov     &checksum, r12
sum_from:
        mov     &made, r14
        call    #sum_words
        add     @r13+, r12
        add     10(r14), r12
        mov     &checksum, r13
        mov     r12, &checksum
        sub     r12, r13
        ret

; Adds words from r13 up to r14 to r12. r13 = r14 then
sum_words:
        sub     #16, r14
        jmp     sum_next_words
sum_eight:
        .rept   8
        add     @r13+, r12
        .endr
sum_next_words:
        cmp     r13, r14
        jhs     sum_eight
        add     #16, r14
        jmp     sum_next_word
sum_word:
        add     @r13+, r12
sum_next_word:
        cmp     r14, r13
        jne     sum_word
        ret

; ---- checkpoints: write ----

; The next page that waits, or the one that makes all of them valid.
function __hc_record_waiting
        cmp     &made, &page
        jne     write_page
        tst     &boundary
        jnz     write_done              ; pages of the segment before, which this ends, are still to come
        call    #sum_made
        tst     r13
        jnz     write_void
        mov     &present, r13
        mov     r13, &segment
        mov     &beginning, r12
        mov     #HC_LINK_BEGIN_SIZE + 2, r15
        cmp     #BOOT, r12
        jne     write_valid
        incd    r15
write_valid:
        call    #hc_log_write
        jmp     write_made
write_void:
        call    #__hc_record_lose       ; somebody uses it
write_made:
        add     #BEGIN_MAX, &page       ; up to where memory is ours
        mov     #COPIED_CLEAR, &copied
        clr     &made                   ; not before: a reset must not lose it
        ret

write_page:
        mov     &page, r14
        mov     &made, r15
        sub     r14, r15
        cmp     #HC_PAGE_PAYLOAD, r15
        jlo     write_rest
        mov     #HC_PAGE_PAYLOAD, r15
write_rest:
        bis     #1, &page               ; while it is written: hc_log_write goes on
        mov     #CHECKPOINT, r12
        mov     &present, r13
        tst     &copied
        jz      write_begun
        inc     r13                     ; the segment has not begun yet
write_begun:
        call    #hc_log_write
        bit     #1, &page
        jz      write_done
        mov     &made, &page            ; the sink is dead, or full
        ret

; All that waits, at once. The sink is open.
write_out:
        call    #write_pages
        call    #__hc_record_waiting
        clr     &copied
        mov     &page, r13
        cmp     #ring, &start
        jne     zero_ours
        mov     &sums_end, r13
        jmp     zero_ours

; Memory that was ours is zero again, unless the stack has met it.
clear:  clr     &copied
        mov     &page, r13
        call    #stack_meets
        jhs     zero_ours
        mov     &application_sp, r13
        call    #__hc_record_lose
zero_ours:
        mov     &free, r12
        br      #zero

; All pages of memory that wait.
write_pages:
        cmp     &made, &page
        jeq     write_done
        call    #write_page
        jmp     write_pages
write_done:
        ret

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
open_log:
        fast
        call    #hc_sink_open
open_again:
        call    #hc_log_ready
        tst.b   r12
        jnz     opened
        dec     r10
        jnz     open_again
opened: ret
close_log:
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
        clr     r9
#if HC_RESCUES
        call    #rescue
        tst     r9
        jnz     reset_ram
#endif
        clr     &flags
reset_ram:
        push    r9
        mov     #__hc_ram, r12
        mov     #ring, r13
        call    #zero
        mov     #page, r12
        mov     #boundary + 2, r13
        call    #zero
        mov     &free, r12
        mov     &free + 2, r13
        call    #zero
        mov     #ring, &head
        mov     #ring, &tail
        mov     #newest, &newest
        mov     #IDLE, &idle
        mov     #HC_WORK_SINK | HC_WORK_MORE, &work
        mov     #HC_ROOM, &room
        mov     #pieces, &window
        mov     #TRIES, &tries          ; what does not fit is written at once

        mov     &free, r6
        mov     &free + 2, r7
        mov     r7, r12
        sub     r6, r12
        cmp     #2 * CHUNK, r12
        jhs     boot_fits
        mov     #ring, r6
        mov     #ring_end, r7
boot_fits:
        mov     r6, &start
        mov     r6, &page
#if HC_OPENS_AT_RESET
        mov     #BOOT_PATIENCE, r10
        call    #open_log
        call    #close_log
#endif
        call    #put_peripherals
        mov     #pieces_lasting, r10
        mov     #-1, r11                ; no sums are known
boot_piece:
        mov     @r10, r4
        mov     2(r10), r8
        call    #put_changes
        add     #4, r10
        cmp     #pieces_end, r10
        jne     boot_piece
        mov     #BOOT, r12
        pop     r9
        pop     r13
        call    #put_begin
        mov     r9, 2(r6)
        add     #4, r6
        mov     r6, &lowest
        call    #sum_made
#if HC_OPENS_AT_RESET
        mov     #BOOT_PATIENCE, r10
        call    #open_log
        tst.b   r12
        jz      boot_waits
        call    #write_out
boot_waits:
        call    #close_log
#endif
        cmp     #ring, &start
        jne     boot_made
        tst     &made
        jz      boot_made
        clr     &made                   ; the ring is needed
        call    #__hc_record_lose
boot_made:
        clr     &tries
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
zero:   cmp     r13, r12
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

#if HC_RESCUES
; What waits in RAM since the life before, if this is the same program, and it looks as it should: docs/trace.md. r9 = 1 then.
; The log is open afterwards, and clocks are as they were. A second reset meanwhile does the same again: nothing that it takes
; is changed before all is written.
rescue: mov     &build, r12
        xor     #MAGIC, r12
        cmp     r12, &magic
        jeq     note_ended
        inv     r12
        cmp     r12, &magic
        jne     no_rescue
        jmp     ended_noted
note_ended:
        bit     #HC_RAM_FLAG_OPENED, &flags
        jz      no_rescue
        mov     &boot, &ended_boot
        call    #coded_segment
        mov     r13, &ended_segment
        call    #crossed_gap
        jz      segment_noted
        inc     &ended_segment
segment_noted:
        mov     &sequence, &ended_sequence
        mov     &flags, &ended_flags
        inv     &magic
ended_noted:
        mov     &free, r8
        call    #find_waiting
        tst     r7
        jz      none_waits
        mov     r7, r8
none_waits:
        mov     &free + 2, r12
        sub     r8, r12
        cmp     #16 + HC_PAGE_PAYLOAD + HC_RING + HC_RING_SLACK, r12
        jlo     no_rescue
        bit     #1, &tail               ; was the encoder just putting its state away?
        jz      put_away
        mov     &__hc_codec + 10, &__hc_codec + 8       ; check
        mov     &events, &taken
        dec     &tail
put_away:
        mov     &head, r12
        call    #is_in_ring
        jhs     no_rescue
        mov     &tail, r12
        call    #is_in_ring
        jhs     no_rescue
        mov     &__hc_page_next, r4
        sub     #__hc_page, r4
        cmp     #HC_PAGE_PAYLOAD + 1, r4
        jhs     no_rescue
        cmp     #MIXED_FULL, r4         ; a trailer is no code
        jlo     only_code
        mov     #MIXED_FULL, r4
only_code:
        mov     r8, r6
        mov     &taken, 0(r6)
        mov     &__hc_codec + 8, 2(r6)  ; check
        mov     &__hc_codec + 6, 4(r6)  ; bits
        mov     &__hc_codec + 2, r12    ; where they go
        sub     #__hc_page, r12
        mov     r12, 6(r6)
        mov     &tail, r10              ; the oldest entry
        call    #crossed_gap
        jz      segment_coded
        clr     0(r6)                   ; nothing of this segment is encoded
        clr     2(r6)
        mov     #1, 4(r6)
        mov     #1, 6(r6)
        mov     #2, r4
        mov     #0xff, &__hc_page
        mov     r13, r10
segment_coded:
        mov     r4, 8(r6)
        mov     &count, 10(r6)
        mov     &state, 12(r6)
        mov     &head, r13
        sub     r10, r13
        jhs     ring_size
        add     #HC_RING, r13
ring_size:
        mov     r13, 14(r6)
        add     #16, r6
        mov     #__hc_page, r12
        mov     r12, r13
        inc     r4
        bic     #1, r4
        add     r4, r13
        call    #move_words
        mov     r10, r12
        mov     &head, r13
        cmp     r12, r13
        jhs     move_ring
        mov     &top, r13
        cmp     #ring_end + HC_RING_SLACK + 2, r13
        jhs     no_rescue
        call    #move_words
        mov     &top, r12
        sub     #HC_RING, r12
        mov     &head, r13
move_ring:
        call    #move_words

        clr     &flags
        mov     #RESCUE_PATIENCE, r10
        call    #open_log
        tst.b   r12
        jz      rescue_over
        dec     &boot
        cmp     &ended_boot, &boot
        jne     not_that_life
        mov     &ended_segment, r5
        mov     r5, r12
        sub     &segment, r12
        incd    r12
        cmp     #4, r12                 ; of the last page's segment, of the one before it (a checkpoint was being
        jhs     not_that_life           ; copied), or of the one or two after it
        cmp     &ended_sequence, &sequence      ; the mark, which is elsewhere, was the last page
        jeq     spare_waits
        dec     &sequence               ; no page is missing
        sbc.b   &sequence_high
        cmp     &ended_sequence, &sequence
        jne     spare_written           ; what else could have had that number?
spare_waits:
        mov     &ended_flags, r12
        and     #HC_RAM_FLAG_SPARE, r12
        bis     r12, &flags
        call    #hc_log_flush
        jmp     page_not_written
spare_written:
        bit     #1, &page               ; a page of a beginning was being written, and has that number
        jz      page_not_written
        mov     &made, r12
        sub     &page, r12
        inc     r12
        cmp     #HC_PAGE_PAYLOAD, r12
        jlo     page_written
        mov     #HC_PAGE_PAYLOAD, r12
page_written:
        add     r12, &page
page_not_written:
        bic     #1, &page
        tst     r7
        jz      waiting_written
        mov     &page, r10
        mov     &made, r7
        mov     #CHECKPOINT, r4
        call    #write_stretch
        mov     &beginning, r12
        mov     r5, r13
        mov     r7, r14
        mov     #BEGIN_MAX, r15
        cmp     #BOOT, r12
        jeq     write_beginning
        decd    r15
write_beginning:
        call    #hc_log_write
waiting_written:
        mov     r8, r10
        mov     r6, r7
        mov     #RESCUE, r4
        call    #write_stretch
        inc     r5                      ; there may be a beginning of that
        mov     r5, &segment
        inc     r5
        mov     r5, &present
        mov     #1, r9
not_that_life:
        inc     &boot
rescue_over:
        br      #close_log
no_rescue:
        ret

; Pages of stream r4 and segment r5, from r10 up to r7.
next_of_stretch:
        mov     r10, r14
        mov     r7, r15
        sub     r10, r15
        cmp     #HC_PAGE_PAYLOAD, r15
        jlo     rest_of_stretch
        mov     #HC_PAGE_PAYLOAD, r15
rest_of_stretch:
        add     r15, r10
        mov     r4, r12
        mov     r5, r13
        call    #hc_log_write
write_stretch:
        cmp     r7, r10
        jne     next_of_stretch
        ret

; r13 = where entries begin of the segment that the program is in, if some were lost before it, and what was encoded is of the
; one before; else 0, and EQ.
crossed_gap:
        clr     r13
        cmp     #RECOVERY, &beginning
        jne     not_crossed
        mov     &boundary, r13
not_crossed:
        tst     r13
        ret

; r7 = where the beginning ends that waits to be written, if it is whole, and what was encoded is not of the segment before,
; which goes on; else 0.
find_waiting:
        clr     r7
        mov     &made, r12
        mov     &start, r13
        bit     #1, r12
        jc      nothing_waits
        bit     #1, r13
        jc      nothing_waits
        cmp     &free, r13
        jlo     nothing_waits
        cmp     r13, &page
        jlo     nothing_waits
        cmp     &page, r12
        jlo     nothing_waits
        cmp     r12, r13
        jhs     nothing_waits
        add     #BEGIN_MAX, r12
        cmp     r12, &free + 2
        jlo     nothing_waits
        call    #crossed_gap
        jnz     may_wait
        tst     &boundary
        jnz     nothing_waits
may_wait:
        call    #sum_made
        add     r13, &checksum          ; as it was
        tst     r13
        jnz     nothing_waits
        mov     r14, r7
        add     #BEGIN_MAX, r7
nothing_waits:
        ret

; r12: an even address in the ring? LO if so.
is_in_ring:
        bit     #1, r12
        jc      not_in_ring
        sub     #ring, r12
        cmp     #HC_RING, r12
not_in_ring:
        ret

; Words from r12 up to r13 to where r6 is.
move_word:
        mov     @r12+, r11
        mov     r11, 0(r6)
        incd    r6
move_words:
        cmp     r13, r12
        jlo     move_word
        ret
#endif
        .size   __hc_record_update, . - __hc_record_update
