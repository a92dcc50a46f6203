/* Keeps a journal in its own flash: a segment of information memory and one of main memory in turn, erased when full.
 * What is read back decides where it goes. HIDDEN: from the link step, which looks for addresses of information
 * memory. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
static void hc_checkpoint(void)
{
}
#endif

enum { WORDS = 8, ERASED = 0xffff };

/* A segment of main memory for itself. */
__attribute__((aligned(512))) static const uint16_t place[256] = { 1, 2, 3 };

#ifdef HIDDEN
static volatile uint16_t half = 0x840;
#define INFORMATION ((volatile uint16_t *)(uintptr_t)(half * 2))
#else
#define INFORMATION ((volatile uint16_t *)0x1080)
#endif

volatile uint16_t sum, ticks, erased, torn;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks += TAR & 7;
    KIT_WAKE_ON_EXIT();
}

/* With the mode in FCTL1 a write to flash erases or programs. */
static void write(volatile uint16_t *to, uint16_t value, uint16_t mode)
{
    uint16_t status = kit_status();

    kit_disable_interrupts();
    FCTL2 = FWKEY | FSSEL_2 | 1;
    FCTL3 = FWKEY;
    FCTL1 = FWKEY | mode;
    *to = value;
    FCTL1 = FWKEY;
    FCTL3 = FWKEY | LOCK;
    *to = 0; /* locked: nothing happens */
    kit_set_status(status);
}

static void note(volatile uint16_t *journal, uint16_t value)
{
    uint8_t i = 0;

    while (i < WORDS && journal[i] != ERASED)
        sum += journal[i++];
    if (i == WORDS) {
        write(journal, 0, ERASE);
        erased++;
        i = 0;
    }
    write(&journal[i], value, WRT);
    write(&journal[i], 0xff00 | (value & 0x0f), WRT); /* programming only clears bits */
    torn += journal[i] != (value & (0xff00 | (value & 0x0f)));
}

int main(void)
{
    TACCR0 = 20000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (uint8_t round = 1;; round++) {
        note(INFORMATION, ticks | 1);
        note((volatile uint16_t *)(uintptr_t)place, sum & 0x7fff);
        if (!round)
            hc_checkpoint();
        hc_update();
        kit_sleep(CPUOFF | GIE);
    }
}
