/* How a node's lives ended, in words. */
#include "log.h"

#include <stdio.h>
#include <string.h>

/* Flags of a reset: IFG1 of the F1xx; PMMIFG of the FR59xx, with bit 0 of SFRIFG1. */
static const struct {
    uint16_t flag;
    const char *text;
} causes[] = {
    { 0x0001, "watchdog, or a write to its register with a wrong key" },
    { 0x0010, "RST/NMI pin" },
    { 0x0100, "brownout reset by software" },
    { 0x0200, "RST pin" },
    { 0x0400, "power-on reset by software" },
    { 0x2000, "the supply fell too low" },
    { 0x8000, "wake-up from LPM3.5 or LPM4.5" },
};

const char *hc_log_cause(uint16_t cause, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (cause & causes[i].flag && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "; " : "", causes[i].text);
    if (!used)
        snprintf(out, size, "power-on or the RST pin (the flags do not tell)");
    return out;
}

const char *hc_log_life(const struct hc_log_boot *boot, char *out, size_t size)
{
    static const char *const reaches[] = {
        [HC_LIFE_RESCUED] = "what waited in RAM was rescued, the log reaches up to the reset",
        [HC_LIFE_FROZEN] = "frozen: the log reaches up to the freeze",
        [HC_LIFE_LOST] =
            "nothing was rescued: the log may end up to a page of events, or the time of --flush, before that",
        [HC_LIFE_MISSING] = "what waited in RAM was rescued, but those pages are missing",
        [HC_LIFE_OPEN] =
            "no reset follows: what waited in RAM then (up to a page, or the time of --flush) is not in the log",
        [HC_LIFE_UNKNOWN] = "how it ended is not known: the next boot has lost its start",
    };
    char cause[200];
    if (boot->cause_known)
        snprintf(out, size, "ended by a reset (%s); %s", hc_log_cause(boot->cause, cause, sizeof cause),
                 reaches[boot->end]);
    else
        snprintf(out, size, "%s", reaches[boot->end]);
    return out;
}
