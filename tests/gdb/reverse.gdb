# Backwards with msp430-elf-gdb, over `hindcast debug --gdb`; see session.lldb for the notation.
set remotetimeout 60
file @ELF@
target remote 127.0.0.1:@PORT@
#: _start
break debugged.c:@LINE recorded@ if sensor == 3
continue
#: Breakpoint 1, record \(sensor=3, raw=-30\)
reverse-next
reverse-next
#: r->when
reverse-next
#: scaling
reverse-step
reverse-finish
#: main|record
watch total
#: Hardware watchpoint 2: total
continue
#: Old value = 1000
#: New value = 2000
reverse-continue
#: Old value = 2000
#: New value = 1000
print total
#: = 1000
delete
reverse-continue
#: (No more reverse-execution history|reached the beginning)
monitor when
#: instruction #0
monitor goto #200
maintenance flush register-cache
stepi
reverse-stepi
monitor when
#: instruction #200
detach
