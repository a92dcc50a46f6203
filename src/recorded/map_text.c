#include "map_text.h"

#include "names.h"

/* A character of an assembler's string within a C string. */
static void write_character(FILE *to, unsigned char c)
{
    if (c < ' ' || c >= 0x7f)
        fprintf(to, "\\\\%03o", c);
    else if (c == '"' || c == '\\')
        fprintf(to, "\\\\\\%c", c);
    else
        fputc(c, to);
}

void hc_map_text_record(FILE *to, int descriptor, const char *const *fields, size_t count)
{
    fputs("__asm__(\".pushsection " HC_MAP_SECTION ",\\\"\\\",%progbits\\n\\t.short ", to);
    if (descriptor < 0)
        fputc('0', to);
    else
        fprintf(to, ".Lhc_%d", descriptor);
    fputs("\\n\"\n\"\\t.asciz \\\"", to);
    for (size_t i = 0; i < count; i++) {
        if (i)
            write_character(to, '\t');
        for (const char *c = fields[i]; *c; c++)
            write_character(to, (unsigned char)*c);
    }
    fputs("\\\"\\n\\t.popsection\");\n", to);
}

void hc_map_text_site(FILE *to, int number, struct hc_site site)
{
    fprintf(to,
            "__asm__(\".pushsection " HC_SITES_SECTION ",\\\"a\\\",%%progbits\\n\\t.balign 2\\n\"\n"
            "\".Lhc_%d:\\t.short 0x%04x,0x%04x\\n\\t.popsection\");\n",
            number, site.place, site.mask);
}
