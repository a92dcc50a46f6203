/* Fixed-point FFT of 32 points with numbers of 16 bits (15 behind the point), halved at each
 * stage: about 4 x 10^5 instructions, most of them in the multiplication that this CPU lacks. */
#include <kit.h>

enum { LOG = 5, POINTS = 1 << LOG, QUARTER = POINTS / 4 };

static int16_t real[POINTS], imaginary[POINTS];
static int16_t sine[QUARTER + 1];

volatile uint32_t result; /* energy of the spectrum's largest bin */
volatile uint16_t finished;

static int16_t multiply(int16_t a, int16_t b)
{
    return (int16_t)((int32_t)a * b >> 15);
}

/* By the sum formulas, from sin and cos of one step. */
static void make_sine(void)
{
    const int16_t step_sine = 6393, step_cosine = 32138; /* of 2 pi / 32 */
    int16_t s = 0, c = 32767;
    for (uint8_t i = 0; i <= QUARTER; i++) {
        sine[i] = s;
        int16_t next = (int16_t)(multiply(s, step_cosine) + multiply(c, step_sine));
        c = (int16_t)(multiply(c, step_cosine) - multiply(s, step_sine));
        s = next;
    }
}

static int16_t sine_of(uint8_t i)
{
    i &= POINTS - 1;
    if (i >= POINTS / 2)
        return (int16_t)-sine_of((uint8_t)(i - POINTS / 2));
    return sine[i <= QUARTER ? i : POINTS / 2 - i];
}

static uint8_t reversed(uint8_t i)
{
    uint8_t out = 0;
    for (uint8_t bit = 0; bit < LOG; bit++)
        out = (uint8_t)(out << 1 | (i >> bit & 1));
    return out;
}

static void exchange(int16_t *a, int16_t *b)
{
    int16_t old = *a;
    *a = *b;
    *b = old;
}

static void reorder(void)
{
    for (uint8_t i = 0; i < POINTS; i++) {
        uint8_t other = reversed(i);
        if (other > i) {
            exchange(&real[i], &real[other]);
            exchange(&imaginary[i], &imaginary[other]);
        }
    }
}

static void butterfly(uint8_t top, uint8_t bottom, int16_t c, int16_t s)
{
    int16_t r = (int16_t)(multiply(c, real[bottom]) - multiply(s, imaginary[bottom]));
    int16_t i = (int16_t)(multiply(s, real[bottom]) + multiply(c, imaginary[bottom]));
    real[bottom] = (int16_t)((real[top] - r) >> 1);
    imaginary[bottom] = (int16_t)((imaginary[top] - i) >> 1);
    real[top] = (int16_t)((real[top] + r) >> 1);
    imaginary[top] = (int16_t)((imaginary[top] + i) >> 1);
}

static void transform(void)
{
    reorder();
    for (uint8_t half = 1, stride = POINTS / 2; half < POINTS; half = (uint8_t)(half << 1), stride >>= 1)
        for (uint8_t k = 0; k < half; k++) {
            int16_t c = sine_of((uint8_t)(k * stride + QUARTER));
            int16_t s = (int16_t)-sine_of((uint8_t)(k * stride));
            for (uint8_t top = k; top < POINTS; top = (uint8_t)(top + 2 * half))
                butterfly(top, (uint8_t)(top + half), c, s);
        }
}

int main(void)
{
    make_sine();
    for (uint8_t i = 0; i < POINTS; i++)
        real[i] = (int16_t)(sine_of((uint8_t)(5 * i)) >> 1);
    transform();
    uint32_t most = 0;
    for (uint8_t i = 0; i < POINTS; i++) {
        uint32_t energy = (uint32_t)((int32_t)real[i] * real[i] + (int32_t)imaginary[i] * imaginary[i]);
        if (energy > most)
            most = energy;
    }
    result = most;
    finished = 0xd09e;
    return 0;
}
