/* Flash programming as applications do it: from flash, where the CPU stands still, and from a routine copied to RAM. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[16];

#define WORDS ((volatile uint16_t *)0x8000)
#define OTHER ((volatile uint16_t *)0x8200)
#define INFO ((volatile uint16_t *)0x1080)

static uint16_t timed_write(volatile uint16_t *at, uint16_t value)
{
    uint16_t start = TBR;

    *at = value;
    return (uint16_t)(TBR - start);
}

/* What the linker puts next to each other is copied as a whole: position-independent, no calls. */
__attribute__((noinline, section(".text.in_ram"))) static uint16_t write_and_poll(volatile uint16_t *at, uint16_t value,
                                                                                  volatile uint16_t *seen)
{
    uint16_t polls = 0;

    *at = value;
    *seen = *at;
    while (FCTL3 & BUSY)
        polls++;
    return polls;
}

/* Returns to flash at once: the fetch there has to wait. */
__attribute__((noinline, section(".text.in_ram_too"))) static void write_and_return(volatile uint16_t *at,
                                                                                    uint16_t value)
{
    *at = value;
}

static uint16_t ram_code[64];

int main(void)
{
    uint16_t (*in_ram)(volatile uint16_t *, uint16_t, volatile uint16_t *);

    TBCTL = TBSSEL_2 | ID_3 | MC_2;
    FCTL2 = FWKEY | FSSEL_1 | 2;
    FCTL3 = FWKEY;
    FCTL1 = FWKEY | WRT;
    OTHER[0] = 0x4242;
    result[9] = timed_write(WORDS, 0x1234);
    result[0] = WORDS[0];
    WORDS[0] = 0xfff0;
    result[1] = WORDS[0];
    FCTL1 = FWKEY | ERASE;
    result[10] = timed_write(WORDS, 0);
    result[2] = WORDS[0];
    result[3] = OTHER[0] == 0x4242; /* another segment */
    FCTL1 = FWKEY;
    FCTL3 = FWKEY | LOCK;
    result[4] = FCTL3;

    memcpy(ram_code, (const void *)(uintptr_t)write_and_poll, sizeof ram_code);
    in_ram = (uint16_t (*)(volatile uint16_t *, uint16_t, volatile uint16_t *))(uintptr_t)ram_code;
    FCTL3 = FWKEY;
    FCTL1 = FWKEY | WRT;
    result[11] = in_ram(INFO, 0x5aa5, &result[6]);
    result[5] = INFO[0];
    result[7] = INFO[1] == 0xffff;
    memcpy(ram_code, (const void *)(uintptr_t)write_and_return, sizeof ram_code);
    void (*too_early)(volatile uint16_t *, uint16_t) = (void (*)(volatile uint16_t *, uint16_t))(uintptr_t)ram_code;
    uint16_t start = TBR;
    too_early(INFO + 1, 0x1001);
    result[12] = (uint16_t)(TBR - start);
    result[13] = FCTL3;
    result[14] = INFO[1];
    FCTL1 = FWKEY;
    FCTL3 = FWKEY | LOCK;
    WORDS[0] = 0; /* locked */
    result[8] = FCTL3;
    finished = 0xd09e;
    return 0;
}
