/* `list`: lines of any source, of the program or not. */
#include "image/place.h"
#include "session_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_AT_ONCE = 10, LINES_MOST = 100000 };

/* The file that the user names: one of the program's, or else a path. */
static bool choose_file(struct hc_debugger *s, const char *name)
{
    const char *path = hc_program_source(s->program, name);

    if (!path && !hc_source_text(&s->sources, name, 1))
        return hc_debugger_fail(s, "'%s': no source file of the program, and none that can be read", name);
    if (!path) {
        snprintf(s->list_path, sizeof s->list_path, "%s", name);
        path = s->list_path;
    }
    s->list_file = path;
    return true;
}

static bool choose_current_file(struct hc_debugger *s)
{
    const struct hc_frame *f = hc_debugger_frame(s);

    if (s->list_file)
        return true;
    if (!f->file)
        return hc_debugger_fail(s, "no source line here (0x%04x)", (unsigned)f->pc);
    s->list_file = f->file;
    s->list_first = s->list_line = f->line - LINES_AT_ONCE / 2;
    return true;
}

/* A function, or an address; else the name of a file, from its beginning on. */
static bool choose_name(struct hc_debugger *s, const char *name)
{
    uint32_t address;
    struct hc_line line;

    if (hc_place_addresses(s->program, name, NULL, &address, 1, &s->message)) {
        if (!hc_image_line_at(s->image, address, &line))
            return hc_debugger_fail(s, "no source line for 0x%04x", (unsigned)address);
        s->list_file = line.file;
        s->list_line = line.line - LINES_AT_ONCE / 2;
        return true;
    }
    struct hc_debug_message why = s->message;
    s->list_line = 1;
    if (!strpbrk(name, "./")) {
        s->message = why;
        return false;
    }
    return choose_file(s, name);
}

/* Sets where to begin; LAST is 0 where the user names none. */
static bool choose(struct hc_debugger *s, char *arguments, int *last)
{
    char *comma = strchr(arguments, ','), *end;
    struct hc_place_text place;

    *last = 0;
    if (comma) {
        long number = strtol(comma + 1, &end, 10);
        if (end == comma + 1 || *end || number < 1 || number > INT32_MAX / 2)
            return hc_debugger_fail(s, "'%s': expected the number of the last line: list FIRST,LAST", comma + 1);
        *last = (int)number;
        *comma = '\0';
    }
    hc_place_read(&place, arguments);
    if (place.kind != HC_PLACE_IS_LINE)
        return choose_name(s, arguments);
    if (place.file[0] ? !choose_file(s, place.file) : !choose_current_file(s))
        return false;
    s->list_line = comma ? place.line : place.line - LINES_AT_ONCE / 2;
    if (*last && *last < place.line)
        return hc_debugger_fail(s, "the last line comes before the first");
    return true;
}

static void show(struct hc_debugger *s, int last)
{
    const struct hc_frame *f = hc_debugger_frame(s);

    for (; s->list_line <= last; s->list_line++) {
        const char *text = hc_source_text(&s->sources, s->list_file, s->list_line);
        bool here = f->file && s->list_line == f->line && !strcmp(f->file, s->list_file);
        if (!text || s->interrupted)
            break;
        hc_debugger_say(s, "%s%d%s%s\t%s\n", here ? hc_debugger_paint(s, HC_PAINT_MARK) : "", s->list_line,
                        here ? " >" : "", here ? hc_debugger_paint(s, HC_PAINT_NONE) : "", text);
    }
}

bool hc_list(struct hc_debugger *s, char *arguments)
{
    int last = 0;

    if (!strcmp(arguments, "-")) {
        if (!choose_current_file(s))
            return false;
        if (s->list_first <= 1)
            return hc_debugger_fail(s, "'%s' has no lines before these", s->list_file);
        s->list_line = s->list_first - LINES_AT_ONCE;
        last = s->list_first - 1;
    } else if (*arguments ? !choose(s, arguments, &last) : !choose_current_file(s)) {
        return false;
    }
    s->last[0] = '\0'; /* repeated, it goes on */
    snprintf(s->last, sizeof s->last, "list%s", strcmp(arguments, "-") ? "" : " -");
    if (s->list_line < 1)
        s->list_line = 1;
    if (!hc_source_text(&s->sources, s->list_file, s->list_line))
        return hc_debugger_fail(s, "cannot list %s: %s", s->list_file,
                                hc_source_text(&s->sources, s->list_file, 1) ? "it has no more lines"
                                                                             : "it cannot be read");
    s->list_first = s->list_line;
    show(s, last ? last : s->list_line + LINES_AT_ONCE - 1);
    return true;
}
