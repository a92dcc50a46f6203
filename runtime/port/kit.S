; The kit of firmware/: hc_update before the CPU sleeps, and after each task if need be. The bus is ours when nobody
; has it: tasks, which alone use it, do not run meanwhile. While the radio is on we keep off it, as long as the buffers
; last, and while it is on for a moment off the CPU too: whatever has to wait for us makes it stay on for longer.

        .set    CC2420_CRYSTAL, 3
        .set    CC2420_ON, 5
        .set    PATIENCE, 32            ; calls after which a radio that is on is on for good, or busy

.macro function name
        .section .text.\name, "ax", @progbits
        .balign 2
        .global \name
        .type   \name, @function
\name:
.endm

; Programs without radio or bus do not have these: then they are as if nobody used them.
        .section .rodata.spi_owner, "a", @progbits
        .balign 2
        .weak   spi_owner, cc2420_state
spi_owner:
cc2420_state:
        .short  0

        .section .bss.patience, "aw", @nobits
patience:
        .skip   1

; bool hc_port_may_write(bool urgent)
        function hc_port_may_write
        tst     &spi_owner
        jnz     1f
        tst     r12
        jnz     2f
        inc     r12
        cmp.b   #CC2420_CRYSTAL, &cc2420_state
        jlo     2f
1:      clr     r12
2:      ret
        .size   hc_port_may_write, . - hc_port_may_write

        function kernel_idle
        cmp.b   #CC2420_CRYSTAL, &cc2420_state
        jhs     1f
        mov.b   #PATIENCE, &patience
2:      br      #hc_update
1:      tst.b   &patience
        jz      2b
        dec.b   &patience
        .global kernel_task_done
        .type   kernel_task_done, @function
kernel_task_done:
        br      #hc_update_later
        .size   kernel_idle, . - kernel_idle
        .size   kernel_task_done, . - kernel_task_done
