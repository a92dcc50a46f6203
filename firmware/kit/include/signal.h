/* In the first ports of GCC this header had what interrupt handlers need. Signals as in C there are none. */
#include <legacymsp430.h>
