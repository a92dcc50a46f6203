/* What the files that lower a module share.
 *
 * Pointers become integers of 16 bits; every access goes to the arena. Types are otherwise the same, values too:
 * arithmetic has the width that it had on the node. A value of the old module has one in the new. */
#ifndef HC_NATIVE_LOWERING_H
#define HC_NATIVE_LOWERING_H

#include "frames.h"
#include "program.h"

#include "llvm/llvm.h"

struct hc_lowering {
    const struct hc_region_map *map;
    const struct hc_image_section *places; /* of the module's objects: address, name */
    const struct hc_frames *frames;
    bool checks;
    bool in_place; /* only checks are added, to a module for pointers of 32 bits (wide/checks.c): `from` is `to` */
    LLVMContextRef context;
    LLVMModuleRef from, to;
    LLVMTargetDataRef layout; /* the node's */
    LLVMBuilderRef builder;
    LLVMTypeRef i8, i16, i32, i64, pointer, void_type;
    LLVMValueRef arena, sp, owner, hooks;
    /* of the function that is lowered */
    const struct hc_native_frame *frame;
    LLVMValueRef function, cfa, own_sp; /* the stack pointer before the call, and in the body */
    bool has_lines;
    struct hc_lowered_pair {
        LLVMValueRef from, to;
        LLVMValueRef origin; /* a value's shadow (checks.c); where a block ends */
    } *pair;                 /* values, by hash */
    size_t pairs, pair_room;
    struct hc_native_site *site;
    size_t sites, site_room;
    bool failed;
    char *text; /* of the failure */
    size_t size;
};

/* ---- lower.c ---- */
/* `from` is set: types, a builder. */
void hc_lowering_begin(struct hc_lowering *l);
void hc_lowering_free(struct hc_lowering *l);
/* Puts hcn_sites and hcn_sites_count into the new module. A function has been lowered. */
void hc_lowering_add_sites(struct hc_lowering *l);
/* Writes the first failure; the rest goes on with something. */
void hc_lowering_fail(struct hc_lowering *l, LLVMValueRef place, const char *what);
LLVMTypeRef hc_lower_type(struct hc_lowering *l, LLVMTypeRef type);
/* The new value of VALUE: a constant, or what was lowered before. */
LLVMValueRef hc_lower_value(struct hc_lowering *l, LLVMValueRef value);
void hc_lowering_set(struct hc_lowering *l, LLVMValueRef from, LLVMValueRef to);
struct hc_lowered_pair *hc_lowering_find(struct hc_lowering *l, LLVMValueRef from);
/* Whether the outside calls it. */
bool hc_lowering_is_entry(const struct hc_lowering *l, LLVMValueRef function);
/* The name of a value. */
const char *hc_lowering_name(LLVMValueRef value);
LLVMValueRef hc_lowering_number(LLVMTypeRef type, long long n);
/* A call of a hook; up to three arguments, of any width. Returns 32 bits. */
LLVMValueRef hc_lower_hook(struct hc_lowering *l, unsigned hook, LLVMValueRef *arguments, unsigned count,
                           unsigned site);
/* The host's address of ADDRESS. */
LLVMValueRef hc_lower_address(struct hc_lowering *l, LLVMValueRef address);
/* A number for the place of INSTRUCTION. WHAT is copied. */
unsigned hc_lowering_site(struct hc_lowering *l, LLVMValueRef instruction, const char *what);

/* ---- constants.c ---- */
LLVMValueRef hc_lower_constant(struct hc_lowering *l, LLVMValueRef value);
/* An address computed from BASE, of an instruction or an expression; operands are lowered ones. */
LLVMValueRef hc_lower_gep(struct hc_lowering *l, LLVMValueRef gep);

/* ---- variables.c ---- */
/* What CALL, of llvm.dbg.value or llvm.dbg.declare, tells a debugger of a variable. */
void hc_lower_variable(struct hc_lowering *l, LLVMValueRef call, bool in_memory);

/* ---- instructions.c ---- */
/* All but PHI nodes and the ends of blocks. */
void hc_lower_instruction(struct hc_lowering *l, LLVMValueRef i);

/* ---- checks.c: nothing, if there are none ---- */
/* Before a function is lowered. */
void hc_checks_begin(struct hc_lowering *l, LLVMValueRef function);
/* Before INSTRUCTION is lowered, and after it (not of PHI nodes). */
void hc_checks_before(struct hc_lowering *l, LLVMValueRef instruction);
void hc_checks_follow(struct hc_lowering *l, LLVMValueRef instruction);
/* A PHI node is lowered; one of its values, old FROM, comes from new BLOCK. */
void hc_checks_phi(struct hc_lowering *l, LLVMValueRef phi);
void hc_checks_fill(struct hc_lowering *l, LLVMValueRef phi, LLVMValueRef from, LLVMBasicBlockRef block);

#endif
