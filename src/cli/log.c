/* hindcast log: what is in a recording. */
#include "trace/log.h"
#include "command.h"
#include "files.h"
#include "image/image.h"
#include "log_json.h"
#include "numbers.h"
#include "recorded/border.h"
#include "recorded/path_map.h"
#include "trace/traffic.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MAX = 256,
    BUILD = 8,
    OVERDUE = 320,       /* pages of events in a segment: more than a sector of the flash chip */
    ATTEMPTS = 16 * 1024 /* bytes of a checkpoint that has no end: more than a part's memory */
};

struct options {
    bool messages;
    int files;
    const char *file[FILES_MAX];
    const char *elf, *extract;
    bool json;
    int segment; /* -1: all */
};

static const char *const stream_names[HC_STREAMS] = {
    [HC_STREAM_MIXED] = "events",      [HC_STREAM_PAPER] = "paper",
    [HC_STREAM_BOOT] = "boot",         [HC_STREAM_CHECKPOINT] = "checkpoint",
    [HC_STREAM_COMMIT] = "commit",     [HC_STREAM_RECOVERY] = "recovery",
    [HC_STREAM_MARK] = "mark",         [HC_STREAM_RESCUE] = "rescue",
    [HC_STREAM_MESSAGES] = "messages", [HC_STREAM_REGION] = "region",
};

static const char *const lane_names[HC_LANES] = { "interrupts", "registers", "data", "hashes" };

static const char *const begin_names[] = {
    [HC_BEGIN_LOST] = "lost",
    [HC_BEGIN_BOOT] = "reset",
    [HC_BEGIN_CHECKPOINT] = "checkpoint",
    [HC_BEGIN_UNFINISHED] = "unfinished checkpoint",
};

static const char *const damage_names[] = {
    [HC_DAMAGE_TORN] = "torn",           [HC_DAMAGE_MISSING] = "missing", [HC_DAMAGE_CONFLICT] = "conflict",
    [HC_DAMAGE_BEGINNING] = "beginning", [HC_DAMAGE_CONTENT] = "content",
};

/* ---- what both forms tell ---- */

struct totals {
    size_t boots, events, other,
        torn; /* boots; bytes of coded events and of all else; pages that are torn or missing */
};

static void count(const struct hc_log *log, struct totals *t)
{
    const struct hc_log_page *pages;
    const struct hc_log_damage *damages;
    size_t page_count = hc_log_pages(log, &pages);
    size_t damage_count = hc_log_damages(log, &damages);

    *t = (struct totals){ 0 };
    for (size_t i = 0; i < page_count; i++) {
        t->boots += i == 0 || pages[i].boot != pages[i - 1].boot;
        bool events = pages[i].stream < HC_CODEC_STREAMS || pages[i].stream >= HC_STREAM_OF_PIECES;
        *(events ? &t->events : &t->other) += (size_t)HC_PAGE_FRAME + pages[i].length;
    }
    for (size_t i = 0; i < damage_count; i++)
        t->torn += damages[i].kind == HC_DAMAGE_MISSING ? damages[i].count : damages[i].kind == HC_DAMAGE_TORN;
}

static void write_build(char out[2 * BUILD + 1], const uint8_t *build)
{
    for (int i = 0; i < BUILD; i++)
        snprintf(out + 2 * i, 3, "%02x", build[i]);
}

static const char *codecs(uint8_t sets)
{
    static const char *const names[] = {
        "hindcast",
        "paper for interrupts",
        "paper for registers",
        "paper for interrupts and registers",
        "paper for data",
        "paper for interrupts and data",
        "paper for registers and data",
        "paper",
    };
    return names[sets & HC_PAPER_ALL];
}

static bool is_asked(const struct options *o, const struct hc_log_segment *s)
{
    return o->segment < 0 || o->segment == s->number;
}

/* The log has come round, and no segment has a start that is whole. */
static bool has_no_start(const struct hc_log *log)
{
    const struct hc_log_segment *segments;
    size_t count = hc_log_segments(log, &segments), lost = 0;

    for (size_t i = 0; i < count; i++) {
        if (segments[i].begin != HC_BEGIN_LOST && segments[i].begin != HC_BEGIN_UNFINISHED)
            return false;
        lost += segments[i].begin == HC_BEGIN_LOST;
    }
    return lost > 0;
}

/* Each sector should get a checkpoint soon after its beginning. */
static bool lacks_checkpoint(const struct hc_log *log, const struct hc_log_segment *s)
{
    if (s->pages[HC_STREAM_MIXED] > OVERDUE)
        return true;
    return s->begin == HC_BEGIN_UNFINISHED && (s->payload[HC_STREAM_CHECKPOINT] > ATTEMPTS || has_no_start(log));
}

/* ---- for people ---- */

static void print_segment(const struct hc_log *log, const struct hc_log_segment *s)
{
    char build[2 * BUILD + 1] = "unknown", frozen[32] = "";

    if (s->has_build)
        write_build(build, s->build);
    if (s->frozen)
        snprintf(frozen, sizeof frozen, ", frozen (%u)", s->frozen_because);
    printf("segment %u, boot %u: begins with %s, build %s, %s%s%s%s%s\n", s->number, s->boot,
           s->begin == HC_BEGIN_LOST   ? "a part that is lost"
           : s->begin == HC_BEGIN_BOOT ? "a reset"
                                       : begin_names[s->begin],
           build,
           s->pages[HC_STREAM_REGION] ? "a region"
           : s->messages              ? "messages only"
                                      : "codecs ",
           s->messages ? "" : codecs(s->sets), frozen, s->overflow ? ", events were lost at its end" : "",
           s->damaged ? ", damaged" : "");
    for (int i = 0; i < HC_STREAMS; i++)
        if (s->pages[i])
            printf("    %-11s %6zu page%s %9zu bytes\n", stream_names[i], s->pages[i], s->pages[i] == 1 ? " " : "s",
                   s->payload[i]);
    if (lacks_checkpoint(log, s))
        printf("    no checkpoint fits: memory that changes all the time is more than what is unused takes "
               "(docs/recording.md, Timing); the log can be replayed from a reset only, as long as that is in it\n");
    for (int i = 0; i < HC_LANES; i++)
        if (s->lanes[i])
            printf("      of it %-10s %14zu bytes\n", lane_names[i], s->lanes[i]);
}

static void print_boot(const struct hc_log_boot *boot)
{
    char life[500];
    printf("boot %u: %s", boot->boot, hc_log_life(boot, life, sizeof life));
    if (boot->missing)
        printf("; %u of its pages %s missing", boot->missing, boot->missing == 1 ? "is" : "are");
    if (boot->lost_starts)
        printf("; %zu of its segments ha%s lost their start", boot->lost_starts, boot->lost_starts == 1 ? "s" : "ve");
    printf("\n");
}

/* Prints the boots of the requested segments. */
static bool is_asked_boot(const struct options *o, const struct hc_log *log, const struct hc_log_boot *boot)
{
    const struct hc_log_segment *segments;
    hc_log_segments(log, &segments);
    for (size_t i = boot->first_segment; i < boot->first_segment + boot->segments; i++)
        if (is_asked(o, &segments[i]))
            return true;
    return false;
}

/* ---- messages ---- */

struct messages {
    size_t sent, received, resets, gaps, paths, paths_lost;
    bool list;
};

static void list_message(const struct hc_traffic_event *e)
{
    static const char *const names[] = { "sent", "received", "reset", "gap" };

    printf("%-8s ", names[e->kind]);
    if (e->kind == HC_TRAFFIC_EVENT_SENT && e->broadcast)
        printf("to all, number %u of epoch %u\n", e->number, e->epoch);
    else if (e->kind == HC_TRAFFIC_EVENT_SENT)
        printf("to %u, number %u of epoch %u\n", e->partner, e->number, e->epoch);
    else if (e->kind == HC_TRAFFIC_EVENT_RECEIVED)
        printf("from %u%s, number %u\n", e->partner, e->broadcast ? ", to all" : "", e->number);
    else if (e->kind == HC_TRAFFIC_EVENT_RESET)
        printf("cause 0x%02x\n", e->cause);
    else
        printf("%s\n", e->why);
}

static void count_message(void *owner, const struct hc_traffic_event *e)
{
    struct messages *m = owner;

    m->sent += e->kind == HC_TRAFFIC_EVENT_SENT;
    m->received += e->kind == HC_TRAFFIC_EVENT_RECEIVED;
    m->resets += e->kind == HC_TRAFFIC_EVENT_RESET;
    m->gaps += e->kind == HC_TRAFFIC_EVENT_GAP;
    m->paths += e->kind == HC_TRAFFIC_EVENT_PATH;
    m->paths_lost +=
        e->kind == HC_TRAFFIC_EVENT_PATHS_LOST || (e->kind == HC_TRAFFIC_EVENT_PATH && e->path == HC_PATH_LOST);
    if (m->list && e->kind <= HC_TRAFFIC_EVENT_GAP)
        list_message(e);
}

static void print_messages(const struct options *o, const struct hc_log *log)
{
    struct messages m = { .list = o->messages };

    if (!hc_traffic_is(log))
        return;
    hc_traffic_read(log, count_message, &m);
    printf("messages: %zu sent, %zu received, %zu reset%s, %zu gap%s\n", m.sent, m.received, m.resets,
           m.resets == 1 ? "" : "s", m.gaps, m.gaps == 1 ? "" : "s");
    if (m.paths)
        printf("paths: %zu number%s, missing at %zu place%s; hindcast paths shows them\n", m.paths,
               m.paths == 1 ? "" : "s", m.paths_lost, m.paths_lost == 1 ? "" : "s");
}

static void print_log(const struct options *o, const struct hc_log *log)
{
    const struct hc_log_page *pages;
    const struct hc_log_segment *segments;
    const struct hc_log_damage *damages;
    const struct hc_log_boot *boots;
    struct totals t;
    size_t segment_count = hc_log_segments(log, &segments);
    size_t damage_count = hc_log_damages(log, &damages);
    size_t page_count = hc_log_pages(log, &pages);
    size_t boot_count = hc_log_boots(log, &boots);

    count(log, &t);
    printf("%s: %zu page%s, %zu segment%s, %zu boot%s; %zu bytes of events, %zu of checkpoints and marks\n",
           hc_log_name(log), page_count, page_count == 1 ? "" : "s", segment_count, segment_count == 1 ? "" : "s",
           t.boots, t.boots == 1 ? "" : "s", t.events, t.other);
    for (size_t i = 0; i < segment_count; i++)
        if (is_asked(o, &segments[i]))
            print_segment(log, &segments[i]);
    for (size_t i = 0; i < boot_count; i++)
        if (is_asked_boot(o, log, &boots[i]))
            print_boot(&boots[i]);
    print_messages(o, log);
    for (size_t i = 0; i < damage_count; i++)
        printf("damage at 0x%06zx: %s\n", damages[i].offset, damages[i].text);
    if (!damage_count)
        printf("no damage\n");
}

/* ---- for programs ---- */

static json_t *segment_json(const struct hc_log *log, const struct hc_log_segment *s)
{
    char build[2 * BUILD + 1];
    json_t *streams = json_object();

    for (int i = 0; i < HC_STREAMS; i++)
        if (s->pages[i])
            json_object_set_new(
                streams, stream_names[i],
                json_pack("{s:I,s:I}", "pages", (json_int_t)s->pages[i], "bytes", (json_int_t)s->payload[i]));
    for (int i = 0; i < HC_LANES; i++)
        if (s->lanes[i])
            json_object_set_new(streams, lane_names[i], json_pack("{s:I}", "bytes", (json_int_t)s->lanes[i]));
    json_t *out = json_pack("{s:i,s:i,s:s,s:s,s:b,s:b,s:b,s:o}", "segment", s->number, "boot", s->boot, "begin",
                            begin_names[s->begin], "codecs", s->messages ? "messages" : codecs(s->sets), "frozen",
                            s->frozen, "overflow", s->overflow, "damaged", s->damaged, "streams", streams);
    if (s->frozen)
        json_object_set_new(out, "frozen_because", json_integer(s->frozen_because));
    if (lacks_checkpoint(log, s))
        json_object_set_new(out, "no_checkpoint_fits", json_true());
    if (s->has_build) {
        write_build(build, s->build);
        json_object_set_new(out, "build", json_string(build));
    }
    return out;
}

static json_t *boot_json(const struct hc_log_boot *b)
{
    static const char *const ends[] = {
        [HC_LIFE_RESCUED] = "rescued", [HC_LIFE_FROZEN] = "frozen", [HC_LIFE_LOST] = "lost",
        [HC_LIFE_MISSING] = "missing", [HC_LIFE_OPEN] = "open",     [HC_LIFE_UNKNOWN] = "unknown",
    };
    char life[500], cause[200];
    json_t *out = json_pack("{s:i,s:s,s:I,s:I,s:I,s:s}", "boot", b->boot, "end", ends[b->end], "rescued_bytes",
                            (json_int_t)b->rescued, "missing_pages", (json_int_t)b->missing, "lost_beginnings",
                            (json_int_t)b->lost_starts, "text", hc_log_life(b, life, sizeof life));
    if (b->cause_known) {
        json_object_set_new(out, "cause_flags", json_integer(b->cause));
        json_object_set_new(out, "cause", json_string(hc_log_cause(b->cause, cause, sizeof cause)));
    }
    return out;
}

static json_t *damage_json(const struct hc_log_damage *d)
{
    return json_pack("{s:s,s:I,s:s,s:I}", "kind", damage_names[d->kind], "offset", (json_int_t)d->offset, "text",
                     d->text, "missing", (json_int_t)d->count);
}

json_t *hc_log_json(const struct hc_log *log, int segment)
{
    const struct options asked = { .segment = segment }, *o = &asked;
    const struct hc_log_page *pages;
    const struct hc_log_segment *segments;
    const struct hc_log_damage *damages;
    struct totals t;
    json_t *list = json_array();
    json_t *damage = json_array();
    json_t *lives = json_array();
    const struct hc_log_boot *boots;
    size_t boot_count = hc_log_boots(log, &boots);
    size_t segment_count = hc_log_segments(log, &segments);
    size_t damage_count = hc_log_damages(log, &damages);

    count(log, &t);
    for (size_t i = 0; i < segment_count; i++)
        if (is_asked(o, &segments[i]))
            json_array_append_new(list, segment_json(log, &segments[i]));
    for (size_t i = 0; i < damage_count; i++)
        json_array_append_new(damage, damage_json(&damages[i]));
    for (size_t i = 0; i < boot_count; i++)
        if (is_asked_boot(o, log, &boots[i]))
            json_array_append_new(lives, boot_json(&boots[i]));
    json_t *whole = json_pack("{s:s,s:I,s:I,s:I,s:I,s:o,s:o,s:o}", "log", hc_log_name(log), "pages",
                              (json_int_t)hc_log_pages(log, &pages), "boots", (json_int_t)t.boots, "event_bytes",
                              (json_int_t)t.events, "other_bytes", (json_int_t)t.other, "segments", list, "lives",
                              lives, "damage", damage);
    if (hc_traffic_is(log)) {
        struct messages m = { 0 };
        hc_traffic_read(log, count_message, &m);
        json_object_set_new(whole, "messages",
                            json_pack("{s:I,s:I,s:I,s:I}", "sent", (json_int_t)m.sent, "received",
                                      (json_int_t)m.received, "resets", (json_int_t)m.resets, "gaps",
                                      (json_int_t)m.gaps));
    }
    return whole;
}

/* ---- checks and copies ---- */

/* The recorder's build id, which replays use; otherwise the linker's. */
static bool build_of(const struct hc_image *image, uint8_t out[BUILD])
{
    struct hc_border border;
    char message[320];
    size_t size = 0;
    const uint8_t *id = hc_image_build_id(image, &size);

    if (!hc_border_read(&border, image, message, sizeof message))
        memcpy(out, border.link.build, BUILD);
    else if (id && size >= BUILD)
        memcpy(out, id, BUILD);
    else
        return false;
    return true;
}

/* Whether every segment was recorded by the program in --elf. */
static int check_build(const struct options *o, const struct hc_log *log, const struct hc_image *image)
{
    const struct hc_log_segment *segments;
    size_t count = hc_log_segments(log, &segments);
    uint8_t id[BUILD];
    char ours[2 * BUILD + 1];
    char theirs[2 * BUILD + 1];

    if (!build_of(image, id)) {
        hc_complain("%s: has neither a recorder nor a build id; give the ELF file that ran on the node", o->elf);
        return HC_EXIT_INPUT;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_asked(o, &segments[i]) || !segments[i].has_build || memcmp(segments[i].build, id, BUILD) == 0)
            continue;
        write_build(ours, id);
        write_build(theirs, segments[i].build);
        hc_complain("%s: segment %u was recorded by build %s, but %s is build %s", hc_log_name(log), segments[i].number,
                    theirs, o->elf, ours);
        return HC_EXIT_INPUT;
    }
    return HC_EXIT_FINE;
}

/* What follows the pieces of a page of messages is blank. */
static void extract_page(const struct hc_log_page *page, FILE *out)
{
    size_t size = page->stream >= HC_STREAM_OF_PIECES ? HC_PAGE_HEADER + (size_t)page->length : HC_PAGE_SIZE;

    fwrite(page->payload - HC_PAGE_HEADER, 1, size, out);
    for (; size < HC_PAGE_SIZE; size++)
        fputc(0xff, out);
}

/* All good pages in order, one after the other: itself a log. */
static void extract(const struct options *o, const struct hc_log *log, FILE *out)
{
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages);

    for (size_t i = 0; i < count; i++)
        if (o->segment < 0 || pages[i].segment == o->segment)
            extract_page(&pages[i], out);
}

/* ---- the command ---- */

static const struct argp_option argp_options[] = {
    { "elf", 'e', "FILE", 0, "The recorded program: refuse recordings of another build", 0 },
    { "segment", 's', "N", 0, "Only this segment", 0 },
    { "extract", 'x', "FILE", 0, "Write the valid pages to FILE, in order, without gaps", 0 },
    { "messages", 'm', NULL, 0, "List the messages of a log of depth `messages`", 0 },
    { "json", 'j', NULL, 0, "For programs", 0 },
    { 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'e':
        o->elf = argument;
        return 0;
    case 's':
        o->segment = (int)hc_number_argument(state, "--segment", argument, 0, UINT16_MAX);
        return 0;
    case 'x':
        o->extract = argument;
        return 0;
    case 'm':
        o->messages = true;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->files == FILES_MAX)
            argp_error(state, "at most %d logs at a time", FILES_MAX);
        o->file[o->files++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (!o->files)
            argp_error(state, "no log given: give the contents of a flash chip, or UART output");
        if (o->extract && o->files > 1)
            argp_error(state, "--extract takes one log");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "IMAGE...",
    .doc = "Shows the contents of a recording: an image of a node's flash chip or memory, or its UART output.\v"
           "Exit codes: 0 fine; 1 there is damage; 2 wrong usage; 3 not a recording, or another program's.\n\n"
           "Example:\n  hindcast log node3.flash --elf app.elf",
};

static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* Handles one log: prints it, or adds it to LIST; writes its good pages to OUT unless that is NULL. */
static int show(const struct options *o, const char *path, const struct hc_image *image, json_t *list, FILE *out)
{
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_damage *damages;

    if (hc_log_open_file(&log, path, &message) != HC_LOG_OK) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = hc_log_damages(log, &damages) ? HC_EXIT_FOUND : HC_EXIT_FINE;
    if (image)
        code = worse(code, check_build(o, log, image));
    if (o->json)
        json_array_append_new(list, hc_log_json(log, o->segment));
    else
        print_log(o, log);
    if (out)
        extract(o, log, out);
    hc_log_free(log);
    return code;
}

static int open_extract(const struct options *o, struct hc_output_file **out)
{
    const struct hc_named_file files[] = { { "the log", o->file[0], HC_FILE_READ },
                                           { "--elf", o->elf, HC_FILE_READ },
                                           { "--extract", o->extract, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);

    return code || !o->extract ? code : hc_files_open(out, o->extract);
}

static int show_all(const struct options *o, const struct hc_image *image, struct hc_output_file *out)
{
    json_t *list = json_array();
    int code = HC_EXIT_FINE;

    for (int i = 0; i < o->files; i++)
        code = worse(code, show(o, o->file[i], image, list, out ? hc_output_file(out) : NULL));
    if (o->json) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(list);
    return code;
}

static int run(int argc, char **argv)
{
    struct options o = { .segment = -1 };
    struct hc_image *image = NULL;
    struct hc_image_message message;
    struct hc_output_file *out = NULL;

    argp_parse(&parser, argc, argv, 0, NULL, &o);
    int code = open_extract(&o, &out);
    if (!code && o.elf && hc_image_load_file(&image, o.elf, &message) != HC_IMAGE_OK) {
        hc_complain("%s", message.text);
        code = HC_EXIT_INPUT;
    }
    if (!code) {
        code = show_all(&o, image, out);
        code = worse(code, hc_files_close(out, o.extract, code != HC_EXIT_INPUT));
    } else {
        hc_output_drop(out);
    }
    hc_image_free(image);
    return code;
}

const struct hc_command hc_log_command = {
    .name = "log",
    .summary = "Show what is in a recording: segments, streams, sizes, damage",
    .run = run,
};
