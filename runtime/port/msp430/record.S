; What hc_update does in which order, and checkpoints: the state in which a segment begins, as one stream of words
;
;     | registers of peripherals | the pieces of __hc_link | L | memory from L to the end of what is free |
;
; where a word 0 is followed by one that says how many more there are (docs/trace.md). After a reset it has only those
; pieces that a reset leaves alone.
;
; The program must not wait until all that is written. Memory that no section lies in is zero but for the stack, which
; comes from above: the stream is made there, below anything that the stack ever reached, in one go; should an interrupt
; come meanwhile, another time. A segment has begun then, and the program goes on; each hc_update writes a page of the
; stream, and in the end one that makes it valid. A program that comes there in between, with a stack deeper than ever, is
; noticed by the sum: the segment is void, and another checkpoint is taken. Where memory is too small, what is there is
; written at once, with interrupts off, as often as need be; where something else lies in it, a heap perhaps, the ring
; serves, which is empty then.
;
; Called by entry.S, on the recorder's stack; no register is anybody's.
#include "codec/page.h"
#include "layout.h"
#include "link.h"
#include "part.h"
#include "function.inc"

        .set    GIE, 8
        .set    TRIES, 8
        .set    MARGIN, 64              ; bytes below the stack that are left alone
        .set    PIECE, 240              ; bytes of the stream in a page

; enum hc_stream, checked in link.c
        .set    BOOT, 2
        .set    CHECKPOINT, 3
        .set    COMMIT, 4
        .set    MARK, 6

        .set    count, __hc_ram + HC_RAM_COUNT
        .set    laps, __hc_ram + HC_RAM_LAPS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    run_site, __hc_ram + HC_RAM_RUN_SITE
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    flags, __hc_ram + HC_RAM_FLAGS
        .set    segment, __hc_ram + HC_RAM_SEGMENT
        .set    present, __hc_ram + HC_RAM_PRESENT
        .set    page, __hc_ram + HC_RAM_PAGE
        .set    made, __hc_ram + HC_RAM_MADE
        .set    start, __hc_ram + HC_RAM_START
        .set    ring, __hc_ram + HC_RAM_RING
#if HC_RING < 240
        .set    ring_end, ring + HC_RING
#else
        .set    ring_end, ring + PIECE
#endif
        .set    checksum, __hc_ram + HC_RAM_CHECKSUM
        .set    rest, checksum          ; until that is known: L
        .set    beginning, __hc_ram + HC_RAM_BEGINNING
        .set    tries, __hc_ram + HC_RAM_TRIES
        .set    begin, __hc_link + HC_LINK_BEGIN
        .set    free, __hc_link + HC_LINK_FREE
        .set    pieces, __hc_link + HC_LINK_PIECES
        .set    pieces_lasting, pieces + 4 * HC_PIECES_REGISTERS
        .set    pieces_end, pieces + 4 * HC_PIECES
        .set    spare_length, __hc_spare + HC_PAGE_PAYLOAD

        .section .text.__hc_record_update, "ax", @progbits
        .balign 2

; ---- update ----

function __hc_record_update
        bit     #HC_RAM_FLAG_FULL, &flags
        jnz     ended
#if HC_CODEC_SETS == 0
        call    #__hc_take
        mov     #1, r12                 ; urgent: courtesy would cost events
        tst     &room
        jn      3f
        bit     #HC_WORK_SINK | HC_WORK_FREEZE, &work
        jnz     3f
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      1f
        cmp     #__hc_page + 128, &__hc_page_next
        jhs     3f
        jmp     2f
1:      tst     &work
        jz      6f
2:      clr     r12
3:      call    #hc_port_may_write
        tst.b   r12
        jz      6f
        call    #hc_sink_open
#else
        mov     #1, r12                 ; several pages may come of one event
        call    #hc_port_may_write
        tst.b   r12
        jz      6f
        call    #hc_sink_open
        call    #__hc_take
#endif
4:      call    #hc_log_ready
        tst.b   r12
        jz      5f
        call    #step
        cmp     #HC_RESERVE, &room
        jge     5f
        call    #__hc_take
        jmp     4b
5:      call    #hc_sink_close
        bic     #HC_WORK_SINK, &work
        tst.b   r12
        jz      7f
        tst     &made
        jz      6f
7:      bis     #HC_WORK_SINK, &work
6:      ret

; Recording is over: the program appends to a ring that nobody reads.
ended:  mov     #0x7fff, &room
        clr     &work
        ret

; One thing that is due. The sink is open and ready.
step:   tst     &made
        jnz     __hc_record_waiting
        bit     #HC_RAM_FLAG_SPARE, &flags
        jz      1f
        clr     &tries                  ; the segment was worth its beginning
        br      #hc_log_flush
1:
#if HC_CODEC_SETS
        call    #__hc_record_even_out
#endif
        bit     #HC_WORK_FREEZE, &work
        jnz     freeze
        call    #hc_log_erase_ahead
        call    #hc_sink_ready          ; a checkpoint must not wait for that
        tst.b   r12
        jz      6b
        bit     #HC_WORK_CHECKPOINT, &work
        jnz     checkpoint
        tst     &room
        jge     6b

; A node that has no time for it must not spend all of its time on it: attempts are made at calls 1, 2, 4, 8... since there
; was a page of events, from the eighth on with interrupts off.
checkpoint:
        inc     &tries
        mov     &tries, r12
        dec     r12
        bit     &tries, r12
        jnz     6b
        push    sr
        cmp     #TRIES, &tries
        jlo     1f
        dint
        nop
1:      bic     #1, &limit              ; whoever began this: everything is taken now
        call    #__hc_take
        mov     &interrupts, r9
        cmp     &head, &tail
        jne     failed
        call    #hc_sink_close          ; its registers are the program's
        call    #make_registers
        mov     #pieces, r10
        call    #make_pieces
        dint
        nop
        cmp     &interrupts, r9
        jne     failed
        mov     #COMMIT, r12
        tst     &room
        jge     2f
        inc     r12                     ; RECOVERY
2:      inc     &present
        call    #__hc_record_begin
        bic     #HC_WORK_CHECKPOINT, &work
        cmp     #ring_end, r7
        jeq     3f
        nop
        mov     @sp, sr
        nop
3:      call    #hc_log_flush           ; the old segment
        call    #hc_codec_finish
        call    #hc_log_flush
4:      bit     #GIE, sr
        jnz     5f
        call    #__hc_record_waiting    ; the ring is needed
        tst     &made
        jnz     4b
5:      nop
        pop     sr
        br      #hc_codec_start
impossible:
        mov     #TRIES, &tries
        incd    sp
        call    #hc_sink_open
failed: call    #clear
        nop
        pop     sr
        ret

; ---- pages ----

freeze: call    #hc_codec_finish
        call    #hc_log_flush
        bic     #HC_WORK_FREEZE, &work
        bit     #HC_RAM_FLAG_FROZEN, &flags
        jnz     6b
        mov     #MARK, r12
        mov     #reason, r14
        mov     #2, r15
        jmp     write

; The next page that waits, or the one that makes all of them valid.
function __hc_record_waiting
        cmp     &made, &page
        jne     write_piece
        inc     &segment
        mov     &start, r13
        clr     r14
        jmp     2f                      ; the last word may just have filled a piece
1:      add     @r13+, r14
2:      cmp     &made, r13
        jne     1b
        cmp     r14, &checksum
        jne     lose_made
        call    #clear
        mov.b   &beginning, r12
        mov     #begin, r14
        mov     #HC_LINK_BEGIN_SIZE, r15
write:  mov     &segment, r13
        br      #hc_log_write

write_piece:
        mov     &page, r14
        mov     &made, r15
        sub     r14, r15
        cmp     #PIECE, r15
        jlo     1f
        mov     #PIECE, r15
1:      add     r15, &page
        mov     #CHECKPOINT, r12
        mov     &segment, r13
        inc     r13
        br      #hc_log_write

#if HC_CODEC_SETS == 0
; A page of the codec's waits elsewhere until it can be written. r12 = length
function __hc_page_full
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     lose
        bis     #HC_RAM_FLAG_SPARE, &flags
        mov     r12, &spare_length      ; and its stream: MIXED
        mov     #HC_PAGE_PAYLOAD, r12
1:      mov     __hc_page - 2(r12), __hc_spare - 2(r12)
        decd    r12
        jnz     1b
        ret
#endif

; Nothing is appended any more until there is another checkpoint.
lose_made:
        clr     &made                   ; somebody uses the memory that it is in
function __hc_record_lose
lose:   mov     #HC_ROOM_LOST, &room
        jmp     end_runs

; ---- beginnings ----

; Everything as after a reset. Of the program's registers, too, which are all 0 then.
function __hc_record_reset
        mov     #__hc_ram, r12
1:      clr     0(r12)
        incd    r12
        cmp     #__hc_ram + HC_RAM_STACK, r12
        jne     1b
        clr     &tail
        clr     &flags
        clr     &tries
        mov     #HC_WORK_SINK, &work
        call    #make_registers
        mov     #pieces_lasting, r10
        call    #make_pieces
        mov     #BOOT, r12
        call    #__hc_record_begin
        cmp     #ring_end, r7
        jne     3f
2:      call    #hc_log_ready
        call    #__hc_record_waiting
        tst     &made
        jnz     2b
3:      call    #hc_sink_close
#if HC_CODEC_SETS
        br      #__hc_record_open
#else
        br      #hc_codec_start
#endif

; A segment begins. r12 = stream of the page that says so
function __hc_record_begin
        mov.b   r12, &beginning
        mov     #HC_RING - 4, &room
        clr     &count
        clr     &laps
end_runs:
        clr     &run_site
        ret

; The stream is made by these with r4 = where they read, r5 = up to where, r6 = where they write, r7 = up to where, r8 = sum,
; r9 = interrupts so far, r10 = table, r11 = 1 if the last word counts zeros.
make_registers:
        mov     &free, r6
        mov     r6, r7
        mov     &free + 2, r5
        clr     r8
1:      cmp     r5, r7                  ; where the stack was
        jhs     2f
        add     @r7+, r8
        jz      1b
2:      sub     #MARGIN, r7
        mov     r7, &rest
        mov     r7, r4
        sub     r6, r4
        cmp     #PIECE, r4
        jge     7f
        bit     #GIE, sr                ; with interrupts off the ring is at hand
        jnz     impossible
        mov     r6, &rest
        mov     #ring, r6
        mov     #ring_end, r7
7:      mov     r6, &start
        mov     r6, &page
        clr     r8
        clr     r11
        clr     r4
        mov     #__hc_dump, r10
3:      mov.b   @r10+, r5
        add     r5, r4
#if !HC_BYTES_END
        add     r5, r4
#endif
        mov.b   @r10+, r5
4:
#if HC_BYTES_END
        cmp     #HC_BYTES_END, r4
        jhs     5f
        mov.b   @r4+, r12
        jmp     6f
#endif
5:      mov     @r4+, r12
6:      call    #put
        dec     r5
        jnz     4b
        cmp     #__hc_dump_end, r10
        jne     3b
        ret

; r10 = the first piece
make_pieces:
        call    #hc_sink_open
        clr     r11
1:      mov     @r10+, r4
        mov     @r10+, r5
        call    #copy
        cmp     #pieces_end, r10
        jne     1b
        mov     &rest, r4
        mov     r4, r12
        call    #put
        mov     &free + 2, r5
        call    #copy
        mov     r6, &made
        mov     r8, &checksum
        ret

1:      mov     @r4+, r12
        call    #put
copy:   cmp     r5, r4
        jne     1b
        ret

; r12 = word
put:    tst     r12
        jnz     1f
        tst     r11
        jnz     2f
        inc     r11
        call    #put_word
        jmp     put_word
2:      inc     -2(r6)
        inc     r8
        ret
1:      clr     r11
put_word:
        mov     r12, 0(r6)
        incd    r6
        add     r12, r8
        cmp     r7, r6
        jhs     full
        ret

; There is no more room. With interrupts on, or while the sink is closed, that is a failure.
full:   bit     #GIE, sr
        jnz     2f
        cmp     #HC_PERIPHERALS_END, r4
        jlo     2f
        mov     r6, &made
1:      call    #hc_log_ready           ; after a reset nobody has looked yet where the log ends
        call    #write_piece
        cmp     &made, &page
        jne     1b
        call    #clear
        mov     &page, r6
        clr     r8
        clr     r11
        ret
2:      mov     #TRIES, &tries
        dec     r9
        decd    r6
        clr     0(r6)
        ret

; Makes memory zero again.
clear:  mov     &start, r13
        mov     r13, &page
        jmp     2f
1:      clr     0(r13)
        incd    r13
2:      cmp     &made, r13
        jlo     1b
        clr     &made
        ret
        .size   __hc_record_update, . - __hc_record_update

; ---- registers of peripherals ----

; How much further on the next ones are, how many there are: bytes below HC_BYTES_END, words above. Where that is 0, the
; former is in words, too. Tools read it from the ELF file.
        .section .rodata.__hc_dump, "a", @progbits
        .global __hc_dump, __hc_dump_end
        .type   __hc_dump, @object
__hc_dump:
        .set    .Lat, 0
        .set    .Lfirst, -1             ; after the first register's address: that
.irp n, HC_DUMP
        .if     .Lfirst < 0
        .set    .Lfirst, \n
        .byte   (.Lfirst - .Lat) / HC_GAP
        .else
        .byte   \n
        .if     .Lfirst < HC_BYTES_END
        .set    .Lat, .Lfirst + \n
        .else
        .set    .Lat, .Lfirst + 2 * \n
        .endif
        .set    .Lfirst, -1
        .endif
.endr
__hc_dump_end:
        .size   __hc_dump, . - __hc_dump
