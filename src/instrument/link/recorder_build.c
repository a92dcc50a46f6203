#include "recorder_build.h"

#include "instrument/command/arguments.h"
#include "instrument/command/region_compiler.h"
#include "instrument/command/share.h"
#include "recorded/names.h"
#include "target/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct hc_recorder_build *recorder;
    struct hc_invocation *session;
    const struct hc_settings *settings;
    const struct hc_link_inputs *inputs;
    const struct hc_regs *registers;
    const struct hc_target *target;
    const char *output;           /* of the link */
    const char *handled;          /* vectors, once they are known */
    char *runtime;                /* the folder */
    char *sink, *port, *language; /* chosen, or by default */
    struct hc_argv sources, includes, preludes, uses, fits;
    size_t sinks, ports, languages; /* lines that fit the choice */
};

/* The program's own: a file instead of a name. */
static bool port_is_file(const struct work *w)
{
    size_t length = w->port ? strlen(w->port) : 0;

    return length > 2 && !strcmp(w->port + length - 2, ".c");
}

/* ---- sources.txt ---- */

static bool chosen(const struct work *w, const char *key, const char *value)
{
    if (!strcmp(key, "sink"))
        return w->sink && !strcmp(value, w->sink);
    if (!strcmp(key, "port"))
        return w->port && !strcmp(value, w->port);
    if (!strcmp(key, "recorder"))
        return w->language && !strcmp(value, w->language);
    if (!strcmp(key, "part"))
        return !strcmp(value, w->registers->part);
    if (!strcmp(key, "record"))
        return !strcmp(value, w->settings->record);
    if (!strcmp(key, "paths"))
        return hc_settings_paths(w->settings) == !strcmp(value, "yes");
    if (!strcmp(key, "dma"))
        return w->inputs->dma == !strcmp(value, "yes");
    return !strcmp(key, "codec") &&
           (hc_settings_codec_is(w->settings, "interrupts", value) ||
            hc_settings_codec_is(w->settings, "registers", value) || hc_settings_codec_is(w->settings, "data", value));
}

static void set_default(struct work *w, const char *key, const char *value)
{
    char **choice = !strcmp(key, "sink")       ? &w->sink
                    : !strcmp(key, "port")     ? &w->port
                    : !strcmp(key, "recorder") ? &w->language
                                               : NULL;

    if (choice && !*choice)
        *choice = strdup(value);
}

/* Two passes: what holds by default must be known before what depends on it. */
static bool read_line(struct work *w, const struct hc_argv *line, bool defaults)
{
    char **word = line->word;
    size_t count = line->count;

    if (count == 3 && !strcmp(word[0], "default")) {
        if (defaults)
            set_default(w, word[1], word[2]);
        return true;
    }
    for (; count > 4 && !strcmp(word[0], "when"); word += 3, count -= 3) {
        if (defaults || !chosen(w, word[1], word[2]))
            return true;
        w->sinks += !strcmp(word[1], "sink");
        w->ports += !strcmp(word[1], "port");
        w->languages += !strcmp(word[1], "recorder");
    }
    if (count != 2)
        return false;
    struct hc_argv *list = !strcmp(word[0], "source")    ? &w->sources
                           : !strcmp(word[0], "include") ? &w->includes
                           : !strcmp(word[0], "prelude") ? &w->preludes
                           : !strcmp(word[0], "uses")    ? &w->uses
                           : !strcmp(word[0], "fit")     ? &w->fits
                           : !strcmp(word[0], "keep")    ? &w->recorder->keep
                                                         : NULL;
    if (list && !defaults)
        hc_argv_add(list, word[1]);
    return list != NULL;
}

static bool read_lines(struct work *w, const char *path, char *text, bool defaults)
{
    int number = 0;

    for (char *line = text, *next; line; line = next) {
        struct hc_argv words = { 0 };
        number++;
        next = strchr(line, '\n');
        size_t length = strcspn(line, "#\n");
        char after = line[length];
        line[length] = '\0';
        hc_argv_split(&words, line);
        line[length] = after;
        bool fine = !words.count || read_line(w, &words, defaults);
        hc_argv_free(&words);
        if (!fine)
            return hc_invocation_fail(w->session, "%s: line %d: syntax error", path, number);
        if (next)
            next++;
    }
    return true;
}

static bool read_sources(struct work *w)
{
    char *path = NULL;
    size_t size;

    const char *list = hc_settings_region(w->settings)          ? w->target->region_recorder
                       : hc_settings_only_messages(w->settings) ? w->target->message_recorder
                                                                : w->target->recorder;

    if (!list)
        return hc_invocation_fail(w->session, "--record=%s: there is no such recorder for this CPU yet",
                                  w->settings->record);
    if (asprintf(&path, "%s/%s", w->runtime, list) < 0)
        return hc_invocation_fail(w->session, "out of memory");
    char *text = hc_argv_file(path, &size);
    bool fine = text != NULL;
    if (!fine)
        hc_invocation_fail(w->session, "%s: cannot be read: is the recorder installed?", path);
    fine = fine && read_lines(w, path, text, true) && read_lines(w, path, text, false);
    free(text);
    free(path);
    if (fine && !w->sinks)
        return hc_invocation_fail(w->session, "--sink=%s: no such sink: use m25p80, flash, fram, uart or none",
                                  w->sink ? w->sink : "");
    if (fine && w->language && !w->languages)
        return hc_invocation_fail(w->session, "--recorder=%s: expected c or asm", w->language);
    if (fine && w->port && !w->ports && !port_is_file(w))
        return hc_invocation_fail(
            w->session, "--port=%s: no such port: use bare, kit, contiki, tinyos, generic (regions), or a FILE.c",
            w->port);
    return fine;
}

/* ---- compiling ---- */

static void define_part(const struct work *w, struct hc_argv *command)
{
    char name[64];
    size_t i = 0;

    for (const char *c = w->registers->part; *c && i < sizeof name - 1; c++)
        name[i++] = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    name[i] = '\0';
    hc_argv_addf(command, "-DHC_PART_%s=1", name);
}

static bool add_options(const struct work *w, struct hc_argv *command)
{
    /* Without -fno-builtin a loop that copies becomes a call of memcpy, which is the program's: it counts positions. */
    /* No call may leave the recorder: the program's functions count, and so does copying by one of them. */
    static const char *const ours[] = { "-std=gnu11",
                                        "-g",
                                        "-w",
                                        "-ffreestanding",
                                        "-fno-builtin",
                                        "-D__HINDCAST__=1",
                                        "-ffunction-sections",
                                        "-fdata-sections",
                                        "-DHC_CODEC_HOME=\"home.h\"" };
    struct hc_settings settings = *w->settings;

    settings.sink = w->sink;
    settings.recorder = w->language;
    settings.port = port_is_file(w) ? NULL : w->port;
    hc_argv_add_all(command, w->inputs->compiler.word, w->inputs->compiler.count);
    hc_argv_add(command, hc_compiler_is_clang(&w->inputs->compiler) ? "-Oz" : "-Os");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        hc_argv_add(command, ours[i]);
    hc_argv_addf(command, "-I%s", w->runtime);
    for (size_t i = 0; i < w->includes.count; i++)
        hc_argv_addf(command, "-I%s/%s", w->runtime, w->includes.word[i]);
    for (size_t i = 0; i < w->preludes.count; i++) {
        hc_argv_add(command, "-include");
        hc_argv_addf(command, "%s/%s", w->runtime, w->preludes.word[i]);
    }
    define_part(w, command);
    if (w->inputs->dma)
        hc_argv_add(command, "-DHC_DMA=1");
    if (w->handled)
        hc_argv_addf(command, "-DHC_HANDLED=%s", w->handled);
    if (hc_settings_only_messages(&settings))
        hc_argv_add(command, "-D__HINDCAST_MESSAGES__=1");
    return hc_settings_define(&settings, w->session, command);
}

static bool compile_to(const struct work *w, const char *source, const char *object, int *code)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command };
    bool fine = add_options(w, &command);

    if (fine) {
        if (strstr(source, "/region/record.c")) /* its hooks come often */
            hc_argv_add(&command, "-O2");
        hc_argv_add(&command, "-c");
        hc_argv_add(&command, source);
        hc_argv_add(&command, "-o");
        hc_argv_add(&command, object);
        fine = hc_process_run(w->session, &process);
        *code = fine ? process.code : 0;
    }
    hc_argv_free(&command);
    return fine && !*code;
}

/* SOURCE is a path; the object is named after NAME. */
static bool compile_one(const struct work *w, const char *source, const char *name, int *code)
{
    char *base = hc_output_name(name, "o"), *unique = NULL, *object = NULL;

    if (base && asprintf(&unique, "hindcast-%zu-%s", w->recorder->objects.count, base) >= 0)
        object = hc_invocation_file(w->session, w->output, unique);
    if (object)
        hc_argv_add(&w->recorder->objects, object);
    bool fine = object && compile_to(w, source, object, code);
    free(base);
    free(unique);
    free(object);
    return fine;
}

/* The runtime's file NAME; to be freed. */
static char *path_of(const struct work *w, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", w->runtime, name) < 0 ? NULL : path;
}

static bool compile_sources(const struct work *w, int *code)
{
    for (size_t i = 0; i < w->sources.count; i++) {
        char *path = path_of(w, w->sources.word[i]);
        bool fine =
            path ? compile_one(w, path, w->sources.word[i], code) : hc_invocation_fail(w->session, "out of memory");
        free(path);
        if (!fine)
            return false;
    }
    return !port_is_file(w) || compile_one(w, w->port, w->port, code);
}

/* ---- what they need ---- */

/* A port looks at the program's variables; what the compiler calls by itself it must not need. */
static bool may_need(const struct work *w, size_t object, const char *symbol)
{
    if (hc_is_recorder_name(symbol))
        return true;
    if (object == w->sources.count && strncmp(symbol, "__", 2) != 0)
        return true;
    for (size_t i = 0; i < w->uses.count; i++)
        if (!strcmp(symbol, w->uses.word[i]))
            return true;
    return false;
}

/* A function of the program would count, or be replaced by the replayer: then the log would be wrong. */
static bool check_needs(const struct work *w)
{
    for (size_t i = 0; i < w->recorder->objects.count; i++) {
        struct hc_argv needs = { 0 };
        const char *stranger = NULL;
        hc_object_needs(w->recorder->objects.word[i], &needs);
        for (size_t n = 0; n < needs.count && !stranger; n++)
            if (!may_need(w, i, needs.word[n]))
                stranger = needs.word[n];
        if (stranger)
            hc_invocation_fail(w->session, "the recorder's %s refers to %s: an external reference breaks exact replay",
                               i < w->sources.count ? w->sources.word[i] : w->port, stranger);
        hc_argv_free(&needs);
        if (stranger)
            return false;
    }
    return true;
}

/* A port may have hooks for a kernel's idle moments. */
static bool port_calls_update(const struct work *w)
{
    bool calls = false;

    for (size_t i = 0; i < w->recorder->objects.count; i++) {
        struct hc_argv needs = { 0 };
        hc_object_needs(w->recorder->objects.word[i], &needs);
        for (size_t n = 0; n < needs.count; n++)
            calls |= hc_is_update(needs.word[n]);
        hc_argv_free(&needs);
    }
    return calls;
}

/* ---- what is known at the link only ---- */

static void write_pair(FILE *to, const char *kind, const char *value)
{
    struct hc_argv fields = { 0 };

    hc_argv_add(&fields, kind);
    hc_argv_add(&fields, value);
    hc_record_write(to, &fields);
    hc_argv_free(&fields);
}

/* A note without content, filled in after the link: 20 bytes of the build id. */
static const char note[] = "__asm__(\".pushsection .note.hindcast,\\\"\\\",%note\\n"
                           "\\t.balign 4\\n\\t.long 9, 20, 1\\n\\t.asciz \\\"Hindcast\\\"\\n\\t.balign 4\\n"
                           "\\t.fill 20, 1, 0\\n\\t.popsection\");\n";

/* What calls in loops and handlers lead to, a section each. patch.c makes a return of those that shall do nothing. */
static void write_updates(FILE *to, const struct hc_link_inputs *inputs, const char *jump)
{
    for (size_t i = 0; i < HC_UPDATE_SYMBOLS; i++) {
        const char *name = hc_recorder_symbols[hc_update_symbols[i].symbol];
        if (inputs->needs_update[i])
            fprintf(to,
                    "__asm__(\".pushsection .text.hindcast%s,\\\"ax\\\",%%progbits\\n\\t.balign 2\\n\\t.global %s\\n"
                    "\\t.type %s,%%function\\n%s:\\t%s%s\\n\\t.size %s, .-%s\\n\\t.popsection\");\n",
                    name + 4, name, name, name, jump, hc_update_symbols[i].function, name, name);
    }
}

static bool compile_records(const struct work *w, int *code)
{
    char *text = NULL;
    size_t size = 0;
    char *path = hc_invocation_file(w->session, w->output, "hindcast-link.c");
    FILE *to = path ? open_memstream(&text, &size) : NULL;
    bool fine = to != NULL;

    if (to) {
        write_pair(to, "part", w->registers->part);
        write_pair(to, "port", w->port ? w->port : "");
        for (size_t i = 0; i < w->inputs->uninstrumented.count; i++)
            write_pair(to, "uninstrumented", w->inputs->uninstrumented.word[i]);
        for (size_t i = 0; i < w->recorder->objects.count; i++)
            hc_record_recorder(to, w->recorder->objects.word[i]);
        write_updates(to, w->inputs, w->target->text->jump);
        fputs(note, to);
        fine = !fclose(to) && hc_invocation_write(w->session, path, text, size) && compile_one(w, path, "link.c", code);
    } else if (path) {
        hc_invocation_fail(w->session, "out of memory");
    }
    free(text);
    free(path);
    return fine;
}

/* ---- all of it ---- */

static bool open_work(struct work *w)
{
    w->target = hc_target_of_cpu(w->registers->cpu);
    if (!w->target)
        return hc_invocation_fail(w->session, "%s: there is no recorder for its CPU", w->registers->part);
    w->runtime = hc_share_find("runtime");
    w->sink = w->settings->sink ? strdup(w->settings->sink) : NULL;
    w->port = w->settings->port ? strdup(w->settings->port) : NULL;
    w->language = w->settings->recorder ? strdup(w->settings->recorder) : NULL;
    return (w->runtime ||
            hc_invocation_fail(w->session,
                               "the recorder's sources are not installed; set HINDCAST_SHARE to their directory")) &&
           read_sources(w);
}

static void close_work(struct work *w)
{
    hc_argv_free(&w->sources);
    hc_argv_free(&w->includes);
    hc_argv_free(&w->preludes);
    hc_argv_free(&w->uses);
    hc_argv_free(&w->fits);
    free(w->runtime);
    free(w->sink);
    free(w->port);
    free(w->language);
}

bool hc_recorder_compile(struct hc_recorder_build *recorder, struct hc_invocation *session,
                         const struct hc_settings *settings, const struct hc_link_inputs *inputs,
                         const struct hc_regs *registers, const char *output, int *code)
{
    struct work w = { .recorder = recorder,
                      .session = session,
                      .settings = settings,
                      .inputs = inputs,
                      .registers = registers,
                      .output = output };

    *recorder = (struct hc_recorder_build){ 0 };
    bool fine = open_work(&w) && compile_sources(&w, code) &&
                (hc_settings_only_messages(settings) || hc_settings_region(settings) || check_needs(&w));
    recorder->calls_update = fine && port_calls_update(&w);
    fine = fine && compile_records(&w, code);
    recorder->fits = w.fits.count > 0;
    close_work(&w);
    return fine;
}

bool hc_recorder_fit(struct hc_recorder_build *recorder, struct hc_invocation *session,
                     const struct hc_settings *settings, const struct hc_link_inputs *inputs,
                     const struct hc_regs *registers, const char *handled, int *code)
{
    struct hc_argv keep = recorder->keep;
    struct work w = { .recorder = recorder,
                      .session = session,
                      .settings = settings,
                      .inputs = inputs,
                      .registers = registers,
                      .handled = handled };

    recorder->keep = (struct hc_argv){ 0 }; /* is read again */
    bool fine = open_work(&w);
    hc_argv_free(&keep);
    for (size_t i = 0; fine && i < w.sources.count; i++)
        for (size_t k = 0; fine && k < w.fits.count; k++) {
            char *path = strcmp(w.sources.word[i], w.fits.word[k]) ? NULL : path_of(&w, w.sources.word[i]);
            fine = !path || compile_to(&w, path, recorder->objects.word[i], code);
            free(path);
        }
    close_work(&w);
    return fine;
}

void hc_recorder_free(struct hc_recorder_build *recorder)
{
    hc_argv_free(&recorder->objects);
    hc_argv_free(&recorder->keep);
}
