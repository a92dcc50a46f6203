/* What the two halves of the scenario's parser share: scenario.c splits lines into words and keeps the lists,
 * scenario_lines.c implements each kind of line. */
#ifndef HC_FIELD_SCENARIO_INTERNAL_H
#define HC_FIELD_SCENARIO_INTERNAL_H

#include "scenario.h"

enum { WORDS_MAX = 64 };

/* In an event, until all links have been read. */
enum { GAIN_AS_BEFORE = HC_GAIN_OF_MODEL + 1 };

struct word {
    char *text;
    bool quoted; /* never a keyword */
};

/* A line under way. */
struct line {
    struct hc_scenario *scenario;
    const struct hc_scenario_choices *choices;
    struct hc_message *message;
    int number;
    int words, next; /* NEXT: the first that is not yet used */
    struct word word[WORDS_MAX];
    uint16_t index_of[HC_NODE_ID_MAX + 1]; /* by id: of the node, plus 1 */
};

/* Settings are processed before nodes, and nodes before everything that refers to them, regardless of their order in
 * the file. */
enum pass { SETTINGS, NODES, REFERENCES, PASSES };

struct directive {
    const char *name;
    const char *form;
    enum pass pass;
    int (*read)(struct line *l);
};

/* Ends with a NULL name. */
extern const struct directive hc_scenario_directives[];

/* "NAME: line N: ..." */
int hc_line_refuse(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next word, or NULL. */
static inline const char *peek_word(const struct line *l)
{
    return l->next < l->words ? l->word[l->next].text : NULL;
}

/* Takes the next word if it is this keyword. */
bool hc_line_keyword(struct line *l, const char *keyword);

/* The path of a file that the scenario names, relative to its directory. NULL on out-of-memory. */
char *hc_scenario_path(const struct hc_scenario *scenario, const char *name);

/* Makes room for one more element in *LIST; returns false on out-of-memory. */
bool hc_scenario_room(void *list, int count, int *room, size_t size);

#endif
