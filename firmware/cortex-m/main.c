/* What is outside the region: interrupts, a queue between them and the main loop, and a line of text for each change of
 * the parent.
 *
 *     POLLED   interrupts do not enter the region: bytes and ticks wait for the main loop
 *     STRAY    an address at which a fault of this file, the planted one, writes a byte after 20 frames */
#include "board.h"
#include "hindcast.h"
#include "router.h"

enum { FRAMES = 4, ENOUGH = 2, TICKS = 2, LONGEST = 400, QUIET = 400 };

static struct {
    uint8_t length, bytes[PAYLOAD];
} queue[FRAMES];
static volatile uint8_t first, filled;
static volatile uint32_t milliseconds, last_byte;

/* ---- interrupts ---- */

#if POLLED
static uint8_t waiting[4096];
static volatile uint16_t received, parsed;
static volatile bool tick;

void board_tick(void)
{
    if (++milliseconds % TICKS == 0)
        tick = true;
}

void board_byte(uint8_t byte)
{
    last_byte = milliseconds;
    waiting[received++ % sizeof waiting] = byte;
}

static void poll(void)
{
    if (parsed != received)
        parser_byte(waiting[parsed++ % sizeof waiting]);
    if (tick) {
        tick = false;
        estimator_tick();
    }
}
#else
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

static void poll(void)
{
}
#endif

void frame_received(const uint8_t *payload, uint8_t length)
{
    if (filled == FRAMES || length > PAYLOAD)
        return;
    queue[(first + filled) % FRAMES].length = length;
    memcpy(queue[(first + filled) % FRAMES].bytes, payload, length);
    if (++filled == ENOUGH)
        board_listen(false);
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
        board_listen(true);
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

static void stray(void)
{
#ifdef STRAY
    static int frames;
    if (++frames == 20)
        *(volatile uint8_t *)STRAY = 3;
#endif
}

int main(void)
{
    uint8_t beacon[PAYLOAD], length;

    board_start();
    while (milliseconds < LONGEST || milliseconds - last_byte < QUIET) {
        poll();
        while (take_frame(beacon, &length)) {
            routes_beacon(beacon, length);
            routes_choose();
            stray();
        }
        hc_update();
    }
    board_say(parser_errors() ? "errors\n" : "no errors\n");
    for (int i = 0; i < 2000; i++) /* what waits is written */
        hc_update();
    board_leave();
    return 0;
}
