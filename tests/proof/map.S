; A program with a map, as instrumented units and the recorder make it.
        .section .text.main, "ax"
        .global main
        .type   main, @function
main:
        mov     #site0, r12             ; or the linker drops the table
        ret
        .size   main, . - main

        .section hc_sites, "a", @progbits
        .balign 2
site0:  .short  0x5170, 0xffff          ; TAR: timer, word
site1:  .short  0x0020, 0x0010          ; P1IN: state
site2:  .short  0x4000, 0xffff          ; through a pointer
site3:  .short  0x2076, 0x00ff          ; no record describes it

        .macro  record descriptor text:vararg
        .short  \descriptor
        .asciz  \text
        .endm

        .section .hindcast, "", @progbits
        record  0, "part\tmsp430f1611"
        record  site1, "site\tP1IN\tstate\t0x0010\tbutton.c\t42\tpressed"
        record  site0, "site\tTAR\ttimer\t0xffff\tclock dir/clock.c\t7\tnow"
        record  site2, "site\t*\tstate\t0xffff\tany.c\t1\tpeek"
        record  0, "skip\tP1OUT\tdeterministic\tled.c\t5\ttoggle"
        record  0, "plain\tmain\t20"
        record  0, "plain\tabsent\t8"
        record  0, "plain\tmain\t2"
        record  0, "unit\tbutton.c\tmsp430f1611"
        record  0, "uses\tdma"
        record  0, "recorder\tmain"
        record  0, "runtime\tversion=1\tring=256"
