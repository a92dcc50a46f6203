; The recorder's border: everything that the instrumented program calls, and the vectors. See runtime/README.md.
;
; A cut is a stretch that replay does not execute. Between cuts this code runs in replay too: it is part of the program.
; In a cut interrupts are off, nothing is pushed on the program's stack, and the registers it needs lie in the recorder's
; RAM. All cuts lie between hc_cuts and hc_cuts_end, where only an NMI can interrupt: see nmi.

#include "link.h"
#include "part.h"
#include "layout.h"
#include "ring.h"
#include "ring.inc"

        .set    GIE, 0x0008
        .set    CPUOFF, 0x0010
        .set    FLAGS, 0x0107

        .set    count, __hc_ram + HC_RAM_COUNT
        .set    laps, __hc_ram + HC_RAM_LAPS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    lost, __hc_ram + HC_RAM_LOST
        .set    state, __hc_ram + HC_RAM_STATE
        .set    vector, __hc_ram + HC_RAM_VECTOR
        .set    save12, __hc_ram + HC_RAM_SAVE
        .set    save13, __hc_ram + HC_RAM_SAVE + 2
        .set    save14, __hc_ram + HC_RAM_SAVE + 4
        .set    save15, __hc_ram + HC_RAM_SAVE + 6
        .set    recorder_sp, __hc_ram + HC_RAM_RECORDER_SP
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    application, __hc_ram + HC_RAM_APPLICATION
        .set    application_sp, __hc_ram + HC_RAM_APPLICATION + 24
        .set    target, __hc_ram + HC_RAM_TARGET
        .set    base, __hc_ram + HC_RAM_BASE
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    run_site, __hc_ram + HC_RAM_RUN_SITE
        .set    run_unit, __hc_ram + HC_RAM_RUN_UNIT
        .set    run_end, __hc_ram + HC_RAM_RUN_END
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    ring, __hc_ram + HC_RAM_RING
        .set    stack_top, __hc_ram + HC_RAM_STACK_TOP

        .section .text.hindcast, "ax"
        .balign 2

.macro function name
        .global \name
        .type   \name, @function
\name:
.endm

.macro mark name
        .global \name
\name:
.endm

; The position counter. Flags are lost.
.macro tick
        call    #__hc_tick
.endm

; ---------------------------------------------------------------------------------------------------------------------
; What runs in replay as well
; ---------------------------------------------------------------------------------------------------------------------

function __hc_tick
        inc     &count
        jz      1f
        ret
1:      inc     &laps
        ret

; r12 = descriptor of a site -> r12 = value
function __hc_read
        push    sr
        dint
        nop
mark __hc_cut_read
        jmp     read
mark __hc_cut_read_end
mark __hc_cut_read_via_end
mark __hc_cut_read_stable_end
        pop     sr
        ret

; The same, for a register that is clocked by something else than the CPU: what two successive reads agree on.
function __hc_read_stable
        push    sr
        dint
        nop
mark __hc_cut_read_stable
        br      #read_stable            ; ends at __hc_cut_read_end

; r12 = address, r13 = descriptor -> r12 = value. It counts, as it may end without an event.
function __hc_read_via
        push    sr
        tick
        cmp     #HC_PERIPHERALS_END, r12
        jhs     1f
        dint
        nop
mark __hc_cut_read_via
        br      #read_via
1:      bit     #0x4000, 0(r13)
        jnz     2f
        mov.b   @r12, r12
        pop     sr
        ret
2:      mov     @r12, r12
        pop     sr
        ret

; r12 = address of a register, r13 = mask: waits until a bit of the mask is set, or all are clear. The flags are made what
; a failed test leaves, so that they tell nothing but whether the last test failed.
function __hc_poll_set8
        tick
        bit     #0, r13
1:      bit.b   r13, 0(r12)
        jz      1b
        ret
function __hc_poll_set16
        tick
        bit     #0, r13
1:      bit     r13, 0(r12)
        jz      1b
        ret
function __hc_poll_clear8
        tick
        bit.b   r13, r13
1:      bit.b   r13, 0(r12)
        jnz     1b
        ret
function __hc_poll_clear16
        tick
        bit     r13, r13
1:      bit     r13, 0(r12)
        jnz     1b
        ret

; void hc_update_later(void), void hc_update(void)
function hc_update_later
        mov     #HC_RESERVE, &limit
        jmp     1f
function hc_update
        mov     #HC_RING - HC_BATCH, &limit
1:      push    sr
        tick
        dint
        nop
mark __hc_cut_update
        br      #update
mark __hc_cut_update_end
        pop     sr
        ret

; void hc_freeze(uint16_t reason), void hc_checkpoint(void): wishes, for the next hc_update. Nothing here depends on what the
; recorder's RAM holds, which replay does not know.
function hc_freeze
        tick
        mov     r12, &reason
        bis     #HC_WORK_FREEZE, &work
        ret
function hc_checkpoint
        tick
        bis     #HC_WORK_CHECKPOINT, &work
        ret

; An interrupt that came while the recorder ran returns here: for the program it came here. What its handler made of SR is
; what hc_update returns with.
mark __hc_update_resume
        mov     sr, 0(sp)
        dint
        nop
mark __hc_cut_resume
        br      #resume

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: reads
; ---------------------------------------------------------------------------------------------------------------------
hc_cuts:

; An event is lost. Nothing more fits until there is a new checkpoint, nor may anything be added to what is there.
.macro lose
        mov     #HC_ROOM_LOST, &room
        mov     #-1, &run_unit
        mov     #-1, &run_end
        inc     &lost
.endm

; An event happened: positions are counted from it.
.macro event
#if HC_ORDERED
        clr     &count
        clr     &laps
#else
        inc     &count
        jnz     .Levent\@
        inc     &laps
.Levent\@:
#endif
.endm

; r12 = descriptor
read:
        mov     r13, &save13
        mov     r14, &save14
        mov     @r12+, r14
        mov     r14, r13
        and     #0x0fff, r13
        bit     #0x4000, r14
        jnz     read_word
        mov.b   @r13, r13
        and     @r12, r13
        decd    r12
        bit     #0x2000, r14            ; bytes of data come in runs
        jnz     read_data
; r12 = descriptor, r13 = value. If it is 0 and the newest unit is of the site before this one, that one gets a mark.
read_append:
        tst     r13
        jnz     1f
        mov     &run_unit, r14
        advance r14
        cmp     r14, &head
        jne     1f
        mov     &run_unit, r14
        sub     #4, r12
        cmp     r12, ring(r14)
        jeq     read_pair
        add     #4, r12
1:      sub     #4, &room
        jn      read_lost
        mov     &head, r14
        mov     r12, &run_site
        mov     r14, &run_unit
        mov     r12, ring(r14)
        mov     r13, ring+2(r14)
        advance r14
        mov     r14, &head
read_done:
        event
        mov     r13, r12
        mov     &save13, r13
        mov     &save14, r14
        jmp     __hc_cut_read_end

read_word:
        mov     @r13, r13
        and     @r12, r13
        decd    r12
#if HC_DMA
        br      #read_dma_check
read_plain:
#endif
        cmp     #0x7000, r14            ; a word of class vector
        jlo     read_append
        tst     r13
        jz      read_append             ; nothing was pending

; A vector register told which unit of a timer is served: its compare value predicts the next read of the timer. 0 of
; an overflow; nothing of a capture, and nothing if the register is no timer's.
        and     #0x0fff, r14
#ifdef HC_PART_F1XX
        cmp     #HC_TAIV, r14
        jeq     1f
        cmp     #HC_TBIV, r14
        jne     read_append
        mov     #HC_TB, r14
        cmp     #14, r13
        jmp     2f
1:      mov     #HC_TA, r14
        cmp     #10, r13
2:
#else
        sub     #0x2e + HC_TA0, r14     ; timers lie 0x40 apart
        cmp     #HC_TA3 - HC_TA0 + 1, r14
        jhs     read_append
        bit     #0x3f, r14
        jnz     read_append
        add     #HC_TA0, r14
        cmp     #14, r13
#endif
        mov     #0, &base
        jeq     3f
        add     r13, r14                ; of unit n: 2 n beyond those of unit 0
        bit     #HC_CAP, 0x02(r14)           ; CCTLn; plain numbers: an expression here makes clang drop the line
        jnz     read_append
        mov     0x12(r14), &base        ; CCRn
3:      sub     #8, &room
        jn      read_lost
        mov     r14, &target
        mov     &head, r14
        mov     r12, ring(r14)
        mov     r13, ring+2(r14)
        advance r14
        mov     &target, ring(r14)
        add     #HC_RING_BASE, ring(r14)
        mov     &base, ring+2(r14)
        advance r14
        mov     r14, &head
        jmp     read_done

; r12 = descriptor, r13 = value. If the newest unit is of the same site, three values share a unit from now on.
read_data:
        cmp     r12, &run_site
        jne     read_append
        mov     &run_unit, r14
        mov     r14, r12
        advance r12
        cmp     r12, &head
        jne     read_again
        mov     ring(r14), r12
        bit     #HC_RING_RUN, r12
        jz      read_more
        bit     #4, r12
        jz      1f
        bit     #2, r12
        jnz     read_more
        mov.b   r13, ring+3(r14)
        jmp     2f
1:      mov.b   r13, ring+2(r14)
2:      incd    ring(r14)
        jmp     read_done
read_more:
        sub     #4, &room
        jn      read_lost
        mov     &head, r14
        mov     r14, &run_unit
        mov     r13, r12
        rla     r12
        rla     r12
        rla     r12
        rla     r12
        bis     #HC_RING_RUN | 2, r12
        mov     r12, ring(r14)
        advance r14
        mov     r14, &head
        jmp     read_done
read_again:
        mov     &run_site, r12
        jmp     read_append
read_pair:
        inc     ring(r14)
        clr     &run_site
        jmp     read_done

read_lost:
        lose
        jmp     read_done

; r12 = descriptor of a word. After so many disagreements the last one is as good as any.
read_stable:
        mov     r13, &save13
        mov     r14, &save14
        mov     @r12, r14
        and     #0x0fff, r14
        mov     #16, &target
1:      mov     @r14, r13
        dec     &target
        jz      2f
        cmp     @r14, r13
        jne     1b
2:      and     2(r12), r13
        jmp     read_append

; r12 = address, r13 = descriptor; ends at __hc_cut_read_end
read_via:
        mov     r13, &save13
        mov     r14, &save14
        bit     #0x4000, 0(r13)
        jnz     1f
        mov.b   @r12, r14
        jmp     2f
1:      mov     @r12, r14
2:
#if HC_DMA
        mov     r12, &target
#endif
        mov     r13, r12
        mov     r14, r13
        and     2(r12), r13
#if HC_DMA
        mov     &target, r14
        bis     #0x4000, r14
        br      #read_dma_check
#else
        jmp     read_append
#endif

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: interrupts
; ---------------------------------------------------------------------------------------------------------------------

; An entry for each vector. Those of timers' unit 0 take the compare value along.
.macro trampoline n
        .global __hc_trampoline_\n
__hc_trampoline_\n:
        mov     #2 * \n, &vector
        jmp     interrupt
.endm

.macro timer_trampoline n timer
        .global __hc_trampoline_\n
__hc_trampoline_\n:
        mov     #2 * \n, &vector
        bit     #HC_CAP, &HC_CCTL0(\timer)
        jnz     interrupt
        bis     #HC_RING_BASED, &vector
        mov     &HC_CCR0(\timer), &base
        jmp     interrupt
.endm

; An NMI comes when it likes. In a cut it finds the program's registers and stack anywhere: it is let through, and as the
; log cannot say where it was, it counts as an event lost. Elsewhere it is like all others.
.macro nmi_trampoline n
        .global __hc_trampoline_\n
__hc_trampoline_\n:
        cmp     #hc_cuts, 2(sp)
        jlo     1f
        cmp     #hc_cuts_end, 2(sp)
        jhs     1f
        inc     &interrupts
        lose
        bic     #FLAGS, sr
        br      &__hc_link + HC_LINK_HANDLERS + 2 * \n
1:      mov     #2 * \n, &vector
        jmp     interrupt
.endm

#ifdef HC_PART_F1XX
        .irp n, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12
        trampoline \n
        .endr
        timer_trampoline 6, HC_TA
        timer_trampoline 13, HC_TB
        nmi_trampoline 14
#else
        .irp n, 38, 39, 40, 41, 42, 44, 45, 47, 48, 50, 51, 52, 54, 55, 56, 57, 58, 60
        trampoline \n
        .endr
        timer_trampoline 53, HC_TA0
        timer_trampoline 49, HC_TA1
        timer_trampoline 59, HC_TB0
        timer_trampoline 46, HC_TA2
        timer_trampoline 43, HC_TA3
        nmi_trampoline 61
        nmi_trampoline 62
#endif

; SP: the hardware's frame, SR and PC. vector: the tag so far.
interrupt:
        bit     #HC_RUNNING, &state
        jnz     interrupt_inside
        mov     r12, &save12
        mov     r13, &save13
        mov     r14, &save14
        mov     r15, &save15
        mov     &vector, r12
        mov     2(sp), r14
        bit     #CPUOFF, 0(sp)
        jnz     interrupt_asleep
        mov     r14, r13                ; bit (pc >> 8) of the table
        swpb    r13
        mov.b   r13, r13
        mov     r13, r15
        rra     r13
        rra     r13
        rra     r13
        mov.b   __hc_link+HC_LINK_HASHED(r13), r13
        and     #7, r15
        xor     #7, r15
        rla     r15
        add     r15, pc
        .rept   7
        rra     r13
        .endr
        bit     #1, r13
        jnz     interrupt_hashed
        tst     &laps
        jz      interrupt_short

; r12 = tag, r13 = hash if the tag says so, r14 = PC. The same again at the same place shares the entry, if nothing came in
; between: interrupts that come faster than they are handled, or to a CPU that waits.
interrupt_long:
        bis     #HC_RING_LONG, r12
interrupt_short:
        bit     #HC_RING_BASED, r12
        jnz     interrupt_new
        clr     &base
        cmp     r12, &run_site
        jne     interrupt_new
        cmp     &run_end, &head
        jne     interrupt_new
        mov     &run_unit, r15
        cmp     r14, ring+2(r15)
        jne     interrupt_new
        advance r15
        cmp     &count, ring(r15)
        jne     interrupt_new
        bit     #HC_RING_LONG, r12
        jz      interrupt_same
        advance r15
        cmp     &laps, ring(r15)
        jne     interrupt_new
        cmp     r13, ring+2(r15)
        jne     interrupt_new
        mov     &run_unit, r15
        advance r15
interrupt_same:
        inc     ring+2(r15)
        jmp     interrupt_done
interrupt_new:
        bit     #HC_RING_LONG, r12
        jz      1f
        sub     #4, &room
1:      sub     #8, &room
        jn      interrupt_lost
        mov     &head, r15
        mov     r12, &run_site
        mov     r15, &run_unit
        mov     r12, ring(r15)
        mov     r14, ring+2(r15)
        advance r15
        mov     &count, ring(r15)
        mov     &base, ring+2(r15)
        bit     #HC_RING_LONG, r12
        jz      interrupt_appended
        advance r15
        mov     &laps, ring(r15)
        mov     r13, ring+2(r15)
interrupt_appended:
        advance r15
        mov     r15, &head
        mov     r15, &run_end

interrupt_done:
        clr     &laps
#if HC_ORDERED
        clr     &count
#else
        mov     #1, &count
#endif
        and     #HC_RING_VECTOR, r12
#if HC_DMA
        cmp     #2 * HC_DMA_VECTOR, r12
        jne     interrupt_enter
        br      #interrupt_dma
interrupt_enter:
#endif
        mov     __hc_link+HC_LINK_HANDLERS(r12), &target
        bit     #HC_RUNNING, &state
        jnz     interrupt_reframe
        mov     &save12, r12
        mov     &save13, r13
        mov     &save14, r14
        mov     &save15, r15
        bic     #FLAGS, sr
        br      &target

interrupt_asleep:
        bis     #HC_RING_ASLEEP, r12
        bit     #HC_RING_BASED, r12
        jnz     1f
        clr     &base
        cmp     r12, &run_site
        jne     1f
        mov     &run_unit, r15
        cmp     &run_end, &head
        jeq     interrupt_same
1:      sub     #4, &room
        jn      interrupt_lost
        mov     &head, r15
        mov     r12, &run_site
        mov     r15, &run_unit
        mov     r12, ring(r15)
        mov     &base, ring+2(r15)
        jmp     interrupt_appended

interrupt_lost:
        lose
        jmp     interrupt_done

; The hash of position.h, in r13: 5 h + w.
.macro mix word
        mov     r13, r15
        rla     r13
        rla     r13
        add     r15, r13
        add     \word, r13
.endm
interrupt_hashed:
        bis     #HC_RING_HASHED, r12
        mov     r12, &vector
        mov     r4, r13
        mix     r5
        mix     r6
        mix     r7
        mix     r8
        mix     r9
        mix     r10
        mix     r11
        mov     #save12, r12
1:      mix     @r12+
        cmp     #save12 + 8, r12
        jne     1b
        mix     sp
        add     #4, r13                 ; before the frame was pushed
        mix     @sp
        mix     4(sp)
        mov     &vector, r12
        jmp     interrupt_long

; The recorder was running, with interrupts on because the program has them on. What the program sees is an interrupt in
; hc_update that returns to __hc_update_resume. The recorder's registers wait on its stack.
interrupt_inside:
        push    r15
        push    r14
        push    r13
        push    r12
        push    r11
        push    r10
        push    r9
        push    r8
        push    r7
        push    r6
        push    r5
        push    r4
        inc     &interrupts
        mov     &vector, r12
        mov     #__hc_cut_resume, r14   ; where no other interrupt can be
        tst     &laps
        jz      interrupt_short
        jmp     interrupt_long

interrupt_reframe:
        mov     sp, &recorder_sp
        bic     #HC_RUNNING, &state
        mov     &application_sp, sp
        mov     @sp, r12                ; SR of the program
        push    #__hc_update_resume
        push    r12
restore:
        mov     #application, r15
        mov     @r15+, r4
        mov     @r15+, r5
        mov     @r15+, r6
        mov     @r15+, r7
        mov     @r15+, r8
        mov     @r15+, r9
        mov     @r15+, r10
        mov     @r15+, r11
        mov     @r15+, r12
        mov     @r15+, r13
        mov     @r15+, r14
        mov     @r15, r15
        bic     #FLAGS, sr
        br      &target

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: update
; ---------------------------------------------------------------------------------------------------------------------

; SP: the program's SR. With nothing to do it is over at once; so it is when an interrupt handler calls it that
; interrupted it.
update:
        bit     #HC_ACTIVE, &state
        jnz     1f
        cmp     &limit, &room
        jl      resume                  ; after a loss, too
        cmp     #HC_RESERVE, &limit
        jeq     1f
        tst     &work
        jnz     resume
1:      br      #__hc_cut_update_end

; Into the recorder, for the first time or back from an interrupt: whatever its handler left in the registers is the
; program's now.
resume:
        mov     r4, &application
        mov     r5, &application+2
        mov     r6, &application+4
        mov     r7, &application+6
        mov     r8, &application+8
        mov     r9, &application+10
        mov     r10, &application+12
        mov     r11, &application+14
        mov     r12, &application+16
        mov     r13, &application+18
        mov     r14, &application+20
        mov     r15, &application+22
        mov     sp, &application_sp
        bit     #HC_ACTIVE, &state
        jnz     2f
        mov     #HC_RUNNING | HC_ACTIVE, &state
        bit     #GIE, 0(sp)
        mov     #stack_top, sp
        jz      1f
        nop
        eint
1:      call    #__hc_record_update
        dint
        nop
        clr     &state
        mov     &application_sp, sp
        mov     #__hc_cut_update_end, &target
        jmp     restore
2:      bis     #HC_RUNNING, &state
        mov     &recorder_sp, sp
        pop     r4
        pop     r5
        pop     r6
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        pop     r11
        pop     r12
        pop     r13
        pop     r14
        pop     r15
        reti

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: reset
; ---------------------------------------------------------------------------------------------------------------------

; Memory that no section claims and all registers get a known content, as replay knows nothing else to begin with. The
; watchdog starts anew afterwards: the program has all of its first interval.
mark __hc_reset
        mov     #HC_WDT_HOLD, &HC_WDTCTL
        mov     &__hc_link + HC_LINK_FREE, r4
        mov     &__hc_link + HC_LINK_FREE + 2, sp
        mov     r4, r5
        add     #16, r5
        jmp     2f
1:      .rept   8
        push    #0
        .endr
2:      cmp     r5, sp
        jhs     1b
        jmp     4f
3:      push    #0
4:      cmp     r4, sp
        jne     3b
        mov     #stack_top, sp
        call    #__hc_record_reset
        mov     #HC_WDT_RESET, &HC_WDTCTL
        clr     sr
        nop
        clr     sp
        .irp    n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        clr     r\n
        .endr
        br      &__hc_link + HC_LINK_HANDLERS + 2 * (HC_VECTORS - 1)
#if HC_DMA
#include "dma.inc"
#endif
hc_cuts_end:
#ifndef __clang__
        nop                     ; GNU ld shortens branches, and then moves no label at the very end of a section
#endif
