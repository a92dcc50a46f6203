/* What GCC says about a program: gcc-os.elf and gcc-o2.elf are kept, for Debian has no msp430-elf-gcc. Made by
 * GCC 12.2:
 *
 *     msp430-elf-gcc -mcpu=msp430 -ffreestanding -Os -gdwarf-4 -c gcc.c      (-O2 -gdwarf-5 for the other)
 *     msp430-elf-ld --entry=_start -T gcc.ld gcc.o epilogue.o
 *
 * gcc.ld puts code at 0x4000, data at 0x1100 (initialised there by the loader) and .vector at 0xfffe; epilogue.o brings
 * __mspabi_func_epilog_N of libgcc. */
#include <stdint.h>

struct bits {
    unsigned a : 3;
    int b : 6;
    unsigned long c : 20;
};

enum color { RED, GREEN = 5 };

struct node {
    struct node *next;
    int16_t v;
    char name[6];
    enum color color;
    void (*call)(int);
};

volatile struct bits bits = { 5, -7, 0xabcde };
struct node nodes[3] = {
    { &nodes[1], -1, "one", RED, 0 },
    { &nodes[2], 2, "two", GREEN, 0 },
    { 0, 3, "three", RED, 0 },
};
volatile uint32_t sum;
volatile float real = 2.5f;
static volatile int16_t hidden = 42;

__attribute__((noinline)) int16_t add(struct node *n, int16_t k)
{
    int16_t s = k;

    while (n) {
        s += n->v; /* adding */
        n = n->next;
        sum += (uint16_t)s;
    }
    return s; /* added */
}

__attribute__((interrupt(7))) void tick(void)
{
    sum++;
}

int main(void)
{
    int16_t total = 0;

    for (int i = 0; i < 5; i++) {
        total = add(nodes, total + i); /* calling */
        hidden++;
    }
    for (;;)
        sum += total;
}

__attribute__((naked)) void _start(void)
{
    __asm__ volatile("mov #0x3900, r1\n call #main\n 1: jmp 1b");
}

__attribute__((section(".vector"), used)) void *const vector = _start;
