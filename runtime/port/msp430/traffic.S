; The recorder of depth `messages` with the flash chip M25P80 as its sink, in assembly because it must be small. It does what
; traffic/record.c, alias_code.h and m25p80.c do, and what they say about it holds here: the same bytes in RAM (record.h) and in
; the flash chip. Only what is different is said here.
;
; Within this file r6 to r10 are free (`enter` keeps what the program has there), and functions say what they take and change. C is
; the carry. What is called r8.b has its upper byte 0.
#include "codec/page.h"
#include "config.h"
#include "part.h"
#include "sink.h"
#include "traffic/layout.h"
#include "function.inc"

        .set    IE1, 0x00
        .set    IFG1, 0x02
        .set    ME1, 0x04
        .set    P3SEL, 0x1b
        .set    P4OUT, 0x1d
        .set    P4DIR, 0x1e
        .set    P4SEL, 0x1f
        .set    U0CTL, 0x70
        .set    U0TCTL, 0x71
        .set    U0MCTL, 0x73
        .set    U0BR0, 0x74
        .set    U0BR1, 0x75
        .set    U0RXBUF, 0x76
        .set    U0TXBUF, 0x77
        .set    URXIFG0, 0x40
        .set    SWRST, 0x01
        .set    SELECT, 0x10

        .set    WREN, 0x06
        .set    RDSR, 0x05
        .set    READ, 0x03
        .set    PP, 0x02
        .set    SE, 0xd8
        .set    DP, 0xb9
        .set    RES, 0xab
        .set    WAKE_LOOPS, 80

        .set    self, __hc_ram
        .set    highest, __hc_ram + 2
        .set    flags, __hc_ram + 4
        .set    known, __hc_ram + 5
        .set    channels, __hc_ram + HC_TRAFFIC_RAM_CHANNELS
        .set    round, channels + 2             ; of channel 0
        .set    next, channels + 4
        .set    low, __hc_ram + HC_TRAFFIC_RAM_LOW
        .set    range, low + 2
        .set    contexts, __hc_ram + HC_TRAFFIC_RAM_CONTEXTS
        .set    unexpected, contexts + 8
        .set    places, contexts + 9
        .set    last_context, contexts + HC_TRAFFIC_RAM_CONTEXT_COUNT - 1
        .set    magic, __hc_ram + HC_TRAFFIC_RAM_MAGIC
        .set    place, magic + 2
        .set    at, magic + 4
        .set    stream, magic + 5
        .set    boot, magic + 6
        .set    segment, magic + 8
        .set    sequence, magic + 10
        .set    __hc_traffic_fill, magic + 13
        .set    fill, __hc_traffic_fill
        .set    code, magic + 14
        .set    stamp, code + HC_TRAFFIC_BUFFER
        .set    age, stamp + 1
        .set    __hc_ram_end, __hc_ram + HC_TRAFFIC_RAM_SIZE
        .global __hc_ram, __hc_ram_end, __hc_traffic_fill

        .set    CUT, 1
        .set    FRESH, 2
        .set    BEGIN, 4
        .set    OPENED, 8
        .set    FROZEN, 0x10
        .set    BUSY, 0x40

        .set    FIRST, HC_LOG_START >> 8
        .set    END, HC_LOG_END >> 8
        .set    SECTOR, HC_LOG_SECTOR >> 8

; Z: a sector begins with the page in \where.
        .macro  test_sector where
#if HC_LOG_SECTOR == 0x10000
        tst.b   \where
#else
        bit     #SECTOR - 1, \where
#endif
        .endm

        .macro  part name
        .type   \name, @function
\name:
        .endm
        .macro  ends name
        .size   \name, . - \name
        .endm

        .section .noinit, "aw", @nobits
        .balign 2
        .type   __hc_ram, @object
__hc_ram:
        .skip   HC_TRAFFIC_RAM_SIZE
        .size   __hc_ram, HC_TRAFFIC_RAM_SIZE

        .section .bss.hc_started, "aw", @nobits
started:
        .skip   1

        .section .rodata.hc_traffic, "a", @progbits
        .balign 2
        .global __hc_traffic_begin
        .type   __hc_traffic_begin, @object
__hc_traffic_begin:
        .byte   HC_TRAFFIC_RAM_VERSION, HC_MESSAGE_PARTNERS, 0, 0
        .skip   8
        .size   __hc_traffic_begin, 12

; Registers: address, value, the bits that we need.
        .type   traffic_settings, @object
traffic_settings:
        .byte   P4OUT, 0x90, 0x90,  P4DIR, 0x90, 0x90,  P4SEL, 0, 0x90,  IE1, 0, 0xc0,  U0CTL, 0x17, 0xff,  P3SEL, 0x0e, 0x0e
        .byte   U0TCTL, 0xb2, 0xff,  U0MCTL, 0, 0xff,  U0BR0, 2, 0xff,  U0BR1, 0, 0xff,  ME1, 0x40, 0xc0
traffic_settings_end:
        .size   traffic_settings, 33

; For the map.
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
        .pushsection .hindcast, "", @progbits
        .short  0
        .ascii  "runtime\tversion=1\tdepth=messages\trecorder=asm\tpartners="
        .ascii  TEXT(HC_MESSAGE_PARTNERS)
        .ascii  "\tsink=m25p80\tlog="
        .ascii  TEXT(HC_LOG_START)
        .ascii  "-"
        .asciz  TEXT(HC_LOG_END)
        .popsection

        .section .text.hc_traffic, "ax", @progbits
        .balign 2
; Where its parts begin, for bench-messages.
        .global __hc_part_messages, __hc_part_chip, __hc_part_log, __hc_part_end
__hc_part_messages:

; ---- coding ----

; r12.b into the buffer. Changes r11.
        part traffic_put_byte
        mov.b   &fill, r11
        cmp.b   #HC_TRAFFIC_BUFFER, r11
        jeq     full
        bit.b   #CUT, &flags
        jnz     put_done
        mov.b   r12, code(r11)
        inc.b   &fill
        ret
full:   bis.b   #CUT | BEGIN, &flags
put_done:
        ret
        ends traffic_put_byte

; Codes C, a bit, with the context at r14. Changes r11 to r13, r15.
        part traffic_encode
        subc    r15, r15                        ; 0 for a one, else -1
        mov.b   @r14, r11
        xor.b   #0x80, r11
        mov.b   r11, r12
        xor.b   r15, r12
        sub.b   r15, r12                        ; how probable was what did not come?
        mov     r12, r13
        add     #14, r13
        rra     r13
        rra     r13
        rra     r13
        rra     r13
        sub.b   r13, r12
        xor.b   r15, r12
        sub.b   r15, r12
        xor.b   #0x80, r12
        mov.b   r12, 0(r14)
        mov     &range, r12
        clr     r13
bound:  clrc
        rrc     r12
        rla.b   r11
        jnc     bound_next
        add     r12, r13
bound_next:
        tst.b   r11
        jnz     bound
        tst     r15
        jnz     zero
        add     r13, &low
        sub     r13, &range
        jmp     normalise
zero:   mov     r13, &range
normalise:
        mov     &low, r13
        mov     &range, r12
        mov     r12, r15
        add     r13, r15
        xor     r13, r15
        bit     #0xff00, r15
        jz      shift
        cmp     #0x100, r12
        jhs     put_done
        clr     r12                             ; no carry can come
        sub     r13, r12
shift:  mov.b   r12, r12
        swpb    r12
        mov     r12, &range
        swpb    r13
        mov.b   r13, r12
        sub     r12, r13
        mov     r13, &low
        call    #traffic_put_byte
        jmp     normalise
        ends traffic_encode

; The byte r8.b. Changes r8, r11 to r15.
        part traffic_put
        swpb    r8
        inc     r8
put_bit:
        mov     r8, r14
        and     #7, r14
        add     #contexts, r14
        rla     r8
        adc     r8
        bit     #1, r8                          ; C
        call    #traffic_encode
        bit     #0x100, r8
        jz      put_bit
        ret
        ends traffic_put

; The alias r8. Changes r8, r11 to r15.
        part traffic_put_alias
        mov.b   &next, r14
; r14: `next` of the channel that was used last.
put_alias_after:
        and     #3, r14
        rla     r14
        rla     r14
        add     #places, r14
put_place:
        cmp     #1, r8
        call    #traffic_encode
        cmp     #last_context, r14
        jeq     put_next
        inc     r14
put_next:
        dec     r8
        jc      put_place
        ret
        ends traffic_put_alias

; Likewise.
        part traffic_pad
        cmp     #-1, &range
        jeq     put_done
        mov.b   &known, r8
        inc     r8
        call    #traffic_put_alias
        mov     &low, r12
        swpb    r12
        call    #traffic_put_byte
        swpb    r12
        call    #traffic_put_byte
rest:   clr     &low
        mov     #-1, &range
        ret
        ends traffic_pad

; ---- after a reset ----

; Changes r8, r11 to r15.
        part traffic_start
        tst.b   &started
        jnz     put_done
        inc.b   &started
        mov     #FRESH, r13
        clr     r12
        cmp     #HC_TRAFFIC_RAM_MAGIC_IS, &magic
        jne     begin_life
        bit.b   #BUSY, &flags
        jnz     begin_kept
        mov.b   &known, r8
        incd    r8
        call    #traffic_put_alias
        mov.b   &HC_CAUSE, r8
        jmp     traffic_put
begin_kept:
        mov     &highest, r12
        mov.b   #CUT | BEGIN, r13
; r12: the highest epoch, r13: flags.
begin_life:
        mov     #HC_TRAFFIC_RAM_SIZE, r14
clear:  clr.b   __hc_ram - 1(r14)
        dec     r14
        jnz     clear
        mov     r12, &highest
        mov.b   r13, &flags
        mov     #-1, &self
        mov     #HC_TRAFFIC_RAM_MAGIC_IS, &magic
        mov.b   #8, &stream
        jmp     rest
        ends traffic_start

; ---- messages ----

; Channel 0 is that of r9, an address, and r10, a kind; r7 is the node's address, or -1. Changes r6 to r9, r11 to r15.
        part traffic_use
        call    #traffic_start
        bis.b   #BUSY, &flags
        cmp     #-1, r7
        jeq     find
        cmp     r7, &self
        jeq     find
        mov     r7, &self
        bis.b   #BEGIN, &flags
find:   mov.b   &next, r14
        mov     #channels + 5, r7
        clr     r6
; Each channel changes places with channel 0 until that is the one: then all before it have moved by one.
find_one:
        cmp.b   &known, r6
        jeq     new
        cmp     r9, &channels
        jne     find_next
        mov.b   &next, r12
        xor     r10, r12
        and     #3, r12
        jz      put_found
find_next:
        inc     r6
        cmp     #2 * HC_MESSAGE_PARTNERS, r6
        jeq     forget
        mov     #channels, r11
change: mov.b   @r7, r12
        mov.b   @r11, r13
        mov.b   r13, 0(r7)
        mov.b   r12, 0(r11)
        inc     r7
        inc     r11
        cmp     #channels + 5, r11
        jne     change
        jmp     find_one
put_found:
        mov     r6, r8
        jmp     put_alias_after
new:    inc.b   &known
forget: call    #put_found
        mov     r9, &channels
        clr     &round
        mov.b   r10, &next
        mov.b   r10, r8
        call    #traffic_put
        mov.b   r9, r8
        call    #traffic_put
        swpb    r9
        mov.b   r9, r8
        jmp     traffic_put
        ends traffic_use

; The digit of message r9 / 4 in r12, a Gray code: the lowest two bits of r12. Changes r14.
        part traffic_digit
        mov     r9, r14
        and     #0x1c, r14
        jmp     digit_next
digit_shift:
        rra     r12
        rra     r12
digit_next:
        sub     #4, r14
        jc      digit_shift
        ret
        ends traffic_digit

; What `leave` takes back.
        part traffic_enter
        pop     r11
        push    r10
        push    r9
        push    r8
        push    r7
        push    r6
        br      r11
        ends traffic_enter

        function hc_message_send
        call    #traffic_enter
        mov     r12, r7
        mov     r13, r9
        clr     r10
        cmp     #-1, r13
        jne     send_to
        mov     r12, r9
        inc     r10
send_to:
        call    #traffic_use
        tst     &round
        jnz     has_epoch
        inc     &highest
        mov     &highest, &round
has_epoch:
        mov     &round, r13
        mov     r13, r12
        clrc
        rrc     r12
        xor     r13, r12
        mov.b   &next, r9
        call    #traffic_digit
        bic     #3, r9
        and     #3, r12
        bis     r9, r12                         ; turned by two bits, this is the number
        bit     #1, r12
        rrc.b   r12
        bit     #1, r12
        rrc.b   r12
        add.b   #4, &next
        jnc     leave
        cmp     r13, &highest
        jne     next_epoch
        inc     &highest
next_epoch:
        inc     &round
leave:  bic.b   #BUSY, &flags
leave_update:
        pop     r6
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        ret
        ends hc_message_send

        function hc_message_receive
        call    #traffic_enter
        push    r14
        mov     r12, r9
        mov     r13, r7
        mov     #2, r10
        cmp     #-1, r13
        jne     receive_from
        inc     r10
receive_from:
        call    #traffic_use
        pop     r9
        rla.b   r9
        adc.b   r9
        rla.b   r9
        adc.b   r9                              ; four times the counter, and the digit
        mov     &round, r12
        call    #traffic_digit
        xor     r9, r12
        and     #3, r12
        mov     r12, r7                         ; the digit's change
        mov.b   &next, r10
        bic     #3, r10
        bic     #3, r9
        mov     r9, r8
        sub.b   r10, r8
        mov.b   r8, r10                         ; how far ahead
        bis     r7, r8
        mov     #unexpected, r14
        cmp     #1, r8
        call    #traffic_encode
        tst     r8
        jz      expected
        call    #traffic_put
expected:
        tst.b   r10
        jge     take
        tst     &round
        jnz     leave
        cmp.b   #4, &next
        jhs     leave
take:   mov     r9, r14
        and     #0x1c, r14
        jmp     take_next
take_shift:
        rla     r7
        rla     r7
take_next:
        sub     #4, r14
        jc      take_shift
        xor     r7, &round
        add     #4, r9
        and.b   #3, &next
        bis.b   r9, &next
        jmp     leave
        ends hc_message_receive

; ---- the flash chip ----
__hc_part_chip:

; The command r12.b alone.
        part traffic_command
        call    #traffic_select
        ends traffic_command
        part traffic_release
        bis.b   #SELECT, &P4OUT
        ret
        ends traffic_release

; The chip listens to the command r12.b, and to what follows.
        part traffic_select
        bic.b   #SELECT, &P4OUT
        ends traffic_select
; Sends r12.b; r12.b: what came. Changes r13.
        part traffic_exchange
        mov.b   r12, &U0TXBUF
        mov.b   #-1, r12
        mov.b   r12, r13
exchange_wait:
        bit.b   #URXIFG0, &IFG1
        jnz     exchanged
        dec.b   r13
        jnz     exchange_wait
        ret
exchanged:
        mov.b   &U0RXBUF, r12
        ret
        ends traffic_exchange

; C: it is at work. Changes r12, r13.
        part traffic_is_busy
        mov.b   #RDSR, r12
        call    #traffic_select
        call    #traffic_exchange
        call    #traffic_release
        bit     #1, r12
        ret
        ends traffic_is_busy

; C: it is still at work. Changes r12, r13, r15.
        part traffic_wait
        mov.b   #-1, r15
wait_on:
        call    #traffic_is_busy
        jnc     waited
        dec.b   r15
        jnz     wait_on
waited: ret
        ends traffic_wait

; The command r12.b for page r6, from offset r7.b on. Changes r12, r13, r15.
        part traffic_begin
        push    r12
        call    #traffic_wait
        mov.b   #WREN, r12
        call    #traffic_command
        pop     r12
        call    #traffic_select
        mov     r6, r12
        swpb    r12
        call    #traffic_exchange
        mov     r6, r12
        call    #traffic_exchange
        mov.b   r7, r12
        jmp     traffic_exchange
        ends traffic_begin

; The sector of page r6, unless the log is frozen. Leaves no C.
        part traffic_erase
        bit.b   #FROZEN, &flags
        jnz     frozen
        mov.b   #SE, r12
        call    #traffic_begin
        call    #traffic_release
frozen: clrc
        ret
        ends traffic_erase

; ---- the log ----
__hc_part_log:

; The piece with head r9.b and r8 bytes at r10 onto the page. Changes r6 to r13, r15.
        part traffic_put_piece
        mov     &place, r6
        mov.b   &at, r7
        mov.b   #PP, r12
        call    #traffic_begin
        mov.b   r9, r12
        push    r8
put_piece_byte:
        call    #traffic_exchange
        dec     r8
        jnc     put_check
        mov.b   @r10+, r12
        rla.b   r9
        adc.b   r9
        add.b   r12, r9
        jmp     put_piece_byte
put_check:
        cmp.b   #-1, r9
        jne     put_sum
        clr.b   r9
put_sum:
        mov.b   r9, r12
        call    #traffic_exchange
        call    #traffic_release
        pop     r8
        incd.b  &at
        add.b   r8, &at
        ret
        ends traffic_put_piece

; To the next page. No C: the chip is at work. Changes r6, r7, r12, r13, r15.
        part traffic_next_page
        clr.b   &at
        inc     &place
        cmp     #END, &place
        jne     next_number
        mov     #FIRST, &place
next_number:
        inc     &sequence
        adc.b   &sequence + 2
        mov     &place, r6
        test_sector r6
        jnz     next_ahead
        bis.b   #BEGIN, &flags
next_ahead:
        add     #SECTOR / 2, r6
        test_sector r6                          ; C
        jnz     waited
        cmp     #END, r6
        jne     traffic_erase
        mov     #FIRST, r6
        jmp     traffic_erase
        ends traffic_next_page

; Whether page r6 is blank: Z. Changes r7 to r13, r15.
        part traffic_look
        clr     r7
        mov.b   #READ, r12
        call    #traffic_begin
        sub     #10, sp
        mov     sp, r10
        clr     r9
        mov.b   #-1, r7
        mov     #9, r8
look_byte:
        call    #traffic_exchange
        mov.b   r12, 0(r10)
        inc     r10
        and.b   r12, r7
        rla.b   r9
        adc.b   r9
        add.b   r12, r9
        dec     r8
        jnz     look_byte
        call    #traffic_exchange
        call    #traffic_release
        cmp.b   #-1, r9
        jne     look_sum
        clr.b   r9
look_sum:
        cmp.b   r12, r9
        jne     looked
        bit.b   #OPENED, &flags
        jnz     looked
        cmp.b   #8, 1(sp)
        jne     looked
        tst.b   &at
        jz      newest
        mov     6(sp), r12
        sub     &sequence, r12
        cmp     #1, r12
        jl      looked
newest: mov     r6, &place
        mov.b   #HC_PAGE_HEADER, &at
        sub     #7, r10
take_header:
        mov.b   @r10+, r12
        mov.b   r12, boot(r8)
        inc     r8
        cmp     #7, r8
        jne     take_header
looked: add     #10, sp
        cmp.b   #-1, r7
        ret
        ends traffic_look

; Leaves no C. Changes r6 to r15.
        part traffic_open_log
        mov.b   &flags, r12
        and.b   #FRESH, r12
        push    r12
        jz      opening
        cmp     #-1, &range
        jeq     opening
        mov     #CUT | BEGIN, r13               ; epochs are set below
        call    #begin_life
opening:
        mov     #FIRST, r6
#if HC_LOG_START
        mov     r6, &place
#endif
open_sector:
        call    #traffic_look
        add     #SECTOR, r6
        cmp     #END, r6
        jne     open_sector
        tst.b   &at
        jz      opened
        mov     &place, r6
open_page:
        mov     r6, &place
        inc     r6
        test_sector r6
        jz      open_end
        call    #traffic_look
        jnz     open_page
open_end:
        incd    &boot
        call    #traffic_next_page
opened: pop     r12
        tst     r12
        jz      opened_kept
        mov.b   &boot, r12
        swpb    r12
        mov     r12, &highest
opened_kept:
        bis.b   #OPENED, &flags
        clrc
        ret
        ends traffic_open_log

; The chip is ready. C: something can follow at once. Changes r6 to r15.
        part traffic_step
        bit.b   #OPENED, &flags
        jz      traffic_open_log
        bit.b   #FRESH, &flags
        jnz     begins
        bit.b   #BEGIN, &flags
        jz      has_code
        cmp.b   #HC_TRAFFIC_ENOUGH + 1, &fill
        jhs     has_code
        call    #traffic_pad
has_code:
        clr     r14
        mov.b   #HC_TRAFFIC_LAST, r12
        tst.b   &fill
        jnz     has_room
        bit.b   #BEGIN, &flags
        jz      stepped
begins: mov     #1, r14                         ; a segment begins
        clr     r12
has_room:
        cmp.b   &at, r12
        jhs     on_page
        call    #traffic_next_page
        jnc     stepped
on_page:
        tst.b   &at
        jnz     write
        mov     &place, r6
        test_sector r6
        jnz     write_header
        call    #traffic_look
        jnz     traffic_erase
write_header:
        tst     r14
        jz      has_boot
        inc     &segment
        mov.b   &highest + 1, r12
        cmp     r12, &boot
        jhs     has_boot
        mov     r12, &boot
has_boot:
        mov.b   #HC_PAGE_MAGIC, r9
        mov     #stream, r10
        mov     #8, r8
        call    #traffic_put_piece
write:  tst     r14
        jz      write_code
        mov.b   #0xc3, r9
        mov     #__hc_traffic_begin, r10
        mov     #12, r8
        call    #traffic_put_piece
        mov.b   #0x82, r9
        mov     #8, r8
        mov     #__hc_ram, r10
        bit.b   #FRESH, &flags
        jnz     write_tables
        mov.b   #0x80 | HC_TRAFFIC_RAM_TABLES / 4, r9
        mov     #HC_TRAFFIC_RAM_TABLES, r8
write_tables:
        call    #traffic_put_piece
        bit.b   #FRESH, &flags
        jnz     was_fresh
        mov     #HC_TRAFFIC_RAM_CONTEXT_COUNT, r12
clear_context:
        clr.b   contexts - 1(r12)
        dec     r12
        jnz     clear_context
        bic.b   #CUT, &flags
was_fresh:
        bit.b   #CUT, &flags
        jnz     begun
        bic.b   #BEGIN, &flags
begun:  bic.b   #FRESH, &flags
        jmp     wrote
write_code:
        mov.b   &fill, r8
        mov     r8, r9
        mov     #code, r10
        call    #traffic_put_piece
        clr.b   &fill
wrote:  bit.b   #BEGIN, &flags
stepped:
        ret
        ends traffic_step

; ---- what the program calls ----

        function hc_update
        .global hc_update_idle, hc_update_later
hc_update_idle:
hc_update_later:
        call    #traffic_enter
        call    #traffic_start
        mov.b   &highest + 1, r12
        cmp     r12, &boot
        jhs     no_epoch
        bis.b   #BEGIN, &flags
no_epoch:
        cmp.b   #HC_TRAFFIC_ENOUGH, &fill
        jhs     update
#if HC_FLUSH
        mov     #HC_TIMER_ADDRESS(HC_TIMERS_PRESENT), r14
find_clock:
        mov     @r14, r12
        and     #HC_TIMER_CLOCK_MASK, r12
        cmp     #HC_TIMER_CLOCK, r12
        jeq     has_clock
        sub     #0x20, r14
        cmp     #HC_TIMER_ADDRESS(0), r14
        jne     find_clock
        jmp     is_young
has_clock:
        mov     HC_TIMER_R(r14), r12
        swpb    r12
        mov.b   r12, r12
        mov.b   &stamp, r13
        mov.b   r12, &stamp
        sub.b   r13, r12
        add     r12, &age
        cmp     #HC_FLUSH * 128, &age
        jlo     is_young
        clr     &age
        call    #traffic_pad
        tst.b   &fill
        jnz     update
is_young:
#endif
        mov.b   &flags, r12
        and     #BEGIN | OPENED, r12
        cmp     #OPENED, r12
        jeq     leave_now
update: mov     #1, r12
        call    #hc_port_may_write
        tst.b   r12
        jz      leave_now
#if HC_SINK_YIELDS
        push    sr
        dint
        nop
#endif
        mov     #traffic_settings, r10
set_up: mov.b   @r10+, r12
        mov.b   @r12, r13
        xor.b   @r10+, r13
        and.b   @r10+, r13
        xor.b   r13, 0(r12)
        push    r13
        cmp     #traffic_settings_end, r10
        jne     set_up
        bic.b   #SWRST, &U0CTL
        mov.b   #RES, r12
        call    #traffic_command
        mov     #WAKE_LOOPS, r12
wake:   dec     r12
        jnz     wake
        bis.b   #BUSY, &flags
        call    #traffic_is_busy
        jc      close
go_on:  call    #traffic_step
        jc      go_on
close:  bic.b   #BUSY, &flags
        call    #traffic_wait
#if !HC_SINK_SHARED
        mov.b   #DP, r12
        call    #traffic_command
#endif
        bis.b   #SWRST, &U0CTL
        mov     #traffic_settings_end, r10
set_back:
        sub     #3, r10
        mov.b   @r10, r12
        pop     r13
        xor.b   r13, 0(r12)
        cmp     #traffic_settings, r10
        jne     set_back
#if HC_SINK_YIELDS
        nop
        pop     sr
        nop
#endif
leave_now:
        br      #leave_update
        ends hc_update
__hc_part_end:

        .section .text.hc_checkpoint, "ax", @progbits
        function hc_checkpoint
        bis.b   #BEGIN, &flags
        ret
        ends hc_checkpoint

        .section .text.hc_freeze, "ax", @progbits
        function hc_freeze
        bis.b   #FROZEN, &flags
        ret
        ends hc_freeze
