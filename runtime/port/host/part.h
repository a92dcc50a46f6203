/* A host acts as an MSP430F1611, so that its recordings can be compared with a node's. */
#ifndef HC_PART_MSP430F1611
#define HC_PART_MSP430F1611 1
#endif
#include "../msp430/part.h"
