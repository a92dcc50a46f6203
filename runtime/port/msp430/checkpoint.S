; Checkpoints: the state in which a segment begins. runtime/checkpoint.c is the same in C, checkpoint.h says what each function does.
;
; A checkpoint takes many updates, as a virtual machine is moved to another host while it runs:
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
; A program whose stack gets there meanwhile is noticed by a sum: the segment is void, and another checkpoint is taken. What is
; too much for the last step is copied in more passes, or given up: checkpoint.h.
;
; No register is anybody's. Of what is called, the log and sinks use r11..r15.
#include "names.inc"

        .set    FAILS, 1000             ; attempts at the last step that interrupts meet before interrupts are kept off
        .set    FAILS_ONE, 32           ; so many is one that a single interrupt met, while events are lost
        .set    GIVEN_UP, 32            ; calls between two attempts after one that was given up, at least: then twice as many
        .set    LONGEST, 16384          ; but no more than these
        .set    MARGIN, 64              ; bytes below the stack that are left alone
        .set    BLOCK, 60               ; bytes that have two sums
        .set    LOOKED_AT, 12           ; blocks in an update
        .set    RECORD, 4               ; bytes of a record's head: address, length
        .set    CHANGED, BLOCK + RECORD
        .set    LEAST_ROOM, 480
        .set    CLEARED, 3072           ; bytes that are made zero in an update
        .set    STRIDE, 16              ; words that are looked at together; `free` has as many

; enum of checkpoint.h
        .set    PASS_FIRST, 0
        .set    PASS_AGAIN, 2
        .set    PASS_HOT, 3
        .set    PASS_BOOT, 4
        .set    HOT, -1

        .section .text.hc_checkpoint_begin, "ax", @progbits
        .balign 2

; mov @r4+, at(r6), which LLVM's assembler does not know.
.macro move_word at
        .word   0x44b6, \at
.endm

; ---- checkpoints: copy ----

; A node that has no time for it must not spend all of its time on it: attempts are made at calls 1, 2, 4, 8, 16, 32, 64, 96...
; since a segment had a page of events before the next one began.
; C: one is being taken since.
function hc_checkpoint_begin
        bit     #HC_RAM_FLAGS_WAIT, &flags
        jnz     no_checkpoint
        bit     #HC_WORK_FREEZE, &work
        jnz     no_checkpoint
        tst     &copied
        jnz     no_checkpoint
        tst     &made
        jnz     no_checkpoint
        tst     &room
        jn      try_checkpoint
        mov     &work, r12
        and     #HC_WORK_CHECKPOINT | HC_WORK_SINK, r12
        cmp     #HC_WORK_CHECKPOINT, r12        ; not while the sink is busy: pages that come meanwhile need the memory
        jne     no_checkpoint
try_checkpoint:
        inc     &tries
        jnz     try_counted
        mov     #LONGEST, &tries
try_counted:
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
        clr     &fails
        sub     r6, r7
        cmp     #LEAST_ROOM, r7
        jl      make_room
        clr     r12
        call    #begin_pass
        setc
        ret

; If events are lost, what a stack that was deeper has left below it is of no use any more: it is cleared, if that is enough.
make_room:
        tst     &room
        jge     give_up
        mov     &application_sp, r12
        cmp     &free, r12
        jlo     give_up
        cmp     r12, &free + 2
        jlo     give_up
        sub     #MARGIN, r12
        mov     r12, r13
        sub     &free, r13
        cmp     #LEAST_ROOM, r13
        jl      give_up
        mov     r12, &page
        br      #clear_next

; It does not fit, into memory or into the time of an update, however often it is tried: the segment goes on. After a loss
; attempts go on. NC
give_up:
        cmp     #GIVEN_UP, &tries
        jhs     given_up
        mov     #GIVEN_UP, &tries
given_up:
        tst     &room
        jn      no_checkpoint
        bic     #HC_WORK_CHECKPOINT, &work
no_checkpoint:
        clrc
        ret

; r12 = pass
begin_pass:
        mov     r12, &pass
        mov     #pieces, &copied
        clr     &copied_at
        mov     &free, &sums_at
        ret

; Two words go into the sums of a block. Plain sums do not see small changes that cancel each other; these hardly ever miss
; one, and take four cycles a word, which is what counts: interrupts are off. Two words that are zero leave SUM_A and SUM_B as they are
; (and two zeros: from those small numbers lead back to zeros), so where they begin is taken away at the end: zeros have sums 0.
.set    SUM_A, 0x55aa
.set    SUM_B, 0x55ab

.macro mix_pair
        xor     @r4+, r12
        add     r12, r13
        swpb    r12
        xor     @r4+, r13
        add     r13, r12
        swpb    r13
.endm

.macro begin_sums
        mov     #SUM_A, r12
        mov     #SUM_B, r13
.endm

.macro end_sums
        sub     #SUM_A, r12
        sub     #SUM_B, r13
.endm

; Blocks that are not as the table says go to the spare page, one behind the other in a record if they are neighbours; in the
; last pass they are marked instead. A new table is zero, as memory is where no record is. Interrupts are off while a block is
; looked at: what is in the page is what has the sums.
; r4..r5: block, r6: where its copy goes, r7: record, r8: blocks that are left, r9: what the record is of ends there, r10: piece,
; r11: how much fits, r12, r13: sums, r14: where the block begins, r15: its sums in the table
function hc_checkpoint_copy
        mov     &lowest, r13
        call    #stack_meets
        jlo     copy_abandoned
        mov     #__hc_spare, r6
        mov     #1, r9
        mov     #LOOKED_AT, r8
        tst     &pass
        jnz     copy_next
        call    #put_first
copy_next:
        mov     &copied, r10
        mov     &copied_at, r4
        mov     @r10, r12
        mov     2(r10), r5
        cmp     #pieces_noinit, r10
        jne     copy_memory
        mov     &lowest, r12
        mov     &free + 2, r5
copy_memory:
        tst     r4
        jnz     copy_goes_on
        mov     r12, r4
copy_goes_on:
        cmp     r5, r4
        jlo     copy_block
        cmp     #pieces_noinit, r10
        jeq     copied_all
        call    #__hc_next_piece
        mov     r10, &copied
        clr     &copied_at
        jmp     copy_next
copy_block:
        call    #block_end
        cmp     &sums_end, &sums_at
        jne     copy_has_sums
        mov     &sums_end, r12
        add     #LEAST_ROOM, r12
        cmp     r12, &lowest
        jlo     copy_given_up           ; the table is full
copy_has_sums:
        push    sr
        dint
        nop
        mov     r4, r14
        call    #sum_block
        mov     &sums_at, r15
        tst     &pass
        jz      copy_changed
        cmp     @r15, r12
        jne     copy_differs
        cmp     2(r15), r13
        jeq     copy_looked_at
copy_differs:
        cmp     #HOT, 0(r15)
        jne     copy_not_hot
        cmp     #HOT, 2(r15)
        jeq     copy_looked_at
copy_not_hot:
        cmp     #PASS_HOT, &pass
        jne     copy_changed
        mov     #HOT, 0(r15)
        mov     #HOT, 2(r15)
        jmp     copy_looked_at
copy_changed:
        sub     r14, r4                 ; its size
        mov     #__hc_spare + HC_PAGE_PAYLOAD, r11
        sub     r6, r11
        cmp     r14, r9
        jeq     copy_fits
        sub     #RECORD, r11
copy_fits:
        cmp     r4, r11
        jl      copy_page_full
        cmp     r14, r9
        jeq     copy_to_record
        mov     r6, r7
        mov     r14, 0(r6)
        clr     2(r6)
        add     #RECORD, r6
copy_to_record:
        add     r4, 2(r7)
        mov     r5, r9
        mov     r12, 0(r15)
        mov     r13, 2(r15)
        mov     r14, r4
        call    #put_words
        tst     &pass
        jnz     copy_looked_at
        inc     &pass
copy_looked_at:
        pop_sr
        mov     r5, &copied_at
        add     #4, &sums_at
        cmp     &sums_at, &sums_end
        jhs     copy_counted
        mov     &sums_at, &sums_end
copy_counted:
        dec     r8
        jnz     copy_next
        jmp     copy_hand_out
copy_page_full:
        pop_sr
        jmp     copy_hand_out
copied_all:
        mov     #COPIED_ALL, &copied
copy_hand_out:
        tst     &pass
        jz      copy_over               ; the last step begins with what is here
        sub     #__hc_spare, r6
        jz      copy_over
        bis     #CHECKPOINT * 256, r6
        mov     r6, &spare_length       ; and its stream
        mov     &present, r12
        inc     r12
        mov     r12, &spare_segment
        bis     #HC_RAM_FLAG_SPARE, &flags
        br      #hc_log_flush
copy_given_up:
        call    #give_up
        call    #abandon
        br      #make_room
copy_abandoned:
        br      #abandon
copy_over:
        ret

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

; r5 = the end of the block that begins at r4, or what it was if that comes first. Uses r12
block_end:
        mov     r5, r12
        sub     r4, r12
        cmp     #BLOCK + 1, r12
        jlo     block_short
        mov     r4, r5
        add     #BLOCK, r5
block_short:
        ret

; ---- checkpoints: last ----

; r6 = where records go, r7 up to where, r9 = count of interrupts, r10 = piece, r11 = sums of the table
; C: it is taken, or goes on otherwise. NC: it is tried again.
function hc_checkpoint_last
        mov     &lowest, r13
        call    #stack_meets
        jlo     copy_abandoned
        push    sr
        cmp     #FAILS, &fails
        jlo     last_try
        dint
        nop
last_try:
        call    #count_interrupts
        mov     r12, r9
        mov     &sums_end, r6
        mov     &lowest, r7
        mov     r6, &start
        mov     r6, &page
        tst     &pass
        jnz     last_goes_on
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
        call    #limit_time
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
        jc      last_too_much
        cmp     #pieces_noinit, r10
        jeq     last_done
        call    #__hc_next_piece
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
        call    #__hc_record_begin_segment
        call    #hc_sink_close
#endif
        call    #sum_new
        pop_sr
        call    #__hc_record_more
        setc
        ret
; What has changed is copied once more, and then marked.
last_too_much:
        pop_sr
        mov     r6, &page
        cmp     #PASS_HOT, &pass
        jeq     last_given_up
        mov     #COPIED_AGAIN, &copied
        setc
        ret
last_given_up:
        call    #give_up
        call    #make_room
        jmp     clear_next
; Another attempt is made later. The program's stack may be deeper than it ever was before: what is below `lowest` was not
; copied. C
abandon:
        mov     &sums_end, &page        ; up to where memory is ours
clear_next:
        mov     #COPIED_CLEAR, &copied
        setc
        ret
; Interrupts came. Where many come, as bytes that nobody waits for, one that is kept off may cost the program something; it
; costs us little, unless events are lost. r12 - r9: how many then
last_fails:
        pop_sr
        inc     &fails
        tst     &room
        jge     last_failed
        sub     r9, r12
        cmp     #1, r12
        jne     last_failed
        add     #FAILS_ONE - 1, &fails
last_failed:
        mov     &sums_end, r12
        mov     r6, r13
        call    #__hc_zero
        clrc
        ret

; r7 = up to where there is time for records, at most. The table has n bytes, four for a block: at 4 MHz an update takes at most
; 5 ms, of which looking at a block that did not change is 143 cycles and one that is hot 140 more; and interrupts are off for
; at most 1 ms for each KB. So it is 7700 - 16 n or 700 + 12 n bytes, and 512 at least: more than 6 KB take longer.
limit_time:
        mov     &sums_end, r12
        sub     &free, r12
        mov     r12, r13
        rla     r13
        rla     r13
        mov     r13, r14
        rla     r14                     ; 8 n
        add     r14, r13
        add     #700, r13
        rla     r14
        mov     #7700, r12
        sub     r14, r12
        cmp     r13, r12
        jl      limit_least
        mov     r13, r12
limit_least:
        cmp     #512, r12
        jge     limit_end
        mov     #512, r12
limit_end:
        add     r6, r12
        cmp     r7, r12
        jhs     limited
        mov     r12, r7
limited:
        ret

; r12 = another number after an interrupt: it left an entry, or was lost
count_interrupts:
        mov     &head, r12
        add     &idle, r12
        ret

; r4..r8: a piece. Blocks of it that are not as the table (r11) says become records. C: there is no room. A block that changed
; and is not hot takes more time, of which there is less then. Uses r4, r5, r12..r15
put_changes:
        cmp     r8, r4
        jhs     no_changes
        mov     r8, r15
        sub     #BLOCK, r15             ; up to here blocks are whole
        cmp     &sums_end, r11          ; was never copied: its sums are not known
        jhs     put_unknown
changes:
        cmp     r4, r15
        jlo     changes_rest
        mov     @r11+, r14
        cmp     #HOT, r14
        jeq     changes_maybe_hot
changes_sum:
        begin_sums
        .rept   BLOCK / 4
        mix_pair
        .endr
        end_sums
        cmp     r14, r12
        jne     changes_differ
        cmp     @r11+, r13
        jeq     changes
        jmp     changes_put
changes_maybe_hot:
        cmp     #HOT, 0(r11)
        jne     changes_sum
        incd    r11
changes_hot:
        mov     r7, r12
        sub     r6, r12
        cmp     #BLOCK + RECORD + BEGIN_MAX, r12
        jl      changes_too_many
        mov     r4, 0(r6)
        mov     #BLOCK, 2(r6)
        add     #RECORD, r6
        call    #put_block
        jmp     changes
changes_differ:
        incd    r11
changes_put:
        sub     #CHANGED, r7
        sub     #BLOCK, r4
        jmp     changes_hot
changes_too_many:
        setc
        ret
changes_rest:
        cmp     r4, r8
        jeq     no_changes
        mov     r8, r5
        mov     r4, r14
        cmp     #HOT, 0(r11)
        jne     rest_sum
        cmp     #HOT, 2(r11)
        jeq     rest_put
rest_sum:
        call    #sum_block
        cmp     @r11, r12
        jne     rest_differs
        cmp     2(r11), r13
        jeq     rest_same
rest_differs:
        sub     #CHANGED, r7
        mov     r14, r4
rest_put:
        add     #4, r11
        jmp     put_record
rest_same:
        add     #4, r11
        jmp     no_changes
put_unknown:
        mov     r8, r5
        call    #block_end
        call    #put_record
        jc      put_stops
        cmp     r8, r4
        jlo     put_unknown
no_changes:
        clrc
put_stops:
        ret

; r12, r13 = the sums of words from r4 up to r5. r4 = r5 then
sum_block:
        begin_sums
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
        xor     @r4+, r12               ; and a zero
        add     r12, r13
        swpb    r12
        add     r13, r12
        swpb    r13
summed: end_sums
        ret

; A whole block from r4 to where r6 is; both go on then.
put_block:
        .set    .Lat, 0
        .rept   BLOCK / 2
        move_word .Lat
        .set    .Lat, .Lat + 2
        .endr
        add     #BLOCK, r6
        clrc
        ret

; Memory from r4 up to r5 as a record. C: there is no room. At the beginning of a life what is there is written then.
put_record:
        mov     r7, r12
        sub     r6, r12
        cmp     #BLOCK + RECORD + BEGIN_MAX, r12
        jl      put_full
        mov     r4, 0(r6)
        mov     r5, r12
        sub     r4, r12
        mov     r12, 2(r6)
        add     #RECORD, r6
; Words from r4 up to r5 to where r6 is; they go on then. Uses r12
put_words:
        mov     r5, r12
        sub     r4, r12
        cmp     #BLOCK, r12
        jeq     put_block
        jmp     put_rest
put_word:
        move_word 0
        incd    r6
put_rest:
        cmp     r5, r4
        jlo     put_word
        clrc
        ret
put_full:
        cmp     #PASS_BOOT, &pass
        jeq     put_out
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

; The beginning of a life, all of it. The sink is open.
function hc_checkpoint_boot_write
        call    #write_pages
        call    #__hc_record_waiting
        mov     &page, r13
        cmp     #ring, &start
        jne     clear_all
        clr     &copied
        ret

; Memory that was ours is zero again, unless the stack has met it; if there is another pass, not the table.
function hc_checkpoint_clear
        mov     &page, r13
        call    #stack_meets
        jhs     clear_ours
        mov     &application_sp, r13
        call    #__hc_record_lose
        mov     #COPIED_CLEAR, &copied
clear_ours:
        cmp     #COPIED_AGAIN, &copied
        jne     clear_all
        mov     &sums_end, r12
        call    #__hc_zero
        mov     #PASS_HOT, r12
        cmp     #PASS_AGAIN, &pass
        jeq     clear_pass
        dec     r12
clear_pass:
        br      #begin_pass
; Some of it: the next update goes on. So much takes half the time of one.
clear_all:
        mov     r13, r12
        sub     #CLEARED, r12
        cmp     &free, r12
        jlo     clear_last
        mov     r12, &page
        br      #__hc_zero
clear_last:
        clr     &copied
        mov     &free, r12
        br      #__hc_zero

; All pages of memory that wait.
write_pages:
        cmp     &made, &page
        jeq     write_done
        call    #write_page
        jmp     write_pages
write_done:
        ret

; ---- boot ----

; The beginning of a segment, of what outlives a reset; unused memory is zero. r12 = what reset the CPU, r13 = 1: RAM held a life
function hc_checkpoint_boot
        push    r13
        push    r12
        mov     &free, r6
        mov     &free + 2, r7
        mov     r7, r12
        sub     r6, r12
        cmp     #LEAST_ROOM, r12
        jhs     boot_fits
        mov     #ring, r6
        mov     #ring_end, r7
boot_fits:
        mov     r6, &start
        mov     r6, &page
        mov     #PASS_BOOT, &pass
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
        pop     r13
        pop     r9
        call    #put_begin
        mov     r9, 2(r6)
        add     #4, r6
        mov     r6, &lowest
        br      #sum_made

; The program begins: what could only wait in the ring is lost.
function hc_checkpoint_boot_end
        cmp     #ring, &start
        jne     boot_made
        tst     &made
        jz      boot_made
        clr     &made                   ; the ring is needed
        br      #__hc_record_lose
boot_made:
        ret

#if HC_RESCUES
; ---- a beginning that a reset found waiting ----

; r13 = where entries begin of the segment that the program is in, if some were lost before it, and what was encoded is of the
; one before; else 0, and EQ.
function __hc_crossed_gap
        clr     r13
        cmp     #RECOVERY, &beginning
        jne     not_crossed
        mov     &boundary, r13
not_crossed:
        tst     r13
        ret

; r7 = where the beginning ends that waits to be written, if it is whole, and what was encoded is not of the segment before,
; which goes on; else 0.
function hc_checkpoint_waiting
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
        call    #__hc_crossed_gap
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
#endif
        .size   hc_checkpoint_begin, . - hc_checkpoint_begin
