/* Runs the cases of a file in cases/: cases FILE [NAME]. cases/README says what they are. Prints what differs, and how
 * to run just that case. Exit code 1 if anything does. */
#include "instrument/unit/unit.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const target[] = { "--target=msp430-none-elf", "-mmcu=msp430f1611", "-std=gnu89" };
static const char options[] = "--target=msp430-none-elf -mmcu=msp430f1611 -std=gnu89";

struct context {
    const struct hc_regs *regs;
    const char *file;
    char folder[64]; /* for what is compiled */
    int ran, failed;
};

struct one_case {
    char *name, *text, *expected;
};

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (size_t got = 1; got;) {
        text = realloc(text, *size + 65537);
        got = fread(text + *size, 1, 65536, file);
        *size += got;
    }
    text[*size] = 0;
    fclose(file);
    return text;
}

static void write_all(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file)) {
        perror(path);
        exit(2);
    }
}

static void complain(struct context *c, const struct one_case *k, const char *format, ...)
{
    va_list arguments;
    printf("%s: case '%s' (cases %s '%s'):\n", c->file, k->name, c->file, k->name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    c->failed++;
}

/* ---- what came out, as cases write it ---- */

static void print_site(FILE *to, const struct hc_unit_site *s)
{
    static const char *const classes[] = { "state", "timer", "data", "vector" };
    if (s->reason)
        fprintf(to, "%u skip %s %s\n", s->line, s->register_name, s->reason);
    else
        fprintf(to, "%u site %s %s 0x%0*x\n", s->line, s->register_name, classes[s->class], 2 * s->width, s->mask);
}

/* The text, but for its line markers and empty lines. */
static void print_text(FILE *to, const char *text)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (*text != '#' && *text != '\n')
            fprintf(to, "%.*s", (int)length, text);
    }
}

/* What is put into the text is asm: it becomes <what it calls>, reads <read>, turns that are counted <every N>; ticks
 * are left out. Returns where it goes on. */
static const char *print_inserted(FILE *to, const char *text)
{
    static const char statement[] = "__asm__ __volatile__(\"", read[] = "__extension__({register unsigned __hc_v";
    char name[40];
    unsigned step;
    if (!strncmp(text, read, sizeof read - 1)) {
        fputs("<read>", to);
        return strstr(text, "__hc_v;})") + 9;
    }
    if (strncmp(text, statement, sizeof statement - 1) != 0)
        return NULL;
    const char *code = text + sizeof statement - 1;
    if (sscanf(code, "add.b #%u,&.Lhc_turns", &step) == 1)
        fprintf(to, "<every %u>", 256 / step);
    else if (sscanf(code, "call #%39[a-z_]", name) != 1)
        return NULL;
    else if (strcmp(name, "__hc_tick") != 0)
        fprintf(to, "<%s>", name);
    return strstr(code, "\");") + 3;
}

/* The case's own text, without what is put before and behind it. */
static void print_own_text(FILE *to, const char *text)
{
    const char *end = strstr(text, "\n# 1 \"<hindcast>\""), *at = text;
    for (const char *next; (next = strstr(at, "case.c\"")) && next < end;)
        at = strchr(next, '\n') + 1;
    at = strchr(at, '\n') + 1; /* the line that says which calls are put in */
    while (at < end) {
        const char *after = print_inserted(to, at);
        if (after)
            at = after;
        else
            fputc(*at++, to);
    }
}

static char *describe(const struct hc_unit_result *result, bool with_ticks, bool with_text)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; i < result->error_count; i++)
        fprintf(to, "%u error %s\n", result->errors[i].line, result->errors[i].text);
    for (size_t i = 0; !result->error_count && i < result->site_count; i++)
        print_site(to, &result->sites[i]);
    if (!result->error_count && with_ticks)
        fprintf(to, "ticks %u %u\n", result->counts.function_ticks, result->counts.loop_ticks);
    if (!result->error_count && result->uses_dma)
        fputs("dma\n", to);
    if (result->text && with_text)
        print_text(to, result->text);
    fclose(to);
    return text;
}

static char *describe_updates(const struct hc_unit_result *result)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; i < result->error_count; i++)
        fprintf(to, "%u error %s\n", result->errors[i].line, result->errors[i].text);
    if (result->text)
        print_own_text(to, result->text);
    for (size_t i = 0; !result->error_count && i < result->update_count; i++)
        fprintf(to, "%u %s\n", result->updates[i].line, result->updates[i].what);
    if (result->sleeps_for_good)
        fputs("handlers only\n", to);
    if (result->uses_bus)
        fputs("bus\n", to);
    fclose(to);
    return text;
}

/* Line by line; of an error's text only a part is expected. */
static bool is_as_expected(const char *expected, const char *got)
{
    while (*expected || *got) {
        size_t e = strcspn(expected, "\n"), g = strcspn(got, "\n");
        char want[512], have[2048];
        snprintf(want, sizeof want, "%.*s", (int)e, expected);
        snprintf(have, sizeof have, "%.*s", (int)g, got);
        char *want_error = strstr(want, " error "), *have_error = strstr(have, " error ");
        if (want_error && have_error) {
            if (want_error - want != have_error - have || strncmp(want, have, (size_t)(want_error - want)) != 0 ||
                !strstr(have_error + 7, want_error + 7))
                return false;
        } else if (strcmp(want, have) != 0) {
            return false;
        }
        expected += e + (expected[e] == '\n');
        got += g + (got[g] == '\n');
    }
    return true;
}

/* ---- one case ---- */

static int run(const char *format, ...)
{
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command);
}

static enum hc_unit_checkpoints checkpoints_of(const struct one_case *k)
{
    if (!strncmp(k->text, "// loop-latch", 13))
        return HC_CHECKPOINTS_LOOP_LATCH;
    return !strncmp(k->text, "// function-return", 18) ? HC_CHECKPOINTS_FUNCTION_RETURN : HC_CHECKPOINTS_NONE;
}

static bool begins(const struct one_case *k, const char *line)
{
    return !strncmp(k->text, line, strlen(line));
}

static enum hc_unit_updates updates_of(const struct one_case *k)
{
    return begins(k, "// auto\n")    ? HC_UPDATES_AUTO
           : begins(k, "// sleep\n") ? HC_UPDATES_SLEEP
           : begins(k, "// wake\n")  ? HC_UPDATES_WAKE
                                     : HC_UPDATES_MANUAL;
}

static char *preprocessed(struct context *c, const struct one_case *k, size_t *size)
{
    char source[128], output[128];
    snprintf(source, sizeof source, "%s/case.c", c->folder);
    snprintf(output, sizeof output, "%s/case.i", c->folder);
    write_all(source, k->text, strlen(k->text));
    bool bare = !strncmp(k->text, "// bare", 7) || checkpoints_of(k);
    if (run("clang-19 %s -w -isystem /usr/msp430/include %s -E %s -o %s", options,
            bare ? "" : "-include msp430f1611.h -include stdint.h", source, output)) {
        complain(c, k, "it cannot be preprocessed\n");
        return NULL;
    }
    return read_all(output, size);
}

/* GCC's limit for strings is low on this target; what C promises is enough for all that is put behind a unit. */
static void check_strings(struct context *c, const struct one_case *k, const struct hc_unit_result *result)
{
    enum { LIMIT = 509 };
    const char *at = strstr(result->text, "\n# 1 \"<hindcast>\"\n");
    for (const char *end; at && (end = strstr(at, ");\n")); at = end + 1)
        if (end - at > LIMIT)
            complain(c, k, "a string of %d characters or so\n", (int)(end - at));
}

static void check_compiles(struct context *c, const struct one_case *k, const struct hc_unit_result *result)
{
    char path[128];
    snprintf(path, sizeof path, "%s/instrumented.i", c->folder);
    write_all(path, result->text, result->size);
    if (!run("clang-19 %s -Os -w -x cpp-output -c %s -o %s/case.o 2>%s/messages", options, path, c->folder, c->folder))
        return;
    size_t size;
    snprintf(path, sizeof path, "%s/messages", c->folder);
    char *messages = read_all(path, &size);
    complain(c, k, "its instrumented text does not compile:\n%s%s\n", messages, strstr(result->text, "case.c\"\n"));
    free(messages);
}

static void check(struct context *c, const struct one_case *k)
{
    static const char *const spared[] = { "spared" };
    enum hc_unit_checkpoints checkpoints = checkpoints_of(k);
    struct hc_unit_request request = {
        .name = "case.c",
        .arguments = target,
        .argument_count = sizeof target / sizeof target[0],
        .registers = checkpoints ? NULL : c->regs,
        .updates = updates_of(k),
        .checkpoints = checkpoints,
        .checkpoint_function = "checkpoint",
        .without_checkpoints = spared,
        .without_checkpoints_count = 1,
    };
    char *text = preprocessed(c, k, &request.size);
    if (!text)
        return;
    request.text = text;
    struct hc_unit_result result;
    hc_unit_instrument(&request, &result);
    bool updates = updates_of(k) || begins(k, "// manual\n");
    char *got = updates ? describe_updates(&result) : describe(&result, strstr(k->expected, "ticks "), checkpoints);
    if (!is_as_expected(k->expected, got))
        complain(c, k, "expected:\n%sgot:\n%s\n", k->expected, got);
    if (result.text) {
        check_compiles(c, k, &result);
        check_strings(c, k, &result);
    }
    free(got);
    hc_unit_free(&result);
    free(text);
    c->ran++;
}

/* ---- the file ---- */

/* Cuts TEXT at the next line that begins with MARK; returns what follows that line, NULL if there is none. */
static char *cut(char *text, const char *mark)
{
    size_t length = strlen(mark);
    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, mark, length) != 0)
            continue;
        *line = 0;
        return line + length;
    }
    return NULL;
}

static void trim_end(char *text)
{
    size_t length = strlen(text);
    while (length > 1 && isspace((unsigned char)text[length - 1]) && isspace((unsigned char)text[length - 2]))
        text[--length] = 0;
    if (length == 1 && text[0] == '\n')
        text[0] = 0;
}

static void run_file(struct context *c, char *text, const char *only)
{
    for (char *at = cut(text, "=== "); at;) {
        struct one_case k = { .name = at };
        char *next = cut(at, "=== ");
        k.text = strchr(at, '\n') + 1;
        k.text[-1] = 0;
        k.expected = cut(k.text, "---\n");
        if (!k.expected) {
            complain(c, &k, "it has no line ---\n");
        } else if (!only || !strcmp(only, k.name)) {
            trim_end(k.expected);
            check(c, &k);
        }
        at = next;
    }
}

int main(int count, char **arguments)
{
    struct context c = { .file = count > 1 ? arguments[1] : "", .folder = "/tmp/hindcast-cases-XXXXXX" };
    struct hc_regs_message message;
    struct hc_regs *regs;
    size_t size;
    char *text = count > 1 ? read_all(c.file, &size) : NULL;
    if (!text || !mkdtemp(c.folder) || hc_regs_load_part(&regs, "msp430f1611", &message) != HC_REGS_OK) {
        fprintf(stderr, "usage: cases FILE [NAME]\n");
        return 2;
    }
    c.regs = regs;
    run_file(&c, text, count > 2 ? arguments[2] : NULL);
    printf("%s: %d cases, %d failed\n", c.file, c.ran, c.failed);
    run("rm -r %s", c.folder);
    hc_regs_free(regs);
    free(text);
    return c.failed || !c.ran;
}
