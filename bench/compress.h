/* What compressors for general use make of a log. */
#ifndef BENCH_COMPRESS_H
#define BENCH_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that COMMAND, a filter, makes of SIZE bytes; 0 if it cannot be run. */
size_t compress_by(const char *command, const uint8_t *bytes, size_t size);

#endif
