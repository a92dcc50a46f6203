/* Variables that are registers. Headers write them in many ways:
 *
 *     extern volatile unsigned char P1IN __asm__("__P1IN");          msp430mcu, placed by periph.x
 *     extern volatile unsigned char P1IN;                            TI's headers for GCC, placed by a linker script
 *     static volatile uint8_t U0CTL __asm ("0x0070");                old msp430-gcc, as nesC leaves it
 *
 * A variable that this unit defines is none, whatever its name, unless its assembler name is a number. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

struct hc_object {
    CXCursor declaration; /* canonical */
    bool is_classified, is_defined, is_register;
    uint32_t address;
    struct hc_ast_node *value; /* of a constant pointer */
    bool value_sought;
};

static enum CXChildVisitResult find_label(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AsmLabelAttr)
        return CXChildVisit_Continue;
    *(CXString *)data = clang_getCursorSpelling(cursor);
    return CXChildVisit_Break;
}

static bool number(const char *text, uint32_t *value)
{
    char *end;
    unsigned long parsed = strtoul(text, &end, 0);
    if (end == text || *end)
        return false;
    *value = (uint32_t)parsed;
    return true;
}

static bool named_register(struct hc_unit *unit, const char *name, uint32_t *address)
{
    return hc_regs_locate(unit->request->registers, name, address);
}

static void classify(struct hc_unit *unit, struct hc_object *object, CXCursor declaration)
{
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl)
        return;
    CXString label = { 0 }, name = clang_getCursorSpelling(declaration);
    clang_visitChildren(declaration, find_label, &label);
    const char *text = clang_getCString(label);
    bool is_extern = clang_getCursorLinkage(declaration) == CXLinkage_External && !object->is_defined;
    if (text && *text)
        object->is_register =
            number(text, &object->address) || (is_extern && named_register(unit, text, &object->address));
    else
        object->is_register = is_extern && named_register(unit, clang_getCString(name), &object->address);
    if (text)
        clang_disposeString(label);
    clang_disposeString(name);
}

/* The table is open and doubled when half full. */
static size_t slot_of(struct hc_object **table, size_t size, CXCursor declaration)
{
    size_t at = clang_hashCursor(declaration) & (size - 1);
    while (table[at] && !clang_equalCursors(table[at]->declaration, declaration))
        at = (at + 1) & (size - 1);
    return at;
}

static void grow(struct hc_unit *unit)
{
    size_t size = unit->object_slots ? 2 * unit->object_slots : 256;
    struct hc_object **table = hc_arena_take(unit->memory, size * sizeof(struct hc_object *));
    for (size_t i = 0; i < unit->object_slots; i++)
        if (unit->objects[i])
            table[slot_of(table, size, unit->objects[i]->declaration)] = unit->objects[i];
    unit->objects = table;
    unit->object_slots = size;
}

static struct hc_object *object_of(struct hc_unit *unit, CXCursor declaration)
{
    if (2 * unit->object_count >= unit->object_slots)
        grow(unit);
    CXCursor canonical = clang_getCanonicalCursor(declaration);
    size_t at = slot_of(unit->objects, unit->object_slots, canonical);
    if (!unit->objects[at]) {
        struct hc_object *object = hc_arena_take(unit->memory, sizeof *object);
        object->declaration = canonical;
        unit->objects[at] = object;
        unit->object_count++;
    }
    return unit->objects[at];
}

void hc_object_define(struct hc_unit *unit, CXCursor declaration)
{
    object_of(unit, declaration)->is_defined = true;
}

bool hc_object_register(struct hc_unit *unit, CXCursor declaration, uint32_t *address)
{
    struct hc_object *object = object_of(unit, declaration);
    if (!object->is_classified) {
        object->is_classified = true;
        classify(unit, object, object->declaration);
        if (!object->is_register)
            classify(unit, object, declaration);
    }
    *address = object->address;
    return object->is_register;
}

struct hc_ast_node *hc_object_value(struct hc_unit *unit, CXCursor declaration)
{
    struct hc_object *object = object_of(unit, declaration);
    CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    if (!object->value_sought && type.kind == CXType_Pointer && clang_isConstQualifiedType(type) &&
        !clang_isVolatileQualifiedType(type) && clang_getCursorKind(declaration) == CXCursor_VarDecl) {
        CXCursor definition = clang_getCursorDefinition(declaration);
        CXCursor initialiser =
            clang_Cursor_isNull(definition) ? definition : clang_Cursor_getVarDeclInitializer(definition);
        if (!clang_Cursor_isNull(initialiser))
            object->value = hc_tree_node(unit, initialiser);
    }
    object->value_sought = true;
    return object->value;
}
