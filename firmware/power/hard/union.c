/* A word is read and then a byte of it written: one anomaly, found although the two have different addresses and sizes.
 * The other byte is read and nobody writes it. And a word that is written before a byte of it is read: none. */
#include "../figures/figure.h"

union overlay {
    uint16_t whole;
    uint8_t half[2];
};

volatile union overlay read_first = { .whole = 0x1234 };
volatile union overlay written_first;
volatile uint16_t seen;

int main(void)
{
    checkpoint();
    seen = read_first.whole;
    read_first.half[1] = 0x56;
    written_first.whole = 0x789a;
    written_first.half[0] = (uint8_t)(written_first.half[0] + 1);
    checkpoint();
    return 0;
}
