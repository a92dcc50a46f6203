/* Which memory is the region's own: objects whose address stays inside, so that nobody else can write them.
 *
 * A pointer may go through arithmetic, a choice, and into functions inside that do not keep it; anything else (stored,
 * given to the outside, made a number) is an escape. Loads that go through a pointer which may also point elsewhere
 * have hooks, whatever they meet: that is exact, too. */
#include "pass.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

/* The values that led here, so that loops and recursion end. */
struct trail {
    LLVMValueRef value;
    const struct trail *before;
    int depth;
    bool global;
    bool placed; /* a local whose address must not come to hooks: the desk has it elsewhere */
};

static bool escapes(LLVMValueRef value, const struct trail *before);

static LLVMValueRef function_of(LLVMValueRef instruction)
{
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static bool is_named(LLVMValueRef function, const char *prefix)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    return !strncmp(name, prefix, strlen(prefix));
}

static bool is_harmless_intrinsic(LLVMValueRef callee)
{
    return is_named(callee, "llvm.lifetime.") || is_named(callee, "llvm.dbg.") || is_named(callee, "llvm.mem");
}

/* What is given to functions inside is followed into them. */
static bool call_escapes(LLVMValueRef call, const struct trail *trail)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (!LLVMIsAFunction(callee) || callee == trail->value)
        return true;
    if (is_harmless_intrinsic(callee) || hc_region_is_in(callee))
        return false;
    if (trail->placed)
        return true; /* accesses there have hooks */
    if (!hc_region_is_inside(callee))
        return true;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == trail->value &&
            (i >= LLVMCountParams(callee) || escapes(LLVMGetParam(callee, i), trail)))
            return true;
    return false;
}

static bool instruction_escapes(LLVMValueRef user, const struct trail *trail)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
        return LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic;
    case LLVMICmp:
        return false;
    case LLVMStore: /* of an object, outside as well: somebody else writes it */
        return LLVMGetOperand(user, 0) == trail->value || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic ||
               (trail->global && !hc_region_is_inside(function_of(user)));
    case LLVMPHI:
    case LLVMSelect:
        return trail->placed || escapes(user, trail); /* with something else accesses have hooks */
    case LLVMGetElementPtr:
    case LLVMFreeze:
        return escapes(user, trail);
    case LLVMCall:
        return (trail->global && !hc_region_is_inside(function_of(user))) || call_escapes(user, trail);
    default:
        return true;
    }
}

static bool use_escapes(LLVMValueRef user, const struct trail *trail)
{
    if (LLVMIsAInstruction(user))
        return instruction_escapes(user, trail);
    return !LLVMIsAConstantExpr(user) || LLVMGetConstOpcode(user) != LLVMGetElementPtr || escapes(user, trail);
}

static bool escapes(LLVMValueRef value, const struct trail *before)
{
    struct trail trail = { value, before, before->depth + 1, before->global, before->placed };

    if (trail.depth > DEPTH_MAX)
        return true;
    for (const struct trail *t = before; t; t = t->before)
        if (t->value == value)
            return false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (use_escapes(LLVMGetUser(use), &trail))
            return true;
    return false;
}

/* What a reset leaves in it is known to nobody but the node. */
static bool starts_as_it_was(LLVMValueRef object)
{
    const char *section = LLVMGetSection(object);

    return section && (!strncmp(section, ".noinit", 7) || !strncmp(section, ".persistent", 11));
}

static bool decide(struct hc_region_pass *p, LLVMValueRef object)
{
    if (LLVMIsAAllocaInst(object))
        return !escapes(object, &(struct trail){ .placed = p->request->frames });
    if (!LLVMIsAGlobalVariable(object) || LLVMIsThreadLocal(object))
        return false;
    if (LLVMIsGlobalConstant(object) && LLVMGetInitializer(object) && !LLVMIsExternallyInitialized(object))
        return LLVMGetLinkage(object) == LLVMInternalLinkage || LLVMGetLinkage(object) == LLVMPrivateLinkage ||
               LLVMGetLinkage(object) == LLVMExternalLinkage;
    if (starts_as_it_was(object))
        return false;
    return !p->interrupts && LLVMGetLinkage(object) == LLVMInternalLinkage &&
           !escapes(object, &(struct trail){ .global = true });
}

static bool is_own_object(struct hc_region_pass *p, LLVMValueRef object)
{
    for (size_t i = 0; i < p->objects; i++)
        if (p->object[i].object == object)
            return p->object[i].own;
    bool own = decide(p, object);
    if (hc_grow(&p->object, p->objects, &p->object_room, sizeof *p->object)) {
        p->object[p->objects++] = (struct hc_region_object){ object, own };
        p->result->own += own;
    }
    return own;
}

struct walk {
    LLVMValueRef seen[DEPTH_MAX];
    int count;
};

static bool all_own(struct hc_region_pass *p, LLVMValueRef pointer, struct walk *walk)
{
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer))
        return is_own_object(p, pointer);
    for (int i = 0; i < walk->count; i++)
        if (walk->seen[i] == pointer)
            return true;
    if (walk->count == DEPTH_MAX)
        return false;
    walk->seen[walk->count++] = pointer;
    if (LLVMIsAGetElementPtrInst(pointer) ||
        (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        return all_own(p, LLVMGetOperand(pointer, 0), walk);
    if (LLVMIsASelectInst(pointer))
        return all_own(p, LLVMGetOperand(pointer, 1), walk) && all_own(p, LLVMGetOperand(pointer, 2), walk);
    if (!LLVMIsAPHINode(pointer))
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
        if (!all_own(p, LLVMGetIncomingValue(pointer, i), walk))
            return false;
    return true;
}

bool hc_region_is_own(struct hc_region_pass *p, LLVMValueRef pointer)
{
    struct walk walk = { .count = 0 };

    return all_own(p, pointer, &walk);
}
