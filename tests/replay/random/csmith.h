/* What programs that csmith makes expect, for a node. */
#ifndef TESTS_REPLAY_CSMITH_H
#define TESTS_REPLAY_CSMITH_H

#include <float.h>
#include <limits.h>
#include <stdint.h>

#define STATIC static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define assert(condition) ((void)0)
#define _CSMITH_BITFIELD(bits) ((bits) > 16 ? (bits) % 16 : (bits))
double fabs(double);
float fabsf(float);
#define FUNC_NAME(name) (safe_##name)
#include <safe_math.h>
#undef FUNC_NAME

extern volatile uint32_t checksum;

static inline void transparent_crc(uint32_t value, const char *name, int flag)
{
    (void)name;
    (void)flag;
    checksum = (checksum << 5 | checksum >> 27) ^ value;
}

static inline void platform_main_begin(void)
{
}

static inline void crc32_gentab(void)
{
}

static inline void platform_main_end(uint32_t crc, int flag)
{
    (void)crc;
    (void)flag;
}

#define crc32_context checksum
#define printf(...) ((void)0)

#endif
