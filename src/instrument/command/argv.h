/* A list of words: the arguments of a command.
 *
 * Words are copied. When memory runs out the list remembers it in `failed` and takes nothing more: commands are built
 * without a check at each word and refused as a whole where they are run. */
#ifndef HC_INSTRUMENT_COMMAND_ARGV_H
#define HC_INSTRUMENT_COMMAND_ARGV_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed one is an empty list. */
struct hc_argv {
    char **word; /* ends with NULL, as exec wants it; itself NULL while the list is empty */
    size_t count, room;
    bool failed;
};

void hc_argv_add(struct hc_argv *words, const char *word);
void hc_argv_addf(struct hc_argv *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hc_argv_add_all(struct hc_argv *words, char *const *word, size_t count);
void hc_argv_free(struct hc_argv *words);

/* Splits TEXT as compilers split a response file: at white space; quotes of both kinds hold words together; a backslash
 * takes the next character as it is, within quotes too. */
void hc_argv_split(struct hc_argv *words, const char *text);

/* Adds ARGUMENTS, with every "@FILE" that can be read replaced by the words in it, and so on within. One that cannot be
 * read stays as it is, as compilers have it. */
void hc_argv_expand(struct hc_argv *words, char *const *argument, size_t count);

/* The whole file, ended by a zero that SIZE does not count; NULL if it cannot be read. The caller frees it. */
char *hc_argv_file(const char *path, size_t *size);

#endif
