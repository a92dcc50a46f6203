/* Instrumented C for the MSP430. */
#include "msp430.h"

/* GCC keeps nothing in SR; clang must be told. */
static const char *flags(bool gcc)
{
    return gcc ? "cc" : "r2";
}

static const char *suffix(int size)
{
    return size == 1 ? ".b" : "";
}

static void tick(FILE *to, bool in_line, bool gcc)
{
    const char *code = in_line ? "inc &__hc_count\\n\\tjge 1f\\n\\tcall #__hc_lap\\n1:" : "call #__hc_tick";
    fprintf(to, "__asm__ __volatile__(\"%s\":::\"%s\");", code, flags(gcc));
}

static void call(FILE *to, const char *function, bool gcc)
{
    fprintf(to, "__asm__ __volatile__(\"call #%s\":::\"%s\");", function, flags(gcc));
}

static void call_sometimes(FILE *to, const char *function, const char *counter, unsigned add, bool gcc)
{
    fprintf(to, "__asm__ __volatile__(\"add.b #%u,&%s\\n\\tjnc 1f\\n\\tcall #%s\\n1:\":::\"%s\");", add, counter,
            function, flags(gcc));
}

/* Clears CPUOFF, OSCOFF, SCG0 and SCG1 in the SR that the handler's end restores. */
static void wake(FILE *to, const char *counter, bool gcc)
{
    fprintf(to,
            "{unsigned __hc_w;__asm__ __volatile__(\"clr %%0\\n\\tadd.b #64,&%s\\n\\tadc %%0\""
            ":\"=r\"(__hc_w)::\"%s\");if(__hc_w)%s;}",
            counter, flags(gcc),
            gcc ? "__bic_SR_register_on_exit(240)" : "((volatile unsigned*)__builtin_frame_address(0))[1]&=~240u");
}

static void read(FILE *to, const struct hc_text_access *a)
{
    fprintf(to,
            "__extension__({register unsigned __hc_v __asm__(\"r12\");__asm__ __volatile__(\"mov "
            "#.Lhc_%u,r12\\n\\tcall #__hc_read\":\"=r\"(__hc_v));__hc_v;})",
            a->site);
}

static void read_masked(FILE *to, const struct hc_text_access *a)
{
    fprintf(to,
            "__extension__({unsigned __hc_v;__asm__ __volatile__(\"mov #0x%04x,%%0\\n\\tand%s "
            "&0x%04x,%%0\":\"=r\"(__hc_v)::\"%s\");__hc_v;})",
            a->mask, suffix(a->size), a->address, flags(a->gcc));
}

static void read_via(FILE *to, const struct hc_text_access *a, const char *offset)
{
    fprintf(to,
            "__extension__({register unsigned __hc_v __asm__(\"r12\")=(unsigned)__hc_q%s;__asm__ "
            "__volatile__(\"mov #.Lhc_%u,r13\\n\\tcall "
            "#__hc_read_via\":\"+r\"(__hc_v)::\"r13\",\"%s\");__hc_v;})",
            offset, a->site, flags(a->gcc));
}

/* By an instruction that leaves nothing of the value, not even in the flags. */
static void touch(FILE *to, const struct hc_text_access *a)
{
    fprintf(to, "__asm__ __volatile__(\"bit%s #0,&0x%04x", suffix(a->size), a->address);
    if (a->size > 2)
        fprintf(to, "\\n\\tbit #0,&0x%04x", a->address + 2);
    fprintf(to, "\":::\"%s\");", flags(a->gcc));
}

static void touch_open(FILE *to, const struct hc_text_access *a)
{
    fprintf(to, "__asm__ __volatile__(\"bit%s #0,%%0\"::\"m\"(", suffix(a->size));
}

static void touch_close(FILE *to, const struct hc_text_access *a)
{
    fprintf(to, "):\"%s\");", flags(a->gcc));
}

/* clang reckons with 4 bytes for a line of assembly when it chooses between short and long jumps; an instruction with
 * an immediate and an address has 6. So a line that makes nothing follows. */
#define ROOM "\\n\\t.p2align 0"

static const char *instruction(char operation)
{
    switch (operation) {
    case '|':
        return "bis";
    case '&':
        return "bic"; /* of the complement: leaves the flags alone, which AND does not */
    case '^':
        return "xor";
    case '+':
        return "add";
    default:
        return "sub";
    }
}

static void modify_open(FILE *to, const struct hc_text_access *a, char operation)
{
    fprintf(to, "__asm__ __volatile__(\"%s%s %%0,&0x%04x" ROOM "\"::\"ri\"(", instruction(operation), suffix(a->size),
            a->address);
}

static void modify_pointed_open(FILE *to, const struct hc_text_access *a, char operation)
{
    fprintf(to, "__asm__ __volatile__(\"%s%s %%1,%%0" ROOM "\":\"+m\"(", instruction(operation), suffix(a->size));
}

static void modify_pointed_middle(FILE *to, const struct hc_text_access *a, char operation)
{
    (void)a;
    (void)operation;
    fputs("):\"ri\"(", to);
}

static void modify_close(FILE *to, const struct hc_text_access *a)
{
    fprintf(to, "):\"%s\");", flags(a->gcc));
}

static void poll(FILE *to, const struct hc_text_access *a, bool until_set)
{
    fprintf(to,
            "{register unsigned __hc_a __asm__(\"r12\")=0x%04x;register unsigned __hc_m "
            "__asm__(\"r13\")=0x%x;__asm__ __volatile__(\"call "
            "#__hc_poll_%s%d\"::\"r\"(__hc_a),\"r\"(__hc_m):\"%s\");}",
            a->address, a->mask, until_set ? "set" : "clear", 8 * a->size, flags(a->gcc));
}

static void counter(FILE *to, const char *name)
{
    fprintf(to, "__asm__(\".pushsection .bss,\\\"aw\\\",@nobits\\n%s:\\t.skip 1\\n\\t.popsection\");\n", name);
}

const struct hc_target_text hc_msp430_text = {
    .widest_read = 2,
    .jump = "br #",
    .tick = tick,
    .call = call,
    .call_sometimes = call_sometimes,
    .wake = wake,
    .read = read,
    .read_masked = read_masked,
    .read_via = read_via,
    .touch = touch,
    .touch_open = touch_open,
    .touch_close = touch_close,
    .modify_open = modify_open,
    .modify_pointed_open = modify_pointed_open,
    .modify_pointed_middle = modify_pointed_middle,
    .modify_close = modify_close,
    .poll = poll,
    .counter = counter,
};
