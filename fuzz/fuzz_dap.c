/* The debug adapter: whatever an editor sends is answered or ends the stream, and the program that is debugged stays as
 * it was. An input that begins with 'C' is a stream of framed messages, others are messages, one a line. */
#include "dap/adapter.h"
#include "dap/framing.h"
#include "machine/board/telosb.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MOST = 12 };

struct bench {
    struct hc_telosb *board;
    struct hc_image *image;
    struct hc_timeline *timeline;
    size_t answers;
};

static void start(struct bench *b)
{
    static const struct hc_telosb_config config = { .node_id = 1 };
    struct hc_image_message message;
    const struct hc_image_segment *segment;

    b->board = hc_telosb_new(&config, NULL);
    if (!b->board || hc_image_load_file(&b->image, FUZZ_IMAGE, &message))
        abort();
    size_t n = hc_image_segments(b->image, &segment);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < segment[i].size; k++)
            hc_poke(b->board->machine, segment[i].address + k, segment[i].bytes[k]);
    hc_machine_reset(b->board->machine, HC_POR);
    b->timeline = hc_timeline_new(hc_machine_execution_new(b->board->machine, hc_ms(20)), 0);
    assert(b->timeline);
}

static void send(void *owner, const json_t *message)
{
    struct bench *b = owner;
    size_t size;
    char *frame = hc_dap_frame(message, &size);

    assert(frame && json_is_string(json_object_get(message, "type")));
    b->answers++;
    free(frame);
}

static bool is_wanted(void *owner, bool any)
{
    (void)owner;
    return any && false;
}

static void nothing(void *owner)
{
    (void)owner;
}

static int open_node(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size)
{
    struct bench *b = owner;

    (void)arguments;
    (void)most;
    (void)error;
    (void)size;
    *out = (struct hc_dap_node){ .name = "node 1", .id = 1, .image = b->image, .timeline = b->timeline };
    return 1;
}

static void handle_stream(struct hc_dap *d, const char *bytes, size_t size)
{
    struct hc_dap_reader reader = { 0 };
    json_t *message;

    for (size_t at = 0, n = 0; at < size && n < MESSAGES_MOST;) {
        size_t piece = size - at < 7 ? size - at : 7; /* wherever it is cut */
        at += hc_dap_read(&reader, bytes + at, piece, &message);
        if (message)
            n++, hc_dap_handle(d, message);
        json_decref(message);
    }
    hc_dap_reader_free(&reader);
}

static void handle_lines(struct hc_dap *d, char *text)
{
    for (int n = 0; text && n < MESSAGES_MOST; n++) {
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        json_t *message = json_loads(text, 0, NULL);
        bool goes_on = !json_is_object(message) || hc_dap_handle(d, message);
        json_decref(message);
        text = end && goes_on ? end + 1 : NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench b;
    if (!b.board)
        start(&b);
    const struct hc_dap_config config = {
        .send = send, .is_wanted = is_wanted, .serve_waiting = nothing, .open = open_node, .close = nothing, .owner = &b
    };
    struct hc_dap *d = hc_dap_new(&config);
    json_t *launch = json_pack("{s:s, s:i, s:s}", "type", "request", "seq", 1, "command", "launch");
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    hc_dap_handle(d, launch);
    b.answers = 0;
    if (size && data[0] == 'C')
        handle_stream(d, text, size);
    else
        handle_lines(d, text);
    hc_dap_free(d);
    hc_timeline_seek(b.timeline, 0);
    assert(hc_register(b.board->machine, HC_PC) == hc_peek16(b.board->machine, 0xfffe));
    json_decref(launch);
    free(text);
    return 0;
}
