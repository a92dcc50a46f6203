; What the code that records paths calls: all registers and the status stay as they were. Interrupts are off meanwhile.

.macro entry name, function
        .section .text.\name, "ax", @progbits
        .balign 2
        .global \name
        .type   \name, @function
\name:  push    r2
        dint
        push    r15
        push    r14
        push    r13
        push    r12
        push    r11
        call    #\function
        pop     r11
        pop     r12
        pop     r13
        pop     r14
        pop     r15
        pop     r2
        ret
        .size   \name, . - \name
.endm

        entry   __hc_path, __hc_path_record
        entry   __hc_path_enter, __hc_path_keep
        entry   __hc_path_leave, __hc_path_restore
