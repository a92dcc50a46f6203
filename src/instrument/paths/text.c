#include "text.h"

#include "support/grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static bool begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);

    return !strncmp(text, word, length) && !isalnum((unsigned char)text[length]) && text[length] != '_';
}

/* Length of the label at TEXT, without its colon; 0 if there is none. */
static size_t label_length(const char *text)
{
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$");

    return length && text[length] == ':' ? length : 0;
}

/* ---- lines ---- */

static struct hc_asm_line *add_line(struct hc_asm_text *t, const char *text, size_t length)
{
    if (!hc_grow(&t->line, t->lines, &t->line_room, sizeof *t->line)) {
        t->failed = true;
        return NULL;
    }
    struct hc_asm_line *line = &t->line[t->lines++];
    *line = (struct hc_asm_line){ .text = strndup(text, length) };
    t->failed |= !line->text;
    return line;
}

/* A line each for labels and what follows them. */
static void split_lines(struct hc_asm_text *t, const char *text, size_t size)
{
    for (const char *at = text, *end = text + size; at < end && !t->failed;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = stop ? (size_t)(stop - at) : (size_t)(end - at);
        const char *word = at, *line_start = at;
        size_t label;
        while (word < at + length && isspace((unsigned char)*word))
            word++;
        while (word < at + length && (label = label_length(word)) && word + label < at + length) {
            struct hc_asm_line *line = add_line(t, word, label + 1);
            if (!line)
                return;
            line->kind = HC_ASM_LABEL;
            line->name = strndup(word, label);
            t->failed |= !line->name;
            for (word += label + 1; word < at + length && isspace((unsigned char)*word);)
                word++;
            length -= (size_t)(word - at);
            at = word;
        }
        if (at == line_start || length)
            add_line(t, at, length);
        at += length + 1;
    }
}

/* ---- functions ---- */

static void add_function(struct hc_asm_text *t, size_t first, bool global)
{
    if (!hc_grow(&t->function, t->functions, &t->function_room, sizeof *t->function)) {
        t->failed = true;
        return;
    }
    t->function[t->functions++] =
        (struct hc_asm_function){ .name = t->line[first].name, .first = first, .end = first + 1, .global = global };
}

/* ".type NAME, @function": NAME as a copy; NULL if it is something else. */
static char *typed_function(const char *text)
{
    if (!begins_with(text, ".type") || !strstr(text, "function"))
        return NULL;
    text = skip_blanks(text + 5);
    return strndup(text, strcspn(text, ", \t"));
}

static bool names(const char *text, const char *directive, const char *name)
{
    if (!begins_with(text, directive))
        return false;
    text = skip_blanks(text + strlen(directive));
    size_t length = strlen(name);
    return !strncmp(text, name, length) && (!text[length] || strchr(", \t", text[length]));
}

static bool is_global(const struct hc_asm_text *t, size_t until, const char *name)
{
    for (size_t i = until; i--;) {
        const char *text = skip_blanks(t->line[i].text);
        if (names(text, ".globl", name) || names(text, ".global", name) || names(text, ".weak", name))
            return true;
        if (until - i > 64)
            return false;
    }
    return false;
}

static void find_functions(struct hc_asm_text *t)
{
    char *waiting = NULL;
    struct hc_asm_function *open = NULL;

    for (size_t i = 0; i < t->lines && !t->failed; i++) {
        const char *text = skip_blanks(t->line[i].text);
        char *typed = typed_function(text);
        if (typed) {
            free(waiting);
            waiting = typed;
        } else if (waiting && t->line[i].kind == HC_ASM_LABEL && !strcmp(t->line[i].name, waiting)) {
            add_function(t, i, is_global(t, i, waiting));
            open = t->functions ? &t->function[t->functions - 1] : NULL;
            free(waiting);
            waiting = NULL;
        } else if (open && names(text, ".size", open->name)) {
            open->end = i;
            open = NULL;
        }
    }
    free(waiting);
}

/* ---- what lines are ---- */

/* Whether the directive at TEXT leads into code (1), out of it (0), or neither (-1). */
static int section_change(const char *text)
{
    if (begins_with(text, ".text"))
        return 1;
    if (begins_with(text, ".data") || begins_with(text, ".bss"))
        return 0;
    if (!begins_with(text, ".section"))
        return -1;
    return !strncmp(skip_blanks(text + 8), ".text", 5);
}

static bool is_data(const char *text)
{
    static const char *const directives[] = { ".short",  ".word",  ".2byte", ".byte",    ".long",   ".4byte",
                                              ".ascii",  ".asciz", ".skip",  ".space",   ".fill",   ".zero",
                                              ".string", ".macro", ".rept",  ".include", ".incbin", NULL };

    for (const char *const *d = directives; *d; d++)
        if (begins_with(text, *d))
            return true;
    return false;
}

static void read_location(const char *text, int *file, int *number)
{
    char *end;

    *file = (int)strtol(text + 4, &end, 10);
    int line = (int)strtol(end, NULL, 10);
    if (line) /* 0: the compiler's own */
        *number = line;
}

/* A jump to where the instruction before found the address in a table. */
static void join_table(const struct hc_route *before, struct hc_route *jump)
{
    if (jump->kind != HC_ROUTE_ANYWHERE || !*jump->into || !before || !*before->loaded ||
        strcmp(before->into, jump->into) != 0)
        return;
    jump->kind = HC_ROUTE_TABLE;
    memcpy(jump->target, before->loaded, sizeof jump->target);
}

static void classify(struct hc_asm_text *t, const struct hc_asm_function *f, const struct hc_target_flow *flow)
{
    const struct hc_asm_line *last = NULL; /* instruction */
    bool code = true, pushed = false;
    int file = 0, number = 0;

    for (size_t i = f->first; i < f->end; i++) {
        struct hc_asm_line *line = &t->line[i];
        const char *text = skip_blanks(line->text);
        int change = section_change(text);
        if (begins_with(text, ".loc"))
            read_location(text, &file, &number);
        if (begins_with(text, ".pushsection"))
            pushed = true;
        else if (begins_with(text, ".popsection"))
            pushed = false;
        else if (change >= 0 && !pushed)
            code = change;
        line->file = file;
        line->number = number;
        if (!code || pushed || line->kind == HC_ASM_LABEL || !*text || strchr(";#/", *text))
            continue;
        if (*text == '.') {
            line->kind = is_data(text) ? HC_ASM_DATA : HC_ASM_OTHER;
            continue;
        }
        char *comment = strchr(line->text, ';');
        char *instruction = strndup(text, comment ? (size_t)(comment - text) : strlen(text));
        t->failed |= !instruction;
        if (instruction) {
            line->kind = HC_ASM_INSTRUCTION;
            flow->read(instruction, &line->flow);
            join_table(last ? &last->flow : NULL, &line->flow);
            last = line;
        }
        free(instruction);
    }
}

/* ".file N "directory" "name" ...": the last text in quotes before md5. */
static void read_file(struct hc_asm_text *t, const char *text)
{
    char *end;
    long number = strtol(text + 5, &end, 10);

    if (end == text + 5 || number < 0 || number > 10000)
        return;
    const char *from = strchr(end, '"'), *to = from ? strchr(from + 1, '"') : NULL;
    const char *second = to && to[1] == ' ' && to[2] == '"' ? to + 2 : NULL;
    if (second) {
        from = second;
        to = strchr(from + 1, '"');
    }
    if (!from || !to)
        return;
    while (t->files <= (size_t)number) {
        char **grown = realloc(t->file, (t->files + 1) * sizeof *t->file);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->file = grown;
        t->file[t->files++] = NULL;
    }
    free(t->file[number]);
    t->file[number] = strndup(from + 1, (size_t)(to - from - 1));
}

bool hc_asm_read(struct hc_asm_text *t, const char *text, size_t size, const struct hc_target_flow *flow)
{
    *t = (struct hc_asm_text){ 0 };
    split_lines(t, text, size);
    if (!t->failed)
        find_functions(t);
    for (size_t i = 0; i < t->lines && !t->failed; i++) {
        const char *at = skip_blanks(t->line[i].text);
        if (begins_with(at, ".file"))
            read_file(t, at);
    }
    for (size_t i = 0; i < t->functions && !t->failed; i++)
        classify(t, &t->function[i], flow);
    return !t->failed;
}

void hc_asm_free(struct hc_asm_text *t)
{
    for (size_t i = 0; i < t->lines; i++) {
        free(t->line[i].text);
        free(t->line[i].name);
        free(t->line[i].before);
        free(t->line[i].after);
    }
    for (size_t i = 0; i < t->files; i++)
        free(t->file[i]);
    free(t->file);
    free(t->line);
    free(t->function);
    *t = (struct hc_asm_text){ 0 };
}

/* ---- questions ---- */

const struct hc_asm_function *hc_asm_function(const struct hc_asm_text *t, const char *name)
{
    for (size_t i = 0; i < t->functions; i++)
        if (!strcmp(t->function[i].name, name))
            return &t->function[i];
    return NULL;
}

static bool is_label(const struct hc_asm_line *line, const char *name, size_t length)
{
    return line->kind == HC_ASM_LABEL && strlen(line->name) == length && !strncmp(line->name, name, length);
}

size_t hc_asm_label(const struct hc_asm_text *t, size_t from, const char *name)
{
    size_t length = strlen(name);
    bool local = isdigit((unsigned char)*name) && length > 1 && strspn(name, "0123456789") == length - 1;

    if (local && name[length - 1] == 'b') {
        for (size_t i = from + 1; i--;)
            if (is_label(&t->line[i], name, length - 1))
                return i;
        return t->lines;
    }
    if (local)
        length--;
    for (size_t far = 0; far < t->lines; far++) { /* the next one first */
        if (from + far < t->lines && is_label(&t->line[from + far], name, length))
            return from + far;
        if (!local && far <= from && is_label(&t->line[from - far], name, length))
            return from - far;
    }
    return t->lines;
}

bool hc_asm_entry(const struct hc_asm_line *line, char out[HC_ROUTE_NAME])
{
    static const char *const words[] = { ".short", ".word", ".2byte", NULL };
    const char *text = skip_blanks(line->text);

    for (const char *const *w = words; *w; w++)
        if (begins_with(text, *w)) {
            text = skip_blanks(text + strlen(*w));
            size_t length = strcspn(text, " \t;,+-");
            if (isdigit((unsigned char)*text) || !length || length >= HC_ROUTE_NAME || text[length] == ',')
                return false;
            memcpy(out, text, length);
            out[length] = 0;
            return true;
        }
    return false;
}

size_t hc_asm_table(const struct hc_asm_text *t, const char *name, size_t *first)
{
    char entry[HC_ROUTE_NAME];
    size_t at = hc_asm_label(t, 0, name);

    *first = at < t->lines ? at + 1 : at;
    for (at = *first; at < t->lines && hc_asm_entry(&t->line[at], entry);)
        at++;
    return at;
}

/* ---- writing ---- */

char *hc_asm_write(const struct hc_asm_text *t, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);

    for (size_t i = 0; to && i < t->lines; i++) {
        const struct hc_asm_line *line = &t->line[i];
        if (line->before)
            fputs(line->before, to);
        if (!line->dropped)
            fprintf(to, "%s\n", line->text);
        if (line->after)
            fputs(line->after, to);
    }
    if (to && !fclose(to))
        return text;
    free(text);
    return NULL;
}

/* ---- jumps that do not reach ---- */

/* The distance from line FROM to line TO, at most. */
static long distance(const struct hc_asm_text *t, size_t from, size_t to)
{
    long sum = 0;
    size_t low = from < to ? from : to, high = from < to ? to : from;

    for (size_t i = low; i < high; i++)
        if (t->line[i].kind == HC_ASM_INSTRUCTION)
            sum += t->line[i].flow.size + (t->line[i].dropped ? 8 : 0);
    return sum;
}

static bool lengthen(struct hc_asm_line *line, const struct hc_target_flow *flow, unsigned *serial)
{
    char label[40];
    size_t size = 0;
    FILE *to = open_memstream(&line->after, &size);

    if (!to)
        return false;
    snprintf(label, sizeof label, ".Lhc_n_%u", (*serial)++);
    if (line->flow.kind == HC_ROUTE_BRANCH)
        flow->branch_unless(to, line->text, label);
    flow->jump(to, line->flow.target);
    if (line->flow.kind == HC_ROUTE_BRANCH)
        fprintf(to, "%s:\n", label);
    line->dropped = true;
    return !fclose(to);
}

bool hc_asm_lengthen(struct hc_asm_text *t, const struct hc_asm_function *f, const struct hc_target_flow *flow,
                     unsigned *serial)
{
    bool again = true;

    while (again) {
        again = false;
        for (size_t i = f->first; i < f->end; i++) {
            struct hc_asm_line *line = &t->line[i];
            if (line->kind != HC_ASM_INSTRUCTION || !line->flow.near || line->dropped)
                continue;
            size_t to = hc_asm_label(t, i, line->flow.target);
            if (to == t->lines || distance(t, i, to) <= flow->reach)
                continue;
            if (!lengthen(line, flow, serial))
                return false;
            again = true;
        }
    }
    return true;
}
