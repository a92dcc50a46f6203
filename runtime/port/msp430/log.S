; The log: pages one after the other, round a ring of sectors. See record.h for what each function does.
;
;     | sector              | sector              |                     | sector                     |
;     | c c c C e e e ... e | e c c c C e e place |   erased ahead      | ...                 freeze |
;
; c, C: a checkpoint's memory and its commit, e: events. Events go on while a checkpoint is being written; each page
; says which segment it belongs to. Every sector gets a checkpoint soon after its beginning, so that the log is of use
; wherever it begins. The next sector is erased when half of this one is used, and no sector is begun that was not
; erased since the start: an erase that was cut short may have left anything. The very last page is the freeze mark's:
; anything in it means that the log is frozen.
;
; Sinks may use r11..r15, as in C.
#include "codec/page.h"
#include "layout.h"
#include "sink.h"
#include "function.inc"

        .set    FIRST, HC_LOG_START >> 8
        .set    END, HC_LOG_END >> 8
        .set    SECTOR, HC_LOG_SECTOR >> 8
        .set    FREEZE, END - 1
        .set    NOWHERE, 1                      ; no sector begins here
        .set    LOOK, 16                        ; bytes of a page that is probably blank that are looked at

        .set    MARK, 6                         ; enum hc_stream, checked in link.c

        .set    work, __hc_ram + HC_RAM_WORK
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    more_flags, flags + 1           ; whose bits have short instructions, too
        .set    next, __hc_ram + HC_RAM_NEXT
        .set    place, __hc_ram + HC_RAM_PLACE
        .set    erased, __hc_ram + HC_RAM_ERASED
        .set    segment, __hc_ram + HC_RAM_SEGMENT
        .set    present, __hc_ram + HC_RAM_PRESENT
        .set    spare_length, __hc_spare + HC_PAGE_PAYLOAD
        .set    spare_stream, spare_length + 1
        .set    spare_segment, spare_length + 2

        .set    stream, next + 1                ; of the next page
        .set    boot, next + 2
        .set    page_segment, next + 4
        .set    sequence, next + 6
        .set    sequence_high, next + 8
        .set    waiting, __hc_ram + HC_RAM_PAGE ; the next page of a beginning; bit 0: it is being written
        .set    length, next + 9
        .set    room, __hc_ram + HC_RAM_ROOM
#if HC_SINK_YIELDS
        .set    written, __hc_ram + HC_RAM_SAVED + HC_SINK_WRITTEN      ; of a page that is half done
#endif

        .section .text.hc_log_ready, "ax", @progbits
        .balign 2

; ---- finding the end ----

; r13 = page: its header goes to next; Z if it is a whole one.
look:   mov     #HC_SINK_READ, r12
        call    #hc_sink_transfer
        tst     r12
        ret

function hc_log_ready
        call    #hc_sink_ready
        tst.b   r12
        jz      not_ready
        bit     #HC_RAM_FLAG_OPENED, &flags
        jz      open
        mov     &place, r12
        bit     #SECTOR - 1, r12
        jnz     is_blank
        cmp     &erased, r12
        jne     make_blank
is_blank:
        bit.b   #(HC_RAM_FLAG_TRUSTED | HC_RAM_FLAG_BLANK) >> 8, &more_flags
        jnz     ready
        mov     #LOOK, r13
        bit.b   #HC_RAM_FLAG_SEEN >> 8, &more_flags
        jnz     look_at_place
        mov     #HC_PAGE_SIZE, r13      ; the first one may be torn
look_at_place:
        call    #hc_sink_used
        bis.b   #HC_RAM_FLAG_BLANK >> 8, &more_flags
        tst.b   r12
        jz      seen_blank
        mov     &place, r12
        bit     #SECTOR - 1, r12
        jz      make_blank
        call    #advance
        clr     r12
        ret
; Looking at all of it took as long as programming: it is ready the next time then. r12 = 0
seen_blank:
        bit.b   #HC_RAM_FLAG_SEEN >> 8, &more_flags
        bis.b   #HC_RAM_FLAG_SEEN >> 8, &more_flags
        jz      not_ready
ready:  mov     #1, r12
not_ready:
        ret

; r12 begins a sector that is to be used.
make_blank:
        bit     #HC_RAM_FLAG_FROZEN, &flags
        jnz     log_full
        call    #erase
        clr     r12
        ret
log_full:
        bis     #HC_RAM_FLAG_FULL, &flags
        jmp     ready

; r9 = last page of the sector that was begun last, 0 if there is none; r8 = the number of its first page
open:   push    r10
        push    r9
        push    r8
        bis     #HC_RAM_FLAG_OPENED, &flags
        bit     #HC_RAM_FLAG_AHEAD, &flags
        jnz     open_first
        mov     #NOWHERE, &erased
open_first:
        clr     r9
        mov     #FIRST, r10
open_sector:
        mov     r10, r13
        add     #SECTOR, r10
        call    #look
        jnz     open_next
        tst     r9
        jz      open_newest
        cmp     r8, &sequence
        jn      open_next
open_newest:
        mov     &sequence, r8
        mov     r10, r9
        dec     r9
open_next:
        cmp     #END, r10
        jne     open_sector
        mov     #FREEZE, r12
        mov     #HC_PAGE_SIZE, r13
        call    #hc_sink_used
        mov.b   r12, r10
        tst     r9
        jz      open_empty

        tst     r10
        jz      open_thawed
        bis     #HC_RAM_FLAG_FROZEN, &flags
open_thawed:
        cmp     #FREEZE, r9
        jeq     open_before
open_page:
        mov     r9, r13
        call    #look
        jz      open_last                       ; at the sector's first page at the latest
open_before:
        dec     r9
        jmp     open_page
open_last:
        mov     r9, &place
        call    #advance
        inc     &boot
        add     #2, &sequence                   ; one of a torn page, or the mark
        adc.b   &sequence_high
        inc     &page_segment                   ; there may be a beginning of the next one
        jmp     open_done

open_empty:
        clr     &boot
        mov     #-1, &page_segment
        clr     &sequence
        mov.b   #HC_PAGE_MAGIC, &next
        clr.b   &sequence_high
        mov     #END - SECTOR, &place
        tst     r10                             ; by something else, as there was no log: that is erased first
        jnz     open_done
        mov     #FIRST, &place
        mov     #FIRST, &erased                 ; very probably: pages that are not blank are passed over
open_done:
        mov     &page_segment, r12
        mov     r12, &segment
        inc     r12
        mov     r12, &present
        bit     #HC_RAM_FLAG_SPARE, &flags      ; a page that was full before
        jz      open_over
        mov     r12, &spare_segment
open_over:
        pop     r8
        pop     r9
        pop     r10
        jmp     hc_log_ready

; ---- writing ----

advance:
        bic.b   #(HC_RAM_FLAG_BLANK | HC_RAM_FLAG_ERASING) >> 8, &more_flags
        inc     &place
        cmp     #FREEZE, &place
        jne     not_last
        mov     #FIRST, &place
not_last:
        bit     #SECTOR - 1, &place
        jnz     same_sector
        bis.b   #HC_RAM_FLAG_TRUSTED >> 8, &more_flags
        bis     #HC_WORK_CHECKPOINT, &work
same_sector:
        ret

function hc_log_flush
#if HC_SINK_YIELDS && HC_CODEC_SETS == 0
        cmp     #HC_PIECES_ROOM, &room
        jl      flush_whole
        bis.b   #HC_RAM_FLAG_PIECES >> 8, &more_flags
flush_whole:
        call    #flush_oldest
        bic.b   #HC_RAM_FLAG_PIECES >> 8, &more_flags
        ret
flush_oldest:
#endif
#if HC_CODEC_SETS == 0
        bit     #HC_RAM_FLAG_SHELF, &flags
        jz      flush_spare
        br      #hc_shelf_write
flush_spare:
#endif
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      same_sector
        mov.b   &spare_stream, r12
        mov     &spare_segment, r13
        mov     #__hc_spare, r14
        mov.b   &spare_length, r15
        call    #hc_log_write
#if HC_SINK_YIELDS
        tst     &written
        jnz     same_sector                     ; it is half done
#endif
        bic     #HC_RAM_FLAG_SPARE, &flags      ; if it was given up
        ret

#if HC_SINK_YIELDS
; A page that is half done will not be completed.
function hc_log_give_up
        tst     &written
        jz      same_sector
        clr     &written
        jmp     advance
#endif

; 0(sp): how often the sink is asked before the page is given up.
function hc_log_write
        mov.b   r12, &stream
        mov     r13, &page_segment
        mov.b   r15, &length
        push    r14
        push    #0
write_wait:
        dec     0(sp)
        jz      write_given_up
        call    #hc_log_ready
        tst     r12
        jz      write_wait
        incd    sp
        pop     r14
        bit     #HC_RAM_FLAG_FULL, &flags
        jnz     write_over
#if HC_SINK_YIELDS
        push    r14
write_piece:
        mov     @sp, r14
#endif
        mov     &place, r13
        cmp.b   #MARK, &stream
        jne     write_there
        bis     #HC_RAM_FLAG_FROZEN, &flags
        mov     #FREEZE, r13
write_there:
        mov     #HC_SINK_PROGRAM, r12
        call    #hc_sink_transfer
#if HC_SINK_YIELDS
        tst     r12
        jz      write_done
        bit.b   #HC_RAM_FLAG_PIECES >> 8, &more_flags
        jnz     write_later
        cmp     #HC_SINK_MORE, r12
        jeq     write_piece
        clr     &written                        ; the bus is gone for good
write_done:
        incd    sp
#endif
        cmp.b   #MARK, &stream
        jeq     write_flags
        call    #advance
write_flags:
        bit     #HC_RAM_FLAG_SHELF, &flags      ; no other page is written while the spare one waits, but those
        jnz     write_not_spare
        bic     #HC_RAM_FLAG_SPARE, &flags      ; in this order: a reset in between must neither lose it nor write it
write_not_spare:
        bit     #1, &waiting                    ; twice; so with a beginning's
        jz      write_counted
        mov.b   &length, r12
        dec     r12
        add     r12, &waiting
write_counted:
        inc     &sequence
        adc.b   &sequence_high
write_over:
        ret
#if HC_SINK_YIELDS
write_later:
        incd    sp
        ret
#endif
write_given_up:
        add     #4, sp
        ret

function hc_log_erase_ahead
        mov     &place, r12
        bit     #SECTOR / 2, r12
        jz      write_over
        bit     #HC_RAM_FLAG_FROZEN, &flags
        jnz     write_over
        call    #is_erased
        jeq     write_over
erase:  bis.b   #HC_RAM_FLAG_ERASING >> 8, &more_flags  ; in this order: a reset must not take it for blank
        mov     r12, &erased
        br      #hc_sink_erase

; r12 = the first page of the sector behind the one that has the page r12; EQ: it was erased last.
is_erased:
        bis     #SECTOR - 1, r12
        inc     r12
        cmp     #END, r12
        jne     ahead
        mov     #FIRST, r12
ahead:  cmp     r12, &erased
        ret

#if HC_CODEC_SETS == 0
; EQ if so.
function hc_log_has_blank_ahead
        mov     &place, r12
        bit     #SECTOR - 1, r12
        jz      not_blank
        bit.b   #HC_RAM_FLAG_ERASING >> 8, &more_flags
        jz      is_erased
not_blank:
        clrz
        ret
#endif
