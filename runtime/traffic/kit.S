; The kit of firmware/: hc_update before the CPU sleeps and after each task. It is short unless something is to be written, so that
; it need not keep off while the radio is on. The bus is ours when nobody has it: tasks, which alone use it, do not run meanwhile.
#include "config.h"
#include "function.inc"

; A program without a bus does not have this: then it is as if nobody used it.
        .section .rodata.spi_owner, "a", @progbits
        .balign 2
        .weak   spi_owner
spi_owner:
        .short  0

#if HC_RECORDER_C || !HC_SINK_M25P80 || HC_PATHS || HC_TRAFFIC_LAMPORT /* else port/msp430/traffic.S has these */
; bool hc_port_may_write(bool urgent): it is urgent.
        .section .text.hc_port_may_write, "ax", @progbits
        .balign 2
        function hc_port_may_write
        tst     &spi_owner
        jz      1f
        clr     r12
1:      ret
        .size   hc_port_may_write, . - hc_port_may_write

        .section .text.kernel_idle, "ax", @progbits
        .balign 2
        function kernel_idle
        function kernel_task_done
        br      #hc_update
        .size   kernel_idle, . - kernel_idle
        .size   kernel_task_done, . - kernel_task_done
#endif
