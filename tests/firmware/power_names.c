/* Things that have names in the source: members, elements, locals, arguments; on a stack that power failures keep. */
#include <kit.h>

struct point {
    uint16_t x;
    struct {
        uint8_t low, high;
    } y[3];
    uint16_t flags : 3, rest : 13;
};

struct point grid[4];
KIT_PERSISTENT uint16_t boots = 0;

volatile uint16_t result;
volatile uint16_t finished;

static __attribute__((noinline)) void change(volatile struct point *p)
{
    p->x++;
    p->y[2].high++;
}

static __attribute__((noinline)) uint16_t sum(uint8_t n)
{
    volatile uint16_t partial[3] = { 0, 0, 0 };
    for (uint8_t i = 0; i < n; i++)
        partial[1] += i;
    return partial[1];
}

int main(void)
{
    *(volatile uint16_t *)&boots += 1;
    change(&grid[1]);
    result = sum(3);
    finished = 0xd09e;
    return 0;
}
