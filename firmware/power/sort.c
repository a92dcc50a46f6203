/* Bubble sort of a small array in place: each swap reads what it then writes. */
#include <kit.h>

enum { COUNT = 40 };

static uint16_t values[COUNT];

volatile uint16_t result; /* how many are in order */
volatile uint16_t finished;

static void fill(void)
{
    uint16_t value = 7;
    for (uint8_t i = 0; i < COUNT; i++) {
        value = (uint16_t)(value * 25173u + 13849u);
        values[i] = value;
    }
}

static void swap(uint16_t *a, uint16_t *b)
{
    uint16_t old = *a;
    *a = *b;
    *b = old;
}

static void sort(void)
{
    for (uint8_t end = COUNT; end > 1; end--)
        for (uint8_t i = 1; i < end; i++)
            if (values[i - 1] > values[i])
                swap(&values[i - 1], &values[i]);
}

int main(void)
{
    fill();
    sort();
    uint16_t ordered = 1;
    for (uint8_t i = 1; i < COUNT; i++)
        ordered = (uint16_t)(ordered + (values[i - 1] <= values[i]));
    result = ordered;
    finished = 0xd09e;
    return 0;
}
