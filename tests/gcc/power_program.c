/* For tests/gcc/power: members, elements and locals that `hindcast power` has to name, with their own start-up code, in
 * GCC's small or large memory model. The FR5994's memory; the stack is in FRAM. */
#include <stdint.h>

struct node {
    struct node *next;
    uint16_t value;
    uint8_t bytes[3];
};

struct node pool[4], *head;
uint32_t counter;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) uint16_t walk(const struct node *n)
{
    uint16_t total = 0;

    for (; n; n = n->next)
        total += n->value;
    return total;
}

static __attribute__((noinline)) uint16_t depth(uint16_t n)
{
    volatile uint16_t local[2] = { n, n };

    local[1]++;
    return n ? depth(n - 1) + local[1] : 0;
}

int main(void)
{
    head = 0;
    for (uint16_t i = 0; i < 4; i++) {
        pool[i].value = 3 * i;
        pool[i].bytes[2] = 0;
        pool[i].next = head;
        head = &pool[i];
    }
    counter = 0;
    checkpoint();
    counter += walk(head);
    pool[2].bytes[2]++;
    checkpoint();
    return (int)depth(3);
}

__attribute__((naked, section(".start"))) void _start(void)
{
#ifdef __MSP430X_LARGE__
    __asm__ volatile("mov #0x5a80, &0x015c\n\tmova #__stack, sp\n\tcalla #main\n1:\tjmp 1b");
#else
    __asm__ volatile("mov #0x5a80, &0x015c\n\tmov #__stack, sp\n\tcall #main\n1:\tjmp 1b");
#endif
}

__attribute__((section(".reset"))) const uint16_t reset = 0x4000;
