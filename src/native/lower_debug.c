#include "lower.h"

#include "support/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    char **line;
    size_t lines, line_room;
    const char **node; /* by number; NULL: none */
    long nodes;
    struct object {
        long node;
        unsigned address;
    } *object;
    size_t objects, object_room;
    FILE *to;
};

/* The number behind NAME in LINE; -1: there is none. */
static long number_behind(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    long number;

    return at && sscanf(at + strlen(name), "%ld", &number) == 1 ? number : -1;
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool split(struct work *w, char *text)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!hc_grow(&w->line, w->lines, &w->line_room, sizeof *w->line))
            return false;
        w->line[w->lines++] = line;
        long number = *line == '!' ? number_behind(line, "!") : -1;
        if (number >= w->nodes)
            w->nodes = number + 1;
    }
    w->node = calloc((size_t)w->nodes + 1, sizeof *w->node);
    for (size_t i = 0; w->node && i < w->lines; i++) {
        long number = *w->line[i] == '!' ? number_behind(w->line[i], "!") : -1;
        if (number >= 0)
            w->node[number] = w->line[i];
    }
    return w->node != NULL;
}

static bool find_objects(struct work *w)
{
    for (size_t i = 0; i < w->lines; i++) {
        long node = number_behind(w->line[i], "!dbg !");
        if (!starts(w->line[i], "@hcn.object.") || node < 0)
            continue;
        if (!hc_grow(&w->object, w->objects, &w->object_room, sizeof *w->object))
            return false;
        w->object[w->objects++] = (struct object){ node, (unsigned)number_behind(w->line[i], "@hcn.object.") };
    }
    return true;
}

/* Through typedefs and qualifiers. */
static bool is_function(const struct work *w, long node)
{
    for (int depth = 0; depth < 8 && node >= 0 && node < w->nodes && w->node[node]; depth++) {
        const char *line = w->node[node];
        if (strstr(line, "!DISubroutineType("))
            return true;
        if (!strstr(line, "DW_TAG_typedef") && !strstr(line, "DW_TAG_const_type") &&
            !strstr(line, "DW_TAG_volatile_type"))
            return false;
        node = number_behind(line, "baseType: !");
    }
    return false;
}

/* As drawn in lower.h; void and functions are bytes. The second member lies behind the struct: only its type matters.
 */
static void write_pointer(struct work *w, long number, long base)
{
    long next = w->nodes;
    bool code = is_function(w, base);

    w->nodes += 4;
    fprintf(w->to,
            "!%ld = !DICompositeType(tag: DW_TAG_structure_type, name: \"%s\", size: 16, elements: !%ld)\n"
            "!%ld = !{!%ld, !%ld}\n",
            number, code ? "hc_code_pointer" : "hc_pointer", next, next, next + 1, next + 2);
    fprintf(w->to,
            "!%ld = !DIDerivedType(tag: DW_TAG_member, name: \"at\", baseType: !DIBasicType(name: \"unsigned short\", "
            "size: 16, encoding: DW_ATE_unsigned), size: 16)\n"
            "!%ld = !DIDerivedType(tag: DW_TAG_member, name: \"to\", baseType: !%ld, size: 64, offset: 64)\n"
            "!%ld = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: ",
            next + 1, next + 2, next + 3, next + 3);
    if (base < 0 || code)
        fprintf(w->to, "!DIBasicType(name: \"unsigned char\", size: 8, encoding: DW_ATE_unsigned_char)");
    else
        fprintf(w->to, "!%ld", base);
    fprintf(w->to, ", size: 64)\n");
}

static const struct object *object_of(const struct work *w, long node)
{
    for (size_t i = 0; i < w->objects; i++)
        if (w->object[i].node == node)
            return &w->object[i];
    return NULL;
}

static void write_node(struct work *w, const char *line)
{
    static const char empty[] = "!DIExpression()";
    long number = number_behind(line, "!");
    const struct object *object = object_of(w, number);
    const char *expression = strstr(line, empty);

    if (strstr(line, "tag: DW_TAG_pointer_type") && strstr(line, "size: 16"))
        write_pointer(w, number, number_behind(line, "baseType: !"));
    else if (object && strstr(line, "!DIGlobalVariableExpression(") && expression)
        fprintf(w->to, "%.*s!DIExpression(DW_OP_plus_uconst, %u)%s\n", (int)(expression - line), line, object->address,
                expression + strlen(empty));
    else
        fprintf(w->to, "%s\n", line);
}

static void write_line(struct work *w, const char *line)
{
    if (starts(line, "@hcn.object."))
        return;
    if (*line == '!' && number_behind(line, "!") >= 0) {
        write_node(w, line);
        return;
    }
    fprintf(w->to, "%s", line);
    for (size_t i = 0; starts(line, "@hcn_arena =") && i < w->objects; i++)
        fprintf(w->to, ", !dbg !%ld", w->object[i].node);
    fputc('\n', w->to);
}

char *hc_lower_debug(char *text)
{
    struct work w = { 0 };
    char *result = NULL;
    size_t size;

    if (split(&w, text) && find_objects(&w) && (w.to = open_memstream(&result, &size))) {
        for (size_t i = 0; i < w.lines; i++)
            write_line(&w, w.line[i]);
        fclose(w.to);
    }
    free(w.line);
    free(w.node);
    free(w.object);
    free(text);
    return result;
}
