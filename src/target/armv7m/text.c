/* Instrumented C for ARMv7-M. Registers are read by functions of the recorder, in C as well (runtime/port/armv7m), and
 * written as the program writes them. */
#include "armv7m.h"

/* What a function of C need not keep. */
#define SCRATCH "\"r2\",\"r3\",\"r12\",\"lr\",\"cc\",\"memory\""

static const char *type_of(int size)
{
    return size == 1 ? "unsigned char" : size == 2 ? "unsigned short" : "unsigned";
}

static void place(FILE *to, const struct hc_text_access *a)
{
    fprintf(to, "(*(volatile %s*)0x%xu)", type_of(a->size), a->address);
}

static void call(FILE *to, const char *function, bool gcc)
{
    (void)gcc;
    fprintf(to, "__asm__ __volatile__(\"bl %s\":::\"r0\",\"r1\"," SCRATCH ");", function);
}

static void tick(FILE *to, bool in_line, bool gcc)
{
    (void)in_line;
    call(to, "__hc_tick", gcc);
}

/* Every time: a byte that overflows is no shorter here. */
static void call_sometimes(FILE *to, const char *function, const char *counter, unsigned add, bool gcc)
{
    (void)counter;
    (void)add;
    call(to, function, gcc);
}

/* The CPU wakes by itself at the end of each handler, unless SLEEPONEXIT is set. */
static void wake(FILE *to, const char *counter, bool gcc)
{
    (void)counter;
    (void)gcc;
    fputs(";", to);
}

/* The address is in r1; the descriptor goes to r0, and the value comes from there. */
static void record(FILE *to, const struct hc_text_access *a)
{
    fprintf(to,
            "__asm__ __volatile__(\"movw r0,#:lower16:.Lhc_%u\\n\\tmovt r0,#:upper16:.Lhc_%u\\n\\tbl __hc_read%d\""
            ":\"=r\"(__hc_v),\"+r\"(__hc_a)::" SCRATCH ");__hc_v;})",
            a->site, a->site, 8 * a->size);
}

static void read(FILE *to, const struct hc_text_access *a)
{
    fprintf(to,
            "__extension__({register unsigned __hc_v __asm__(\"r0\");register unsigned __hc_a __asm__(\"r1\")=0x%xu;",
            a->address);
    record(to, a);
}

static void read_masked(FILE *to, const struct hc_text_access *a)
{
    fputs("(", to);
    place(to, a);
    fprintf(to, "&0x%xu)", a->mask);
}

static void read_via(FILE *to, const struct hc_text_access *a, const char *offset)
{
    fprintf(to,
            "__extension__({register unsigned __hc_v __asm__(\"r0\");register unsigned __hc_a __asm__(\"r1\")="
            "(unsigned)__hc_q%s;",
            offset);
    record(to, a);
}

static void touch(FILE *to, const struct hc_text_access *a)
{
    fputs("(void)", to);
    place(to, a);
    fputs(";", to);
}

static void touch_open(FILE *to, const struct hc_text_access *a)
{
    (void)a;
    fputs("(void)(", to);
}

static void close(FILE *to, const struct hc_text_access *a)
{
    (void)a;
    fputs(");", to);
}

static const char *assignment(char operation)
{
    switch (operation) {
    case '|':
        return "|=";
    case '&':
        return "&=~"; /* of the complement */
    case '^':
        return "^=";
    case '+':
        return "+=";
    default:
        return "-=";
    }
}

static void modify_open(FILE *to, const struct hc_text_access *a, char operation)
{
    place(to, a);
    fprintf(to, "%s(", assignment(operation));
}

static void modify_pointed_open(FILE *to, const struct hc_text_access *a, char operation)
{
    (void)a;
    (void)operation;
    fputs("(", to);
}

static void modify_pointed_middle(FILE *to, const struct hc_text_access *a, char operation)
{
    (void)a;
    fprintf(to, ")%s(", assignment(operation));
}

static void poll(FILE *to, const struct hc_text_access *a, bool until_set)
{
    fprintf(to, "while(%s(", until_set ? "!" : "");
    place(to, a);
    fprintf(to, "&0x%xu));", a->mask);
}

static void counter(FILE *to, const char *name)
{
    fprintf(to, "__asm__(\".pushsection .bss,\\\"aw\\\",%%nobits\\n%s:\\t.skip 1\\n\\t.popsection\");\n", name);
}

const struct hc_target_text hc_armv7m_text = {
    .widest_read = 4,
    .jump = "b ",
    .tick = tick,
    .call = call,
    .call_sometimes = call_sometimes,
    .wake = wake,
    .read = read,
    .read_masked = read_masked,
    .read_via = read_via,
    .touch = touch,
    .touch_open = touch_open,
    .touch_close = close,
    .modify_open = modify_open,
    .modify_pointed_open = modify_pointed_open,
    .modify_pointed_middle = modify_pointed_middle,
    .modify_close = close,
    .poll = poll,
    .counter = counter,
};
