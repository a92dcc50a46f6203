/* A parser that is a region receives at 115,200 baud, back to back, what the plain program receives, and all of it is
 * in the log.
 *
 *     test_parser PLAIN REGION
 *
 * 2,000 bytes of frames with escapes, a few of them damaged. The frames, and what becomes of them, are made here. */
#include "image/image.h"
#include "machine/board/telosb.h"
#include "replay/region/region_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 2000, FLAG = 0x7e, ESCAPE = 0x7d };

static uint8_t line[LINE + 200];
static unsigned line_length, good, damaged, payload;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "test_parser: %s: %s\n", what, why);
    exit(1);
}

/* ---- frames ---- */

static void put_escaped(uint8_t byte)
{
    if (byte == FLAG || byte == ESCAPE) {
        line[line_length++] = ESCAPE;
        byte ^= 0x20;
    }
    line[line_length++] = byte;
}

/* Bit by bit, as its definition says. */
static uint16_t crc_of(const uint8_t *bytes, unsigned count)
{
    uint16_t crc = 0;

    for (; count; count--) {
        crc ^= *bytes++;
        for (int i = 0; i < 8; i++)
            crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0x8408 : crc >> 1);
    }
    return crc;
}

static void put_frame(unsigned number)
{
    uint8_t bytes[40];
    unsigned count = 8 + number % 29;

    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i % 5 ? (number * 40 + i) * 2654435761u >> 24 : ESCAPE + i % 2);
    uint16_t crc = crc_of(bytes, count);
    bool spoil = number % 9 == 4;
    for (unsigned i = 0; i < count; i++)
        put_escaped(bytes[i] ^ (spoil && i == 3));
    put_escaped((uint8_t)crc);
    put_escaped((uint8_t)(crc >> 8));
    line[line_length++] = FLAG;
    good += !spoil;
    damaged += spoil;
    payload += spoil ? 0 : count;
}

/* ---- the node ---- */

static struct hc_image *load(struct hc_telosb *board, const char *path)
{
    struct hc_image_message message;
    struct hc_image *image;
    const struct hc_image_segment *segments;

    if (hc_image_load_file(&image, path, &message))
        fail(path, message.text);
    size_t count = hc_image_segments(image, &segments);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            hc_poke(board->machine, segments[i].address + k, segments[i].bytes[k]);
    return image;
}

static unsigned word_at(struct hc_machine *m, struct hc_image *image, const char *name, uint32_t offset)
{
    struct hc_symbol s;

    if (!hc_image_symbol(image, name, &s))
        fail("no symbol", name);
    return hc_peek16(m, s.address + offset);
}

static void expect(const char *path, const char *what, unsigned is, unsigned wanted)
{
    if (is == wanted)
        return;
    fprintf(stderr, "test_parser: %s: %s: %u, not %u\n", path, what, is, wanted);
    exit(1);
}

static unsigned receive(struct hc_telosb *board, struct hc_image *image, const char *path)
{
    struct hc_machine *m = board->machine;
    unsigned sent = 0;

    hc_machine_reset(m, HC_POR);
    hc_machine_run(m, hc_now(m) + hc_ms(100));
    do { /* the line is never idle */
        while (sent < line_length && hc_usart_receive(board->uart, line[sent]))
            sent++;
        hc_machine_run(m, hc_now(m) + hc_ms(1));
    } while (hc_usart_waiting(board->uart));
    hc_machine_run(m, hc_now(m) + hc_ms(3000));
    expect(path, "bytes received", word_at(m, image, "bytes_received", 0), line_length);
    expect(path, "bytes lost", word_at(m, image, "bytes_lost", 0), 0);
    expect(path, "good frames", word_at(m, image, "parser_counts", 0), good);
    expect(path, "damaged frames", word_at(m, image, "parser_counts", 2), damaged);
    expect(path, "bytes of frames", word_at(m, image, "bytes_of_frames", 0), payload);
    return word_at(m, image, "visits", 0);
}

static void write_flash(struct hc_telosb *board, const char *path)
{
    FILE *to = fopen(path, "wb");
    uint8_t page[256];

    for (uint32_t at = 0; to && at < 1 << 20; at += sizeof page) {
        hc_m25p80_read(board->flash, at, page, sizeof page);
        fwrite(page, 1, sizeof page, to);
    }
    if (!to || fclose(to))
        fail(path, "cannot be written");
}

int main(int argc, char **argv)
{
    char log[] = "/tmp/test_parser.XXXXXX", text[480];
    struct hc_region_replay *replay;
    struct hc_region_state state;

    if (argc != 3)
        fail("usage", "test_parser PLAIN REGION");
    for (unsigned number = 0; line_length < LINE; number++)
        put_frame(number);
    struct hc_telosb *plain = hc_telosb_new(NULL, NULL), *node = hc_telosb_new(NULL, NULL);
    int file = mkstemp(log);
    if (!plain || !node || file < 0)
        fail("memory", "out of it");
    struct hc_image *plain_image = load(plain, argv[1]), *image = load(node, argv[2]);
    receive(plain, plain_image, argv[1]);
    unsigned visits = receive(node, image, argv[2]);
    write_flash(node, log);
    if (!hc_region_replay_open(&replay, image, log, 0, text, sizeof text))
        fail(argv[2], text);
    enum hc_region_end_kind end = hc_region_replay_run(replay);
    hc_region_replay_state(replay, &state);
    if (end != HC_REGION_ENDED || strcmp(state.text, "the log ends here"))
        fail("the replay", state.text);
    expect(argv[2], "visits replayed", (unsigned)state.visits, visits);
    expect(argv[2], "good frames in the replay", word_at(hc_region_replay_machine(replay), image, "counts", 0), good);
    printf("%u bytes back to back, %u good frames, %u damaged; %u visits, %zu bytes of log\n", line_length, good,
           damaged, visits, state.bytes);
    hc_region_replay_free(replay);
    hc_image_free(plain_image);
    hc_image_free(image);
    hc_telosb_free(plain);
    hc_telosb_free(node);
    close(file);
    unlink(log);
    return 0;
}
