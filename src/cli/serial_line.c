#include "serial_line.h"

#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct hc_serial_line *line, uint8_t byte)
{
    if (line->kept_size == line->kept_room) {
        size_t room = line->kept_room ? line->kept_room * 2 : 4096;
        uint8_t *more = room <= HC_SERIAL_LINE_KEPT ? realloc(line->kept, room) : NULL;
        if (!more)
            return;
        line->kept = more;
        line->kept_room = room;
    }
    line->kept[line->kept_size++] = byte;
}

static void transmitted(void *owner, uint8_t byte, hc_time now)
{
    struct hc_serial_line *line = owner;

    (void)now;
    line->sent++;
    line->last = byte;
    if (line->keep) {
        keep(line, byte);
        return;
    }
    if (line->progress)
        hc_progress_clear(line->progress);
    putchar(byte);
}

void hc_serial_line_open(struct hc_serial_line *line, struct hc_uart_end end, bool kept)
{
    *line = (struct hc_serial_line){ .end = end, .keep = kept };
    if (!end.uart)
        return;
    /* A reader of the output sees each line when it is complete. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    end.on_transmit(end.uart, transmitted, line);
}

static int read_input(struct hc_serial_line *line, FILE *file)
{
    enum { MOST = 64 << 20 };
    size_t room = 0;

    while (!feof(file)) {
        room = room ? room * 2 : 4096;
        uint8_t *more = room <= MOST ? realloc(line->input, room) : NULL;
        if (!more)
            return EFBIG;
        line->input = more;
        line->input_size += fread(line->input + line->input_size, 1, room - line->input_size, file);
        if (ferror(file))
            return EIO;
    }
    return 0;
}

static int read_input_from(struct hc_serial_line *line, const char *path)
{
    if (!strcmp(path, "-"))
        return read_input(line, stdin);
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno;
    int cause = read_input(line, file);
    fclose(file);
    return cause;
}

/* Often enough for the line not to run dry below 2.5 Mbaud. */
static hc_time feed(void *owner, hc_time now)
{
    struct hc_serial_line *line = owner;

    while (line->input_at < line->input_size && line->end.receive(line->end.uart, line->input[line->input_at]))
        line->input_at++;
    return line->input_at < line->input_size ? now + hc_ms(1) : HC_NEVER;
}

int hc_serial_line_hear(struct hc_serial_line *line, struct hc_machine *m, const char *path)
{
    int cause = read_input_from(line, path);

    if (!cause)
        hc_event_arm(hc_events(m), hc_event_new(hc_events(m), "host.input", feed, line), hc_now(m));
    return cause;
}

void hc_serial_line_close(struct hc_serial_line *line)
{
    free(line->kept);
    free(line->input);
    *line = (struct hc_serial_line){ 0 };
}
