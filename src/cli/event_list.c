#include "event_list.h"

#include "command.h"
#include "files.h"
#include "trace/event.h"

#include <stdio.h>
#include <stdlib.h>

struct hc_event_list {
    struct hc_output_file *output;
    FILE *file;
    const char *path;
    struct hc_replay *replay;
    size_t segment; /* of the last event; SIZE_MAX: none so far */
};

static void write_segment(struct hc_event_list *list)
{
    struct hc_replay_place place;
    struct hc_replay_segment segment;
    hc_replay_place(list->replay, &place);
    if (place.segment_index == list->segment)
        return;
    list->segment = place.segment_index;
    hc_replay_segment(list->replay, place.segment_index, &segment);
    fprintf(list->file, "segment %u %u\n", segment.boot, segment.number);
}

static void write_read(FILE *to, const struct hc_replay_event *event)
{
    fprintf(to, "read %u %u", event->site, event->value);
    if (event->base)
        fprintf(to, " %u", *event->base);
    putc('\n', to);
}

static void write_interrupt(FILE *to, const struct hc_event *e)
{
    if (e->interrupt.asleep) {
        fprintf(to, "asleep %u\n", e->interrupt.vector);
        return;
    }
    fprintf(to, "interrupt %u %u %u", e->interrupt.vector, e->interrupt.pc, e->interrupt.count);
    if (e->interrupt.hashed)
        fprintf(to, " %u", e->interrupt.hash);
    putc('\n', to);
}

static void write_memory(FILE *to, const struct hc_event *e)
{
    fprintf(to, "memory %u ", e->memory.address);
    for (uint16_t i = 0; i < e->memory.size; i++)
        fprintf(to, "%02x", e->memory.bytes[i]);
    putc('\n', to);
}

static void write_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct hc_event_list *list = owner;
    (void)r;
    write_segment(list);
    switch (event->kind) {
    case HC_REPLAY_READ:
        write_read(list->file, event);
        break;
    case HC_REPLAY_INTERRUPT:
        write_interrupt(list->file, event->logged);
        break;
    case HC_REPLAY_MEMORY:
        write_memory(list->file, event->logged);
        break;
    }
}

struct hc_event_list *hc_event_list_open(const char *path, struct hc_replay *r)
{
    struct hc_event_list *list = calloc(1, sizeof *list);
    struct hc_output_file *output = NULL;
    if (!list || hc_files_open(&output, path)) {
        free(list);
        return NULL;
    }
    *list = (struct hc_event_list){ output, hc_output_file(output), path, r, SIZE_MAX };
    hc_replay_listen(r, write_event, list);
    return list;
}

bool hc_event_list_close(struct hc_event_list *list)
{
    if (!list)
        return true;
    hc_replay_listen(list->replay, NULL, NULL);
    bool well = !hc_files_close(list->output, list->path, true);
    free(list);
    return well;
}
