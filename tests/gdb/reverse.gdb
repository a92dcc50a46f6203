# Backwards with msp430-elf-gdb, over `hindcast debug --gdb`; see session.lldb for the notation. Steps by lines need the gdb
# that tools/build-msp430-elf-gdb builds: the original's do not end.
show version
#: mended for hindcast
set remotetimeout 60
file @ELF@
target remote 127.0.0.1:@PORT@
#: _start
break debugged.c:@LINE scaled@
continue
#: Breakpoint 1, scale \(value=-10
break scale
reverse-continue
#: Breakpoint 2, scale \(value=-10, by=3\)
delete
reverse-finish
#: record \(sensor=1
break debugged.c:@LINE scaled@
continue
delete
reverse-next
#: while \(by > 0\)
reverse-next
#: by--
reverse-step
#: product \+= value
print product
#: = -20
reverse-stepi
stepi
watch total
#: Hardware watchpoint \d: total
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
