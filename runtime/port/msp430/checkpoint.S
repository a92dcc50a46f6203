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
; A program whose stack gets there meanwhile is noticed by a sum: the segment is void, and another checkpoint is taken. Where
; memory is too small for that, all of it is written at once with interrupts off, by way of the ring, which is empty then.
;
; No register is anybody's. Of what is called, the log and sinks use r11..r15.
#include "names.inc"

        .set    MARGIN, 64              ; bytes below the stack that are left alone
        .set    CHUNK, 240              ; bytes of memory in a page
        .set    BLOCK, 60               ; bytes that have two sums; CHUNK is a multiple
        .set    RECORD, 4               ; bytes of a record's head: address, length
        .set    STRIDE, 16              ; words that are looked at together; `free` has as many

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
function hc_checkpoint_copy
        mov     &lowest, r13
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
        call    #__hc_next_piece
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
function hc_checkpoint_last
        mov     &lowest, r13
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
        call    #hc_checkpoint_has_room
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
        cmp     #ring, &start
        jne     last_waits
        call    #sum_new
        call    #__hc_record_begin_segment
        call    #hc_sink_open
        call    #hc_log_flush           ; the last page of the segment before comes before the one that ends it
        call    #hc_checkpoint_write_out              ; the ring is needed
        call    #hc_sink_close
        pop_sr
        setc
        ret
last_waits:
        call    #sum_new
        pop_sr
        call    #__hc_record_more
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
function hc_checkpoint_has_room
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
        br      #__hc_zero
zero_none:
        ret

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
function hc_checkpoint_write_out
        call    #write_pages
        call    #__hc_record_waiting
        clr     &copied
        mov     &page, r13
        cmp     #ring, &start
        jne     zero_ours
        mov     &sums_end, r13
        jmp     zero_ours

; Memory that was ours is zero again, unless the stack has met it.
function hc_checkpoint_clear
        clr     &copied
        mov     &page, r13
        call    #stack_meets
        jhs     zero_ours
        mov     &application_sp, r13
        call    #__hc_record_lose
zero_ours:
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
        cmp     #2 * CHUNK, r12
        jhs     boot_fits
        mov     #ring, r6
        mov     #ring_end, r7
boot_fits:
        mov     r6, &start
        mov     r6, &page
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
