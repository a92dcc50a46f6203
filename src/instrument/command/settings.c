#include "settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum value { FLAG, TEXT, LIST };

static const struct {
    const char *name;
    enum value value;
    size_t offset;
    const char *argument, *help;
} options[] = {
#define AT(member) offsetof(struct hc_settings, member)
    { "part", TEXT, AT(part), "PART", "the microcontroller, if not given by -mmcu=: msp430f1611" },
    { "record", TEXT, AT(record), "DEPTH",
      "how much is recorded: all, region (chosen functions), slice (what can have an effect on an invariant), messages "
      "(who sent what to whom; no replay), or messages+paths (see --paths)" },
    { "paths", LIST, AT(paths), "PATTERN",
      "with --record=messages+paths: functions whose paths are recorded, with * and ?; !PATTERN: not these; "
      "a list with commas (may be repeated). With --record=slice: the file that hindcast slice --next wrote" },
    { "invariant", TEXT, AT(invariant), "NAME", "with --record=slice: an invariant or a function of the program" },
    { "level", TEXT, AT(level), "N", "with --record=slice: up to which level functions are recorded" },
    { "region", LIST, AT(patterns), "PATTERN",
      "with --record=region: a file (ctp.c), a folder (net/), a function (route_*, ctp.c:sent), or @FILE with a "
      "pattern a line" },
    { "region-interrupts", FLAG, AT(region_interrupts), NULL,
      "with --record=region: interrupt handlers outside call functions of the region" },
    { "sink", TEXT, AT(sink), "SINK", "where the log goes: m25p80, flash, fram, uart, none" },
    { "port", TEXT, AT(port), "PORT",
      "how the recorder shares the node with the program: bare, kit, contiki, tinyos, generic (regions), or your own "
      "FILE.c" },
    { "recorder", TEXT, AT(recorder), "LANGUAGE", "implementation of the recorder: asm, or c, which is larger" },
    { "codec", TEXT, AT(codec), "SET", "hindcast, paper, or for each kind: interrupts:paper,data:hindcast" },
    { "ring", TEXT, AT(ring), "BYTES", "RAM for events that wait to be encoded" },
    { "stack", TEXT, AT(stack), "BYTES", "RAM for the recorder's own stack" },
    { "flush", TEXT, AT(flush), "SECONDS", "write a partly filled page after this time: 10; 0: never" },
    { "flush-below", TEXT, AT(flush_below), "VOLTS",
      "while the supply is lower, write a partly filled page after half a second (F1xx; the recorder uses SVSCTL)" },
    { "log-region", TEXT, AT(region), "FIRST-LAST", "addresses of the sink that the log may use" },
    { "log-sector", TEXT, AT(sector), "BYTES", "size of the unit in which the log is reused" },
    { "define", LIST, AT(defines), "NAME=VALUE", "for the recorder's sources" },
    { "update", TEXT, AT(update), "WHERE",
      "where calls of the recorder are inserted: auto, sleep, wake, manual (nowhere)" },
    { "deterministic", LIST, AT(deterministic), "FUNCTION", "do not record this function's reads (may be repeated)" },
    { "trust", LIST, AT(trust), "FUNCTION",
      "accept this function's loops that change memory but no register; with --paths: it leads to none that is "
      "recorded (may be repeated)" },
    { "call-ticks", FLAG, AT(call_ticks), NULL,
      "increment the position counter by a call in loops: smaller and slower" },
    { "no-sizes", FLAG, AT(no_sizes), NULL, "do not compile twice to measure the cost of recording" },
    { "no-bitcode", FLAG, AT(no_bitcode), NULL, "keep no bitcode in the object, without which there are no slices" },
    { "checkpoints", TEXT, AT(checkpoints), "PLACES",
      "instead of a recorder, insert calls of a checkpoint function: loop-latch, function-return" },
    { "checkpoint-function", TEXT, AT(checkpoint_function), "NAME",
      "name of the checkpoint function (default: checkpoint)" },
    { "no-checkpoints", LIST, AT(no_checkpoints), "FUNCTION",
      "insert no checkpoints into this function (may be repeated)" },
    { "verbose", FLAG, AT(verbose), NULL, "print the commands that are run" },
    { "commands", TEXT, AT(commands), "FILE", "compile all entries of this compile_commands.json" },
    { "out", TEXT, AT(out), "DIRECTORY", "with --commands: where the objects go (default: as the file says)" },
    { "help", FLAG, AT(help), NULL, "this" },
#undef AT
};

enum { OPTIONS = sizeof options / sizeof *options };

static void set(struct hc_settings *settings, size_t option, const char *value)
{
    char *at = (char *)settings + options[option].offset;

    if (options[option].value == FLAG)
        *(bool *)at = true;
    else if (options[option].value == LIST)
        hc_argv_add((struct hc_argv *)at, value);
    else
        *(const char **)at = value;
}

/* Reads the option at *WORD, "--name", "--name=value" or "--name value", and goes past it. */
static bool read_one(struct hc_settings *settings, struct hc_invocation *session, char ***word)
{
    const char *text = **word + 2;
    size_t length = strcspn(text, "=");
    size_t i = 0;

    while (i < OPTIONS && (strlen(options[i].name) != length || strncmp(options[i].name, text, length) != 0))
        i++;
    if (i == OPTIONS)
        return hc_invocation_fail(session, "unknown option '%s'; see --help", **word);
    const char *value = text[length] ? text + length + 1 : NULL;
    if (options[i].value == FLAG && value)
        return hc_invocation_fail(session, "--%s takes no value", options[i].name);
    if (options[i].value != FLAG && !value)
        value = *++*word;
    if (options[i].value != FLAG && (!value || !*value))
        return hc_invocation_fail(session, "--%s: which %s?", options[i].name, options[i].argument);
    set(settings, i, value);
    if (**word)
        ++*word;
    return true;
}

static bool check_checkpoints(struct hc_settings *settings, struct hc_invocation *session)
{
    const char *places = settings->checkpoints;

    if (places && strcmp(places, "loop-latch") != 0 && strcmp(places, "function-return") != 0)
        return hc_invocation_fail(session, "--checkpoints: '%s': expected loop-latch or function-return", places);
    if (!places && (settings->checkpoint_function || settings->no_checkpoints.count))
        return hc_invocation_fail(session, "--checkpoint-function and --no-checkpoints need --checkpoints");
    if (!settings->checkpoint_function)
        settings->checkpoint_function = "checkpoint";
    return true;
}

bool hc_settings_region(const struct hc_settings *settings)
{
    return (settings->record && !strcmp(settings->record, "region")) || hc_settings_slice(settings);
}

bool hc_settings_slice(const struct hc_settings *settings)
{
    return settings->record && !strcmp(settings->record, "slice");
}

bool hc_settings_only_messages(const struct hc_settings *settings)
{
    return settings->record && strcmp(settings->record, "all") != 0 && !hc_settings_region(settings);
}

/* Patterns from a file, a line each; "#" begins a comment. */
static bool add_patterns(struct hc_argv *patterns, struct hc_invocation *session, const char *path)
{
    size_t size;
    char *text = hc_argv_file(path, &size), *state = NULL;

    if (!text)
        return hc_invocation_fail(session, "--region=@%s: cannot be read", path);
    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        line[strcspn(line, "#\r")] = '\0';
        line += strspn(line, " \t");
        for (size_t end = strlen(line); end && isspace((unsigned char)line[end - 1]); end--)
            line[end - 1] = '\0';
        if (*line)
            hc_argv_add(patterns, line);
    }
    free(text);
    return true;
}

/* A slice chooses its functions itself. */
static bool check_slice(struct hc_settings *settings, struct hc_invocation *session)
{
    bool slice = hc_settings_slice(settings);

    if (!slice)
        return (!settings->invariant && !settings->level) ||
               hc_invocation_fail(session, "--invariant and --level need --record=slice");
    if (!settings->invariant || !settings->level || settings->level[strspn(settings->level, "0123456789")] ||
        strlen(settings->level) > 4)
        return hc_invocation_fail(session, "--record=slice: of what, and how far? Give --invariant=NAME and --level=N");
    return (!settings->patterns.count && !settings->no_bitcode && settings->paths.count <= 1) ||
           hc_invocation_fail(session, "--record=slice: --region, --no-bitcode and a second --paths do not go with it");
}

static bool check_region(struct hc_settings *settings, struct hc_invocation *session)
{
    struct hc_argv given = settings->patterns;
    bool fine = true;

    if (!check_slice(settings, session))
        return false;
    if (!hc_settings_region(settings))
        return (!given.count && !settings->region_interrupts) ||
               hc_invocation_fail(session, "--region and --region-interrupts need --record=region");
    if (settings->codec || settings->ring || settings->checkpoints)
        return hc_invocation_fail(session, "--record=%s: --codec, --ring and --checkpoints do not go with it",
                                  settings->record);
    settings->patterns = (struct hc_argv){ 0 };
    for (size_t i = 0; fine && i < given.count; i++)
        if (given.word[i][0] == '@')
            fine = add_patterns(&settings->patterns, session, given.word[i] + 1);
        else
            hc_argv_add(&settings->patterns, given.word[i]);
    hc_argv_free(&given);
    if (fine && !settings->patterns.count && !hc_settings_slice(settings))
        return hc_invocation_fail(session, "--record=region: which functions? Give --region=ctp.c, --region=net/ or "
                                           "--region=FUNCTION");
    return fine;
}

bool hc_settings_paths(const struct hc_settings *settings)
{
    return settings->record && !strcmp(settings->record, "messages+paths");
}

/* Lists with commas become a pattern each. */
static bool check_paths(struct hc_settings *settings, struct hc_invocation *session)
{
    struct hc_argv patterns = { 0 };

    if (hc_settings_slice(settings))
        return true;
    if (hc_settings_paths(settings) != (settings->paths.count > 0))
        return hc_invocation_fail(session, settings->paths.count
                                               ? "--paths goes with --record=messages+paths and --record=slice"
                                               : "--record=messages+paths: of which functions? Give --paths=PATTERN");
    for (size_t i = 0; i < settings->paths.count; i++)
        for (const char *at = settings->paths.word[i]; *at;) {
            size_t length = strcspn(at, ",");
            if (length)
                hc_argv_addf(&patterns, "%.*s", (int)length, at);
            at += length + (at[length] == ',');
        }
    hc_argv_free(&settings->paths);
    settings->paths = patterns;
    return !patterns.failed || hc_invocation_fail(session, "out of memory");
}

static bool check_record(struct hc_settings *settings, struct hc_invocation *session)
{
    if (!settings->record)
        settings->record = "all";
    static const char *const depths[] = { "all",     "region",     "slice", "messages", "messages+paths",
                                          "lamport", "lamport+fcm" };
    size_t i = 0, count = sizeof depths / sizeof *depths;

    while (i < count && strcmp(settings->record, depths[i]) != 0)
        i++;
    if (i == count)
        return hc_invocation_fail(
            session,
            "--record: '%s': expected all, region, slice, messages, messages+paths, or one of the "
            "yardsticks lamport and lamport+fcm",
            settings->record);
    if (hc_settings_only_messages(settings) && (settings->codec || settings->ring || settings->checkpoints))
        return hc_invocation_fail(session, "--record=%s: --codec, --ring and --checkpoints do not go with it",
                                  settings->record);
    return check_paths(settings, session);
}

/* What a port chooses where nobody else does. The kit's kernel has hooks for the recorder. Contiki's handlers leave the
 * CPU asleep, and its main loop may be woken at any time. */
static const struct {
    const char *port, *update;
} updates[] = { { "kit", "manual" }, { "contiki", "wake" } };

static const char *update_of(const char *port)
{
    for (size_t i = 0; port && i < sizeof updates / sizeof *updates; i++)
        if (!strcmp(updates[i].port, port))
            return updates[i].update;
    return "auto";
}

static bool check_update(struct hc_settings *settings, struct hc_invocation *session)
{
    static const char *const names[] = { "auto", "sleep", "wake", "manual" };

    if (!settings->update)
        settings->update = update_of(settings->port);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], settings->update))
            return true;
    return hc_invocation_fail(session, "--update: '%s': expected auto, sleep, wake or manual", settings->update);
}

bool hc_settings_read(struct hc_settings *settings, struct hc_invocation *session, char *const *word, size_t count,
                      size_t *used)
{
    const char *environment = getenv("HINDCAST_CC_OPTIONS");

    *settings = (struct hc_settings){ 0 };
    *used = 0;
    if (environment)
        hc_argv_split(&settings->words, environment);
    size_t before = settings->words.count;
    hc_argv_add_all(&settings->words, word, count);
    if (settings->words.failed)
        return hc_invocation_fail(session, "out of memory");
    char **at = settings->words.word;
    while (at && *at && !strncmp(*at, "--", 2))
        if (!read_one(settings, session, &at))
            return false;
    if (at < settings->words.word + before)
        return hc_invocation_fail(session, "HINDCAST_CC_OPTIONS: unknown option '%s'", *at);
    *used = (size_t)(at - settings->words.word) - before;
    return check_record(settings, session) && check_region(settings, session) && check_checkpoints(settings, session) &&
           check_update(settings, session);
}

void hc_settings_free(struct hc_settings *settings)
{
    hc_argv_free(&settings->defines);
    hc_argv_free(&settings->deterministic);
    hc_argv_free(&settings->trust);
    hc_argv_free(&settings->paths);
    hc_argv_free(&settings->no_checkpoints);
    hc_argv_free(&settings->patterns);
    hc_argv_free(&settings->words);
}

void hc_settings_help(FILE *to)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        int length = fprintf(to, "  --%s%s%s", options[i].name, options[i].argument ? "=" : "",
                             options[i].argument ? options[i].argument : "");
        fprintf(to, "%*s %s\n", length < 28 ? 28 - length : 0, "", options[i].help);
    }
}

/* ---- for the recorder's sources ---- */

static const char *const kinds[] = { "interrupts", "registers", "data" };

/* What is coded by SET: "paper", or its place in "interrupts:paper,...". The last word about a kind holds. */
bool hc_settings_codec_is(const struct hc_settings *settings, const char *kind, const char *set)
{
    const char *text = settings->codec ? settings->codec : "hindcast";
    const char *found = "hindcast";
    size_t length = 8;

    while (*text) {
        size_t item = strcspn(text, ",");
        const char *colon = memchr(text, ':', item);
        if (!colon || ((size_t)(colon - text) == strlen(kind) && !strncmp(text, kind, strlen(kind)))) {
            found = colon ? colon + 1 : text;
            length = (size_t)(text + item - found);
        }
        text += item + (text[item] == ',');
    }
    return strlen(set) == length && !strncmp(found, set, length);
}

static bool check_codecs(const struct hc_settings *settings, struct hc_invocation *session)
{
    const char *text = settings->codec;

    for (size_t i = 0; i < 3; i++)
        if (!hc_settings_codec_is(settings, kinds[i], "paper") && !hc_settings_codec_is(settings, kinds[i], "hindcast"))
            return hc_invocation_fail(session, "--codec=%s: expected 'paper' or 'hindcast' for %s", text, kinds[i]);
    while (text && *text) {
        size_t item = strcspn(text, ","), name = strcspn(text, ":,");
        bool known = name == item;
        for (size_t i = 0; i < 3; i++)
            known |= strlen(kinds[i]) == name && !strncmp(text, kinds[i], name);
        if (!known)
            return hc_invocation_fail(session, "--codec: '%.*s': expected interrupts, registers or data", (int)name,
                                      text);
        text += item + (text[item] == ',');
    }
    return true;
}

static bool define_number(struct hc_invocation *session, struct hc_argv *out, const char *option, const char *name,
                          const char *value)
{
    char *end;

    if (!value)
        return true;
    unsigned long number = strtoul(value, &end, 0);
    if (!isdigit((unsigned char)*value) || *end || number > 0xffffff)
        return hc_invocation_fail(session, "%s: '%s': expected a number of bytes", option, value);
    hc_argv_addf(out, "-D%s=%lu", name, number);
    return true;
}

/* In millivolts, so that the preprocessor can compare them. */
static bool define_volts(struct hc_invocation *session, struct hc_argv *out, const char *option, const char *name,
                         const char *value)
{
    char *end;

    if (!value)
        return true;
    double volts = strtod(value, &end);
    if (!isdigit((unsigned char)*value) || *end || volts < 1.9 || volts > 3.7)
        return hc_invocation_fail(session, "%s: '%s': expected a voltage 1.9..3.7", option, value);
    hc_argv_addf(out, "-D%s=%d", name, (int)(volts * 1000 + 0.5));
    return true;
}

static bool define_region(const struct hc_settings *settings, struct hc_invocation *session, struct hc_argv *out)
{
    unsigned long first = 0, last = 0;
    char *end;

    if (!settings->region)
        return true;
    first = strtoul(settings->region, &end, 0);
    bool fine = isdigit((unsigned char)*settings->region) && *end == '-' && isdigit((unsigned char)end[1]);
    if (fine)
        last = strtoul(end + 1, &end, 0);
    if (!fine || *end || first >= last || last > 0xffffff)
        return hc_invocation_fail(session, "--log-region: '%s': expected a range like 0x40000-0xfffff",
                                  settings->region);
    hc_argv_addf(out, "-DHC_LOG_START=0x%lx", first);
    hc_argv_addf(out, "-DHC_LOG_END=0x%lx", last + 1);
    return true;
}

static void define_choice(struct hc_argv *out, const char *prefix, const char *choice)
{
    char *name = choice ? strdup(choice) : NULL;

    for (char *c = name; c && *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    if (name)
        hc_argv_addf(out, "-D%s%s=1", prefix, name);
    out->failed |= choice && !name;
    free(name);
}

bool hc_settings_define(const struct hc_settings *settings, struct hc_invocation *session, struct hc_argv *out)
{
    unsigned sets = 0; /* a bit for each kind in codec set paper, as runtime/codec/codec.h has them */

    define_choice(out, "HC_SINK_", settings->sink);
    define_choice(out, "HC_PORT_", settings->port);
    define_choice(out, "HC_RECORDER_", settings->recorder);
    if (!check_codecs(settings, session))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (hc_settings_codec_is(settings, kinds[i], "paper"))
            sets |= 1u << i;
    hc_argv_addf(out, "-DHC_CODEC_SETS=%u", sets);
    if (settings->record && !strncmp(settings->record, "lamport", 7))
        hc_argv_add(out, "-DHC_TRAFFIC_LAMPORT=1");
    if (settings->record && !strcmp(settings->record, "lamport+fcm"))
        hc_argv_add(out, "-DHC_TRAFFIC_FCM=1");
    if (hc_settings_paths(settings))
        hc_argv_add(out, "-DHC_PATHS=1");
    for (size_t i = 0; i < settings->defines.count; i++)
        hc_argv_addf(out, "-D%s", settings->defines.word[i]);
    return define_number(session, out, "--ring", "HC_RING", settings->ring) &&
           define_number(session, out, "--stack", "HC_STACK", settings->stack) &&
           define_number(session, out, "--flush", "HC_FLUSH", settings->flush) &&
           define_volts(session, out, "--flush-below", "HC_FLUSH_BELOW", settings->flush_below) &&
           define_number(session, out, "--log-sector", "HC_LOG_SECTOR", settings->sector) &&
           define_region(settings, session, out);
}
