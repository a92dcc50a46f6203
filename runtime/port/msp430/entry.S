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
#include "function.inc"

        .set    CPUOFF, 0x0010

        .set    count, __hc_ram + HC_RAM_COUNT
        .set    laps, __hc_ram + HC_RAM_LAPS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    state, __hc_ram + HC_RAM_STATE
        .set    vector, __hc_ram + HC_RAM_VECTOR
        .set    timer, __hc_ram + HC_RAM_VECTOR + 1
        .set    recorder_sp, __hc_ram + HC_RAM_RECORDER_SP
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    application, __hc_ram + HC_RAM_APPLICATION
        .set    application_sp, __hc_ram + HC_RAM_APPLICATION_SP
        .set    target, __hc_ram + HC_RAM_TARGET
        .set    dma_end, __hc_ram + HC_RAM_RUN_UNIT     ; no entry grows when it is used
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    run_site, __hc_ram + HC_RAM_RUN_SITE
        .set    run_unit, __hc_ram + HC_RAM_RUN_UNIT
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    later, __hc_ram + HC_RAM_LATER
        .set    ring, __hc_ram + HC_RAM_RING
        .set    stack_top, __hc_ram + HC_RAM_STACK_TOP

; While the program runs nothing else lies where its registers are put away.
        .set    save13, application
        .set    save14, application + 2

        .section .text.hindcast, "ax"
        .balign 2

.macro mark name
        .global \name
\name:
.endm

        .set    nmi_is_handled, 0
        .irp    n, HC_HANDLED
        .if     HC_VECTOR_IS_NMI(\n)
        .set    nmi_is_handled, 1
        .endif
        .endr

; NMIs that came too early, which keep_nmi has put into later, may come now. They do right after it.
.macro let_nmi
        .if     nmi_is_handled
#ifdef HC_PART_F1XX
        bis.b   &later, &HC_NMI_ENABLES
#else
        bis     &later, &HC_NMI_ENABLES
#endif
        .endif
.endm
.macro keep_nmi
#ifdef HC_PART_F1XX
        mov     #HC_NMI_ALL, &later     ; they are off already; when one comes all will be again
#else
        mov     #HC_NMI_ALL, &later
        and     &HC_NMI_ENABLES, &later
        bic     #HC_NMI_ALL, &HC_NMI_ENABLES
#endif
.endm

; To a cut that may be far.
.macro go label
#if HC_DMA
        br      #\label
#else
        jmp     \label
#endif
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
        jz      __hc_lap
        ret

; The counter has come round. Where each event sets it to 0 this is made one: a read that gives 0.
function __hc_lap
#if HC_ORDERED
        push    r12
        mov     #lap, r12
        call    #__hc_read
        pop     r12
#else
        inc     &laps
#endif
        ret

; void hc_update_later(void), void hc_update(void)
function hc_update_later
        mov     #HC_LIMIT_LATER, &limit
        jmp     1f
function hc_update
        mov     #HC_LIMIT, &limit
1:      push    sr
        tick
        dint
        nop
mark __hc_cut_update
        go      update
mark __hc_cut_update_end
        pop     sr
        ret

; An interrupt that came while the recorder ran returns here: for the program it came here. What its handler made of SR is
; what hc_update returns with.
mark __hc_update_resume
        mov     sr, 0(sp)
        dint
        nop
mark __hc_cut_resume
        go      resume

; r12 = descriptor of a site -> r12 = value
function __hc_read
        push    sr
        dint
        nop

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: reads
; ---------------------------------------------------------------------------------------------------------------------
mark __hc_cut_read
#if HC_DMA
        jmp     read
hc_cuts:
#include "dma.inc"
read:
#else
hc_cuts:
#endif
        mov     r13, &save13
        mov     r14, &save14
        mov     @r12+, r13
        mov     r13, r14
        and     #0x0fff, r14
; r12 = descriptor + 2, r13 = its first word, r14 = address
read_at:
#if HC_DMA
        cmp     #HC_DMA_FIRST, r14
        jlo     1f
        clr     &run_site               ; each of these tells of memory
1:
#endif
        bit     #0x4000, r13
        jnz     read_word
        mov.b   @r14, r13
        and     @r12, r13
        decd    r12
        cmp     r12, &run_site
        jeq     read_more
        jmp     read_append

; Bytes of data of the same site as the newest entry's share it: how many stands in the high byte of its value.
read_more:
        bit     #0x2000, 0(r12)
        jz      read_append
        mov     &run_unit, r12
        mov.b   ring+1(r12), r14
        add     r12, r14
        bit     #1, r14                 ; two in a word
        jnz     2f
        sub     #2, &room
        jn      read_lost
        advance &head
1:      advance r14
        mov.b   r13, ring(r14)
        inc.b   ring+1(r12)
        jmp     read_done
2:      cmp.b   #HC_RING_MORE, ring+1(r12)
        jne     1b
        mov     &run_site, r12
        jmp     read_append

; What a clock moves that is not the CPU's may be caught in between: when two reads disagree it has just moved.
read_word:
        tst     r13
        mov     @r14, r13
        jge     1f
        cmp     @r14, r13
        jeq     1f
        mov     @r14, r13
1:      and     @r12, r13
        decd    r12
        jmp     read_append

; r12 = address, r13 = descriptor
read_via:
        mov     r13, &save13
        mov     r14, &save14
        mov     r12, r14
        mov     r13, r12
        mov     @r12+, r13
        jmp     read_at

; An event is lost. Nothing more fits until there is a new checkpoint, nor may anything be added to what is there.
; r12 = descriptor or tag
read_lost:
        mov     &run_site, r12
lose:   mov     #HC_ROOM_LOST, &room
        clr     &run_site
        cmp     #HC_RING_TAGS, r12
        jlo     interrupt_done
        jmp     read_done

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: interrupts
; ---------------------------------------------------------------------------------------------------------------------

; An entry for each vector that the program handles. Those of timers' unit 0 tell which timer it is.
.macro enter n timer=0
        mov     #2 * \n + (\timer >> HC_TIMER_SHIFT) * 256, &vector
        jmp     interrupt
.endm
.macro trampoline n
        .global __hc_trampoline_\n
__hc_trampoline_\n:
#ifdef HC_PART_F1XX
        .if     \n == 14
        nmi
        enter   \n
        .elseif \n == 13
        enter   \n, HC_TB
        .elseif \n == 6
        enter   \n, HC_TA
#else
        .if     \n == 61 || \n == 62
        nmi
        enter   \n
        .elseif \n == 53
        enter   \n, HC_TA0
        .elseif \n == 49
        enter   \n, HC_TA1
        .elseif \n == 59
        enter   \n, HC_TB0
        .elseif \n == 46
        enter   \n, HC_TA2
        .elseif \n == 43
        enter   \n, HC_TA3
#endif
        .else
        enter   \n
        .endif
.endm

; An NMI comes when it likes. While the recorder or a cut is at work it is kept off until that is over, when it comes again at
; once (see let_nmi): at the end of the cut, or where the program goes on.
.macro nmi
        cmp     #HC_RUNNING, &state
        jeq     nmi_later
        cmp     #hc_cuts, 2(sp)
        jlo     2f
        cmp     #leave, 2(sp)
        jeq     1f
        cmp     #hc_cuts_end, 2(sp)
        jlo     nmi_later
        jmp     2f
1:      mov     &target, 2(sp)
2:      clr     &later
.endm
        .irp    n, HC_HANDLED
        trampoline \n
        .endr
        .if     nmi_is_handled
nmi_later:
        keep_nmi
        reti
        .endif

; SP: the hardware's frame, SR and PC. The program's registers are put away as far as they are needed.
interrupt:
        cmp     #HC_RUNNING, &state
        jeq     interrupt_inside
        mov     sp, &application_sp
        mov     #application + 24, sp
        push    r15
        push    r14
        push    r13
        push    r12
        mov     &application_sp, r15
        mov.b   &vector, r12
        mov     @r15, r13
        mov     2(r15), r14
        bit     #CPUOFF, r13
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
        jz      interrupt_at
        bis     #HC_RING_HASHED, r12
        sub     #2, &room

; r12 = tag, r14 = PC
interrupt_at:
        sub     #HC_RING_AWAKE, &room
        jn      lose
        mov     &head, r15
        mov     r12, ring(r15)
        advance r15
        mov     r14, ring(r15)
        advance r15
        mov     &count, ring(r15)
#if !HC_ORDERED
        advance r15
        mov     &laps, ring(r15)
#endif
        bit     #HC_RING_HASHED, r12
        jz      interrupt_appended
        advance r15

; The hash of position.h, in r13: 5 h + w.
.macro mix
        mov     r13, r14
        rla     r13
        rla     r13
        add     r14, r13
        add     @r12+, r13
.endm
        call    #put_away
        mov     &application_sp, r13
        mov     @r13, r14               ; SR
        mov     4(r13), r12             ; and what was on top of the stack
        push    r14
        push    r12
        mov     sp, r12
1:      mix
        mix
        cmp     #application + 24, r12
        jne     1b
        mov     r13, ring(r15)
        mov     #application + 16, sp

; r15 = offset of the last word
interrupt_appended:
        advance r15
        mov.b   &timer, r14
        .rept   HC_TIMER_SHIFT
        rla     r14
        .endr
        jz      1f
        bit     #HC_CAP, 2(r14)
        jnz     1f
        sub     #4, &room
        jn      lose
        mov     0x12(r14), r13          ; CCR0; plain numbers: an expression here makes clang drop the line
        add     #HC_RING_BASE, r14
        mov     r14, ring(r15)
        advance r15
        mov     r13, ring(r15)
        advance r15
1:      mov     r15, &head
interrupt_done:
        clr     &run_site
#if HC_ORDERED
        clr     &count
#else
        mov     #1, &count
        clr     &laps
#endif
        mov.b   &vector, r12
#if HC_DMA
        cmp     #2 * HC_DMA_VECTOR, r12
        jne     interrupt_enter
        br      #interrupt_dma
interrupt_enter:
#endif
        mov     __hc_link+HC_LINK_HANDLERS(r12), &target
        cmp     #application + 16, sp
        jeq     restore                 ; it was the program
        mov     #HC_INTERRUPTED, &state
        call    #put_away

; The recorder's registers lie on its stack, the program goes on at target.
to_program:
        mov     sp, &recorder_sp
        mov     #application, sp
restore_all:
        pop     r4
        pop     r5
        pop     r6
        pop     r7
        pop     r8
        pop     r9
        pop     r10
        pop     r11
restore:
        pop     r12
        pop     r13
        pop     r14
        pop     r15
        reti
; The program's registers are followed by an SR of 0 and this place.
program:
        mov     &application_sp, sp
out:    let_nmi
leave:  br      &target

interrupt_asleep:
        bis     #HC_RING_ASLEEP, r12
        sub     #2, &room
        jn      lose
        mov     &head, r15
        mov     r12, ring(r15)
        jmp     interrupt_appended

; The recorder was running, with interrupts on because the program has them on. What the program sees is an interrupt in
; hc_update that returns to __hc_update_resume. The recorder's registers wait on its stack.
        .global __hc_inside             ; the position of these
        .set    __hc_inside, hc_cuts + 2
interrupt_inside:
        push    r15
        push    r14
        push    r13
        push    r12
        mov     sp, r15
        mov     &application_sp, sp
        mov     @sp, r12                ; SR of the program
        push    #__hc_update_resume
        push    r12
        mov     sp, &application_sp
        mov     r15, sp
        inc     &interrupts
        mov.b   &vector, r12
        mov     #__hc_inside, r14       ; where nothing of the program is
        jmp     interrupt_at

; Called when r12..r15 are on the stack: all others, too. Uses r14.
put_away:
        pop     r14
        push    r11
        push    r10
        push    r9
        push    r8
        push    r7
        push    r6
        push    r5
        push    r4
        br      r14

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: update
; ---------------------------------------------------------------------------------------------------------------------

; SP: the program's SR. With nothing to do it is over at once; so it is when an interrupt handler calls it that
; interrupted it.
update:
        tst     &state
        jnz     1f
        cmp     &limit, &room
        jl      resume                  ; after a loss, too
        bit     #1, &limit
        jnz     1f
        tst     &work
        jnz     resume
1:
        .if     nmi_is_handled
        mov     #__hc_cut_update_end, &target
        jmp     out
        .else
        jmp     __hc_cut_update_end
        .endif

; Into the recorder, where it left: whatever a handler left in the registers is the program's now.
resume:
        mov     #HC_RUNNING, &state
        mov     sp, &application_sp
        mov     #application + 24, sp
        push    r15
        push    r14
        push    r13
        push    r12
        call    #put_away
        mov     &recorder_sp, sp
        jmp     restore_all

; The recorder, on its stack. Between updates its registers hold nothing.
recorder:
        mov     &application_sp, r15
        nop
        mov     @r15, sr                ; interrupts as the program has them
        nop
        call    #__hc_record_update
        dint
        nop
        mov     #__hc_cut_update_end, &target
rest:   clr     &state
        push    #recorder
        push    #0
        sub     #24, sp
        jmp     to_program

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: reset
; ---------------------------------------------------------------------------------------------------------------------

; Memory that no section claims and all registers get a known content, as replay knows nothing else to begin with. The
; watchdog starts anew afterwards: the program has all of its first interval.
mark __hc_reset
        mov     #HC_WDT_HOLD, &HC_WDTCTL
        mov     &__hc_link + HC_LINK_FREE, r4
        mov     &__hc_link + HC_LINK_FREE + 2, sp
        jmp     2f
1:      push    #0
2:      cmp     r4, sp
        jne     1b
        mov     #stack_top, sp
        call    #__hc_record_reset      ; all registers of the program are 0
        mov     #program, &application + 26
        mov     &__hc_link + HC_LINK_HANDLERS + 2 * (HC_VECTORS - 1), &target
        mov     #HC_WDT_RESET, &HC_WDTCTL
        jmp     rest

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: the end of all reads
; ---------------------------------------------------------------------------------------------------------------------

; r12 = descriptor, r13 = value
read_append:
#if HC_DMA
        cmp     #HC_DMA_FIRST, r14
        jlo     read_plain
        br      #read_dma
read_plain:
#endif
        sub     #4, &room
        jn      lose
        mov     r12, &run_site
        mov     &head, r14
        mov     r12, ring(r14)
        advance r14
        mov     r14, &run_unit
        mov     r13, ring(r14)
        advance r14
        mov     r14, &head
; An event happened: positions are counted from it.
read_done:
#if HC_ORDERED
        clr     &count
#else
        inc     &count
        jnz     1f
        inc     &laps
1:
#endif
        mov     r13, r12
        mov     &save13, r13
        mov     &save14, r14
        let_nmi
hc_cuts_end:
mark __hc_cut_read_end
        pop     sr
        ret

#if HC_ORDERED
; What __hc_lap reads: no bit of a register that is always there.
        .section hc_sites, "a", @progbits
        .balign 2
lap:    .short  HC_LAP_REGISTER, 0
#endif

; ---------------------------------------------------------------------------------------------------------------------
; What runs in replay as well, and only where it is called
; ---------------------------------------------------------------------------------------------------------------------

.macro optional name
        .section .text.hindcast.\name, "ax"
        .balign 2
function \name
.endm

; r12 = address, r13 = descriptor -> r12 = value. It counts, as it may end without an event.
optional __hc_read_via
        push    sr
        tick
        cmp     #HC_PERIPHERALS_END, r12
        jhs     1f
        dint
        nop
mark __hc_cut_read_via
        br      #read_via               ; ends at __hc_cut_read_end
1:      bit     #0x4000, 0(r13)
        jnz     2f
        mov.b   @r12, r12
        jmp     3f
2:      mov     @r12, r12
3:      pop     sr
        ret

; r12 = address of a register, r13 = mask: waits until a bit of the mask is set, or all are clear. The flags are made what
; a failed test leaves, so that they tell nothing but whether the last test failed.
optional __hc_poll_set8
        tick
        bit     #0, r13
1:      bit.b   r13, 0(r12)
        jz      1b
        ret
optional __hc_poll_set16
        tick
        bit     #0, r13
1:      bit     r13, 0(r12)
        jz      1b
        ret
optional __hc_poll_clear8
        tick
        bit.b   r13, r13
1:      bit.b   r13, 0(r12)
        jnz     1b
        ret
optional __hc_poll_clear16
        tick
        bit     r13, r13
1:      bit     r13, 0(r12)
        jnz     1b
        ret

; void hc_freeze(uint16_t reason), void hc_checkpoint(void): wishes, for the next hc_update. Nothing here depends on what the
; recorder's RAM holds, which replay does not know.
optional hc_freeze
        tick
        mov     r12, &reason
        bis     #HC_WORK_FREEZE, &work
        ret
optional hc_checkpoint
        tick
        bis     #HC_WORK_CHECKPOINT, &work
        ret
