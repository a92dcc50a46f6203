/* What values flow through, in every way that the compiler knows: numbers of 8 to 64 bits, shifts, products, tables,
 * pointers, structures, bit-fields, recursion, function pointers, texts; and an interrupt that changes some of it. It
 * never ends. */
#include <kit.h>
#include <string.h>

struct cell {
    uint8_t kind : 3, weight : 5;
    int16_t level;
    uint32_t total;
    struct cell *next;
};

volatile uint16_t finished, result[4];
static struct cell cells[6];
static uint8_t bytes[32];
static uint16_t words[16];
static uint32_t longs[8];
static uint64_t large;
static volatile uint16_t ticks, noise = 1;
static char text[24];

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    noise = (uint16_t)(noise * 25173u + 13849u);
    bytes[noise % sizeof bytes] ^= (uint8_t)ticks;
    KIT_WAKE_ON_EXIT();
}

static uint16_t add(uint16_t a, uint16_t b)
{
    return a + b;
}

static uint16_t mix(uint16_t a, uint16_t b)
{
    return (uint16_t)((a << (b & 7)) ^ (b >> 3));
}

static uint16_t (*const steps[])(uint16_t, uint16_t) = { add, mix };

static uint32_t __attribute__((noinline)) gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}

static void __attribute__((noinline)) turn_cells(uint16_t round)
{
    struct cell *c = &cells[round % 6];

    c->next = &cells[words[round % 16] % 6];
    c->next->level = (int16_t)(c->level - (int16_t)round);
    c->kind = (uint8_t)(c->weight + round);
    c->weight = bytes[round % 32] >> 2;
    c->total += (uint32_t)c->next->level * c->kind;
    if (c->level < 0)
        *c->next = cells[(round + 1) % 6];
}

static void __attribute__((noinline)) turn_numbers(uint16_t round)
{
    uint16_t i = round % 16;

    words[i] = steps[round & 1](words[(i + 5) % 16], noise);
    longs[i % 8] += (longs[(i + 1) % 8] << 3) + words[i];
    if (i == 3)
        longs[0] = gcd(longs[1], (uint32_t)words[2] + 1);
    large = large * 6364136223846793005ull + longs[i % 8];
    bytes[i] = (uint8_t)(large >> 56) + (uint8_t)(words[i] * bytes[(i + 9) % 32]);
    bytes[31 - i] = bytes[i] & 0x5a;
}

/* What the compiler does not use by itself. */
static void __attribute__((noinline)) turn_carries(void)
{
    uint16_t low = words[4], high = words[5], part = words[6];

    __asm__("add %2, %0\n\taddc %3, %1" : "+&r"(low), "+&r"(high) : "r"(words[10]), "r"(words[11]));
    words[8] = low;
    words[9] = high;
    __asm__("sub %2, %0\n\tsubc %3, %1" : "+&r"(low), "+&r"(high) : "r"(words[12]), "r"(part));
    words[10] = high;
    __asm__("clrc\n\tdadd %2, %0\n\tdadd %3, %1" : "+&r"(low), "+&r"(part) : "r"(words[13]), "r"(words[14]));
    words[11] = part;
    __asm__("rra %0\n\trrc %1" : "+&r"(low), "+&r"(high));
    words[12] = high;
    bytes[30] = bytes[words[1] % 29];
    bytes[29] = (uint8_t)(bytes[bytes[30] & 7] + 1);
}

static void __attribute__((noinline)) turn_text(uint16_t round)
{
    memmove(text + 1, text, sizeof text - 2);
    text[0] = (char)('a' + (round ^ bytes[3]) % 26);
    if (text[0] == text[5])
        memset(text + 8, text[2], 4);
}

int main(void)
{
    TACCR0 = 900;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (uint16_t round = 0;; round++) {
        turn_numbers(round);
        turn_cells(round);
        turn_carries();
        turn_text(round);
        if (round % 16 == 0)
            kit_sleep(CPUOFF | GIE);
    }
}
