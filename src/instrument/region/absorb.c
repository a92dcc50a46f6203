/* Units that only the region uses, and that use nothing but the region: helpers. They become part of it. Their objects
 * and what is handed to them then stay inside, so that they need no hooks. */
#include "pass.h"

#include <string.h>

static const char *name_of(LLVMValueRef value)
{
    size_t length;

    return LLVMGetValueName2(value, &length);
}

static bool has(const struct hc_argv *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->word[i], name))
            return true;
    return false;
}

/* ---- who uses it ---- */

static bool others_need(const struct hc_region_units *u, const struct hc_region_request *r, const char *name)
{
    for (size_t i = 0; i < u->count; i++)
        if (!u->unit[i].inside && has(&r->unit_needs[i], name))
            return true;
    for (size_t i = 0; i < r->needed_count; i++)
        if (!strcmp(r->needed[i], name))
            return true;
    return false;
}

static bool is_seen(LLVMValueRef value)
{
    return !LLVMIsDeclaration(value) && LLVMGetLinkage(value) != LLVMInternalLinkage &&
           LLVMGetLinkage(value) != LLVMPrivateLinkage;
}

/* UNIT is taken for inside. */
static bool only_region_uses(const struct hc_region_units *u, const struct hc_region_request *r, LLVMModuleRef unit)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(unit); f; f = LLVMGetNextFunction(f))
        if (is_seen(f) && others_need(u, r, name_of(f)))
            return false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit); g; g = LLVMGetNextGlobal(g))
        if (is_seen(g) && others_need(u, r, name_of(g)))
            return false;
    return true;
}

/* ---- what it uses ---- */

static bool defines(LLVMModuleRef unit, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(unit, name), g = LLVMGetNamedGlobal(unit, name);

    return (f && !LLVMIsDeclaration(f)) || (g && !LLVMIsDeclaration(g));
}

static bool region_defines(const struct hc_region_units *u, const char *name)
{
    for (size_t i = 0; i < u->count; i++)
        if (u->unit[i].inside && defines(u->unit[i].module, name))
            return true;
    return false;
}

static bool is_known(const struct hc_region_units *u, LLVMValueRef value)
{
    const char *name = name_of(value);

    return !LLVMIsDeclaration(value) || !LLVMGetFirstUse(value) || !strncmp(name, "llvm.", 5) ||
           !strcmp(name, "memcpy") || !strcmp(name, "memmove") || !strcmp(name, "memset") || region_defines(u, name);
}

static bool is_plain(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall: /* not through pointers, which lead to the outside */
        return LLVMIsAFunction(LLVMGetCalledValue(i)) != NULL;
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMFence:
    case LLVMVAArg:
    case LLVMIndirectBr:
    case LLVMCallBr:
    case LLVMInvoke:
        return false;
    default:
        return true;
    }
}

/* Compilers call these by themselves, for copies of structures and for arithmetic: as functions without hooks. */
static bool is_compilers(const char *name)
{
    static const char *const names[] = { "memcpy", "memmove", "memset", "memcmp", "bcmp" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "__", 2);
}

static bool is_plain_function(LLVMValueRef f)
{
    if (is_compilers(name_of(f)) || hc_region_has_string(f, "interrupt") ||
        LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)) ||
        (LLVMGetLinkage(f) != LLVMExternalLinkage && LLVMGetLinkage(f) != LLVMInternalLinkage))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!is_plain(i))
                return false;
    return true;
}

static bool uses_only_region(const struct hc_region_units *u, LLVMModuleRef unit)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(unit); f; f = LLVMGetNextFunction(f))
        if (!is_known(u, f) || (!LLVMIsDeclaration(f) && !is_plain_function(f)))
            return false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit); g; g = LLVMGetNextGlobal(g))
        if (!is_known(u, g))
            return false;
    return true;
}

size_t hc_region_absorb(struct hc_region_units *u, const struct hc_region_request *r)
{
    size_t count = 0;

    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < u->count; i++) {
            struct hc_region_unit *unit = &u->unit[i];
            if (unit->inside)
                continue;
            unit->inside = true; /* whether that would do */
            unit->absorbed = uses_only_region(u, unit->module) && only_region_uses(u, r, unit->module) &&
                             LLVMGetFirstFunction(unit->module);
            unit->inside = unit->absorbed;
            count += unit->absorbed;
            more |= unit->absorbed;
        }
    }
    return count;
}
