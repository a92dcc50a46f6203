/* The nodes that the others' messages are for, and that print them: node 0, or one in so many. */
#ifndef APPS_BASE_STATION_H
#define APPS_BASE_STATION_H

#include "drivers/board.h"

#include <stdbool.h>

#ifndef BASE_STATION_EVERY
#define BASE_STATION_EVERY 0xffff /* a build option: ids that are multiples of it are base stations */
#endif

enum { BASE_STATION = 0 };

static inline bool is_base_station(void)
{
    return node_id % BASE_STATION_EVERY == BASE_STATION;
}

#endif
