# The same with msp430-elf-gdb, whose registers are 32 bits wide; see session.lldb for the notation. Pointers of programs
# that clang compiled are left out: its debug information says that they have 4 bytes, and gdb believes it.
set remotetimeout 60
file @ELF@
target remote 127.0.0.1:@PORT@
#: _start
#- warning
info registers
#: pc +0x4000
#: r15 +0x
info mem
#: 0x00000200 .* rw
#: 0x00001100 0x00003900 rw
#: 0x00004000 0x00010000 flash blocksize 0x40

# A line, a stack, variables of all kinds.
break debugged.c:@LINE scaling@
#: Breakpoint 1 at
continue
#: Breakpoint 1, record \(sensor=1, raw=-10\)
backtrace
#: #0 +record \(sensor=1, raw=-10\)
#: #1 .* in main
info args
#: sensor = 1
#: raw = -10
print readings[1]
#: sensor = 1, value = 0

# Into the function, out of it, over it: interrupts come meanwhile and are not in the way.
step
#: scale \(value=-10, by=3\)
next
#: while \(by > 0\)
finish
#: Run till exit
#: Value returned is .* = -30
next
print readings[1].value
#: = -30
stepi
x/2i $pc
#: => 0x[0-9a-f]+ <record\+\d+>:
delete 1

# A breakpoint with a condition, global structures.
break debugged.c:@LINE recorded@ if sensor == 3
continue
#: Breakpoint 2, record \(sensor=3, raw=-30\)
print readings[2]
#: sensor = 2, value = -60, when = 200000, unit = 67 'C'
print readings[2].value * 2
#: = -120
delete

# A watched variable: stops after the change, knows both values.
watch total
#: Hardware watchpoint 3: total
continue
#: Hardware watchpoint 3: total
#: Old value = 1000
#: New value = 2000
continue
#: Old value = 2000
#: New value = 2001
delete
rwatch ticks
#: Hardware read watchpoint 4: ticks
continue
#: Hardware read watchpoint 4: ticks
#: Value = \d+
#: tick \(\)
delete
awatch phase
#: Hardware access \(read/write\) watchpoint 5: phase
continue
#: Hardware access \(read/write\) watchpoint 5: phase
#: main \(\)
continue
#: Hardware access \(read/write\) watchpoint 5: phase
delete
hbreak debugged.c:@LINE round@
#: Hardware assisted breakpoint 6
continue
#: Breakpoint 6, main
set var phase = 59999
delete
tbreak debugged.c:@LINE wrapped@
continue
#: Temporary breakpoint 7, main
print phase
#: = 60000
set $r12 = 0x1234
print/x $r12
#: = 0x1234
print/x *(unsigned *)0xfffe
#: = 0x4000
print *(unsigned *)0x3a00
#: Cannot access memory at address 0x3a00
info threads
#: \* 1 +Thread 1 \(msp430f1611\)

# What the protocol has no packets for.
monitor time
#: time  +0\.\d{6} s
monitor stats
#: instructions +\d+
#: interrupts +[1-9]
monitor nonsense
#: no monitor command "nonsense"
monitor reset
#: POR; pc 0x4000
maintenance flush register-cache
print $pc
#: 0x4000
load
#: Loading section .text
#: Start address 0x
break debugged.c:@LINE recorded@
continue
#: Breakpoint 8, record \(sensor=1, raw=-10\)
reverse-step
#: Target remote does not support this command
delete

# A program that goes wrong.
set $pc = 0x3a00
continue
#: pc 0x3a00: instruction fetch from vacant memory 0x3a00
#: Program received signal SIGSEGV
detach
#: detached
