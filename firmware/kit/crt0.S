; Start-up: stack, reset hook, initialised and cleared memory, main. When main returns the CPU sleeps for good.

        .section .start, "ax"
        .global _start
        .type _start, @function
_start:
        mov     #__stack, r1
        call    #kit_reset_hook

        mov     #__data_start, r12
        mov     #__data_load, r13
        jmp     copy_check
copy:
        mov     0(r13), 0(r12)
        incd    r13
        incd    r12
copy_check:
        cmp     #__data_end, r12
        jlo     copy

        mov     #__bss_start, r12
        jmp     clear_check
clear:
        clr     0(r12)
        incd    r12
clear_check:
        cmp     #__bss_end, r12
        jlo     clear

        call    #main
sleep:
        mov     #0x10, r2               ; CPUOFF, interrupts disabled
        jmp     sleep
        .size _start, . - _start

        .section .vector_reset, "ax"
        .word   _start
