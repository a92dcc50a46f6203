/* A program whose main loop calls hc_update at a point where nobody uses the sink. */
#include "port.h"

bool hc_port_may_write(bool urgent)
{
    (void)urgent;
    return true;
}
