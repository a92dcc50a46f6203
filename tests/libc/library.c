/* The kit's C library beside the host's: calls with random arguments, the same on a node and, compiled with -DHOST, on
 * the host. What it prints must be the same. */
#define _GNU_SOURCE /* the host's stpcpy and strnlen */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many cases, of each 100. */
#ifndef PERCENT
#define PERCENT 100
#endif

#ifdef HOST
static void say(const char *text)
{
    fputs(text, stdout);
}
#else
#include <kit.h>
#define say kit_put
#endif

/* A recorded node gets interrupts all the time: each is replayed within whatever it met. */
#ifdef __HINDCAST__
#include <hindcast.h>

static volatile uint16_t ticks;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    TACCR0 += 6000 + (ticks & 63) * 37;
}

static void start_ticks(void)
{
    TACCR0 = 1000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_2;
    kit_enable_interrupts();
}
#else
#define hc_update()
#define start_ticks()
#endif

/* ---- support ---- */

static uint32_t seed = 2463534242u;

/* Asked for everywhere: a good place for the recorder to work. */
static uint16_t next_random(void)
{
    hc_update();
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (uint16_t)seed;
}

static uint16_t below(uint16_t limit)
{
    return next_random() % limit;
}

static void say_number(int32_t value)
{
    char text[12], *at = text + sizeof text;
    uint32_t rest = value < 0 ? -(uint32_t)value : (uint32_t)value;

    *--at = 0;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--at = '-';
    say(" ");
    say(at);
}

static void say_hash(const void *block, size_t n)
{
    uint16_t hash = 1;
    for (const uint8_t *b = block; n--; b++)
        hash = (uint16_t)((hash << 5 | hash >> 11) ^ *b);
    say_number(hash);
}

static int32_t sign_of(int n)
{
    return n < 0 ? -1 : n > 0;
}

/* ---- printf ---- */

enum { BITS16, BITS32, BITS64 };

/* How the node writes a length, and how the host does for a number of the same size. */
static const struct {
    const char *node, *host;
    uint8_t bits;
} lengths[] = {
    { "", "h", BITS16 }, { "", "h", BITS16 },    { "h", "h", BITS16 },  { "hh", "hh", BITS16 }, { "l", "", BITS32 },
    { "l", "", BITS32 }, { "ll", "ll", BITS64 }, { "j", "ll", BITS64 }, { "z", "h", BITS16 },   { "t", "h", BITS16 },
};

static uint64_t interesting_number(void)
{
    static const uint8_t widths[] = { 0, 1, 4, 8, 15, 16, 31, 32, 63, 64 };
    uint64_t bits = next_random();
    for (uint8_t i = 0; i < 3; i++)
        bits = bits << 16 | next_random();
    uint8_t width = widths[below(sizeof widths)];
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    switch (below(4)) {
    case 0:
        return mask;
    case 1:
        return mask + 1;
    case 2:
        return -(bits & mask);
    default:
        return bits & mask;
    }
}

/* "%-+05.3" without length and conversion; widths and precisions that are * are left to the arguments. */
static char *random_spec(char *at, uint8_t *stars)
{
    *stars = 0;
    *at++ = '%';
    for (uint16_t n = below(4); n; n--)
        *at++ = "-+ #0"[below(5)];
    switch (below(3)) {
    case 0:
        break;
    case 1:
        *at++ = (char)('1' + below(9));
        if (below(2))
            *at++ = (char)('0' + below(3));
        break;
    default:
        *at++ = '*', *stars |= 1;
    }
    switch (below(4)) {
    case 0:
    case 1:
        break;
    case 2:
        *at++ = '.';
        if (below(4))
            *at++ = (char)('0' + below(10));
        break;
    default:
        *at++ = '.', *at++ = '*', *stars |= 2;
    }
    return at;
}

static int call(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return count;
}

#define CALL(value)                                                 \
    (stars == 3   ? call(to, size, format, width, precision, value) \
     : stars == 2 ? call(to, size, format, precision, value)        \
     : stars == 1 ? call(to, size, format, width, value)            \
                  : call(to, size, format, value))

static int format_number(char *to, size_t size, char *format, char *at, uint8_t stars, int width, int precision)
{
    static const char kinds[] = "diuxXo";
    uint8_t length = (uint8_t)below(sizeof lengths / sizeof *lengths);
    uint64_t value = interesting_number();
    char kind = kinds[below(sizeof kinds - 1)];

#ifdef HOST
    strcpy(at, lengths[length].host);
#else
    strcpy(at, lengths[length].node);
#endif
    at += strlen(at);
    *at++ = kind;
    strcpy(at, "|");
    if (lengths[length].bits == BITS64)
        return CALL(value);
    if (lengths[length].bits == BITS32)
        return CALL((uint32_t)value);
    return CALL((uint16_t)value);
}

static int format_text(char *to, size_t size, char *format, char *at, uint8_t stars, int width, int precision)
{
    static const char *const texts[] = { "", "a", "flight recorder", "%d", "0123456789abcdef" };
    switch (below(3)) {
    case 0:
        strcpy(at, "c!");
        return CALL((int)('a' + below(26)));
    default:
        strcpy(at, "s!");
        return CALL(texts[below(5)]);
    }
}

static void test_formats(void)
{
    char format[40], to[48];

    for (uint16_t i = 0; i < PERCENT * 15; i++) {
        uint8_t stars;
        char *at = random_spec(format, &stars);
        int width = (int)below(25) - 8, precision = (int)below(16) - 3;
        size_t size = below(4) ? sizeof to : below(12);
        memset(to, '#', sizeof to);
        int count = below(5) ? format_number(to, size, format, at, stars, width, precision)
                             : format_text(to, size, format, at, stars, width, precision);
        say("f");
        say_number(count);
        say_hash(to, sizeof to);
        to[sizeof to - 1] = 0;
        say(" ");
        say(to);
        say("\n");
    }
}

/* What is fixed: several conversions in one format, %%, %p, what is not a conversion, no room at all. */
static void test_fixed_formats(void)
{
    char to[80];
    const char *volatile nothing = NULL;
    const char *volatile format;

    say_number(sprintf(to, "%d%%%s%c%5.1s|%-4d|%04x", -7, "abc", 'x', "yz", 12, 0xbeu));
    say(to);
    say_number(snprintf(NULL, 0, "%s %s", "seven", "letters"));
    say_number(snprintf(to, 1, "abc"));
    say(to);
    say_number(snprintf(to, sizeof to, "%s|%.3s|%10s", nothing, nothing, nothing));
    say(to);
    say_number(snprintf(to, sizeof to, "%" PRId8 "%" PRIu16 "%" PRIx32 "%" PRIo64, INT8_MIN, UINT16_MAX, UINT32_MAX,
                        UINT64_MAX));
    say(to);
    format = "%p|%#x";
    say_number(snprintf(to, sizeof to, format, (void *)0x1f4, 0));
    say(to);
    say("\n");
#ifndef HOST
    /* Without floats: what is behind them comes out right. */
    format = "%f|%5.2e|%d";
    snprintf(to, sizeof to, format, 3.5, 1e10, 77);
    say(to);
    say("\n");
    format = "%y|%d|%";
    snprintf(to, sizeof to, format, 78);
    say(to);
    say("\n");
#else
    say("(float)|(float)|77\n%y|78|%\n");
#endif
}

/* ---- numbers in text ---- */

#ifdef HOST
/* As they are with a long of 32 bits. */
static long strtol32(const char *text, char **end, int base)
{
    long value = strtol(text, end, base);
    if (value > INT32_MAX || value < INT32_MIN) {
        errno = ERANGE;
        value = value < 0 ? INT32_MIN : INT32_MAX;
    }
    return value;
}

static unsigned long strtoul32(const char *text, char **end, int base)
{
    unsigned long value = strtoul(text, end, base);
    int negative = text[strspn(text, " \t\n")] == '-';
    unsigned long size = negative ? -value : value;
    if (errno == ERANGE || size > UINT32_MAX) {
        errno = ERANGE;
        return UINT32_MAX;
    }
    return (uint32_t)value;
}
#define strtol strtol32
#define strtoul strtoul32
#endif

static void random_number_text(char *at)
{
    static const char *const pieces[] = { " ",          "\t",         "\n",         "-",           "+",
                                          "0x",         "0X",         "0",          "2147483647",  "2147483648",
                                          "4294967295", "4294967296", "2147483649", "7fffffff",    "80000000",
                                          "ffffffff",   "FFFFFFFF0",  "zz",         "g",           "9",
                                          "A",          "1",          "7",          "99999999999", "10" };
    *at = 0;
    for (uint16_t n = below(5); n; n--)
        strcat(at, pieces[below(sizeof pieces / sizeof *pieces)]);
}

static void test_numbers(void)
{
    static const int8_t bases[] = { 0, 0, 10, 10, 16, 16, 8, 2, 36, 35, 3, 1, 37, -1 };
    char text[64];

    for (uint16_t i = 0; i < PERCENT * 15; i++) {
        char *end = text;
        random_number_text(text);
        int base = bases[below(sizeof bases)];
        errno = 0;
        say("n");
        if (below(2))
            say_number((int32_t)strtol(text, &end, base));
        else
            say_number((int32_t)strtoul(text, &end, base));
        say_number((int32_t)(end - text));
        say_number(errno == ERANGE ? 1 : errno == EINVAL ? 2 : errno);
        say_number((int16_t)atoi("  -123x"));
        say("\n");
    }
    say_number((int32_t)atol("1234567890"));
    say_number((int32_t)strtol("0x", NULL, 16));
    say("\n");
}

/* ---- strings and blocks ---- */

enum { ROOM = 32 };

struct blocks {
    char a[ROOM], b[ROOM];
};

/* Few letters, so that things are found; both end with a zero. */
static void fill(struct blocks *x)
{
    for (uint8_t i = 0; i < 2 * ROOM; i++)
        ((char *)x)[i] = "abc\xe4\0"[below(below(2) ? 4 : 5)];
    x->a[ROOM - 1] = x->b[ROOM - 1] = 0;
}

static void say_place(const struct blocks *x, const void *place)
{
    say_number(place ? (int32_t)((const char *)place - (const char *)x) : -1);
}

static void one_string(struct blocks *x, uint8_t function)
{
    char *a = x->a + below(6), *b = x->b + below(6), *rest;
    uint16_t n = below(12);
    int c = "abc\xe4\0"[below(5)];

    switch (function) {
    case 0:
        say_place(x, memcpy(a, b, n));
        break;
    case 1:
        say_place(x, memmove(a, a - (a - x->a) + below(6), n));
        break;
    case 2:
        say_place(x, memset(a, c + 256, n));
        break;
    case 3:
        say_number(sign_of(memcmp(a, b, n)));
        break;
    case 4:
        say_place(x, memchr(a, c + 256, n));
        break;
    case 5:
        say_number((int32_t)strlen(a));
        break;
    case 6:
        say_number((int32_t)strnlen(a, n));
        break;
    case 7:
        b[9] = 0;
        say_place(x, strcpy(a, b));
        break;
    case 8:
        say_place(x, strncpy(a, b, n));
        break;
    case 21:
        b[9] = 0;
        say_place(x, stpcpy(a, b));
        break;
    case 9:
        a[9] = b[9] = 0;
        say_place(x, strcat(a, b));
        break;
    case 10:
        a[9] = 0;
        say_place(x, strncat(a, b, n));
        break;
    case 11:
        say_number(sign_of(strcmp(a, b)));
        break;
    case 12:
        say_number(sign_of(strncmp(a, b, n)));
        break;
    case 13:
        say_place(x, strchr(a, c));
        break;
    case 14:
        say_place(x, strrchr(a, c));
        break;
    case 15:
        b[2] = 0;
        say_number((int32_t)strspn(a, b));
        break;
    case 16:
        b[2] = 0;
        say_number((int32_t)strcspn(a, b));
        break;
    case 17:
        b[1] = 0;
        say_place(x, strpbrk(a, b));
        break;
    case 18:
        b[below(4)] = 0;
        say_place(x, strstr(a, b));
        break;
    case 19:
        b[2] = 0;
        say_place(x, strtok_r(a, b, &rest));
        for (uint8_t i = 0; i < 3; i++)
            say_place(x, strtok_r(NULL, b, &rest));
        break;
    default:
        b[1] = 0;
        say_place(x, strtok(a, b));
        say_place(x, strtok(NULL, b));
        say_place(x, strtok(NULL, b));
    }
}

static void test_strings(void)
{
    struct blocks x;

    for (uint16_t i = 0; i < PERCENT * 30; i++) {
        fill(&x);
        /* strncat and strcat must find room */
        x.a[20] = 0;
        uint8_t function = (uint8_t)below(22);
        say("s");
        say_number(function);
        one_string(&x, function);
        say_hash(&x, sizeof x);
        say("\n");
    }
}

/* Every overlap and alignment of small blocks. */
static void test_moves(void)
{
    char block[24];

    for (uint8_t from = 0; from < 8; from++)
        for (uint8_t to = 0; to < 8; to++) {
            say("m");
            for (uint8_t n = 0; n < 9; n++) {
                for (uint8_t i = 0; i < sizeof block; i++)
                    block[i] = (char)('A' + i);
                say_number(memmove(block + to, block + from, n) == block + to);
                say_hash(block, sizeof block);
            }
            say("\n");
        }
}

/* ---- sorting ---- */

static size_t element_size;

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, element_size);
}

static int compare_numbers(const void *a, const void *b)
{
    int16_t p = *(const int16_t *)a, q = *(const int16_t *)b;
    return p < q ? -1 : p > q;
}

static void test_sorting(void)
{
    static uint8_t bytes[40 * 9 + 1];
    static int16_t numbers[100];

    for (uint16_t i = 0; i < PERCENT * 3; i++) {
        element_size = 1 + below(9);
        size_t count = below(41), offset = below(2);
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)below(below(2) ? 3 : 256);
        qsort(bytes + offset, count, element_size, compare_blocks);
        say("q");
        say_hash(bytes, sizeof bytes);
        say("\n");
    }
    for (uint16_t i = 0; i < PERCENT / 2; i++) {
        size_t count = below(101);
        for (size_t j = 0; j < count; j++)
            numbers[j] = (int16_t)next_random();
        qsort(numbers, count, sizeof *numbers, compare_numbers);
        int16_t key = count && below(2) ? numbers[below((uint16_t)count)] : (int16_t)next_random();
        const int16_t *found = bsearch(&key, numbers, count, sizeof *numbers, compare_numbers);
        say("b");
        say_hash(numbers, count * sizeof *numbers);
        say_number(found ? *found : -1);
        say_number(found != NULL);
        say("\n");
    }
}

/* ---- characters, arithmetic ---- */

static void test_characters(void)
{
    static int (*const kinds[])(int) = { isalnum, isalpha, isblank, iscntrl, isdigit, isgraph,
                                         islower, isprint, ispunct, isspace, isupper, isxdigit };
    for (int c = -1; c < 128; c++) {
        say("c");
        for (uint8_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            say(kinds[i](c) ? "1" : "0");
        say_number(toupper(c));
        say_number(tolower(c));
        say("\n");
    }
}

static void test_arithmetic(void)
{
    for (uint16_t i = 0; i < 100; i++) {
        int16_t n = (int16_t)next_random(), d = (int16_t)next_random();
        int32_t m = (int32_t)((uint32_t)n << 15) + d;
        d = d == 0 || d == -1 ? 1 : d;
        div_t q = div(n, d);
        ldiv_t l = ldiv(m, d);
        say("a");
        say_number(q.quot), say_number(q.rem), say_number((int32_t)l.quot), say_number((int32_t)l.rem);
        say_number(n == INT16_MIN ? 0 : abs(n)), say_number((int32_t)labs(m / 2));
        say("\n");
    }
}

/* C's own example of a generator, with RAND_MAX 32767: ours is that. */
static uint32_t example = 1;

static int example_rand(void)
{
    example = example * 1103515245 + 12345;
    return (int)(example / 65536 % 32768);
}

#ifdef HOST
#define rand example_rand
#define srand(n) (example = (n))
#endif

static void test_random(void)
{
    say("r");
    for (uint8_t i = 0; i < 20; i++)
        say_number(rand());
    srand(54321);
    for (uint8_t i = 0; i < 20; i++)
        say_number(rand());
    say("\n");
    (void)example_rand;
}

/* ---- the heap ---- */

enum { BLOCKS = 12 };

static struct {
    uint8_t *at;
    uint16_t size;
    uint8_t value;
} held[BLOCKS];

static const char *wrong;

static void check(uint8_t i, uint16_t size)
{
    for (uint16_t j = 0; j < size; j++)
        if (held[i].at[j] != held[i].value)
            wrong = "a block changed";
}

static void take(uint8_t i)
{
    uint16_t size = below(70), was = held[i].size;
    uint8_t *at = held[i].at;
    if (at && below(2)) {
        check(i, was);
        uint8_t *moved = realloc(at, size + 1);
        if (!moved)
            return;
        held[i].at = moved;
        held[i].size = size + 1;
        check(i, was < held[i].size ? was : held[i].size);
    } else if (at) {
        check(i, was);
        free(at);
        held[i].at = NULL;
        return;
    } else {
        held[i].at = below(2) ? malloc(size) : calloc(size / 3, 3);
        held[i].size = held[i].at ? size / 3 * 3 : 0;
    }
    if ((uintptr_t)held[i].at & 1)
        wrong = "a block at an odd address";
    held[i].value = (uint8_t)next_random();
    if (held[i].at)
        memset(held[i].at, held[i].value, held[i].size);
}

static void test_heap(void)
{
    for (uint16_t i = 0; i < 3000; i++)
        take((uint8_t)below(BLOCKS));
    for (uint8_t i = 0; i < BLOCKS; i++) {
        if (held[i].at)
            check(i, held[i].size);
        free(held[i].at);
    }
    free(NULL);
#ifndef HOST
    /* All of it is free again, as one block: 512 bytes and a header. */
    void *volatile more;
    if (!(held[0].at = malloc(510)) || (more = malloc(1), more))
        wrong = "the heap is not whole again";
    if (realloc(held[0].at, 511) || realloc(held[0].at, 10) != held[0].at || !(held[1].at = malloc(400)))
        wrong = "a block that shrinks keeps its room";
    /* A compiler that knows malloc need not call it for what nobody uses. */
    void *volatile given[] = { calloc(256, 256), calloc(32767, 2), malloc(65535), malloc(65534) };
    if (given[0] || given[1] || given[2] || given[3])
        wrong = "more than there is";
    free(held[0].at);
    free(held[1].at);
    if (!realloc(malloc(20), 500))
        wrong = "a block cannot grow in place";
#endif
    say(wrong ? wrong : "heap: fine");
    say("\n");
}

/* ---- setjmp ---- */

static jmp_buf here, outer;

static void deep(uint16_t n, int value)
{
    volatile uint16_t used[5] = { n, n, n, n, n };
    if (n == 0)
        longjmp(here, value);
    deep(n - 1, value);
    used[0]++;
}

static int jump(int value)
{
    /* Live over the call, in registers that it must restore. */
    uint16_t a = next_random(), b = next_random(), c = next_random(), d = next_random();
    int got = setjmp(here);
    if (got == 0)
        deep(below(20), value);
    say_number(a), say_number(b), say_number(c), say_number(d);
    return got;
}

static void test_jumps(void)
{
    static const int values[] = { 1, 0, -1, 1234, -32768 };
    volatile uint16_t rounds = 0;

    seed = 54321; /* how often the heap gave nothing has used up others on the host */
    for (uint8_t i = 0; i < 5; i++) {
        say("j");
        say_number(jump(values[i]));
        say("\n");
    }
    int got = setjmp(outer);
    say_number(got);
    if (++rounds < 5) {
        jump(2);
        longjmp(outer, (int)rounds + 10);
    }
    say("\n");
}

int main(void)
{
#ifndef HOST
    kit_uart_init(1000000, 115200);
    start_ticks();
#endif
    test_formats();
    test_fixed_formats();
    test_numbers();
    test_strings();
    test_moves();
    test_sorting();
    test_characters();
    test_arithmetic();
    test_random();
    test_heap();
    test_jumps();
    say("end\n");
#ifndef HOST
    kit_uart_drain();
#endif
    exit(0);
}
