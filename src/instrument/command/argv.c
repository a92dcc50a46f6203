#include "argv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 32 }; /* response files within response files: one that names itself must end */

static bool make_room(struct hc_argv *words)
{
    if (words->failed || words->count + 1 < words->room)
        return !words->failed;
    size_t room = words->room ? words->room * 2 : 32;
    char **larger = realloc(words->word, room * sizeof *larger);
    if (!larger) {
        words->failed = true;
        return false;
    }
    words->word = larger;
    words->room = room;
    return true;
}

/* Takes WORD, which may be NULL where an allocation failed. */
static void add_owned(struct hc_argv *words, char *word)
{
    if (!word || !make_room(words)) {
        words->failed = true;
        free(word);
        return;
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

void hc_argv_add(struct hc_argv *words, const char *word)
{
    add_owned(words, strdup(word));
}

void hc_argv_addf(struct hc_argv *words, const char *format, ...)
{
    va_list arguments;
    char *word = NULL;

    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0)
        word = NULL;
    va_end(arguments);
    add_owned(words, word);
}

void hc_argv_add_all(struct hc_argv *words, char *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hc_argv_add(words, word[i]);
}

void hc_argv_free(struct hc_argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct hc_argv){ 0 };
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Copies one word to TO, which has room for all of TEXT; returns where it ends. */
static const char *take_word(const char *text, char *to)
{
    char quote = '\0';

    for (; *text && (quote || !is_space(*text)); text++) {
        if (*text == '\\' && text[1])
            *to++ = *++text;
        else if (quote ? *text == quote : *text == '\'' || *text == '"')
            quote = quote ? '\0' : *text;
        else
            *to++ = *text;
    }
    *to = '\0';
    return text;
}

void hc_argv_split(struct hc_argv *words, const char *text)
{
    char *word = malloc(strlen(text) + 1);

    if (!word) {
        words->failed = true;
        return;
    }
    for (;;) {
        while (is_space(*text))
            text++;
        if (!*text)
            break;
        text = take_word(text, word);
        hc_argv_add(words, word);
    }
    free(word);
}

char *hc_argv_file(const char *path, size_t *size)
{
    size_t length = 0, room = 1 << 16;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(room) : NULL;

    while (text) {
        length += fread(text + length, 1, room - length - 1, file);
        if (length < room - 1)
            break;
        char *larger = realloc(text, room *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (file && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    if (text) {
        text[length] = '\0';
        *size = length;
    }
    return text;
}

static void expand(struct hc_argv *words, char *const *argument, size_t count, int depth)
{
    for (size_t i = 0; i < count; i++) {
        size_t size;
        char *text = argument[i][0] == '@' && depth < DEPTH_MOST ? hc_argv_file(argument[i] + 1, &size) : NULL;
        if (!text) {
            hc_argv_add(words, argument[i]);
            continue;
        }
        struct hc_argv inner = { 0 };
        hc_argv_split(&inner, text);
        free(text);
        expand(words, inner.word, inner.count, depth + 1);
        words->failed |= inner.failed;
        hc_argv_free(&inner);
    }
}

void hc_argv_expand(struct hc_argv *words, char *const *argument, size_t count)
{
    expand(words, argument, count, 0);
}
