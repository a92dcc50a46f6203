#include "skeleton.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 600, NAME = 40, SPACE = 0x1000, REGISTERS = 2048 };

struct found {
    char name[NAME];
    uint32_t address;
    uint8_t size;
    char alias[10 * NAME];
};

struct skeleton {
    FILE *out;
    const char *part;
    struct hc_regs_message *message;
    size_t count;
    struct found *reg;
    int vectors; /* numbers from the top: the header's offsets begin at vectors_start */
    uint32_t vectors_start, ram_start, ram_end;
    bool has_ram, has_cpux;
};

static int fail(struct skeleton *s, enum hc_regs_error error, const char *path, const char *cause)
{
    snprintf(s->message->text, sizeof s->message->text, "%.300s: %s", path, cause);
    return error;
}

typedef int line_fn(struct skeleton *s, const char *line);

static int for_each_line(struct skeleton *s, const char *path, line_fn *call)
{
    char line[LINES];
    FILE *file = fopen(path, "r");
    int error = 0;

    if (!file)
        return fail(s, HC_REGS_UNREADABLE, path, strerror(errno));
    while (!error && fgets(line, sizeof line, file))
        error = call(s, line);
    fclose(file);
    return error;
}

/* ---- memory.x ---- */

static int read_memory(struct skeleton *s, const char *line)
{
    unsigned origin, length;
    char name[NAME];

    if (sscanf(line, " %39s %*[^=]= 0x%x , LENGTH = 0x%x", name, &origin, &length) != 3 &&
        sscanf(line, " %39s : ORIGIN = 0x%x, LENGTH = 0x%x", name, &origin, &length) != 3)
        return 0;
    if (!strcmp(name, "ram") && length) {
        s->has_ram = true;
        s->ram_start = origin;
        s->ram_end = origin + length - 1;
    } else if (!strcmp(name, "vectors") && origin + length == 0x10000) {
        s->vectors_start = origin;
        s->vectors = (int)(length / 2);
    }
    return 0;
}

/* ---- the header ---- */

static uint32_t value_in(const struct skeleton *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->reg[i].name, name))
            return s->reg[i].address;
    return UINT32_MAX;
}

/* "#define P1IN_  0x0020" and, below it, "sfrb(P1IN, P1IN_);" */
static int read_address(struct skeleton *s, const char *line)
{
    char name[NAME];
    unsigned address;

    if (sscanf(line, " #define %39[A-Za-z0-9_] 0x%x", name, &address) != 2)
        return 0;
    size_t length = strlen(name);
    if (length < 2 || name[length - 1] != '_' || address >= SPACE || s->count == REGISTERS)
        return 0;
    name[length - 1] = 0;
    if (value_in(s, name) == UINT32_MAX) {
        snprintf(s->reg[s->count].name, NAME, "%s", name);
        s->reg[s->count++].address = address;
    }
    return 0;
}

static int read_width(struct skeleton *s, const char *line)
{
    char kind, name[NAME];

    while (isspace((unsigned char)*line))
        line++;
    if (!strncmp(line, "const_", 6))
        line += 6;
    if (sscanf(line, "sfr%c(%39[A-Za-z0-9_]", &kind, name) != 2)
        return 0;
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->reg[i].name, name))
            s->reg[i].size = kind == 'b' ? 1 : kind == 'w' ? 2 : 4;
    if (kind == 'a')
        s->has_cpux = true;
    return 0;
}

/* "#define TACCR0  CCR0": another name. */
static int read_alias(struct skeleton *s, const char *line)
{
    char name[NAME], other[NAME];

    if (sscanf(line, " #define %39[A-Za-z0-9_] %39[A-Za-z0-9_]", name, other) != 2 || isdigit((unsigned char)*other))
        return 0;
    for (size_t i = 0; i < s->count; i++) {
        struct found *r = &s->reg[i];
        if (strcmp(r->name, other) != 0 || !r->size || value_in(s, name) != UINT32_MAX || *name == '_')
            continue;
        size_t used = strlen(r->alias);
        if (used + strlen(name) + 2 < sizeof r->alias)
            snprintf(r->alias + used, sizeof r->alias - used, "%s%s", used ? "," : "", name);
    }
    return 0;
}

/* "#define ADC12_VECTOR  (0x000E)"; old headers number words, new ones bytes: both as offsets. */
static int write_vector(struct skeleton *s, const char *line)
{
    char name[NAME];
    unsigned offset;

    if (sscanf(line, " #define %39[A-Za-z0-9_] (0x%x)", name, &offset) != 2)
        return 0;
    size_t length = strlen(name);
    if (length < 8 || strcmp(name + length - 7, "_VECTOR") != 0 || (int)offset / 2 >= s->vectors)
        return 0;
    name[length - 7] = 0;
    fprintf(s->out, "vector %u %s\n", offset / 2, name);
    return 0;
}

/* ---- registers ---- */

static int by_address(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return y->size - x->size; /* of two at one address the wider one stands for both */
}

static bool is_port_latch(const char *name)
{
    static const char *const kinds[] = { "OUT", "DIR", "SEL", "REN", "IES", "IE" };
    size_t digits = 2;

    if (*name != 'P' || !isalnum((unsigned char)name[1]))
        return false;
    if (isdigit((unsigned char)name[1]) && isdigit((unsigned char)name[2]))
        digits = 3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name + digits, kinds[i]))
            return true;
    return false;
}

static bool is_multiplier(const char *name)
{
    static const char *const names[] = { "MPY",    "MPYS",   "MAC",     "MACS",    "OP2",      "RESLO",
                                         "RESHI",  "SUMEXT", "MPY32L",  "MPY32H",  "MPYS32L",  "MPYS32H",
                                         "MAC32L", "MAC32H", "MACS32L", "MACS32H", "OP2L",     "OP2H",
                                         "RES0",   "RES1",   "RES2",    "RES3",    "MPY32CTL0" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void write_register(struct skeleton *s, const struct found *r)
{
    static const char *const widths[] = { NULL, "byte", "word", NULL, "long" };
    unsigned bits = r->size == 1 ? 0xffu : r->size == 2 ? 0xffffu : 0xfffffu;

    fprintf(s->out, "%s %-10s 0x%04x ", widths[r->size], r->name, (unsigned)r->address);
    if (is_multiplier(r->name))
        fprintf(s->out, "keep=0x%x multiplier", bits);
    else if (r->size == 1 && is_port_latch(r->name))
        fprintf(s->out, "keep=0x%x check", bits);
    else
        fprintf(s->out, "state nd=0x%x check", bits);
    fprintf(s->out, "%s%s\n", *r->alias ? " alias=" : "", r->alias);
}

/* Of registers that overlap the first, which is the wider, is described; the others are names of its parts. */
static void write_registers(struct skeleton *s)
{
    uint32_t end = 0;

    qsort(s->reg, s->count, sizeof *s->reg, by_address);
    for (size_t i = 0; i < s->count; i++) {
        const struct found *r = &s->reg[i];
        if (!r->size || r->address < end)
            continue;
        write_register(s, r);
        end = r->address + r->size;
    }
}

static void write_head(struct skeleton *s)
{
    bool small = true;

    for (size_t i = 0; i < s->count; i++)
        small &= !s->reg[i].size || s->reg[i].address < 0x200;
    fprintf(
        s->out,
        "# %s, made from msp430mcu's header: names and addresses, nothing else. Lines marked 'check' record more than\n"
        "# they need to until somebody has read the user's guide; docs/registers.md describes the lines. Timers and "
        "DMA\n"
        "# channels have to be named by hand (lines 'timer' and 'dma').\n\n",
        s->part);
    fprintf(s->out, "part %s\ncpu %s\nwidths %s\nperipherals 0x0000 0x%04x\n", s->part,
            s->has_cpux ? "msp430x" : "msp430", small ? "strict" : "free", small ? 0x1ff : 0xfff);
    if (s->has_ram)
        fprintf(s->out, "ram 0x%04x 0x%04x\n", (unsigned)s->ram_start, (unsigned)s->ram_end);
    if (s->vectors)
        fprintf(s->out, "\nvectors 0x%04x %d\n", (unsigned)s->vectors_start, s->vectors);
}

static bool is_part_name(const char *part)
{
    size_t length = strlen(part);

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)part[i]) && part[i] != '_')
            return false;
    return length && length < NAME;
}

static int make(struct skeleton *s, const char *support)
{
    char header[400], memory[400];

    snprintf(header, sizeof header, "%s/include/%s.h", support, s->part);
    snprintf(memory, sizeof memory, "%s/lib/ldscripts/%s/memory.x", support, s->part);
    int error = for_each_line(s, header, read_address);
    if (!error)
        error = for_each_line(s, header, read_width);
    if (!error)
        error = for_each_line(s, header, read_alias);
    if (!error)
        error = for_each_line(s, memory, read_memory);
    if (error)
        return error;
    if (!s->count)
        return fail(s, HC_REGS_BAD, header, "names no registers");
    write_head(s);
    error = for_each_line(s, header, write_vector);
    if (!error) {
        fputc('\n', s->out);
        write_registers(s);
    }
    return error;
}

int hc_regs_skeleton(FILE *out, const char *part, const char *support, struct hc_regs_message *message)
{
    struct skeleton s = { .out = out, .part = part, .message = message };

    if (!is_part_name(part))
        return fail(&s, HC_REGS_BAD, part, "not the name of a part");
    s.reg = calloc(REGISTERS, sizeof *s.reg);
    if (!s.reg)
        return fail(&s, HC_REGS_NO_MEMORY, part, "out of memory");
    int error = make(&s, support);
    free(s.reg);
    return error;
}
