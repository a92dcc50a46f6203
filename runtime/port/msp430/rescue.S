; What waited in RAM when a reset came is written after it. runtime/rescue.c is the same in C.
#include "names.inc"

#if HC_RESCUES
        .set    MIXED_FULL, HC_PAGE_PAYLOAD - HC_MIXED_TRAILER
        .set    RESCUE_PATIENCE, 0      ; 65,536 looks: for as long as an erase may take

        .section .text.hc_rescue, "ax", @progbits
        .balign 2

; What waits in RAM since the life before, if this is the same program, and it looks as it should: FORMAT.md. r9 = 1 then.
; The log is open afterwards, and clocks are as they were. A second reset meanwhile does the same again: nothing that it takes
; is changed before all is written.
function hc_rescue
        mov     &build, r12
        xor     #MAGIC, r12
        cmp     r12, &magic
        jeq     note_ended
        inv     r12
        cmp     r12, &magic
        jne     no_rescue
        bic     #HC_RAM_FLAG_AHEAD, &ended_flags        ; a page there may be torn by the second reset
        jmp     ended_noted
note_ended:
        bit     #HC_RAM_FLAG_OPENED, &flags
        jz      no_rescue
        mov     &boot, &ended_boot
        call    #__hc_coded_segment
        mov     r13, &ended_segment
        call    #__hc_crossed_gap
        jz      segment_noted
        inc     &ended_segment
segment_noted:
        mov     &sequence, &ended_sequence
        mov     &flags, &ended_flags
        bis     #HC_RAM_FLAG_AHEAD, &ended_flags
        call    #hc_log_has_blank_ahead
        jeq     blank_noted
        bic     #HC_RAM_FLAG_AHEAD, &ended_flags
blank_noted:
        mov     &sequence, r12
        add     #NO_NUMBER, r12
        mov     r12, &ended_spare
        inv     &magic
ended_noted:
        call    #hc_shelf_find
        jc      no_rescue
        call    #hc_checkpoint_waiting
        tst     r7
        jz      none_waits
        mov     r7, r8
none_waits:
        mov     &free + 2, r12
        sub     r8, r12
        cmp     #RESCUE_ROOM, r12
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
        call    #__hc_crossed_gap
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

        mov     &ended_flags, r12
        and     #HC_RAM_FLAG_AHEAD, r12
        mov     r12, &flags
        mov     #RESCUE_PATIENCE, r10
        call    #hc_record_open_log
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
        jeq     numbered
        dec     &sequence               ; no page is missing
        sbc.b   &sequence_high
numbered:
        clr     r10
        cmp     &ended_sequence, &sequence
        jeq     not_begun
        inc     r10                     ; the page that was being written is there
not_begun:
        call    #hc_shelf_rescue
        jc      all_written
        bit     #HC_RAM_FLAG_SPARE, &ended_flags
        jz      spare_written
        mov     &ended_spare, r12
        call    #hc_shelf_is_in_log
        jc      spare_written
        tst     r10
        jz      write_spare
        cmp     &shelf, &shelf_end      ; it was the spare one, unless there is a shelf
        jeq     spare_written
write_spare:
        mov     &sequence, &ended_spare
        mov.b   &spare_stream, r12
        mov     &spare_segment, r13
        mov     #__hc_spare, r14
        mov.b   &spare_length, r15
        call    #hc_log_write
spare_written:
        tst     r10
        jz      page_not_written
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
all_written:
        inc     r5                      ; there may be a beginning of that
        mov     r5, &segment
        inc     r5
        mov     r5, &present
        mov     #1, r9
not_that_life:
        inc     &boot
rescue_over:
        br      #hc_record_close_log
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
