/* The outside of planted.c: all is sound until the last rounds, and with SOUND defined there, too. */
#include "board.h"
#include "hindcast.h"
#include "planted.h"

enum { ROUNDS = 60, BAD = 50 };

static volatile uint32_t seen;
static uint32_t word = 7;

void board_tick(void)
{
}

void board_byte(uint8_t byte)
{
    (void)byte;
}

static void call_all(unsigned i, int bad)
{
    seen += (uint32_t)planted_sum(bad ? 0x7fffffff : (int)i);
    seen += planted_shift(i, bad ? 32 + i : i & 31);
    seen += (uint32_t)planted_index(bad ? 4 : i & 3, (int)i);
    seen += (uint32_t)planted_pointer(bad ? 0 : &word);
    seen += (uint32_t)planted_division((int)i, bad ? 0 : 3);
}

int main(void)
{
    board_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
#ifdef SOUND
        call_all(i, 0);
#else
        call_all(i, i == BAD);
#endif
        hc_update();
    }
    for (int i = 0; i < 2000; i++)
        hc_update();
    board_say("no errors\n");
    board_leave();
    return 0;
}
