/* Plurals in messages: printf("%d page%s", n, hc_plural(n)). */
#ifndef HC_SUPPORT_PLURAL_H
#define HC_SUPPORT_PLURAL_H

static inline const char *hc_plural(unsigned long long n)
{
    return n == 1 ? "" : "s";
}

#endif
