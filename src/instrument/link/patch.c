#include "patch.h"

#include "../runtime/codec/page.h"
#include "../runtime/traffic/model.h"
#include "../runtime/traffic/path_map.h"
#include "image/image.h"
#include "instrument/proof/proof.h"
#include "machine_code.h"
#include "map_records.h"
#include "patch_paths.h"
#include "pieces.h"
#include "recorded/link_table.h"
#include "recorded/map.h"
#include "recorded/names.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ID_SIZE = 20,
    ID_SHORT = HC_LINK_BUILD_SIZE,
    ERASED = 0xffff,  /* a vector without a handler, as flash has it; some linkers leave 0 */
    NOTE_HEADER = 12, /* of a note: sizes of name and content, type */
};

struct patch {
    struct hc_invocation *session;
    const char *path;
    const struct hc_regs *registers;
    const struct hc_target *target;
    const struct hc_argv *trusted; /* functions */
    const char *runtime;           /* folder of the recorder's sources */
    uint8_t *bytes;                /* the file */
    size_t size;
    Elf *elf;       /* reads from BYTES */
    uint32_t table; /* address of __hc_link */
    bool called;    /* the recorder is */
    uint8_t id[ID_SIZE];
};

static bool fail(const struct patch *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "FILE: ..." */
static bool fail(const struct patch *p, const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hc_invocation_fail(p->session, "%s: %s", p->path, text);
}

/* ---- bytes at addresses ---- */

/* The section that has SIZE bytes at ADDRESS in the file. */
static uint8_t *loaded(const struct patch *p, uint32_t address, uint32_t size)
{
    GElf_Shdr s;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));)
        if (gelf_getshdr(section, &s) && s.sh_flags & SHF_ALLOC && s.sh_type != SHT_NOBITS && address >= s.sh_addr &&
            address + size <= s.sh_addr + s.sh_size && s.sh_offset + s.sh_size <= p->size)
            return p->bytes + s.sh_offset + (address - s.sh_addr);
    return NULL;
}

static unsigned get_word(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static void put_word(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static bool find_symbol(const struct patch *p, const char *name, uint32_t *value)
{
    GElf_Shdr s;
    GElf_Sym symbol;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        if (!gelf_getshdr(section, &s) || s.sh_type != SHT_SYMTAB || !s.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < s.sh_size / s.sh_entsize; i++) {
            const char *here =
                gelf_getsym(data, (int)i, &symbol) ? elf_strptr(p->elf, s.sh_link, symbol.st_name) : NULL;
            if (here && symbol.st_shndx != SHN_UNDEF && !strcmp(here, name)) {
                *value = (uint32_t)symbol.st_value;
                return true;
            }
        }
    }
    return false;
}

static uint8_t *table(const struct patch *p)
{
    return loaded(p, p->table, hc_link_table_size(p->registers->vectors));
}

/* ---- vectors ---- */

static bool patch_vector(struct patch *p, int n)
{
    uint8_t *vector = loaded(p, p->registers->vectors_start + 2 * (uint32_t)n, 2);
    bool reset = n == p->registers->vectors - 1;
    unsigned handler = vector ? get_word(vector) : ERASED;
    char name[HC_TRAMPOLINE_NAME];
    uint32_t trampoline;

    hc_link_table_set_handler(table(p), n, handler);
    if (handler == ERASED || !handler)
        return !reset || fail(p, "has no reset vector at 0x%04x: is it linked for an %s?",
                              p->registers->vectors_start + 2 * (uint32_t)n, p->registers->part);
    const char *symbol = reset ? hc_recorder_symbols[HC_SYMBOL_RESET] : hc_trampoline_name(n, name);
    if (!find_symbol(p, symbol, &trampoline))
        return fail(p, "vector %d has a handler at 0x%04x, but the recorder has no %s", n, handler, symbol);
    put_word(vector, trampoline);
    return true;
}

static bool patch_vectors(struct patch *p)
{
    for (int n = 0; n < p->registers->vectors; n++)
        if (!patch_vector(p, n))
            return false;
    return true;
}

/* ---- updates ---- */

/* A call that was put into a loop or a handler does nothing. */
static void drop_update(struct patch *p, int symbol)
{
    uint32_t address, size = p->target->code->returns_size;
    uint8_t *code = find_symbol(p, hc_recorder_symbols[hc_update_symbols[symbol].symbol], &address)
                        ? loaded(p, address, size)
                        : NULL;

    if (code)
        memcpy(code, p->target->code->returns, size);
}

static bool note_is(const struct hc_map *map, const char *kind, const char *text)
{
    for (size_t i = 0; i < map->notes; i++)
        if (!strcmp(map->note[i].kind, kind) && !strcmp(map->note[i].text, text))
            return true;
    return false;
}

/* A loop may be in the middle of a transfer, with another chip selected. Only a port of the program's knows. */
static bool bus_is_shared(const struct hc_map *map)
{
    const char *sink = hc_map_value(map, "sink");

    return map->bus && sink && !strcmp(sink, "m25p80") && note_is(map, "port", "bare");
}

/* In code a word counts only where an address can be: opcodes look like addresses, too. */
static bool section_has(const struct patch *p, const GElf_Shdr *s, unsigned word)
{
    bool is_code = s->sh_flags & SHF_EXECINSTR;
    unsigned before = 0;
    if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS || s->sh_offset + s->sh_size > p->size)
        return false;
    for (uint64_t at = s->sh_addr & 1; at + 2 <= s->sh_size; at += 2) {
        unsigned here = get_word(p->bytes + s->sh_offset + at);
        if (here == word && (!is_code || p->target->code->takes_address(before)))
            return true;
        before = here;
    }
    return false;
}

/* Whether what was linked has the address of FUNCTION in it. A hook of a port's that nobody calls may be gone. */
static bool refers_to(struct patch *p, const char *function)
{
    uint32_t address;
    GElf_Shdr s;

    if (!find_symbol(p, function, &address))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));)
        if (gelf_getshdr(section, &s) && section_has(p, &s, address))
            return true;
    return false;
}

static void patch_calls(struct patch *p, const struct hc_map *map)
{
    bool shared = bus_is_shared(map);

    p->called =
        p->called && (refers_to(p, "hc_update") || refers_to(p, "hc_update_idle") || refers_to(p, "hc_update_later"));
    if (!map->handlers_only || shared)
        drop_update(p, HC_UPDATE_HANDLER);
    if (shared) {
        drop_update(p, HC_UPDATE_LOOP);
        drop_update(p, HC_UPDATE_MAIN);
    }
    p->called |= map->updates > 0;
}

static bool patch_updates(struct patch *p)
{
    struct hc_image *image;
    struct hc_map *map;
    struct hc_image_message message;
    struct hc_map_message bad;

    if (hc_image_load_memory(&image, p->path, p->bytes, p->size, &message))
        return hc_invocation_fail(p->session, "%s", message.text);
    bool fine = !hc_map_read(&map, image, &bad) || hc_invocation_fail(p->session, "%s", bad.text);
    if (fine)
        patch_calls(p, map);
    hc_map_free(map);
    hc_image_free(image);
    return fine;
}

static bool check_updates(const struct patch *p)
{
    return p->called || fail(p, "nothing calls hc_update, so nothing would be recorded: the program neither sleeps nor "
                                "loops for ever in C that hindcast cc compiled; call hc_update() where it has time "
                                "(docs/porting.md), or leave out --update=manual and --port=kit, which is for "
                                "programs that use the kit's kernel");
}

/* ---- ticks ---- */

/* Ticks that need not look whether the counter has to begin again are made shorter. */
static bool patch_ticks(struct patch *p)
{
    struct hc_image *image;
    struct hc_image_message message;
    uint32_t tick, count, *plain = NULL;
    size_t ticks = 0;

    if (!find_symbol(p, "__hc_tick", &tick) || !find_symbol(p, "__hc_count", &count))
        return true;
    if (hc_image_load_memory(&image, p->path, p->bytes, p->size, &message))
        return hc_invocation_fail(p->session, "%s", message.text);
    bool fine = hc_proof_plain_ticks(&plain, &ticks, image, tick) || fail(p, "out of memory");
    for (size_t i = 0; i < ticks; i++) {
        uint8_t *code = loaded(p, plain[i], 4);
        if (code)
            p->target->code->make_tick_plain(code, count);
    }
    free(plain);
    hc_image_free(image);
    return fine;
}

/* ---- memory ---- */

static bool patch_memory(struct patch *p, const struct hc_image *image, const struct hc_code_facts *code)
{
    struct hc_pieces pieces;
    struct hc_pieces_message message;

    if (!hc_pieces_find(&pieces, p->elf, image, p->registers, code, &message))
        return fail(p, "%s", message.text);
    hc_link_table_set_free(table(p), pieces.free);
    for (int i = 0; i < HC_PIECES; i++)
        if (i != HC_PIECES_REGISTERS)
            hc_link_table_set_piece(table(p), i, pieces.piece[i]);
    return true;
}

/* ---- build id ---- */

/* The content of the note NAME/TYPE, which must have at least ID_SIZE bytes; NULL if there is none. */
static uint8_t *note_content(const struct patch *p, const char *name, uint32_t type)
{
    GElf_Shdr s;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        if (!gelf_getshdr(section, &s) || s.sh_type != SHT_NOTE || s.sh_offset + s.sh_size > p->size ||
            s.sh_size < NOTE_HEADER)
            continue;
        uint8_t *note = p->bytes + s.sh_offset;
        uint32_t name_size = get_word(note) | get_word(note + 2) << 16;
        uint32_t room = (name_size + 3) & ~3u;
        if (name_size != strlen(name) + 1 || memcmp(note + NOTE_HEADER, name, name_size) != 0 || note[8] != type ||
            get_word(note + 4) < ID_SIZE || NOTE_HEADER + room + ID_SIZE > s.sh_size)
            continue;
        return note + NOTE_HEADER + room;
    }
    return NULL;
}

/* All that is loaded, by address: where, how much, what. */
static void hash_contents(struct patch *p)
{
    struct sha256_ctx hash;
    GElf_Shdr s;

    sha256_init(&hash);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        if (!gelf_getshdr(section, &s) || !(s.sh_flags & SHF_ALLOC) || s.sh_type == SHT_NOBITS ||
            s.sh_offset + s.sh_size > p->size)
            continue;
        uint8_t place[4];
        put_word(place, (unsigned)s.sh_addr);
        put_word(place + 2, (unsigned)s.sh_size);
        sha256_update(&hash, sizeof place, place);
        sha256_update(&hash, s.sh_size, p->bytes + s.sh_offset);
    }
    sha256_digest(&hash, ID_SIZE, p->id);
}

/* BUILD: where the recorder has it. */
static bool patch_build(struct patch *p, uint8_t *build)
{
    uint8_t *ours = note_content(p, "Hindcast", 1), *gnu = note_content(p, "GNU", NT_GNU_BUILD_ID);

    if (!ours)
        return fail(p, "the linker left out the note .note.hindcast");
    memset(build, 0, ID_SHORT);
    if (gnu)
        memset(gnu, 0, ID_SIZE);
    hash_contents(p);
    memcpy(build, p->id, ID_SHORT);
    memcpy(ours, p->id, ID_SIZE);
    if (gnu)
        memcpy(gnu, p->id, ID_SIZE);
    return true;
}

/* ---- what the program itself tells ---- */

static bool is_trusted(const struct patch *p, const struct hc_image *image, uint32_t pc)
{
    struct hc_symbol function;

    if (!hc_image_function_at(image, pc, &function))
        return false;
    for (size_t i = 0; i < p->trusted->count; i++)
        if (!strcmp(p->trusted->word[i], function.name))
            return true;
    return false;
}

/* Compiled from one of the recorder's sources. No position lies there: a replay skips the recorder. */
static bool is_recorder_code(const struct patch *p, struct hc_image *image, uint32_t pc)
{
    size_t length = strlen(p->runtime);
    struct hc_line line;

    return hc_image_line_at(image, pc, &line) && !strncmp(line.file, p->runtime, length) && line.file[length] == '/';
}

/* A constant that happens to be the address of one of the recorder's own functions leads the proof there. */
static bool check_stuck(const struct patch *p, struct hc_image *image, const struct hc_proof *proof)
{
    char place[200];
    struct hc_symbol function;

    for (size_t i = 0; i < proof->stuck; i++)
        if (!is_trusted(p, image, proof->stuck_pc[i]) && !is_recorder_code(p, image, proof->stuck_pc[i]))
            return fail(
                p,
                "%s: this loop changes memory, but no register from turn to turn, so that an interrupt in it "
                "could not be replayed at its turn; put 'call #__hc_tick' into it (flags are lost), write it in C, "
                "or say --trust=%s if none comes there",
                hc_image_locate(image, proof->stuck_pc[i], place, sizeof place),
                hc_image_function_at(image, proof->stuck_pc[i], &function) ? function.name : "FUNCTION");
    return true;
}

/* Pages whose positions are hashed: those that the proof lists, and those where it knows of no code. If some runs
 * there, the program has put it there itself, as those do that copy functions to RAM. The proof reads the program as it
 * is now, handlers filled in. */
static bool patch_hashed(struct patch *p, struct hc_image *image)
{
    struct hc_proof *proof;
    struct hc_proof_message reason;

    if (hc_proof_make(&proof, image, &reason))
        return fail(p, "positions of interrupts: %s", reason.text);
    uint8_t hashed[HC_LINK_HASHED_SIZE];
    for (size_t i = 0; i < sizeof hashed; i++)
        hashed[i] = (uint8_t)(proof->hashed[i] | ~proof->known[i]);
    hc_link_table_set_hashed(table(p), hashed);
    bool fine = check_stuck(p, image, proof);
    hc_proof_free(proof);
    return fine;
}

/* The recorder saves 16 bits of each register. */
static bool check_width(const struct patch *p, struct hc_image *image, uint32_t wide)
{
    char place[200];

    return !wide ||
           fail(p,
                "%s uses 20 bits of a register, but the recorder saves 16: build without -mlarge and 20-bit intrinsics",
                hc_image_locate(image, wide, place, sizeof place));
}

static bool check_vectors(const struct patch *p, struct hc_image *image, uint32_t loads)
{
    char place[200];

    return !loads || fail(p,
                          "%s loads an interrupt vector, which in a recorded program leads to the recorder: call the "
                          "handler by its name",
                          hc_image_locate(image, loads, place, sizeof place));
}

/* Where the log is, if it is in the part's own memory. */
static bool own_log(const struct hc_image *image, struct hc_memory_range *log)
{
    struct hc_map *map;
    struct hc_map_message none;

    if (hc_map_read(&map, image, &none))
        return false;
    const char *sink = hc_map_value(map, "sink"), *region = hc_map_value(map, "log");
    bool own = sink && region && (!strcmp(sink, "flash") || !strcmp(sink, "fram")) &&
               sscanf(region, "%" SCNx32 "-%" SCNx32, &log->start, &log->end) == 2;
    hc_map_free(map);
    return own;
}

/* The first of the program's bytes or variables that lie in LOG. */
static bool find_in_log(const struct patch *p, const struct hc_image *image, struct hc_memory_range log,
                        uint32_t *found)
{
    const struct hc_image_segment *segment;
    size_t count = hc_image_segments(image, &segment);
    GElf_Shdr s;

    for (size_t i = 0; i < count; i++) {
        *found = segment[i].address;
        if (segment[i].address < log.end && segment[i].address + segment[i].size > log.start)
            return true;
    }
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        if (!gelf_getshdr(section, &s) || !(s.sh_flags & SHF_ALLOC) || !s.sh_size)
            continue;
        *found = (uint32_t)s.sh_addr;
        if (s.sh_addr < log.end && s.sh_addr + s.sh_size > log.start)
            return true;
    }
    return false;
}

static bool check_log(const struct patch *p, const struct hc_image *image)
{
    struct hc_memory_range log;
    uint32_t found;

    return !own_log(image, &log) || !find_in_log(p, image, log, &found) ||
           fail(p,
                "the log (0x%04x to 0x%04x) overlaps the program at 0x%04x: choose another --log-region, or leave room "
                "in the linker script",
                log.start, log.end - 1, found);
}

static bool patch_from_image(struct patch *p)
{
    struct hc_image *image;
    struct hc_code_facts code;
    struct hc_image_message message;

    if (hc_image_load_memory(&image, p->path, p->bytes, p->size, &message))
        return hc_invocation_fail(p->session, "%s", message.text);
    bool fine = (hc_machine_code_look(&code, image, p->registers) || fail(p, "out of memory")) &&
                check_width(p, image, code.wide) && check_vectors(p, image, code.vector) && check_log(p, image) &&
                patch_memory(p, image, &code) && patch_hashed(p, image);
    hc_image_free(image);
    return fine;
}

/* ---- the file ---- */

static bool find_table(struct patch *p)
{
    if (!find_symbol(p, hc_recorder_symbols[HC_SYMBOL_LINK], &p->table))
        return fail(p, "has no symbol __hc_link: was it linked with -s? Strip it afterwards instead");
    uint8_t *at = table(p);
    if (!at || !hc_link_table_is(at))
        return fail(p, "the recorder's table at 0x%04x is not there: did the linker script leave it out?", p->table);
    if (hc_link_table_version(at) != HC_TRACE_VERSION)
        return fail(p, "the recorder has version %u, should have %d", hc_link_table_version(at), HC_TRACE_VERSION);
    return true;
}

static bool read_file(struct patch *p)
{
    p->bytes = (uint8_t *)hc_argv_file(p->path, &p->size);
    if (!p->bytes)
        return fail(p, "%s", strerror(errno));
    elf_version(EV_CURRENT);
    p->elf = elf_memory((char *)p->bytes, p->size);
    const Elf32_Ehdr *header = p->elf && elf_kind(p->elf) == ELF_K_ELF ? elf32_getehdr(p->elf) : NULL;
    p->target = hc_target_of_cpu(p->registers->cpu);
    if (!header || !p->target || header->e_machine != p->target->elf_machine)
        return fail(p, "not an ELF file for %s; the link step needs the linker's own output", p->registers->cpu);
    return true;
}

/* In place: its mode and its owner stay as the linker made them. */
static bool write_file(const struct patch *p)
{
    int file = open(p->path, O_WRONLY | O_CLOEXEC);
    size_t done = 0;

    while (file >= 0 && done < p->size) {
        ssize_t more = write(file, p->bytes + done, p->size - done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    bool fine = file >= 0 && done == p->size;
    if (file >= 0 && close(file))
        fine = false;
    return fine || fail(p, "%s", strerror(errno));
}

/* ---- looking again ---- */

static bool check_image(const struct patch *p, const struct hc_image *image)
{
    const struct hc_regs *r = p->registers;
    uint32_t reset_vector = r->vectors_start + 2 * (uint32_t)(r->vectors - 1), reset, leads_to;
    struct hc_link_table written;
    size_t size;
    const uint8_t *id = hc_image_build_id(image, &size);

    if (!hc_link_table_read(&written, image) || written.address != p->table ||
        memcmp(written.build, p->id, ID_SHORT) != 0)
        return fail(p, "the recorder's table is not loaded where it should be (0x%04x)", p->table);
    if (!hc_recorder_address(image, HC_SYMBOL_RESET, &reset) || !hc_recorded_word(image, reset_vector, &leads_to) ||
        leads_to != reset)
        return fail(p, "the reset vector does not lead to the recorder");
    if (id && (size < ID_SHORT || memcmp(id, p->id, ID_SHORT) != 0))
        return fail(p, "the linker's build id could not be replaced");
    return true;
}

static bool check(const struct patch *p)
{
    struct hc_image *image;
    struct hc_image_message message;

    if (hc_image_load_file(&image, p->path, &message))
        return hc_invocation_fail(p->session, "%s", message.text);
    bool fine = check_image(p, image);
    hc_image_free(image);
    return fine;
}

static bool is_handled(const struct patch *p, int n)
{
    const uint8_t *vector = loaded(p, p->registers->vectors_start + 2 * (uint32_t)n, 2);

    return vector && get_word(vector) != ERASED && get_word(vector);
}

static void close_file(struct patch *p)
{
    if (p->elf)
        elf_end(p->elf);
    free(p->bytes);
}

char *hc_patch_handled(struct hc_invocation *session, const char *path, const struct hc_regs *registers)
{
    struct patch p = { .session = session, .path = path, .registers = registers };
    char *text = NULL;
    size_t size = 0;
    FILE *to = read_file(&p) ? open_memstream(&text, &size) : NULL;

    for (int n = 0; to && n < registers->vectors - 1; n++)
        if (is_handled(&p, n))
            fprintf(to, "%s%d", ftell(to) ? "," : "", n);
    close_file(&p);
    if (to && !fclose(to))
        return text;
    free(text);
    return NULL;
}

/* ---- targets whose code is not looked at ---- */

static bool patch_reset(struct patch *p)
{
    uint8_t *vector = loaded(p, p->target->reset_vector, 4);
    uint32_t reset;

    if (!vector || !find_symbol(p, hc_recorder_symbols[HC_SYMBOL_RESET], &reset))
        return fail(p, "has no reset vector at 0x%04x, or no recorder", p->target->reset_vector);
    hc_link_table_set_handler(table(p), 0, get_word(vector));
    put_word(vector, reset);
    put_word(vector + 2, reset >> 16);
    return true;
}

/* Where RAM has wide addresses the table holds offsets in it. */
static bool find_range(struct patch *p, enum hc_recorder_symbol first, enum hc_recorder_symbol end,
                       struct hc_memory_range *out)
{
    uint32_t base = p->registers->ram.start;

    if (!find_symbol(p, hc_recorder_symbols[first], &out->start) ||
        !find_symbol(p, hc_recorder_symbols[end], &out->end))
        return fail(p, "the linker script does not define %s and %s", hc_recorder_symbols[first],
                    hc_recorder_symbols[end]);
    out->start -= base;
    out->end -= base;
    return (out->start < 0x10000 && out->end < 0x10000 && out->start <= out->end) ||
           fail(p, "%s must lie in the first 64 KB of RAM", hc_recorder_symbols[first]);
}

static bool patch_ranges(struct patch *p)
{
    struct hc_memory_range unused = { 0 }, registers = { 0 };

    if (!find_range(p, HC_SYMBOL_FREE, HC_SYMBOL_FREE_END, &unused) ||
        !find_range(p, HC_SYMBOL_REGISTERS, HC_SYMBOL_REGISTERS_END, &registers))
        return false;
    hc_link_table_set_free(table(p), unused);
    hc_link_table_set_piece(table(p), HC_PIECES_REGISTERS, registers);
    return true;
}

static bool patch_plain(struct patch *p)
{
    return find_table(p) && patch_reset(p) && patch_ranges(p) && patch_build(p, hc_link_table_build(table(p))) &&
           write_file(p);
}

bool hc_patch(struct hc_invocation *session, const char *path, const struct hc_regs *registers, bool called,
              const struct hc_argv *trusted, const char *runtime)
{
    struct patch p = { .session = session,
                       .path = path,
                       .registers = registers,
                       .called = called,
                       .trusted = trusted,
                       .runtime = runtime };
    bool fine = read_file(&p);

    if (fine && p.target->reset_vector)
        fine = patch_plain(&p);
    else if (fine)
        fine = find_table(&p) && patch_vectors(&p) && patch_updates(&p) && patch_ticks(&p) && patch_from_image(&p) &&
               check_updates(&p) && patch_build(&p, hc_link_table_build(table(&p))) && write_file(&p) && check(&p);

    close_file(&p);
    return fine;
}

/* ---- paths ---- */

static uint8_t *section_bytes(const struct patch *p, const char *name, size_t *size)
{
    GElf_Shdr s;
    size_t names;

    if (elf_getshdrstrndx(p->elf, &names))
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        const char *here = gelf_getshdr(section, &s) ? elf_strptr(p->elf, names, s.sh_name) : NULL;
        if (here && !strcmp(here, name) && s.sh_type != SHT_NOBITS && s.sh_offset + s.sh_size <= p->size) {
            *size = s.sh_size;
            return p->bytes + s.sh_offset;
        }
    }
    return NULL;
}

static uint8_t *loaded_at(void *owner, uint32_t address, uint32_t size)
{
    return loaded(owner, address, size);
}

static const char *function_at(void *owner, uint32_t address)
{
    const struct patch *p = owner;
    GElf_Shdr s;
    GElf_Sym symbol;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        if (!gelf_getshdr(section, &s) || s.sh_type != SHT_SYMTAB || !s.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < s.sh_size / s.sh_entsize; i++)
            if (gelf_getsym(data, (int)i, &symbol) && symbol.st_value == address &&
                GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
                return elf_strptr(p->elf, s.sh_link, symbol.st_name);
    }
    return NULL;
}

static size_t find_handlers(struct patch *p, uint32_t *out)
{
    size_t count = 0;

    for (int n = 0; n < p->registers->vectors - 1; n++) {
        if (!is_handled(p, n))
            continue;
        uint32_t handler = get_word(loaded(p, p->registers->vectors_start + 2 * (uint32_t)n, 2));
        const char *name = function_at(p, handler);
        bool trusted = false;
        for (size_t i = 0; i < p->trusted->count; i++)
            trusted |= name && !strcmp(p->trusted->word[i], name);
        if (!trusted)
            out[count++] = handler;
    }
    return count;
}

/* A program without the map records no paths. */
static bool patch_paths(struct patch *p, uint8_t *width)
{
    uint32_t handlers[HC_CODE_ROOTS], recorder;
    struct hc_patch_paths paths = { .at = loaded_at, .name = function_at, .owner = p, .handlers = handlers };

    paths.map = section_bytes(p, HC_PATHS_SECTION, &paths.size);
    if (!paths.map)
        return true;
    if (p->registers->vectors <= HC_CODE_ROOTS)
        paths.handler_count = find_handlers(p, handlers);
    if (!hc_patch_paths(&paths))
        return fail(p, "%s", paths.message);
    if (!find_symbol(p, "__hc_path", &recorder))
        return fail(p, "has paths but no recorder for them: link with --record=messages+paths");
    for (*width = 1; (paths.numbers - 1) >> *width;)
        ++*width;
    return true;
}

/* The linker left out what nothing calls. Calls that `hindcast cc` puts before a sleep are not in the units of a
 * region: those are compiled once more. */
static bool check_linked_updates(const struct patch *p)
{
    uint32_t address;

    return find_symbol(p, "hc_update", &address) || find_symbol(p, "hc_update_idle", &address) ||
           find_symbol(p, "hc_update_later", &address) ||
           fail(p, "nothing calls hc_update, so the log would never be written; call hc_update() where the program has "
                   "time, as in its main loop");
}

bool hc_patch_messages(struct hc_invocation *session, const char *path, const struct hc_regs *registers,
                       const struct hc_argv *trusted)
{
    enum { SIZE = sizeof(struct hc_traffic_begin), BUILD = offsetof(struct hc_traffic_begin, build) };
    struct patch p = { .session = session, .path = path, .registers = registers, .trusted = trusted };
    const char *name = hc_recorder_symbols[HC_SYMBOL_TRAFFIC];
    uint32_t address = 0;
    bool fine = read_file(&p);

    if (fine && !find_symbol(&p, name, &address))
        fine = fail(&p, "calls neither hc_message_send nor hc_message_receive: there is nothing to record; call them "
                        "in its radio stack (messages.h)");
    uint8_t *begin = fine ? loaded(&p, address, SIZE) : NULL;
    if (fine && !begin)
        fine = fail(&p, "the recorder's table at 0x%04x is not there: did the linker script leave it out?", address);
    fine = fine && check_linked_updates(&p) && patch_paths(&p, begin + offsetof(struct hc_traffic_begin, path_width)) &&
           patch_build(&p, begin + BUILD) && write_file(&p);
    close_file(&p);
    return fine;
}
