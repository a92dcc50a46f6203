/* The name of <msp430.h> in the first ports of GCC. */
#include <msp430.h>
