/* The recorder's RAM has one layout. */
#include "../msp430/layout.h"
