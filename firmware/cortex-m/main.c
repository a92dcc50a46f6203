/* What is outside the region: interrupts, a queue between them and the main loop, and a line of text for each change of
 * the parent. */
#include "board.h"
#include "hindcast.h"
#include "router.h"

#include <string.h>

enum { FRAMES = 4, TICKS = 2, LONGEST = 400, QUIET = 400 };

static struct {
    uint8_t length, bytes[PAYLOAD];
} queue[FRAMES];
static volatile uint8_t first, filled;
static volatile uint32_t milliseconds, last_byte;

/* ---- interrupts ---- */

void board_tick(void)
{
    if (++milliseconds % TICKS == 0)
        estimator_tick();
}

void board_byte(uint8_t byte)
{
    last_byte = milliseconds;
    parser_byte(byte);
}

void frame_received(const uint8_t *payload, uint8_t length)
{
    if (filled == FRAMES || length > PAYLOAD)
        return;
    queue[(first + filled) % FRAMES].length = length;
    memcpy(queue[(first + filled) % FRAMES].bytes, payload, length);
    filled++;
}

/* ---- the main loop ---- */

static bool take_frame(uint8_t *bytes, uint8_t *length)
{
    uint32_t before = board_lock();
    bool any = filled;

    if (any) {
        *length = queue[first].length;
        memcpy(bytes, queue[first].bytes, *length);
        first = (uint8_t)((first + 1) % FRAMES);
        filled--;
    }
    board_unlock(before);
    return any;
}

static void say_node(uint8_t node)
{
    char text[] = { "0123456789abcdef"[node >> 4], "0123456789abcdef"[node & 15], '\0' };

    board_say(node == NOBODY ? "nobody" : text);
}

void parent_changed(uint8_t from, uint8_t to)
{
    board_say("parent ");
    say_node(from);
    board_say(" -> ");
    say_node(to);
    board_say("\n");
}

int main(void)
{
    uint8_t beacon[PAYLOAD], length;

    board_start();
    while (milliseconds < LONGEST || milliseconds - last_byte < QUIET) {
        while (take_frame(beacon, &length)) {
            routes_beacon(beacon, length);
            routes_choose();
        }
        hc_update();
    }
    board_say(parser_errors() ? "errors\n" : "no errors\n");
    for (int i = 0; i < 2000; i++) /* what waits is written */
        hc_update();
    board_leave();
}
