/* A program that changes one of its functions, which is in FRAM as all code is. */
#include <kit.h>

enum { MOV_2_R12 = 0x432c };

uint16_t code(void);
__asm__(".section .text.code, \"ax\", @progbits\n"
        ".global code\n"
        ".type code, @function\n"
        "code: mov #1, r12\n"
        "ret\n"
        ".size code, . - code\n"
        ".text");

volatile uint16_t result;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("");
}

int main(void)
{
    checkpoint();
    uint16_t sum = code();
    *(volatile uint16_t *)(uintptr_t)code = MOV_2_R12;
    sum += code();
    result = sum;
    checkpoint();
    return (int)sum;
}
