/* Between the region (planted.c) and the outside (planted_main.c). */
#ifndef PLANTED_H
#define PLANTED_H

#include <stdint.h>

int planted_sum(int by);
uint32_t planted_shift(uint32_t value, unsigned by);
int planted_index(unsigned at, int value);
int planted_pointer(const uint32_t *at);
int planted_division(int value, int by);

#endif
