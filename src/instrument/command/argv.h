/* A list of words: the arguments of a command.
 *
 * Words are copied. On out-of-memory the list sets `failed` and ignores further words, so that commands can be built
 * without a check for each word; running a failed one is refused. */
#ifndef HC_INSTRUMENT_COMMAND_ARGV_H
#define HC_INSTRUMENT_COMMAND_ARGV_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise with zeros. */
struct hc_argv {
    char **word; /* ends with NULL, as exec requires; NULL itself while the list is empty */
    size_t count, room;
    bool failed;
};

void hc_argv_add(struct hc_argv *words, const char *word);
void hc_argv_addf(struct hc_argv *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hc_argv_add_all(struct hc_argv *words, char *const *word, size_t count);
void hc_argv_free(struct hc_argv *words);

/* Splits TEXT as compilers split a response file: at white space; both kinds of quotes group words; a backslash escapes
 * the next character, also within quotes. */
void hc_argv_split(struct hc_argv *words, const char *text);

/* Adds ARGUMENTS, with every "@FILE" that can be read replaced by its words, recursively. One that cannot be read is
 * kept, as compilers do. */
void hc_argv_expand(struct hc_argv *words, char *const *argument, size_t count);

/* The whole file, terminated by a zero that SIZE does not count; NULL if it cannot be read. The caller frees it. */
char *hc_argv_file(const char *path, size_t *size);

#endif
