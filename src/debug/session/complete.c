/* Completions at the cursor: commands, topics, members after a dot, functions of a file after its colon, names. */
#include "session_state.h"

#include <ctype.h>
#include <string.h>

struct completion {
    struct hc_debugger *s;
    hc_completion_fn *tell;
    void *owner;
    const char *line; /* up to the cursor */
    const char *word; /* its last part, of letters, digits and _ */
    const char *from; /* of a file's name: the text since the last space */
};

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void tell_if(struct completion *c, const char *name)
{
    if (!strncmp(name, c->word, strlen(c->word)))
        c->tell(c->owner, name);
}

static void tell_name(void *owner, const char *name)
{
    tell_if(owner, name);
}

/* ---- commands and their topics ---- */

static const struct topics {
    const char *command, *alias;
    const char *topic[12];
} topics[] = {
    { "info", "i", { "registers", "locals", "frame", "breakpoints", "display", "interrupts", "messages", "segments" } },
    { "goto", NULL, { "interrupt", "segment", "failure", "start", "end" } },
    { "run", NULL, { "to" } },
};

static bool is_command(const char *line, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length && !strncmp(line, name, length) && (line[length] == ' ' || line[length] == '\t');
}

/* Returns true if the command takes nothing else. */
static bool tell_topics(struct completion *c)
{
    if (is_command(c->line, "help") || is_command(c->line, "h")) {
        for (size_t i = 0; hc_command_name(i); i++)
            tell_if(c, hc_command_name(i));
        return true;
    }
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        const struct topics *t = &topics[i];
        if (!is_command(c->line, t->command) && !is_command(c->line, t->alias))
            continue;
        for (int k = 0; t->topic[k]; k++)
            tell_if(c, t->topic[k]);
        return strcmp(t->command, "run") != 0;
    }
    return false;
}

/* ---- members ---- */

static void tell_members(struct completion *c, const struct hc_type *type)
{
    const struct hc_type *t = hc_type_strip(type);

    if (t->kind != HC_TYPE_STRUCT && t->kind != HC_TYPE_UNION)
        return;
    for (size_t i = 0; i < t->members; i++)
        if (t->member[i].name)
            tell_if(c, t->member[i].name);
        else
            tell_members(c, t->member[i].type);
}

/* Where the expression begins that ends at END: names, members, elements and whole parentheses of LINE. */
static const char *expression_before(const char *line, const char *end)
{
    while (end > line) {
        char last = end[-1];
        if (last == ']' || last == ')') {
            int depth = 0;
            do {
                end--;
                depth += (*end == ']' || *end == ')') - (*end == '[' || *end == '(');
            } while (end > line && depth > 0);
        } else if (is_of_word(last) || last == '.' || last == '$') {
            end--;
        } else if (last == '>' && end - line > 1 && end[-2] == '-') {
            end -= 2;
        } else {
            break;
        }
    }
    return end;
}

/* Completes members after "x." or "x->". Returns true if the cursor is there. */
static bool tell_members_behind(struct completion *c)
{
    const char *dot = c->word;
    const struct hc_type *type;
    struct hc_debug_message why;
    char text[HC_TEXT_MAX];

    if (dot > c->line && dot[-1] == '.')
        dot -= 1;
    else if (dot > c->line + 1 && dot[-1] == '>' && dot[-2] == '-')
        dot -= 2;
    else
        return false;
    const char *begin = expression_before(c->line, dot);
    snprintf(text, sizeof text, "%.*s", (int)(dot - begin), begin);
    if (!hc_expression_type(&hc_debugger_frame(c->s)->context, text, &type, &why))
        return false;
    type = hc_type_strip(type);
    bool arrow = *dot == '-', points = type->kind == HC_TYPE_POINTER || type->kind == HC_TYPE_ARRAY;
    if (arrow == points)
        tell_members(c, arrow ? type->target : type);
    return true;
}

/* ---- places ---- */

/* The rest of the file's name, from the word on, and its colon. */
static void tell_file(void *owner, const char *path)
{
    struct completion *c = owner;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t typed = strlen(c->from), before = typed - strlen(c->word);
    char with_colon[HC_TEXT_MAX];

    if (strncmp(name, c->from, typed) != 0)
        return;
    snprintf(with_colon, sizeof with_colon, "%s:", name + before);
    c->tell(c->owner, with_colon);
}

static bool takes_place(const char *line)
{
    static const char *const commands[] = { "break", "b", "tbreak",      "tb",  "list",   "l",
                                            "until", "u", "disassemble", "run", "advance" };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (is_command(line, commands[i]))
            return true;
    return false;
}

/* Returns true if nothing else is possible here. */
static bool tell_places(struct completion *c)
{
    char file[HC_TEXT_MAX];

    if (c->word > c->from && c->word[-1] == ':') {
        snprintf(file, sizeof file, "%.*s", (int)(c->word - 1 - c->from), c->from);
        hc_program_functions_in(c->s->program, file, tell_name, c);
        return true;
    }
    hc_program_files(c->s->program, tell_file, c);
    return strchr(c->from, '.') != NULL;
}

/* ---- names ---- */

static bool tell_local(void *owner, const struct hc_name *name)
{
    tell_if(owner, name->name);
    return false;
}

static void tell_names(struct completion *c)
{
    const struct hc_frame *f = hc_debugger_frame(c->s);

    hc_program_locals(c->s->program, f->context.pc, f->context.has_die ? &f->context.die : NULL, tell_local, c);
    hc_program_names(c->s->program, c->word, tell_name, c);
}

void hc_debugger_complete(struct hc_debugger *s, const char *line, hc_completion_fn *tell, void *owner)
{
    struct completion c = { .s = s, .tell = tell, .owner = owner };

    c.line = line + strspn(line, " \t");
    c.word = c.line + strlen(c.line);
    c.from = c.word;
    while (c.word > c.line && is_of_word(c.word[-1]))
        c.word--;
    while (c.from > c.line && c.from[-1] != ' ' && c.from[-1] != '\t')
        c.from--;
    if (c.from == c.line) { /* names of commands have dashes */
        c.word = c.line;
        for (size_t i = 0; hc_command_name(i); i++)
            tell_if(&c, hc_command_name(i));
        return;
    }
    if (tell_topics(&c) || (takes_place(c.line) && tell_places(&c)) || tell_members_behind(&c))
        return;
    tell_names(&c);
}
