#include "slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *name, size_t length)
{
    size_t all = strlen(path);

    return all >= length && !strncmp(path + all - length, name, length) &&
           (all == length || path[all - length - 1] == '/');
}

/* FILE:LINE, where FILE is the end of a path. */
static bool find_line(struct hc_criterion *out, const struct hc_depend_program *p, const char *text, size_t name,
                      uint32_t line)
{
    for (size_t i = 0; i < p->operations; i++) {
        const struct hc_operation *o = &p->operation[i];
        if (o->line != line || !ends_with(p->file[o->file], text, name))
            continue;
        *out = (struct hc_criterion){ .kind = HC_CRITERION_LINE, .file = o->file, .line = line };
        for (uint32_t f = 0; f < p->functions; f++)
            if (i >= p->function[f].first_operation && i < p->function[f].first_operation + p->function[f].operations)
                out->function = f;
        return true;
    }
    return false;
}

static bool find_function(struct hc_criterion *out, const struct hc_depend_program *p, const char *name)
{
    uint32_t function = hc_depend_find(p, name);

    *out = (struct hc_criterion){ .kind = HC_CRITERION_FUNCTION, .function = function };
    return function != HC_FUNCTION_NONE;
}

/* Variables of one name in several units got a number behind it when the units were linked. */
static bool has_name(const struct hc_depend_object *object, const char *name)
{
    size_t length = strlen(name);

    if (object->function != HC_FUNCTION_NONE || !object->name || strncmp(object->name, name, length) != 0)
        return false;
    const char *rest = object->name + length;
    return !*rest || (*rest == '.' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]);
}

static bool find_variable(struct hc_criterion *out, const struct hc_depend_program *p, const char *name)
{
    *out = (struct hc_criterion){ .kind = HC_CRITERION_VARIABLE, .function = HC_FUNCTION_NONE, .variable = name };
    for (uint32_t i = 0; i < p->objects; i++)
        if (has_name(&p->object[i], name))
            return true;
    return false;
}

bool hc_criterion_is_of(const struct hc_criterion *c, const struct hc_depend_object *object)
{
    return c->kind == HC_CRITERION_VARIABLE && has_name(object, c->variable);
}

bool hc_criterion_find(struct hc_criterion *out, const struct hc_depend_program *p, const char *text,
                       struct hc_depend_message *message)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    char checking[128];

    if (colon && end != colon + 1 && !*end) {
        if (line && line <= UINT32_MAX && find_line(out, p, text, (size_t)(colon - text), (uint32_t)line))
            return true;
        snprintf(message->text, sizeof message->text, "%s: no code is at that line; name a line with a statement",
                 text);
        return false;
    }
    snprintf(checking, sizeof checking, "hc_check_%s", text);
    if (find_function(out, p, checking) || find_function(out, p, text) || find_variable(out, p, text))
        return true;
    snprintf(message->text, sizeof message->text,
             "%s: the program has no invariant, function or variable of that name; FILE:LINE names a line", text);
    return false;
}
