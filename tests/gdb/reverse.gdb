# Backwards with msp430-elf-gdb, over `hindcast debug --gdb`; see session.lldb for the notation. By instructions and to points
# only: gdb 13 does not end steps by lines when it goes back over this protocol.
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
reverse-stepi
stepi
#: int16_t product = 0
watch total
#: Hardware watchpoint 3: total
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
