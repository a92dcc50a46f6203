/* What the optimiser inlined is said at the link: whoever named a function wants to know where its code is. */
#include "pass.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

enum kind { SAME, INSIDE, OUTSIDE, CALLED };

enum { NAMES_MOST = 8 }; /* that a note has; it says how many more there are */

static const char *const sentences[] = {
    [INSIDE] = "inlined in other functions of the region, and recorded as part of those",
    [OUTSIDE] = "outside the region, but inlined into it: those copies are recorded, and checked, as its own code; "
                "--region='!FUNCTION' keeps a function outside",
    [CALLED] =
        "inline functions of the region that the outside uses: there they are called now, and each call is recorded",
};

static bool has(LLVMValueRef function, const char *attribute)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

static bool is_called_by_region(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function &&
            hc_region_is_inside(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
            return true;
    }
    return false;
}

static void keep(struct hc_region_pass *p, LLVMValueRef function, bool inside)
{
    size_t length;
    char *name = strdup(LLVMGetValueName2(function, &length));

    if (!name || !hc_grow(&p->call, p->calls, &p->call_room, sizeof *p->call)) {
        free(name);
        return;
    }
    p->call[p->calls].name = name;
    p->call[p->calls++].inside = inside;
}

void hc_region_before_inlining(struct hc_region_pass *p)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && is_called_by_region(f))
            keep(p, f, hc_region_is_inside(f));
}

static enum kind kind_of_call(struct hc_region_pass *p, const struct hc_region_inner_call *call)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->module, call->name);

    if (call->inside)
        return f ? SAME : INSIDE;
    return f && is_called_by_region(f) ? SAME : OUTSIDE;
}

/* Without what was put behind it when the region was split. */
static int name_length(const char *name)
{
    const char *end = strstr(name, ".region");

    return (int)(end ? (size_t)(end - name) : strlen(name));
}

static void add_name(FILE *to, const char *name, size_t *count)
{
    if (++*count <= NAMES_MOST)
        fprintf(to, "%s%.*s", *count == 1 ? "hindcast: note: " : ", ", name_length(name), name);
}

static void end_note(FILE *to, size_t count, enum kind kind)
{
    if (count > NAMES_MOST)
        fprintf(to, " and %zu more", count - NAMES_MOST);
    if (count)
        fprintf(to, ": %s\n", sentences[kind]);
}

static void say(struct hc_region_pass *p, enum kind kind)
{
    FILE *to = p->request->errors;
    size_t count = 0;

    for (size_t i = 0; i < p->calls; i++)
        if (kind_of_call(p, &p->call[i]) == kind)
            add_name(to, p->call[i].name, &count);
    end_note(to, count, kind);
}

static void say_called(struct hc_region_pass *p)
{
    FILE *to = p->request->errors;
    size_t count = 0;

    for (size_t i = 0; i < p->result->entries; i++)
        if (p->entry[i].is_inline && LLVMGetNamedFunction(p->module, p->entry[i].name))
            add_name(to, p->entry[i].name, &count);
    end_note(to, count, CALLED);
}

void hc_region_after_inlining(struct hc_region_pass *p)
{
    if (!p->request->errors)
        return;
    say(p, INSIDE);
    say(p, OUTSIDE);
    say_called(p);
}

bool hc_region_is_inline(LLVMValueRef function)
{
    return has(function, "alwaysinline") || has(function, "inlinehint");
}
