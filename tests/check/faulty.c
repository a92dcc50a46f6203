/* Sixty programs, each with one memory error, in the line that is marked (or called from it). */
#include "cases.h"

volatile uint16_t chosen = 0xffff;

/* ---- variables of the program ---- */

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
static void (*handlers[6])(void);

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

__attribute__((noinline)) static void copy_text(char *to, const char *from)
{
    while ((*to++ = *from++)) /* ! */
        ;
}

CASE global_write(void)
{
    numbers[number(10)] = 1; /* ! */
}
CASE global_read(void)
{
    sink = numbers[number(11)]; /* ! */
}
CASE global_before(void)
{
    numbers[number(-1)] = 1; /* ! */
}
CASE global_static(void)
{
    behind[0] = before[0] = 1;
    look_at(behind);
    before[number(7)] = 3; /* ! */
    look_at(before);
}
CASE global_bytes(void)
{
    fill(text, 13); /* ! */
}
CASE global_small(void)
{
    small[number(5)] = 1; /* ! */
}
CASE global_longs(void)
{
    longs[number(4)] = 7; /* ! */
    look_at(longs);
}
CASE global_structures(void)
{
    points[number(5)].y = 2; /* ! */
}
CASE global_constant(void)
{
    sink = squares[number(9)]; /* ! */
}
CASE global_by_pointer(void)
{
    for (int *p = numbers; p <= numbers + number(10); p++)
        *p = 1; /* ! */
}
CASE global_sum(void)
{
    sink = sum(numbers, 12); /* ! */
}
CASE global_memset(void)
{
    memset(numbers, 0, (size_t)number(22)); /* ! */
}
CASE global_memcpy(void)
{
    memcpy(text, "0123456789abcdef", (size_t)number(16)); /* ! */
}
CASE global_strcpy(void)
{
    strcpy(text, "much too long for it"); /* ! */
}
CASE global_kept_pointer(void)
{
    cursor = numbers;
    for (int i = 0; i < number(11); i++)
        *cursor++ = i; /* ! */
}
CASE global_member(void)
{
    struct point *p = &points[number(0)];
    p += number(6);
    p->x = 1; /* ! */
}
CASE global_handlers(void)
{
    handlers[number(6)] = 0; /* ! */
    look_at(handlers);
}

/* ---- local variables ---- */

CASE local_write(void)
{
    int a[8];
    a[number(8)] = 1; /* ! */
    look_at(a);
}
CASE local_read(void)
{
    int a[8] = { 0 };
    look_at(a);
    sink = a[number(9)]; /* ! */
}
CASE local_filled(void)
{
    char a[10], b[10];
    fill(a, 10);
    fill(b, 11); /* ! */
    look_at(a);
}
CASE local_neighbour(void)
{
    char first[16], second[16];
    fill(first, 17); /* ! */
    fill(second, 16);
    look_at(first);
    look_at(second);
}
CASE local_sum(void)
{
    int a[12];
    memset(a, 0, sizeof a);
    sink = sum(a, 13); /* ! */
}
CASE local_text(void)
{
    char name[9];
    copy_text(name, "elevenchars");
    look_at(name);
}
CASE local_structure(void)
{
    struct {
        int header;
        char body[12];
    } s;
    fill(s.body, 14); /* ! */
    look_at(&s);
}
CASE local_long(void)
{
    long a[5];
    a[number(5)] = 1; /* ! */
    look_at(a);
}
CASE local_loop(void)
{
    int a[9];
    for (int i = 0; i <= number(9); i++)
        a[i] = i; /* ! */
    look_at(a);
}
CASE local_small(void)
{
    char a[4];
    fill(a, 6); /* ! */
    look_at(a);
}
CASE local_before(void)
{
    char a[12];
    char *p = a + number(0);
    *p = 1;
    p[number(-3)] = 1; /* ! */
    look_at(a);
}
CASE local_of_caller_inner(int *a)
{
    a[number(10)] = 1; /* ! */
}
CASE local_of_caller(void)
{
    int a[10];
    a[0] = 1;
    local_of_caller_inner(a);
    look_at(a);
}

/* ---- return addresses ---- */

CASE return_address(void)
{
    char a[2];
    fill(a, 16); /* ! */
    look_at(a);
}
CASE return_of_caller_inner(int **p)
{
    (*p)[number(6)] = number(0x4444); /* ! */
}
CASE return_of_caller(void)
{
    int a[6];
    int *p = a;
    a[0] = 0;
    return_of_caller_inner(&p);
    look_at(a);
}

/* ---- the heap ---- */

CASE heap_write(void)
{
    char *p = malloc(10);
    p[number(10)] = 1; /* ! */
    look_at(p);
}
CASE heap_read(void)
{
    int *p = calloc(5, 2);
    sink = p[number(5)]; /* ! */
}
CASE heap_before(void)
{
    int *p = malloc(8);
    p[number(-1)] = 1; /* ! */
    look_at(p);
}
CASE heap_far(void)
{
    char *a = malloc(20), *b = malloc(20);
    a[number(28)] = 1; /* ! */
    look_at(a);
    look_at(b);
}
CASE heap_filled(void)
{
    char *p = malloc(7);
    fill(p, 8); /* ! */
}
CASE heap_list(void)
{
    struct node {
        struct node *next;
        int value[3];
    } *n = malloc(sizeof *n - 2);
    n->next = 0;
    n->value[2] = 1; /* ! */
    look_at(n);
}
CASE heap_kept(void)
{
    cursor = malloc(6);
    for (int i = 0; i < number(4); i++)
        cursor[i] = i; /* ! */
}
CASE heap_shrunk(void)
{
    char *p = malloc(20);
    p = realloc(p, 8);
    p[number(9)] = 1; /* ! */
    look_at(p);
}
CASE freed_write(void)
{
    char *p = malloc(10);
    free(p);
    p[number(2)] = 1; /* ! */
}
CASE freed_read(void)
{
    int *p = calloc(4, 2);
    look_at(p);
    free(p);
    sink = p[number(1)]; /* ! */
}
CASE freed_reused(void)
{
    int *p = malloc(8);
    p[0] = 1;
    free(p);
    int *q = malloc(8);
    q[0] = 2;
    p[number(0)] = 3; /* ! */
    look_at(q);
}
CASE freed_kept(void)
{
    cursor = malloc(6);
    *cursor = 1;
    free(cursor);
    sink = *cursor; /* ! */
}
CASE freed_moved(void)
{
    char *p = malloc(8), *wall = malloc(8), *q = realloc(p, 60);
    q[0] = 1;
    p[number(1)] = 1; /* ! */
    look_at(wall);
}
CASE freed_twice(void)
{
    void *volatile p = malloc(8);
    free(p);
    free(p); /* ! */
}
CASE freed_inside(void)
{
    char *p = malloc(8);
    look_at(p);
    free(p + number(2)); /* ! */
}
CASE freed_global(void)
{
    free(numbers + number(0)); /* ! */
}

/* ---- values that nobody set ---- */

CASE unset_branch(void)
{
    int a[4];
    look_at(a);
    if (a[number(2)] == 3) /* ! */
        sink = 1;
}
CASE unset_heap(void)
{
    int *p = malloc(8);
    if (p[number(1)] > 4) /* ! */
        sink = 1;
}
CASE unset_partly(void)
{
    char a[8];
    fill(a, 7);
    if (a[number(7)]) /* ! */
        sink = 1;
}
CASE unset_sum(void)
{
    int a[4];
    a[0] = a[1] = a[2] = 1;
    look_at(a);
    if (sum(a, 4) == 3) /* ! */
        sink = 1;
}
CASE unset_index(void)
{
    int a[3];
    look_at(a);
    sink = numbers[a[number(1)] & 7]; /* ! */
}
CASE unset_pointer(void)
{
    int *p[3];
    look_at(p);
    sink = *p[number(2)]; /* ! */
}
CASE unset_port(void)
{
    char a[4];
    look_at(a);
    P5OUT = (uint8_t)a[number(1)]; /* ! */
}
CASE unset_copied(void)
{
    struct point a, b;
    a.x = number(1);
    look_at(&a);
    b = a;
    look_at(&b);
    if (b.y) /* ! */
        sink = 1;
}
CASE unset_realloc(void)
{
    char *p = calloc(4, 1);
    p = realloc(p, 8);
    if (p[number(6)]) /* ! */
        sink = 1;
}
CASE unset_call(void)
{
    void (*f[2])(void);
    look_at(f);
    if (number(0))
        f[0] = 0;
    f[number(0)](); /* ! */
}

/* ---- use after return ---- */

__attribute__((noinline)) static int *local_address(int n)
{
    int a[6];
    for (int i = 0; i < 6; i++)
        a[i] = n;
    int *volatile p = a;
    look_at(a);
    return p;
}
CASE returned_read(void)
{
    int *p = local_address(3);
    sink = p[number(2)]; /* ! */
}
CASE returned_write(void)
{
    int *p = local_address(3);
    p[number(2)] = 1; /* ! */
}
CASE returned_kept(void)
{
    cursor = local_address(1);
    sink = *cursor; /* ! */
}
CASE returned_reused_inner(void)
{
    int mine[12];
    for (int i = 0; i < 12; i++)
        mine[i] = i;
    look_at(mine);
    *cursor = 99; /* ! */
    look_at(mine);
}
CASE returned_reused(void)
{
    cursor = local_address(5);
    returned_reused_inner();
}

/* ---- the stack ---- */

__attribute__((noinline)) static int deeper(int n)
{
    volatile char room[60];
    room[n % 60] = 1;
    return n ? deeper(n - 1) + room[0] : 0; /* ! */
}
CASE stack_recursion(void)
{
    sink = deeper(number(200)); /* ! */
}
CASE stack_large(void)
{ /* ! */
    volatile char room[9900];
    room[number(0)] = 1; /* ! */
    sink = room[number(9)] + deeper(number(2));
}

const struct program programs[] = {
    { global_write, BOUNDS, "numbers" },
    { global_read, BOUNDS, "numbers" },
    { global_before, BOUNDS, "numbers" },
    { global_static, BOUNDS, "before" },
    { global_bytes, BOUNDS, "text" },
    { global_small, BOUNDS, "small" },
    { global_longs, BOUNDS, "longs" },
    { global_structures, BOUNDS, "points" },
    { global_constant, BOUNDS, "squares" },
    { global_by_pointer, BOUNDS, "numbers" },
    { global_sum, BOUNDS, "numbers" },
    { global_memset, BOUNDS, "numbers" },
    { global_memcpy, BOUNDS, "text" },
    { global_strcpy, BOUNDS, "text" },
    { global_kept_pointer, BOUNDS, "numbers" },
    { global_member, BOUNDS, "points" },
    { global_handlers, BOUNDS, "handlers" },
    { local_write, BOUNDS, "a in" },
    { local_read, BOUNDS, "a in" },
    { local_filled, BOUNDS, "b in" },
    { local_neighbour, BOUNDS, "first in" },
    { local_sum, BOUNDS, "a in" },
    { local_text, BOUNDS, "name in" },
    { local_structure, BOUNDS, "s in" },
    { local_long, BOUNDS, "a in" },
    { local_loop, BOUNDS, "a in" },
    { local_small, BOUNDS, "a in" },
    { local_before, BOUNDS, "a in" },
    { local_of_caller, BOUNDS, "a in" },
    { return_address, RETURN, "" },
    { return_of_caller, BOUNDS, "a in" },
    { heap_write, BOUNDS, "a block" },
    { heap_read, BOUNDS, "a block" },
    { heap_before, BOUNDS, "a block" },
    { heap_far, BOUNDS, "a block" },
    { heap_filled, BOUNDS, "a block" },
    { heap_list, BOUNDS, "a block" },
    { heap_kept, BOUNDS, "a block" },
    { heap_shrunk, BOUNDS, "a block" },
    { freed_write, FREED, "a block" },
    { freed_read, FREED, "a block" },
    { freed_reused, FREED, "a block" },
    { freed_kept, FREED, "a block" },
    { freed_moved, FREED, "a block" },
    { freed_twice, FREE, "a freed" },
    { freed_inside, FREE, "a block" },
    { freed_global, FREE, "numbers" },
    { unset_branch, UNSET, "" },
    { unset_heap, UNSET, "" },
    { unset_partly, UNSET, "" },
    { unset_sum, UNSET, "" },
    { unset_index, UNSET, "" },
    { unset_pointer, UNSET, "" },
    { unset_port, UNSET, "" },
    { unset_copied, UNSET, "" },
    { unset_realloc, UNSET, "" },
    { unset_call, UNSET, "" },
    { returned_read, RETURNED, "a in" },
    { returned_write, RETURNED, "a in" },
    { returned_kept, RETURNED, "a in" },
    { returned_reused, RETURNED, "" },
    { stack_recursion, STACK, "the stack" },
    { stack_large, STACK, "the stack" },
};

int main(void)
{
    if (chosen < sizeof programs / sizeof *programs)
        programs[chosen].run();
    return 0;
}
