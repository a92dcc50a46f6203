/* ELF: where bytes go, symbols, source lines of DWARF 2 to 5 and of mspgcc's 2-byte addresses, and what is refused. */
#include "elf_builder.h"
#include "image/image.h"

#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t code[] = { 0x31, 0x40, 0x00, 0x31, 0xb0, 0x12, 0x06, 0x40, 0x30, 0x41, 0x03, 0x43 };
static const uint8_t data[] = { 0x11, 0x22, 0x33 };
static const uint8_t vectors[] = { 0x00, 0x40 };

/* Symbols of a program in C and assembly: see test_symbols. */
static const char strings[] = "\0main\0helper\0.L1\0loop\0counter\0__P1OUT\0__data_size\0start\0hidden\0$C$L5";
static const Elf32_Sym symbols[] = {
    { 0 },
    { .st_name = 1, .st_value = 0x4004, .st_size = 4, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1 },
    { .st_name = 6, .st_value = 0x4008, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), .st_shndx = 1 },
    { .st_name = 13, .st_value = 0x400a, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), .st_shndx = 1 },
    { .st_name = 17, .st_value = 0x4006, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), .st_shndx = 1 },
    { .st_name = 22,
      .st_value = 0x1100,
      .st_size = 2,
      .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT),
      .st_shndx = 2 },
    { .st_name = 30, .st_value = 0x21, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = SHN_ABS },
    { .st_name = 38, .st_value = 0x21, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = SHN_ABS },
    { .st_name = 50, .st_value = 0x4000, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = 1 },
    { .st_name = 56, .st_value = 0x4004, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), .st_shndx = 1 },
    /* TI's compiler marks its labels as functions. */
    { .st_name = 63, .st_value = 0x4006, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1 },
};

/* One unit, DWARF 2, addresses of 2 bytes, as mspgcc wrote it:
 * lib/app.c: 0x4000 line 10, 0x4004 line 12, 0x4006 not a statement, line 12, 0x4008 line 11, ends at 0x400a;
 * util.c: 0x400a line 5, ends at 0x400c. */
static const uint8_t short_lines[] = {
    81,
    0,
    0,
    0,
    2,
    0,
    39,
    0,
    0,
    0,
    1,
    1,
    0xfb,
    14,
    10,
    0,
    1,
    1,
    1,
    1,
    0,
    0,
    0,
    1, /* header */
    'l',
    'i',
    'b',
    0,
    0, /* directories */
    'a',
    'p',
    'p',
    '.',
    'c',
    0,
    1,
    0,
    0,
    'u',
    't',
    'i',
    'l',
    '.',
    'c',
    0,
    0,
    0,
    0,
    0, /* files: up to offset 49 */
    0,
    3,
    DW_LNE_set_address,
    0x00,
    0x40,
    DW_LNS_advance_line,
    9,
    DW_LNS_copy,
    10 + 2 + 5 + 14 * 4, /* line + 2, address + 4 */
    DW_LNS_negate_stmt,
    DW_LNS_advance_pc,
    2,
    DW_LNS_copy,
    DW_LNS_negate_stmt,
    10 - 1 + 5 + 14 * 2, /* line - 1, address + 2 */
    DW_LNS_fixed_advance_pc,
    2,
    0,
    0,
    1,
    DW_LNE_end_sequence,
    0,
    3,
    DW_LNE_set_address,
    0x0a,
    0x40,
    DW_LNS_set_file,
    2,
    DW_LNS_advance_line,
    4,
    DW_LNS_copy,
    DW_LNS_advance_pc,
    2,
    0,
    1,
    DW_LNE_end_sequence,
};
static const uint8_t short_info[] = { 7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0 };

#define ALLOC_CODE (SHF_ALLOC | SHF_EXECINSTR)

/* .text at 0x4000, .data at 0x1100 but programmed after .text, .bss, vectors; the first segment covers the headers. */
static void typical(struct elf_builder *b)
{
    *b = (struct elf_builder){
        .entry = 0x4000,
        .sections = { { ".text", SHT_PROGBITS, ALLOC_CODE, 0x4000, code, sizeof code, 0, 0 },
                      { ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x1100, data, sizeof data, 0, 0 },
                      { ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x1104, NULL, 100, 0, 0 },
                      { ".vectors", SHT_PROGBITS, SHF_ALLOC, 0xfffe, vectors, sizeof vectors, 0, 0 },
                      { ".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof symbols, 6, 0 },
                      { ".strtab", SHT_STRTAB, 0, 0, strings, sizeof strings, 0, 0 },
                      { ".debug_info", SHT_PROGBITS, 0, 0, short_info, sizeof short_info, 0, 0 },
                      { ".debug_line", SHT_PROGBITS, 0, 0, short_lines, sizeof short_lines, 0, 0 } },
        .segments = { { 1, 1, 0x4000, 52 + 3 * 32 }, { 2, 3, 0x4010, 0 }, { 4, 4, 0xfffe, 0 } },
    };
    elf_builder_make(b);
}

static struct hc_image *load(const struct elf_builder *b)
{
    struct hc_image *image;
    struct hc_image_message message = { "" };
    enum hc_image_error error = hc_image_load_memory(&image, "app.elf", b->bytes, b->size, &message);
    assert_string_equal(message.text, "");
    assert_int_equal(error, HC_IMAGE_OK);
    return image;
}

static void assert_refused(const struct elf_builder *b, const char *expected)
{
    struct hc_image *image;
    struct hc_image_message message = { "" };
    enum hc_image_error error = hc_image_load_memory(&image, "app.elf", b->bytes, b->size, &message);
    assert_string_equal(message.text, expected);
    assert_int_equal(error, HC_IMAGE_BAD);
    assert_null(image);
}

static void assert_segment(const struct hc_image_segment *s, uint32_t address, const uint8_t *bytes, size_t size)
{
    assert_int_equal(s->address, address);
    assert_int_equal(s->size, size);
    assert_memory_equal(s->bytes, bytes, size);
}

static void test_bytes(void **state)
{
    static struct elf_builder b;
    const struct hc_image_segment *segments;
    uint32_t entry;
    (void)state;
    typical(&b);
    struct hc_image *image = load(&b);
    assert_int_equal(hc_image_format(image), HC_IMAGE_ELF);
    assert_int_equal(hc_image_segments(image, &segments), 3);
    assert_segment(&segments[0], 0x4000, code, sizeof code);
    assert_segment(&segments[1], 0x4010, data, sizeof data);
    assert_segment(&segments[2], 0xfffe, vectors, sizeof vectors);
    assert_true(hc_image_entry(image, &entry));
    assert_int_equal(entry, 0x4000);
    hc_image_free(image);
}

/* Without section headers the segments are loaded as they are; without segments the sections go where they say. */
static void test_half_the_headers(void **state)
{
    static struct elf_builder b;
    const struct hc_image_segment *segments;
    (void)state;
    typical(&b);
    b.segments[0].before = 0;
    elf_builder_make(&b);
    Elf32_Ehdr *header = (Elf32_Ehdr *)b.bytes;
    header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
    struct hc_image *image = load(&b);
    assert_int_equal(hc_image_segments(image, &segments), 3);
    assert_segment(&segments[1], 0x4010, data, sizeof data);
    hc_image_free(image);

    typical(&b);
    b.segments[0].first = 0;
    elf_builder_make(&b);
    image = load(&b);
    assert_int_equal(hc_image_segments(image, &segments), 3);
    assert_segment(&segments[0], 0x1100, data, sizeof data);
    hc_image_free(image);
}

static void test_symbols(void **state)
{
    static struct elf_builder b;
    const struct hc_symbol *functions;
    struct hc_symbol s;
    (void)state;
    typical(&b);
    struct hc_image *image = load(&b);
    /* Not a compiler's label, not one within a function, not a second name of a function. */
    assert_int_equal(hc_image_functions(image, &functions), 3);
    assert_string_equal(functions[0].name, "start");
    assert_int_equal(functions[0].size, 4); /* up to main */
    assert_string_equal(functions[1].name, "main");
    assert_string_equal(functions[2].name, "helper");
    assert_int_equal(functions[2].size, 4); /* up to the end of .text */
    assert_true(hc_image_function_at(image, 0x4007, &s));
    assert_string_equal(s.name, "main");
    assert_true(hc_image_function_at(image, 0x4008, &s));
    assert_string_equal(s.name, "helper");
    assert_false(hc_image_function_at(image, 0x400c, &s));
    assert_false(hc_image_function_at(image, 0x3fff, &s));

    assert_true(hc_image_data_at(image, 0x1101, &s));
    assert_string_equal(s.name, "counter");
    assert_false(hc_image_data_at(image, 0x1102, &s));
    assert_true(hc_image_data_at(image, 0x21, &s));
    assert_string_equal(s.name, "__P1OUT");

    assert_true(hc_image_symbol(image, "loop", &s));
    assert_int_equal(s.address, 0x4006);
    assert_true(s.function);
    assert_true(hc_image_symbol(image, "__data_size", &s));
    assert_false(s.function);
    assert_false(hc_image_symbol(image, "nothing", &s));
    assert_false(hc_image_symbol(image, ".L1", &s));
    hc_image_free(image);
}

static void assert_line(struct hc_image *image, uint32_t address, const char *file, int number)
{
    struct hc_line line;
    assert_true(hc_image_line_at(image, address, &line));
    assert_string_equal(line.file, file);
    assert_int_equal(line.line, number);
}

static void test_short_dwarf(void **state)
{
    static struct elf_builder b;
    struct hc_line line;
    uint32_t found[2];
    char text[80];
    (void)state;
    typical(&b);
    struct hc_image *image = load(&b);
    assert_line(image, 0x4000, "lib/app.c", 10);
    assert_line(image, 0x4003, "lib/app.c", 10);
    assert_line(image, 0x4004, "lib/app.c", 12);
    assert_line(image, 0x4007, "lib/app.c", 12);
    assert_line(image, 0x4008, "lib/app.c", 11);
    assert_line(image, 0x400b, "util.c", 5);
    assert_false(hc_image_line_at(image, 0x400c, &line));
    assert_false(hc_image_line_at(image, 0x3fff, &line));
    assert_int_equal(hc_image_line_addresses(image, "app.c", 12, found, 2), 1);
    assert_int_equal(found[0], 0x4004);
    assert_int_equal(hc_image_line_addresses(image, "lib/app.c", 10, found, 2), 1);
    assert_int_equal(hc_image_line_addresses(image, "b/app.c", 10, found, 2), 0);
    assert_int_equal(hc_image_line_addresses(image, "app.c", 13, found, 2), 0);
    assert_string_equal(hc_image_locate(image, 0x4006, text, sizeof text), "0x4006 <main+0x2> app.c:12");
    assert_string_equal(hc_image_locate(image, 0x4004, text, sizeof text), "0x4004 <main> app.c:12");
    assert_string_equal(hc_image_locate(image, 0x9000, text, sizeof text), "0x9000");
    assert_string_equal(hc_image_locate(NULL, 0x9000, text, sizeof text), "0x9000");
    assert_string_equal(hc_image_locate(image, 0x4006, text, 10), "0x4006 <m");
    hc_image_free(image);
}

/* ---- what compilers write today ---- */

static const char program[] = "volatile int seen;\n"
                              "__attribute__((noinline)) static void set(int value)\n"
                              "{\n"
                              "    seen = value;\n"
                              "}\n"
                              "int main(void)\n"
                              "{\n"
                              "    set(3);\n"
                              "    set(4);\n"
                              "    return 0;\n"
                              "}\n";

static void write_program(const char *directory)
{
    char path[64];
    snprintf(path, sizeof path, "%s/app.c", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(program, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/filler.c", directory);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("extern volatile int seen;\n", file);
    for (int i = 0; i < 200; i++)
        fprintf(file, "void filler_%d(void)\n{\n    seen = %d;\n}\n", i, i);
    fclose(file);
}

static void check_program(const char *directory)
{
    char path[64], text[80];
    struct hc_image_message message = { "" };
    struct hc_symbol function;
    struct hc_image *image;
    uint32_t found[4];

    snprintf(path, sizeof path, "%s/app.elf", directory);
    assert_int_equal(hc_image_load_file(&image, path, &message), HC_IMAGE_OK);
    assert_true(hc_image_symbol(image, "set", &function));
    snprintf(path, sizeof path, "%s/app.c", directory);
    assert_line(image, function.address, path, 4);
    assert_int_equal(hc_image_line_addresses(image, "app.c", 8, found, 4), 1);
    assert_int_equal(hc_image_line_addresses(image, "app.c", 9, found + 1, 3), 1);
    assert_true(found[0] < found[1]);
    assert_true(hc_image_function_at(image, found[0], &function));
    assert_string_equal(function.name, "main");
    assert_non_null(strstr(hc_image_locate(image, found[1], text, sizeof text), "<main+0x"));
    assert_non_null(strstr(text, "> app.c:9"));
    hc_image_free(image);
}

/* DWARF 2 to 5; functions that the linker throws away; compressed sections (which short ones never are). */
static void test_compiled(void **state)
{
    static const char *const links[] = {
        "-gdwarf-2 -ffunction-sections -c app.c && $L --gc-sections app.o",
        "-gdwarf-3 -ffunction-sections -c app.c && $L --gc-sections app.o",
        "-gdwarf-4 -ffunction-sections -c app.c filler.c && $L --gc-sections app.o filler.o",
        "-gdwarf-5 -ffunction-sections -c app.c filler.c && $L --gc-sections app.o filler.o",
        "-g -c app.c filler.c && $L --compress-debug-sections=zlib app.o filler.o && $R | grep -q 'debug_line .* C '",
    };
    char directory[] = "/tmp/hindcast-elf-XXXXXX", command[512];
    (void)state;
    assert_non_null(mkdtemp(directory));
    write_program(directory);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(command, sizeof command,
                 "cd %s && L='ld.lld-19 -Ttext=0x4000 -Tbss=0x1100 -e main -o app.elf' R='readelf -SW app.elf' && "
                 "clang-19 --target=msp430-none-elf -O1 %s",
                 directory, links[i]);
        assert_int_equal(system(command), 0);
        check_program(directory);
    }
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* A compressed section that claims to grow beyond measure is not even tried. */
static void test_inflated_lines(void **state)
{
    static const uint32_t header[] = { ELFCOMPRESS_ZLIB, 0x7fffffff, 1, 0 };
    static struct elf_builder b;
    struct hc_line line;
    (void)state;
    typical(&b);
    b.sections[6] =
        (struct elf_builder_section){ ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, header, sizeof header, 0, 0 };
    elf_builder_make(&b);
    struct hc_image *image = load(&b);
    assert_false(hc_image_line_at(image, 0x4000, &line));
    hc_image_free(image);
}

/* ---- what is refused ---- */

static void test_other_files(void **state)
{
    static struct elf_builder b;
    Elf32_Ehdr *header = (Elf32_Ehdr *)b.bytes;
    (void)state;
    typical(&b);
    header->e_machine = EM_SPARC;
    assert_refused(&b, "app.elf: is an ELF file for SPARC, not for MSP430 or ARM");
    typical(&b);
    header->e_ident[EI_CLASS] = ELFCLASS64;
    header->e_machine = EM_X86_64;
    assert_refused(&b, "app.elf: is a little-endian ELF64 file for AMD x86-64; MSP430 firmware is little-endian ELF32");
    typical(&b);
    header->e_ident[EI_DATA] = ELFDATA2MSB;
    header->e_machine = (Elf32_Half)(EM_PPC << 8);
    assert_refused(&b, "app.elf: is a big-endian ELF32 file for PowerPC; MSP430 firmware is little-endian ELF32");
    typical(&b);
    header->e_type = ET_REL;
    assert_refused(&b, "app.elf: is an object file: link it first");
    typical(&b);
    header->e_type = ET_CORE;
    assert_refused(&b, "app.elf: ELF type is 4, should be 2 (an executable)");
    typical(&b);
    header->e_phentsize = 31;
    assert_refused(&b, "app.elf: program headers have 31 bytes each, should have 32");
}

static void test_contradictions(void **state)
{
    static struct elf_builder b;
    Elf32_Phdr *segments = (Elf32_Phdr *)(b.bytes + sizeof(Elf32_Ehdr));
    (void)state;
    typical(&b);
    segments[1].p_paddr = 0x4004;
    assert_refused(&b, "app.elf: section .data: address 0x4004 is given a second time");
    typical(&b);
    segments[1].p_paddr = 0xffffffff;
    assert_refused(&b, "app.elf: section .data: 3 bytes at 0xffffffff lie beyond the address space of 1 MB");
    typical(&b);
    segments[2].p_offset = 0x10000;
    assert_refused(&b, "app.elf: segment 2 at offset 0x10000 lies beyond the end of the file: truncated?");
    typical(&b);
    ((Elf32_Ehdr *)b.bytes)->e_shoff = 0x7fffffff;
    assert_refused(&b, "app.elf: offset 0x7fffffff: section headers lie beyond the end of the file: truncated?");
    typical(&b);
    Elf32_Shdr *sections = (Elf32_Shdr *)(b.bytes + ((Elf32_Ehdr *)b.bytes)->e_shoff);
    sections[5].sh_size = 0x40000000; /* .symtab */
    assert_refused(&b, "app.elf: section .symtab at offset 0xa5 lies beyond the end of the file: truncated?");
}

static void test_every_truncation(void **state)
{
    static struct elf_builder b;
    (void)state;
    typical(&b);
    for (size_t size = 0; size < b.size; size++) {
        struct hc_image *image;
        struct hc_image_message message = { "" };
        uint8_t *exact = malloc(size + 1);
        memcpy(exact, b.bytes, size);
        assert_int_equal(hc_image_load_memory(&image, "app.elf", exact, size, &message), HC_IMAGE_BAD);
        assert_true(strlen(message.text) > strlen("app.elf: "));
        free(exact);
    }
}

/* Every byte replaced by every one of some: whatever comes of it, questions can be asked of it. */
static void test_every_byte_changed(void **state)
{
    static const uint8_t values[] = { 0x00, 0xff };
    static struct elf_builder b;
    char text[80];
    (void)state;
    typical(&b);
    for (size_t at = 0; at < b.size; at++) {
        for (size_t n = 0; n < sizeof values; n++) {
            struct hc_image *image;
            struct hc_image_message message;
            uint8_t kept = b.bytes[at];
            b.bytes[at] = values[n];
            if (!hc_image_load_memory(&image, "app.elf", b.bytes, b.size, &message))
                hc_image_locate(image, 0x4006, text, sizeof text);
            hc_image_free(image);
            b.bytes[at] = kept;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_half_the_headers),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_short_dwarf),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_inflated_lines),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_byte_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
