; The shelf: pages that wait in unused memory while the sink is busy. runtime/shelf.c is the same in C, shelf.h says what each
; function does and how pages lie there.
#include "names.inc"

#if HC_CODEC_SETS == 0
        .set    SEGMENT, 2
        .set    NUMBER, 4
        .set    SUM, 6
        .set    HEAD, 8
        .set    MARGIN, 64              ; bytes below the stack that are left alone

        .section .text.hc_shelf, "ax", @progbits
        .balign 2

; Keeps r5..r11. C: the spare page was moved.
function hc_shelf_put
        mov     &copied, r12
        bis     &made, r12
        tst     r12
        jnz     no_room
        bit     #HC_RAM_FLAG_OPENED, &flags
        jz      no_room
        mov     &shelf_end, r4
        tst     r4
        jnz     put_there
        mov     &free, r4
put_there:
        mov.b   &spare_length, r13
        inc     r13
        bic     #1, r13
        add     #HEAD, r13
        add     r4, r13                 ; where it ends
        mov     &free + 2, r12
        sub     r13, r12
        cmp     #RESCUE_ROOM, r12
        jl      no_room
        mov     r13, r14
        add     #MARGIN, r14
        mov     &application_sp, r12
        cmp     &free, r12
        jlo     look_for_use
        cmp     r14, r12
        jlo     no_room
look_for_use:
        mov     r4, r15
        clr     r12
look_at_word:
        bis     @r15+, r12
        cmp     r14, r15
        jne     look_at_word
        tst     r12
        jnz     no_room
        push    r10
        mov     &spare_length, r10      ; and its stream
        mov     r10, 0(r4)
        mov     &spare_segment, r12
        mov     r12, SEGMENT(r4)
        add     r12, r10
        mov     &sequence, r12
        add     #NO_NUMBER, r12
        mov     r12, NUMBER(r4)
        mov     #__hc_spare, r14
        mov     r4, r15
        add     #HEAD, r15
put_word:
        mov     @r14+, r12
        add     r12, r10
        mov     r12, 0(r15)
        incd    r15
        cmp     r13, r15
        jne     put_word
        mov     r10, SUM(r4)
        pop     r10
        tst     &shelf_end
        jnz     put_behind
        mov     r4, &shelf
put_behind:
        inc     r13
        mov     r13, &shelf_end         ; a reset finds it there, and not in the spare page any more
        bis     #HC_RAM_FLAG_SHELF, &flags
        bic     #HC_RAM_FLAG_SPARE, &flags
        dec     &shelf_end
        setc
        ret
no_room:
        clrc
        ret

; Uses r4
function hc_shelf_write
        mov     &shelf, r4
        call    #sum_page
        cmp     SUM(r4), r12
        jne     drop
        push    r13
        call    #write_page
        pop     r13
#if HC_SINK_YIELDS
        tst     &__hc_ram + HC_RAM_SAVED + HC_SINK_WRITTEN
        jnz     shelf_goes_on           ; it is half done
#endif
        mov     r13, &shelf
        cmp     r13, &shelf_end
        jne     shelf_goes_on
; Its memory becomes zero again.
end_shelf:
        mov     &shelf_end, &page
        clr     &shelf
        clr     &shelf_end
        bic     #HC_RAM_FLAG_SHELF, &flags
        mov     #COPIED_CLEAR, &copied
shelf_goes_on:
        ret

; The stack has met it: what comes behind is of a segment that has no beginning.
drop:   inc     &present
        mov     &present, &spare_segment
        call    #__hc_record_lose
#if HC_SINK_YIELDS
        call    #hc_log_give_up
#endif
        jmp     end_shelf

; The page at r4.
write_page:
        mov     &sequence, NUMBER(r4)
        mov.b   1(r4), r12
        mov     SEGMENT(r4), r13
        mov.b   @r4, r15
        mov     r4, r14
        add     #HEAD, r14
        br      #hc_log_write

; r4: a page. r12 = its sum, r13 = where it ends. Uses r14
sum_page:
        mov     @r4, r12
        call    #end_of_page
        add     SEGMENT(r4), r12
        mov     r4, r14
        add     #HEAD, r14
        jmp     sum_next
sum_word:
        add     @r14+, r12
sum_next:
        cmp     r13, r14
        jne     sum_word
        ret

; r4: a page. r13 = where it ends
end_of_page:
        mov.b   @r4, r13
        inc     r13
        bic     #1, r13
        add     #HEAD, r13
        add     r4, r13
        ret

#if HC_RESCUES
; NC: the shelf looks as it should, and memory from r8 on is not its. Uses r4, r12, r13
function hc_shelf_find
        mov     &free, r8
        bit     #1, &shelf_end
        jz      find_pages
        dec     &shelf_end              ; the spare page was just being moved
        bic     #HC_RAM_FLAG_SPARE, &ended_flags
find_pages:
        mov     &shelf, r4
        cmp     r4, &shelf_end
        jeq     no_room                 ; NC
find_page:
        cmp     &free, r4
        jlo     not_sound
        mov     &free + 2, r12
        sub     #HEAD, r12
        cmp     r12, r4
        jhs     not_sound
        bit     #1, r4
        jnz     not_sound
        cmp.b   #HC_PAGE_PAYLOAD + 1, 0(r4)
        jhs     not_sound
        call    #end_of_page
        mov     r13, r4
        cmp     r4, &shelf_end
        jne     find_page
        mov     r4, r8
        clrc
        ret
not_sound:
        setc
        ret

; NC: all pages are in the log. C: one was not whole. Uses r4, r11..r15
function hc_shelf_rescue
        mov     &shelf, r4
rescue_page:
        cmp     r4, &shelf_end
        jeq     no_room                 ; NC
        call    #sum_page
        cmp     SUM(r4), r12
        jne     not_sound
        push    r13
        mov     NUMBER(r4), r12
        call    #hc_shelf_is_in_log
        jc      rescue_next
        call    #write_page
rescue_next:
        pop     r4
        jmp     rescue_page

; C: the log has a page of number r12. Uses r13
function hc_shelf_is_in_log
        mov     &sequence, r13
        sub     r12, r13
        dec     r13
        rla     r13                     ; C: r13 < 0
        jc      not_in_log
        setc
        ret
not_in_log:
        clrc
        ret
#endif
#endif
