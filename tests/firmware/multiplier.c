/* The hardware multiplier as the user's guide uses it. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[16];

static const uint16_t squares[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

int main(void)
{
    /* 16 x 16, unsigned; signed, with the operand that others get wrong; accumulated with a carry. */
    MPY = 0x1234;
    OP2 = 0x5678;
    result[0] = RESLO;
    result[1] = RESHI;
    MPYS = 0x8000;
    OP2 = 1;
    result[2] = RESLO;
    result[3] = RESHI;
    result[4] = SUMEXT;
    RESLO = 0;
    RESHI = 0xffff;
    MAC = 0xffff;
    OP2 = 0xffff;
    result[5] = RESLO;
    result[6] = RESHI - 0xffffu; /* 0xfffd carried into 0xffff */
    result[7] = SUMEXT;

    /* 8 x 8, signed: SXT on the registers, the second one starts the real multiplication. */
    __asm__ volatile("mov.b #0xf6, &0x132\n\tsxt &0x132\n\tmov.b #0x0c, &0x138\n\tsxt &0x138" ::: "memory");
    result[8] = RESLO;
    result[9] = RESHI;
    /* 8 x 8, unsigned, and the result through a pointer with an instruction between. */
    __asm__ volatile("mov.b #0x12, &0x130\n\tmov.b #0x34, &0x138" ::: "memory");
    uint16_t low, high;
    __asm__ volatile("mov #0x13a, r15\n\tnop\n\tmov @r15+, %0\n\tmov @r15, %1" : "=&r"(low), "=r"(high)::"r15");
    result[10] = low;
    result[11] = high;

    RESLO = 0;
    RESHI = 0;
    for (uint8_t i = 0; i < 10; i++) {
        MAC = squares[i];
        OP2 = squares[i];
    }
    result[12] = RESLO;
    finished = 0xd09e;
    return 0;
}
