#include "rundir.h"

#include "node_json.h"
#include "pcap.h"
#include "support/output.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { UART_BUFFER = 1 << 14 };

/* What a node said and is not yet in its file. A file a node would be more than a process may have open. */
struct uart_log {
    char path[PATH_MAX];
    uint8_t *bytes;
    size_t size;
    uint64_t total;
    int cause; /* errno of a write that failed */
};

struct hc_rundir {
    char path[PATH_MAX];
    struct hc_testbed *testbed;
    struct hc_rundir_config config;
    FILE *air;
    uint64_t frames;
    struct uart_log *uart;
};

/* ---- files ---- */

static void place(const struct hc_rundir *r, char out[PATH_MAX], int node, const char *name)
{
    if (node < 0)
        snprintf(out, PATH_MAX, "%.3900s/%s", r->path, name);
    else
        snprintf(out, PATH_MAX, "%.3900s/node-%u/%s", r->path, r->testbed->node[node].plan->id, name);
}

static int not_written(struct hc_message *message, const char *path, int cause)
{
    return hc_refuse(message, HC_NOT_WRITTEN, "%.300s: %s", path, strerror(cause));
}

static int write_file(const char *path, const char *mode, const void *bytes, size_t size)
{
    FILE *file = fopen(path, mode);

    if (!file)
        return errno;
    int cause = fwrite(bytes, 1, size, file) == size ? 0 : errno;
    if (fclose(file) && !cause)
        cause = errno;
    return cause;
}

static int write_json(const struct hc_rundir *r, int node, const char *name, json_t *json, struct hc_message *message)
{
    char path[PATH_MAX];
    struct hc_output_file *out;
    bool whole = false;

    place(r, path, node, name);
    int cause = json ? hc_output_open(&out, path) : ENOMEM;
    if (!cause) {
        whole = !json_dumpf(json, hc_output_file(out), JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        fputc('\n', hc_output_file(out));
        cause = hc_output_keep(out);
    }
    json_decref(json);
    if (!cause && !whole)
        return hc_no_memory(message);
    return cause ? not_written(message, path, cause) : 0;
}

/* ---- UARTs ---- */

static void flush_uart(struct uart_log *log)
{
    if (!log->cause && log->size)
        log->cause = write_file(log->path, "ab", log->bytes, log->size);
    log->size = 0;
}

static void said(void *owner, uint8_t byte, hc_time now)
{
    struct uart_log *log = owner;

    (void)now;
    if (!log->bytes)
        log->bytes = malloc(UART_BUFFER);
    if (!log->bytes) {
        log->cause = ENOMEM;
        return;
    }
    log->total++;
    log->bytes[log->size++] = byte;
    if (log->size == UART_BUFFER)
        flush_uart(log);
}

/* ---- beginning ---- */

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    int entries = 0;

    if (!directory)
        return false;
    while (readdir(directory))
        entries++;
    closedir(directory);
    return entries <= 2;
}

static int make_directory(struct hc_rundir *r, struct hc_message *message)
{
    const int most = 100000;

    if (r->config.path) {
        snprintf(r->path, sizeof r->path, "%.3900s", r->config.path);
        int cause = mkdir(r->path, 0777) ? errno : 0;
        if (!cause || (cause == EEXIST && is_empty(r->path)))
            return 0;
        if (cause == EEXIST)
            return hc_refuse(message, HC_NOT_WRITTEN, "%.300s: already exists and is not empty", r->path);
        return not_written(message, r->path, cause);
    }
    for (int n = 1; n < most; n++) {
        snprintf(r->path, sizeof r->path, "hindcast-run-%d", n);
        if (!mkdir(r->path, 0777))
            return 0;
        if (errno != EEXIST)
            break;
    }
    return not_written(message, r->path, errno);
}

static int make_node(struct hc_rundir *r, int node, struct hc_message *message)
{
    struct uart_log *log = &r->uart[node];
    char path[PATH_MAX];

    place(r, path, node, "");
    if (mkdir(path, 0777) && errno != EEXIST)
        return not_written(message, path, errno);
    place(r, log->path, node, "uart.txt");
    int cause = write_file(log->path, "wbx", "", 0);
    if (cause)
        return not_written(message, log->path, cause);
    hc_usart_on_transmit(r->testbed->node[node].board->uart, said, log);
    return 0;
}

static void frame_ended(void *owner, const struct hc_air_frame *frame)
{
    struct hc_rundir *r = owner;
    r->frames += hc_pcap_add(r->air, frame);
}

static int begin(struct hc_rundir *r, struct hc_message *message)
{
    char path[PATH_MAX];
    int error = make_directory(r, message);

    if (error)
        return error;
    place(r, path, -1, "scenario.txt");
    int cause = hc_output_write(path, r->config.scenario_text, r->config.scenario_size);
    if (cause)
        return not_written(message, path, cause);
    for (int i = 0; i < r->testbed->nodes && !error; i++)
        error = make_node(r, i, message);
    if (error)
        return error;
    place(r, path, -1, "air.pcap");
    r->air = fopen(path, "wbx"); /* in a directory of our own: nothing is there */
    if (!r->air)
        return not_written(message, path, errno);
    hc_pcap_begin(r->air);
    hc_medium_listen(hc_world_medium(r->testbed->world), frame_ended, r);
    return 0;
}

int hc_rundir_open(struct hc_rundir **out, struct hc_testbed *testbed, const struct hc_rundir_config *config,
                   struct hc_message *message)
{
    struct hc_rundir *r = calloc(1, sizeof *r);

    *out = NULL;
    if (!r)
        return hc_no_memory(message);
    r->testbed = testbed;
    r->config = *config;
    r->uart = calloc((size_t)testbed->nodes, sizeof *r->uart);
    int error = r->uart ? begin(r, message) : hc_no_memory(message);
    if (error) {
        hc_rundir_free(r);
        return error;
    }
    *out = r;
    return 0;
}

void hc_rundir_free(struct hc_rundir *r)
{
    if (!r)
        return;
    for (int i = 0; r->uart && i < r->testbed->nodes; i++)
        free(r->uart[i].bytes);
    if (r->air)
        fclose(r->air);
    free(r->uart);
    free(r);
}

const char *hc_rundir_path(const struct hc_rundir *r)
{
    return r->path;
}

uint64_t hc_rundir_frames(const struct hc_rundir *r)
{
    return r->frames;
}

/* ---- end ---- */

static bool holds_something(const struct hc_m25p80 *flash)
{
    uint8_t page[4096];

    for (uint32_t at = 0; at < HC_M25P80_SIZE; at += sizeof page) {
        hc_m25p80_read(flash, at, page, sizeof page);
        if (page[0] != 0xff || memcmp(page, page + 1, sizeof page - 1) != 0)
            return true;
    }
    return false;
}

static int finish_node(struct hc_rundir *r, int node, struct hc_message *message)
{
    const struct hc_testbed_node *n = &r->testbed->node[node];
    struct uart_log *log = &r->uart[node];
    char path[PATH_MAX], cause[256];

    flush_uart(log);
    if (log->cause)
        return not_written(message, log->path, log->cause);
    bool flash = holds_something(n->board->flash);
    place(r, path, node, "flash.bin");
    if (flash && hc_m25p80_save_file(n->board->flash, path, cause, sizeof cause))
        return hc_refuse(message, HC_NOT_WRITTEN, "%s", cause);
    place(r, path, node, "notes.txt");
    int failed = n->notes ? hc_output_write(path, n->notes, n->notes_size) : 0;
    if (failed)
        return not_written(message, path, failed);
    json_t *json = hc_node_json(r->testbed, node, r->config.hash);
    json_object_set_new(json, "uart_bytes", json_integer((json_int_t)log->total));
    json_object_set_new(json, "flash", flash ? json_string("flash.bin") : json_null());
    return write_json(r, node, "statistics.json", json, message);
}

uint64_t hc_rundir_hash(const struct hc_testbed *testbed)
{
    uint64_t hash = 0;

    for (int i = 0; i < testbed->nodes; i++) {
        uint64_t pair[2] = { hash, hc_hash_value(testbed->node[i].board->machine) };
        hash = XXH3_64bits(pair, sizeof pair);
    }
    return hash;
}

static json_t *hex64(uint64_t value)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    return json_string(text);
}

static json_t *command_json(const struct hc_rundir_config *config)
{
    json_t *words = json_array();

    for (int i = 0; i < config->words; i++)
        json_array_append_new(words, hc_text_json(config->command[i]));
    return words;
}

static json_t *manifest(const struct hc_rundir *r, const char *ended)
{
    const struct hc_testbed *t = r->testbed;
    char directory[PATH_MAX];
    json_t *json = json_object();
    json_t *nodes = json_array();

    json_object_set_new(json, "hindcast", json_string(r->config.version));
    json_object_set_new(json, "command", command_json(&r->config));
    json_object_set_new(json, "directory", hc_text_json(getcwd(directory, sizeof directory) ? directory : ""));
    json_object_set_new(json, "scenario",
                        json_pack("{s:o, s:s, s:o}", "name", hc_text_json(t->scenario->name), "file", "scenario.txt",
                                  "xxh3", hex64(XXH3_64bits(r->config.scenario_text, r->config.scenario_size))));
    json_object_set_new(json, "seed", json_integer((json_int_t)t->scenario->seed));
    json_object_set_new(json, "threads", json_integer(r->config.threads));
    json_object_set_new(json, "duration",
                        r->config.duration == HC_NEVER ? json_null() : json_real(hc_seconds(r->config.duration)));
    json_object_set_new(json, "seconds", json_real(hc_seconds(hc_world_now(t->world))));
    json_object_set_new(json, "ended", json_string(ended));
    json_object_set_new(json, "images", hc_images_json(t));
    for (int i = 0; i < t->nodes; i++)
        json_array_append_new(nodes, hc_node_summary_json(t, i));
    json_object_set_new(json, "nodes", nodes);
    json_object_set_new(json, "air",
                        json_pack("{s:s, s:i, s:I}", "file", "air.pcap", "link_type", HC_PCAP_LINK_TYPE, "frames",
                                  (json_int_t)r->frames));
    if (r->config.hash)
        json_object_set_new(json, "hash", hex64(hc_rundir_hash(t)));
    return json;
}

int hc_rundir_finish(struct hc_rundir *r, const char *ended, struct hc_message *message)
{
    char path[PATH_MAX];
    int error = 0;

    for (int i = 0; i < r->testbed->nodes && !error; i++)
        error = finish_node(r, i, message);
    if (error)
        return error;
    bool failed = ferror(r->air);
    failed |= fclose(r->air) != 0;
    r->air = NULL;
    if (failed) {
        place(r, path, -1, "air.pcap");
        return not_written(message, path, errno);
    }
    return write_json(r, -1, "manifest.json", manifest(r, ended), message);
}
