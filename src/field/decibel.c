#include "decibel.h"

#include <math.h>

/* IEEE 802.15.4, annex on coexistence: the bit error rate of the 2.4 GHz PHY at a linear ratio. */
static double bit_error_rate(double ratio)
{
    double sum = 0;
    double choose = 16; /* 16 over k, from k = 1 */
    for (int k = 2; k <= 16; k++) {
        choose = choose * (16 - k + 1) / k;
        sum += (k % 2 ? -1 : 1) * choose * exp(20 * ratio * (1.0 / k - 1));
    }
    double rate = 8.0 / 15 / 16 * sum;
    return rate < 0 ? 0 : rate > 0.5 ? 0.5 : rate;
}

void hc_decibels_init(struct hc_decibels *d)
{
    for (int i = HC_DBM_LOWEST; i <= HC_DBM_HIGHEST; i++)
        d->femtowatts[i - HC_DBM_LOWEST] = (uint64_t)(pow(10, (i - HC_DBM_LOWEST) / 1000.0) + 0.5);
    for (int i = HC_SNR_LOWEST; i <= HC_SNR_HIGHEST; i++) {
        double byte = 1 - pow(1 - bit_error_rate(pow(10, i / 1000.0)), 8);
        d->byte_errors[i - HC_SNR_LOWEST] = (uint32_t)(byte * 4294967295.0);
    }
}

uint64_t hc_femtowatts(const struct hc_decibels *d, int centi_dbm)
{
    if (centi_dbm < HC_DBM_LOWEST)
        return 0;
    return d->femtowatts[(centi_dbm > HC_DBM_HIGHEST ? HC_DBM_HIGHEST : centi_dbm) - HC_DBM_LOWEST];
}

int hc_centi_dbm(const struct hc_decibels *d, uint64_t femtowatts)
{
    int low = HC_DBM_LOWEST;
    int high = HC_DBM_HIGHEST;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (d->femtowatts[middle - HC_DBM_LOWEST] <= femtowatts)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

uint32_t hc_byte_error_rate(const struct hc_decibels *d, int centi_db)
{
    if (centi_db > HC_SNR_HIGHEST)
        return 0;
    return d->byte_errors[(centi_db < HC_SNR_LOWEST ? HC_SNR_LOWEST : centi_db) - HC_SNR_LOWEST];
}
