#include "walk.h"

#include "image/image.h"
#include "recorded/link_table.h"
#include "recorded/names.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

enum { ERASED = 0xffff, HANDLERS_FEW = 16 };

static void decode_waiting(struct hc_code_graph *code)
{
    while (code->waiting_count && !code->failed)
        code->target->code->decode(code, code->waiting[--code->waiting_count]);
}

/* ---- what the recorder does ---- */

static const struct {
    enum hc_recorder_symbol begin, end;
} cuts[] = {
    { HC_SYMBOL_CUT_READ, HC_SYMBOL_CUT_READ_END },
    { HC_SYMBOL_CUT_READ_VIA, HC_SYMBOL_CUT_READ_END },
    { HC_SYMBOL_CUT_UPDATE, HC_SYMBOL_CUT_UPDATE_END },
    { HC_SYMBOL_CUT_RESUME, HC_SYMBOL_CUT_UPDATE_END },
};

/* A cut is one event that leads to its end. It is made before the walk, which so stays out of it. */
static void make_cuts(struct hc_code_graph *code)
{
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        uint32_t begin, end;

        if (!hc_recorder_address(code->image, cuts[i].begin, &begin) ||
            !hc_recorder_address(code->image, cuts[i].end, &end))
            continue;
        int n = hc_code_node_at(code, begin), next = hc_code_node_at(code, end);
        if (n == HC_NO_NODE || next == HC_NO_NODE)
            return;
        code->node[n].kind = HC_NODE_STEP;
        code->node[n].tick = code->node[n].cut = true;
        code->node[n].next = next;
        /* decoded already, so to say */
        for (size_t k = 0; k < code->waiting_count; k++)
            if (code->waiting[k] == n)
                code->waiting[k] = code->waiting[--code->waiting_count];
    }
}

/* ---- roots ---- */

static void add_root(struct hc_code_graph *code, uint32_t pc, bool handler, bool nonmaskable)
{
    if (code->roots == HC_CODE_ROOTS || pc == ERASED || !pc || (pc & 1))
        return;
    int n = hc_code_entry_at(code, pc);
    if (n != HC_NO_NODE)
        code->root[code->roots++] = (struct hc_code_root){ n, handler, nonmaskable, false };
}

/* The program's own handler where a vector holds PC, a trampoline of the recorder's; else PC itself. */
static uint32_t real_handler(const struct hc_code_graph *code, const struct hc_link_table *link, uint32_t pc)
{
    uint32_t start;

    for (int vector = 0; vector < link->vectors; vector++) {
        bool is_reset = vector == link->vectors - 1;
        bool ours = is_reset ? hc_recorder_address(code->image, HC_SYMBOL_RESET, &start)
                             : hc_trampoline_address(code->image, vector, &start);
        if (ours && start == pc)
            return link->handler[vector];
    }
    return pc;
}

static bool is_vector(const struct hc_code_graph *code, uint32_t vector, uint16_t *pc)
{
    struct hc_symbol function;

    if (!hc_code_word(code->image, vector, pc))
        return false;
    return *pc == ERASED || (!(*pc & 1) && hc_image_function_at(code->image, *pc, &function));
}

/* From the reset vector down, as long as there are words that could be vectors. */
static void add_vectors(struct hc_code_graph *code)
{
    const struct hc_code_vectors *v = &code->target->code->vectors;
    struct hc_link_table link;
    uint16_t pc;

    hc_link_table_read(&link, code->image);
    bool many = is_vector(code, v->lowest_few - 2, &pc) || link.vectors > HANDLERS_FEW;
    for (uint32_t vector = v->reset; vector >= (many ? v->lowest : v->lowest_few); vector -= 2) {
        bool nonmaskable = vector == v->nonmaskable || (many && vector == v->nonmaskable_many);

        if (is_vector(code, vector, &pc))
            add_root(code, real_handler(code, &link, pc), vector != v->reset, nonmaskable);
    }
}

/* ---- addresses of functions ---- */

/* From the beginning of the first cut to the end of the last one: labels there are nobody's. */
static bool is_in_cuts(const struct hc_code_graph *code, uint32_t address)
{
    uint32_t begin, end;

    return hc_recorder_address(code->image, HC_SYMBOL_CUT_READ, &begin) &&
           hc_recorder_address(code->image, HC_SYMBOL_CUT_READ_END, &end) && address >= begin && address < end;
}

struct taken {
    uint32_t skip[2][2]; /* ranges of words that are no pointers of the program */
    uint8_t *covered;    /* by code: a bit a word */
    uint8_t *recorder;   /* likewise, by the recorder's */
};

static bool has_bit(const uint8_t *bits, uint32_t address)
{
    return bits[address / 16] >> (address / 2 % 8) & 1;
}

static bool is_pointer(const struct hc_code_graph *code, const struct taken *t, uint32_t address)
{
    for (int i = 0; i < 2; i++)
        if (address >= t->skip[i][0] && address < t->skip[i][1])
            return false;
    return address < code->target->code->vectors.lowest && !has_bit(t->covered, address);
}

/* Could a pointer of the program's hold ADDRESS? Nobody calls the start by pointer (but 0x4000 is a common constant),
 * nor what is in the recorder, but for what it offers. */
static bool is_function(const struct hc_code_graph *code, const struct taken *t, uint32_t address)
{
    struct hc_symbol function;

    if (!address || !hc_image_function_at(code->image, address, &function) || function.address != address)
        return false;
    if ((has_bit(t->recorder, address) || hc_is_recorder_name(function.name)) && !hc_is_recorder_call(function.name))
        return false;
    return address != code->node[code->root[0].node].pc && !is_in_cuts(code, address);
}

static void take(struct hc_code_graph *code, const struct taken *t, uint32_t address)
{
    if (!is_function(code, t, address))
        return;
    int n = hc_code_entry_at(code, address);
    if (n != HC_NO_NODE)
        code->node[n].taken = true;
}

static void cover(const struct hc_code_graph *code, uint8_t *bits, uint32_t start, uint32_t end)
{
    for (uint32_t a = start & ~1u; a < end && a < code->addresses; a += 2)
        bits[a / 16] |= (uint8_t)(1u << (a / 2 % 8));
}

/* Code that is not reached calls functions, too: what lies in functions whose size is known is no data; nor is the
 * recorder's assembly, from any of its functions to the next of known size. */
static void cover_functions(const struct hc_code_graph *code, struct taken *t)
{
    const struct hc_symbol *functions;
    size_t count = hc_image_functions(code->image, &functions);
    bool in_recorder = false;

    for (size_t i = 0; i < count; i++) {
        in_recorder = hc_is_recorder_name(functions[i].name) || (in_recorder && !functions[i].sized);
        if (functions[i].sized || in_recorder)
            cover(code, t->covered, functions[i].address, functions[i].address + functions[i].size);
        if (in_recorder)
            cover(code, t->recorder, functions[i].address, functions[i].address + functions[i].size);
    }
}

static void take_from_code(struct hc_code_graph *code, struct taken *t)
{
    for (size_t n = 0; n < code->nodes; n++) {
        uint32_t pc = code->node[n].pc, value;

        cover(code, t->covered, pc, pc + code->node[n].length);
        if (code->node[n].cut)
            continue;
        bool calls = code->node[n].kind == HC_NODE_CALL || code->node[n].kind == HC_NODE_GOTO;
        if (!calls && code->target->code->constant(code, pc, &value))
            take(code, t, value);
    }
}

static void take_from_data(struct hc_code_graph *code, const struct taken *t)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(code->image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t a = (segments[i].address + 1) & ~1u; a + 1 < segments[i].address + segments[i].size; a += 2) {
            const uint8_t *bytes = segments[i].bytes + (a - segments[i].address);
            if (is_pointer(code, t, a))
                take(code, t, bytes[0] | (uint32_t)bytes[1] << 8);
        }
}

static void find_skips(const struct hc_code_graph *code, struct taken *t)
{
    struct hc_image_section sites;
    struct hc_link_table link;

    if (hc_link_table_read(&link, code->image)) {
        t->skip[0][0] = link.address;
        t->skip[0][1] = link.address + hc_link_table_size(link.vectors);
    }
    if (hc_image_section(code->image, HC_SITES_SECTION, &sites)) {
        t->skip[1][0] = sites.address;
        t->skip[1][1] = sites.address + sites.size;
    }
}

/* Functions whose address is taken are code, whether a call leads to them or not: threads are entered by returns.
 * Their code may take more. */
static void walk_taken(struct hc_code_graph *code)
{
    struct taken t = { 0 };

    find_skips(code, &t);
    t.covered = calloc(code->addresses / 16, 1);
    t.recorder = calloc(code->addresses / 16, 1);
    if (!t.covered || !t.recorder)
        code->failed = true;
    for (size_t before = 0; before != code->nodes && !code->failed;) {
        before = code->nodes;
        memset(t.covered, 0, code->addresses / 16);
        cover_functions(code, &t);
        take_from_code(code, &t);
        take_from_data(code, &t);
        decode_waiting(code);
    }
    free(t.covered);
    free(t.recorder);
}

/* ---- parts ---- */

static int add_part(struct hc_code_graph *code, int entry)
{
    if (!hc_code_grow(code, &code->part, code->parts, &code->part_room, sizeof *code->part))
        return HC_NO_NODE;
    code->part[code->parts].entry = entry;
    return (int)code->parts++;
}

/* SUCCESSOR of a node in PART: the part's own from now on, an entry, or another part's: then an entry as well. */
static void claim(struct hc_code_graph *code, int successor, int part, bool *conflict)
{
    struct hc_code_node *s = successor == HC_NO_NODE ? NULL : &code->node[successor];

    if (!s || s->entry || s->part == part)
        return;
    if (s->part != HC_NO_NODE) {
        s->entry = *conflict = true;
        return;
    }
    s->part = part;
    code->waiting[code->waiting_count++] = successor;
}

static void flood(struct hc_code_graph *code, int entry, bool *conflict)
{
    int part = add_part(code, entry);

    if (part == HC_NO_NODE)
        return;
    code->node[entry].part = part;
    code->waiting_count = 0;
    code->waiting[code->waiting_count++] = entry;
    while (code->waiting_count) {
        const struct hc_code_node *n = &code->node[code->waiting[--code->waiting_count]];
        claim(code, n->next, part, conflict);
        if (n->kind != HC_NODE_CALL)
            claim(code, n->target, part, conflict);
        for (size_t i = 0; i < n->targets; i++)
            claim(code, code->list[n->first_target + i], part, conflict);
    }
}

/* Anew as long as instructions turn out to be in two parts. */
static void make_parts(struct hc_code_graph *code)
{
    bool conflict = true;

    if (code->waiting_room < code->nodes + 1) {
        int *bigger = realloc(code->waiting, (code->nodes + 1) * sizeof *bigger);
        if (!bigger) {
            code->failed = true;
            return;
        }
        code->waiting = bigger;
        code->waiting_room = code->nodes + 1;
    }
    while (conflict && !code->failed) {
        conflict = false;
        code->parts = 0;
        for (size_t n = 0; n < code->nodes; n++)
            code->node[n].part = HC_NO_NODE;
        for (size_t n = 0; n < code->nodes; n++)
            if (code->node[n].entry)
                flood(code, (int)n, &conflict);
    }
}

/* ---- all of it ---- */

static const struct hc_target *target_of(const struct hc_image *image)
{
    return hc_target_of_elf(hc_image_machine(image));
}

bool hc_proof_walk(struct hc_code_graph *code, const struct hc_image *image)
{
    uint32_t resume;

    *code = (struct hc_code_graph){ .image = image, .target = target_of(image), .count_address = UINT32_MAX };
    if (!code->target || !code->target->code)
        return false;
    code->addresses = code->target->code->addresses;
    code->node_at = malloc(code->addresses / 2 * sizeof *code->node_at);
    if (!code->node_at)
        return false;
    for (uint32_t i = 0; i < code->addresses / 2; i++)
        code->node_at[i] = HC_NO_NODE;
    if (hc_recorder_address(image, HC_SYMBOL_COUNT, &resume))
        code->count_address = resume;
    make_cuts(code);
    add_vectors(code);
    if (hc_recorder_address(image, HC_SYMBOL_UPDATE_RESUME, &resume)) {
        add_root(code, resume, false, false);
        if (code->roots)
            code->root[code->roots - 1].resumes = true;
    }
    decode_waiting(code);
    if (code->roots)
        walk_taken(code);
    if (!code->failed && code->roots)
        make_parts(code);
    return !code->failed && code->roots;
}
