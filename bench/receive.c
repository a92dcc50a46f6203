#include "receive.h"

#include "machine/board/telosb.h"
#include "runtime/meter.h"

#include <stdio.h>

/* The log is begun and the first checkpoint is written before the first byte comes. */
enum { BEFORE_MS = 3000, AFTER_MS = 1000 };

/* Bytes that nobody can guess. */
static uint8_t byte_at(uint32_t at)
{
    return (uint8_t)((at + 1) * 2654435761u >> 24);
}

/* The line is never idle until all have been sent. */
static void send_all(struct hc_telosb *board)
{
    unsigned sent = 0;
    do {
        while (sent < RECEIVE_BYTES && hc_usart_receive(board->uart, byte_at(sent)))
            sent++;
        hc_machine_run(board->machine, hc_now(board->machine) + hc_ms(1));
    } while (hc_usart_waiting(board->uart));
}

static int run(struct reception *out, struct hc_telosb *board, const struct hc_image *image, bool watched,
               const char **missing)
{
    struct hc_machine *m = board->machine;
    struct hc_symbol received;
    struct hc_statistics before, after;
    *missing = "received";
    if (!hc_image_symbol(image, "received", &received))
        return -1;
    hc_machine_reset(m, HC_POR);
    hc_machine_run(m, hc_now(m) + hc_ms(BEFORE_MS));
    if (watched && profile_begin(&out->profile, m, image, missing) != 0)
        return -1;
    out->rate = hc_usart_rate(board->uart);
    hc_machine_statistics(m, &before);
    send_all(board);
    hc_machine_statistics(m, &after);
    if (watched)
        profile_end(&out->profile, m);
    out->cycles = (after.cycles - before.cycles) / RECEIVE_BYTES;
    hc_machine_run(m, hc_now(m) + hc_ms(AFTER_MS));
    out->received = hc_peek16(m, received.address);
    return 0;
}

int receive_measure(struct reception *out, const char *path, bool watched, char *message, size_t size)
{
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    const char *missing;
    *out = (struct reception){ 0 };
    snprintf(message, size, "no memory");
    struct hc_image *image = board ? meter_load(board->machine, path, message, size) : NULL;
    int result = image ? run(out, board, image, watched, &missing) : -1;
    if (image && result != 0)
        snprintf(message, size, "%s: no symbol %s", path, missing);
    hc_image_free(image);
    if (board)
        hc_telosb_free(board);
    return result;
}
