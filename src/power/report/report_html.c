/* The report as one page that needs nothing else: no script, no network. It is made from the value that is written as
 * JSON, so that the page says what programs are told; what has no drawing of its own becomes a table. */
#include "drawing.h"
#include "html.h"
#include "image/source.h"
#include "report_json.h"
#include "support/plural.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 6, CHIPS_SHOWN = 10 };

/* A line of source at which something is done. */
struct mark {
    const char *file;
    int file_number, line;
    const char *does;
    const json_t *pair;
};

struct report_page {
    FILE *out;
    const json_t *report, *pairs;
    struct hc_sources sources;
    struct mark *mark; /* by file and line */
    size_t marks;
};

/* Dark on light with a contrast of 5.5 at least; verdicts are always words, too. */
static const char style[] =
    ":root{--ink:#1d2330;--soft:#5a6170;--line:#d5d9e2;--paper:#fff;--shade:#f6f7fa;--link:#0b4f93}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:72rem;padding:1.5rem 1.25rem 4rem;color:var(--ink);background:var(--paper);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}"
    "h1{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}h2{font-size:1.3rem;margin:2.5rem 0 .75rem}"
    "h3{font-size:1.05rem;margin:1.5rem 0 .5rem}p{margin:.4rem 0}a{color:var(--link)}"
    "a:focus-visible,summary:focus-visible{outline:3px solid #0b4f93;outline-offset:2px}"
    ".soft{color:var(--soft);font-weight:normal;font-size:.9rem}"
    "code,.mono{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.86em}"
    "nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 0}"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.8rem,1fr));gap:.75rem;margin:1rem 0}"
    ".fact{border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem;background:var(--shade)}"
    ".fact b{display:block;font-size:1.35rem;line-height:1.3}.fact span{color:var(--soft);font-size:.88rem}"
    ".fact.bad{border-color:#8c1d18;background:#fdf0ee}.fact.bad b{color:#8c1d18}"
    ".fact.ok{border-color:#14532d;background:#eef7f0}.fact.ok b{color:#14532d}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem;overflow-wrap:break-word}"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .7rem .35rem 0;border-bottom:1px solid var(--line)}"
    "th{font-weight:600;color:var(--soft)}td.n{white-space:nowrap}"
    ".chip{display:inline-block;border:1px solid;border-radius:.8rem;padding:0 .55rem;margin:.1rem .3rem .1rem 0;"
    "font-size:.82rem;line-height:1.45;text-decoration:none;color:#1b3a5c;background:#eaf1f9}"
    "a.chip:hover{text-decoration:underline}"
    ".chip.bad{color:#8c1d18;background:#fdf0ee}.chip.ok{color:#14532d;background:#eef7f0}"
    ".chip.quiet{color:#4a505c;background:#f1f2f5}"
    ".finding{border:1px solid var(--line);border-left:.35rem solid #1b3a5c;border-radius:.4rem;padding:.6rem .9rem;"
    "margin:.7rem 0}.finding.bad{border-left-color:#8c1d18}.finding.ok{border-left-color:#14532d}"
    ".finding.quiet{border-left-color:#8b91a0}.finding h4{margin:0 0 .3rem;font-size:1rem}"
    ".finding:target,.line:target{outline:3px solid #e0a100;outline-offset:1px}"
    "dl{display:grid;grid-template-columns:minmax(5.5rem,max-content) 1fr;gap:.15rem .9rem;margin:.3rem 0}"
    "dt{color:var(--soft)}dd{margin:0;min-width:0}dd p{margin:0}"
    ".source{border:1px solid var(--line);border-radius:.4rem;padding:.4rem 0;background:var(--paper)}"
    ".line{display:grid;grid-template-columns:3.6rem 1fr;column-gap:.8rem}"
    ".line>span{color:var(--soft);text-align:right;user-select:none}"
    ".line>code,.line>span{font:.84rem/1.5 ui-monospace,Menlo,Consolas,monospace}"
    ".line>code{white-space:pre-wrap;tab-size:4;min-width:0;padding-right:.6rem}"
    ".line>div{grid-column:2;padding:.1rem .6rem .35rem 0;min-width:0}"
    ".line.marked{background:#fff8e6}.line.marked>span{color:var(--ink);font-weight:700}"
    "summary{cursor:pointer}.source summary{padding:.15rem .8rem;color:var(--soft);background:var(--shade);"
    "font-size:.84rem}.source details{margin:.15rem 0}"
    "svg{display:block;width:100%;min-width:44rem;height:auto}svg text{font:12px system-ui,sans-serif;fill:#1d2330}"
    "svg .window{fill:#eef1f6}svg .tick{stroke:#1b3a5c;stroke-width:1.2}svg .axis,svg .grid{stroke:#8b91a0;fill:none}"
    "svg .grid{stroke:#d5d9e2}svg .cross{fill:none;stroke-width:2;stroke:#1b3a5c}svg .cross.bad{stroke:#8c1d18}"
    "svg .cross.ok{stroke:#14532d}svg .cross.quiet{stroke:#6b7180}svg rect.open{fill:#8fb0d3}svg rect.bad{fill:#e39a94}"
    "svg rect.ok{fill:#8fc29f}svg rect.quiet{fill:#c3c7d0}svg .on{fill:#dbeadf}svg .threshold{stroke:#5a6170;"
    "stroke-dasharray:4 3}svg .curve{fill:none;stroke:#0b4f93;stroke-width:1.6;stroke-linejoin:round}"
    "svg text.soft{fill:#5a6170;font-size:12px}svg a text{fill:#0b4f93;text-decoration:underline}"
    "@media(max-width:40rem){body{padding:1rem .75rem 3rem}dl{grid-template-columns:1fr}dd{margin-bottom:.35rem}"
    ".line{grid-template-columns:2.4rem 1fr;column-gap:.5rem}}"
    "@media print{body{max-width:none}.finding{break-inside:avoid}}";

/* ---- the value ---- */

static const char *string_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static unsigned long long number_of(const json_t *object, const char *key)
{
    return (unsigned long long)json_integer_value(json_object_get(object, key));
}

/* WORDS have a space on either side. */
static bool is_word_of(const char *words, const char *key)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", key);
    return strstr(words, word) != NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- marks ---- */

static int by_place(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    int file = strcmp(x->file, y->file);

    if (file || x->line != y->line)
        return file ? file : x->line < y->line ? -1 : 1;
    unsigned long long m = number_of(x->pair, "number"), n = number_of(y->pair, "number");
    return m < n ? -1 : m > n ? 1 : strcmp(x->does, y->does);
}

static void add_mark(struct report_page *p, const json_t *pair, const char *who)
{
    const json_t *place = json_object_get(pair, who);
    const char *does = string_of(place, "does");

    if (json_object_get(place, "line") && !(!strcmp(who, "producer") && !strcmp(does, "called")))
        p->mark[p->marks++] = (struct mark){ string_of(place, "file"), 0, (int)number_of(place, "line"), does, pair };
}

static void collect_marks(struct report_page *p)
{
    size_t i;
    json_t *pair;

    p->mark = calloc(2 * json_array_size(p->pairs) + 1, sizeof *p->mark);
    if (!p->mark)
        abort();
    json_array_foreach(p->pairs, i, pair)
    {
        add_mark(p, pair, "consumer");
        add_mark(p, pair, "producer");
    }
    qsort(p->mark, p->marks, sizeof *p->mark, by_place);
    for (size_t i = 0; i < p->marks; i++)
        p->mark[i].file_number =
            !i ? 1 : p->mark[i - 1].file_number + (strcmp(p->mark[i].file, p->mark[i - 1].file) != 0);
}

static int by_file(const void *file, const void *mark)
{
    return strcmp(file, ((const struct mark *)mark)->file);
}

/* Files are numbered from 1 in the order of their marks; 0: it has none. */
static int number_of_file(const struct report_page *p, const char *file)
{
    const struct mark *m = bsearch(file, p->mark, p->marks, sizeof *p->mark, by_file);

    return m ? m->file_number : 0;
}

static int by_line(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    int file = strcmp(x->file, y->file);

    return file ? file : x->line < y->line ? -1 : x->line > y->line;
}

/* Is the line on the page, to be linked to? Without the source only lines with marks are. */
static bool has_line(struct report_page *p, const char *file, int line)
{
    struct mark wanted = { .file = file, .line = line };

    return bsearch(&wanted, p->mark, p->marks, sizeof *p->mark, by_line) ||
           (number_of_file(p, file) && hc_source_text(&p->sources, file, line));
}

/* ---- pieces ---- */

static void write_chip(struct report_page *p, const char *verdict)
{
    fprintf(p->out, "<span class=\"chip %s\">", hc_html_verdict_class(verdict));
    hc_html_text(p->out, verdict);
    fputs("</span>", p->out);
}

/* "main, sort.c:31 0x4470", the line a link if its file is shown. */
static void write_place(struct report_page *p, const json_t *place)
{
    const char *file = string_of(place, "file"), *function = string_of(place, "function");
    int number = has_line(p, file, (int)number_of(place, "line")) ? number_of_file(p, file) : 0;

    if (json_object_get(place, "by")) {
        fputs(strcmp(string_of(place, "by"), "dma") ? "the hardware, entering an interrupt" : "DMA", p->out);
        return;
    }
    if (*file) {
        if (number)
            fprintf(p->out, "<a href=\"#f%d-%llu\">", number, number_of(place, "line"));
        hc_html_text(p->out, base_name(file));
        fprintf(p->out, ":%llu%s ", number_of(place, "line"), number ? "</a>" : "");
    }
    if (*function) {
        fputs("in <code>", p->out);
        hc_html_text(p->out, function);
        fputs("</code> ", p->out);
    }
    fprintf(p->out, "<span class=\"soft\">0x%04llx</span>", number_of(place, "pc"));
}

static void write_value(struct report_page *p, const json_t *value);

/* A name of a member, in words. */
static void write_key(struct report_page *p, const char *key)
{
    for (; *key; key++)
        fputc(*key == '_' ? ' ' : *key, p->out);
}

static void write_members(struct report_page *p, const json_t *object)
{
    const char *key;
    json_t *value;

    fputs("<dl>", p->out);
    json_object_foreach((json_t *)object, key, value)
    {
        fputs("<dt>", p->out);
        write_key(p, key);
        fputs("</dt><dd>", p->out);
        write_value(p, value);
        fputs("</dd>", p->out);
    }
    fputs("</dl>", p->out);
}

static void write_row(struct report_page *p, const json_t *row, const json_t *heads, const char *tag)
{
    const char *key;
    json_t *value;

    fputs("<tr>", p->out);
    json_object_foreach((json_t *)heads, key, value)
    {
        fprintf(p->out, "<%s>", tag);
        if (row)
            write_value(p, json_object_get(row, key));
        else
            write_key(p, key);
        fprintf(p->out, "</%s>", tag);
    }
    fputs("</tr>\n", p->out);
}

/* Of objects: a column for each member that any of them has. */
static void write_table(struct report_page *p, const json_t *rows)
{
    json_t *heads = json_object();
    size_t n = json_array_size(rows);

    for (size_t i = 0; i < n; i++)
        json_object_update_missing(heads, json_array_get(rows, i));
    fputs("<div class=\"scroll\"><table>", p->out);
    write_row(p, NULL, heads, "th");
    for (size_t i = 0; i < n; i++)
        write_row(p, json_array_get(rows, i), heads, "td");
    fputs("</table></div>\n", p->out);
    json_decref(heads);
}

static void write_list(struct report_page *p, const json_t *list)
{
    json_t *item;
    size_t i;

    if (!json_array_size(list))
        fputs("none", p->out);
    json_array_foreach(list, i, item)
    {
        fputs("<p>", p->out);
        write_value(p, item);
        fputs("</p>", p->out);
    }
}

/* What came of a failure: in words, and what else is told of it. */
static void write_effect(struct report_page *p, const json_t *effect)
{
    static const char told[] = " effect address variable is should bytes ";
    const char *key;
    json_t *value;

    hc_html_text(p->out, string_of(effect, "effect"));
    if (json_object_get(effect, "should")) {
        fputs(": <b>", p->out);
        hc_html_text(p->out, *string_of(effect, "variable") ? string_of(effect, "variable") : "memory");
        fprintf(p->out, "</b> at 0x%04llx is 0x%02llx and should be 0x%02llx, %llu byte%s in all",
                number_of(effect, "address"), number_of(effect, "is"), number_of(effect, "should"),
                number_of(effect, "bytes"), hc_plural(number_of(effect, "bytes")));
    }
    json_object_foreach((json_t *)effect, key, value)
    {
        if (is_word_of(told, key))
            continue;
        fputs("<p>", p->out);
        write_key(p, key);
        fputs(": ", p->out);
        write_value(p, value);
        fputs("</p>", p->out);
    }
}

static bool is_place(const json_t *value)
{
    return json_object_get(value, "pc") || json_object_get(value, "by");
}

static void write_value(struct report_page *p, const json_t *value)
{
    const json_t *first = json_array_get(value, 0);

    if (json_is_integer(value))
        fprintf(p->out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(p->out, "%g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", p->out);
    else if (json_is_string(value))
        hc_html_text(p->out, json_string_value(value));
    else if (is_place(value))
        write_place(p, value);
    else if (json_object_get(value, "effect"))
        write_effect(p, value);
    else if (json_is_object(value))
        write_members(p, value);
    else if (json_is_object(first) && !is_place(first))
        write_table(p, value);
    else if (json_is_array(value))
        write_list(p, value);
}

/* ---- summary ---- */

/* Of the objects in LIST those whose member KEY is IS; all of them if there is no KEY. */
static unsigned long long count_of(const json_t *list, const char *key, bool is)
{
    unsigned long long n = 0;

    for (size_t i = 0; i < json_array_size(list); i++)
        n += !key || json_is_true(json_object_get(json_array_get(list, i), key)) == is;
    return n;
}

static void write_fact(struct report_page *p, const char *class, unsigned long long n, const char *text)
{
    fprintf(p->out, "<div class=\"fact %s\"><b>%llu</b><span>%s</span></div>\n", class, n, text);
}

static void write_depths(struct report_page *p)
{
    const json_t *depths = json_object_get(p->report, "depths");

    for (size_t i = 0; i < json_array_size(depths); i++)
        fprintf(p->out,
                "<div class=\"fact\"><b>%llu</b><span>found within %llu instructions of a checkpoint</span></div>\n",
                number_of(json_array_get(depths, i), "anomalies"),
                number_of(json_array_get(depths, i), "instructions"));
}

/* Whatever else makes the difference between good and bad. */
static void write_other_facts(struct report_page *p)
{
    const json_t *window = json_object_get(p->report, "longest_window"), *cuts = json_object_get(p->report, "cuts");
    const struct {
        const char *member, *key;
        bool is;
        const char *text;
    } facts[] = {
        { "torn", "torn", true, "stretches of a checkpoint that can be torn" },
        { "inputs", NULL, false, "uses of inputs that are not as expected" },
        { "outputs", "expected", false, "outputs that are not as expected" },
    };

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const json_t *list = json_object_get(p->report, facts[i].member);
        unsigned long long n = count_of(list, facts[i].key, facts[i].is);
        if (list)
            write_fact(p, n ? "bad" : "ok", n, facts[i].text);
    }
    if (cuts)
        write_fact(p, number_of(cuts, "wrong") ? "bad" : "ok", number_of(cuts, "wrong"),
                   "cuts of the power that the program does not survive");
    if (json_is_false(json_object_get(p->report, "complete")))
        write_fact(p, "bad", number_of(p->report, "instructions"),
                   "instructions, then it was given up: the findings so far");
    if (json_is_true(json_object_get(window, "never_ends")))
        write_fact(p, "bad", 1, "window that needs more than one charge: it never ends");
}

/* The findings of one variable, from index FIRST on; the index behind them. */
static size_t group_end(const struct report_page *p, size_t first)
{
    const json_t *a = json_array_get(p->pairs, first);
    size_t i = first + 1;

    while (i < json_array_size(p->pairs)) {
        const json_t *b = json_array_get(p->pairs, i);
        if (number_of(a, "variable_address") != number_of(b, "variable_address") ||
            strcmp(string_of(a, "variable"), string_of(b, "variable")) != 0 ||
            json_is_true(json_object_get(a, "silent")) != json_is_true(json_object_get(b, "silent")))
            break;
        i++;
    }
    return i;
}

static void write_variable_row(struct report_page *p, size_t first, size_t end)
{
    const json_t *pair = json_array_get(p->pairs, first);

    fputs("<tr><td><b>", p->out);
    hc_html_text(p->out, string_of(pair, "variable"));
    fprintf(p->out, "</b></td><td class=\"n mono\">0x%04llx</td><td>", number_of(pair, "variable_address"));
    for (size_t i = first; i < end; i++) {
        pair = json_array_get(p->pairs, i);
        fprintf(p->out, "<a class=\"chip %s\" href=\"#a%llu\">#%llu ", hc_html_verdict_class(hc_report_verdict(pair)),
                number_of(pair, "number"), number_of(pair, "number"));
        hc_html_text(p->out, hc_report_verdict(pair));
        fputs("</a> ", p->out);
    }
    fputs("</td></tr>\n", p->out);
}

static void write_summary(struct report_page *p)
{
    unsigned long long left = number_of(p->report, "anomalies");

    fputs("<section id=\"summary\"><h2>Summary</h2><div class=\"facts\">", p->out);
    write_fact(p, left ? "bad" : "ok", left, left == 1 ? "anomaly remains" : "anomalies remain");
    write_other_facts(p);
    write_fact(p, "", number_of(p->report, "harmless"), "came to nothing when tried");
    write_fact(p, "", number_of(p->report, "silent"), "silent: the value stays the same");
    write_depths(p);
    if (json_object_get(p->report, "checkpoints"))
        write_fact(p, "", number_of(p->report, "checkpoints"), "checkpoints in the run");
    write_fact(p, "", number_of(p->report, "instructions"), "instructions executed");
    write_fact(p, "", number_of(p->report, "cycles"), "cycles");
    write_fact(p, "", number_of(p->report, "accesses"), "accesses to non-volatile memory");
    fputs("</div>\n", p->out);
    if (json_array_size(p->pairs))
        fputs("<div class=\"scroll\"><table><tr><th>Variable</th><th>Address</th><th>Findings</th></tr>\n", p->out);
    for (size_t i = 0, end; i < json_array_size(p->pairs); i = end)
        write_variable_row(p, i, end = group_end(p, i));
    fputs(json_array_size(p->pairs) ? "</table></div></section>\n" : "</section>\n", p->out);
}

/* ---- findings ---- */

static void write_accessor(struct report_page *p, const json_t *pair, const char *who)
{
    const json_t *place = json_object_get(pair, who);
    const char *file = string_of(place, "file");
    const char *text = *file ? hc_source_line(&p->sources, file, (int)number_of(place, "line")) : "";
    json_t *caller;
    size_t i;

    fprintf(p->out, "<dt>%s</dt><dd><p>", string_of(place, "does"));
    write_place(p, place);
    fputs("</p>", p->out);
    if (*text) {
        fputs("<p><code>", p->out);
        hc_html_text(p->out, text);
        fputs("</code></p>", p->out);
    }
    json_array_foreach(json_object_get(place, "stack"), i, caller)
    {
        fputs("<p class=\"soft\">called from ", p->out);
        write_place(p, caller);
        fputs("</p>", p->out);
    }
    fputs("</dd>", p->out);
}

/* How the occurrence that was tried goes, in instructions since power-on. */
static void write_witness(struct report_page *p, const json_t *pair)
{
    const json_t *w = json_object_get(pair, "witness");
    unsigned long long resumed = number_of(w, "resumed");

    fputs("<dt>witness</dt><dd>", p->out);
    if (resumed)
        fprintf(p->out, "checkpoint behind instruction %llu, ", resumed);
    else
        fputs("no checkpoint since power-on, ", p->out);
    fprintf(p->out, "first place at %llu, second at %llu: 0x%02llx is met, then 0x%02llx left%s</dd>",
            number_of(w, "consumed"), number_of(w, "produced"), number_of(w, "read"), number_of(w, "written"),
            json_is_true(json_object_get(w, "worst")) ? "; no occurrence does worse" : "");
}

static void write_finding(struct report_page *p, const json_t *pair)
{
    unsigned long long number = number_of(pair, "number"), offset = number_of(pair, "address");

    offset -= number_of(pair, "variable_address");
    fprintf(p->out, "<article class=\"finding %s\" id=\"a%llu\"><h4>#%llu %s ",
            hc_html_verdict_class(hc_report_verdict(pair)), number, number, string_of(pair, "kind"));
    write_chip(p, hc_report_verdict(pair));
    fputs("</h4><dl>", p->out);
    if (*string_of(pair, "detail"))
        fprintf(p->out, "<dt>what</dt><dd>%s</dd>", string_of(pair, "detail"));
    if (offset || *string_of(pair, "part")) {
        fputs("<dt>where</dt><dd><b>", p->out);
        hc_html_text(p->out, string_of(pair, "part"));
        fprintf(p->out, "</b> byte %llu of it, 0x%04llx</dd>", offset, number_of(pair, "address"));
    }
    write_accessor(p, pair, "consumer");
    if (strcmp(string_of(json_object_get(pair, "producer"), "does"), "called") != 0)
        write_accessor(p, pair, "producer");
    fprintf(p->out, "<dt>distance</dt><dd>%llu instruction%s at the nearest, %llu time%s</dd>",
            number_of(pair, "distance"), hc_plural(number_of(pair, "distance")), number_of(pair, "count"),
            hc_plural(number_of(pair, "count")));
    write_witness(p, pair);
    if (json_object_get(pair, "evaluation")) {
        fputs("<dt>effect</dt><dd>", p->out);
        write_effect(p, json_object_get(pair, "evaluation"));
        fputs("</dd>", p->out);
    }
    fputs("</dl></article>\n", p->out);
}

static void write_findings(struct report_page *p)
{
    fputs("<section id=\"findings\"><h2>Findings</h2>\n", p->out);
    if (!json_array_size(p->pairs))
        fputs("<p>None.</p>\n", p->out);
    for (size_t i = 0, end; i < json_array_size(p->pairs); i = end) {
        const json_t *pair = json_array_get(p->pairs, i);
        end = group_end(p, i);
        fputs("<h3>", p->out);
        hc_html_text(p->out, string_of(pair, "variable"));
        fprintf(p->out, " <span class=\"soft\">0x%04llx, %llu bytes</span></h3>\n", number_of(pair, "variable_address"),
                number_of(pair, "variable_size"));
        for (size_t k = i; k < end; k++)
            write_finding(p, json_array_get(p->pairs, k));
    }
    fputs("</section>\n", p->out);
}

/* What else the report has. */
static void write_others(struct report_page *p)
{
    static const char known[] =
        " schema image found instructions cycles accesses anomalies harmless silent depths checkpoint "
        "checkpoints pairs complete ";
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)p->report, key, value)
    {
        if (is_word_of(known, key))
            continue;
        fprintf(p->out, "<section><h2>%c", key[0] & ~0x20);
        write_key(p, key + 1);
        fputs("</h2>\n", p->out);
        write_value(p, value);
        fputs("</section>\n", p->out);
    }
}

/* ---- source ---- */

static void write_mark(struct report_page *p, const struct mark *m)
{
    fprintf(p->out, "<a class=\"chip %s\" href=\"#a%llu\">%s: <b>", hc_html_verdict_class(hc_report_verdict(m->pair)),
            number_of(m->pair, "number"), m->does);
    hc_html_text(p->out, string_of(m->pair, "variable"));
    fprintf(p->out, "</b>, #%llu, ", number_of(m->pair, "number"));
    hc_html_text(p->out, hc_report_verdict(m->pair));
    fprintf(p->out, ", distance %llu</a>\n", number_of(m->pair, "distance"));
}

static void write_marks(struct report_page *p, const struct mark *m, size_t n)
{
    if (!n)
        return;
    fputs("<div>", p->out);
    for (size_t i = 0; i < n; i++) {
        if (i == CHIPS_SHOWN)
            fprintf(p->out, "<details><summary>%zu more</summary>", n - i);
        write_mark(p, &m[i]);
    }
    fputs(n > CHIPS_SHOWN ? "</details></div>" : "</div>", p->out);
}

/* Marks of one file, and which of them are next. */
struct reading {
    int file; /* its number */
    const struct mark *mark;
    size_t marks, next;
    int folded; /* the line behind a folded stretch; 0: none is open */
};

static void write_line(struct report_page *p, struct reading *r, int line, const char *text)
{
    size_t n = 0;

    while (r->next + n < r->marks && r->mark[r->next + n].line == line)
        n++;
    fprintf(p->out, "<div class=\"line%s\" id=\"f%d-%d\"><span>%d</span><code>", n ? " marked" : "", r->file, line,
            line);
    hc_html_text(p->out, text);
    fputs("</code>", p->out);
    write_marks(p, &r->mark[r->next], n);
    fputs("</div>\n", p->out);
    r->next += n;
}

/* Opens and closes what is folded away: all that is far from marks. */
static void fold(struct report_page *p, struct reading *r, int line, int last)
{
    int behind = r->next ? line - r->mark[r->next - 1].line : line;
    int next = r->next < r->marks ? r->mark[r->next].line : last + CONTEXT + 1;

    if (r->folded == line) {
        fputs("</details>\n", p->out);
        r->folded = 0;
    }
    bool far = (!r->next || behind > CONTEXT) && next - line > CONTEXT;
    if (!far || r->folded)
        return;
    r->folded = next - CONTEXT < last + 1 ? next - CONTEXT : last + 1;
    fprintf(p->out, "<details><summary>lines %d to %d</summary>\n", line, r->folded - 1);
}

static void write_file(struct report_page *p, struct reading *r)
{
    const char *path = r->mark[0].file, *text;
    int last = 0;

    fputs("<h3>", p->out);
    hc_html_text(p->out, base_name(path));
    fputs(" <span class=\"soft\">", p->out);
    hc_html_text(p->out, path);
    fputs("</span></h3>\n<div class=\"source\">\n", p->out);
    while (hc_source_text(&p->sources, path, last + 1))
        last++;
    for (int line = 1; line <= last; line++) {
        fold(p, r, line, last);
        text = hc_source_text(&p->sources, path, line);
        write_line(p, r, line, text);
    }
    if (r->folded)
        fputs("</details>\n", p->out);
    while (r->next < r->marks)
        write_line(p, r, r->mark[r->next].line, "(the source is not at hand)");
    fputs("</div>\n", p->out);
}

static void write_sources(struct report_page *p)
{
    fputs("<section id=\"source\"><h2>Source</h2>\n", p->out);
    for (size_t i = 0; i < p->marks;) {
        size_t end = i;
        while (end < p->marks && !strcmp(p->mark[end].file, p->mark[i].file))
            end++;
        struct reading r = { .file = p->mark[i].file_number, .mark = &p->mark[i], .marks = end - i };
        write_file(p, &r);
        i = end;
    }
    if (!p->marks)
        fputs("<p>No line of it has a finding, or there is no debug information.</p>\n", p->out);
    fputs("</section>\n", p->out);
}

/* ---- the page ---- */

static void write_head(struct report_page *p)
{
    const char *name = base_name(string_of(p->report, "image")), *checkpoint = string_of(p->report, "checkpoint");

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
          "<title>Power failures: ",
          p->out);
    hc_html_text(p->out, name);
    fprintf(p->out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>Power failures: ", style);
    hc_html_text(p->out, name);
    fputs("</h1><p class=\"soft\">", p->out);
    if (*checkpoint) {
        fputs("Checkpoints are known: ", p->out);
        hc_html_text(p->out, checkpoint);
    } else {
        fputs("A checkpoint may be anywhere", p->out);
    }
    fputs(". Where an intermittent run can differ from a continuous one, and what it would do.</p>\n"
          "<nav aria-label=\"Parts\"><a href=\"#summary\">Summary</a> <a href=\"#timeline\">Timeline</a> "
          "<a href=\"#findings\">Findings</a> <a href=\"#source\">Source</a></nav></header>\n<main>\n",
          p->out);
}

void hc_power_report_html(const struct hc_power_report *r, const struct hc_history *history, FILE *out)
{
    json_t *report = hc_power_report_value(r);
    struct report_page p = { .out = out, .report = report, .pairs = json_object_get(report, "pairs") };

    collect_marks(&p);
    write_head(&p);
    write_summary(&p);
    fputs("<section id=\"timeline\"><h2>Timeline</h2>\n", out);
    hc_drawing_of_run(out, p.report, history);
    if (history->supplied)
        hc_drawing_of_supply(out, history);
    fputs("</section>\n", out);
    write_findings(&p);
    write_others(&p);
    write_sources(&p);
    fputs("</main></body></html>\n", out);
    hc_sources_free(&p.sources);
    free(p.mark);
    json_decref(report);
}
