/* The program's memory according to the link step (link.h), for the recorder's C. */
#ifndef HC_PIECES_H
#define HC_PIECES_H

#include "link.h"

#include "critical.h"

#ifndef __hc_link                               /* critical.h may say where it is */
extern const volatile struct hc_link __hc_link; /* its zeros are not what the node will find there */
#endif

/* Piece NUMBER's place: an address in the table. */
#define HC_PIECE(number) (HC_ADDRESS(&__hc_link) + HC_LINK_PIECES + 4 * (number))

/* The piece behind it; registers are none. */
static inline uint16_t hc_next_piece(uint16_t place)
{
    place += 4;
    return place == HC_PIECE(HC_PIECES_REGISTERS) ? place + 4 : place;
}

static inline struct hc_link_range hc_piece_at(uint16_t place)
{
    uint16_t number = (place - HC_PIECE(0)) / 4;
    struct hc_link_range range = { __hc_link.pieces[number].start, __hc_link.pieces[number].end };

    return range;
}

#endif
