#include "page.h"

#include <page_parts.h> /* made from page.html, page.css, page.js */
#include <stdlib.h>
#include <string.h>

/* Nothing in it can end the script that it is in. */
static void write_data(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
}

static void write_title(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

/* Writes TEXT up to MARK; returns what comes after it. */
static const char *write_up_to(FILE *out, const char *text, const char *mark)
{
    const char *at = strstr(text, mark);

    if (!at)
        at = text + strlen(text);
    fwrite(text, 1, (size_t)(at - text), out);
    return *at ? at + strlen(mark) : at;
}

bool hc_report_page(FILE *out, const char *title, const json_t *data)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(12));
    const char *rest = hc_page_html;

    if (!text)
        return false;
    rest = write_up_to(out, rest, "@TITLE@");
    write_title(out, title);
    rest = write_up_to(out, rest, "@STYLE@");
    fputs(hc_page_css, out);
    rest = write_up_to(out, rest, "@DATA@");
    write_data(out, text);
    rest = write_up_to(out, rest, "@SCRIPT@");
    fputs(hc_page_js, out);
    fputs(rest, out);
    free(text);
    return true;
}
