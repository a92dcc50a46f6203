/* The golden vectors: encoders write their bytes, and the reader reads them. argv[1]: vectors.txt. */
#include "../trace/recording.h"

#include "../../runtime/codec/sum.h"
#include "../../runtime/port/msp430/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 40, LINE_MAX_SIZE = 1200 };

static const char *path;

struct line {
    char text[LINE_MAX_SIZE];
    char *word[WORDS_MAX];
    int words;
};

struct vector {
    struct recording recording;
    char name[200];
    unsigned sites;
    size_t at; /* of the next page in the image */
    unsigned pages;
    int found;
};

static uint16_t hex(const char *word)
{
    return (uint16_t)strtoul(word, NULL, 16);
}

static uint16_t number(const char *word)
{
    return (uint16_t)strtoul(word, NULL, 10);
}

/* Bytes of the words from FIRST on. */
static size_t hex_bytes(const struct line *l, int first, uint8_t *out)
{
    size_t size = 0;
    for (int i = first; i < l->words; i++)
        for (const char *c = l->word[i]; *c; c += 2)
            out[size++] = (uint8_t)hex((char[]){ c[0], c[1], 0 });
    return size;
}

/* ---- sums ---- */

static void check_crc(const struct line *l)
{
    uint8_t bytes[LINE_MAX_SIZE];
    struct line data = *l;
    data.words = 2;
    data.word[1] = l->word[1];
    size_t size = hex_bytes(&data, 1, bytes);
    assert_int_equal(hc_page_crc(0xffff, bytes, (uint16_t)size), hex(l->word[2]));
}

static void check_hash(const struct line *l)
{
    uint16_t registers[12];
    for (int i = 0; i < 12; i++)
        registers[i] = hex(l->word[4 + i]);
    assert_int_equal(hc_position_hash(registers, hex(l->word[1]), hex(l->word[2]), hex(l->word[3])),
                     strtoul(l->word[16], NULL, 16));
}

static void check_sum(const struct line *l)
{
    struct hc_sum sum = { 0 };
    for (int i = 1; i < l->words - 1; i++)
        hc_sum_add(&sum, hex(l->word[i]));
    assert_int_equal(hc_sum_value(&sum), hex(l->word[l->words - 1]));
}

/* ---- recordings ---- */

static void begin(struct vector *v, const struct line *l)
{
    recording_start(&v->recording, 0);
    v->sites = v->pages = 0;
    v->name[0] = 0;
    v->found++;
    for (int i = 1; i < l->words; i++) {
        strcat(v->name, l->word[i]);
        strcat(v->name, " ");
    }
}

static void add_site(struct vector *v, const struct line *l)
{
    v->recording.sites[v->sites++] = (struct hc_site){ hex(l->word[1]), hex(l->word[2]) };
}

static void add_event(struct vector *v, const struct line *l, int first)
{
    char *const *word = l->word + first;
    struct recorded e = { .kind = HC_EVENT_INTERRUPT };
    if (!v->recording.events && !v->recording.size)
        recording_boot(&v->recording);
    if (!strcmp(word[0], "read")) {
        e.kind = HC_EVENT_READ;
        e.site = number(word[1]);
        e.value = number(word[2]);
        e.has_base = l->words - first > 3;
        e.base = e.has_base ? number(word[3]) : 0;
    } else if (!strcmp(word[0], "memory")) {
        e.kind = HC_EVENT_MEMORY;
        e.address = number(word[1]);
        e.size = (uint16_t)hex_bytes(l, first + 2, e.bytes);
    } else {
        bool asleep = !strcmp(word[0], "asleep");
        e.arrival.vector = (uint8_t)number(word[1]);
        e.arrival.flags = asleep ? HC_ARRIVAL_ASLEEP : 0;
        e.arrival.pc = asleep ? 0 : number(word[2]);
        e.arrival.count = asleep ? 0 : number(word[3]);
    }
    recording_add(&v->recording, &e);
}

/* All events were given: the encoder has its say, and then the reader. */
static void finish(struct vector *v)
{
    size_t answered;
    enum hc_feed_status status;
    struct hc_log_message message;
    recording_end(&v->recording);
    if (!recording_replay(&v->recording, v->recording.image, v->recording.size, &answered, &status, &message))
        fail_msg("%s: %s", v->name, message.text);
    if (answered != v->recording.events)
        fail_msg("%s: %zu of %zu events are read", v->name, answered, v->recording.events);
    v->at = HC_PAGE_SIZE; /* behind the boot page */
}

static void check_page(struct vector *v, const struct line *l)
{
    uint8_t expected[HC_PAGE_SIZE];
    size_t size = hex_bytes(l, 2, expected);
    if (!v->pages++)
        finish(v);
    const uint8_t *page = v->recording.image + v->at;
    if (v->at >= v->recording.size || page[1] != number(l->word[1]) || page[HC_PAGE_LENGTH] != size ||
        memcmp(page + HC_PAGE_HEADER, expected, size) != 0) {
        fprintf(stderr, "%s: page %u:", v->name, v->pages);
        for (size_t i = 0; v->at < v->recording.size && i < page[HC_PAGE_LENGTH]; i++)
            fprintf(stderr, " %02x", page[HC_PAGE_HEADER + i]);
        fail_msg("%s: page %u is another one", v->name, v->pages);
    }
    v->at += HC_PAGE_SIZE;
    assert_int_equal(v->at, v->recording.size); /* each of them has one page */
    recording_stop(&v->recording);
}

static void take(struct vector *v, struct line *l)
{
    const char *kind = l->word[0];
    if (!strcmp(kind, "crc"))
        check_crc(l);
    else if (!strcmp(kind, "hash"))
        check_hash(l);
    else if (!strcmp(kind, "sum"))
        check_sum(l);
    else if (!strcmp(kind, "vector"))
        begin(v, l);
    else if (!strcmp(kind, "sets"))
        v->recording.codec.sets = (uint8_t)number(l->word[1]);
    else if (!strcmp(kind, "site"))
        add_site(v, l);
    else if (!strcmp(kind, "page"))
        check_page(v, l);
    else if (!strcmp(kind, "repeat"))
        for (int i = number(l->word[1]); i; i--)
            add_event(v, l, 2);
    else
        add_event(v, l, 0);
}

static void test_vectors(void **unused)
{
    (void)unused;
    struct vector v = { 0 };
    struct line l;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(l.text, sizeof l.text, file)) {
        l.words = 0;
        for (char *word = strtok(l.text, " \n"); word && l.words < WORDS_MAX; word = strtok(NULL, " \n"))
            l.word[l.words++] = word;
        if (l.words && l.word[0][0] != '#')
            take(&v, &l);
    }
    fclose(file);
    assert_true(v.found > 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors) };
    if (argc != 2)
        return 2;
    path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
