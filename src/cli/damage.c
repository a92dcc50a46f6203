#include "damage.h"

#include "command.h"
#include "trace/log.h"

static bool matters(const struct hc_log_damage *d)
{
    return d->kind == HC_DAMAGE_MISSING || d->kind == HC_DAMAGE_CONFLICT || d->kind == HC_DAMAGE_CONTENT;
}

/* A gap before a page also affects the end of the segment before it. */
static bool touches(const struct hc_log *log, const struct hc_log_damage *d, int segment)
{
    const struct hc_log_page *page;
    size_t n = hc_log_pages(log, &page);

    if (segment < 0 || d->page >= n)
        return true;
    int there = page[d->page].segment;
    return there == segment || (there == segment + 1 && d->kind == HC_DAMAGE_MISSING);
}

bool hc_tell_damage(const struct hc_log *log, int segment, struct hc_message_buffer *to)
{
    enum { SHOWN = 3 };
    const struct hc_log_damage *damage;
    size_t n = hc_log_damages(log, &damage), told = 0;

    for (size_t i = 0; i < n; i++)
        if (matters(&damage[i]) && touches(log, &damage[i], segment) && told++ < SHOWN)
            hc_complain_to(to, "%s: damage at 0x%06zx: %s", hc_log_name(log), damage[i].offset, damage[i].text);
    if (told > SHOWN)
        hc_complain_to(to, "%s: and %zu more (hindcast log lists them)", hc_log_name(log), told - SHOWN);
    if (told)
        hc_complain_to(to, "%s: missing pages cannot be replayed: a segment ends before its first gap",
                       hc_log_name(log));
    return told;
}
