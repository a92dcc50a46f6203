/* The earthquake monitor's Fourier transform, firmware/apps/em/fft.c, against the definition in floating point. */
#include "apps/em/fft.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static void transform(struct fft *f)
{
    fft_reorder(f);
    for (uint8_t stage = 0; stage < FFT_STAGES; stage++)
        fft_stage(f, stage);
}

static void the_transform_is_right(void **state)
{
    struct fft f, in;
    (void)state;
    srand(1);
    for (int i = 0; i < FFT_POINTS; i++) {
        f.re[i] = (int16_t)(rand() % 32768 - 16384);
        f.im[i] = (int16_t)(rand() % 32768 - 16384);
    }
    in = f;
    transform(&f);
    for (int bin = 0; bin < FFT_POINTS; bin++) {
        double re = 0, im = 0;
        for (int i = 0; i < FFT_POINTS; i++) {
            double c = cos(2 * pi * bin * i / FFT_POINTS), s = -sin(2 * pi * bin * i / FFT_POINTS);
            re += in.re[i] * c - in.im[i] * s;
            im += in.re[i] * s + in.im[i] * c;
        }
        assert_true(fabs(f.re[bin] - re / FFT_POINTS) < 8);
        assert_true(fabs(f.im[bin] - im / FFT_POINTS) < 8);
    }
}

/* 100 samples of a sine and 28 zeros, as the application has it. */
static void the_peak_is_found_between_bins(void **state)
{
    (void)state;
    for (double hertz = 2; hertz < 48; hertz += 0.37) {
        struct fft f = { .re = { 0 } };
        for (int i = 0; i < 100; i++)
            f.re[i] = (int16_t)(12000 * sin(2 * pi * hertz * i / 100 + 1));
        transform(&f);
        assert_true(fabs(fft_peak(&f) - hertz / 100 * FFT_POINTS * 100) < 35); /* hundredths of a bin of 0.78 Hz */
    }
}

static void silence_has_no_peak(void **state)
{
    struct fft f = { .re = { 0 } };
    (void)state;
    transform(&f);
    assert_int_equal(fft_magnitude(&f, 1), 0);
    assert_int_equal(fft_peak(&f), 100);
}

static void magnitudes_are_exact(void **state)
{
    struct fft f = { .re = { 3, -32768, 0 }, .im = { 4, -32768, -7 } };
    (void)state;
    assert_int_equal(fft_magnitude(&f, 0), 5);
    assert_int_equal(fft_magnitude(&f, 1), 46340);
    assert_int_equal(fft_magnitude(&f, 2), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_transform_is_right),
        cmocka_unit_test(the_peak_is_found_between_bins),
        cmocka_unit_test(silence_has_no_peak),
        cmocka_unit_test(magnitudes_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
