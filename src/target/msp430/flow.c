/* The assembly of clang and of GCC. */
#include "target/flow.h"

#include "msp430.h"

#include <ctype.h>
#include <string.h>

enum { REACH = 960, LONGEST = 8 };

struct parts {
    char mnemonic[16];
    char first[HC_ROUTE_NAME], second[HC_ROUTE_NAME]; /* operands */
    bool byte;
};

static void copy_operand(char *to, const char *from, size_t length)
{
    while (length && isspace((unsigned char)*from)) {
        from++;
        length--;
    }
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    if (length >= HC_ROUTE_NAME)
        length = HC_ROUTE_NAME - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

static void split(const char *text, struct parts *out)
{
    size_t n = 0;

    *out = (struct parts){ 0 };
    while (isspace((unsigned char)*text))
        text++;
    for (; *text && !isspace((unsigned char)*text); text++)
        if (n < sizeof out->mnemonic - 1)
            out->mnemonic[n++] = (char)tolower((unsigned char)*text);
    char *dot = strchr(out->mnemonic, '.');
    if (dot) {
        out->byte = dot[1] == 'b';
        *dot = 0;
    }
    size_t first = strcspn(text, ",");
    copy_operand(out->first, text, first);
    if (text[first])
        copy_operand(out->second, text + first + 1, strlen(text + first + 1));
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

static bool is_register(const char *operand, const char *number, const char *name)
{
    return !strcasecmp(operand, number) || !strcasecmp(operand, name);
}

static bool is_pc(const char *operand)
{
    return is_register(operand, "r0", "pc");
}

static bool is_sr(const char *operand)
{
    return is_register(operand, "r2", "sr");
}

static int words_of(const char *operand)
{
    bool in_register = (operand[0] == 'r' || operand[0] == 'R') && isdigit((unsigned char)operand[1]);

    return !*operand || in_register || *operand == '@' ? 0 : 1;
}

/* "#label", "label(rN)": the label. */
static void take_name(char *to, const char *operand)
{
    size_t length = strcspn(operand += *operand == '#', "(+- ");

    memcpy(to, operand, length);
    to[length] = 0;
}

/* "label(rN)" */
static bool is_in_table(const char *operand)
{
    return strchr(operand, '(') && *operand != '(' && !isdigit((unsigned char)*operand) && !strpbrk(operand, "+-$#&@");
}

static bool is_plain_register(const char *operand)
{
    return (*operand == 'r' || *operand == 'R') && isdigit((unsigned char)operand[1]) && strlen(operand) < 4;
}

/* ---- the flow of control ---- */

static void read_transfer(const char *operand, struct hc_route *out)
{
    out->kind = HC_ROUTE_ANYWHERE;
    if (*operand == '#' && !strpbrk(operand, "+-$") && !isdigit((unsigned char)operand[1]))
        out->kind = HC_ROUTE_JUMP;
    else if (!strcasecmp(operand, "@r1+") || !strcasecmp(operand, "@sp+"))
        out->kind = HC_ROUTE_RETURN;
    else if (is_in_table(operand))
        out->kind = HC_ROUTE_TABLE;
    if (out->kind == HC_ROUTE_JUMP || out->kind == HC_ROUTE_TABLE)
        take_name(out->target, operand);
    if (is_plain_register(operand))
        snprintf(out->into, sizeof out->into, "%.3s", operand);
    if (out->kind == HC_ROUTE_JUMP && !strncmp(out->target, "__mspabi_func_epilog", 20))
        out->kind = HC_ROUTE_RETURN;
}

static void read_jump(const struct parts *p, struct hc_route *out)
{
    bool plain = !strpbrk(p->first, "+-$") && *p->first != '#';

    out->near = true;
    out->kind = !plain ? HC_ROUTE_ANYWHERE : !strcmp(p->mnemonic, "jmp") ? HC_ROUTE_JUMP : HC_ROUTE_BRANCH;
    out->needs_flags = strcmp(p->mnemonic, "jmp") != 0;
    snprintf(out->target, sizeof out->target, "%s", p->first);
}

static bool writes_pc(const struct parts *p)
{
    static const char *const compare[] = { "cmp", "bit", "cmpa", "tst", "tsta", NULL };

    return *p->second && is_pc(p->second) && !is_one_of(p->mnemonic, compare);
}

static void read_flow(const struct parts *p, struct hc_route *out)
{
    static const char *const branches[] = { "br", "bra", NULL };
    static const char *const calls[] = { "call", "calla", NULL };
    static const char *const moves[] = { "mov", "mova", NULL };
    static const char *const returns[] = { "ret", "reta", NULL };

    if (*p->mnemonic == 'j')
        read_jump(p, out);
    else if (is_one_of(p->mnemonic, branches))
        read_transfer(p->first, out);
    else if (is_one_of(p->mnemonic, moves) && writes_pc(p))
        read_transfer(p->first, out);
    else if (is_one_of(p->mnemonic, returns))
        out->kind = HC_ROUTE_RETURN;
    else if (!strcmp(p->mnemonic, "reti"))
        out->kind = HC_ROUTE_RETURN_INTERRUPT;
    else if (writes_pc(p) || (!strcmp(p->mnemonic, "pop") && is_pc(p->first)))
        out->kind = HC_ROUTE_ANYWHERE;
    if (!is_one_of(p->mnemonic, calls))
        return;
    bool direct = *p->first == '#' && !strpbrk(p->first, "+-$") && !isdigit((unsigned char)p->first[1]);
    out->kind = direct ? HC_ROUTE_CALL : HC_ROUTE_CALL_INDIRECT;
    if (direct)
        take_name(out->target, p->first);
}

/* ---- flags ---- */

static void read_flags(const struct parts *p, struct hc_route *out)
{
    static const char *const sets[] = { "add",  "sub",  "cmp",  "bit", "and", "xor",  "inc",  "incd", "dec",
                                        "decd", "tst",  "rla",  "rra", "inv", "sxt",  "adda", "suba", "cmpa",
                                        "addc", "subc", "dadd", "adc", "sbc", "dadc", "rlc",  "rrc",  NULL };
    static const char *const leaves[] = { "mov",  "bis",   "bic",  "push", "pop",  "call",  "br",  "swpb",
                                          "nop",  "clr",   "ret",  "reti", "jmp",  "calla", "bra", "reta",
                                          "mova", "pushm", "popm", "eint", "dint", NULL };
    static const char *const carries[] = { "addc", "subc", "dadd", "adc", "sbc", "dadc", "rlc", "rrc", NULL };
    bool known = is_one_of(p->mnemonic, sets) || is_one_of(p->mnemonic, leaves) || *p->mnemonic == 'j';

    out->needs_flags |= !known || is_one_of(p->mnemonic, carries) || is_sr(p->first);
    /* What writes the flags into the status register itself, or only a part of them, is not counted on. */
    out->sets_flags = is_one_of(p->mnemonic, sets) && !out->needs_flags && !is_sr(p->second);
}

static void read_instruction(const char *text, struct hc_route *out)
{
    struct parts p;

    *out = (struct hc_route){ .kind = HC_ROUTE_STEP };
    split(text, &p);
    read_flow(&p, out);
    read_flags(&p, out);
    if (out->kind == HC_ROUTE_STEP && *p.first == '#' &&
        (p.first[1] == '.' || isalpha((unsigned char)p.first[1]) || p.first[1] == '_'))
        take_name(out->named, p.first);
    if (!strcmp(p.mnemonic, "mov") && !p.byte && is_in_table(p.first) && is_plain_register(p.second)) {
        take_name(out->loaded, p.first);
        snprintf(out->into, sizeof out->into, "%.3s", p.second);
    }
    out->size = out->near ? 2 : 2 + 2 * words_of(p.first) + 2 * words_of(p.second);
    if (strchr(p.mnemonic, 'x') || strchr(p.mnemonic, 'a'))
        out->size += 2; /* of the MSP430X: at most a word more */
}

static bool is_helper(const char *name)
{
    static const char *const names[] = { "memcpy", "memset",  "memmove", "memcmp", "memchr", "strlen", "strcpy",
                                         "strcmp", "strncmp", "strncpy", "strcat", "strchr", NULL };

    return !strncmp(name, "__mspabi_", 9) || !strncmp(name, "__mul", 5) || !strncmp(name, "__div", 5) ||
           !strncmp(name, "__udiv", 6) || !strncmp(name, "__mod", 5) || !strncmp(name, "__umod", 6) ||
           is_one_of(name, names);
}

/* ---- instructions that record ---- */

static void set(FILE *to, const char *label, unsigned value)
{
    /* The source is the second word of the instruction; not a number that has no word of its own. */
    fprintf(to, "\tmov\t#%u, &__hc_path_sum\n\t.set\t%s, . - 4\n", value + 16, label);
}

static void add(FILE *to, unsigned value, bool keep_flags)
{
    if (keep_flags)
        fprintf(to, "\tpush\tr2\n");
    fprintf(to, "\tadd\t#%u, &__hc_path_sum\n", value);
    if (keep_flags)
        fprintf(to, "\tpop\tr2\n");
}

static void call(FILE *to, const char *function)
{
    fprintf(to, "\tcall\t#%s\n", function);
}

static void jump(FILE *to, const char *label)
{
    fprintf(to, "\tbr\t#%s\n", label);
}

static void branch_unless(FILE *to, const char *branch, const char *label)
{
    static const char *const opposite[][2] = { { "jne", "jeq" }, { "jnz", "jz" },  { "jc", "jnc" }, { "jhs", "jlo" },
                                               { "jge", "jl" },  { "jeq", "jne" }, { "jz", "jnz" }, { "jnc", "jc" },
                                               { "jlo", "jhs" }, { "jl", "jge" } };
    struct parts p;

    split(branch, &p);
    for (size_t i = 0; i < sizeof opposite / sizeof *opposite; i++)
        if (!strcmp(p.mnemonic, opposite[i][0])) {
            fprintf(to, "\t%s\t%s\n", opposite[i][1], label);
            return;
        }
    /* There is no opposite of "negative". */
    fprintf(to, "\t%s\t%s_t\n\tjmp\t%s\n%s_t:\n", p.mnemonic, label, label, label);
}

const struct hc_target_flow hc_msp430_flow = {
    .reach = REACH,
    .read = read_instruction,
    .is_helper = is_helper,
    .set = set,
    .add = add,
    .call = call,
    .jump = jump,
    .branch_unless = branch_unless,
};
