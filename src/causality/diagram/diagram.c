#include "diagram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const char hc_diagram_page[], hc_diagram_script[];

/* ---- texts ---- */

static void html_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            putc(*text, out);
        }
}

/* Writes a JSON string that is safe in a script element. */
static void json_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (; *text; text++)
        if (strchr("\"\\<>&", *text) || (unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            putc(*text, out);
    putc('"', out);
}

/* ---- arrays ---- */

struct base64 {
    FILE *out;
    uint32_t bits;
    int bytes; /* in `bits` */
};

static void put_group(struct base64 *b)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = b->bits << 8 * (3 - b->bytes);

    for (int i = 0; i < 4; i++)
        putc(i <= b->bytes ? letters[bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->bits = 0;
    b->bytes = 0;
}

static void put(struct base64 *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        b->bits = b->bits << 8 | (uint8_t)(value >> 8 * i);
        if (++b->bytes == 3)
            put_group(b);
    }
}

static void put_double(struct base64 *b, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(b, bits, 8);
}

static void put_float(struct base64 *b, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(b, bits, 4);
}

struct page {
    const struct hc_diagram *d;
    FILE *out;
    struct hc_arrow *links;
    size_t link_count;
};

/* The segment from which the moments of an event are counted. */
static uint32_t counted_from(const struct hc_diagram *d, uint32_t event)
{
    const struct hc_network_history_node *node = &d->history->nodes[d->pairing->node_of[event]];
    uint32_t segment = d->history->events[event].segment;

    for (size_t i = 0; i < node->stretch_count && node->stretches[i].at <= event - node->first; i++)
        segment = node->stretches[i].segment;
    return segment;
}

enum array { TIME, SPREAD, MOMENT, SEGMENT, COUNTER, PARTNER, TYPE, FROM, TO, FATE, ARRAYS };

static void put_of_event(struct base64 *b, const struct hc_diagram *d, uint32_t event, enum array which)
{
    const struct hc_traffic *t = &d->history->events[event];
    uint32_t spread = d->axis->spread_us[event];

    switch (which) {
    case TIME:
        put_double(b, (double)d->axis->time[event] / 1000);
        break;
    case SPREAD:
        put_float(b, spread == HC_SPREAD_UNKNOWN ? -1 : (float)spread);
        break;
    case MOMENT:
        put_double(b, (double)t->moment);
        break;
    case SEGMENT:
        put(b, counted_from(d, event), 4);
        break;
    case COUNTER:
        put(b, t->counter, 4);
        break;
    case PARTNER:
        put(b, t->kind == HC_TRAFFIC_SEND && t->broadcast ? HC_BROADCAST : t->partner, 2);
        break;
    default:
        put(b, t->type, 2);
    }
}

static void put_of_link(struct base64 *b, const struct hc_arrow *l, enum array which)
{
    if (which == FATE)
        put(b, l->fate, 1);
    else
        put(b, which == FROM ? l->from : l->to, 4); /* HC_NO_EVENT is -1 there */
}

static void write_array(const struct page *p, enum array which, const char *name)
{
    struct base64 b = { .out = p->out };
    size_t n = which < FROM ? p->d->history->event_count : p->link_count;

    fprintf(p->out, "<script type=\"text/plain\" id=\"%s\">", name);
    for (size_t i = 0; i < n; i++)
        if (which < FROM)
            put_of_event(&b, p->d, (uint32_t)i, which);
        else
            put_of_link(&b, &p->links[i], which);
    if (b.bytes)
        put_group(&b);
    fputs("</script>\n", p->out);
}

static void write_arrays(const struct page *p)
{
    static const char *const names[ARRAYS] = { "time",    "spread", "moment", "segment", "counter",
                                               "partner", "type",   "from",   "to",      "fate" };

    for (int i = 0; i < ARRAYS; i++)
        write_array(p, (enum array)i, names[i]);
}

/* ---- what else the page knows ---- */

static double microseconds(int64_t time)
{
    return (double)time / 1000;
}

/* The times at which a log covers the node. */
static void write_lives(const struct page *p, uint32_t n)
{
    const struct hc_axis *axis = p->d->axis;
    const struct hc_network_history_node *node = &p->d->history->nodes[n];

    fputs("\"lives\":[", p->out);
    for (size_t i = 0; i < node->stretch_count && axis->first[n + 1] > axis->first[n]; i++)
        fprintf(p->out, "%s[%.3f,%.3f]", i ? "," : "",
                microseconds(hc_axis_from_clock(axis, n, i, node->stretches[i].begin)),
                microseconds(hc_axis_from_clock(axis, n, i, node->stretches[i].end)));
    if (!node->stretch_count && node->count)
        fprintf(p->out, "[%.3f,%.3f]", microseconds(axis->time[node->first]),
                microseconds(axis->time[node->first + node->count - 1]));
    fputs("]", p->out);
}

/* Just after the event before it; if there is none, just before the next one. */
static void write_gaps(const struct page *p, uint32_t n)
{
    const struct hc_network_history_node *node = &p->d->history->nodes[n];

    fputs("\"gaps\":[", p->out);
    for (size_t i = 0; i < node->gap_count && node->count; i++) {
        uint32_t at = node->gaps[i].at, event = node->first + (at ? at - 1 : 0);
        fprintf(p->out, "%s%.3f", i ? "," : "", microseconds(p->d->axis->time[event]) + (at ? 1 : -1));
    }
    fputs("]", p->out);
}

static void write_node(const struct page *p, uint32_t n)
{
    const struct hc_network_history_node *node = &p->d->history->nodes[n];
    bool known = node->log >= 0 && p->d->log_of;

    fprintf(p->out, "%s{\"address\":%u,\"first\":%" PRIu32 ",\"count\":%" PRIu32 ",\"image\":", n ? "," : "",
            node->address, node->first, node->count);
    json_text(p->out, known ? p->d->image_of(p->d->owner, node->log) : NULL);
    fputs(",\"log\":", p->out);
    json_text(p->out, known ? p->d->log_of(p->d->owner, node->log) : NULL);
    fputs(",", p->out);
    write_lives(p, n);
    fputs(",", p->out);
    write_gaps(p, n);
    fputs("}", p->out);
}

static void write_summary(const struct page *p)
{
    const struct hc_pairing *pairing = p->d->pairing;
    size_t receives = 0;
    char text[400];

    for (int i = 0; i <= HC_CONTRADICTED; i++)
        receives += pairing->counts[i];
    snprintf(text, sizeof text, "%zu nodes, %zu messages, %zu receives, %zu paired%s", p->d->history->node_count,
             p->d->history->event_count - receives, receives, pairing->counts[HC_PAIRED],
             p->d->axis->clockless ? "; these logs have no time: to the right is the order" : "");
    json_text(p->out, text);
}

static void write_about(const struct page *p)
{
    const struct hc_axis *axis = p->d->axis;

    fprintf(p->out, "{\"begin\":%.3f,\"end\":%.3f,\"clockless\":%s,\"run\":", microseconds(axis->begin),
            microseconds(axis->end), axis->clockless ? "true" : "false");
    json_text(p->out, p->d->run);
    fputs(",\"summary\":", p->out);
    write_summary(p);
    fputs(",\"nodes\":[", p->out);
    for (uint32_t n = 0; n < p->d->history->node_count; n++)
        write_node(p, n);
    fputs("]}", p->out);
}

/* ---- the page ---- */

/* Replaces @NAME@ in the page. */
static size_t write_place(const struct page *p, const char *at)
{
    static const char *const names[] = { "@TITLE@", "@ABOUT@", "@ARRAYS@", "@SCRIPT@" };
    size_t i = 0;

    while (i < sizeof names / sizeof *names && strncmp(at, names[i], strlen(names[i])) != 0)
        i++;
    switch (i) {
    case 0:
        html_text(p->out, p->d->title);
        break;
    case 1:
        write_about(p);
        break;
    case 2:
        write_arrays(p);
        break;
    case 3:
        fputs(hc_diagram_script, p->out);
        break;
    default:
        return 0;
    }
    return strlen(names[i]);
}

int hc_diagram_write(const struct hc_diagram *diagram, FILE *out)
{
    struct page p = { .d = diagram, .out = out };

    p.links = hc_arrows_make(diagram->history, diagram->pairing, diagram->fates, diagram->axis, &p.link_count);
    if (!p.links)
        return HC_NETWORK_FULL;
    for (const char *at = hc_diagram_page; *at;) {
        size_t n = *at == '@' ? write_place(&p, at) : 0;
        if (!n)
            putc(*at++, out);
        at += n;
    }
    free(p.links);
    return 0;
}
