/* What an account of calls is tried on: recursion, calls at a function's end, inlined functions, interrupts that nest,
 * threads whose stacks lie below and above, a jump out of several functions, a variable-length array. */
#include <kit.h>
#include <setjmp.h>

enum { STACK_WORDS = 80, THREADS = 3, SAVED = 7 };

volatile uint16_t finished, work, ticks, nested, rounds;
volatile uint16_t thread;             /* which one runs, or will after the switch: 0 is main's */
const volatile uint16_t period = 911; /* another one may be programmed */
static uint16_t low_stack[STACK_WORDS], *stack_pointer[THREADS];
static jmp_buf out;

#define FUNCTION __attribute__((noinline))

KIT_INTERRUPT(PORT1_VECTOR) void port1(void)
{
    P1IFG = 0;
    nested++;
}

FUNCTION void from_handler(void)
{
    work += ticks;
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    if (ticks % 3 == 0) {
        P1IFG = 1;
        kit_enable_interrupts();
        work ^= 0x55;
    }
    from_handler();
}

static inline __attribute__((always_inline)) void inner(uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        work += i;
}

static inline __attribute__((always_inline)) void outer(uint16_t n)
{
    work ^= n;
    inner(n);
    work ^= 3;
}

FUNCTION uint16_t fibonacci(uint16_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

FUNCTION uint16_t odd(uint16_t n);

FUNCTION uint16_t even(uint16_t n)
{
    work++;
    return n ? odd(n - 1) + 1 : 0;
}

FUNCTION uint16_t odd(uint16_t n)
{
    return n ? even(n - 1) + 2 : 1;
}

FUNCTION void last(uint16_t n)
{
    outer(n);
}

FUNCTION void at_the_end(uint16_t n)
{
    work += n;
    last(n + 1);
}

FUNCTION void deep(uint16_t n)
{
    if (!n)
        longjmp(out, 1);
    deep(n - 1);
    work++;
}

FUNCTION void array(uint16_t n)
{
    volatile uint8_t bytes[n];

    for (uint16_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)i;
    outer(bytes[n - 1]);
}

/* Saves the registers on the stack that is left, and goes on with another. */
void switch_stacks(uint16_t **left, uint16_t *entered, uint16_t number);
__asm__(".text\n .global switch_stacks\n .type switch_stacks, @function\n switch_stacks:\n"
        "push r4\n push r5\n push r6\n push r7\n push r8\n push r9\n push r10\n"
        "mov r1, 0(r12)\n mov r13, r1\n .global switched\n switched:\n"
        "pop r10\n pop r9\n pop r8\n pop r7\n pop r6\n pop r5\n pop r4\n ret\n"
        ".size switch_stacks, . - switch_stacks\n");

/* Both ways share an end, which lies within one of them. */
uint16_t one_way(uint16_t n);
uint16_t other_way(uint16_t n);
__asm__(".text\n .global other_way\n .type other_way, @function\n other_way:\n"
        "add #3, r12\n jmp shared_end\n .size other_way, . - other_way\n"
        ".global one_way\n .type one_way, @function\n one_way:\n"
        "inc r12\n shared_end:\n rla r12\n ret\n .size one_way, . - one_way\n");

FUNCTION void yield_to(uint16_t other)
{
    uint16_t here = thread;

    kit_disable_interrupts();
    thread = other;
    switch_stacks(&stack_pointer[here], stack_pointer[other], other);
    kit_enable_interrupts();
}

FUNCTION void step(uint16_t n)
{
    outer(n);
    yield_to((thread + 1) % THREADS);
    at_the_end(n);
}

FUNCTION void first_thread(void)
{
    for (;;)
        step(3);
}

FUNCTION void second_thread(void)
{
    for (;;) {
        work += fibonacci(4);
        step(2);
    }
}

static void make_thread(uint16_t number, uint16_t *top, void (*code)(void))
{
    *--top = (uint16_t)(uintptr_t)code;
    for (uint16_t i = 0; i < SAVED; i++)
        *--top = 0;
    stack_pointer[number] = top;
}

FUNCTION void round(void)
{
    work += fibonacci(6) + even(9) + odd(4);
    at_the_end(5);
    if (!setjmp(out))
        deep(7);
    array(9 + rounds % 30);
    step(4);
    work += one_way(1) + other_way(2) + other_way(3);
    rounds++;
}

FUNCTION void program(void)
{
    for (uint16_t i = 0; i < 30; i++)
        round();
    finished = 0xd09e;
    for (;;)
        round();
}

int main(void)
{
    uint16_t high_stack[STACK_WORDS];

    make_thread(1, low_stack + STACK_WORDS, first_thread);
    make_thread(2, high_stack + STACK_WORDS, second_thread);
    P1IE = 1;
    TACCR0 = period;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    program();
}
