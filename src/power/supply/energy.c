#include "energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_SECOND = 1000000000, SECOND_DIGITS = 9, MICROAMPERE_DIGITS = 3 };

/* 1 nF x 1 µV is 10^-15 C, 1 nA x 1 ns is 10^-18 C: attocoulombs. */
enum { ATTO_PER_NANO_MICRO = 1000 };

/* Traces of up to 11 days, currents of up to 1 A: products stay far within 64 bits of charge. */
#define MOST_NS (1000000ull * NS_PER_SECOND)
#define MOST_NANOAMPERES 1000000000ull

/* ---- the trace ---- */

struct csv_text {
    const char *at, *end;
};

static void skip_blanks(struct csv_text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r'))
        t->at++;
}

static bool is_digit(const struct csv_text *t)
{
    return t->at < t->end && *t->at >= '0' && *t->at <= '9';
}

/* A decimal number times 10^DIGITS, further digits cut off; false if it is none or more than MOST. */
static bool parse_number(struct csv_text *t, int digits, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    bool any = false;

    skip_blanks(t);
    for (; is_digit(t); t->at++, any = true)
        if ((value = value * 10 + (uint64_t)(*t->at - '0')) > most)
            return false;
    bool point = t->at < t->end && *t->at == '.';
    if (point)
        t->at++;
    for (int i = 0; i < digits; i++) {
        value *= 10;
        if (point && is_digit(t)) {
            value += (uint64_t)(*t->at++ - '0');
            any = true;
        }
        if (value > most)
            return false;
    }
    while (point && is_digit(t))
        t->at++;
    skip_blanks(t);
    *out = value;
    return any;
}

static int complain(char *message, size_t size, int line, const char *what)
{
    snprintf(message, size, "line %d: %s", line, what);
    return -1;
}

static int add_step(struct hc_harvest *h, size_t *room, struct hc_harvest_step step)
{
    if (h->count == *room) {
        size_t more = *room ? 2 * *room : 64;
        struct hc_harvest_step *steps = realloc(h->step, more * sizeof *steps);
        if (!steps)
            return -1;
        h->step = steps;
        *room = more;
    }
    h->step[h->count++] = step;
    return 0;
}

/* NULL, or what is wrong. */
static const char *parse_line(struct hc_harvest *h, size_t *room, struct csv_text line)
{
    struct hc_harvest_step step;

    if (!parse_number(&line, SECOND_DIGITS, MOST_NS, &step.from_ns))
        return "no time in seconds, from 0 to 1000000";
    if (line.at == line.end || *line.at != ',')
        return "no comma after the time";
    line.at++;
    if (!parse_number(&line, MICROAMPERE_DIGITS, MOST_NANOAMPERES, &step.nanoamperes))
        return "no current in microamperes, from 0 to 1000000";
    if (line.at != line.end)
        return "more than a time and a current";
    if (h->count && step.from_ns <= h->step[h->count - 1].from_ns)
        return "not later than the line before";
    return add_step(h, room, step) ? "out of memory" : NULL;
}

/* A heading: the first line, when it begins with a letter. */
static bool is_heading(const struct csv_text *line, int number)
{
    return number == 1 && line->at < line->end &&
           ((*line->at >= 'a' && *line->at <= 'z') || (*line->at >= 'A' && *line->at <= 'Z'));
}

int hc_harvest_parse(struct hc_harvest *harvest, const char *text, size_t size, char *message, size_t message_size)
{
    const char *end = text + size;
    size_t room = 0;

    *harvest = (struct hc_harvest){ 0 };
    for (int number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        struct csv_text line = { text, stop ? stop : end };

        text = stop ? stop + 1 : end;
        skip_blanks(&line);
        if (line.at == line.end || *line.at == '#' || is_heading(&line, number))
            continue;
        const char *wrong = parse_line(harvest, &room, line);
        if (wrong) {
            hc_harvest_free(harvest);
            return complain(message, message_size, number, wrong);
        }
    }
    if (harvest->count)
        return 0;
    return complain(message, message_size, 1, "no line with a time and a current");
}

void hc_harvest_free(struct hc_harvest *harvest)
{
    free(harvest->step);
    *harvest = (struct hc_harvest){ 0 };
}

/* How many steps have begun at NS. */
static size_t begun(const struct hc_harvest *h, uint64_t ns)
{
    size_t low = 0, high = h->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->step[middle].from_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t hc_harvest_at(const struct hc_harvest *harvest, uint64_t ns)
{
    size_t n = begun(harvest, ns);

    return n ? harvest->step[n - 1].nanoamperes : 0;
}

/* ---- the node ---- */

const struct hc_consumption hc_fr5969_consumption = {
    .active_na = 66000,
    .active_na_per_mhz = 144000,
    .mode_na = { [HC_MODE_LPM0] = 75000,
                 [HC_MODE_LPM1] = 40000,
                 [HC_MODE_LPM2] = 900,
                 [HC_MODE_LPM3] = 700,
                 [HC_MODE_LPM4] = 400 },
};

uint64_t hc_consumption_active(const struct hc_consumption *c, uint32_t mclk_hz)
{
    return c->active_na + c->active_na_per_mhz * mclk_hz / 1000000;
}

/* ---- the capacitor ---- */

static int64_t charge_at(const struct hc_capacitor *c, uint64_t microvolts)
{
    return (int64_t)(c->nanofarads * microvolts * ATTO_PER_NANO_MICRO);
}

void hc_supply_init(struct hc_supply *s, const struct hc_capacitor *capacitor, const struct hc_harvest *harvest,
                    uint64_t microvolts)
{
    *s = (struct hc_supply){ .capacitor = *capacitor, .harvest = harvest };
    s->charge = charge_at(capacitor, microvolts);
}

uint64_t hc_supply_microvolts(const struct hc_supply *s)
{
    uint64_t unit = s->capacitor.nanofarads * ATTO_PER_NANO_MICRO;

    return unit && s->charge > 0 ? (uint64_t)s->charge / unit : 0;
}

static uint64_t divided_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The first threshold that the charge meets, going by NET attocoulombs a nanosecond; in how many, or UINT64_MAX. */
static uint64_t next_threshold(const struct hc_supply *s, int64_t net, enum hc_supply_event *event)
{
    const struct hc_capacitor *c = &s->capacitor;
    int64_t on = charge_at(c, c->v_on), off = charge_at(c, c->v_off), trigger = charge_at(c, c->v_trigger);

    if (net > 0 && s->charge < on) {
        *event = HC_SUPPLY_ON;
        return divided_up((uint64_t)(on - s->charge), (uint64_t)net);
    }
    if (net < 0 && s->charge > trigger && trigger > off) {
        *event = HC_SUPPLY_TRIGGER;
        return divided_up((uint64_t)(s->charge - trigger), (uint64_t)-net);
    }
    if (net < 0 && s->charge > off) {
        *event = HC_SUPPLY_OFF;
        return divided_up((uint64_t)(s->charge - off), (uint64_t)-net);
    }
    return UINT64_MAX;
}

/* Until the harvest changes. */
static uint64_t next_change(const struct hc_supply *s)
{
    size_t n = s->harvest ? begun(s->harvest, s->ns) : 0;

    return s->harvest && n < s->harvest->count ? s->harvest->step[n].from_ns - s->ns : UINT64_MAX;
}

/* Keeps the charge between empty and v_max, however long. */
static void pass(struct hc_supply *s, int64_t net, uint64_t ns)
{
    int64_t most = charge_at(&s->capacitor, s->capacitor.v_max);

    s->ns += ns;
    if (net > 0 && ns >= (uint64_t)(most - s->charge) / (uint64_t)net)
        s->charge = s->charge < most ? most : s->charge;
    else if (net < 0 && ns >= (uint64_t)s->charge / (uint64_t)-net)
        s->charge = 0;
    else
        s->charge += net * (int64_t)ns;
}

enum hc_supply_event hc_supply_advance(struct hc_supply *s, uint64_t nanoamperes, uint64_t until_ns)
{
    while (s->ns < until_ns) {
        enum hc_supply_event event = HC_SUPPLY_TIME;
        int64_t net = (int64_t)(s->harvest ? hc_harvest_at(s->harvest, s->ns) : 0) - (int64_t)nanoamperes;
        uint64_t threshold = next_threshold(s, net, &event), change = next_change(s), rest = until_ns - s->ns;

        if (threshold <= change && threshold <= rest) {
            pass(s, net, threshold);
            return event;
        }
        pass(s, net, change < rest ? change : rest);
    }
    return HC_SUPPLY_TIME;
}

/* ---- execution depth ---- */

uint64_t hc_depth_cycles(const struct hc_capacitor *c, uint64_t nanoamperes, uint64_t checkpoint_ns, uint64_t hz)
{
    if (!nanoamperes || c->v_trigger <= c->v_off)
        return 0;
    unsigned __int128 charge = (unsigned __int128)c->nanofarads * (c->v_trigger - c->v_off) * ATTO_PER_NANO_MICRO;
    unsigned __int128 spent = (unsigned __int128)checkpoint_ns * nanoamperes;
    if (charge <= spent)
        return 0;
    unsigned __int128 unit = (unsigned __int128)nanoamperes * NS_PER_SECOND; /* one cycle is unit / hz */
    return (uint64_t)(((charge - spent) * hz + unit / 2) / unit);
}

uint64_t hc_smallest_capacitor(const struct hc_capacitor *c, uint64_t nanoamperes, uint64_t cycles, uint64_t hz)
{
    if (c->v_on <= c->v_off || !hz)
        return UINT64_MAX;
    unsigned __int128 charge = (unsigned __int128)cycles * NS_PER_SECOND * nanoamperes; /* of attocoulombs, times hz */
    unsigned __int128 unit = (unsigned __int128)hz * (c->v_on - c->v_off) * ATTO_PER_NANO_MICRO;
    return (uint64_t)((charge + unit - 1) / unit);
}
