; The flash chip M25P80 on USART0, as on the TelosB: SIMO, SOMI, UCLK on P3.1 to 3, chip select on P4.4, HOLD on P4.7.
;
; USART0 and the pins get back what the program had set; registers that a handler may write meanwhile are changed by
; single instructions, only in the bits that are ours. The chip is woken up for us, and sleeps as soon as it has
; finished what it was told; where the program uses it too (HC_SINK_SHARED) it is left awake. Interrupts may come at
; any time: the chip stays selected meanwhile.
;
; Where handlers of the program use the bus (HC_SINK_YIELDS), interrupts are off while anything of it is ours, for 64 bytes at a
; time. In between all is the program's, handlers run, and we go on when no other chip is selected any more. So a page is
; programmed in pieces, in several updates if there is time. What is behind its payload stays blank.
;
; Of the functions that are not C's, only r11..r13 are changed, and only if they say so.
#include "codec/page.h"
#include "layout.h"
#include "sink.h"
#include "crc.inc"
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
        .set    SWRST, 0x01                     ; U0CTL
        .set    TXEPT, 0x01                     ; U0TCTL
        .set    SELECT, 0x10                    ; P4OUT
        .set    OTHERS, HC_SINK_SELECTS & ~SELECT
        .set    BURST, 64                       ; bytes that are programmed at a time: 0.45 ms at 4 MHz
        .set    READ_BURST, 16                  ; read
        .set    READY_LOOKS, 64                 ; at a chip that programs a piece: 10 ms
        .set    WAKE_LOOPS, 80                  ; 30 us, at up to 8 MHz

        .set    CRC_AT, HC_PAGE_SIZE - 2

        .set    WREN, 0x06
        .set    RDSR, 0x05
        .set    READ, 0x03
        .set    SE, 0xd8
        .set    DP, 0xb9
        .set    RES, 0xab
        .set    WIP, 0x01

        .set    next, __hc_ram + HC_RAM_NEXT
        .set    saved, __hc_ram + HC_RAM_SAVED
        .set    patience, saved + 12            ; looks at a flag that are left until we go on without it
        .set    status, saved + 11              ; low byte of SR while interrupts are off for the bus
#if HC_SINK_YIELDS
        .set    written, saved + HC_SINK_WRITTEN ; how much of a page was programmed, 0: none is half done
        .set    crc_so_far, saved + HC_SINK_CRC
#endif
        .set    PATIENCE, 4096                  ; of them a command may take: the clock may stand still

        .macro  section_of name
        .section .text.\name, "ax", @progbits
        function \name
        .endm

; Which bits of which registers we need, and how, in this order. U0CTL: an SPI master of 8 bits, configured in reset, which
; then ends.
        .section .rodata.hc_sink_setup, "a", @progbits
registers:
        .byte   P4OUT, P4DIR, P4SEL, IE1,  U0CTL, P3SEL, U0TCTL, U0MCTL, U0BR0, U0BR1, ME1
settings:
        .set    SETTINGS, 11
masks:
        .byte   0x90,  0x90,  0x90,  0xc0, 0xff,  0x0e,  0xff,   0xff,   0xff,  0xff,  0xc0
values:
        .byte   0x90,  0x90,  0,     0,    0x17,  0x0e,  0xb2,   0,      2,     0,     0x40

#if HC_SINK_YIELDS
; A function begins that uses the bus; without it, it returns 0.
        .macro  begin_use
        call    #take
        jnc     in_use_\@
        br      #gone
in_use_\@:
        .endm

; It ends, with the chip not selected; r12 is its result.
        .macro  end_use
        br      #give
        .endm

        .section .text.hc_sink_bus, "ax", @progbits
        .balign 2
; The bus is ours as soon as no other chip is selected; interrupts are off then. C: one is, for good, and they are as before.
; r11 is changed.
take:   push    r12
        push    r13
        clr     r11
take_look:
        mov.b   sr, &status
        dint
        nop
        mov.b   &P4OUT, r12
        inv.b   r12
        and.b   &P4DIR, r12
        and.b   #OTHERS, r12
        jz      take_it
        mov.b   &status, r12
        nop
        mov     r12, sr
        nop                                     ; handlers go on, and come to an end with it
        dec     r11
        jnz     take_look
        pop     r13
        pop     r12
        setc
        ret
take_it:
        clr     r11
set_up: mov.b   registers(r11), r13
        mov.b   values(r11), r12
        xor.b   @r13, r12
        and.b   masks(r11), r12
        mov.b   r12, saved(r11)                 ; the bits that differ
        xor.b   r12, 0(r13)
        inc     r11
        cmp     #SETTINGS, r11
        jne     set_up
        bic.b   #SWRST, &U0CTL
        pop     r13
        pop     r12
        clrc
        ret

; The bus back to the program. Keeps r12.
give:   push    r13
        bis.b   #SWRST, &U0CTL
        mov     #SETTINGS, r11
set_back:
        mov.b   registers - 1(r11), r13
        xor.b   saved - 1(r11), 0(r13)
        dec     r11
        jnz     set_back
        mov.b   &status, r11
        pop     r13
        nop
        mov     r11, sr
        nop
        ret

section_of hc_sink_open
        begin_use
        mov.b   #RES, r12                       ; whoever made it sleep; a chip that is busy does not hear it
        call    #command
        call    #give
        mov     #WAKE_LOOPS, r12
until_awake:
        dec     r12
        jnz     until_awake
        ret
gone:   clr     r12
        ret

section_of hc_sink_close
#if HC_SINK_SHARED
        mov     #1, r12
        ret
#else
        call    #hc_sink_ready
        tst     r12
        jz      gone
        begin_use
        mov.b   #DP, r12
        call    #command
        mov     #1, r12
        end_use
#endif

#else
        .macro  begin_use
        .endm
        .macro  end_use
        ret
        .endm

section_of hc_sink_open
        clr     r11
set_up: mov.b   registers(r11), r13
        mov.b   values(r11), r12
        xor.b   @r13, r12
        and.b   masks(r11), r12
        mov.b   r12, saved(r11)                 ; the bits that differ
        xor.b   r12, 0(r13)
        inc     r11
        cmp     #SETTINGS, r11
        jne     set_up
        bic.b   #SWRST, &U0CTL
        mov.b   #RES, r12                       ; whoever made it sleep; a chip that is busy does not hear it
        call    #command
        mov     #WAKE_LOOPS, r12
until_awake:
        dec     r12
        jnz     until_awake
        ret

section_of hc_sink_close
#if HC_SINK_SHARED
        mov     #1, r14
#else
        call    #hc_sink_ready
        mov     r12, r14
        tst     r14
        jz      give_back
        mov.b   #DP, r12
        call    #command
#endif
give_back:
        bis.b   #SWRST, &U0CTL
        mov     #SETTINGS, r11
set_back:
        mov.b   registers - 1(r11), r13
        xor.b   saved - 1(r11), 0(r13)
        dec     r11
        jnz     set_back
        mov     r14, r12
        ret
#endif

; Sends r12; what came meanwhile is in r12. All ones if the clock stands still.
exchange:
        mov.b   r12, &U0TXBUF
exchanged:
        bit.b   #URXIFG0, &IFG1
        jz      exchange_wait
        mov.b   &U0RXBUF, r12
        ret
exchange_wait:
        dec     &patience
        jnz     exchanged
        inc     &patience                       ; nor is anything waited for after that
        mov.b   #-1, r12
        ret

; The chip listens from here on.
select:
        mov     #PATIENCE, &patience
        bic.b   #SELECT, &P4OUT
        ret

; r12 = command, r13 = page: sends them, and the chip stays selected. Leaves r11 = r12 = r13 = 0.
begin:
        push    r12
        mov.b   #WREN, r12                      ; of no effect on what does not write
        call    #command
        pop     r12
        call    #select
        mov     #4, r11
begin_byte:
        call    #exchange
        swpb    r13
        mov.b   r13, r12
        xor     r12, r13
        dec     r11
        jnz     begin_byte
        ret

        function hc_sink_ready
        begin_use
        mov.b   #RDSR, r12
        call    #begin
        call    #exchange
        inv.b   r12
        and     #WIP, r12
over:   call    #end
        end_use

        function hc_sink_erase
        begin_use
        mov     r12, r13
        mov.b   #SE, r12
        call    #begin
        jmp     over

#if !HC_SINK_YIELDS
        function hc_sink_used
        mov     r13, r14
        mov     r12, r13
        mov.b   #READ, r12
        call    #begin
        mov.b   r12, &U0TXBUF
used_byte:
        bit.b   #URXIFG0, &IFG1
        jz      used_wait
        mov.b   &U0RXBUF, r12
        mov.b   r12, &U0TXBUF                   ; the next one is on its way while this one is looked at
        inc.b   r12
        jnz     used_end
        dec     r14
        jnz     used_byte
used_end:
        push    r12
        call    #exchanged
        pop     r12
        jmp     over
used_wait:
        dec     &patience
        jnz     used_byte
        inc     &patience
        clr     r12
        jmp     over
#endif

; r12 = a command of one byte.
command:
        call    #select
        call    #exchange
end:    bis.b   #SELECT, &P4OUT                 ; leaves flags alone
        ret

#if HC_SINK_YIELDS
section_of hc_sink_used
        push    r10
        push    r9
        mov     r13, r14
        mov     r12, r9
        clr     r10
used_burst:
        mov     #READ, r12
        call    #begin_at
        jc      used_lost
used_byte:
        call    #exchange
        inc.b   r12
        jnz     used_end
        inc.b   r10
        cmp.b   r14, r10
        jeq     used_end                        ; all of it is blank, r12 = 0
        bit     #READ_BURST - 1, r10
        jnz     used_byte
        call    #end_burst
        jmp     used_burst
used_end:
        call    #end_burst
used_over:
        pop     r9
        pop     r10
        ret
used_lost:
        clr     r12
        jmp     used_over

; r7 = bytes of the payload that are left, r8 = where they are, r9 = page, r10 = where in it, r14 = bytes of this burst
section_of hc_sink_transfer
        push    r10
        push    r9
        push    r8
        push    r7
        mov     r13, r9
        clr     r10
        mov     #-1, r15
        cmp     #HC_SINK_READ, r12
        jeq     read_burst
        mov     r14, r8
        mov.b   &next + HC_PAGE_LENGTH, r7
        mov     &written, r10
        tst     r10
        jz      program_wait
        mov     &crc_so_far, r15
        mov     r10, r14
        sub     #HC_PAGE_HEADER, r14
        add     r14, r8
        sub     r14, r7
program_wait:
        mov     #READY_LOOKS, r14
program_look:
        call    #hc_sink_ready
        tst     r12
        jnz     program
        dec     r14
        jnz     program_look
program:
        mov     #HC_SINK_PROGRAM, r12
        call    #begin_at
        mov     #HC_SINK_GONE, r12
        jc      piece_end
        cmp     #CRC_AT, r10
        jeq     send_crc
        mov     #BURST, r14
        tst     r10
        jnz     program_payload
        mov     #next, r13
        mov     #HC_PAGE_HEADER, r12
        call    #send
        sub     #HC_PAGE_HEADER, r14
program_payload:
        cmp     r14, r7
        jhs     program_burst
        mov     r7, r14
program_burst:
        mov     r8, r13
        mov     r14, r12
        call    #send
        call    #end_burst
        tst     r10                             ; the sum is made while the chip programs
        jnz     sum_payload
        mov     #next, r13
        mov     #HC_PAGE_HEADER, r12
        mov     r12, r10
        call    #sum
sum_payload:
        mov     r8, r13
        mov     r14, r12
        call    #sum
        add     r14, r10
        sub     r14, r7
        jnz     piece_done
sum_blank:
        cmp     #CRC_AT, r10
        jhs     piece_done
        mov.b   #-1, r12
        call    #crc
        inc     r10
        jmp     sum_blank
piece_done:
        mov     r10, &written
        mov     r15, &crc_so_far
        mov     #HC_SINK_MORE, r12
        jmp     piece_end
send_crc:
        mov     r15, r12
        call    #exchange
        swpb    r15
        mov     r15, r12
        call    #exchange
        call    #end_burst
        clr     &written
        clr     r12
piece_end:
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        ret

read_end:
        call    #end_burst
transferred:
        mov     r15, r12
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        ret

read_burst:
        mov     #HC_SINK_READ, r12
        call    #begin_at
        jc      transferred
read_byte:
        call    #exchange
        cmp     #HC_PAGE_HEADER, r10
        jhs     read_crc
        mov.b   r12, next(r10)
        cmp.b   #HC_PAGE_MAGIC, &next
        jne     read_end
read_crc:
        call    #crc
        inc.b   r10
        jz      read_end
        bit     #READ_BURST - 1, r10
        jnz     read_byte
        call    #end_burst
        jmp     read_burst

; r12 = command, r9 = page, r10 = where in it: the bus is ours, and the chip selected. C: the bus is not to be had.
begin_at:
        call    #take
        jc      begun
        push    r12
        mov.b   #WREN, r12                      ; of no effect on what does not write
        call    #command
        pop     r12
        call    #select
        call    #exchange
        mov     r9, r12
        swpb    r12
        call    #exchange
        mov     r9, r12
        call    #exchange
        mov     r10, r12
        call    #exchange
        clrc
begun:  ret

; Keeps r12.
end_burst:
        bit.b   #TXEPT, &U0TCTL
        jnz     sent
        dec     &patience
        jnz     end_burst
        inc     &patience
sent:   tst.b   &U0RXBUF                        ; as after exchange
        call    #end
        br      #give

; r12 bytes from r13 on, without a look at what comes back.
send:   tst.b   &IFG1                           ; UTXIFG0
        jge     send_wait
        mov.b   @r13, &U0TXBUF
        inc     r13
        dec     r12
        jnz     send
        ret
send_wait:
        dec     &patience
        jnz     send
        inc     &patience
        ret

; r12 bytes from r13 on into r15
sum:    push    r12
sum_byte:
        mov.b   @r13+, r12
        call    #crc
        dec     0(sp)
        jnz     sum_byte
        add     #2, sp
        ret
#else
; r15 = CRC, its bytes exchanged
section_of hc_sink_transfer
        push    r10
        mov     r12, r10
        call    #begin
        mov     #-1, r15
        bit     #1, r10
        jnz     read
        mov     #next, r13
        mov     #HC_PAGE_HEADER, r10
        call    #send
        mov     r14, r13
        mov.b   &next + HC_PAGE_LENGTH, r10
        call    #send
        mov     #HC_PAGE_PAYLOAD, r10
        sub.b   &next + HC_PAGE_LENGTH, r10
        jz      send_crc
        mov     #next, r13                      ; anything: behind the payload memory may end
        call    #send
send_crc:
        mov.b   r15, r12
        call    #put
        mov.b   r15, r12
        call    #put
send_last:
        bit.b   #TXEPT, &U0TCTL
        jnz     sent
        dec     &patience
        jnz     send_last
sent:   tst.b   &U0RXBUF                        ; as after exchange
transferred:
        pop     r10
        mov     r15, r12
        jmp     end

read:   clr     r10
read_byte:
        call    #exchange
        cmp     #HC_PAGE_HEADER, r10
        jhs     read_crc
        mov.b   r12, next(r10)
        cmp.b   #HC_PAGE_MAGIC, &next
        jne     transferred
read_crc:
        call    #crc
        inc.b   r10
        jnz     read_byte
        jmp     transferred

; r10 bytes from r13 on. As `put` does it, in less time.
send:   mov.b   @r13+, r12
send_byte:
        tst.b   &IFG1                           ; UTXIFG0
        jge     send_wait
        mov.b   r12, &U0TXBUF
        add_to_crc
        dec     r10
        jnz     send
        ret
send_wait:
        dec     &patience
        jnz     send_byte
        inc     &patience
        ret

; Sends r12 as soon as there is room; what is received is lost.
put_wait:
        dec     &patience
        jnz     put
        inc     &patience
        ret
put:    tst.b   &IFG1                           ; UTXIFG0
        jge     put_wait
        mov.b   r12, &U0TXBUF
#endif
crc:    add_to_crc
        ret
