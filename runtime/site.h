/* Sites: reads that are recorded. Section hc_sites holds a descriptor of 4 bytes for each; a site's number is its place
 * there. Shared by the recorder and all tools.
 *
 *      15      14     13  12  11                   0   15              0
 *     +--------+------+-------+---------------------+ +-----------------+
 *     | stable | word | class | address             | | mask            |
 *     +--------+------+-------+---------------------+ +-----------------+
 *
 *     address   of the register, its lower 12 bits; 0: known at run time only
 *     word      16 bits are read, else 8
 *     stable    it is read until two reads agree
 *     mask      the bits that the program uses, the only ones that are recorded; 0: the recorder's own site */
#ifndef HC_SITE_H
#define HC_SITE_H

#include <stdint.h>

struct hc_site {
    uint16_t place, mask;
};

/* What kind of value a register has. */
enum hc_site_class {
    HC_SITE_STATE,  /* flags and pins: changes seldom */
    HC_SITE_TIMER,  /* counts */
    HC_SITE_DATA,   /* bytes and samples from outside */
    HC_SITE_VECTOR, /* which interrupt it is */
    HC_SITE_NONE,   /* in no descriptor: no bit of the register has to be recorded */
};

#define HC_SITE_ADDRESSES 0x1000
#define HC_SITE_PLACE(address, class, word, stable) \
    ((uint16_t)(((address) & 0xfffu) | (unsigned)(class) << 12 | ((word) ? 1u << 14 : 0) | ((stable) ? 1u << 15 : 0)))

#define HC_SITE_ADDRESS(site) ((site)->place & 0xfff)
#define HC_SITE_CLASS(site) ((site)->place >> 12 & 3)
#define HC_SITE_WORD(site) ((site)->place >> 14 & 1)
#define HC_SITE_STABLE(site) ((site)->place >> 15 & 1)

#endif
