/* Writes firmware that evaluates random expressions over registers: random_expressions SEED COUNT >FILE.c
 * What masks leave out must not matter: the plain and the instrumented program must give the same results. Only integer
 * operations that are defined for all values, if overflow wraps (-fwrapv). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct generator {
    uint64_t state;
};

static uint32_t below(struct generator *g, uint32_t bound)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)(g->state >> 32) % bound;
}

static const char *const leaves[] = { "TAR",      "TAR",      "TBR",        "SIGNED_LOW", "HIGH",   "SIGNED",
                                      "FIELDS.a", "FIELDS.b", "FIELDS.c",   "FIELDS.d",   "MEM[1]", "MEM[one]",
                                      "BOTH",     "variable", "(*pointer)", "P1IFG",      "TAR",    "(TAR, TBR)" };
static const char *const types[] = { "uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "_Bool" };
static const char *const binary[] = { "&", "&", "&", "|", "^", "+", "-", "*" };
static const char *const relations[] = { "<", ">", "<=", ">=", "==", "!=" };
static const char *const constants[] = {
    "0",      "1",      "4",  "0x80",     "0xff",   "0x100", "0x0ff0", "0x8000",
    "0xffff", "0x7fff", "-1", "0x10000l", "~0x0f0", "100",   "7u",     "(int8_t)-3"
};
#define PICK(g, list) list[below(g, sizeof(list) / sizeof(list[0]))]

static void expression(struct generator *g, int depth);

static void constant(struct generator *g)
{
    fputs(PICK(g, constants), stdout);
}

static void operation(struct generator *g, int depth)
{
    putchar('(');
    expression(g, depth);
    printf(" %s ", PICK(g, binary));
    if (below(g, 3))
        constant(g);
    else
        expression(g, depth);
    putchar(')');
}

static void shift(struct generator *g, int depth)
{
    /* Of unsigned or signed operands that are wide enough; right shifts of negative values are arithmetic everywhere.
     */
    printf("((%s)", below(g, 2) ? "uint16_t" : "int32_t");
    expression(g, depth);
    printf(" %s %u)", below(g, 2) ? "<<" : ">>", below(g, 15));
}

static void relation(struct generator *g, int depth)
{
    putchar('(');
    expression(g, depth);
    printf(" %s ", PICK(g, relations));
    constant(g);
    putchar(')');
}

static void conditional(struct generator *g, int depth)
{
    putchar('(');
    expression(g, depth);
    fputs(" ? ", stdout);
    expression(g, depth);
    fputs(" : ", stdout);
    expression(g, depth);
    putchar(')');
}

static void expression(struct generator *g, int depth)
{
    if (depth <= 0) {
        fputs(PICK(g, leaves), stdout);
        return;
    }
    switch (below(g, 10)) {
    case 0:
        shift(g, depth - 1);
        return;
    case 1:
        relation(g, depth - 1);
        return;
    case 2:
        conditional(g, depth - 1);
        return;
    case 3:
        printf("(%s)", PICK(g, types));
        expression(g, depth - 1);
        return;
    case 4:
        fputs(below(g, 2) ? "!(" : below(g, 2) ? "~(" : "-(", stdout);
        expression(g, depth - 1);
        putchar(')');
        return;
    case 5:
        putchar('(');
        expression(g, depth - 1);
        fputs(below(g, 2) ? " && " : " || ", stdout);
        expression(g, depth - 1);
        putchar(')');
        return;
    default:
        operation(g, depth - 1);
        return;
    }
}

static void function(struct generator *g, unsigned number)
{
    static const char *const results[] = { "uint8_t", "int16_t", "uint16_t", "uint32_t", "int8_t" };
    printf("static %s e%u(void)\n{\n    ", PICK(g, results), number);
    if (below(g, 4)) {
        fputs("return ", stdout);
        expression(g, 1 + (int)below(g, 4));
    } else { /* by way of a bit-field */
        fputs("struct fields f = { 0 };\n    f.c = ", stdout);
        expression(g, 1 + (int)below(g, 3));
        fputs(";\n    return f.c", stdout);
    }
    fputs(";\n}\n", stdout);
}

static const char head[] = "#include \"kit.h\"\n"
                           "volatile uint16_t result[400], count, finished;\n"
                           "struct fields { uint16_t a : 3; uint16_t b : 5; int16_t c : 5; uint16_t d : 3; };\n"
                           "#define FIELDS (*(volatile struct fields *)0x0170)\n"
                           "#define SIGNED_LOW (*(volatile int8_t *)0x0170)\n"
                           "#define HIGH (*(volatile uint8_t *)0x0171)\n"
                           "#define SIGNED (*(volatile int16_t *)0x0190)\n"
                           "#define BOTH (*(volatile uint32_t *)0x0170)\n"
                           "#define MEM ((volatile uint16_t *)0x0140)\n"
                           "static volatile uint16_t one = 1, variable = 0x1ee7;\n"
                           "static volatile uint16_t *volatile pointer = &variable;\n";

static const char tail[] =
    "static const uint16_t values[] = { 0, 1, 0xffff, 0x8000, 0x7fff, 0x5aa5, 0x00ff, 0x0180, 0x9c3e, 0x2b71 };\n"
    "int main(void)\n{\n"
    "    TACTL = TBCTL = 0;\n    P1IE = P1IES = 0;\n"
    "    for (uint16_t turn = 0; turn < sizeof values / sizeof values[0]; turn++) {\n"
    "        TAR = values[turn];\n        TBR = values[9 - turn];\n        TACCR0 = 0x1357 * turn;\n"
    "        MEM[1] = values[turn] & 0x0fff;\n        P1IFG = (uint8_t)values[turn];\n"
    "        pointer = turn & 1 ? &variable : &TBR;\n"
    "        for (count = 0; count < sizeof list / sizeof list[0]; count++)\n"
    "            result[count] = result[count] * 31 + list[count]();\n    }\n"
    "    P1IFG = 0;\n    finished = 0xd09e;\n    for (;;)\n        ;\n}\n";

int main(int argument_count, char **arguments)
{
    struct generator g = { .state = 0x9e3779b97f4a7c15u };
    unsigned count = argument_count > 2 ? (unsigned)atoi(arguments[2]) : 0;
    if (!count) {
        fputs("usage: random_expressions SEED COUNT\n", stderr);
        return 2;
    }
    g.state ^= strtoull(arguments[1], NULL, 0) * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < 20; i++)
        below(&g, 2);
    fputs(head, stdout);
    for (unsigned i = 0; i < count; i++)
        function(&g, i);
    for (unsigned i = 0; i < count; i++)
        printf("static uint16_t call%u(void)\n{\n    uint32_t x = e%u();\n    return x ^ x >> 16;\n}\n", i, i);
    fputs("static uint16_t (*const list[])(void) = {", stdout);
    for (unsigned i = 0; i < count; i++)
        printf(" call%u,", i);
    fputs(" };\n", stdout);
    fputs(tail, stdout);
    return 0;
}
