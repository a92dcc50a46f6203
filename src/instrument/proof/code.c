#include "code.h"

#include "image/image.h"
#include "machine/cpu/msp430/instruction.h"
#include "recorded/link_table.h"
#include "recorded/names.h"
#include "support/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES = 1 << 20,
    VECTORS_LOWEST = 0xff80, /* of any part */
    RESET_VECTOR = 0xfffe,
    ERASED = 0xffff,
    TABLE_MAX = 512,
    HANDLERS_FEW = 16,
    NMI_VECTOR = 0xfffc,
    USER_NMI_VECTOR = 0xfffa, /* of parts with vectors below LOWEST_OF_16 */
    LOWEST_OF_16 = 0xffe0,
};

/* ---- the image's bytes ---- */

static bool get_byte(const struct hc_image *image, uint32_t address, uint8_t *out)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    uint32_t programmed = address;

    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < count; i++)
            if (programmed - segments[i].address < segments[i].size) {
                *out = segments[i].bytes[programmed - segments[i].address];
                return true;
            }
        if (!hc_image_initial_value(image, address, &programmed)) /* code that is copied to RAM */
            return false;
    }
    return false;
}

static bool get_word(const struct hc_image *image, uint32_t address, uint16_t *out)
{
    uint8_t low, high;

    if (!get_byte(image, address, &low) || !get_byte(image, address + 1, &high))
        return false;
    *out = (uint16_t)(low | high << 8);
    return true;
}

/* Up to 8 bytes of an instruction; false if not even a word is there. */
static bool get_instruction(const struct hc_image *image, uint32_t pc, uint8_t out[8])
{
    memset(out, 0, 8);
    for (uint32_t i = 0; i < 8; i++)
        if (!get_byte(image, pc + i, &out[i]))
            return i >= 2;
    return true;
}

/* The MSP430X has every instruction of the MSP430. */
bool hc_proof_decode(const struct hc_proof_code *code, uint32_t pc, struct hc_instruction *out)
{
    uint8_t bytes[8];

    if (!get_instruction(code->image, pc, bytes))
        return false;
    hc_msp430_decode(bytes, pc, HC_CPU_MSP430X, out);
    return true;
}

/* ---- nodes ---- */

static bool grow(struct hc_proof_code *code, void *array, size_t count, size_t *room, size_t element)
{
    bool grown = hc_grow(array, count, room, element);
    code->failed |= !grown;
    return grown;
}

/* The node at PC, made and queued if it is new; HC_NO_NODE when memory is exhausted. */
static int node_at(struct hc_proof_code *code, uint32_t pc)
{
    pc &= ADDRESSES - 2;
    if (code->node_at[pc / 2] != HC_NO_NODE)
        return code->node_at[pc / 2];
    if (!grow(code, &code->node, code->nodes, &code->node_room, sizeof *code->node) ||
        !grow(code, &code->waiting, code->waiting_count, &code->waiting_room, sizeof *code->waiting))
        return HC_NO_NODE;
    int n = (int)code->nodes++;
    code->node[n] = (struct hc_proof_node){
        .pc = pc, .kind = HC_NODE_STOP, .length = 2, .next = HC_NO_NODE, .target = HC_NO_NODE, .part = HC_NO_NODE
    };
    code->waiting[code->waiting_count++] = n;
    return code->node_at[pc / 2] = n;
}

static int entry_at(struct hc_proof_code *code, uint32_t pc)
{
    int n = node_at(code, pc);

    if (n != HC_NO_NODE)
        code->node[n].entry = true;
    return n;
}

static void add_target(struct hc_proof_code *code, int n, uint32_t pc)
{
    int target = node_at(code, pc);

    if (target == HC_NO_NODE || !grow(code, &code->list, code->listed, &code->list_room, sizeof *code->list))
        return;
    if (!code->node[n].targets)
        code->node[n].first_target = code->listed;
    code->node[n].targets++;
    code->list[code->listed++] = target;
}

/* ---- branches whose target is not in the instruction ---- */

static bool within(const struct hc_symbol *function, uint32_t address)
{
    return address - function->address < function->size && !(address & 1);
}

/* A table of addresses within the function, from TABLE on. */
static void read_table(struct hc_proof_code *code, int n, const struct hc_symbol *function, uint32_t table)
{
    uint16_t word;

    for (int i = 0; i < TABLE_MAX && get_word(code->image, table + 2u * (unsigned)i, &word); i++) {
        if (!within(function, word))
            break;
        add_target(code, n, word);
    }
}

/* Jumps in a row behind "add Rn, PC". */
static void read_jumps(struct hc_proof_code *code, int n, uint32_t pc)
{
    uint16_t word;

    for (int i = 0; i < TABLE_MAX && get_word(code->image, pc, &word) && (word & 0xfc00) == 0x3c00; i++, pc += 2)
        add_target(code, n, pc);
}

/* Labels whose address is taken: words of data that point into the function. */
static void read_labels(struct hc_proof_code *code, int n, const struct hc_symbol *function)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(code->image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t a = (segments[i].address + 1) & ~1u; a + 1 < segments[i].address + segments[i].size; a += 2) {
            const uint8_t *bytes = segments[i].bytes + (a - segments[i].address);
            uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8;
            if (a < VECTORS_LOWEST && word != function->address && within(function, word))
                add_target(code, n, word);
        }
}

static void branch_indirect(struct hc_proof_code *code, int n, const struct hc_instruction *i)
{
    struct hc_symbol function = { 0 };
    uint32_t pc = code->node[n].pc;
    bool known = hc_image_function_at(code->image, pc, &function);
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_ADDRESS && i->op == HC_OP_MOVA);

    code->node[n].kind = HC_NODE_SWITCH;
    if (known && moves && i->src.mode == HC_INDEXED)
        read_table(code, n, &function, i->src.value & (ADDRESSES - 1));
    else if (i->format == HC_DOUBLE && i->op == HC_OP_ADD)
        read_jumps(code, n, pc + i->length);
    if (code->node[n].targets)
        return;
    if (known && moves)
        read_labels(code, n, &function);
    code->node[n].calls = moves; /* or a tail call by pointer */
    code->node[n].unknown = !moves;
}

/* ---- instructions ---- */

static bool writes_pc(const struct hc_instruction *i)
{
    bool stores = i->format == HC_DOUBLE ? i->op != HC_OP_CMP && i->op != HC_OP_BIT
                                         : i->format == HC_ADDRESS && i->op != HC_OP_CMPA;
    return stores && i->dst.mode == HC_REGISTER && i->dst.reg == HC_PC;
}

/* Writes SR, and not only to clear bits. */
static bool sets_sr(const struct hc_instruction *i)
{
    if (i->format != HC_DOUBLE || i->dst.mode != HC_REGISTER || i->dst.reg != HC_SR)
        return false;
    return i->op != HC_OP_CMP && i->op != HC_OP_BIT && i->op != HC_OP_BIC && i->op != HC_OP_AND;
}

static bool reads_sr(const struct hc_instruction *i)
{
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_SINGLE && i->op == HC_OP_PUSH);

    return moves && i->src.mode == HC_REGISTER && i->src.reg == HC_SR;
}

static void note_sr(struct hc_proof_node *n, const struct hc_instruction *i)
{
    bool constant = i->src.mode == HC_IMMEDIATE;

    n->saves = reads_sr(i);
    n->enables = sets_sr(i) && constant && (i->src.value & HC_SR_GIE);
    n->restores = sets_sr(i) && !constant;
}

static bool is_tick(const struct hc_proof_code *code, const struct hc_instruction *i)
{
    return i->format == HC_DOUBLE && i->op == HC_OP_ADD && i->width == 16 && i->src.mode == HC_IMMEDIATE &&
           i->src.value == 1 && i->dst.mode == HC_ABSOLUTE && i->dst.value == code->count_address;
}

static void decode_branch(struct hc_proof_code *code, int n, const struct hc_instruction *i)
{
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_ADDRESS && i->op == HC_OP_MOVA);
    uint16_t word;

    if (moves && i->src.mode == HC_INCREMENT && i->src.reg == HC_SP) {
        code->node[n].kind = HC_NODE_RETURN;
    } else if (moves && i->src.mode == HC_IMMEDIATE) {
        int target = node_at(code, i->src.value);
        code->node[n].kind = HC_NODE_GOTO;
        code->node[n].target = target;
    } else if (moves && i->src.mode == HC_ABSOLUTE && i->src.value == RESET_VECTOR) {
        code->node[n].kind = HC_NODE_STOP; /* begins again: another boot */
    } else if (moves && i->src.mode == HC_ABSOLUTE && i->src.value >= 0x4000 &&
               get_word(code->image, i->src.value, &word)) {
        int target = node_at(code, word); /* a constant in flash */
        code->node[n].kind = HC_NODE_GOTO;
        code->node[n].target = target;
    } else {
        branch_indirect(code, n, i);
    }
}

static void decode_call(struct hc_proof_code *code, int n, const struct hc_instruction *i,
                        const struct hc_operand *callee)
{
    int next = node_at(code, code->node[n].pc + i->length);

    code->node[n].kind = HC_NODE_CALL_INDIRECT;
    if (callee->mode == HC_IMMEDIATE) {
        int target = entry_at(code, callee->value);
        code->node[n].kind = HC_NODE_CALL;
        code->node[n].target = target;
    }
    code->node[n].next = next;
}

static void decode_jump(struct hc_proof_code *code, int n, const struct hc_instruction *i)
{
    enum { ALWAYS = 7 };
    int target = node_at(code, i->dst.value);
    int next = i->op == ALWAYS ? HC_NO_NODE : node_at(code, code->node[n].pc + i->length);

    code->node[n].kind = i->op == ALWAYS ? HC_NODE_GOTO : HC_NODE_JUMP;
    code->node[n].target = target;
    code->node[n].next = next;
}

static void decode(struct hc_proof_code *code, int n)
{
    uint32_t pc = code->node[n].pc;
    struct hc_instruction i;

    if (!hc_proof_decode(code, pc, &i))
        return;
    code->node[n].length = i.length;
    code->node[n].tick = is_tick(code, &i);
    note_sr(&code->node[n], &i);
    if (i.format == HC_UNDEFINED)
        return;
    if (i.format == HC_RETI) {
        code->node[n].kind = HC_NODE_RETURN_INTERRUPT;
    } else if (i.format == HC_JUMP) {
        decode_jump(code, n, &i);
    } else if ((i.format == HC_SINGLE && i.op == HC_OP_CALL) || i.format == HC_CALLA) {
        decode_call(code, n, &i, &i.src);
    } else if (writes_pc(&i)) {
        decode_branch(code, n, &i);
    } else {
        int next = node_at(code, pc + i.length);
        code->node[n].kind = HC_NODE_STEP;
        code->node[n].next = next;
    }
}

static void decode_waiting(struct hc_proof_code *code)
{
    while (code->waiting_count && !code->failed)
        decode(code, code->waiting[--code->waiting_count]);
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
static void make_cuts(struct hc_proof_code *code)
{
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        uint32_t begin, end;

        if (!hc_recorder_address(code->image, cuts[i].begin, &begin) ||
            !hc_recorder_address(code->image, cuts[i].end, &end))
            continue;
        int n = node_at(code, begin), next = node_at(code, end);
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

static void add_root(struct hc_proof_code *code, uint32_t pc, bool handler, bool nonmaskable)
{
    if (code->roots == HC_PROOF_ROOTS || pc == ERASED || !pc || (pc & 1))
        return;
    int n = entry_at(code, pc);
    if (n != HC_NO_NODE)
        code->root[code->roots++] = (struct hc_proof_root){ n, handler, nonmaskable, false };
}

/* The program's own handler where a vector holds PC, a trampoline of the recorder's; else PC itself. */
static uint32_t real_handler(const struct hc_proof_code *code, uint32_t pc)
{
    const struct hc_link_table *link = &code->link;
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

static bool is_vector(const struct hc_proof_code *code, uint32_t vector, uint16_t *pc)
{
    struct hc_symbol function;

    if (!get_word(code->image, vector, pc))
        return false;
    return *pc == ERASED || (!(*pc & 1) && hc_image_function_at(code->image, *pc, &function));
}

/* From the reset vector down, as long as there are words that could be vectors. */
static void add_vectors(struct hc_proof_code *code)
{
    uint16_t pc;
    bool many = is_vector(code, LOWEST_OF_16 - 2, &pc) || code->link.vectors > HANDLERS_FEW;

    for (uint32_t vector = RESET_VECTOR; vector >= (many ? VECTORS_LOWEST : LOWEST_OF_16); vector -= 2) {
        bool nonmaskable = vector == NMI_VECTOR || (many && vector == USER_NMI_VECTOR);

        if (is_vector(code, vector, &pc))
            add_root(code, real_handler(code, pc), vector != RESET_VECTOR, nonmaskable);
    }
}

/* ---- addresses of functions ---- */

/* From the beginning of the first cut to the end of the last one: labels there are nobody's. */
static bool is_in_cuts(const struct hc_proof_code *code, uint32_t address)
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

static bool is_pointer(const struct taken *t, uint32_t address)
{
    for (int i = 0; i < 2; i++)
        if (address >= t->skip[i][0] && address < t->skip[i][1])
            return false;
    return address < VECTORS_LOWEST && !has_bit(t->covered, address);
}

/* Could a pointer of the program's hold ADDRESS? Nobody calls the start by pointer (but 0x4000 is a common constant),
 * nor what is in the recorder, but for what it offers. */
static bool is_function(const struct hc_proof_code *code, const struct taken *t, uint32_t address)
{
    struct hc_symbol function;

    if (!address || !hc_image_function_at(code->image, address, &function) || function.address != address)
        return false;
    if ((has_bit(t->recorder, address) || hc_is_recorder_name(function.name)) && !hc_is_recorder_call(function.name))
        return false;
    return address != code->node[code->root[0].node].pc && !is_in_cuts(code, address);
}

static void take(struct hc_proof_code *code, const struct taken *t, uint32_t address)
{
    if (!is_function(code, t, address))
        return;
    int n = entry_at(code, address);
    if (n != HC_NO_NODE)
        code->node[n].taken = true;
}

static void cover(uint8_t *bits, uint32_t start, uint32_t end)
{
    for (uint32_t a = start & ~1u; a < end && a < ADDRESSES; a += 2)
        bits[a / 16] |= (uint8_t)(1u << (a / 2 % 8));
}

/* Code that is not reached calls functions, too: what lies in functions whose size is known is no data; nor is the
 * recorder's assembly, from any of its functions to the next of known size. */
static void cover_functions(const struct hc_proof_code *code, struct taken *t)
{
    const struct hc_symbol *functions;
    size_t count = hc_image_functions(code->image, &functions);
    bool in_recorder = false;

    for (size_t i = 0; i < count; i++) {
        in_recorder = hc_is_recorder_name(functions[i].name) || (in_recorder && !functions[i].sized);
        if (functions[i].sized || in_recorder)
            cover(t->covered, functions[i].address, functions[i].address + functions[i].size);
        if (in_recorder)
            cover(t->recorder, functions[i].address, functions[i].address + functions[i].size);
    }
}

static void take_from_code(struct hc_proof_code *code, struct taken *t)
{
    for (size_t n = 0; n < code->nodes; n++) {
        struct hc_instruction i;
        uint32_t pc = code->node[n].pc;

        cover(t->covered, pc, pc + code->node[n].length);
        if (code->node[n].cut || !hc_proof_decode(code, pc, &i))
            continue;
        bool calls = code->node[n].kind == HC_NODE_CALL || code->node[n].kind == HC_NODE_GOTO;
        if (!calls && i.src.mode == HC_IMMEDIATE && i.length >= 4)
            take(code, t, i.src.value);
    }
}

static void take_from_data(struct hc_proof_code *code, const struct taken *t)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(code->image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t a = (segments[i].address + 1) & ~1u; a + 1 < segments[i].address + segments[i].size; a += 2) {
            const uint8_t *bytes = segments[i].bytes + (a - segments[i].address);
            if (is_pointer(t, a))
                take(code, t, bytes[0] | (uint32_t)bytes[1] << 8);
        }
}

static void find_skips(const struct hc_proof_code *code, struct taken *t)
{
    struct hc_image_section sites;

    if (code->link.vectors) {
        t->skip[0][0] = code->link.address;
        t->skip[0][1] = code->link.address + hc_link_table_size(code->link.vectors);
    }
    if (hc_image_section(code->image, HC_SITES_SECTION, &sites)) {
        t->skip[1][0] = sites.address;
        t->skip[1][1] = sites.address + sites.size;
    }
}

/* Functions whose address is taken are code, whether a call leads to them or not: threads are entered by RET or RETI.
 * Their code may take more. */
static void walk_taken(struct hc_proof_code *code)
{
    struct taken t = { 0 };

    find_skips(code, &t);
    t.covered = calloc(ADDRESSES / 16, 1);
    t.recorder = calloc(ADDRESSES / 16, 1);
    if (!t.covered || !t.recorder)
        code->failed = true;
    for (size_t before = 0; before != code->nodes && !code->failed;) {
        before = code->nodes;
        memset(t.covered, 0, ADDRESSES / 16);
        cover_functions(code, &t);
        take_from_code(code, &t);
        take_from_data(code, &t);
        decode_waiting(code);
    }
    free(t.covered);
    free(t.recorder);
}

/* ---- parts ---- */

static int add_part(struct hc_proof_code *code, int entry)
{
    if (!grow(code, &code->part, code->parts, &code->part_room, sizeof *code->part))
        return HC_NO_NODE;
    code->part[code->parts].entry = entry;
    return (int)code->parts++;
}

/* SUCCESSOR of a node in PART: the part's own from now on, an entry, or another part's: then an entry as well. */
static void claim(struct hc_proof_code *code, int successor, int part, bool *conflict)
{
    struct hc_proof_node *s = successor == HC_NO_NODE ? NULL : &code->node[successor];

    if (!s || s->entry || s->part == part)
        return;
    if (s->part != HC_NO_NODE) {
        s->entry = *conflict = true;
        return;
    }
    s->part = part;
    code->waiting[code->waiting_count++] = successor;
}

static void flood(struct hc_proof_code *code, int entry, bool *conflict)
{
    int part = add_part(code, entry);

    if (part == HC_NO_NODE)
        return;
    code->node[entry].part = part;
    code->waiting_count = 0;
    code->waiting[code->waiting_count++] = entry;
    while (code->waiting_count) {
        const struct hc_proof_node *n = &code->node[code->waiting[--code->waiting_count]];
        claim(code, n->next, part, conflict);
        if (n->kind != HC_NODE_CALL)
            claim(code, n->target, part, conflict);
        for (size_t i = 0; i < n->targets; i++)
            claim(code, code->list[n->first_target + i], part, conflict);
    }
}

/* Anew as long as instructions turn out to be in two parts. */
static void make_parts(struct hc_proof_code *code)
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

bool hc_proof_walk(struct hc_proof_code *code, const struct hc_image *image)
{
    uint32_t resume;

    *code = (struct hc_proof_code){ .image = image, .count_address = UINT32_MAX };
    code->node_at = malloc(ADDRESSES / 2 * sizeof *code->node_at);
    if (!code->node_at)
        return false;
    for (int i = 0; i < ADDRESSES / 2; i++)
        code->node_at[i] = HC_NO_NODE;
    if (hc_recorder_address(image, HC_SYMBOL_COUNT, &resume))
        code->count_address = resume;
    hc_link_table_read(&code->link, image);
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

void hc_proof_code_free(struct hc_proof_code *code)
{
    free(code->node);
    free(code->list);
    free(code->part);
    free(code->waiting);
    free(code->node_at);
    *code = (struct hc_proof_code){ 0 };
}
