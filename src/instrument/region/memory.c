#include "pass.h"

#include "../runtime/region/model.h"

#include <string.h>

/* An access in parts of 8, 16 or 32 bits, each as aligned as the CPU wants it. */
struct part {
    unsigned offset, bits;
};

enum { PARTS_MAX = 16 };

static unsigned split(const struct hc_region_pass *p, unsigned bytes, unsigned alignment, struct part *part)
{
    unsigned count = 0, whole = p->word_bits / 8;

    for (unsigned at = 0; at < bytes && count < PARTS_MAX; count++) {
        unsigned aligned = alignment > 4 ? 4 : alignment, left = bytes - at;
        while (at % aligned)
            aligned /= 2;
        unsigned size = left >= 4 && aligned >= whole ? 4 : left >= 2 && aligned >= 2 ? 2 : 1;
        part[count] = (struct part){ at, size * 8 };
        at += size;
    }
    return count;
}

static LLVMValueRef address_of(struct hc_region_pass *p, LLVMValueRef pointer, unsigned offset)
{
    LLVMValueRef index = hc_region_word(p, offset);

    if (!offset)
        return pointer;
    return LLVMBuildGEP2(p->builder, LLVMInt8TypeInContext(p->context), pointer, &index, 1, "");
}

/* What an access of TYPE has in memory: so many bytes, as an integer; 0: it cannot be recorded. */
static unsigned bytes_of(struct hc_region_pass *p, LLVMTypeRef type, LLVMValueRef place)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(p->layout, type);

    if ((kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind ||
         kind == LLVMDoubleTypeKind) &&
        bytes <= 8)
        return bytes;
    hc_region_error(p, place, "an access of %u bytes at once, which regions cannot record; take it out of the region",
                    bytes);
    return 0;
}

static const char *const loads[] = { "__hcr_load8", "__hcr_load16", "__hcr_load32" };
static const char *const reads[] = { "__hcr_read8", "__hcr_read16", "__hcr_read32" };
static const char *const stores[] = { "__hcr_store8", "__hcr_store16", "__hcr_store32" };
static const char *const writes[] = { "__hcr_write8", "__hcr_write16", "__hcr_write32" };

/* A volatile access of an object that this program defines is one of memory. */
bool hc_region_is_register(LLVMValueRef access, LLVMValueRef pointer)
{
    if (!LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic)
        return false;
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    return !LLVMIsAAllocaInst(pointer) && !(LLVMIsAGlobalVariable(pointer) && LLVMGetInitializer(pointer));
}

static LLVMValueRef load_part(struct hc_region_pass *p, LLVMValueRef pointer, const struct part *part, bool is_read)
{
    LLVMValueRef arguments[] = { address_of(p, pointer, part->offset), hc_region_word(p, p->result->slots) };

    /* A load takes whole units. */
    p->result->slots += part->bits == 32 || (!is_read && p->word_bits > 16) ? 2 : 1;
    return hc_region_call_hook(p, (is_read ? reads : loads)[part->bits / 16], part->bits == 32 ? p->i32 : p->word,
                               arguments, 2);
}

/* A number of BITS as a value of TYPE. */
static LLVMValueRef as_type(struct hc_region_pass *p, LLVMValueRef number, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(p->builder, number, type, "");
    if (kind != LLVMIntegerTypeKind)
        return LLVMBuildBitCast(p->builder, number, type, "");
    return LLVMTypeOf(number) == type ? number : LLVMBuildTrunc(p->builder, number, type, "");
}

static LLVMValueRef resized(struct hc_region_pass *p, LLVMValueRef number, LLVMTypeRef type)
{
    unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(number)), want = LLVMGetIntTypeWidth(type);

    if (have == want)
        return number;
    return have < want ? LLVMBuildZExt(p->builder, number, type, "") : LLVMBuildTrunc(p->builder, number, type, "");
}

void hc_region_load(struct hc_region_pass *p, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef pointer = LLVMGetOperand(load, 0), number = NULL;
    bool is_read = hc_region_is_register(load, pointer);
    unsigned bytes = bytes_of(p, type, load);
    struct part part[PARTS_MAX];
    unsigned count = split(p, bytes, LLVMGetAlignment(load), part);
    LLVMTypeRef whole = LLVMIntTypeInContext(p->context, bytes ? bytes * 8 : 8);

    LLVMPositionBuilderBefore(p->builder, load);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef piece = resized(p, load_part(p, pointer, &part[i], is_read), whole);
        LLVMValueRef shift = LLVMConstInt(whole, part[i].offset * 8, false);
        number = number ? LLVMBuildOr(p->builder, number, LLVMBuildShl(p->builder, piece, shift, ""), "") : piece;
    }
    if (!number)
        return;
    LLVMReplaceAllUsesWith(load, as_type(p, number, type));
    LLVMInstructionEraseFromParent(load);
    if (is_read)
        p->result->reads++;
    else
        p->result->loads++;
}

void hc_region_stable(struct hc_region_pass *p, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    bool narrow = LLVMGetIntTypeWidth(type) <= 8;
    LLVMValueRef arguments[] = { LLVMGetOperand(load, 0), hc_region_word(p, p->result->slots++) };

    LLVMPositionBuilderBefore(p->builder, load);
    LLVMValueRef number = hc_region_call_hook(p, narrow ? "__hcr_stable8" : "__hcr_stable16", p->word, arguments, 2);
    LLVMReplaceAllUsesWith(load, as_type(p, number, type));
    LLVMInstructionEraseFromParent(load);
    p->result->reads++;
}

static LLVMValueRef as_number(struct hc_region_pass *p, LLVMValueRef value, LLVMTypeRef whole)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));

    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(p->builder, value, whole, "");
    if (kind != LLVMIntegerTypeKind)
        return LLVMBuildBitCast(p->builder, value, whole, "");
    return resized(p, value, whole);
}

void hc_region_store(struct hc_region_pass *p, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    bool is_write = hc_region_is_register(store, pointer);
    unsigned bytes = bytes_of(p, LLVMTypeOf(value), store);
    struct part part[PARTS_MAX];
    unsigned count = split(p, bytes, LLVMGetAlignment(store), part);
    LLVMTypeRef whole = LLVMIntTypeInContext(p->context, bytes ? bytes * 8 : 8);

    if (!count)
        return;
    LLVMPositionBuilderBefore(p->builder, store);
    LLVMValueRef number = as_number(p, value, whole);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef shift = LLVMConstInt(whole, part[i].offset * 8, false);
        LLVMValueRef piece = part[i].offset ? LLVMBuildLShr(p->builder, number, shift, "") : number;
        LLVMValueRef arguments[] = { resized(p, piece, part[i].bits == 32 ? p->i32 : p->word),
                                     address_of(p, pointer, part[i].offset) };
        hc_region_call_hook(p, (is_write ? writes : stores)[part[i].bits / 16], p->void_type, arguments, 2);
    }
    LLVMInstructionEraseFromParent(store);
    p->result->stores++;
}

/* The region's own memory is on one side, or on both, of a call. Its address is not the border's. */
static void move_own(struct hc_region_pass *p, LLVMValueRef call, bool sets, bool to_own, bool from_own)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    LLVMValueRef size = resized(p, LLVMGetOperand(call, 2), p->word);
    LLVMValueRef arguments[] = { to, from, size, hc_region_word(p, p->result->slots) };

    if (to_own && sets)
        LLVMBuildMemSet(p->builder, to, resized(p, from, LLVMInt8TypeInContext(p->context)), size, 1);
    else if (to_own && from_own)
        LLVMBuildMemMove(p->builder, to, 1, from, 1, size);
    else
        hc_region_call_hook(p, to_own ? "__hcr_copy_in" : "__hcr_copy_out", p->void_type, arguments, to_own ? 4 : 3);
    p->result->slots += to_own && !from_own && !sets ? HC_REGION_COPIES : 0;
}

static void move_others(struct hc_region_pass *p, LLVMValueRef call, bool sets)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    LLVMValueRef arguments[] = { to, sets ? resized(p, from, p->word) : from,
                                 resized(p, LLVMGetOperand(call, 2), p->word), hc_region_word(p, p->result->slots) };

    hc_region_call_hook(p, sets ? "__hcr_set" : "__hcr_copy", p->void_type, arguments, sets ? 3 : 4);
    p->result->slots += sets ? 0 : HC_REGION_COPIES;
}

/* An intrinsic or a call of memcpy, memmove, memset. */
void hc_region_move(struct hc_region_pass *p, LLVMValueRef call, bool sets)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    bool to_own = hc_region_is_own(p, to), from_own = !sets && hc_region_is_own(p, from);

    if (to_own && (sets || from_own) && LLVMGetIntrinsicID(LLVMGetCalledValue(call)))
        return;
    LLVMPositionBuilderBefore(p->builder, call);
    if (p->request->frames && (to_own || from_own))
        move_own(p, call, sets, to_own, from_own);
    else
        move_others(p, call, sets);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind)
        LLVMReplaceAllUsesWith(call, to);
    LLVMInstructionEraseFromParent(call);
    p->result->stores++;
}

void hc_region_frame(struct hc_region_pass *p, LLVMValueRef local)
{
    LLVMValueRef next = LLVMGetNextInstruction(local);

    while (LLVMIsAAllocaInst(next))
        next = LLVMGetNextInstruction(next);
    hc_region_take(p, local, next);
}
