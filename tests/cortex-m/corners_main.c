/* The outside of corners.c: calls everything with numbers from a generator, and counts what it gets. */
#include "board.h"
#include "corners.h"
#include "hindcast.h"

uint32_t weather;
const char *const names[2] = { "outside", "far" };
static uint32_t state = 1, seen;
static volatile uint32_t device;

static uint32_t next(void)
{
    return state = state * 1664525u + 1013904223u;
}

void board_tick(void)
{
    device++;
}

void board_byte(uint8_t byte)
{
    (void)byte;
}

int for_each(visitor *call, void *context, int count)
{
    int last = 0;

    for (int i = 0; i < count; i++)
        last = call(context, (int)(next() >> 28));
    return last;
}

void fill(int *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = (int)(next() >> 20);
}

int length_of(const char *text)
{
    int length = 0;

    while (text && text[length])
        length++;
    return length;
}

struct small swap(struct small s)
{
    return (struct small){ s.b, s.a };
}

static void round_of_calls(int i)
{
    static struct pair mine, pair = { 1, 2, 3.5, "mine" };
    union word w = { .all = next() };

    weather = next() >> 8;
    seen += (uint32_t)corner_wide((int64_t)next() << 3, next() >> 16);
    seen += corner_real((double)(next() >> 16), (float)(next() >> 24)) > 0.5;
    pair = corner_struct(pair, (struct small){ (uint16_t)next(), (uint16_t)i });
    seen += (uint32_t)corner_callback(i % 5);
    seen += corner_union(&w) + w.all;
    seen += (uint32_t)corner_local(i);
    seen += corner_register(&device);
    seen += (uint32_t)length_of(corner_name((unsigned)i % 7));
    seen += (uint32_t)corner_depth(i % 4);
    shared[2].big++; /* which is the region's, but everybody's */
    seen += (uint32_t)corner_copy(i & 1 ? &mine : &shared[0], i & 2 ? &pair : &shared[1]);
    seen += corner_bits(next() >> i % 32);
}

int main(void)
{
    board_start();
    for (int i = 0; i < 200; i++) {
        round_of_calls(i);
        for (int k = 0; k < 40; k++)
            hc_update();
    }
    for (int i = 0; i < 2000; i++)
        hc_update();
    board_say(seen ? "no errors\n" : "nothing\n");
    board_leave();
    return 0;
}
