/* A program that goes on and on, for self-checks, checkpoints and resets: variables in several windows, a stack of some
 * depth, interrupts that read. OTHER: another program of the same size and with the same border. IDLE: nothing happens
 * between interrupts but hc_update. DMA: a channel fills a block. TURNS: of that loop
 * are counted. */
#include "border.h"

enum { DMA0CTL = 0x1e0, DMA0DA = 0x1e4, DMA0SZ = 0x1e6 };
enum { P1IN = 0x20, U1RXBUF = 0x7e, TAR = 0x170, TACTL = 0x160, TAIV = 0x12e, TBR = 0x190 };

#ifdef OTHER
enum { STEP = 5 };
#else
enum { STEP = 3 };
#endif

uint16_t history[900];
uint16_t table[40] = { 1, 2, 3, 5, 8 };
uint16_t rarely; /* what the other program makes of it shows nowhere else */
volatile uint16_t seen[3];
volatile uint16_t turns;

#ifndef IDLE
__attribute__((noinline)) static uint16_t deep(uint16_t n, uint16_t x)
{
    volatile uint16_t local[3] = { x, n, table[n] };
    TICK();
    if (n == 0)
        return READ(P1IN, STATE, 0x44);
    return (uint16_t)(deep(n - 1, x) + local[n % 3]);
}

static void work(uint16_t x)
{
    TICK();
    history[x % 900] = (uint16_t)(history[x % 900] * 5 + x);
    table[x % 40] = (uint16_t)(table[x % 40] + deep(x & 7, x));
    if (x % 16 == 0)
        rarely = (uint16_t)(rarely + STEP);
    if (READ(P1IN, STATE, 1))
        seen[0] = (uint16_t)(seen[0] + READ(U1RXBUF, DATA, 0xff) + READ(U1RXBUF, DATA, 0xff));
}

#endif

void on_5(void)
{
    TICK();
    seen[0] = (uint16_t)(seen[0] + READ(TAIV, VECTOR | WORD, 0x0e));
}

void on_6(void)
{
    TICK();
    seen[1] = READ(TAR, TIMER | WORD, 0xffff);
    history[seen[1] % 900]++;
}

void on_13(void)
{
    TICK();
    seen[2] = (uint16_t)(seen[2] * 5 + READ(TBR, TIMER | WORD, 0xffff));
    hc_update();
}

void on_14(void)
{
    TICK();
    seen[2]++;
}

#ifdef DMA
uint8_t block[64];
static uint16_t armed;

/* The channel is started, or has come to its end. */
static void transfer(void)
{
    TICK();
    if (!armed) {
        REGISTER16(DMA0DA) = (uint16_t)block;
        REGISTER16(DMA0SZ) = sizeof block;
        REGISTER16(DMA0CTL) = 0x0c90; /* bytes, upwards */
        armed = 1;
    } else if (READ(DMA0CTL, STATE | WORD, 0x0008)) {
        for (uint16_t i = 0; i < sizeof block; i++) {
            TICK();
            table[i % 40] = (uint16_t)(table[i % 40] + block[i]);
        }
        armed = 0;
    }
}
#endif

int main(void)
{
    REGISTER16(TACTL) = 0x0120;
    __asm__ volatile("nop\n eint\n nop" ::: "memory");
#ifdef IDLE
    for (;;) {
        TICK();
#ifdef TURNS
        turns++;
#endif
        hc_update();
    }
#else
    for (uint16_t i = 0;; i++) {
        TICK();
#ifdef DMA
        transfer();
#endif
        work(READ(TAR, TIMER | WORD, 0xffff));
        if (i % 32 == 31)
            __asm__ volatile("bis #0x18, r2\n nop" ::: "memory", "r2"); /* sleeps until an interrupt */
        hc_update();
    }
#endif
}
