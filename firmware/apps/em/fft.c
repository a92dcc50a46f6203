#include "apps/em/fft.h"

/* 32767 sin(2 pi i / 128), three quarters of a turn: the cosine is 32 further on. */
static const int16_t sine[FFT_POINTS * 3 / 4] = {
    0,      1608,   3212,   4808,   6393,   7962,   9512,   11039,  12539,  14010,  15446,  16846,  18204,  19519,
    20787,  22005,  23170,  24279,  25329,  26319,  27245,  28105,  28898,  29621,  30273,  30852,  31356,  31785,
    32137,  32412,  32609,  32728,  32767,  32728,  32609,  32412,  32137,  31785,  31356,  30852,  30273,  29621,
    28898,  28105,  27245,  26319,  25329,  24279,  23170,  22005,  20787,  19519,  18204,  16846,  15446,  14010,
    12539,  11039,  9512,   7962,   6393,   4808,   3212,   1608,   0,      -1608,  -3212,  -4808,  -6393,  -7962,
    -9512,  -11039, -12539, -14010, -15446, -16846, -18204, -19519, -20787, -22005, -23170, -24279, -25329, -26319,
    -27245, -28105, -28898, -29621, -30273, -30852, -31356, -31785, -32137, -32412, -32609, -32728,
};

static int16_t product(int16_t a, int16_t b)
{
    return (int16_t)((int32_t)a * b >> 15);
}

static uint8_t reversed(uint8_t index)
{
    uint8_t result = 0;
    for (uint8_t i = 0; i < FFT_STAGES; i++)
        result |= (uint8_t)((index >> i & 1) << (FFT_STAGES - 1 - i));
    return result;
}

static void swap(int16_t *a, int16_t *b)
{
    int16_t kept = *a;
    *a = *b;
    *b = kept;
}

void fft_reorder(struct fft *f)
{
    for (uint8_t i = 0; i < FFT_POINTS; i++) {
        uint8_t j = reversed(i);
        if (j > i) {
            swap(&f->re[i], &f->re[j]);
            swap(&f->im[i], &f->im[j]);
        }
    }
}

/* (a, b) -> ((a + w b) / 2, (a - w b) / 2), with w the turn by -STEP/128 of a circle. */
static void butterfly(struct fft *f, uint8_t a, uint8_t b, uint8_t step)
{
    int16_t cosine = sine[step + FFT_POINTS / 4], minus_sine = (int16_t)-sine[step];
    int16_t re = (int16_t)(product(f->re[b], cosine) - product(f->im[b], minus_sine)) >> 1;
    int16_t im = (int16_t)(product(f->re[b], minus_sine) + product(f->im[b], cosine)) >> 1;
    int16_t a_re = f->re[a] >> 1, a_im = f->im[a] >> 1;
    f->re[a] = (int16_t)(a_re + re);
    f->im[a] = (int16_t)(a_im + im);
    f->re[b] = (int16_t)(a_re - re);
    f->im[b] = (int16_t)(a_im - im);
}

void fft_stage(struct fft *f, uint8_t stage)
{
    uint8_t half = (uint8_t)(1 << stage);
    for (uint8_t first = 0; first < FFT_POINTS; first = (uint8_t)(first + 2 * half))
        for (uint8_t i = 0; i < half; i++)
            butterfly(f, (uint8_t)(first + i), (uint8_t)(first + i + half), (uint8_t)(i << (FFT_STAGES - 1 - stage)));
}

static uint16_t square_root(uint32_t value)
{
    uint16_t root = 0;
    for (uint16_t bit = 0x8000; bit; bit >>= 1) {
        uint16_t tried = root | bit;
        if ((uint32_t)tried * tried <= value)
            root = tried;
    }
    return root;
}

static uint32_t power(const struct fft *f, uint8_t bin)
{
    return (uint32_t)((int32_t)f->re[bin] * f->re[bin]) + (uint32_t)((int32_t)f->im[bin] * f->im[bin]);
}

uint16_t fft_magnitude(const struct fft *f, uint8_t bin)
{
    return square_root(power(f, bin));
}

uint16_t fft_peak(const struct fft *f)
{
    uint8_t peak = 1;
    uint32_t most = 0;
    for (uint8_t i = 1; i < FFT_POINTS / 2; i++) {
        uint32_t p = power(f, i);
        if (p > most) {
            most = p;
            peak = i;
        }
    }
    int32_t before = fft_magnitude(f, peak - 1), at = fft_magnitude(f, peak), after = fft_magnitude(f, peak + 1);
    int32_t bend = 2 * at - before - after;
    return (uint16_t)(100 * peak + (bend > 0 ? (after - before) * 50 / bend : 0));
}
