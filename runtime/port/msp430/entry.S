; The recorder's border: everything that the instrumented program calls, and the vectors. See runtime/README.md.
;
; A cut is a stretch that replay does not execute. Between cuts this code runs in replay too: it is part of the program.
; In a cut interrupts are off, nothing is pushed on the program's stack, and the registers it needs lie in the recorder's
; RAM. All cuts lie between hc_cuts and hc_cuts_end, where only an NMI can interrupt: see nmi.

#include "link.h"
#include "part.h"
#include "layout.h"
#include "function.inc"

        .set    CPUOFF, 0x0010
        .set    GIE, 0x0008
        .set    FLAGS, 0x0107           ; V, N, Z, C

        .set    count, __hc_ram + HC_RAM_COUNT
        .set    laps, __hc_ram + HC_RAM_LAPS
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    state, __hc_ram + HC_RAM_STATE
        .set    saved_15, __hc_ram + HC_RAM_SAVED_15
        .set    recorder_sp, __hc_ram + HC_RAM_RECORDER_SP
        .set    interrupts, __hc_ram + HC_RAM_INTERRUPTS
        .set    newest, __hc_ram + HC_RAM_NEWEST
        .set    target, __hc_ram + HC_RAM_TARGET
        .set    top, __hc_ram + HC_RAM_TOP
        .set    idle, __hc_ram + HC_RAM_IDLE
        .set    application, __hc_ram + HC_RAM_APPLICATION
        .set    application_sp, __hc_ram + HC_RAM_APPLICATION_SP
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    later, __hc_ram + HC_RAM_LATER
        .set    ring_end, __hc_ram + HC_RAM_RING + HC_RING
        .set    stack_top, __hc_ram + HC_RAM_STACK_TOP

; Where the program's registers are put away.
        .set    saved_12, application + 16
        .set    saved_13, application + 18
        .set    saved_14, application + 20
        .set    application_end, application + 24

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

; clr sr, of which GNU as says that a NOP might be needed: interrupts are off already.
.macro clear_sr
        .short  0x4302
.endm

; The position counter. Flags are lost.
.macro tick
        call    #__hc_tick
.endm

; REG is where an entry of the ring ends. Sets head. Flags are lost.
.macro set_head reg
        cmp     #ring_end, \reg
        jlo     .Lset\@
        mov     \reg, &top
        sub     #HC_RING, \reg
.Lset\@:
        mov     \reg, &head
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
        jmp     update_called
; What hindcast cc puts into loops that read.
function __hc_update_turn
        mov     #HC_LIMIT_TURN, &limit
        jmp     update_called
function hc_update
        mov     #HC_LIMIT, &limit
update_called:
        push    sr
        tick
        dint
        nop
mark __hc_cut_update
        br      #update
mark __hc_cut_update_end
        pop     sr
        ret

; An interrupt that came while the recorder ran returns here: for the program it came here. What its handler made of SR is
; what hc_update returns with.
mark __hc_update_resume
        mov     sr, 0(sp)
        tick
        dint
        nop
mark __hc_cut_resume
        br      #resume

; r12 = descriptor of a site -> r12 = value
function __hc_read
        push    sr
        dint
        nop

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: reads
; ---------------------------------------------------------------------------------------------------------------------
mark __hc_cut_read
hc_cuts:
        mov     r13, &saved_13
        mov     r14, &saved_14
        mov     @r12+, r13
        mov     r13, r14
        and     #0x0fff, r14
; r12 = descriptor + 2, r13 = its first word, r14 = address
read_at:
        bit     #0x4000, r13
        jnz     read_word
        bit     #0x2000, r13
        mov.b   @r14, r13
        jnz     read_data
; A byte of a state that the newest entry has is counted there.
        and     @r12, r13
        decd    r12
        mov     &newest, r14
        cmp     r12, 0(r14)
        jne     read_append
        cmp.b   r13, 2(r14)
        jne     read_append
        inc.b   3(r14)
        cmp.b   #HC_RING_AGAIN, 3(r14)
        jne     read_done
        mov     #newest, &newest        ; it has all that it may have
        jmp     read_done
read_masked:
        and     @r12, r13
        decd    r12
; r12 = descriptor, r13 = value
read_append:
        sub     #4, &room
        jn      read_lost
        mov     &head, r14
        mov     r14, &newest
        mov     r12, 0(r14)
        mov     r13, 2(r14)
        add     #4, r14
        set_head r14
; An event happened: positions are counted from it. r13 = value
read_done:
#if HC_ORDERED
        clr     &count
#else
        inc     &count
        jnz     read_counted
        inc     &laps
read_counted:
#endif
        mov     r13, r12
        mov     &saved_13, r13
        mov     &saved_14, r14
        let_nmi
mark __hc_cut_read_end
        pop     sr
        ret

; An event is lost. Nothing more fits until there is a new checkpoint, nor may anything be added to what is there.
read_lost:
        mov     #newest, &newest
        mov     #HC_ROOM_LOST, &room
        jmp     read_done

; What a clock moves that is not the CPU's may be caught in between: when two reads disagree it has just moved.
read_word:
#if HC_DMA
        cmp     #HC_DMA_FIRST, r14
        jhs     read_channel
#endif
        tst     r13
        mov     @r14, r13
        jge     read_masked
        cmp     @r14, r13
        jeq     read_masked
        mov     @r14, r13
        jmp     read_masked

; Bytes of data of the same site as the newest entry's share it: how many stands in the high byte of its value. r13 = byte
read_data:
        and     @r12, r13
        decd    r12
        mov     &newest, r14
        cmp     r12, 0(r14)
        jne     read_append
        mov.b   3(r14), r12
        add     r14, r12
        add     #4, r12                 ; where it goes
        bit     #1, r12
        jnz     read_second
        sub     #2, &room
        jn      read_lost
        mov.b   r13, 0(r12)
        inc.b   3(r14)
        incd    r12
        cmp     #ring_end, r12
        jhs     read_wraps
        mov     r12, &head
        jmp     read_done
; It does not go on at the ring's other end.
read_wraps:
        mov     #newest, &newest
        mov     r12, &top
        sub     #HC_RING, r12
        mov     r12, &head
        jmp     read_done
; The second byte of a word. An entry that has all that it may have ends with one.
read_second:
        cmp.b   #HC_RING_MORE, 3(r14)
        jeq     read_again
        mov.b   r13, 0(r12)
        inc.b   3(r14)
        jmp     read_done
; The site begins another entry.
read_again:
        mov     @r14, r12
        jmp     read_append

; r12 = address, r13 = descriptor
read_via:
        mov     r13, &saved_13
        mov     r14, &saved_14
        mov     r12, r14
        mov     r13, r12
        mov     @r12+, r13
        jmp     read_at

#if HC_DMA
read_channel:
        mov     @r14, r13
        cmp     #HC_DMA_END, r14
        jhs     read_masked
        and     @r12, r13
        decd    r12
        br      #read_dma
#include "dma.inc"
#endif

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: interrupts
; ---------------------------------------------------------------------------------------------------------------------

; An entry for each vector that the program handles. Those of a timer's unit 0 tell which timer it is, unless that captures:
; CCR0 is what the timer's next value is predicted from.
.macro enter n timer=0
        mov     r15, &saved_15
        .if     \timer
        bit     #HC_CAP, &HC_TIMER_ADDRESS(\timer) + HC_TIMER_CCTL0
        jnz     .Lcaptures\@
        sub     #2, &room
        mov     #2 * \n + 256 * \timer + HC_RING_HASHED, r15
        jmp     interrupt
.Lcaptures\@:
        .endif
        mov     #2 * \n + HC_RING_HASHED, r15
        jmp     interrupt
.endm
.macro trampoline n
        .global __hc_trampoline_\n
__hc_trampoline_\n:
        .if     HC_VECTOR_IS_NMI(\n)
        nmi
        .endif
#ifdef HC_PART_F1XX
        .if     \n == 6
        enter   \n, 1
        .elseif \n == 13
        enter   \n, 2
#else
        .if     \n == 53
        enter   \n, 1
        .elseif \n == 49
        enter   \n, 2
        .elseif \n == 59
        enter   \n, 3
        .elseif \n == 46
        enter   \n, 4
        .elseif \n == 43
        enter   \n, 5
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
        jlo     .Lnow\@
        cmp     #hc_cuts_end, 2(sp)
        jhs     .Lnow\@
        cmp     #__hc_cut_read_end, 2(sp)
        jeq     .Lnow\@
        cmp     #__hc_cut_read_end + 2, 2(sp)
        jeq     .Lnow\@
        cmp     #leave, 2(sp)
        jne     nmi_later
        mov     &target, 2(sp)
.Lnow\@:
        clr     &later
.endm
        .irp    n, HC_HANDLED
        trampoline \n
        .endr
        .if     nmi_is_handled
nmi_later:
        keep_nmi
        reti
        .endif

; r15 = tag. r13 = where the entry begins.
.macro put_position pc
        mov     &head, r13
        mov     r13, &newest
        mov     r15, 0(r13)
        mov     \pc, 2(r13)
        mov     &count, 4(r13)
#if !HC_ORDERED
        mov     &laps, 6(r13)
#endif
.endm

; r13 = where it goes, r15 = tag with the timer. Uses r12.
.macro put_base
        mov     r15, r12
        and     #HC_RING_TIMER, r12
        .rept   HC_TIMER_SHIFT
        rra     r12
        .endr
        mov     HC_TIMERS_CCR0(r12), 0(r13)
        incd    r13
.endm

; An event happened that is none of the program's making.
.macro count_from_here
#if HC_ORDERED
        clr     &count
#else
        mov     #1, &count
        clr     &laps
#endif
.endm

; r15 = 2 * vector: if it is that of DMA, what was written follows. Goes on at LABEL, which is right behind it.
.macro after_dma label
#if HC_DMA
        cmp     #2 * HC_DMA_VECTOR, r15
        jne     \label
        mov     #\label, &dma_return
        br      #interrupt_dma
\label:
#endif
.endm

; SP: the hardware's frame, SR and PC. r15 = tag, its own value is in saved_15.
interrupt:
        cmp     #HC_RUNNING, &state
        jeq     interrupt_inside
        mov     r14, &saved_14
        mov     r13, &saved_13
        mov     r12, &saved_12
        mov     @sp, r13
        bit     #CPUOFF, r13
        jnz     interrupt_asleep
        mov     2(sp), r14

; The hash of position.h, a in r14 and b in r12, over SP, the top of the stack, SR and all registers. The encoder knows
; whether it is needed.
.macro mix_last word
        rla     r14
        addc    \word, r14
        add     r14, r12
.endm
.macro mix word
        mix_last \word
        swpb    r12
        xor     r12, r14
.endm
        sub     #HC_RING_AWAKE + 4, &room
        jn      interrupt_lost
        put_position r14
        mov     sp, r14
        mov     sp, r12
        mix     4(sp)
        mix     @sp
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11
        mix     \r
        .endr
        .irp    r, &saved_12, &saved_13, &saved_14
        mix     \r
        .endr
        mix_last &saved_15
        mov     r14, HC_RING_AWAKE(r13)
        mov     r12, HC_RING_AWAKE+2(r13)
        add     #HC_RING_AWAKE + 4, r13
interrupt_put:
        cmp     #256, r15
        jlo     interrupt_based
        put_base
interrupt_based:
        set_head r13
interrupt_done:
        count_from_here
        and     #HC_RING_VECTOR, r15
        after_dma interrupt_enter
        mov     __hc_link+HC_LINK_HANDLERS(r15), &target
        mov     &saved_12, r12
        mov     &saved_13, r13
        mov     &saved_14, r14
        mov     &saved_15, r15
#ifdef HC_PART_F1XX
        clear_sr                        ; as the hardware left it
#else
        bic     #FLAGS, sr
#endif
out:    let_nmi
leave:  br      &target

interrupt_lost:
        mov     #newest, &newest
        mov     #HC_ROOM_LOST, &room
        jmp     interrupt_done

interrupt_asleep:
        sub     #2, &room
        jn      interrupt_lost
        mov     &head, r13
        mov     r13, &newest
        add     #HC_RING_ASLEEP - HC_RING_HASHED, r15
        mov     r15, 0(r13)
        incd    r13
        jmp     interrupt_put

.macro pop_all
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15
        pop     \r
        .endr
.endm

; The recorder was running, with interrupts on because the program has them on. What the program sees is an interrupt in
; hc_update that returns to __hc_update_resume. The recorder's registers wait on its stack.
        .global __hc_inside             ; the position of these
        .set    __hc_inside, hc_cuts + 2
interrupt_inside:
        sub     #8, sp
        mov     r12, 0(sp)
        mov     r13, 2(sp)
        mov     r14, 4(sp)
        mov     &saved_15, 6(sp)
        mov     sp, r12
        mov     &application_sp, sp
        mov     @sp, r13                ; SR of the program
        push    #__hc_update_resume
        push    r13
        mov     sp, &application_sp
        mov     r12, sp
        sub     #HC_RING_AWAKE, &room
        jn      inside_lost
        dec     r15                     ; without a hash
        put_position #__hc_inside       ; where nothing of the program is
        add     #HC_RING_AWAKE, r13
        cmp     #256, r15
        jlo     inside_put
        put_base
inside_put:
        set_head r13
inside_done:
        count_from_here
        and     #HC_RING_VECTOR, r15
        after_dma inside_enter
        mov     __hc_link+HC_LINK_HANDLERS(r15), &target
        mov     #HC_INTERRUPTED, &state
        push    r11
        push    r10
        push    r9
        push    r8
        push    r7
        push    r6
        push    r5
        push    r4

; The recorder's registers lie on its stack, the program goes on at target.
to_program:
        mov     sp, &recorder_sp
        mov     #application, sp
        pop_all
        mov     &application_sp, sp
        clear_sr
        jmp     out

inside_lost:
        inc     &interrupts
        mov     #newest, &newest
        mov     #HC_ROOM_LOST, &room
        jmp     inside_done

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: update
; ---------------------------------------------------------------------------------------------------------------------

; SP: the program's SR. With nothing to do it is over at once; so it is when an interrupt handler calls it that
; interrupted it. Another thread goes on with it: the one that was interrupted may have to wait for long. Now and then the
; recorder looks at the clock.
update:
        tst     &state
        jnz     update_interrupted
        cmp     &limit, &room
        jl      resume                  ; after a loss, too
        bit     #1, &limit
        jnz     update_over
        tst     &work
        jnz     resume
#if HC_FLUSH_BELOW
        bit.b   #HC_SVSFG, &HC_SVSCTL
        jnz     resume
#endif
        dec     &idle
        jz      resume
        jmp     update_over
update_interrupted:
        bit     #GIE, 0(sp)
        jnz     resume
update_over:
        mov     #__hc_cut_update_end, &target
        jmp     out

; Into the recorder, where it left: whatever a handler left in the registers is the program's now.
resume:
        mov     #HC_RUNNING, &state
        mov     sp, &application_sp
        mov     #application_end, sp
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
        mov     &recorder_sp, sp
        pop_all
        reti

; The recorder, on its stack, with all clocks on, and interrupts as the program has them. Between updates its registers hold
; nothing.
recorder:
        mov     &application_sp, r15
        mov     @r15, r15
        and     #GIE, r15
        nop
        mov     r15, sr
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
        dint                            ; a program may begin again by a jump through its vector
        nop
        mov     #HC_WDT_HOLD, &HC_WDTCTL
        mov     #stack_top, sp
        call    #__hc_record_reset      ; all registers of the program are 0
        mov     &__hc_link + HC_LINK_HANDLERS + 2 * (HC_VECTORS - 1), &target
        mov     #HC_WDT_RESET, &HC_WDTCTL
        jmp     rest
hc_cuts_end:

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
        jhs     via_memory
        dint
        nop
mark __hc_cut_read_via
        br      #read_via               ; ends at __hc_cut_read_end
via_memory:
        bit     #0x4000, 0(r13)
        jnz     via_word
        mov.b   @r12, r12
        jmp     via_done
via_word:
        mov     @r12, r12
via_done:
        pop     sr
        ret

; r12 = address of a register, r13 = mask: waits until a bit of the mask is set, or all are clear. The flags are made what
; a failed test leaves, so that they tell nothing but whether the last test failed.
optional __hc_poll_set8
        tick
        bit     #0, r13
poll_set8:
        bit.b   r13, 0(r12)
        jz      poll_set8
        ret
optional __hc_poll_set16
        tick
        bit     #0, r13
poll_set16:
        bit     r13, 0(r12)
        jz      poll_set16
        ret
optional __hc_poll_clear8
        tick
        bit.b   r13, r13
poll_clear8:
        bit.b   r13, 0(r12)
        jnz     poll_clear8
        ret
optional __hc_poll_clear16
        tick
        bit     r13, r13
poll_clear16:
        bit     r13, 0(r12)
        jnz     poll_clear16
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
