/* S-LZW (Sadler and Martonosi, SenSys 2006), to compare with: LZW in blocks of 528 bytes with a dictionary of 512
 * entries that is fixed when it is full, begun anew for each block; codes of 9 bits. */
#ifndef BENCH_SLZW_H
#define BENCH_SLZW_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that SIZE bytes become. */
size_t slzw_size(const uint8_t *bytes, size_t size);

/* The same with its mini-cache of CACHE entries (a power of two, 32 in the paper): a code that is in the cache, by its
 * low bits, takes a bit and its index; others a bit and 9. */
size_t slzw_mini_cache_size(const uint8_t *bytes, size_t size, unsigned cache);

#endif
