/* Part of a sink that needs no bus: nothing to open or close, and always ready. */
#ifndef HC_SINK_ALWAYS_READY_H
#define HC_SINK_ALWAYS_READY_H

#include "bytes.h"

void hc_sink_open(void)
{
}

bool hc_sink_close(void)
{
    return true;
}

bool hc_sink_ready(void)
{
    return true;
}

#endif
