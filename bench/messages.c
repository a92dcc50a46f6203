/* bench-messages: what it costs to record messages, by Lamport's clocks and by ours.
 *
 *   messages FIRMWARE [SECONDS [APPLICATION]] [--svg=FILE]
 *
 * The experiment of the paper on CADeT (ICDCS 2012, section VI): 20 nodes, 7.5 minutes, three applications. FIRMWARE
 * has each of them as it is, and built to record: NAME-full-messages.elf ours, NAME-lamport.elf and NAME-fcm.elf the
 * yardstick, plain and with FCM compression. Bytes are those of the flash chips, headers and checks of pages and pieces
 * included, and what waits in RAM at the end. Algorithm 1 as the paper writes it (a byte for a message, another for a
 * number that was not expected), and that with FCM, are counted from the same messages. NAME-full-paths.elf also
 * records the paths of what sends and receives, of the network and of the application; the yardstick with paths is not
 * built: it is the sum of its own costs and of those that paths add to ours.
 *
 * TARDIS's Figure 8 compares a whole recording with control flow alone (TinyTracer): mho-rec.elf, and mho-tracer.elf,
 * which records the paths of all functions.
 *
 * FILE shows the model of section V, as the paper's Figure 3 does, and what was measured over it. */
#include "messages_plot.h"

#include "field/energy.h"
#include "field/world.h"
#include "image/image.h"
#include "recorded/size.h"
#include "trace/traffic.h"

#include "../runtime/traffic/model.h"
#include "../runtime/traffic/path_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 20,
    COLUMNS = 5,
    SECONDS = 450,
    TRACED_SECONDS = 60,
    SPREAD = 61 * (HC_SECOND / 1000),
    FLASH = 1 << 20,
    CODER = 2
};
enum { ENTRY = 1, NUMBER = 1, LAMPORT_ENTRY = 6, TABLE_ENTRY = 4 }; /* bytes: b_I, b_S, b_F, b_A + b_P of the paper */

enum build { PLAIN, OURS, LAMPORT, FCM, PATHS, BUILDS };

static const char *const suffixes[BUILDS] = { "", "-full-messages", "-lamport", "-fcm", "-full-paths" };

/* Millimetres between neighbours: oscilloscope sends to the base station itself, surge over several hops. */
static const struct application {
    const char *name;
    int spacing;
} applications[] = { { "oscilloscope", 10000 }, { "surge", 40000 }, { "count", 10000 } };
enum { APPLICATIONS = sizeof applications / sizeof *applications };

/* Of the recorder of messages alone; the rest is the port and what the link step fills in. */
enum part { CHIP, MESSAGES, LOG, PARTS };
static const char *const part_begins[PARTS + 1] = { "__hc_part_messages", "__hc_part_chip", "__hc_part_log",
                                                    "__hc_part_end" };
static const char *const part_names[PARTS] = { "driver of the flash chip", "Algorithm 1, tables, codec",
                                               "resets, pages, segments, hc_update" };

struct figures {
    uint64_t messages;
    double bytes, millijoules;
    double paper, paper_fcm;                             /* Algorithm 1: bytes */
    uint64_t sent, received, unexpected, lost, channels; /* as the log has them */
    uint64_t lost_paths;
    uint32_t flash, runtime, ram;
    uint32_t parts[PARTS]; /* of the recorder's code */
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-messages: %s\n", what);
    exit(3);
}

/* ---- the network ---- */

struct network {
    struct hc_image *image;
    struct hc_world *world;
    struct hc_energy *energy[NODES];
    uint64_t calls[NODES];
};

static enum hc_action count_call(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ++*(uint64_t *)owner;
    return HC_CONTINUE;
}

static void load(struct network *n, struct hc_machine *m)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(n->image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            if (!hc_poke(m, segments[i].address + k, segments[i].bytes[k]))
                fail("an image does not fit");
}

static void listen(struct network *n, int node)
{
    static const char *const functions[] = { "hc_message_send", "hc_message_receive", "hc_lamport_send",
                                             "hc_lamport_receive" };
    struct hc_symbol symbol;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (hc_image_symbol(n->image, functions[i], &symbol))
            hc_hook_pc(hc_world_board(n->world, node)->machine, symbol.address, count_call, &n->calls[node]);
}

static void start(struct network *n, const char *path, int spacing)
{
    struct hc_image_message message;
    struct hc_world_config config = { .medium = hc_medium_indoors, .threads = 2 };

    if (hc_image_load_file(&n->image, path, &message) != HC_IMAGE_OK)
        fail(message.text);
    n->world = hc_world_new(&config, NODES);
    for (int i = 0; n->world && i < NODES; i++) {
        struct hc_telosb_config board_config = { .node_id = (uint16_t)i, .seed = (uint64_t)i + 1 };
        struct hc_telosb *board = hc_telosb_new(&board_config, hc_world_code(n->world));
        if (!board)
            fail("out of memory");
        load(n, board->machine);
        hc_world_add(n->world, board, i * SPREAD);
        hc_medium_place(hc_world_medium(n->world), i, i % COLUMNS * spacing, i / COLUMNS * spacing, 0);
        n->energy[i] = hc_energy_new(board);
        if (!n->energy[i])
            fail("out of memory");
        hc_energy_switch(n->energy[i], true);
        listen(n, i);
    }
    if (!n->world)
        fail("out of memory");
}

static void stop(struct network *n)
{
    for (int i = 0; i < NODES; i++)
        hc_energy_free(n->energy[i]);
    hc_world_free(n->world);
    hc_image_free(n->image);
}

/* ---- logs ---- */

/* FCM, as the node has it. */
struct fcm {
    uint8_t last[3], expected[HC_FCM_CONTEXTS];
    uint64_t bits;
};

static void fcm_add(struct fcm *f, uint8_t byte)
{
    uint8_t *expected = &f->expected[hc_fcm_context(f->last)];

    f->bits += *expected == byte ? 1 : 9;
    *expected = byte;
    memmove(f->last + 1, f->last, 2);
    f->last[0] = byte;
}

/* What Algorithm 1 writes. Its numbers have eight bits: those of ours have six that count. */
struct algorithm {
    struct figures *f;
    struct fcm fcm;
    uint8_t last[2][1 << 16], seen[2][1 << 16], aliases[2][1 << 16];
};

/* Of the tables, written once: an address and two numbers for each alias. */
static void note_alias(struct algorithm *a, const struct hc_traffic_event *e)
{
    uint8_t *known = &a->aliases[e->broadcast][e->partner];

    if (*known)
        return;
    *known = 1;
    a->f->channels++;
    a->f->paper += TABLE_ENTRY;
    for (int i = 0; i < TABLE_ENTRY; i++)
        fcm_add(&a->fcm, (uint8_t)(i ? 0 : e->partner));
}

static void write_entry(void *owner, const struct hc_traffic_event *e)
{
    struct algorithm *a = owner;
    bool sent = e->kind == HC_TRAFFIC_EVENT_SENT;

    if (!sent && e->kind != HC_TRAFFIC_EVENT_RECEIVED)
        return;
    a->f->sent += sent;
    a->f->received += !sent;
    a->f->paper++;
    note_alias(a, e);
    fcm_add(&a->fcm, (uint8_t)((sent ? 0 : 0x40) | (e->broadcast ? 0x80 : 0) | (e->partner & 0x3f)));
    if (sent)
        return;
    uint8_t *last = &a->last[e->broadcast][e->partner];
    uint8_t ahead = (uint8_t)(e->number - *last - 1) & HC_NUMBER_LOW;
    if (ahead <= HC_NUMBER_LOW / 2)
        *last = e->number & HC_NUMBER_LOW;
    if (ahead <= HC_NUMBER_LOW / 2 && a->seen[e->broadcast][e->partner])
        a->f->lost += ahead;
    if (ahead && a->seen[e->broadcast][e->partner]) {
        a->f->unexpected++;
        a->f->paper++;
        fcm_add(&a->fcm, e->number);
    }
    a->seen[e->broadcast][e->partner] = 1;
}

static void measure_algorithm(const struct hc_log *log, struct figures *f)
{
    struct algorithm *a = calloc(1, sizeof *a);

    if (!a)
        fail("out of memory");
    a->f = f;
    hc_traffic_read(log, write_entry, a);
    f->paper_fcm += (double)a->fcm.bits / 8;
    free(a);
}

static void count_lost_paths(void *owner, const struct hc_traffic_event *e)
{
    *(uint64_t *)owner +=
        e->kind == HC_TRAFFIC_EVENT_PATHS_LOST || (e->kind == HC_TRAFFIC_EVENT_PATH && e->path == HC_PATH_LOST);
}

static void measure_log(struct network *n, int node, enum build build, struct figures *f)
{
    uint8_t *bytes = malloc(FLASH);
    const struct hc_log_page *pages;
    struct hc_log_message message;
    struct hc_log *log;

    if (!bytes)
        fail("out of memory");
    hc_m25p80_read(hc_world_board(n->world, node)->flash, 0, bytes, FLASH);
    if (hc_log_open_memory(&log, "flash", bytes, FLASH, &message) == HC_LOG_OK) {
        size_t count = hc_log_pages(log, &pages);
        for (size_t i = 0; i < count; i++)
            f->bytes += HC_PAGE_HEADER + pages[i].length;
        if (build == OURS)
            measure_algorithm(log, f);
        if (build == PATHS)
            hc_traffic_read(log, count_lost_paths, &f->lost_paths);
        hc_log_free(log);
    }
    free(bytes);
}

/* Bytes of code that wait, and those in the coder. */
static double waiting(const struct network *n, int node)
{
    struct hc_symbol fill;

    if (!hc_image_symbol(n->image, "__hc_traffic_fill", &fill))
        return 0;
    uint8_t byte;
    hc_peek_bytes(hc_world_board(n->world, node)->machine, fill.address, &byte, 1);
    return byte + CODER;
}

static void measure_parts(const struct hc_image *image, uint32_t parts[PARTS])
{
    struct hc_symbol begin, end;

    for (int i = 0; i < PARTS; i++)
        if (hc_image_symbol(image, part_begins[i], &begin) && hc_image_symbol(image, part_begins[i + 1], &end))
            parts[i] = end.address - begin.address;
}

/* The image is FOLDER/NAME SUFFIX.elf. */
static void measure(const char *folder, const struct application *a, const char *suffix, enum build build,
                    unsigned seconds, struct figures *f)
{
    struct network n = { 0 };
    char path[1000];

    snprintf(path, sizeof path, "%s/%s%s.elf", folder, a->name, suffix);
    start(&n, path, a->spacing);
    *f = (struct figures){ .flash = hc_size_flash_bytes(n.image),
                           .runtime = hc_size_runtime_bytes(n.image),
                           .ram = hc_size_runtime_ram(n.image) + (build != PLAIN) }; /* and a flag */
    measure_parts(n.image, f->parts);
    if (hc_world_run(n.world, seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("a node stopped");
    for (int i = 0; i < NODES; i++) {
        struct hc_energy_report report;
        hc_energy_measure(n.energy[i], &report);
        f->millijoules += report.total_millijoules;
        f->messages += n.calls[i];
        if (build != PLAIN)
            measure_log(&n, i, build, f);
        f->bytes += waiting(&n, i);
    }
    stop(&n);
}

/* ---- the paper's model ---- */

static struct hc_plot_point point_of(const struct application *a, const struct figures *ours)
{
    double offered = (double)(ours->received + ours->lost), lost = offered > 0 ? (double)ours->lost / offered : 0;
    double entries = (double)(ours->sent + ours->received);

    return (struct hc_plot_point){
        .name = a->name,
        .lost = lost,
        .in_order = ours->received ? 1 - (double)ours->unexpected / (double)ours->received : 1,
        .alpha = ours->channels ? entries / (double)ours->channels / (2 - lost) : 1,
        .ratio = ours->paper / LAMPORT_ENTRY / entries,
    };
}

static void print_model(const struct hc_plot_point *p)
{
    printf("  section V, equation 12, with b_I %d, b_S %d, b_F %d, b_A + b_P %d, alpha %.0f, p_L %.3f, p_I %.3f: %.3f; "
           "measured %.3f\n",
           ENTRY, NUMBER, LAMPORT_ENTRY, TABLE_ENTRY, p->alpha, p->lost, p->in_order,
           hc_plot_model(&(struct hc_plot_bytes){ ENTRY, NUMBER, LAMPORT_ENTRY, TABLE_ENTRY }, p), p->ratio);
}

/* ---- the table ---- */

static void print_row(const char *name, double bytes, uint64_t messages, const struct figures *f,
                      const struct figures *plain)
{
    printf("  %-28s %10.0f %8.3f", name, bytes, bytes / (double)messages);
    if (f)
        printf(" %9.2f %8u %8u", 100 * (f->millijoules / plain->millijoules - 1), f->runtime, f->ram);
    printf("\n");
}

/* What SUM would cost if paths were recorded, too, as they are beside ours. */
static void print_sum(const char *name, const struct figures *sum, const struct figures f[BUILDS])
{
    struct figures both = { .millijoules = sum->millijoules + f[PATHS].millijoules - f[OURS].millijoules,
                            .runtime = sum->runtime + f[PATHS].runtime - f[OURS].runtime,
                            .ram = sum->ram + f[PATHS].ram - f[OURS].ram };
    double more = f[PATHS].bytes - f[OURS].bytes * (double)f[PATHS].messages / (double)f[OURS].messages;

    print_row(name, sum->bytes + more * (double)sum->messages / (double)f[PATHS].messages, sum->messages, &both, f);
}

static void print_with_paths(const struct figures f[BUILDS])
{
    print_sum("lamport, paths (a sum)", &f[LAMPORT], f);
    print_sum("lamport, FCM, paths (a sum)", &f[FCM], f);
    print_row("ours, paths", f[PATHS].bytes, f[PATHS].messages, &f[PATHS], f);
    if (f[PATHS].lost_paths)
        printf("  paths were lost at %llu places: the buffer was full\n", (unsigned long long)f[PATHS].lost_paths);
}

static void print_parts(const struct figures *f)
{
    uint32_t rest = f->runtime;

    for (int i = 0; i < PARTS; i++) {
        printf("  %-42s %8u\n", part_names[i], f->parts[i]);
        rest -= f->parts[i];
    }
    printf("  %-42s %8u\n", "constants, the port", rest);
}

/* TARDIS's Figure 8: the log of a whole recording, and that of control flow alone. */
static void trace(const char *folder)
{
    const struct application mho = { "mho", 20000 };
    struct figures all, flow;

    measure(folder, &mho, "-rec", FCM, TRACED_SECONDS, &all);
    measure(folder, &mho, "-tracer", PATHS, TRACED_SECONDS, &flow);
    printf("figure 8 of TARDIS: mho, %d nodes, %d s: %.0f bytes of log for a replay, %.0f for control flow alone and "
           "messages, %.0f %% of that",
           NODES, TRACED_SECONDS, all.bytes, flow.bytes, 100 * all.bytes / flow.bytes);
    printf(" (the paper: 47 %%); control flow was lost at %llu places\n", (unsigned long long)flow.lost_paths);
}

static double compare(const char *folder, const struct application *a, unsigned seconds, double *ours_bytes,
                      double *lamport_bytes, struct figures *largest, struct hc_plot_point *point)
{
    struct figures f[BUILDS];

    for (enum build b = 0; b < BUILDS; b++)
        measure(folder, a, suffixes[b], b, seconds, &f[b]);
    printf("%s: %llu messages sent and received by %d nodes in %u s\n", a->name, (unsigned long long)f[OURS].messages,
           NODES, seconds);
    printf("  %-28s %10s %8s %9s %8s %8s\n", "", "bytes", "a message", "energy %", "code", "RAM");
    print_row("lamport", f[LAMPORT].bytes, f[LAMPORT].messages, &f[LAMPORT], f);
    print_row("lamport, FCM", f[FCM].bytes, f[FCM].messages, &f[FCM], f);
    uint64_t decoded = f[OURS].sent + f[OURS].received;
    print_row("Algorithm 1", f[OURS].paper, decoded, NULL, NULL);
    print_row("Algorithm 1, FCM", f[OURS].paper_fcm, decoded, NULL, NULL);
    print_row("ours", f[OURS].bytes, f[OURS].messages, &f[OURS], f);
    print_with_paths(f);
    *point = point_of(a, &f[OURS]);
    print_model(point);
    uint32_t added = f[OURS].flash - f[PLAIN].flash;
    if (f[OURS].runtime > largest->runtime)
        memcpy(largest->parts, f[OURS].parts, sizeof largest->parts);
    largest->ram = f[OURS].ram > largest->ram ? f[OURS].ram : largest->ram;
    largest->runtime = f[OURS].runtime > largest->runtime ? f[OURS].runtime : largest->runtime;
    largest->flash = added > largest->flash ? added : largest->flash;
    *ours_bytes = f[OURS].bytes / (double)f[OURS].messages;
    *lamport_bytes = f[FCM].bytes / (double)f[FCM].messages;
    return *ours_bytes / *lamport_bytes;
}

static void judge(const char *what, double figure, double budget)
{
    printf("%-44s %8g, budget %g: %s\n", what, figure, budget, figure <= budget ? "met" : "not met");
}

struct options {
    const char *folder, *only, *svg;
    unsigned seconds;
};

static void parse(struct options *o, int argc, char **argv)
{
    const char *words[3] = { NULL };
    int count = 0;

    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--svg=", 6))
            o->svg = argv[i] + 6;
        else if (count < 3)
            words[count++] = argv[i];
    *o = (struct options){ words[0], words[2], o->svg, words[1] ? (unsigned)atoi(words[1]) : SECONDS };
    if (!o->folder || !o->seconds)
        fail("usage: messages FIRMWARE [SECONDS [APPLICATION]] [--svg=FILE]");
}

static void plot(const struct options *o, const struct hc_plot_point *points, int count)
{
    if (!o->svg)
        return;
    if (!hc_plot_write(o->svg, &(struct hc_plot_bytes){ ENTRY, NUMBER, LAMPORT_ENTRY, TABLE_ENTRY }, points, count))
        fail("the plot cannot be written");
    printf("the model over the measured points: %s\n", o->svg);
}

int main(int argc, char **argv)
{
    double worst = 0, ours = 0, lamport = 0;
    struct figures largest = { 0 };
    struct hc_plot_point points[APPLICATIONS];
    struct options o = { 0 };
    int count = 0;

    parse(&o, argc, argv);
    for (int i = 0; i < APPLICATIONS; i++) {
        if (o.only && strcmp(o.only, applications[i].name) != 0)
            continue;
        double b, l, ratio = compare(o.folder, &applications[i], o.seconds, &b, &l, &largest, &points[count++]);
        if (ratio > worst) {
            worst = ratio;
            ours = b;
            lamport = l;
        }
        fflush(stdout);
    }
    plot(&o, points, count);
    if (!o.only)
        trace(o.folder);
    judge("ratio, worst of them, compressed", worst, 0.10);
    judge("the recorder's RAM for 20 partners, bytes", largest.ram, 300);
    judge("the recorder's code, bytes", largest.runtime, 1228);
    print_parts(&largest);
    printf("%-44s %8u\n", "... with what the stack and the kernel call it by", largest.flash);
    printf("messages: %.3f bytes against %.3f bytes, ratio %.3f\n", ours, lamport, worst);
    return 0;
}
