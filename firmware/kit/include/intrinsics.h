/* What mspgcc, TI's GCC and IAR have built in, and clang has not: in place of msp430mcu's <intrinsics.h>, which only
 * declares it. All headers of parts include this one. */
#ifndef KIT_INTRINSICS_H
#define KIT_INTRINSICS_H
#define __MSP430_INTRINSICS_H_ /* the other's */

#ifndef __ASSEMBLER__

#define KIT_INTRINSIC static __inline__ __attribute__((always_inline, unused))

typedef unsigned __istate_t;

/* ---- one instruction ---- */

KIT_INTRINSIC void __nop(void)
{
    __asm__ volatile("nop");
}

KIT_INTRINSIC void __dint(void)
{
    __asm__ volatile("dint\n\tnop" ::: "memory");
}

KIT_INTRINSIC void __eint(void)
{
    __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

KIT_INTRINSIC unsigned __swap_bytes(unsigned value)
{
    __asm__("swpb %0" : "+r"(value));
    return value;
}

/* ---- the status register and the stack pointer ---- */

KIT_INTRINSIC unsigned __get_SR_register(void)
{
    unsigned value;
    __asm__ volatile("mov r2, %0" : "=r"(value)::"memory");
    return value;
}

KIT_INTRINSIC void __set_SR_register(unsigned value)
{
    __asm__ volatile("nop\n\tmov %0, r2\n\tnop" ::"r"(value) : "memory");
}

KIT_INTRINSIC void __bis_SR_register(unsigned bits)
{
    __asm__ volatile("nop\n\tbis %0, r2\n\tnop" ::"r"(bits) : "memory");
}

KIT_INTRINSIC void __bic_SR_register(unsigned bits)
{
    __asm__ volatile("nop\n\tbic %0, r2\n\tnop" ::"r"(bits) : "memory");
}

KIT_INTRINSIC unsigned __get_SP_register(void)
{
    unsigned value;
    __asm__ volatile("mov r1, %0" : "=r"(value)::"memory");
    return value;
}

KIT_INTRINSIC void __set_SP_register(unsigned value)
{
    __asm__ volatile("mov %0, r1" ::"r"(value) : "memory");
}

/* ---- in an interrupt handler: the SR that its end restores ----
 *
 * Only in the body of the handler itself, not in a function that it calls. clang: the frame pointer points at the saved
 * R4, just below the SR that the hardware pushed. msp430-elf-gcc knows the two names itself. */
#ifdef __clang__
#define KIT_SAVED_SR (((volatile unsigned *)__builtin_frame_address(0))[1])
#define __bic_SR_register_on_exit(bits) ((void)(KIT_SAVED_SR &= ~(unsigned)(bits)))
#define __bis_SR_register_on_exit(bits) ((void)(KIT_SAVED_SR |= (unsigned)(bits)))
#define __get_SR_register_on_exit() (KIT_SAVED_SR)
#endif

/* ---- waiting ---- */

/* Takes exactly CYCLES cycles of MCLK, a constant, apart from interrupts; some more without optimisation. clang: a loop
 * of four cycles that counts 32 bits down to -1, after two instructions that take one cycle for constants that the CPU
 * generates and two for others, and before what is missing. */
#ifdef __clang__
#define KIT_LOAD_CYCLES(word) \
    ((word) == 0 || (word) == 1 || (word) == 2 || (word) == 4 || (word) == 8 || (word) == 0xffff ? 1 : 2)
#define KIT_DELAY_LOOPS(cycles) ((unsigned long)(cycles) >= 8)
#define KIT_DELAY_TURNS(cycles) (KIT_DELAY_LOOPS(cycles) ? ((unsigned long)(cycles) - 4) / 4 - 1 : 0)
#define KIT_DELAY_LOW(cycles) ((unsigned)(KIT_DELAY_TURNS(cycles) & 0xffff))
#define KIT_DELAY_HIGH(cycles) ((unsigned)(KIT_DELAY_TURNS(cycles) >> 16))
#define KIT_DELAY_REST(cycles)                                                                   \
    ((unsigned)(((unsigned long)(cycles) - 4) % 4 + 4 - KIT_LOAD_CYCLES(KIT_DELAY_LOW(cycles)) - \
                KIT_LOAD_CYCLES(KIT_DELAY_HIGH(cycles))))
#define __delay_cycles(cycles)                                                                                       \
    do {                                                                                                             \
        _Static_assert(__builtin_constant_p(cycles), "__delay_cycles takes a constant");                             \
        if (KIT_DELAY_LOOPS(cycles))                                                                                 \
            __asm__ volatile("mov %0, r14\n\tmov %1, r15\n1:\tsub #1, r14\n\tsbc r15\n\tjc 1b\n"                     \
                             "\t.rept %c2\n\tnop\n\t.endr" ::"i"(KIT_DELAY_LOW(cycles)),                             \
                             "i"(KIT_DELAY_HIGH(cycles)), "i"(KIT_DELAY_REST(cycles))                                \
                             : "r14", "r15");                                                                        \
        else                                                                                                         \
            __asm__ volatile("\t.rept %c0\n\tnop\n\t.endr" ::"i"(KIT_DELAY_LOOPS(cycles) ? 0 : (unsigned)(cycles))); \
    } while (0)
#endif

/* ---- the same by other names ---- */

/* mspgcc */
#define __read_status_register() __get_SR_register()
#define __write_status_register(value) __set_SR_register(value)
#define __read_stack_pointer() ((void *)__get_SP_register())
#define __write_stack_pointer(value) __set_SP_register((unsigned)(value))
#define __bis_status_register(bits) __bis_SR_register(bits)
#define __bic_status_register(bits) __bic_SR_register(bits)
#define __bis_status_register_on_exit(bits) __bis_SR_register_on_exit(bits)
#define __bic_status_register_on_exit(bits) __bic_SR_register_on_exit(bits)
#define nop() __nop()
#define READ_SP __read_stack_pointer()
#define WRITE_SP(value) __write_stack_pointer(value)
#define READ_SR __get_SR_register()
#define WRITE_SR(value) __set_SR_register(value)
#define _BIS_SR(bits) __bis_SR_register(bits)
#define _BIC_SR(bits) __bic_SR_register(bits)
#define _BIS_SR_IRQ(bits) __bis_SR_register_on_exit(bits)
#define _BIC_SR_IRQ(bits) __bic_SR_register_on_exit(bits)

/* IAR, TI */
#define __no_operation() __nop()
#define __enable_interrupt() __eint()
#define __disable_interrupt() __dint()
#define __get_interrupt_state() ((__istate_t)__get_SR_register())
#define __set_interrupt_state(state) __set_SR_register(state)
#define __even_in_range(value, limit) (value)
#define __low_power_mode_0() __bis_SR_register(0x18)
#define __low_power_mode_1() __bis_SR_register(0x58)
#define __low_power_mode_2() __bis_SR_register(0x98)
#define __low_power_mode_3() __bis_SR_register(0xd8)
#define __low_power_mode_4() __bis_SR_register(0xf8)
#define __low_power_mode_off_on_exit() __bic_SR_register_on_exit(0xf0)
#define __never_executed() __builtin_unreachable()
#define _NOP() __nop()
#define _EINT() __eint()
#define _DINT() __dint()
#define _no_operation() __nop()
#define _enable_interrupts() __eint()
#define _disable_interrupts() __dint()
#define _enable_interrupt() __eint()
#define _disable_interrupt() __dint()
#define _swap_bytes(value) __swap_bytes(value)
#define _get_interrupt_state() __get_interrupt_state()
#define _set_interrupt_state(state) __set_interrupt_state(state)
#define _get_SR_register() __get_SR_register()
#define _get_SP_register() __get_SP_register()
#define _bis_SR_register(bits) __bis_SR_register(bits)
#define _bic_SR_register(bits) __bic_SR_register(bits)
#define _bis_SR_register_on_exit(bits) __bis_SR_register_on_exit(bits)
#define _bic_SR_register_on_exit(bits) __bic_SR_register_on_exit(bits)
#define _low_power_mode_off_on_exit() __low_power_mode_off_on_exit()
#define _never_executed() __never_executed()

#endif
#endif
