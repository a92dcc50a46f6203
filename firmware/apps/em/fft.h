/* A Fourier transform of 128 points, in 16-bit fixed point. In place, in seven stages that can be run one by one, for
 * each takes some milliseconds. Each halves what it adds, so that nothing overflows: the result is the transform / 128.
 */
#ifndef APPS_EM_FFT_H
#define APPS_EM_FFT_H

#include <stdint.h>

enum { FFT_STAGES = 7, FFT_POINTS = 1 << FFT_STAGES };

struct fft {
    int16_t re[FFT_POINTS], im[FFT_POINTS];
};

/* Brings the input into the order that the stages want. */
void fft_reorder(struct fft *f);

/* STAGE is 0, then 1 ... FFT_STAGES - 1. */
void fft_stage(struct fft *f, uint8_t stage);

/* |bin| of the result. */
uint16_t fft_magnitude(const struct fft *f, uint8_t bin);

/* Where the spectrum of real input has its peak, in hundredths of a bin, between bins by a parabola. */
uint16_t fft_peak(const struct fft *f);

#endif
