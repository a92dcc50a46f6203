/* The golden vectors of logs of regions: hindcast's reader answers what they ask as they say. argv[1]:
 * region_vectors.txt. */
#include "replay/region/region_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 12, SLOTS = 64, CODE_MAX = 1000, VECTORS_MAX = 10, ASKS_MAX = 40 };

/* A line without its comment. */
struct ask {
    char text[300];
    size_t word[WORDS_MAX]; /* where they begin */
    int words;
};

struct vector {
    size_t number;
    size_t asks;
    struct ask ask[ASKS_MAX];
    struct hc_region_map map;
    uint8_t code[CODE_MAX];
    size_t bits;
    struct hc_region_log log;
    struct hc_region_feed feed;
    uint16_t last[SLOTS];
};

static const char *word_of(const struct ask *a, int n)
{
    return n < a->words ? a->text + a->word[n] : "";
}

static void fail(const struct vector *v, const struct ask *a, const char *what)
{
    fprintf(stderr, "test_region_vectors: vector %zu: %s %s %s: %s\n", v->number, word_of(a, 0), word_of(a, 1),
            word_of(a, 2), what);
    exit(1);
}

static uint32_t number(const struct ask *a, int n)
{
    return (uint32_t)strtoul(word_of(a, n), NULL, 0);
}

static void add_bits(struct vector *v, const struct ask *a)
{
    for (int i = 1; i < a->words; i++)
        for (const char *c = word_of(a, i); *c; c++, v->bits++)
            if (*c == '1')
                v->code[v->bits / 8] |= (uint8_t)(0x80 >> v->bits % 8);
}

/* Whether the words behind "=" say GOT; numbers as they are written. */
static bool is_expected(const struct ask *a, const char *got)
{
    int at = 1;
    char text[80] = "";

    while (at < a->words && strcmp(word_of(a, at), "="))
        at++;
    for (at++; at < a->words; at++) {
        char *end;
        unsigned long value = strtoul(word_of(a, at), &end, 0);
        char *to = text + strlen(text);
        const char *between = to > text ? " " : "";
        if (*end)
            snprintf(to, sizeof text - (size_t)(to - text), "%s%s", between, word_of(a, at));
        else
            snprintf(to, sizeof text - (size_t)(to - text), "%s%lu", between, value);
    }
    return !strcmp(text, got);
}

static const char *answer_in(struct vector *v, const struct ask *a, char *out, size_t size)
{
    uint32_t value = 0;
    uint8_t entry = 0;
    enum hc_region_answer got =
        hc_region_feed_in(&v->feed, &v->log, v->last, number(a, 1), (unsigned)number(a, 2), &value);

    if (got == HC_REGION_ENTERS && hc_region_feed_interrupt(&v->feed, &v->log, &entry) == HC_REGION_ANSWER)
        snprintf(out, size, "enters %u", entry);
    else
        snprintf(out, size, got == HC_REGION_ANSWER ? "%u" : "nothing", (unsigned)value);
    return out;
}

static const char *answer_load(struct vector *v, const struct ask *a, char *out, size_t size)
{
    uint32_t value = 0;
    bool got = hc_region_feed_load(&v->feed, &v->log, &v->map, v->last, number(a, 2), number(a, 1), &value) ==
               HC_REGION_ANSWER;

    snprintf(out, size, got ? "%u" : "nothing", (unsigned)value);
    return out;
}

static void step(struct vector *v, const struct ask *a)
{
    if (v->map.interrupts && hc_region_feed_step(&v->feed, &v->log) != HC_REGION_ANSWER)
        fail(v, a, "is no tick");
}

static const char *answer_call(struct vector *v, const struct ask *a, bool again, char *out, size_t size)
{
    uint8_t entry = 0;

    if (!again)
        step(v, a);
    enum hc_region_answer got = hc_region_feed_back(&v->feed, &v->log, again, &entry);
    if (got == HC_REGION_ENTERS)
        snprintf(out, size, "%u", entry);
    else
        snprintf(out, size, got == HC_REGION_ANSWER ? "back" : "nothing");
    return out;
}

static const char *answer_enter(struct vector *v, char *out, size_t size)
{
    uint8_t entry = 0;
    bool got = hc_region_feed_enter(&v->feed, &v->log, &entry) == HC_REGION_ANSWER;

    snprintf(out, size, got ? "%u" : "nothing", entry);
    return out;
}

/* It says so at once where nothing follows behind the check. */
static const char *answer_leave(struct vector *v, const struct ask *a)
{
    uint64_t checks = v->feed.checks;

    step(v, a);
    enum hc_region_answer got = hc_region_feed_leave(&v->feed, &v->log, &v->map, (uint8_t)number(a, 1), number(a, 2));
    return got == HC_REGION_ANSWER || (got == HC_REGION_OVER && v->feed.checks > checks) ? "ok" : "nothing";
}

static void go_out(struct vector *v, const struct ask *a)
{
    step(v, a);
    if (!strcmp(word_of(a, 0), "out"))
        hc_region_feed_out(&v->feed, number(a, 1), number(a, 2));
    else if (!strcmp(word_of(a, 0), "store"))
        hc_region_feed_store(&v->feed, &v->map, number(a, 1), number(a, 2), number(a, 3));
    else if (!strcmp(word_of(a, 0), "write"))
        hc_region_feed_write(&v->feed, &v->map, number(a, 1), number(a, 2), number(a, 3));
    else
        fail(v, a, "is not known");
}

static void check_over(struct vector *v, const struct ask *a)
{
    uint8_t entry;

    if (hc_region_feed_enter(&v->feed, &v->log, &entry) != HC_REGION_OVER)
        fail(v, a, "it is not");
}

static void ask(struct vector *v, const struct ask *a)
{
    const char *what = word_of(a, 0), *got = "";
    char text[80];

    if (!strcmp(what, "in"))
        got = answer_in(v, a, text, sizeof text);
    else if (!strcmp(what, "load"))
        got = answer_load(v, a, text, sizeof text);
    else if (!strcmp(what, "enter"))
        got = answer_enter(v, text, sizeof text);
    else if (!strcmp(what, "call") || !strcmp(what, "again"))
        got = answer_call(v, a, !strcmp(what, "again"), text, sizeof text);
    else if (!strcmp(what, "leave"))
        got = answer_leave(v, a);
    else if (!strcmp(what, "over"))
        check_over(v, a);
    else
        go_out(v, a);
    if (!is_expected(a, got))
        fail(v, a, got);
}

static bool is_header(struct vector *v, const struct ask *a)
{
    const char *what = word_of(a, 0);

    if (!strcmp(what, "width"))
        v->map.unit = number(a, 1);
    else if (!strcmp(what, "cache"))
        v->map.cache = number(a, 1);
    else if (!strcmp(what, "checks"))
        v->map.checks = number(a, 1);
    else if (!strcmp(what, "interrupts"))
        v->map.interrupts = number(a, 1);
    else if (!strcmp(what, "bits"))
        add_bits(v, a);
    else
        return false;
    return true;
}

static bool read_line(FILE *from, struct ask *a)
{
    do {
        if (!fgets(a->text, sizeof a->text, from))
            return false;
        a->text[strcspn(a->text, "#\n")] = '\0';
        a->words = 0;
        for (char *w = strtok(a->text, " "); w && a->words < WORDS_MAX; w = strtok(NULL, " "))
            a->word[a->words++] = (size_t)(w - a->text);
    } while (!a->words);
    return true;
}

static void check_vector(struct vector *v)
{
    v->log = (struct hc_region_log){ .code = v->code, .size = (v->bits + 7) / 8 };
    hc_region_feed_start(&v->feed, &v->log);
    for (size_t i = 0; i < v->asks; i++)
        ask(v, &v->ask[i]);
}

int main(int argc, char **argv)
{
    static struct vector v[VECTORS_MAX];
    FILE *from = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t count = 0;
    static struct ask a;

    while (from && read_line(from, &a)) {
        struct vector *last = count ? &v[count - 1] : NULL;
        if (!strcmp(word_of(&a, 0), "vector") && count < VECTORS_MAX)
            v[count].number = count, count++;
        else if (last && !is_header(last, &a) && last->asks < ASKS_MAX)
            last->ask[last->asks++] = a;
    }
    for (size_t i = 0; i < count; i++)
        check_vector(&v[i]);
    printf("%zu vectors\n", count);
    return count < 3;
}
