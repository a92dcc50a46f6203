/* The firmware kit: what an application needs besides its compiler. Interrupt handlers, sleep, and a UART.
 *
 * The registers' names come from msp430mcu's headers; their addresses from its linker script periph.x. The intrinsics
 * that those headers declare are in include/intrinsics.h, the C library in include/: docs/kit.md. */
#ifndef KIT_H
#define KIT_H

#include "include/intrinsics.h"
#include "include/stdlib.h"
#include "include/string.h"
#ifdef KIT_FR5969
#include <msp430fr5969.h>
#else
#include <msp430f1611.h>
#endif
#include <stddef.h>
#include <stdint.h>

/* A handler of one of the header's vectors: KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void) { ... } */
#define KIT_INTERRUPT(vector) __attribute__((__interrupt__((vector) / 2)))

/* In a handler: changes the SR that RETI will restore, so that the interrupted code wakes up when it ends. */
#define KIT_WAKE_ON_EXIT() __bic_SR_register_on_exit(CPUOFF | OSCOFF | SCG0 | SCG1)

static inline void kit_enable_interrupts(void)
{
    __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

static inline void kit_disable_interrupts(void)
{
    __asm__ volatile("dint\n\tnop" ::: "memory");
}

/* Sets bits of SR: kit_sleep(LPM3_bits | GIE) sleeps until a handler says KIT_WAKE_ON_EXIT(). */
static inline void kit_sleep(uint16_t bits)
{
    __asm__ volatile("bis %0, r2\n\tnop" ::"r"(bits) : "memory");
}

static inline uint16_t kit_status(void)
{
    uint16_t sr;
    __asm__ volatile("mov r2, %0" : "=r"(sr));
    return sr;
}

static inline void kit_set_status(uint16_t sr)
{
    __asm__ volatile("mov %0, r2\n\tnop" ::"r"(sr) : "memory");
}

/* Called by the start-up code before anything else, without initialised memory. As given it stops the watchdog; an
 * application that wants it running defines its own. */
void kit_reset_hook(void);

/* UART to the host at BAUD, from an SMCLK of SMCLK_HZ: USART1 (the TelosB's USB port), or eUSCI_A0 of the FR5969.
 * Polled. */
void kit_uart_init(uint32_t smclk_hz, uint32_t baud);
void kit_put_char(char c);
void kit_put(const char *text);
/* Waits until the last byte has left. Sleep that stops SMCLK stops a byte on its way, too. */
void kit_uart_drain(void);
void kit_put_unsigned(uint32_t value);
void kit_put_hex(uint16_t value);

#ifdef KIT_FR5969
/* A variable that keeps its value without supply: in FRAM, and not touched by the start-up code. */
#define KIT_PERSISTENT __attribute__((section(".persistent")))
#endif

#endif
