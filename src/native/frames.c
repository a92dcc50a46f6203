#include "frames.h"

#include "support/grow.h"

#include <stdio.h>

/* "name:            'f.region'" */
static char *name_in(const char *line)
{
    const char *at = line + strlen("name:");

    at += strspn(at, " '");
    return strndup(at, strcspn(at, " '\n"));
}

static bool add_frame(struct hc_frames *f, const char *line)
{
    char *name = name_in(line);

    if (!name || !hc_grow(&f->frame, f->count, &f->room, sizeof *f->frame)) {
        free(name);
        return false;
    }
    f->frame[f->count++] = (struct hc_native_frame){ .function = name };
    return true;
}

/* "  - { id: 0, name: hcn.0, type: default, offset: -4, size: 2, ..." */
static bool add_slot(struct hc_native_frame *frame, const char *line)
{
    struct hc_frame_slot slot;
    const char *name = strstr(line, "name: hcn."), *offset = strstr(line, "offset: ");

    if (strstr(line, "type: variable-sized"))
        frame->dynamic = true;
    if (!name || !offset || sscanf(name, "name: hcn.%u", &slot.number) != 1 ||
        sscanf(offset, "offset: %d", &slot.offset) != 1)
        return true;
    if (!hc_grow(&frame->slot, frame->slots, &frame->room, sizeof slot))
        return false;
    frame->slot[frame->slots++] = slot;
    return true;
}

static bool take_line(struct hc_frames *f, const char *line)
{
    struct hc_native_frame *last = f->count ? &f->frame[f->count - 1] : NULL;

    if (!strncmp(line, "name:", 5))
        return add_frame(f, line);
    if (last && !strncmp(line, "  stackSize:", 12))
        last->size = atoi(line + 12);
    return !last || strncmp(line, "  - { id:", 9) != 0 || add_slot(last, line);
}

bool hc_frames_read(struct hc_frames *frames, char *text)
{
    char *rest = NULL;

    *frames = (struct hc_frames){ 0 };
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (!take_line(frames, line))
            return false;
    return true;
}

void hc_frames_free(struct hc_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        free(frames->frame[i].function);
        free(frames->frame[i].slot);
    }
    free(frames->frame);
}

const struct hc_native_frame *hc_frames_find(const struct hc_frames *frames, const char *function)
{
    for (size_t i = 0; i < frames->count; i++)
        if (!strcmp(frames->frame[i].function, function))
            return &frames->frame[i];
    return NULL;
}

bool hc_frame_place(const struct hc_native_frame *frame, unsigned number, int *offset)
{
    for (size_t i = 0; i < frame->slots; i++)
        if (frame->slot[i].number == number) {
            *offset = frame->slot[i].offset;
            return true;
        }
    return false;
}
