#include "drawing.h"

#include "html.h"
#include "report_json.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    LEFT = 200,
    RIGHT = 136, /* verdicts */
    SPAN = WIDTH - LEFT - RIGHT,
    ROW = 22,
    AXIS = 46,
    ROWS_MOST = 40,
    LABEL = 24,    /* characters */
    PLOT = 190,    /* height of the voltage's curve */
    BAR_LEAST = 4, /* wide enough to be seen */
    TICKS = 8,
};

struct scale {
    double high;   /* the low end is 0 */
    double factor; /* shown = value * factor */
    const char *unit;
};

static double x_of(const struct scale *s, double value)
{
    double x = value < 0 ? 0 : value > s->high ? s->high : value;

    return LEFT + x / s->high * SPAN;
}

/* 1, 2 or 5 times a power of ten: about N of them make SPAN. */
static double nice_step(double span, int n)
{
    double rough = span / n, power = pow(10, floor(log10(rough))), part = rough / power;

    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void draw_axis(FILE *out, const struct scale *s, double y, const char *title)
{
    double end = s->high * s->factor, step = nice_step(end, TICKS);
    int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);

    fprintf(out, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, LEFT + SPAN);
    int ticks = (int)(end / step + 1e-9);
    for (int i = 0; i <= ticks; i++) {
        double at = i * step, x = x_of(s, at / s->factor);
        fprintf(out,
                "<path class=\"axis\" d=\"M%.1f %.1fv5\"/><text class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"middle\">%.*f</text>\n",
                x, y, x, y + 18, digits, at);
    }
    fprintf(out, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT + SPAN, y + 36,
            title);
}

static void open_drawing(FILE *out, double height, const char *name)
{
    fprintf(out,
            "<div class=\"scroll\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
            "aria-label=\"%s\">\n",
            WIDTH, height, name);
}

static void close_drawing(FILE *out)
{
    fputs("</svg></div>\n", out);
}

/* How wide it is at most, in common fonts of this size. */
static double width_of(const char *text)
{
    double width = 0;

    for (; *text; text++)
        width += strchr("mwMW@%", *text)               ? 12
                 : strchr("fijlrt.,:;|!'()[] ", *text) ? 5
                 : (unsigned char)*text >= 0x80        ? 12
                 : *text >= 'A' && *text <= 'Z'        ? 9.5
                                                       : 8;
    return width;
}

/* A name that leads to its finding: squeezed if it would not fit. */
static void draw_name(FILE *out, double y, long long number, const char *name)
{
    char text[4 * LABEL + 32];

    snprintf(text, sizeof text, "#%lld %.*s", number, 4 * LABEL, name);
    fprintf(out, "<a href=\"#a%lld\"><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\"", number, LEFT - 12, y + ROW - 7.0);
    if (width_of(text) > LEFT - 16)
        fprintf(out, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", LEFT - 16);
    fprintf(out, ">#%lld ", number);
    hc_html_text_short(out, name, LABEL);
    fputs("</text>", out);
}

static void draw_label(FILE *out, double y, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 12, y + ROW - 7.0, text);
}

static void draw_cross(FILE *out, double x, double y, const char *class)
{
    fprintf(out, "<path class=\"cross %s\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>", class, x - 4, y + ROW / 2.0 - 4);
}

/* Ticks, of several at one place only the first. */
static void draw_ticks(FILE *out, const struct scale *s, double y, const uint64_t *at, size_t n, uint64_t origin)
{
    double last = -1;

    fprintf(out, "<path class=\"tick\" d=\"");
    for (size_t i = 0; i < n; i++) {
        double x = x_of(s, at[i] > origin ? (double)(at[i] - origin) : 0);
        if (x - last < 1)
            continue;
        fprintf(out, "M%.1f %.1fv%d", x, y + 4, ROW - 8);
        last = x;
    }
    fputs("\"/>\n", out);
}

/* ---- the continuous run ---- */

static double since_main(const json_t *witness, const char *key, const struct hc_history *c)
{
    return (double)json_integer_value(json_object_get(witness, key)) - (double)c->began;
}

static void draw_finding(FILE *out, const json_t *pair, const struct scale *s, const struct hc_history *c, double y)
{
    const json_t *w = json_object_get(pair, "witness");
    const char *verdict = hc_report_verdict(pair), *class = hc_html_verdict_class(verdict);
    bool lost = !strcmp(json_string_value(json_object_get(pair, "kind")), "lost state");
    double from = x_of(s, since_main(w, "resumed", c)), to = x_of(s, since_main(w, lost ? "resumed" : "produced", c));
    long long number = json_integer_value(json_object_get(pair, "number"));

    if (to - from < BAR_LEAST)
        from = fmax(to - BAR_LEAST, LEFT);
    if (to - from < BAR_LEAST)
        to = from + BAR_LEAST;
    draw_name(out, y, number, json_string_value(json_object_get(pair, "variable")));
    fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", class, from, y + 7,
            to - from, ROW - 14);
    draw_cross(out, to, y, class);
    fprintf(out, "</a><text class=\"soft\" x=\"%d\" y=\"%.1f\">", LEFT + SPAN + 12, y + ROW - 7.0);
    hc_html_text(out, verdict);
    fputs("</text>\n", out);
}

static void draw_checkpoints(FILE *out, const struct scale *s, const struct hc_history *c, double y, size_t rows,
                             bool known)
{
    draw_label(out, y, known ? "checkpoints" : "checkpoints: anywhere");
    fprintf(out, "<rect class=\"window\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>", LEFT, y + 3, SPAN, ROW - 6);
    draw_ticks(out, s, y, c->checkpoint, c->checkpoints, c->began);
    fprintf(out, "<path class=\"grid\" d=\"M%d %.1fV%.1fM%d %.1fV%.1f\"/>\n", LEFT, y, y + (double)(rows + 1) * ROW,
            LEFT + SPAN, y, y + (double)(rows + 1) * ROW);
}

static void explain_run(FILE *out, const json_t *report, const struct hc_history *c, size_t rows, size_t all)
{
    bool known = json_object_get(report, "checkpoint") != NULL;

    fputs("<p class=\"soft\">The continuous run. ", out);
    if (known)
        fprintf(out, "Ticks are its %zu checkpoints%s. ", c->checkpoints,
                c->checkpoints == HC_HISTORY_MOST ? " (and more)" : "");
    else
        fputs("A checkpoint may be anywhere; each finding's lies right before its first place. ", out);
    fputs("A bar goes from the checkpoint to the power failure, &#x2715;: this is executed again", out);
    if (rows < all)
        fprintf(out, "; the first %zu of %zu findings are drawn", rows, all);
    fputs(".</p>\n", out);
}

void hc_drawing_of_run(FILE *out, const json_t *report, const struct hc_history *c)
{
    const json_t *pairs = json_object_get(report, "pairs");
    size_t all = json_array_size(pairs), rows = all < ROWS_MOST ? all : ROWS_MOST;
    struct scale s = { .high = (double)json_integer_value(json_object_get(report, "instructions")), .factor = 1 };
    double y = 4;

    if (s.high < 1)
        s.high = 1;
    explain_run(out, report, c, rows, all);
    open_drawing(out, y + (double)(rows + 1) * ROW + AXIS, "The continuous run, its checkpoints, and power failures");
    draw_checkpoints(out, &s, c, y, rows, json_object_get(report, "checkpoint") != NULL);
    for (size_t i = 0; i < rows; i++)
        draw_finding(out, json_array_get(pairs, i), &s, c, y + (double)(i + 1) * ROW);
    draw_axis(out, &s, y + (double)(rows + 1) * ROW, "instructions since main");
    close_drawing(out);
}

/* ---- the supply ---- */

struct voltage {
    double low, high; /* microvolts: the ends of the axis */
};

static double y_of(const struct voltage *v, double microvolts)
{
    return 8 + (v->high - microvolts) / (v->high - v->low) * (PLOT - 16);
}

static struct voltage voltage_range(const struct hc_history *c)
{
    struct voltage v = { (double)c->capacitor.v_off, (double)c->capacitor.v_on };

    for (size_t i = 0; i < c->points; i++) {
        v.low = fmin(v.low, (double)c->point[i].microvolts);
        v.high = fmax(v.high, (double)c->point[i].microvolts);
    }
    double margin = fmax((v.high - v.low) * 0.06, 1e4);
    return (struct voltage){ fmax(0, v.low - margin), v.high + margin };
}

static struct scale time_scale(const struct hc_history *c)
{
    double end = c->points ? fmax((double)c->point[c->points - 1].ns, 1) : 1;

    if (end < 2e6)
        return (struct scale){ end, 1e-3, "microseconds" };
    return end < 2e9 ? (struct scale){ end, 1e-6, "milliseconds" } : (struct scale){ end, 1e-9, "seconds" };
}

/* Of points in one column of the drawing only the lowest and the highest. */
static void draw_curve(FILE *out, const struct scale *s, const struct voltage *v, const struct hc_history *c)
{
    const char *command = "M";

    fputs("<path class=\"curve\" d=\"", out);
    for (size_t i = 0; i < c->points;) {
        double x = x_of(s, (double)c->point[i].ns), low = (double)c->point[i].microvolts, high = low, last = low;
        fprintf(out, "%s%.1f %.1f", command, x, y_of(v, low));
        for (command = "L"; i < c->points && x_of(s, (double)c->point[i].ns) - x < 0.7; i++) {
            last = (double)c->point[i].microvolts;
            low = fmin(low, last);
            high = fmax(high, last);
        }
        if (low < high)
            fprintf(out, "L%.1f %.1fL%.1f %.1fL%.1f %.1f", x, y_of(v, low), x, y_of(v, high), x, y_of(v, last));
    }
    fputs("\"/>\n", out);
}

/* From each power-on to the failure after it; what cannot be told apart is one. */
static void draw_on_phases(FILE *out, const struct scale *s, const struct hc_history *c, double y, double height)
{
    double from = -1, to = -1, started = -1;

    for (size_t i = 0; i < c->points; i++) {
        double x = x_of(s, (double)c->point[i].ns);
        bool last = i + 1 == c->points;
        if (c->point[i].event == HC_SUPPLY_ON && started < 0) /* it may rise to v_on again while the node is on */
            started = x;
        if ((c->point[i].event != HC_SUPPLY_OFF && !last) || started < 0)
            continue;
        if (from >= 0 && started - to > 0.5)
            fprintf(out, "<rect class=\"on\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", from, y,
                    fmax(to - from, 1), height),
                from = -1;
        from = from < 0 ? started : from;
        to = x;
        started = -1;
    }
    if (from >= 0)
        fprintf(out, "<rect class=\"on\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", from, y,
                fmax(to - from, 1), height);
}

static void draw_failures(FILE *out, const struct scale *s, const struct hc_history *c, double y)
{
    double last = -ROW;

    draw_label(out, y, "power failures");
    for (size_t i = 0; i < c->points; i++) {
        double x = x_of(s, (double)c->point[i].ns);
        if (c->point[i].event != HC_SUPPLY_OFF || x - last < 3)
            continue;
        draw_cross(out, x, y, "bad");
        last = x;
    }
    fputc('\n', out);
}

/* Where two thresholds are close, the label of the lower one is put lower. */
static double draw_threshold(FILE *out, const struct voltage *v, uint64_t microvolts, const char *name, double above)
{
    enum { APART = 15 };
    double y = y_of(v, (double)microvolts), label = fmax(y + 4, above + APART);

    fprintf(out,
            "<path class=\"threshold\" d=\"M%d %.1fH%d\"/><text class=\"soft\" x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">%s %.3f V</text>\n",
            LEFT, y, LEFT + SPAN, LEFT - 12, label, name, (double)microvolts / 1e6);
    return label;
}

static void explain_supply(FILE *out, const struct hc_history *c)
{
    const struct hc_intermittent *r = &c->result;

    fprintf(
        out,
        "<p class=\"soft\">A run on the capacitor (%.3f &#181;F), %s: %s. Power cycles: %llu; on for %.6f s in all; "
        "%llu instructions, %llu at most on one charge.</p>\n",
        (double)c->capacitor.nanofarads / 1e3, c->harvested ? "charged by the harvest" : "charged once",
        r->at_place   ? "it came to its end"
        : r->finished ? "main returned"
        : r->faulted  ? "it ended with a fault"
                      : "main did not return",
        (unsigned long long)r->power_cycles, (double)r->on_ns / 1e9, (unsigned long long)r->instructions,
        (unsigned long long)r->most_instructions);
}

void hc_drawing_of_supply(FILE *out, const struct hc_history *c)
{
    struct scale s = time_scale(c);
    struct voltage v = voltage_range(c);
    double y = PLOT, label = -100;

    explain_supply(out, c);
    open_drawing(out, y + 3 * ROW + AXIS, "The capacitor's voltage, when the node was on, and power failures");
    draw_on_phases(out, &s, c, 0, y);
    label = draw_threshold(out, &v, c->capacitor.v_on, "on", label);
    if (c->capacitor.v_trigger > c->capacitor.v_off)
        label = draw_threshold(out, &v, c->capacitor.v_trigger, "trigger", label);
    draw_threshold(out, &v, c->capacitor.v_off, "off", label);
    draw_curve(out, &s, &v, c);
    draw_label(out, y, "node on");
    draw_on_phases(out, &s, c, y + 4, ROW - 8);
    draw_label(out, y + ROW, "checkpoints met");
    draw_ticks(out, &s, y + ROW, c->met, c->mets, 0);
    draw_failures(out, &s, c, y + 2.0 * ROW);
    draw_axis(out, &s, y + 3.0 * ROW, s.unit);
    close_drawing(out);
}
