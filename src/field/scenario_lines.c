/* What each line of a scenario means. */
#include "scenario_internal.h"
#include "uart_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words that have a value ---- */

static int missing(struct line *l, const char *what)
{
    return hc_line_refuse(l, "%s is missing at the end", what);
}

/* The next word as a quantity from LEAST to MOST. */
static int take_quantity(struct line *l, const char *what, const struct hc_quantity_unit *units, int64_t least,
                         int64_t most, int64_t *out)
{
    char names[64];
    const char *word = peek_word(l);

    if (!word)
        return missing(l, what);
    if (!hc_quantity_parse(word, units, out))
        return hc_line_refuse(l, "%s '%.40s' is not a number%s%s", what, word, *units->name ? " in " : "",
                              hc_quantity_units(units, names, sizeof names));
    if (*out < least || *out > most)
        return hc_line_refuse(l, "%s %.40s is not between %g%s and %g%s", what, word,
                              (double)least / (double)units->scale, units->name, (double)most / (double)units->scale,
                              units->name);
    l->next++;
    return 0;
}

static int take_time(struct line *l, const char *what, hc_time *out)
{
    const char *word = peek_word(l);

    if (!word)
        return missing(l, what);
    if (*word == '-')
        return hc_line_refuse(l, "%s %.40s is negative: time counts from 0", what, word);
    if (!hc_quantity_time(word, out))
        return hc_line_refuse(l, "%s '%.40s' is not a time (30s, 1.5min, 20ms; at most 100 days)", what, word);
    l->next++;
    return 0;
}

static int take_count(struct line *l, const char *what, uint64_t most, uint64_t *out)
{
    const char *word = peek_word(l);

    if (!word)
        return missing(l, what);
    if (!hc_quantity_count(word, most, out))
        return hc_line_refuse(l, "%s '%.40s' is not a number from 0 to %llu", what, word, (unsigned long long)most);
    l->next++;
    return 0;
}

static int take_decibels(struct line *l, const char *what, int *out)
{
    const int64_t least = -20000, most = 10000;
    int64_t value = 0;
    int error = take_quantity(l, what, hc_decibel_units, least, most, &value);

    *out = (int)value;
    return error;
}

static int take_coordinate(struct line *l, const char *what, int32_t *out)
{
    const int64_t most = 100000000; /* 100 km */
    int64_t value = 0;
    int error = take_quantity(l, what, hc_length_units, -most, most, &value);

    *out = (int32_t)value;
    return error;
}

static int take_position(struct line *l, struct hc_position *out)
{
    int64_t z;
    int error = take_coordinate(l, "the x coordinate", &out->x);

    if (!error)
        error = take_coordinate(l, "the y coordinate", &out->y);
    out->z = 0;
    if (!error && peek_word(l) && hc_quantity_parse(peek_word(l), hc_length_units, &z))
        error = take_coordinate(l, "the z coordinate", &out->z);
    return error;
}

/* ---- sets of nodes ---- */

/* "7" or "3-7" at the beginning of *TEXT, which must end there or go on after a comma. */
static bool read_range(const char **text, unsigned *first, unsigned *last)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    unsigned long a = strtoul(*text, &end, 10), b = a;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        b = strtoul(end + 1, &end, 10);
    if (a > HC_NODE_ID_MAX || b > HC_NODE_ID_MAX || a > b || (*end && *end != ',') || (*end == ',' && !end[1]))
        return false;
    *first = (unsigned)a;
    *last = (unsigned)b;
    *text = *end ? end + 1 : end;
    return true;
}

/* Ids as the next word has them ("1", "2-5", "1,3,7-9"); the caller frees *IDS. The next word is used. */
static int take_ids(struct line *l, uint16_t **ids, int *count)
{
    const char *word = peek_word(l), *text = word;
    unsigned first, last;
    int n = 0;

    *ids = NULL;
    if (!word)
        return missing(l, "a node's id");
    do {
        if (!read_range(&text, &first, &last))
            return hc_line_refuse(l, "'%.40s': expected a node id or a list (1,3,7-9; 0 to %d)", word, HC_NODE_ID_MAX);
        n += (int)(last - first + 1);
        if (n > HC_SCENARIO_NODES_MAX)
            return hc_line_refuse(l, "'%.40s' are more than %d nodes", word, HC_SCENARIO_NODES_MAX);
    } while (*text);
    *ids = malloc((size_t)n * sizeof **ids);
    if (!*ids)
        return hc_no_memory(l->message);
    *count = 0;
    for (text = word; *text && read_range(&text, &first, &last);)
        for (unsigned id = first; id <= last; id++)
            (*ids)[(*count)++] = (uint16_t)id;
    l->next++;
    return 0;
}

/* Nodes that exist, as indices; also "all". */
static int take_nodes(struct line *l, uint16_t **nodes, int *count)
{
    const struct hc_scenario *s = l->scenario;

    if (hc_line_keyword(l, "all")) {
        *nodes = malloc((size_t)(s->nodes ? s->nodes : 1) * sizeof **nodes);
        if (!*nodes)
            return hc_no_memory(l->message);
        *count = s->nodes;
        for (int i = 0; i < s->nodes; i++)
            (*nodes)[i] = (uint16_t)i;
        return 0;
    }
    int error = take_ids(l, nodes, count);
    for (int i = 0; i < *count && !error; i++) {
        uint16_t id = (*nodes)[i];
        if (!l->index_of[id])
            error = hc_line_refuse(l, "no node %u", id);
        else
            (*nodes)[i] = (uint16_t)(l->index_of[id] - 1);
    }
    if (error) {
        free(*nodes);
        *nodes = NULL;
    }
    return error;
}

/* ---- settings ---- */

static int read_seed(struct line *l)
{
    uint64_t seed = 0;
    int error = take_count(l, "the seed", INT64_MAX, &seed);

    if (!error && !(l->choices && l->choices->has_seed))
        l->scenario->seed = seed;
    return error;
}

static int read_duration(struct line *l)
{
    return take_time(l, "the duration", &l->scenario->duration);
}

static int read_threads(struct line *l)
{
    const uint64_t most = 256;
    uint64_t threads = 0;
    int error = take_count(l, "the number of threads", most, &threads);

    if (!error && !threads)
        error = hc_line_refuse(l, "at least one thread is needed");
    l->scenario->threads = (int)threads;
    return error;
}

static int read_noise(struct line *l)
{
    return take_decibels(l, "the noise floor", &l->scenario->medium.noise_floor);
}

static int read_weakest(struct line *l)
{
    return take_decibels(l, "the weakest signal", &l->scenario->medium.weakest);
}

static int read_exponent(struct line *l)
{
    const int64_t most = 1000;
    int64_t value = 0;
    int error = take_quantity(l, "the exponent", hc_plain_units, 0, most, &value);

    l->scenario->medium.exponent = (int)value;
    return error;
}

/* Without a model everything is lost: only links count. */
enum { LOSS_OF_EVERYTHING = 100000 };

static int read_path_loss(struct line *l)
{
    struct hc_medium_config *medium = &l->scenario->medium;

    if (hc_line_keyword(l, "none")) {
        medium->loss_at_1m = LOSS_OF_EVERYTHING;
        return 0;
    }
    int error = take_decibels(l, "the loss at 1 m", &medium->loss_at_1m);
    while (!error && l->next < l->words) {
        if (hc_line_keyword(l, "exponent"))
            error = read_exponent(l);
        else if (hc_line_keyword(l, "shadowing"))
            error = take_decibels(l, "the shadowing", &medium->shadowing);
        else
            break;
    }
    if (!error && medium->loss_at_1m < 0)
        error = hc_line_refuse(l, "a loss cannot be negative");
    return error;
}

static int read_id_symbol(struct line *l)
{
    if (!peek_word(l))
        return missing(l, "the symbol's name");
    free(l->scenario->id_symbol);
    l->scenario->id_symbol = strdup(l->word[l->next++].text);
    return l->scenario->id_symbol ? 0 : hc_no_memory(l->message);
}

/* ---- nodes ---- */

struct crowd {
    uint16_t *ids;
    int count;
    const char *image, *topology, *flash;
    bool placed;
    struct hc_position position;
    hc_time start, spread;
    bool has_serial;
    uint64_t serial;
};

static int take_serial(struct line *l, struct crowd *c)
{
    const char *word = peek_word(l);
    char *end;

    if (!word)
        return missing(l, "the serial number");
    c->serial = strtoull(word, &end, 16);
    if (*end || end == word || *word == '-' || c->serial >> 48)
        return hc_line_refuse(l, "serial '%.40s' is not a number of 12 hexadecimal digits", word);
    if (c->count > 1)
        return hc_line_refuse(l, "several nodes cannot have one serial number");
    c->has_serial = true;
    l->next++;
    return 0;
}

static int take_flash(struct line *l, struct crowd *c)
{
    c->flash = peek_word(l);
    l->next++;
    return c->flash ? 0 : missing(l, "the flash chip's file");
}

static int take_place(struct line *l, struct crowd *c)
{
    if (c->count > 1)
        return hc_line_refuse(l, "several nodes cannot stand at one place");
    c->placed = true;
    return take_position(l, &c->position);
}

static int take_name(struct line *l, struct crowd *c)
{
    const struct word *w = &l->word[l->next];
    const char **slot = !w->quoted && hc_topology_recognise(w->text) ? &c->topology : &c->image;

    if (*slot)
        return hc_line_refuse(l, "unexpected '%.80s' after '%.80s'", w->text, *slot);
    *slot = w->text;
    l->next++;
    return 0;
}

static int take_attributes(struct line *l, struct crowd *c)
{
    int error = take_ids(l, &c->ids, &c->count);

    while (!error && l->next < l->words) {
        if (hc_line_keyword(l, "at"))
            error = take_place(l, c);
        else if (hc_line_keyword(l, "start"))
            error = take_time(l, "the start", &c->start);
        else if (hc_line_keyword(l, "spread"))
            error = take_time(l, "the spread", &c->spread);
        else if (hc_line_keyword(l, "serial"))
            error = take_serial(l, c);
        else if (hc_line_keyword(l, "flash"))
            error = take_flash(l, c);
        else
            error = take_name(l, c);
    }
    if (!error && c->placed && c->topology)
        error = hc_line_refuse(l, "either a topology or 'at', not both");
    return error;
}

/* The index of an image's path; a negative hc_refusal otherwise. */
static int add_image(struct line *l, char *path)
{
    struct hc_scenario *s = l->scenario;

    if (!path)
        return hc_no_memory(l->message);
    for (int i = 0; i < s->images; i++)
        if (!strcmp(s->image[i], path)) {
            free(path);
            return i;
        }
    char **more = realloc(s->image, (size_t)(s->images + 1) * sizeof *more);
    if (!more) {
        free(path);
        return hc_no_memory(l->message);
    }
    s->image = more;
    s->image[s->images] = path;
    return s->images++;
}

/* The image of the node that comes next. */
static int image_of(struct line *l, const struct crowd *c)
{
    const struct hc_scenario_choices *choices = l->choices;

    if (c->image)
        return add_image(l, hc_scenario_path(l->scenario, c->image));
    if (!choices || !choices->images)
        return hc_line_refuse(l, "node %u has no image: give one in the line, or on the command line", c->ids[0]);
    int n = l->scenario->nodes < choices->images ? l->scenario->nodes : choices->images - 1;
    return add_image(l, strdup(choices->image[n]));
}

static uint64_t mix(uint64_t seed, uint64_t id)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15 + id;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* "log-{id}.bin" is each node's own. */
static char *flash_path(const struct hc_scenario *s, const char *name, unsigned id)
{
    char full[4096];
    const char *mark = strstr(name, "{id}");

    if (!mark)
        return hc_scenario_path(s, name);
    snprintf(full, sizeof full, "%.*s%u%s", (int)(mark - name), name, id, mark + 4);
    return hc_scenario_path(s, full);
}

static int add_node(struct line *l, const struct crowd *c, int number, const struct hc_position *position)
{
    struct hc_scenario *s = l->scenario;
    uint16_t id = c->ids[number];
    struct hc_scenario_node node = {
        .id = id, .line = l->number, .names_image = c->image, .serial = c->serial, .has_serial = c->has_serial
    };

    if (l->index_of[id])
        return hc_line_refuse(l, "node %u is already defined in line %d", id, s->node[l->index_of[id] - 1].line);
    node.image = image_of(l, c);
    if (node.image < 0)
        return node.image;
    if (position) {
        node.placed = true;
        node.position = *position;
    }
    node.start = c->start + (c->spread ? mix(s->seed, id) % c->spread : 0);
    for (int i = 0; i < HC_SENSES; i++)
        node.sense[i] = -1;
    if (c->flash && !(node.flash = flash_path(s, c->flash, id)))
        return hc_no_memory(l->message);
    s->node[s->nodes++] = node;
    l->index_of[id] = (uint16_t)s->nodes;
    return 0;
}

static int add_crowd(struct line *l, const struct crowd *c)
{
    struct hc_scenario *s = l->scenario;
    struct hc_message cause = { "" };
    struct hc_position *positions = NULL;

    if (s->nodes + c->count > HC_SCENARIO_NODES_MAX)
        return hc_line_refuse(l, "there are more than %d nodes", HC_SCENARIO_NODES_MAX);
    struct hc_scenario_node *more = realloc(s->node, (size_t)(s->nodes + c->count) * sizeof *more);
    if (!more)
        return hc_no_memory(l->message);
    s->node = more;
    if (c->topology) {
        positions = calloc((size_t)c->count, sizeof *positions);
        if (!positions)
            return hc_no_memory(l->message);
        if (hc_topology_place(c->topology, s->seed, c->count, positions, &cause)) {
            free(positions);
            return hc_line_refuse(l, "%s", cause.text);
        }
    }
    int error = 0;
    for (int i = 0; i < c->count && !error; i++)
        error = add_node(l, c, i, positions ? &positions[i] : c->placed ? &c->position : NULL);
    free(positions);
    return error;
}

static int read_node(struct line *l)
{
    struct crowd c = { 0 };
    int error = take_attributes(l, &c);

    if (!error)
        error = add_crowd(l, &c);
    free(c.ids);
    return error;
}

/* ---- links ---- */

/* Two ends: "A B" (both ways) or "A > B". */
struct ends {
    uint16_t *from, *to;
    int froms, tos;
    bool one_way;
};

static void free_ends(struct ends *e)
{
    free(e->from);
    free(e->to);
}

static int take_ends(struct line *l, struct ends *e)
{
    int error = take_nodes(l, &e->from, &e->froms);

    if (error)
        return error;
    e->one_way = hc_line_keyword(l, ">");
    error = take_nodes(l, &e->to, &e->tos);
    if (!error && e->froms == 1 && e->tos == 1 && e->from[0] == e->to[0])
        error = hc_line_refuse(l, "a node has no link to itself");
    return error;
}

typedef int pair_fn(struct line *l, void *owner, int from, int to, bool back);

/* Calls for each pair of different nodes, and for its reverse where the ends go both ways. */
static int for_pairs(struct line *l, const struct ends *e, pair_fn *call, void *owner)
{
    int error = 0;

    for (int i = 0; i < e->froms; i++)
        for (int k = 0; k < e->tos && !error; k++) {
            if (e->from[i] == e->to[k])
                continue;
            error = call(l, owner, e->from[i], e->to[k], false);
            if (!error && !e->one_way)
                error = call(l, owner, e->to[k], e->from[i], true);
        }
    return error;
}

struct gains {
    int gain[2]; /* there and back */
};

static int take_gains(struct line *l, const struct ends *e, struct gains *out)
{
    int64_t value;
    int error = take_decibels(l, "the gain", &out->gain[0]);

    out->gain[1] = out->gain[0];
    if (!error && !e->one_way && peek_word(l) && hc_quantity_parse(peek_word(l), hc_decibel_units, &value))
        error = take_decibels(l, "the gain back", &out->gain[1]);
    return error;
}

static int add_link(struct line *l, void *owner, int from, int to, bool back)
{
    struct hc_scenario *s = l->scenario;
    const struct gains *gains = owner;

    if (s->links == HC_SCENARIO_LINKS_MAX)
        return hc_line_refuse(l, "there are more than %d links", HC_SCENARIO_LINKS_MAX);
    if (!hc_scenario_room(&s->link, s->links, &s->links_room, sizeof *s->link))
        return hc_no_memory(l->message);
    s->link[s->links++] = (struct hc_scenario_link){ from, to, gains->gain[back], l->number };
    return 0;
}

static int read_link(struct line *l)
{
    struct ends ends = { 0 };
    struct gains gains;
    int error = take_ends(l, &ends);

    if (!error)
        error = take_gains(l, &ends, &gains);
    if (!error)
        error = for_pairs(l, &ends, add_link, &gains);
    free_ends(&ends);
    return error;
}

/* ---- events ---- */

static int add_event(struct line *l, const struct hc_scenario_event *event)
{
    struct hc_scenario *s = l->scenario;

    if (s->events == HC_SCENARIO_EVENTS_MAX)
        return hc_line_refuse(l, "there are more than %d events", HC_SCENARIO_EVENTS_MAX);
    if (!hc_scenario_room(&s->event, s->events, &s->events_room, sizeof *s->event))
        return hc_no_memory(l->message);
    s->event[s->events] = *event;
    s->event[s->events++].line = l->number;
    return 0;
}

struct link_event {
    struct hc_scenario_event event;
    struct gains gains;
};

static int add_link_event(struct line *l, void *owner, int from, int to, bool back)
{
    struct link_event *e = owner;

    e->event.node = from;
    e->event.to = to;
    e->event.gain = e->gains.gain[back];
    return add_event(l, &e->event);
}

/* GAIN for both directions, or NULL: the line says it. */
static int read_link_event(struct line *l, const struct hc_scenario_event *event, const int *gain)
{
    struct ends ends = { 0 };
    struct link_event e = { .event = *event };
    int error = take_ends(l, &ends);

    e.event.what = HC_HAPPENS_LINK;
    if (!error && gain)
        e.gains.gain[0] = e.gains.gain[1] = *gain;
    else if (!error)
        error = take_gains(l, &ends, &e.gains);
    if (!error)
        error = for_pairs(l, &ends, add_link_event, &e);
    free_ends(&ends);
    return error;
}

static int read_move(struct line *l, struct hc_scenario_event *event)
{
    uint16_t *nodes = NULL;
    int count = 0;
    int error = take_nodes(l, &nodes, &count);

    if (!error && count != 1)
        error = hc_line_refuse(l, "only one node at a time can move");
    if (!error)
        error = take_position(l, &event->position);
    if (!error) {
        event->node = nodes[0];
        error = add_event(l, event);
    }
    free(nodes);
    return error;
}

/* What happens to nodes that are on. */
static int add_node_events(struct line *l, struct hc_scenario_event *event, const uint16_t *nodes, int count)
{
    int error = 0;

    for (int i = 0; i < count && !error; i++) {
        const struct hc_scenario_node *node = &l->scenario->node[nodes[i]];
        event->node = nodes[i];
        if (event->what != HC_HAPPENS_ON && event->at < node->start)
            error =
                hc_line_refuse(l, "node %u starts only at %g s, after this event", node->id, hc_seconds(node->start));
        else
            error = add_event(l, event);
    }
    return error;
}

static int read_node_event(struct line *l, struct hc_scenario_event *event)
{
    uint16_t *nodes = NULL;
    int count = 0;
    int error = take_nodes(l, &nodes, &count);

    event->length = hc_ms(100);
    if (!error && (event->what == HC_HAPPENS_PRESS || event->what == HC_HAPPENS_RESET) && hc_line_keyword(l, "for"))
        error = take_time(l, "how long the button is pressed", &event->length);
    if (!error)
        error = add_node_events(l, event, nodes, count);
    free(nodes);
    return error;
}

/* The next word, in quotes, as bytes. */
static int take_text(struct line *l, int *out)
{
    struct hc_scenario *s = l->scenario;
    uint8_t bytes[HC_UART_TEXT_MOST];
    struct hc_message message;

    if (!peek_word(l) || !l->word[l->next].quoted)
        return hc_line_refuse(l, "expected the text in quotes: at 5s uart 3 \"hello\\n\"");
    int size = hc_uart_text(peek_word(l), bytes, &message);
    if (size < 0)
        return hc_line_refuse(l, "%s", message.text);
    if (!size)
        return hc_line_refuse(l, "the text is empty");
    uint8_t *copy = malloc((size_t)size);
    if (!copy || !hc_scenario_room(&s->text, s->texts, &s->texts_room, sizeof *s->text)) {
        free(copy);
        return hc_no_memory(l->message);
    }
    memcpy(copy, bytes, (size_t)size);
    s->text[s->texts] = (struct hc_scenario_text){ copy, (size_t)size };
    *out = s->texts++;
    l->next++;
    /* cppcheck-suppress memleak ; the scenario has it */
    return 0;
}

static int read_uart(struct line *l, struct hc_scenario_event *event)
{
    uint16_t *nodes = NULL;
    int count = 0;
    int error = take_nodes(l, &nodes, &count);

    event->what = HC_HAPPENS_UART;
    if (!error)
        error = take_text(l, &event->text);
    if (!error)
        error = add_node_events(l, event, nodes, count);
    free(nodes);
    return error;
}

static int read_event(struct line *l)
{
    static const struct {
        const char *name;
        enum hc_happening what;
    } happenings[] = {
        { "reboot", HC_HAPPENS_REBOOT }, { "off", HC_HAPPENS_OFF },     { "on", HC_HAPPENS_ON },
        { "press", HC_HAPPENS_PRESS },   { "reset", HC_HAPPENS_RESET },
    };
    static const int cut = HC_NOT_HEARD, mended = GAIN_AS_BEFORE;
    struct hc_scenario_event event = { 0 };
    int error = take_time(l, "the event's time", &event.at);

    if (error)
        return error;
    if (hc_line_keyword(l, "cut"))
        return read_link_event(l, &event, &cut);
    if (hc_line_keyword(l, "mend"))
        return read_link_event(l, &event, &mended);
    if (hc_line_keyword(l, "link"))
        return read_link_event(l, &event, NULL);
    event.what = HC_HAPPENS_MOVE;
    if (hc_line_keyword(l, "move"))
        return read_move(l, &event);
    if (hc_line_keyword(l, "uart"))
        return read_uart(l, &event);
    for (size_t i = 0; i < sizeof happenings / sizeof *happenings; i++) {
        event.what = happenings[i].what;
        if (hc_line_keyword(l, happenings[i].name))
            return read_node_event(l, &event);
    }
    return hc_line_refuse(l, "expected cut, mend, link, move, reboot, off, on, press, reset or uart");
}

/* ---- sensors ---- */

static int take_value(struct line *l, const char *what, enum hc_sense sense, int64_t *out)
{
    const int64_t most = (int64_t)1 << 40;
    return take_quantity(l, what, hc_sense_units(sense), -most, most, out);
}

static int take_frequency(struct line *l, hc_time *period)
{
    static const struct hc_quantity_unit units[] = { { "Hz", 1000 }, { "kHz", 1000000 }, { NULL, 0 } };
    const int64_t most = 1000000000; /* 1 MHz */
    int64_t millihertz = 1;
    int error = take_quantity(l, "the frequency", units, 1, most, &millihertz);

    if (!error)
        *period = HC_SECOND * 1000 / (uint64_t)millihertz;
    return error;
}

static int take_sine(struct line *l, struct hc_scenario_input *in)
{
    int error = take_value(l, "the mean", in->sense, &in->input.value);

    in->input.shape = HC_INPUT_SINE;
    while (!error && l->next < l->words) {
        if (hc_line_keyword(l, "amplitude"))
            error = take_value(l, "the amplitude", in->sense, &in->input.amplitude);
        else if (hc_line_keyword(l, "period"))
            error = take_time(l, "the period", &in->input.period);
        else if (hc_line_keyword(l, "frequency"))
            error = take_frequency(l, &in->input.period);
        else if (hc_line_keyword(l, "phase"))
            error = take_time(l, "the phase", &in->input.phase);
        else
            break;
    }
    if (!error && !in->input.period)
        error = hc_line_refuse(l, "a sine needs a period that is not 0, or a frequency");
    return error;
}

static int take_table(struct line *l, struct hc_scenario_input *in)
{
    uint64_t column = 2;
    int error = 0;

    if (!peek_word(l))
        return missing(l, "the table's file");
    in->file = hc_scenario_path(l->scenario, l->word[l->next++].text);
    if (!in->file)
        return hc_no_memory(l->message);
    in->input.shape = HC_INPUT_TABLE;
    while (!error && l->next < l->words) {
        if (hc_line_keyword(l, "column"))
            error = take_count(l, "the column", 1000, &column);
        else if (hc_line_keyword(l, "steps"))
            in->input.shape = HC_INPUT_STEPS;
        else
            break;
    }
    if (!error && column < 2)
        error = hc_line_refuse(l, "column 1 has the times; values begin in column 2");
    in->column = (int)column;
    return error;
}

static int take_input(struct line *l, struct hc_scenario_input *in)
{
    for (int i = 0; i < HC_SENSES; i++) {
        in->sense = (enum hc_sense)i;
        if (hc_line_keyword(l, hc_sense_names[i]))
            break;
        if (i == HC_SENSES - 1)
            return hc_line_refuse(l, "expected light, temperature, humidity, or adc0 to adc7");
    }
    if (hc_line_keyword(l, "constant"))
        return take_value(l, "the value", in->sense, &in->input.value);
    if (hc_line_keyword(l, "sine"))
        return take_sine(l, in);
    if (hc_line_keyword(l, "table"))
        return take_table(l, in);
    return hc_line_refuse(l, "expected constant VALUE, sine MEAN ..., or table FILE");
}

static int connect_input(struct line *l, const uint16_t *nodes, int count, enum hc_sense sense)
{
    struct hc_scenario *s = l->scenario;

    for (int i = 0; i < count; i++) {
        int *slot = &s->node[nodes[i]].sense[sense];
        if (*slot >= 0 && *slot != s->inputs - 1)
            return hc_line_refuse(l, "%s of node %u is already given in line %d", hc_sense_names[sense],
                                  s->node[nodes[i]].id, s->input[*slot].line);
        *slot = s->inputs - 1;
    }
    return 0;
}

static int read_sensor(struct line *l)
{
    struct hc_scenario *s = l->scenario;
    struct hc_scenario_input in = { .line = l->number };
    uint16_t *nodes = NULL;
    int count = 0;
    int error = take_nodes(l, &nodes, &count);

    if (!error)
        error = take_input(l, &in);
    if (!error && !hc_scenario_room(&s->input, s->inputs, &s->inputs_room, sizeof *s->input))
        error = hc_no_memory(l->message);
    if (error) {
        free(in.file);
    } else {
        s->input[s->inputs++] = in;
        error = connect_input(l, nodes, count, in.sense);
    }
    free(nodes);
    return error;
}

/* ---- the table ---- */

const struct directive hc_scenario_directives[] = {
    { "seed", "seed NUMBER", SETTINGS, read_seed },
    { "duration", "duration TIME", SETTINGS, read_duration },
    { "threads", "threads NUMBER", SETTINGS, read_threads },
    { "noise", "noise DBM", SETTINGS, read_noise },
    { "weakest", "weakest DBM", SETTINGS, read_weakest },
    { "pathloss", "pathloss none | DB [exponent NUMBER] [shadowing DB]", SETTINGS, read_path_loss },
    { "id-symbol", "id-symbol NAME", SETTINGS, read_id_symbol },
    { "node", "node IDS [IMAGE] [TOPOLOGY | at X Y [Z]] [start TIME] [spread TIME] [serial HEX] [flash FILE]", NODES,
      read_node },
    { "link", "link IDS [>] IDS DB [DB]", REFERENCES, read_link },
    { "at", "at TIME cut|mend|link|move|reboot|off|on|press|reset|uart ...", REFERENCES, read_event },
    { "sensor", "sensor IDS SENSE constant VALUE | sine MEAN amplitude VALUE period TIME | table FILE", REFERENCES,
      read_sensor },
    { NULL, NULL, SETTINGS, NULL },
};
