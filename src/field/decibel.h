/* Powers and error rates as integers, from tables computed once for a medium. */
#ifndef HC_FIELD_DECIBEL_H
#define HC_FIELD_DECIBEL_H

#include <stdint.h>

enum {
    HC_DBM_LOWEST = -12000, /* hundredths of a dBm: 1 fW */
    HC_DBM_HIGHEST = 3000,
    HC_SNR_LOWEST = -1500,
    HC_SNR_HIGHEST = 1500,
};

struct hc_decibels {
    uint64_t femtowatts[HC_DBM_HIGHEST - HC_DBM_LOWEST + 1];
    uint32_t byte_errors[HC_SNR_HIGHEST - HC_SNR_LOWEST + 1];
};

void hc_decibels_init(struct hc_decibels *d);

/* Hundredths of a dBm to femtowatts (0 below the lowest), and back (rounded down, never below the lowest). */
uint64_t hc_femtowatts(const struct hc_decibels *d, int centi_dbm);
int hc_centi_dbm(const struct hc_decibels *d, uint64_t femtowatts);

/* The probability, times 2^32, that a byte of IEEE 802.15.4's 2.4 GHz O-QPSK arrives wrong at this ratio of signal to
 * noise and interference (hundredths of a dB). */
uint32_t hc_byte_error_rate(const struct hc_decibels *d, int centi_db);

#endif
