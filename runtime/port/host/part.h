/* A host plays an MSP430F1611: what it records can be compared with what a node records. */
#ifndef HC_PART_MSP430F1611
#define HC_PART_MSP430F1611 1
#endif
#include "../msp430/part.h"
