/* The debugger's commands and expressions: whatever is typed is done or refused with a sentence, and the program that
 * is debugged stays as it was. */
#include "debug/session/session.h"
#include "machine/board/telosb.h"
#include "timeline/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    struct hc_telosb *board;
    struct hc_image *image;
    struct hc_timeline *timeline;
    struct hc_debugger *debugger;
};

static struct bench start(void)
{
    static const struct hc_telosb_config config = { .node_id = 1 };
    struct hc_image_message message;
    const struct hc_image_segment *segment;
    struct bench b = { .board = hc_telosb_new(&config, NULL) };

    if (hc_image_load_file(&b.image, FUZZ_IMAGE, &message))
        abort();
    size_t n = hc_image_segments(b.image, &segment);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < segment[i].size; k++)
            hc_poke(b.board->machine, segment[i].address + k, segment[i].bytes[k]);
    hc_machine_reset(b.board->machine, HC_POR);
    b.timeline = hc_timeline_new(hc_machine_execution_new(b.board->machine, hc_ms(20)), 0);
    FILE *nowhere = fopen("/dev/null", "w");
    assert(b.timeline && nowhere);
    b.debugger = hc_debugger_new(b.image, b.timeline, nowhere, true);
    assert(b.debugger);
    return b;
}

static void count(void *owner, const char *word)
{
    assert(word);
    ++*(size_t *)owner;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench b;
    char *text = malloc(size + 1), *line = text;
    size_t words = 0;

    if (!b.debugger)
        b = start();
    memcpy(text, data, size);
    text[size] = '\0';
    for (int commands = 0; line && commands < 8; commands++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        hc_debugger_complete(b.debugger, line, count, &words);
        if (hc_debugger_command(b.debugger, line) == HC_DEBUGGER_QUIT)
            break;
        line = end ? end + 1 : NULL;
    }
    hc_debugger_command(b.debugger, "delete");
    hc_debugger_command(b.debugger, "goto start");
    assert(hc_register(b.board->machine, HC_PC) == hc_peek16(b.board->machine, 0xfffe));
    free(text);
    return 0;
}
