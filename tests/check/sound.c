/* More than sixty programs that are sound, though some look as if they were not. */
#include "cases.h"

volatile uint16_t chosen = 0xffff;

static int before[6];
int numbers[10];
static char text[12];
char small[5];
static long longs[4];
struct point {
    int x, y;
} points[5];
const int squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };
static int behind[6];
int *cursor;
static union {
    long l;
    uint8_t bytes[4];
    struct {
        unsigned a : 3, b : 5, c : 8;
    } bits;
} either;
struct node {
    struct node *next;
    int value;
};
static struct node nodes[6];
static uint8_t pool[60];

__attribute__((noinline)) static void fill(char *to, int n)
{
    while (n--)
        *to++ = 'x';
}
__attribute__((noinline)) static int sum(const int *from, int n)
{
    int total = 0;

    while (n--)
        total += *from++;
    return total;
}
__attribute__((noinline)) static int sum_back(const int *end, int n)
{
    int total = 0;

    while (n--)
        total += *--end;
    return total;
}
__attribute__((noinline)) static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- variables of the program ---- */

CASE all_written(void)
{
    for (int i = 0; i < number(10); i++)
        numbers[i] = i;
}
CASE all_read(void)
{
    sink = sum(numbers, 10) + sum(squares, 8);
}
CASE from_the_end(void)
{
    sink = sum_back(numbers + 10, 10) + sum_back(before + 6, 6) + sum_back(behind + 6, 6);
}
CASE one_less(void)
{
    for (int i = 1; i <= number(10); i++)
        numbers[i - 1] = before[(i - 1) % 6];
}
CASE one_more(void)
{
    for (int i = -1; i < number(9); i++)
        numbers[i + 1] = behind[(i + 1) % 6];
}
CASE backwards(void)
{
    for (int i = number(9); i >= 0; i--)
        numbers[i] = numbers[9 - i];
}
CASE end_pointer(void)
{
    for (int *p = numbers; p != numbers + 10; p++)
        *p = 3;
}
CASE end_pointer_back(void)
{
    for (int *p = numbers + 10; p-- > numbers;)
        *p = 4;
}
CASE difference(void)
{
    int *p = numbers + number(7);
    sink = (int)(p - numbers);
    numbers[p - numbers] = 1;
}
CASE between_objects(void)
{
    int *p = numbers + number(2);
    cursor = before;
    cursor += p - numbers;
    *cursor = 1;
}
CASE bytes_of_words(void)
{
    uint8_t *p = (uint8_t *)numbers;
    for (int i = 0; i < number(20); i++)
        p[i] = (uint8_t)i;
}
CASE words_of_bytes(void)
{
    *(int *)(text + number(10)) = 7;
}
CASE unions(void)
{
    either.l = number(77);
    sink = either.bytes[number(3)];
    either.bits.b = 9;
    sink = either.bits.c;
}
CASE structures(void)
{
    for (int i = 0; i < number(5); i++)
        points[i].x = points[(i + 1) % 5].y = i;
}
CASE list(void)
{
    for (int i = 0; i < number(5); i++)
        nodes[i].next = &nodes[i + 1];
    for (struct node *n = nodes; n; n = n->next)
        n->value++;
}
CASE longs_all(void)
{
    for (int i = 0; i < number(4); i++)
        longs[i] += longs[3 - i] * 3;
}
CASE small_all(void)
{
    for (int i = 0; i < number(5); i++)
        small[i] = (char)(i * 2);
}
CASE memory_functions(void)
{
    memset(numbers, 0, sizeof numbers);
    memcpy(before, behind, sizeof before);
    memmove(text + 1, text, 11);
    sink = memcmp(before, behind, sizeof before);
}
CASE strings(void)
{
    strcpy(text, "eleven char");
    sink = (int)strlen(text) + strcmp(text, "other");
}
CASE pool_of_blocks(void)
{
    uint8_t *block = pool + number(20);
    for (int i = 0; i < number(40); i++)
        block[i] = (uint8_t)i;
}
CASE numbers_like_addresses(void)
{
    for (unsigned n = 0x1100; n < 0x1130; n += 2)
        sink += squares[(n + (unsigned)number(0)) & 7];
}
CASE constant_sum(void)
{
    int index = number(0x1102);
    sink = numbers[(index - 0x1100) & 7];
}
CASE two_dimensions(void)
{
    static int grid[4][5];
    for (int i = 0; i < number(4); i++)
        for (int k = 0; k < number(5); k++)
            grid[i][k] = i * k;
    sink = grid[number(3)][number(4)];
}
CASE aligned(void)
{
    uintptr_t p = (uintptr_t)(pool + number(3));
    *(int *)((p + 1) & ~1u) = 9;
}
CASE masked_pointer(void)
{
    uintptr_t p = (uintptr_t)numbers | 1u;
    *(int *)(p & ~(uintptr_t)1) = 1;
}
CASE exchanged(void)
{
    swap(&numbers[number(0)], &numbers[number(9)]);
}

/* ---- local variables ---- */

CASE local_all(void)
{
    int a[8];
    for (int i = 0; i < number(8); i++)
        a[i] = i;
    sink = sum(a, 8);
}
CASE local_two(void)
{
    char a[10], b[10];
    fill(a, 10);
    fill(b, 10);
    sink = a[number(9)] + b[number(0)];
}
CASE local_backwards(void)
{
    int a[9];
    for (int i = number(8); i >= 0; i--)
        a[i] = i;
    sink = sum_back(a + 9, 9);
}
CASE local_one_less(void)
{
    int a[6], b[6];
    for (int i = 1; i <= number(6); i++) {
        a[i - 1] = i;
        b[i - 1] = a[i - 1];
    }
    sink = sum(a, 6) + sum(b, 6);
}
CASE local_small(void)
{
    char a[2], b[2], c[3];
    fill(a, 2);
    fill(b, 2);
    fill(c, 3);
    sink = a[number(1)] + b[number(1)] + c[number(2)];
}
CASE local_pairs(void)
{
    int a = number(1), b = number(2);
    swap(&a, &b);
    sink = a - b;
}
CASE local_structure(void)
{
    struct {
        int header;
        char body[12];
    } s, t;
    s.header = 1;
    fill(s.body, 12);
    t = s;
    sink = t.body[number(11)] + t.header;
}
CASE local_blocks(void)
{
    if (number(1)) {
        int a[8];
        memset(a, 1, sizeof a);
        sink = sum(a, 8);
    }
    if (number(1)) {
        int b[8];
        memset(b, 2, sizeof b);
        sink = sum(b, 8);
    }
}
__attribute__((noinline)) static void three_arguments(int a, long b, long c, long d, int *out)
{
    *out = a + (int)b + (int)c + (int)d;
}
CASE arguments_on_the_stack(void)
{
    int result;
    three_arguments(number(1), number(2), number(3), number(4), &result);
    sink = result;
}
struct large {
    int a[10];
};
__attribute__((noinline)) static struct large make_large(int n)
{
    struct large l;
    for (int i = 0; i < 10; i++)
        l.a[i] = n + i;
    return l;
}
CASE structure_returned(void)
{
    struct large l = make_large(number(4));
    sink = l.a[number(9)];
}
__attribute__((noinline)) static int sum_large(struct large l)
{
    return sum(l.a, 10);
}
CASE structure_passed(void)
{
    struct large l = make_large(number(4));
    sink = sum_large(l);
}
__attribute__((noinline)) static int variable_length(int n)
{
    char a[n];
    fill(a, n);
    return a[n - 1];
}
static inline __attribute__((always_inline)) int variable_length_inlined(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    look_at(a);
    return a[n - 1];
}
CASE variable_arrays_inlined(void)
{
    volatile int k = variable_length_inlined(number(4)) + variable_length_inlined(number(30));
    sink = k;
}
CASE variable_arrays(void)
{
    sink = variable_length(number(9)) + variable_length(number(20));
}
__attribute__((noinline)) static int recursive(int n)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = n;
    return n ? recursive(n - 1) + sum(a, 4) : a[number(3)];
}
CASE recursion(void)
{
    sink = recursive(number(20));
}
__attribute__((noinline)) static void into(int *out, int n)
{
    int mine[6];
    for (int i = 0; i < 6; i++)
        mine[i] = n;
    if (n)
        into(out, n - 1);
    out[n] = sum(mine, 6);
}
CASE caller_s_array(void)
{
    int a[8];
    into(a, number(7));
    sink = sum(a, 8);
}
CASE same_place_again(void)
{
    for (int i = 0; i < number(4); i++) {
        struct large l = make_large(i);
        cursor = l.a;
        sink += *cursor;
        sink += sum(cursor, 10);
    }
}

/* ---- the heap ---- */

CASE heap_all(void)
{
    char *p = malloc(10);
    fill(p, 10);
    sink = p[number(9)];
    free(p);
}
CASE heap_many(void)
{
    for (int i = 1; i < number(12); i++) {
        char *p = malloc((size_t)i);
        if (p)
            fill(p, i);
        free(p);
    }
}
CASE heap_grown(void)
{
    char *p = malloc(4);
    fill(p, 4);
    p = realloc(p, 20);
    fill(p + 4, 16);
    sink = p[number(3)] + p[number(19)];
    free(p);
}
CASE heap_shrunk(void)
{
    char *p = malloc(20);
    fill(p, 20);
    p = realloc(p, 6);
    sink = p[number(5)];
    free(p);
}
CASE heap_zeroed(void)
{
    int *p = calloc(6, 2);
    if (p[number(5)] == 0)
        sink = 1;
    free(p);
}
CASE heap_chain(void)
{
    struct node *first = 0;
    for (int i = 0; i < number(6); i++) {
        struct node *n = malloc(sizeof *n);
        n->next = first;
        n->value = i;
        first = n;
    }
    while (first) {
        struct node *n = first;
        first = n->next;
        sink += n->value;
        free(n);
    }
}
CASE heap_reused(void)
{
    int *p = malloc(8);
    p[0] = 1;
    free(p);
    p = malloc(8);
    p[0] = 2;
    sink = p[number(0)];
    free(p);
}
CASE heap_nothing(void)
{
    free(0);
    void *p = realloc(0, 5);
    fill(p, 5);
    free(p);
}
CASE heap_table(void)
{
    int *rows[3];
    for (int i = 0; i < number(3); i++) {
        rows[i] = calloc(4, 2);
        rows[i][3] = i;
    }
    for (int i = 0; i < number(3); i++) {
        sink += rows[i][number(3)];
        free(rows[i]);
    }
}
CASE heap_full(void)
{
    void *p[8];
    for (int i = 0; i < 8; i++)
        p[i] = malloc(200);
    for (int i = 0; i < 8; i++)
        free(p[i]);
}

/* ---- values ---- */

CASE padding_copied(void)
{
    struct {
        char c;
        int i;
    } a, b;
    a.c = (char)number(1);
    a.i = number(2);
    look_at(&a);
    b = a;
    look_at(&b);
    if (b.c == 1 && b.i == 2)
        sink = 1;
}
CASE bits_set_one_by_one(void)
{
    struct {
        unsigned a : 3, b : 5, c : 8;
    } s;
    look_at(&s);
    s.a = (unsigned)number(3) & 7;
    s.b = (unsigned)number(4) & 31;
    look_at(&s);
    if (s.a == 3 && s.b == 4)
        sink = 1;
}
CASE partly_used(void)
{
    int a[6];
    a[0] = number(1);
    a[1] = number(2);
    look_at(a);
    if (a[number(0)] + a[number(1)] == 3)
        sink = 1;
}
CASE copied_unset(void)
{
    int a[6], b[6];
    look_at(a);
    memcpy(b, a, sizeof b);
    b[0] = number(1);
    look_at(b);
    if (b[number(0)])
        sink = 1;
}
CASE masked_unset(void)
{
    uint8_t a[4];
    look_at(a);
    a[1] &= 0xf0;
    a[1] &= 0x0f;
    look_at(a);
    if (a[number(1)])
        sink = 1;
}
CASE unset_but_not_used(void)
{
    int a[4];
    look_at(a);
    int x = a[number(1)];
    sink = 0;
    look_at(&x);
}
CASE set_by_callee(void)
{
    int a, b;
    swap(&numbers[0], &numbers[1]);
    a = number(3);
    b = number(4);
    swap(&a, &b);
    if (a == 4)
        sink = b;
}
CASE set_in_loop(void)
{
    long a[4];
    for (int i = 0; i < number(4); i++)
        a[i] = (long)i * 70000;
    look_at(a);
    if (a[number(3)] > a[number(2)])
        sink = 1;
}
CASE formatted(void)
{
    char line[24];
    int n = 0, v = number(1234);
    while (v) {
        line[n++] = (char)('0' + v % 10);
        v /= 10;
    }
    line[n] = 0;
    sink = (int)strlen(line);
}

/* ---- control ---- */

static jmp_buf place;

__attribute__((noinline)) static void jump_out(int n)
{
    int a[5];
    memset(a, n, sizeof a);
    look_at(a);
    if (n)
        jump_out(n - 1);
    longjmp(place, 1);
}
CASE long_jump(void)
{
    int a[5];
    for (int i = 0; i < 5; i++)
        a[i] = i;
    look_at(a);
    if (!setjmp(place))
        jump_out(number(4));
    sink = sum(a, 5);
}
static void one(void)
{
    sink = 1;
}
static void two(void)
{
    sink = 2;
}
static void (*const actions[])(void) = { one, two, one, two, one };
CASE function_table(void)
{
    for (int i = 0; i < number(5); i++)
        actions[i]();
}
CASE switch_table(void)
{
    for (int i = 0; i < number(9); i++)
        switch (i) {
        case 0:
            sink = 4;
            break;
        case 1:
            sink = 9;
            break;
        case 2:
            sink = 2;
            break;
        case 3:
            sink = 7;
            break;
        case 4:
            sink = 1;
            break;
        case 5:
            sink = 8;
            break;
        default:
            sink = 0;
        }
}
static volatile int ticks;
KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = ticks;
    ticks = sum(a, 4) / 4 + 1;
}
CASE interrupts(void)
{
    int a[10];
    TACCR0 = 300;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    while (ticks < 20) {
        for (int i = 0; i < 10; i++)
            a[i] = ticks;
        sink = sum(a, 10);
    }
    kit_disable_interrupts();
}
CASE asleep(void)
{
    ticks = 0;
    TACCR0 = 3000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    for (int i = 0; i < 3; i++)
        kit_sleep(GIE);
    while (ticks < 3)
        sink++;
    kit_disable_interrupts();
}
CASE dma(void)
{
    int a[8];
    look_at(a);
    DMACTL0 = 0;
    DMA0SA = (uintptr_t)squares;
    DMA0DA = (uintptr_t)a;
    DMA0SZ = 8;
    DMA0CTL = DMADT_1 | DMASRCINCR_3 | DMADSTINCR_3 | DMAEN | DMAREQ;
    look_at(a);
    if (a[number(3)] == 9)
        sink = 1;
}
CASE multiplier(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = i * number(300);
    look_at(a);
    sink = a[number(3)] * a[number(2)];
}
CASE deep_enough(void)
{
    sink = recursive(number(60));
}
static int other_stack[60];
uintptr_t kept_sp;
__attribute__((noinline)) static void on_other_stack(void)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = i;
    sink = sum(a, 8);
}
CASE another_stack(void)
{
    int a[6];
    for (int i = 0; i < 6; i++)
        a[i] = i;
    look_at(a);
    __asm__ volatile("mov r1, &kept_sp\n\tmov %0, r1\n\tcall %1\n\tmov &kept_sp, r1" ::"r"(other_stack + 60),
                     "r"(on_other_stack)
                     : "memory", "r11", "r12", "r13", "r14", "r15");
    sink = sum(a, 6);
}

const struct program programs[] = {
    { all_written, 0, "" },
    { all_read, 0, "" },
    { from_the_end, 0, "" },
    { one_less, 0, "" },
    { one_more, 0, "" },
    { backwards, 0, "" },
    { end_pointer, 0, "" },
    { end_pointer_back, 0, "" },
    { difference, 0, "" },
    { between_objects, 0, "" },
    { bytes_of_words, 0, "" },
    { words_of_bytes, 0, "" },
    { unions, 0, "" },
    { structures, 0, "" },
    { list, 0, "" },
    { longs_all, 0, "" },
    { small_all, 0, "" },
    { memory_functions, 0, "" },
    { strings, 0, "" },
    { pool_of_blocks, 0, "" },
    { numbers_like_addresses, 0, "" },
    { constant_sum, 0, "" },
    { two_dimensions, 0, "" },
    { aligned, 0, "" },
    { masked_pointer, 0, "" },
    { exchanged, 0, "" },
    { local_all, 0, "" },
    { local_two, 0, "" },
    { local_backwards, 0, "" },
    { local_one_less, 0, "" },
    { local_small, 0, "" },
    { local_pairs, 0, "" },
    { local_structure, 0, "" },
    { local_blocks, 0, "" },
    { arguments_on_the_stack, 0, "" },
    { structure_returned, 0, "" },
    { structure_passed, 0, "" },
    { variable_arrays, 0, "" },
    { variable_arrays_inlined, 0, "" },
    { recursion, 0, "" },
    { caller_s_array, 0, "" },
    { same_place_again, 0, "" },
    { heap_all, 0, "" },
    { heap_many, 0, "" },
    { heap_grown, 0, "" },
    { heap_shrunk, 0, "" },
    { heap_zeroed, 0, "" },
    { heap_chain, 0, "" },
    { heap_reused, 0, "" },
    { heap_nothing, 0, "" },
    { heap_table, 0, "" },
    { heap_full, 0, "" },
    { padding_copied, 0, "" },
    { bits_set_one_by_one, 0, "" },
    { partly_used, 0, "" },
    { copied_unset, 0, "" },
    { masked_unset, 0, "" },
    { unset_but_not_used, 0, "" },
    { set_by_callee, 0, "" },
    { set_in_loop, 0, "" },
    { formatted, 0, "" },
    { long_jump, 0, "" },
    { function_table, 0, "" },
    { switch_table, 0, "" },
    { interrupts, 0, "" },
    { asleep, 0, "" },
    { dma, 0, "" },
    { multiplier, 0, "" },
    { deep_enough, 0, "" },
    { another_stack, 0, "" },
};

int main(void)
{
    if (chosen < sizeof programs / sizeof *programs)
        programs[chosen].run();
    return 0;
}
