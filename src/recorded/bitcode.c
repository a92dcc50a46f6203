#include "bitcode.h"

#include <string.h>

enum { HEAD = 16, BLOCK = 4096, LINE = 64 };

static uint32_t word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static uint32_t sum_of(const void *bytes, size_t size, uint32_t sum)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 16777619u;
    return sum;
}

enum { SUM_OF_NOTHING = 0x811c9dc5 };

bool hc_bitcode_next(const uint8_t *bytes, size_t size, size_t *at, struct hc_bitcode_unit *out)
{
    size_t left = size - *at;
    const uint8_t *unit = bytes + *at;

    if (*at > size || left < HEAD || memcmp(unit, "HCBC", 4) != 0)
        return false;
    size_t name = word(unit + 4), code = word(unit + 8);
    if (name >= sizeof out->name || name > left - HEAD || code > left - HEAD - name ||
        padded(name + code) > left - HEAD || sum_of(unit + HEAD, name + code, SUM_OF_NOTHING) != word(unit + 12))
        return false;
    memcpy(out->name, unit + HEAD, name);
    out->name[name] = '\0';
    out->bytes = (const char *)unit + HEAD + name;
    out->size = code;
    *at += HEAD + padded(name + code);
    return true;
}

static const char section_begin[] = "__asm__(\".pushsection " HC_BITCODE_SECTION ",\\\"\\\",%progbits\\n\"\n";
static const char section_end[] = "\".popsection\\n\");\n";

/* In C and in the assembler's string alike, octal digits need no care. In statements of BLOCK bytes: a compiler whose
 * int has 16 bits takes no string of more than 32,767 characters. They stay in order. */
static void write_bytes(FILE *to, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (i % BLOCK == 0)
            fputs(section_begin, to);
        if (i % LINE == 0)
            fputs("\".ascii \\\"", to);
        fprintf(to, "\\\\%03o", (unsigned char)bytes[i]);
        if (i % LINE == LINE - 1 || i + 1 == size)
            fputs("\\\"\\n\"\n", to);
        if (i % BLOCK == BLOCK - 1 || i + 1 == size)
            fputs(section_end, to);
    }
}

void hc_bitcode_write(FILE *to, const char *name, const char *bytes, size_t size)
{
    size_t length = strlen(name), most = sizeof((struct hc_bitcode_unit *)0)->name - 1;

    if (length > most) {
        name += length - most;
        length = most;
    }
    fprintf(to, "%s\".ascii \\\"HCBC\\\"\\n.long %zu, %zu, %u\\n\"\n%s", section_begin, length, size,
            (unsigned)sum_of(bytes, size, sum_of(name, length, SUM_OF_NOTHING)), section_end);
    write_bytes(to, name, length);
    write_bytes(to, bytes, size);
    write_bytes(to, "\0\0\0", padded(length + size) - length - size);
}

static void write_plainly(FILE *to, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(to, "%s\\%03o%s", i % LINE ? "" : ".ascii \"", (unsigned char)bytes[i],
                i % LINE == LINE - 1 || i + 1 == size ? "\"\n" : "");
}

void hc_bitcode_write_assembly(FILE *to, const char *section, const char *name, const char *bytes, size_t size)
{
    size_t length = strlen(name);

    fprintf(to, ".pushsection %s,\"\",%%progbits\n.ascii \"HCBC\"\n.long %zu, %zu, %u\n", section, length, size,
            (unsigned)sum_of(bytes, size, sum_of(name, length, SUM_OF_NOTHING)));
    write_plainly(to, name, length);
    write_plainly(to, bytes, size);
    write_plainly(to, "\0\0\0", padded(length + size) - length - size);
    fprintf(to, ".popsection\n");
}
