/* `display`: expressions that are shown at each stop; and `source`: commands from a file. */
#include "session_state.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_DEEPEST = 8 };

/* ---- display ---- */

static void show(struct hc_debugger *s, const struct hc_display *d)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_debug_message why;
    struct hc_value v;

    hc_debugger_say(s, "%d: %s = ", d->number, d->text);
    if (hc_expression_evaluate(c, d->text, &v, &why))
        hc_format_value(s->out, c, &v, d->format);
    else
        hc_debugger_say(s, "<%s>", why.text);
    hc_debugger_say(s, "\n");
}

void hc_show_displays(struct hc_debugger *s)
{
    for (int i = 0; i < HC_DISPLAYS_MAX; i++)
        if (s->display[i].number)
            show(s, &s->display[i]);
}

bool hc_display(struct hc_debugger *s, char *arguments)
{
    char format;

    if (!hc_take_format(s, &arguments, &format))
        return false;
    if (!*arguments) {
        hc_show_displays(s);
        return true;
    }
    for (int i = 0; i < HC_DISPLAYS_MAX; i++) {
        struct hc_display *d = &s->display[i];
        struct hc_value v;
        if (d->number)
            continue;
        if (!hc_expression_evaluate(&hc_debugger_frame(s)->context, arguments, &v, &s->message))
            return false;
        *d = (struct hc_display){ .number = ++s->displays_made, .format = format };
        snprintf(d->text, sizeof d->text, "%s", arguments);
        show(s, d);
        return true;
    }
    return hc_debugger_fail(s, "there are %d of them already: undisplay one", HC_DISPLAYS_MAX);
}

bool hc_undisplay(struct hc_debugger *s, char *arguments)
{
    char *rest = arguments, *end;

    if (!*arguments)
        memset(s->display, 0, sizeof s->display);
    while (*rest) {
        long number = strtol(rest, &end, 10);
        struct hc_display *found = NULL;
        for (int i = 0; i < HC_DISPLAYS_MAX; i++)
            if (end > rest && number > 0 && s->display[i].number == number)
                found = &s->display[i];
        if (!found)
            return hc_debugger_fail(s, "no display '%s'; info display lists them", rest);
        found->number = 0;
        rest = end + strspn(end, " \t,");
    }
    return true;
}

/* ---- source ---- */

/* Returns false at the end, with a message if a command failed. */
static bool do_line(struct hc_debugger *s, const char *path, int number, const char *line)
{
    hc_debugger_say(s, "+ %s\n", line + strspn(line, " \t"));
    enum hc_debugger_end end = hc_debugger_command(s, line);

    if (end == HC_DEBUGGER_QUIT)
        s->quit_said = true;
    if (end == HC_DEBUGGER_FAILED)
        hc_debugger_fail(s, "%s:%d: stopped there", path, number);
    return end == HC_DEBUGGER_GOES_ON && !s->interrupted;
}

bool hc_source(struct hc_debugger *s, char *arguments)
{
    char *line = NULL, path[HC_TEXT_MAX];
    size_t room = 0;
    int number = 0;

    snprintf(path, sizeof path, "%s", arguments);
    if (!*path)
        return hc_debugger_fail(s, "no file given: source FILE");
    if (s->sourcing == SOURCES_DEEPEST)
        return hc_debugger_fail(s, "%s: files that read files, too deep", path);
    FILE *file = fopen(path, "r");
    if (!file)
        return hc_debugger_fail(s, "'%s': %s", path, strerror(errno));
    s->sourcing++;
    s->message.text[0] = '\0';
    bool goes_on = true;
    while (goes_on && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        if (line[strspn(line, " \t")] && line[strspn(line, " \t")] != '#')
            goes_on = do_line(s, path, number, line);
    }
    s->sourcing--;
    s->last[0] = '\0'; /* an empty line after it repeats nothing */
    bool unread = ferror(file);
    free(line);
    fclose(file);
    if (unread)
        return hc_debugger_fail(s, "'%s': cannot be read", path);
    return goes_on || s->quit_said || (s->interrupted && !s->message.text[0]);
}
