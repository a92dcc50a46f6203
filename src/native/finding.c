#include "finding.h"

#include <stdio.h>

static long long shown(uint32_t value, unsigned bits, bool is_signed)
{
    if (bits < 32 && is_signed && value >> (bits - 1) & 1)
        return (long long)value - (1LL << bits);
    return is_signed && bits >= 32 ? (long long)(int32_t)value : (long long)value;
}

void hc_native_describe(const struct hc_native_site *s, uint32_t a, uint32_t b, char *out, size_t size)
{
    unsigned kind = s->number >> 8, bits = s->number & 0xff;
    bool is_signed = kind != HC_NATIVE_UNSIGNED;

    if (kind == HC_NATIVE_INDEX)
        snprintf(out, size, "%s: %lld", s->what, shown(a, bits, true));
    else if (kind == HC_NATIVE_ADDRESS)
        snprintf(out, size, "%s: address 0x%0*x", s->what, (int)bits / 4, (unsigned)a);
    else
        snprintf(out, size, "%s: %lld and %lld in %u bits", s->what, shown(a, bits, is_signed),
                 shown(b, bits, is_signed), bits);
}
