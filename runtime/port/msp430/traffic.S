; The recorder of depth `messages` with the flash chip M25P80 as its sink, in assembly because it must be small. It does what
; traffic/record.c, alias_code.h and m25p80.c do, and what they say about it holds here: the same bytes in RAM (record.h) and in
; the flash chip. Only what is different is said here.
;
; Within this file r5 to r10 are free (`enter` keeps what the program has there), and functions say what they take and change. C is
; the carry. What is called r8.b has its upper byte 0.
;
; With --port=kit the bus is the kit's (firmware/drivers/spi.h): it is set up when the board starts, and stays as it is. spi_exchange
; moves a byte. The clock is that of the kernel's timers. Other ports have nothing of the kind: there the bus is set up for each
; update and restored, and a timer is looked for.
#include "codec/page.h"
#include "config.h"
#include "part.h"
#include "sink.h"
#include "traffic/layout.h"
#include "function.inc"

; The kit's bus as it is, which nobody else uses meanwhile.
#if HC_PORT_KIT && !HC_SINK_SHARED && !HC_SINK_YIELDS
#define KIT_BUS 1
#else
#define KIT_BUS 0
#endif

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
        .set    SELECT, 0x10

        .set    WREN, 0x06
        .set    RDSR, 0x05
        .set    READ, 0x03
        .set    PP, 0x02
        .set    SE, 0xd8
        .set    DP, 0xb9
        .set    RES, 0xab
        .set    PATIENCE, 750                   ; some ms: a piece is programmed in less

        .set    low, __hc_ram
        .set    high, __hc_ram + 2
        .set    contexts, __hc_ram + HC_TRAFFIC_RAM_CONTEXTS
        .set    self, __hc_ram + HC_TRAFFIC_RAM_TABLES
        .set    flags, __hc_ram + HC_TRAFFIC_RAM_FLAGS
        .set    known, self + 3
        .set    highest, self + 4
        .set    channels, __hc_ram + HC_TRAFFIC_RAM_CHANNELS
        .set    round, channels + 2             ; of channel 0
        .set    next, channels + 4
        .set    unexpected, contexts + 8
        .set    places, contexts + 9
        .set    last_context, contexts + HC_TRAFFIC_RAM_CONTEXT_COUNT - 1
        .set    magic, __hc_ram + HC_TRAFFIC_RAM_MAGIC
        .set    place, magic + 2
        .set    at, HC_TRAFFIC_RAM_AT + __hc_ram
        .set    stream, magic + 5
        .set    boot, magic + 6
        .set    segment, magic + 8
        .set    sequence, magic + 10
        .set    age, HC_TRAFFIC_RAM_AGE + __hc_ram
        .set    __hc_traffic_fill, age + 1
        .set    fill, __hc_traffic_fill         ; right before the code, as in a piece
        .set    stamp, fill + 1 + HC_TRAFFIC_BUFFER
        .set    __hc_ram_end, __hc_ram + HC_TRAFFIC_RAM_SIZE
        .global __hc_ram, __hc_ram_end, __hc_traffic_fill

        .set    CUT, 1
        .set    FRESH, 2
        .set    BEGIN, 4
        .set    FROZEN, 8

        .set    FIRST, HC_LOG_START >> 8
        .set    END, HC_LOG_END >> 8
        .set    SECTOR, HC_LOG_SECTOR >> 8
        .set    TIMER, (HC_TIMER_ADDRESS(1)) - (HC_TIMER_ADDRESS(0))

; mov.b @r\from+, \offset(r\to), which the assembler does not know.
        .macro  move_on from, to, offset
        .short  0x40f0 | \from << 8 | \to, \offset
        .endm

; Z: a sector begins with the page in \where.
        .macro  test_sector where
#if HC_LOG_SECTOR == 0x10000
        tst.b   \where
#else
        bit     #SECTOR - 1, \where
#endif
        .endm

; Behind the last page is the first. Of an address the chip looks at 20 bits only.
        .macro  wrap_place
#if HC_LOG_START == 0 && HC_LOG_END == 0x100000
#elif HC_LOG_START == 0 && (HC_LOG_END & (HC_LOG_END - 1)) == 0
        bic     #END, &place
#else
        cmp     #END, &place
        jne     in_log
        mov     #FIRST, &place
in_log:
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

; What begins a page, a segment, and the tables of a node that starts, or all: head, bytes and one, where.
        .type   traffic_pieces, @object
traffic_pieces:
        .byte   HC_PAGE_MAGIC, 9
        .short  stream
        .byte   0xc3, 13
        .short  __hc_traffic_begin
        .byte   0x81, 5
        .short  self
        .byte   0x80 | HC_TRAFFIC_TABLES_SIZE / 4, HC_TRAFFIC_TABLES_SIZE + 1
        .short  self
        .size   traffic_pieces, 16

#if !KIT_BUS
; Registers: address, value, the bits that we need. The USART is held in reset until the last one. The address of the first, and of
; no other, is 0.
        .type   traffic_settings, @object
traffic_settings:
        .byte   IE1, 0, 0xc0,  P4OUT, 0x90, 0x90,  P4DIR, 0x90, 0x90,  P4SEL, 0, 0x90,  U0CTL, 0x17, 0xff,  P3SEL, 0x0e, 0x0e
        .byte   U0TCTL, 0xb2, 0xff,  U0MCTL, 0, 0xff,  U0BR0, 2, 0xff,  U0BR1, 0, 0xff,  ME1, 0x40, 0xc0,  U0CTL, 0x16, 0xff
traffic_settings_end:
        .size   traffic_settings, 36
#endif

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

; Codes C, a bit, with the context at r14. Changes r11 to r13, r15.
        part traffic_encode
        subc    r15, r15                        ; 0 for a one, else -1
        mov.b   @r14, r11
        add.b   #HC_TRAFFIC_RAM_CONTEXT_NEW, r11
        mov     r15, r12
        and     #0x10d, r12
        inc     r12
        sub     r11, r12                        ; to 1, or to 270, by a sixteenth of the way
        rra     r12
        rra     r12
        rra     r12
        rra     r12
        add.b   r12, 0(r14)
        mov     &high, r12
        mov     &low, r13
        sub     r13, r12
        clrc                                    ; no sum below has a carry
bound:  rrc     r12
        rla.b   r11
        jnc     bound_next
        add     r12, r13
        jmp     bound
bound_next:
        jnz     bound
        and     #2, r15
        mov     r13, low(r15)                   ; or high
        ends traffic_encode
; Bytes that are certain go into the buffer.
        part traffic_normalise
        mov     &high, r12
        mov     &low, r13
; r12: `high`, r13: `low`.
normalise:
        mov     r12, r15
        sub     r13, r15
        cmp     #0x100, r15
        jhs     normal
        cmp.b   r13, r12
        jhs     shift
        clr     r12                             ; no carry can come
shift:  mov.b   r12, r12
        swpb    r12
        mov     r12, &high
        swpb    r13
        mov.b   r13, r15
        sub     r15, r13
        mov     r13, &low
        mov.b   &fill, r11
        cmp.b   #HC_TRAFFIC_BUFFER, r11
        jeq     full
        bit.b   #CUT, &flags
        jz      put_room
full:   bis.b   #CUT | BEGIN, &flags
        jmp     traffic_normalise
put_room:
        mov.b   r15, fill + 1(r11)
        inc.b   &fill
        jmp     traffic_normalise
        ends traffic_normalise

        function hc_message_receive
        call    #traffic_enter
        mov     r12, r9
        mov     r13, r7
        mov.b   r14, r10
        rla     r10
        rla     r10                             ; the digit, and in the lower byte four times the counter
        call    #traffic_use
        mov     r10, r9
        swpb    r9
        sub.b   &next, r10                      ; how far ahead
        mov     r10, r14
        mov     &round, r12
        call    #traffic_turn
        xor     r12, r9
        and     #3, r9                          ; how the digit changes
        xor     r9, r12
        call    #turn_once
        mov     r12, &round
        bis     r10, r9
        add.b   #4, r10
        add.b   r10, &next
        mov     #unexpected, r14
        cmp     #1, r9
        call    #traffic_encode
        tst     r9
        jz      normal
        ends hc_message_receive
; The byte r9.b, or r8.b. Changes r8, r11 to r15.
        part traffic_put_r9
        mov.b   r9, r8
        ends traffic_put_r9
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
normal: ret
        ends traffic_put

; An alias that is no channel's: r8 behind the last. Changes r8, r11 to r15.
        part traffic_put_sign
        add.b   &known, r8
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
        ends traffic_put_sign

; ---- messages ----

; A message from r12 to r13. Channel 0 is that of its kind, the lowest two bits of r10 or one more, and of r9, an address; r7 is
; the node's address, or -1. A new one expects what r10.b says. Changes r6 to r9, r11 to r15.
        part traffic_use
        cmp     #-1, r13
        jne     use_kind
        mov     r12, r9
        inc     r10
use_kind:
        call    #traffic_start
        clr     &magic
        cmp     #-1, r7
        jeq     find
        cmp     r7, &self
        jeq     find
        mov     r7, &self
        bis.b   #BEGIN, &flags
find:   mov.b   &next, r14
        mov     #channels + 5, r7
        clr     r8
; Each channel changes places with channel 0 until that is the one: then all before it have moved by one.
find_one:
        cmp.b   &known, r8
        jeq     new
        cmp     r9, &channels
        jne     find_next
        mov.b   &next, r12
        xor     r10, r12
        and     #3, r12
        jz      put_alias_after
find_next:
        inc     r8
        cmp     #2 * HC_MESSAGE_PARTNERS, r8
        jeq     forget
        mov     #channels, r11
change: mov.b   @r7, r12
        move_on 11, 7, 0
        mov.b   r12, -1(r11)
        inc     r7
        cmp     #channels + 5, r11
        jne     change
        jmp     find_one
new:    inc.b   &known
forget: call    #put_alias_after
        mov     r9, &channels
        clr     &round
        mov.b   r10, &next
        mov.b   r10, r8
        call    #traffic_put
        call    #traffic_put_r9
        swpb    r9
        jmp     traffic_put_r9
        ends traffic_use

; r12 turned right by one digit of two bits, if r14 is negative, and from traffic_turn on by r14 / 4 of them. Changes r14.
        part turn_once
        bit     #1, r12
        rrc     r12
        bit     #1, r12
        rrc     r12
        ends turn_once
        part traffic_turn
        sub     #4, r14
        jge     turn_once
        ret
        ends traffic_turn

; What is behind the call of this is called with r5 to r10 free, and what was there is as before when it returns, which is then its
; caller's. Changes r11.
        part traffic_enter
        pop     r11
        push    r10
        push    r9
        push    r8
        push    r7
        push    r6
        push    r5
        call    r11
        mov     #HC_TRAFFIC_RAM_MAGIC_IS, &magic
        pop     r5
        pop     r6
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        ret
        ends traffic_enter

        function hc_message_send
        call    #traffic_enter
        mov     r12, r7
        mov     r13, r9
        mov     #2, r10
        call    #traffic_use
        mov     &round, r13
        tst     r13
        jnz     has_epoch
        inc     &highest
        mov     &highest, r13
has_epoch:
        mov     r13, r12
        clrc
        rrc     r12
        xor     r13, r12
        mov.b   &next, r9
        mov     r9, r14
        call    #traffic_turn
        rra     r12
        rrc.b   r9
        rra     r12
        rrc.b   r9
        mov.b   r9, r12
        add.b   #4, &next
        jnc     keep_epoch
        cmp     r13, &highest
        jne     next_epoch
        inc     &highest
next_epoch:
        inc     r13
keep_epoch:
        mov     r13, &round
        ret
        ends hc_message_send

__hc_part_chip:

; ---- the flash chip ----

; The chip listens to the command r12.b, and to what follows.
        part traffic_select
        bic.b   #SELECT, &P4OUT
        ends traffic_select
; Sends r12.b; r12.b: what came. Changes r11, r13 to r15.
        part traffic_exchange
#if KIT_BUS
        br      #spi_exchange
#else
        mov.b   r12, &U0TXBUF
        mov.b   #-1, r13
exchange_wait:
        bit.b   #URXIFG0, &IFG1
        jnz     exchanged
        dec.b   r13
        jnz     exchange_wait
exchanged:
        mov.b   &U0RXBUF, r12
        ret
#endif
        ends traffic_exchange

; The command r12.b for page r6, from offset `at` on. Changes r11 to r15.
        part traffic_begin
        push    r12
        mov.b   #WREN, r12
        call    #traffic_command
        pop     r12
        call    #traffic_select
        mov     r6, r12
        swpb    r12
        call    #traffic_exchange
        mov     r6, r12
        call    #traffic_exchange
        mov.b   &at, r12
        jmp     traffic_exchange
        ends traffic_begin

; The command r12.b alone.
        part traffic_command
        call    #traffic_select
        jmp     traffic_release
        ends traffic_command

; The command ends. C: the chip is still at work. Changes r8, r11 to r15.
        part traffic_finish
        call    #traffic_release
        ends traffic_finish
        part traffic_wait
        mov     #PATIENCE, r8
; As long as r8 looks take.
look_again:
        mov.b   #RDSR, r12
        call    #traffic_select
wait_on:
        call    #traffic_exchange
        bit     #1, r12
        jnc     traffic_release
        dec     r8
        jnz     wait_on
        ends traffic_wait
; C stays.
        part traffic_release
        bis.b   #SELECT, &P4OUT
        ret
        ends traffic_release

__hc_part_log:

; ---- after a reset ----

; Changes r8, r11 to r15.
        part traffic_start
        tst.b   &started
        jnz     started_already
        inc.b   &started
        cmp     #HC_TRAFFIC_RAM_MAGIC_IS, &magic
        jne     begin_life
        mov     #2, r8
        call    #traffic_put_sign
        mov.b   &HC_CAUSE, r8
        jmp     traffic_put
begin_life:
        mov     #HC_TRAFFIC_RAM_SIZE, r12
        call    #clear
        mov.b   #FRESH | BEGIN, &flags
        mov     #-1, &self
        ret
        ends traffic_start
; Changes r12.
        part traffic_clear_coder
        mov     #HC_TRAFFIC_RAM_TABLES, r12
; The first r12 bytes of RAM.
clear:  clr.b   __hc_ram - 1(r12)
        dec     r12
        jnz     clear
        jmp     rest
        ends traffic_clear_coder

; Changes r6, r8, r11 to r15.
        part traffic_pad
        cmp     #-1, &high
        jeq     started_already
        mov     #1, r8
        call    #traffic_put_sign
        call    #traffic_put_low
        ends traffic_pad
; The upper byte of `low`, which the lower one becomes.
        part traffic_put_low
        mov     &low, r13
        mov     r13, r12
        inc     r12
        call    #normalise
rest:   mov     #-1, &high
started_already:
        ret
        ends traffic_put_low

; ---- the log ----

; The piece that r7 describes, below, onto the page; r7 goes on to the next. Changes r8 to r15.
        part traffic_put_described
        mov.b   @r7+, r9
        mov.b   @r7+, r8
        mov     @r7+, r10
        ends traffic_put_described
; The piece with head r9.b and r8 - 1 bytes at r10 onto page r6. Changes r8 to r15.
        part traffic_put_piece
        mov.b   #PP, r12
        call    #traffic_begin
put_r9: mov.b   r9, r12
put_piece_byte:
        inc.b   &at
        call    #traffic_exchange
        dec     r8
        jz      put_check
        jn      traffic_finish
        mov.b   @r10+, r12
        rla.b   r9
        adc.b   r9
        add.b   r12, r9
        jmp     put_piece_byte
put_check:
        cmp.b   #-1, r9
        adc.b   r9
        jmp     put_r9
        ends traffic_put_piece

; Whether page r6 is blank: Z. `at` is 0. Changes r7 to r15.
        part traffic_look
        mov.b   #READ, r12
        call    #traffic_begin
        sub     #10, sp
        mov     sp, r10
        clr     r9
        mov     #10, r8
look_byte:
        mov.b   r9, r7
        call    #traffic_exchange
        mov.b   r12, 0(r10)
        inc     r10
        rla.b   r9
        adc.b   r9
        add.b   r12, r9
        dec     r8
        jnz     look_byte
        call    #traffic_release
        cmp.b   #-1, r7
        adc.b   r7
        cmp.b   r12, r7
        jne     looked
        cmp.b   #8, 1(sp)
        jne     looked
        tst     &boot
        jz      newest
        mov     6(sp), r12
        sub     &sequence, r12
        jn      looked
newest: mov     r6, &place
        sub     #8, r10
take_header:                                    ; and one byte more, into `age`
        move_on 10, 8, boot
        inc     r8
        cmp     #8, r8
        jne     take_header
looked: pop     r12
        add     #8, sp
        cmp     #-1, r12
looked_at:
        ret
        ends traffic_look

; ---- what the program calls ----

        function hc_update
#if HC_PORT_KIT
        function kernel_idle
        function kernel_task_done
#endif
        .global hc_update_idle, hc_update_later
hc_update_idle:
hc_update_later:
        call    #traffic_enter
        call    #traffic_start
        cmp.b   &highest + 1, &boot
        jeq     no_epoch
        bis.b   #BEGIN, &flags
no_epoch:
        cmp.b   #HC_TRAFFIC_ENOUGH, &fill
        jhs     update
#if HC_FLUSH
#if HC_PORT_KIT
        mov     &HC_TIMER_ADDRESS(2) + HC_TIMER_R, r12
#else
        mov     #HC_TIMERS_PRESENT * TIMER, r14
find_clock:
        mov     HC_TIMER_ADDRESS(0)(r14), r12
        and     #HC_TIMER_CLOCK_MASK, r12
        cmp     #HC_TIMER_CLOCK, r12
        jeq     has_clock
        sub     #TIMER, r14
        jnz     find_clock
        jmp     is_young
has_clock:
        mov     HC_TIMER_ADDRESS(0) + HC_TIMER_R(r14), r12
#endif
        xor     &stamp, r12
        rla     r12
        jnc     is_young
        inv     &stamp
        dec.b   &age
        jc      is_young
        mov.b   #HC_FLUSH - 1, &age
        cmp     #-1, &high
        jne     update
is_young:
#endif
        bit.b   #BEGIN, &flags
        jz      updated
update:
#if HC_PORT_KIT
        tst     &spi_owner
        jnz     updated
#else
        mov     #1, r12
        call    #hc_port_may_write
        tst.b   r12
        jz      updated
#endif
#if KIT_BUS
        bit.b   #1, &U0CTL                      ; in reset, until the board has set it up
        jnz     updated
#else
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
        push    r12
        cmp     #traffic_settings_end, r10
        jne     set_up
#endif
        mov.b   #RES, r12
        call    #traffic_command
        mov.b   #-1, r12
wake:   dec     r12
        jnz     wake
        clr     &magic
; The next thing, if the chip is ready: there is something to write. If a segment has to be begun then, something can follow, or the
; chip erases.
go_on:  mov     #1, r8
        call    #look_again
#if KIT_BUS
        .set    updated, looked_at
        jc      updated
#else
        jc      close
#endif
        tst.b   &stream
        jnz     opened
        bic.b   #BEGIN, &flags
        tst.b   &known
        jz      opening
        call    #begin_life
        mov.b   #CUT | BEGIN, &flags
opening:
        mov     #FIRST - 1, &place
        mov     #FIRST, r6
open_sector:
        call    #traffic_look
        add     #SECTOR, r6
        cmp     #END, r6
        jne     open_sector
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
        mov.b   &boot, &highest + 1
        mov     #0x08ff, &at                    ; and `stream`. The next page is to be begun
        jmp     stepped
opened: clr     r5                              ; what `at` must not be above: a segment begins
        bit.b   #FRESH, &flags
        jnz     has_room
        cmp.b   #HC_TRAFFIC_ENOUGH, &fill
        jhs     has_code
        call    #traffic_pad
        tst.b   &fill
        jz      has_room
has_code:
        mov.b   #HC_TRAFFIC_LAST, r5
has_room:
        cmp.b   &at, r5
        jhs     on_page
        clr.b   &at
        inc     &place
        wrap_place
        inc     &sequence
        adc.b   &sequence + 2
on_page:
        mov     &place, r6
        tst.b   &at
        jnz     write_code
        test_sector r6
        jnz     write_header
        bis.b   #BEGIN, &flags
        call    #traffic_look
        jz      write_header
        bit.b   #FROZEN, &flags
        jnz     rest_chip
        mov.b   #SE, r12
        call    #traffic_begin
#if KIT_BUS
        jmp     traffic_release
#else
        call    #traffic_release
        jmp     close
#endif
write_header:
        tst     r5
        jnz     has_boot
        inc     &segment
        mov.b   &highest + 1, &boot
has_boot:
        mov     #traffic_pieces, r7
        call    #traffic_put_described
        tst     r5
        jnz     write_code
        call    #traffic_put_described
        mov.b   #FRESH | BEGIN, r5
        bit.b   #FRESH, &flags
        jnz     write_tables
        dec     r5                              ; CUT | BEGIN
        add     #4, r7
        call    #traffic_clear_coder
write_tables:
        call    #traffic_put_described
        bic.b   r5, &flags
        jmp     stepped
write_code:
        mov     #fill, r10
        mov.b   @r10+, r9
        mov     r9, r8
        inc     r8
        clr.b   &fill
        call    #traffic_put_piece
stepped:
        bit.b   #BEGIN, &flags
        jnz     go_on
rest_chip:
#if KIT_BUS
        mov.b   #DP, r12
        jmp     traffic_command
#else
#if !HC_SINK_SHARED
        mov.b   #DP, r12
        call    #traffic_command
#endif
close:
        pop     r12
        pop     r13
        xor.b   r13, 0(r12)
        tst     r12
        jnz     close
#if HC_SINK_YIELDS
        nop
        pop     sr
        nop
#endif
updated:
        ret
#endif
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
