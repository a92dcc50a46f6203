#include "scenario_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_sense_names[HC_SENSES] = { "light", "temperature", "humidity", "adc0", "adc1", "adc2",
                                                "adc3",  "adc4",        "adc5",     "adc6", "adc7" };

const struct hc_quantity_unit *hc_sense_units(enum hc_sense sense)
{
    static const struct hc_quantity_unit *const units[] = { hc_light_units, hc_temperature_units, hc_humidity_units };
    return sense < HC_SENSE_ADC0 ? units[sense] : hc_voltage_units;
}

int hc_line_refuse(struct line *l, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(l->message->text, sizeof l->message->text, "%.200s: line %d: ", l->scenario->name, l->number);

    va_start(arguments, format);
    vsnprintf(l->message->text + length, sizeof l->message->text - (size_t)length, format, arguments);
    va_end(arguments);
    return HC_REFUSED;
}

bool hc_line_keyword(struct line *l, const char *keyword)
{
    if (l->next == l->words || l->word[l->next].quoted || strcmp(l->word[l->next].text, keyword) != 0)
        return false;
    l->next++;
    return true;
}

char *hc_scenario_path(const struct hc_scenario *scenario, const char *name)
{
    const char *directory = *name == '/' ? "" : scenario->directory;
    size_t size = strlen(directory) + strlen(name) + 1;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s%s", directory, name);
    return path;
}

bool hc_scenario_room(void *list, int count, int *room, size_t size)
{
    void **items = list;

    if (count < *room)
        return true;
    int more = *room ? 2 * *room : 16;
    void *grown = realloc(*items, (size_t)more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts a word off TEXT in place and returns what follows, or NULL when a quote is not closed. */
static char *cut_word(struct line *l, char *text)
{
    struct word *w = &l->word[l->words++];

    w->quoted = *text == '"';
    w->text = text + w->quoted;
    if (w->quoted) {
        text = strchr(w->text, '"');
        if (!text)
            return NULL;
    } else {
        while (*text && !is_blank(*text))
            text++;
    }
    if (*text)
        *text++ = '\0';
    return text;
}

static int cut_line(struct line *l, char *text)
{
    l->words = l->next = 0;
    while (is_blank(*text))
        text++;
    while (*text && *text != '#') {
        if (l->words == WORDS_MAX)
            return hc_line_refuse(l, "has more than %d words", WORDS_MAX);
        text = cut_word(l, text);
        if (!text)
            return hc_line_refuse(l, "a quote is not closed");
        while (is_blank(*text))
            text++;
    }
    return 0;
}

static const struct directive *find_directive(const char *name)
{
    for (const struct directive *d = hc_scenario_directives; d->name; d++)
        if (!strcmp(d->name, name))
            return d;
    return NULL;
}

/* Letters to insert, delete, change or swap with a neighbour, to make B of A; at most MOST. */
static size_t distance(const char *a, const char *b, size_t most)
{
    while (*a && *a == *b)
        a++, b++;
    if (!*a || !*b)
        return strlen(a) + strlen(b);
    if (!most)
        return 1;
    size_t best = 1 + distance(a + 1, b + 1, most - 1);
    size_t deleted = 1 + distance(a + 1, b, most - 1), inserted = 1 + distance(a, b + 1, most - 1);
    if (deleted < best)
        best = deleted;
    if (inserted < best)
        best = inserted;
    if (a[0] == b[1] && a[1] == b[0]) {
        size_t swapped = 1 + distance(a + 2, b + 2, most - 1);
        best = swapped < best ? swapped : best;
    }
    return best;
}

static int refuse_directive(struct line *l, const char *name)
{
    enum { SIMILAR = 2 };
    const char *nearest = NULL;
    size_t least = SIMILAR + 1;
    for (const struct directive *d = hc_scenario_directives; d->name && strlen(name) > SIMILAR; d++) {
        size_t n = distance(name, d->name, SIMILAR);
        if (n < least) {
            least = n;
            nearest = d->name;
        }
    }
    if (nearest)
        return hc_line_refuse(l, "unknown directive '%.40s' (did you mean '%s'?)", name, nearest);
    return hc_line_refuse(l, "unknown directive '%.40s'; docs/scenario.md lists them", name);
}

/* Does what the line says if this is its pass. */
static int read_line(struct line *l, char *text, enum pass pass)
{
    int error = cut_line(l, text);

    if (error || !l->words)
        return error;
    const struct directive *d = find_directive(l->word[0].text);
    if (!d)
        return refuse_directive(l, l->word[0].text);
    if (d->pass != pass)
        return 0;
    l->next = 1;
    error = d->read(l);
    if (!error && l->next < l->words)
        return hc_line_refuse(l, "unexpected '%.40s'; usage: %s", peek_word(l), d->form);
    return error;
}

static int read_pass(struct line *l, const char *text, size_t size, enum pass pass)
{
    l->number = 0;
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        l->number++;
        if (memchr(text + at, '\0', length))
            return hc_line_refuse(l, "has a NUL character: is this a text file?");
        char *copy = strndup(text + at, length);
        if (!copy)
            return hc_no_memory(l->message);
        int error = read_line(l, copy, pass);
        free(copy);
        if (error)
            return error;
        at += length + 1;
    }
    return 0;
}

/* ---- the whole ---- */

bool hc_scenario_recognise(const void *bytes, size_t size)
{
    const char *text = bytes, *end = text + size;

    while (text < end && (is_blank(*text) || *text == '\n' || *text == '#')) {
        if (*text == '#')
            while (text < end && *text != '\n')
                text++;
        else
            text++;
    }
    size_t length = 0;
    while (text + length < end && isalpha((unsigned char)text[length]))
        length++;
    return length > 0 && (text + length == end || is_blank(text[length]) || text[length] == '\n');
}

static int by_time(const void *a, const void *b)
{
    const struct hc_scenario_event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->line != y->line ? x->line - y->line : x->node != y->node ? x->node - y->node : x->to - y->to;
}

static int by_ends(const struct hc_scenario_link *x, const struct hc_scenario_link *y)
{
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static int by_ends_and_line(const void *a, const void *b)
{
    const struct hc_scenario_link *x = a, *y = b;
    int ends = by_ends(x, y);

    return ends ? ends : x->line != y->line ? x->line - y->line : x->gain - y->gain;
}

static int link_by_ends(const void *a, const void *b)
{
    return by_ends(a, b);
}

/* Of several links from one node to another the last one holds. */
static void sort_links(struct hc_scenario *s)
{
    int kept = 0;

    if (s->links)
        qsort(s->link, (size_t)s->links, sizeof *s->link, by_ends_and_line);
    for (int i = 0; i < s->links; i++)
        if (i + 1 == s->links || by_ends(&s->link[i], &s->link[i + 1]) != 0)
            s->link[kept++] = s->link[i];
    s->links = kept;
}

/* A mended link is what the scenario's link lines say. */
static void resolve_mends(struct hc_scenario *s)
{
    for (int i = 0; i < s->events; i++) {
        struct hc_scenario_event *e = &s->event[i];
        if (e->what != HC_HAPPENS_LINK || e->gain != GAIN_AS_BEFORE)
            continue;
        struct hc_scenario_link ends = { .from = e->node, .to = e->to };
        const struct hc_scenario_link *link =
            s->links ? bsearch(&ends, s->link, (size_t)s->links, sizeof *s->link, link_by_ends) : NULL;
        e->gain = link ? link->gain : HC_GAIN_OF_MODEL;
    }
}

static bool begin(struct hc_scenario *s, const char *name, const struct hc_scenario_choices *choices)
{
    const char *slash = strrchr(name, '/');

    s->medium = hc_medium_indoors;
    s->duration = HC_NEVER;
    s->seed = choices && choices->has_seed ? choices->seed : 1;
    s->name = strdup(name);
    s->directory = strndup(name, slash ? (size_t)(slash + 1 - name) : 0);
    return s->name && s->directory;
}

int hc_scenario_parse(struct hc_scenario **out, const char *name, const char *text, size_t size,
                      const struct hc_scenario_choices *choices, struct hc_message *message)
{
    struct hc_scenario *s = calloc(1, sizeof *s);
    struct line l = { .scenario = s, .choices = choices, .message = message };
    int error = 0;

    *out = NULL;
    if (!s || !begin(s, name, choices))
        error = hc_no_memory(message);
    for (int pass = 0; pass < PASSES && !error; pass++)
        error = read_pass(&l, text, size, (enum pass)pass);
    if (!error && !s->nodes)
        error = hc_refuse(message, HC_REFUSED, "%s: has no nodes", name);
    if (error) {
        hc_scenario_free(s);
        return error;
    }
    s->medium.seed = s->seed;
    sort_links(s);
    resolve_mends(s);
    if (s->events)
        qsort(s->event, (size_t)s->events, sizeof *s->event, by_time);
    *out = s;
    return 0;
}

void hc_scenario_free(struct hc_scenario *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->images; i++)
        free(s->image[i]);
    for (int i = 0; i < s->nodes; i++)
        free(s->node[i].flash);
    for (int i = 0; i < s->inputs; i++) {
        free(s->input[i].input.points);
        free(s->input[i].file);
    }
    for (int i = 0; i < s->texts; i++)
        free(s->text[i].bytes);
    free(s->text);
    free(s->image);
    free(s->node);
    free(s->link);
    free(s->event);
    free(s->input);
    free(s->id_symbol);
    free(s->name);
    free(s->directory);
    free(s);
}

/* ---- files ---- */

static int read_open_file(FILE *file, const char *path, char **out, size_t *size, struct hc_message *message)
{
    char *text = NULL;
    size_t length = 0, room = 0;

    do {
        room = room ? 2 * room : 1 << 16;
        char *more = realloc(text, room + 1);
        if (!more) {
            free(text);
            return hc_no_memory(message);
        }
        text = more;
        length += fread(text + length, 1, room - length, file);
    } while (length == room && room < HC_SCENARIO_FILE_MAX);
    if (ferror(file) || length == room) {
        int cause = errno;
        free(text);
        return hc_refuse(message, HC_REFUSED, "%s: %s", path, length == room ? "is too large" : strerror(cause));
    }
    text[length] = '\0';
    *out = text;
    *size = length;
    return 0;
}

int hc_read_whole_file(const char *path, char **out, size_t *size, struct hc_message *message)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return hc_refuse(message, HC_REFUSED, "%s: %s", path, strerror(errno));
    int error = read_open_file(file, path, out, size, message);
    fclose(file);
    return error;
}

static int read_table(const struct hc_scenario *s, struct hc_scenario_input *input, struct hc_message *message)
{
    char *text = NULL;
    size_t size = 0;
    struct hc_message cause = { "" };
    int error = hc_read_whole_file(input->file, &text, &size, &cause);

    if (!error) {
        error = hc_input_read_csv(&input->input, input->file, text, size, input->column, hc_sense_units(input->sense),
                                  &cause);
        free(text);
    }
    return error ? hc_refuse(message, error, "%.120s: line %d: %.300s", s->name, input->line, cause.text) : 0;
}

int hc_scenario_read_files(struct hc_scenario *s, struct hc_message *message)
{
    int error = 0;

    for (int i = 0; i < s->inputs && !error; i++)
        if (s->input[i].file && !s->input[i].input.points)
            error = read_table(s, &s->input[i], message);
    return error;
}
