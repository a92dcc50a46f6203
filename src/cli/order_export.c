#include "order_export.h"

#include "causality/export/export.h"
#include "command.h"
#include "files.h"
#include "open_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum file { PERFETTO, PCAPNG, CTF_METADATA, CTF_STREAM, SHIVIZ, FILES };

struct hc_order_outputs {
    struct hc_order_files wanted;
    char path[FILES][4096];
    struct hc_output_file *file[FILES];
    struct hc_network *network;
    struct hc_export export;
    struct hc_perfetto perfetto;
    struct hc_image **images; /* by recording: open as long as their replays are */
};

/* ---- files ---- */

static int make_directory(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return HC_EXIT_FINE;
    hc_complain("%s: cannot be made: %s", path, strerror(errno));
    return HC_EXIT_INPUT;
}

static void name_files(struct hc_order_outputs *o)
{
    const struct hc_order_files *w = &o->wanted;
    const char *const names[FILES] = { [PERFETTO] = w->perfetto,
                                       [PCAPNG] = w->pcapng,
                                       [CTF_METADATA] = w->ctf,
                                       [CTF_STREAM] = w->ctf,
                                       [SHIVIZ] = w->shiviz };

    for (int i = 0; i < FILES; i++)
        if (names[i])
            snprintf(o->path[i], sizeof o->path[i], "%s%s", names[i],
                     i == CTF_METADATA ? "/metadata"
                     : i == CTF_STREAM ? "/stream"
                                       : "");
}

int hc_order_outputs_open(struct hc_order_outputs **out, const struct hc_order_files *files)
{
    struct hc_order_outputs *o = calloc(1, sizeof *o);
    int code = files->ctf ? make_directory(files->ctf) : HC_EXIT_FINE;

    *out = o;
    if (!o)
        return HC_EXIT_INPUT;
    o->wanted = *files;
    name_files(o);
    for (int i = 0; i < FILES && !code; i++)
        if (o->path[i][0])
            code = hc_files_open(&o->file[i], o->path[i]);
    return code;
}

int hc_order_outputs_close(struct hc_order_outputs *o, bool well)
{
    int code = HC_EXIT_FINE;

    for (int i = 0; o && i < FILES; i++) {
        int one = hc_files_close(o->file[i], o->path[i], well);
        code = code ? code : one;
    }
    for (size_t i = 0; o && o->images && i < o->network->recordings.count; i++)
        hc_image_free(o->images[i]);
    if (o)
        free((void *)o->images);
    free(o);
    return code;
}

static FILE *stream_of(const struct hc_order_outputs *o, enum file file)
{
    return o->file[file] ? hc_output_file(o->file[file]) : NULL;
}

/* ---- the stream ---- */

static bool open_replay(void *owner, int log, struct hc_replay **out)
{
    struct hc_order_outputs *o = owner;
    struct hc_timeline_options options = { .segment = -1 };

    hc_recording_options(&options, &o->network->recordings.recordings[log]);
    return !hc_open_recording(&o->images[log], out, &options);
}

static void tell(void *owner, const struct hc_stream_event *event)
{
    struct hc_order_outputs *o = owner;

    if (o->file[PERFETTO])
        hc_perfetto_add(&o->perfetto, event);
    if (o->file[PCAPNG])
        hc_pcapng_add(&o->export, stream_of(o, PCAPNG), event);
    if (o->file[CTF_STREAM])
        hc_ctf_add(&o->export, stream_of(o, CTF_STREAM), event);
}

static bool begin(struct hc_order_outputs *o)
{
    if (o->file[PCAPNG])
        hc_pcapng_begin(&o->export, stream_of(o, PCAPNG));
    if (o->file[CTF_STREAM])
        hc_ctf_begin(&o->export, stream_of(o, CTF_METADATA), stream_of(o, CTF_STREAM));
    return !o->file[PERFETTO] || hc_perfetto_begin(&o->perfetto, &o->export, stream_of(o, PERFETTO));
}

static int write_stream(struct hc_order_outputs *o)
{
    const struct hc_stream_config config = {
        .history = &o->network->history,
        .axis = &o->network->axis,
        .replays = true,
        .open = open_replay,
        .tell = tell,
        .owner = o,
    };

    o->images = (struct hc_image **)calloc(o->network->recordings.count + 1, sizeof *o->images);
    if (!o->images || !begin(o) || hc_stream_run(&config)) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    if (o->file[PERFETTO])
        hc_perfetto_end(&o->perfetto);
    return HC_EXIT_FINE;
}

static int write_shiviz(struct hc_order_outputs *o)
{
    if (o->network->history.node_count > HC_SHIVIZ_NODES) {
        hc_complain("--shiviz: %zu nodes are too many for its vector clocks (%d); name the logs of fewer",
                    o->network->history.node_count, HC_SHIVIZ_NODES);
        return HC_EXIT_USAGE;
    }
    if (!hc_shiviz_write(&o->export, stream_of(o, SHIVIZ), (int64_t)(o->wanted.from * 1e9),
                         (int64_t)(o->wanted.to * 1e9)))
        return HC_EXIT_FINE;
    hc_complain("out of memory");
    return HC_EXIT_INPUT;
}

int hc_order_outputs_write(struct hc_order_outputs *o, struct hc_network *network)
{
    int code = HC_EXIT_FINE;

    o->network = network;
    o->export = (struct hc_export){ &network->history, &network->pairing, &network->fates, &network->axis,
                                    network->axis.begin < 0 ? -network->axis.begin : 0 };
    size_t frameless = hc_network_unreplayed(network) + hc_network_regions(network);
    if (o->file[PCAPNG] && frameless)
        hc_complain("--pcapng: %zu of %zu logs have messages alone or a region, and no frames", frameless,
                    network->history.node_count);
    if (o->file[PERFETTO] || o->file[PCAPNG] || o->file[CTF_STREAM])
        code = write_stream(o);
    if (!code && o->file[SHIVIZ])
        code = write_shiviz(o);
    return code;
}
