#define _DEFAULT_SOURCE /* strsep */
#include "outputs.h"

#include <stdio.h>
#include <string.h>

/* The next word of the line, or NULL. */
static char *next_word(char **line)
{
    char *word;

    do
        word = strsep(line, " \t\r");
    while (word && !*word);
    return word;
}

static bool set_model(struct hc_output *output, const char *word)
{
    static const char *const names[] = { [HC_OUTPUT_SET] = "set", [HC_OUTPUT_ADD] = "add", [HC_OUTPUT_LOG] = "log" };

    for (size_t i = 0; word && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(word, names[i])) {
            output->model = (enum hc_output_model)i;
            return true;
        }
    return false;
}

/* NULL, or what is wrong. */
static const char *parse_line(struct hc_output *output, char *line)
{
    *output = (struct hc_output){ .name = next_word(&line) };
    output->quantity = next_word(&line);
    if (!output->quantity)
        return "no quantity";
    if (!set_model(output, next_word(&line)))
        return "unknown model; expected set, add or log";
    for (const char *word; (word = next_word(&line));) {
        if (!strcmp(word, "absolute"))
            output->expected = HC_OUTPUT_ABSOLUTE;
        else if (!strcmp(word, "relative"))
            output->expected = HC_OUTPUT_RELATIVE;
        else if (!strcmp(word, "lost"))
            output->lost = true;
        else
            return "unknown word after the model; expected absolute, relative or lost";
    }
    return NULL;
}

int hc_outputs_parse(struct hc_output *output, size_t max, char *text, char *message, size_t message_size)
{
    size_t count = 0;

    for (int number = 1; text; number++) {
        char *line = strsep(&text, "\n");
        const char *wrong = NULL;
        line[strcspn(line, "#")] = 0;
        if (!line[strspn(line, " \t\r")])
            continue;
        if (count == max)
            wrong = "too many outputs";
        else
            wrong = parse_line(&output[count++], line);
        if (wrong) {
            snprintf(message, message_size, "line %d: %s", number, wrong);
            return -1;
        }
    }
    return (int)count;
}
