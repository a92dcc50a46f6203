/* What the rewritten expressions must leave as it was: values, types, order, the contents of registers. Run as it is
 * and instrumented; both must give the same results.
 *
 * The registers used are such that the world changes, but that stay put here: a stopped timer, the ADC's memories,
 * flags without interrupts. */
#include "kit.h"

volatile uint16_t result[400];
volatile uint16_t count;
volatile uint16_t finished;

static void note(uint16_t value)
{
    result[count++] = value;
}

static void note_long(uint32_t value)
{
    note((uint16_t)value);
    note((uint16_t)(value >> 16));
}

static uint16_t order;

/* What is called when: a digit is added for each call. */
static uint16_t call(uint16_t digit)
{
    order = order * 10 + digit;
    return digit;
}

#define MEM ((volatile uint16_t *)0x0140)
#define SIGNED_LOW (*(volatile int8_t *)0x0170)
#define BOTH (*(volatile uint32_t *)0x0170)

struct fields {
    volatile uint16_t a : 3;
    volatile uint16_t b : 5;
    volatile int16_t c : 5;
    volatile uint16_t d : 3;
};
#define TIMER_FIELDS (*(struct fields *)0x0170)

static void reads(void)
{
    TAR = 0x9a5c;
    note(TAR);
    note(TAR & 0x0ff0);
    note(TAR >> 12);
    note((int16_t)TAR >> 12);
    note((int16_t)TAR < 0);
    note(TAR >= 0x8000);
    note(TAR > 0x9a5b);
    note((uint8_t)TAR);
    note((int8_t)TAR);
    note(SIGNED_LOW);
    note(SIGNED_LOW >> 2);
    note(*(volatile uint8_t *)0x0171);
    note(!(TAR & 4));
    note(!TAR);
    note(-TAR);
    note(~TAR & 0xf00f);
    note(TAR ^ 0xffff);
    note(TAR + 1 > TAR);
    note(TAR - 0x9a5d > 100);
    note_long((uint32_t)TAR << 4);
    note_long(-(int32_t)TAR);
    note(TAR ? 7 : 8);
    note(TAR & 1 ? 7 : 8);
    note((TAR & 4 ? TAR : TBR) & 0xff);
    note(sizeof(TAR) + sizeof(TAR + 1l) + sizeof(SIGNED_LOW));
    note(TAR ?: 3);
    note((TAR, 5));
    TAR;
    (void)TAR;
}

static void arrays(void)
{
    for (uint16_t i = 0; i < 4; i++)
        MEM[i] = 0x0111 * (i + 1);
    note(MEM[2]);
    note(2 [MEM]);
    for (uint16_t i = 0; i < 4; i++)
        note(MEM[i]);
    for (uint16_t i = 0; i < 4; i++)
        note(*(volatile uint16_t *)(0x0140 + 2 * i) & 0xff);
    const volatile uint16_t *p = MEM;
    note(*p++);
    note(*p++);
    note(p - MEM);
    note(p[-1] + p[0]);
    volatile uint8_t memory[3] = { 1, 2, 3 };
    volatile uint8_t *q = memory;
    note(*q++);
    note(*q++);
    note(*q == memory[2] ? 1 : 2);
    volatile uint32_t wide = 0x12345678;
    volatile uint32_t *w = &wide;
    note_long(*w);
    volatile uint16_t *volatile *pp = &(volatile uint16_t *volatile){ MEM + 3 };
    note(**pp);
}

static void fields(void)
{
    TAR = 0x9a5c;
    note(TIMER_FIELDS.a);
    note(TIMER_FIELDS.b);
    note(TIMER_FIELDS.c);
    note(TIMER_FIELDS.d);
    note(TIMER_FIELDS.a - 5 < 0); /* it promotes to int */
    note(TIMER_FIELDS.c < 0);
    note(TIMER_FIELDS.b & 2);
    struct fields copy, *p = &TIMER_FIELDS;
    note(p->b + p->c);
    copy.a = TAR >> 3;
    copy.c = TAR;
    note(copy.a);
    note(copy.c);
    TIMER_FIELDS.a = 5;
    note(TAR);
    TIMER_FIELDS.b = 0;
    note(TAR);
    TIMER_FIELDS.b = 31;
    note(TAR);
    TIMER_FIELDS.c = -2;
    note(TAR);
    note(TIMER_FIELDS.d = 13);
    note(TAR);
    TIMER_FIELDS.a ^= 2;
    TIMER_FIELDS.b &= 0x15;
    TIMER_FIELDS.c |= 1;
    note(TAR);
    TIMER_FIELDS.a += 7;
    note(TAR);
    note(TIMER_FIELDS.b++);
    note(++TIMER_FIELDS.c);
    note(TAR);
}

static void modifications(volatile uint16_t *p)
{
    TAR = 0x00ff;
    TAR |= 0x1000;
    TAR &= ~0x000f;
    TAR ^= 0x0033;
    note(TAR);
    TAR = TAR | 4 | call(8);
    TAR = 0xff7f & TAR;
    note(TAR);
    TAR++;
    --TAR;
    TAR += 0x0102;
    TAR -= call(3);
    note(TAR);
    note(TAR++);
    note(++TAR);
    note(TAR--);
    note(--TAR);
    note(TAR |= 0x8000);
    note(TAR += 0x7fff);
    TAR *= 3;
    note(TAR);
    TAR /= 7;
    TAR <<= call(2);
    TAR >>= 1;
    TAR %= 1000;
    note(TAR);
    SIGNED_LOW += 100;
    note(TAR);
    note(SIGNED_LOW *= 2);
    TAR = (TAR & 0xff0f) | 0x0050;
    note(TAR);
    P1IFG = 0;
    P1IFG |= 0x81;
    P1IFG &= (uint8_t)~0x80;
    note(P1IFG);
    P1IFG = 0;
    *p |= 0x0100;
    *p &= 0xfff0;
    *p ^= call(5);
    note(*p);
    *p += 3;
    note((*p)++);
    note(++*p);
    note(*p <<= 1);
    BOTH = 0x00010002;
    BOTH |= 0x00100010;
    BOTH += 0x0000fff0;
    note_long(BOTH);
    note(BOTH >> 16);
}

static void evaluation_order(void)
{
    int16_t i = 0;
    TAR = 3;
    order = 0;
    note(call(1) + TAR + call(2));
    note(call(TAR) ? call(4) : TAR);
    if (TAR == 3 && call(5) && (TAR & 4 || call(6)))
        note(order);
    note((call(7), TAR));
    MEM[i] = TAR + i;
    i++;
    note(MEM[0]);
    note(order);
    order = 0;
    TAR += call(8) + TAR;
    note(TAR);
    for (i = 0, TAR = 0; TAR < 5; TAR++, i += TAR)
        ;
    note(i);
    do
        i += TAR;
    while (TAR-- > 1);
    note(i);
    switch (TAR & 3) {
    case 0:
        note(100); /* fall through */
    case 1:
        note(101);
        break;
    default:
        note(102);
    }
    i = 4;
again:
    note(i + TAR);
    if (--i)
        goto again;
    note(({
        int16_t t = TAR;
        t + i + 1;
    }));
}

/* Flags that are set already: the loops end at once. */
static void polling(void)
{
    TACCTL0 = 0x0001;
    while (!(TACCTL0 & 1))
        ;
    do {
    } while (!(TACCTL0 & 0x0001));
    TACCTL0 &= ~1;
    for (; TACCTL0 & 1;)
        ;
    P1IFG = 0x10;
    while ((P1IFG & 0x10) == 0)
        ;
    P1IFG = 0;
    while (P1IFG & 0x7f)
        ;
    note(TACCTL0 & 1);
    uint16_t turns = 0;
    TAR = 0;
    while (!(TAR & 8))
        TAR++, turns++;
    note(turns);
}

static uint16_t computed(uint16_t n)
{
    static void *const to[] = { &&low, &&high, &&out };
    uint16_t sum = 0;
    goto *to[n];
low:
    sum += 1;
high:
    sum += TAR;
    if (sum < 20)
        goto *to[sum & 1];
out:
    return sum;
}

/* ---- what is no integer of up to 32 bits, behind pointers ---- */

struct words {
    uint16_t first;
    uint8_t bytes[3];
    uint32_t last;
};
struct bytes {
    uint8_t a, b[4];
};
struct small {
    uint8_t low : 3, high : 5;
    uint16_t middle : 9;
    int16_t sign : 6;
    uint32_t wide : 20, rest : 12;
    _Bool flag : 1;
};
struct __attribute__((packed)) packed {
    uint32_t tail : 5;
};
union number {
    float value;
    uint16_t word[2];
};

static void note_words(struct words s)
{
    note(s.first);
    note(s.bytes[0] + s.bytes[1] + s.bytes[2]);
    note_long(s.last);
}

static volatile struct words *next(volatile struct words *p)
{
    call(4);
    return p;
}

static struct words taken(volatile struct words *from)
{
    return *from;
}

static void structures(volatile struct words *from, volatile struct words *to, volatile struct bytes *odd)
{
    struct words copy = *from, *plain = &copy;
    volatile struct words *at = from;
    note_words(*from);
    *to = *from++;
    note_words(*plain);
    note_words(taken(to));
    *to = *next(from);
    note_words(*(count ? to : from));
    note_words((*to = *at));
    note(order);
    struct bytes bytes = *odd;
    note((uint16_t)(bytes.a + bytes.b[3]));
    to->bytes[0] = (*at).bytes[2];
    note(to->bytes[0]);
}

static void long_values(volatile uint64_t *p, volatile int64_t *q, volatile float *x)
{
    union number number;
    note_long((uint32_t)*p);
    note_long((uint32_t)(*p >> 32));
    *p += 0x123456789;
    note_long((uint32_t)(*p >> 16));
    note((uint16_t)(*q)--);
    note((uint16_t)(++*q >> 48));
    note((*q |= 5) == *q);
    number.value = *x;
    note(number.word[0] ^ number.word[1]);
    *x = -*x;
    number.value = *x;
    note(number.word[1]);
}

static volatile struct small *same(volatile struct small *p)
{
    call(5);
    return p;
}

static void small_fields(volatile struct small *p, volatile struct packed *packed)
{
    p->low = 5;
    p->high = 0x12;
    p->middle = 0x1ff;
    same(p)->middle += 3;
    (p->sign) = -7;
    note((uint16_t)(p->sign = 45));
    p->wide = 0xabcde;
    p[0].rest |= 0x801;
    p->flag = count;
    note(p->low++);
    note(--p->low);
    note((uint16_t)-(p->high ^= 3));
    note(p->middle);
    note((uint16_t)p->sign--);
    note((uint16_t)p->sign);
    note_long(p->wide);
    note(p->rest);
    note(p->flag);
    note(order);
    packed[0].tail = packed[1].tail = 21;
    packed[0].tail += 20;
    note(packed[0].tail);
    note(*(volatile uint8_t *)&packed[1]);
}

struct __attribute__((packed)) odd {
    uint8_t a;
    uint16_t word;
    uint32_t both;
    uint16_t low : 4, high : 4;
    struct {
        uint16_t word[2];
    } inner;
};

static void odd_addresses(volatile struct odd *p, uint16_t i)
{
    struct odd copy;
    p->word = 0x1234;
    p->word++;
    p->both = 0xfedcba98;
    p->both ^= 0x10001;
    p->word |= 0x8000;
    p->high = 5;
    p->low = p->high + 4;
    p->inner.word[i] += 0x1ff;
    note(p->word);
    note_long(p->both);
    note(p->low * 16 + p->high);
    note(p->inner.word[i]--);
    copy = *p;
    note(copy.word + copy.inner.word[i]);
    note((uint16_t)(copy.both >> 8));
}

static void wholes(void)
{
    static volatile struct odd odd[2];
    static volatile struct words words[4] = { { 1, { 2, 3, 4 }, 0x56789abc }, { 0x1111, { 5, 6, 7 }, 0x89abcdef } };
    static volatile struct bytes bytes[3] = { { 1, { 2, 3, 4, 5 } }, { 6, { 7, 8, 9, 10 } } };
    static volatile uint64_t long_value = 0xfedcba9876543210;
    static volatile int64_t negative = -3;
    static volatile float number = 1.5f;
    static volatile struct small small[2];
    static volatile struct packed packed[4];
    structures(words, &words[2], &bytes[1]);
    long_values(&long_value, &negative, &number);
    small_fields(small, &packed[1]);
    note(packed[0].tail + packed[3].tail);
    odd_addresses(&odd[0], 1);
    odd_addresses(&odd[1], 0);
    note(odd[0].a + odd[1].a);
}

static int recursive(int n)
{
    return n ? recursive(n - 1) + (TAR & 3) : 0;
}

int main(void)
{
    TACTL = 0; /* stopped */
    P1IE = P1IES = 0;
    reads();
    arrays();
    fields();
    modifications(&MEM[1 + (count & 0)]);
    volatile uint16_t memory = 0x1234;
    modifications(&memory);
    evaluation_order();
    polling();
    TAR = 7;
    note(computed(0));
    note(computed(1));
    note(computed(2));
    note(recursive(5));
    wholes();
    finished = 0xd09e;
    for (;;)
        ;
}
