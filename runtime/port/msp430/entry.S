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
        .set    IDLE_TURNS, 16          ; updates in hc_update_idle, at most

        .set    count, __hc_ram + HC_RAM_COUNT
#if HC_ORDERED
        .set    units, __hc_ram + HC_RAM_UNITS
#else
        .set    laps, __hc_ram + HC_RAM_LAPS
#endif
        .set    room, __hc_ram + HC_RAM_ROOM
        .set    head, __hc_ram + HC_RAM_HEAD
        .set    state, __hc_ram + HC_RAM_STATE
        .set    saved_15, __hc_ram + HC_RAM_SAVED_15
        .set    recorder_sp, __hc_ram + HC_RAM_RECORDER_SP
        .set    idle, __hc_ram + HC_RAM_IDLE
        .set    newest, __hc_ram + HC_RAM_NEWEST
        .set    target, __hc_ram + HC_RAM_TARGET
        .set    top, __hc_ram + HC_RAM_TOP
        .set    clock, __hc_ram + HC_RAM_CLOCK
        .set    application, __hc_ram + HC_RAM_APPLICATION
        .set    application_sp, __hc_ram + HC_RAM_APPLICATION_SP
        .set    work, __hc_ram + HC_RAM_WORK
        .set    reason, __hc_ram + HC_RAM_REASON
        .set    limit, __hc_ram + HC_RAM_LIMIT
        .set    later, __hc_ram + HC_RAM_LATER
        .set    ring_end, __hc_ram + HC_RAM_RING + HC_RING
        .set    age, __hc_ram + HC_RAM_AGE
        .set    stamp, __hc_ram + HC_RAM_STAMP
        .set    tail, __hc_ram + HC_RAM_TAIL
        .set    flags, __hc_ram + HC_RAM_FLAGS
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

; The program goes on: at target, or at ADDRESS.
.macro go_on
        .if     nmi_is_handled
        jmp     out
        .else
        br      &target
        .endif
.endm
.macro go_on_at address
        .if     nmi_is_handled
        mov     #\address, &target
        jmp     out
        .else
        br      #\address
        .endif
.endm

; clr sr, of which GNU as says that a NOP might be needed: interrupts are off already.
.macro clear_sr
        .short  0x4302
.endm

; The position counter. Flags are lost. Ticks that the link step has made shorter do not look: so the counter begins again long
; before it comes round. (JGE still jumps when 0x7fff becomes 0x8000.)
.macro tick
        inc     &count
        jge     .Lcounted\@
        call    #__hc_lap
.Lcounted\@:
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

; r15 = ticks since the time was counted. C: it is time to do so.
.macro since_stamp
        mov     &clock, r15
        mov     @r15, r15
        sub     &stamp, r15
        cmp     #HC_CLOCK_STEP, r15
.endm

; ---------------------------------------------------------------------------------------------------------------------
; What runs in replay as well
; ---------------------------------------------------------------------------------------------------------------------

function __hc_tick
        inc     &count
        jn      __hc_lap
        ret

; The counter begins again. Where each event sets it to 0 this is made one: a read that gives 0.
function __hc_lap
#if HC_ORDERED
        push    r12
        mov     #lap, r12
        call    #__hc_read
        pop     r12
#else
        bic     #0x8000, &count
        inc     &laps
#endif
        ret

; void hc_update_later(void), void hc_update(void)
function hc_update_later
        mov     #HC_LIMIT_LATER, &limit
        jmp     update_below_limit
; What hindcast cc puts at the end of handlers, of programs that do all they do in handlers.
function __hc_update_handled
        mov     #HC_LIMIT_HANDLED, &limit
        jmp     update_below_limit
; What hindcast cc puts into loops that read.
function __hc_update_turn
        mov     #HC_LIMIT_TURN, &limit
update_below_limit:
        push    sr
        tick
        dint
        nop
        clrc
        jmp     __hc_cut_update
; void hc_update_idle(void): nobody waits
function hc_update_idle
        mov     #HC_LIMIT_IDLE, &limit
        jmp     .Lupdate_always
function hc_update
        mov     #HC_LIMIT, &limit
.Lupdate_always:                         ; no symbol: it is hc_update in profiles and backtraces
        push    sr
        tick
        dint
        nop
        setc
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
        rla     r13                     ; C: of a clock of its own, N: a word
        jn      read_word
        rla     r13                     ; N: data
        mov.b   @r14, r13
        jn      read_data
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
        jge     read_counted
        bic     #0x8000, &count
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
        rrc     r13
        cmp     #HC_DMA_FIRST, r14
        jhs     read_channel
        rla     r13
#endif
        mov     @r14, r13
        jnc     read_masked
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
; The second byte of a word. An entry that has all that it may have ends with one: with an even number more than its first.
read_second:
        mov.b   r13, 0(r12)
        inc.b   3(r14)
        cmp.b   #HC_RING_MORE - 1, 3(r14)
        jne     read_done
        mov     #newest, &newest
        jmp     read_done

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

; An entry for each vector that the program handles. Two words where the ring goes on are free at any time (HC_ROOM). Those of
; a timer's unit 0 tell which timer it is, unless that captures: CCR0 is what the timer's next value is predicted from.
.macro enter n timer=0 to="jmp interrupt"
        mov     r15, &saved_15
#if HC_DMA
        .if     \n == HC_DMA_VECTOR
        mov     #interrupt_dma, &target
        .else
        mov     &__hc_link + HC_LINK_HANDLERS + 2 * \n, &target
        .endif
#else
        mov     &__hc_link + HC_LINK_HANDLERS + 2 * \n, &target
#endif
        mov     &head, r15
        mov     r15, &newest
        .if     \timer
        bit     #HC_CAP, &HC_TIMER_ADDRESS(\timer) + HC_TIMER_CCTL0
        jnz     .Lcaptures\@
        mov     #2 * \n + 256 * \timer + HC_RING_HASHED, 0(r15)
        mov     &HC_TIMER_ADDRESS(\timer) + HC_TIMER_CCR0, 2(r15)
        jmp     timer_interrupt
.Lcaptures\@:
        .endif
        mov     #2 * \n + HC_RING_HASHED, 0(r15)
        \to
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
        .elseif HC_VECTOR_TURNS(\n, 1)
        enter   \n, to="br #turn_1"
        .elseif HC_VECTOR_TURNS(\n, 2)
        enter   \n, to="br #turn_2"
        .elseif HC_VECTOR_TURNS(\n, 3)
        enter   \n, to="br #turn_3"
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
#if HC_DMA
        cmp     #interrupt_dma, &target
        jeq     nmi_later
#endif
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

; r15 = where the entry's tag is, or behind it CCR0
.macro put_position pc
        mov     \pc, 2(r15)
        mov     &count, 4(r15)
#if !HC_ORDERED
        mov     &laps, 6(r15)
#endif
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

; SP: the hardware's frame, SR and PC. r15 = where the entry begins, which has its tag; its own value is in saved_15.
interrupt:
        bit     #CPUOFF, 0(sp)
        jnz     interrupt_asleep
interrupt_runs:
        cmp     #HC_RUNNING, &state
        jeq     interrupt_inside
        sub     #HC_RING_AWAKE + 4, &room
        jmp     interrupt_awake
; CCR0 is there as well.
timer_interrupt:
        bit     #CPUOFF, 0(sp)
        jnz     timer_asleep
        incd    r15
        cmp     #HC_RUNNING, &state
        jeq     timer_inside
        sub     #HC_RING_AWAKE + 6, &room
interrupt_awake:
        jn      interrupt_lost
        mov     r14, &saved_14
        mov     r13, &saved_13
        put_position 2(sp)

; The hash of position.h, a in r14 and b in r13, over SP, the top of the stack, SR and all registers. The encoder knows
; whether it is needed.
.macro mix_last word
        rla     r14
        addc    \word, r14
        add     r14, r13
.endm
.macro mix word
        mix_last \word
        swpb    r13
        xor     r13, r14
.endm
        mov     sp, r14
        mov     sp, r13
        mix     4(sp)
        mix     @sp
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11, r12
        mix     \r
        .endr
        mix     &saved_13
        mix     &saved_14
        mix_last &saved_15
        mov     r14, HC_RING_AWAKE(r15)
        mov     r13, HC_RING_AWAKE+2(r15)
        add     #HC_RING_AWAKE + 4, r15
        set_head r15
        mov     &saved_13, r13
        mov     &saved_14, r14
interrupt_done:
        count_from_here
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
        add     #HC_RING_ASLEEP - HC_RING_HASHED, 0(r15)
        incd    r15
        jmp     asleep_put
timer_asleep:
        sub     #4, &room
        jn      interrupt_lost
        add     #HC_RING_ASLEEP - HC_RING_HASHED, 0(r15)
        add     #4, r15
asleep_put:
        set_head r15
#if HC_ORDERED
; How long it slept, up to one turn of the clock: hc_update may not be called for many of these.
        since_stamp
        jlo     interrupt_done
        cmp     #head, &clock           ; there is none
        jeq     interrupt_done
        and     #0xff00, r15
        add     r15, &stamp
        swpb    r15
        add     r15, &age
        bis     #HC_WORK_LOOK, &work
#endif
        jmp     interrupt_done

; A timer may have come round. If it is the clock, and the program is told of it, all time up to then is counted: between two
; turns the program may sleep without an event, and one turn later the clock looks as before.
.macro turn timer
turn_\timer:
        bit     #CPUOFF, 0(sp)
        jz      interrupt_runs
#if HC_ORDERED
        bit     #HC_TIMER_FLAG, &HC_TIMER_ADDRESS(\timer) + HC_TIMER_CTL
        jz      interrupt_asleep
        bit     #HC_TIMER_ENABLE, &HC_TIMER_ADDRESS(\timer) + HC_TIMER_CTL
        jz      interrupt_asleep
        cmp     #HC_TIMER_ADDRESS(\timer) + HC_TIMER_R, &clock
        jne     interrupt_asleep
        clr     &saved_14
        mov.b   &stamp + 1, &saved_14
        add     #0x100, &age
        sub     &saved_14, &age
        clr     &stamp
        bis     #HC_WORK_LOOK, &work
#endif
        jmp     interrupt_asleep
.endm
        .set    timer_1_turns, 0
        .set    timer_2_turns, 0
        .set    timer_3_turns, 0
        .irp    n, HC_HANDLED
        .if     HC_VECTOR_TURNS(\n, 1)
        .set    timer_1_turns, 1
        .elseif HC_VECTOR_TURNS(\n, 2)
        .set    timer_2_turns, 1
        .elseif HC_VECTOR_TURNS(\n, 3)
        .set    timer_3_turns, 1
        .endif
        .endr
        .if     timer_1_turns
        turn    1
        .endif
        .if     timer_2_turns
        turn    2
        .endif
        .if     timer_3_turns
        turn    3
        .endif

.macro pop_from_6
        .irp    r, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15
        pop     \r
        .endr
.endm
.macro pop_all
        pop     r4
        pop     r5
        pop_from_6
.endm

; The recorder was running, with interrupts on because the program has them on. What the program sees is an interrupt in
; hc_update that returns to __hc_update_resume. The recorder's registers wait on its stack.
; push &saved_15, which LLVM's assembler does not know.
.macro push_saved_15
        .short  0x1212, saved_15
.endm
        .global __hc_inside             ; the position of these
        .set    __hc_inside, hc_cuts + 2
timer_inside:
        sub     #HC_RING_AWAKE + 2, &room       ; there is no hash
        jmp     inside
interrupt_inside:
        sub     #HC_RING_AWAKE, &room
inside: push_saved_15                           ; flags stay until they are asked for
        push    r14
        push    r13
        push    r12
        mov     sp, r12
        mov     &application_sp, sp
        mov     @sp, r13                ; SR of the program
        push    #__hc_update_resume
        push    r13
        mov     sp, &application_sp
        mov     r12, sp
        jn      inside_lost
        mov     &head, r12
        dec     0(r12)
        put_position #__hc_inside       ; where nothing of the program is
        add     #HC_RING_AWAKE, r15
        set_head r15
inside_done:
        count_from_here
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
; Or the recorder has nothing to go on with.
rest_of_program:
        .if     nmi_is_handled
        mov     &application, r4
        mov     &application + 2, r5
        mov     #application + 4, sp    ; an NMI pushes two words over these
        pop_from_6
        .else
        mov     #application, sp
        pop_all
        .endif
        mov     &application_sp, sp
        clear_sr
        go_on

inside_lost:
        inc     &idle
        mov     #newest, &newest
        mov     #HC_ROOM_LOST, &room
        jmp     inside_done

; ---------------------------------------------------------------------------------------------------------------------
; Cuts: update
; ---------------------------------------------------------------------------------------------------------------------

; SP: the program's SR. C: hc_update and hc_update_idle, others begin below their limit only. With nothing to do it is over at once; so it is when
; an interrupt handler calls it that interrupted it. Another thread goes on with it: the one that was interrupted may have to
; wait for long. Now and then it looks at the clock, if the program does not sleep.
update:
        jnc     update_unless_room
        tst     &state
        jnz     update_interrupted
        cmp     #HC_LIMIT, &room
        jl      enter_recorder          ; after a loss, too
        tst     &work
        jnz     enter_recorder
#if HC_FLUSH_BELOW
        bit.b   #HC_SVSFG, &HC_SVSCTL
        jnz     enter_recorder
#endif
#if HC_ORDERED
        dec     &idle
        jz      update_clock
#endif
update_over:
        go_on_at __hc_cut_update_end
#if HC_ORDERED
update_clock:
        mov     #HC_IDLE, &idle
        mov     r15, &saved_15
        since_stamp
        mov     &saved_15, r15
        jhs     enter_recorder
        jmp     update_over
#endif
update_unless_room:
        cmp     &limit, &room
        jl      update_for_room
        cmp     #HC_LIMIT_HANDLED, &limit
        jne     update_over
        bit     #HC_WORK_FLUSH | HC_WORK_LOOK, &work
        jz      update_over
        mov     #HC_LIMIT, &limit       ; no other call will hand out a page that is old
update_for_room:
        tst     &state
        jz      enter_recorder
update_interrupted:
        bit     #GIE, 0(sp)
        jz      update_over

.macro put_away_4_5
        .if     nmi_is_handled
        mov     r4, &application
        mov     r5, &application + 2
        .endif
.endm

; Into the recorder, where it left: whatever a handler left in the registers is the program's now.
resume:
#if HC_ORDERED
        bis     #HC_LOOK_AROUND, &units
#endif
enter_recorder:
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
        .if     !nmi_is_handled         ; an NMI pushes two words over these as long as SP is here
        push    r5
        push    r4
        .endif
        tst     &state
        mov     #HC_RUNNING, &state
        jz      recorder
        mov     &recorder_sp, sp
        put_away_4_5
        pop_all
        reti

; The recorder, on its stack, with all clocks on, and interrupts as the program has them.
recorder:
        mov     #stack_top, sp
        put_away_4_5
        mov     #1, &recorder_sp        ; an address after an interrupt
recorder_again:
        mov     &application_sp, r15
        mov     @r15, r15
        and     #GIE, r15
        nop
        mov     r15, sr
        nop
        call    #__hc_record_update
        dint
        nop
        cmp     #HC_LIMIT_IDLE, &limit
        jeq     recorder_idle
recorder_done:
        mov     #__hc_cut_update_end, &target
rest:   clr     &state
        jmp     rest_of_program

; The program is about to sleep: as long as nothing happens that it might have to look at, the recorder goes on with what it can
; do without waiting.
recorder_idle:
        bit     #1, &recorder_sp
        jz      recorder_done
        incd    &recorder_sp
        cmp     #2 * IDLE_TURNS + 1, &recorder_sp
        jeq     recorder_done
        mov     &application_sp, r15
        bit     #GIE, 0(r15)
        jz      recorder_done
        tst     &room
        jn      recorder_done
        bit     #HC_WORK_SINK, &work
        jnz     recorder_busy
        bit     #HC_WORK_MORE, &work
        jnz     recorder_again
recorder_busy:
        bit     #HC_RAM_FLAG_SPARE, &flags
        jnz     recorder_done
        cmp     &head, &tail
        jne     recorder_again
        jmp     recorder_done

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
