#include "check_print.h"

#include "image/source.h"
#include "support/plural.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { PLACE = 400 };

/* ---- text ---- */

static void print_object(FILE *out, const char *label, const struct hc_check_object *o, uint32_t address)
{
    if (!*o->name)
        return;
    fprintf(out, "      %-10s %s", label, o->name);
    if (o->size)
        fprintf(out, ", %u byte%s at 0x%04x", (unsigned)o->size, hc_plural(o->size), (unsigned)o->start);
    if (o->size && address - o->start >= o->size) {
        unsigned away = address < o->start ? o->start - address : address - o->start - o->size;
        fprintf(out, address < o->start ? ": 0x%04x is %u before it" : ": 0x%04x is %u behind its end",
                (unsigned)address, away);
    }
    fputc('\n', out);
}

static void print_place(FILE *out, struct hc_image *image, const char *label, uint32_t pc)
{
    char text[PLACE];

    fprintf(out, "      %-10s %s\n", label, hc_image_locate(image, pc, text, sizeof text));
}

static void print_writer(FILE *out, struct hc_image *image, uint32_t writer)
{
    if (writer == HC_CHECK_OUTSIDE)
        fprintf(out, "      %-10s by DMA, or from outside\n", "written");
    else if (writer != HC_CHECK_NOWHERE)
        print_place(out, image, "written", writer);
}

static void print_what(FILE *out, const struct hc_check_finding *f)
{
    fprintf(out, "%s", hc_check_kind_names[f->kind]);
    if (f->kind == HC_CHECK_UNSET)
        fprintf(out, ": a value that nobody set is used for %s", f->use);
    else if (f->kind == HC_CHECK_FREE)
        fprintf(out, ": 0x%04x is no block that is in use", (unsigned)f->address);
    else if (f->kind == HC_CHECK_STACK)
        fprintf(out, ": the stack grows to 0x%04x", (unsigned)f->address);
    else
        fprintf(out, ": %s of %u byte%s at 0x%04x", f->write ? "write" : "read", (unsigned)f->size, hc_plural(f->size),
                (unsigned)f->address);
    fputc('\n', out);
}

static void print_finding(FILE *out, struct hc_image *image, size_t number, const struct hc_check_finding *f)
{
    bool same = !strcmp(f->object.name, f->there.name) && f->object.start == f->there.start;

    fprintf(out, "\n#%zu  ", number);
    print_what(out, f);
    print_place(out, image, "at", f->pc);
    for (int i = 0; i < f->callers; i++)
        print_place(out, image, "called by", f->caller[i] - 2);
    print_object(out,
                 f->kind == HC_CHECK_STACK   ? "of"
                 : f->kind == HC_CHECK_UNSET ? "it is in"
                                             : "object",
                 &f->object, f->kind == HC_CHECK_BOUNDS ? f->address : f->object.start);
    if (!same)
        print_object(out, "there is", &f->there, f->there.start);
    if (f->given)
        print_place(out, image, "allocated", f->given);
    if (f->taken)
        print_place(out, image, "freed", f->taken);
    print_writer(out, image, f->writer);
    fprintf(out, "      %-10s after %" PRIu64 " instruction%s, %" PRIu64 " time%s\n", "first", f->instructions,
            hc_plural(f->instructions), f->count, hc_plural(f->count));
}

void hc_check_print(FILE *out, struct hc_image *image, const struct hc_check_summary *s,
                    const struct hc_check_finding *finding, size_t count)
{
    fprintf(out, "%s: %" PRIu64 " instruction%s", s->image, s->instructions, hc_plural(s->instructions));
    if (s->log)
        fprintf(out, " of %s", s->log);
    else
        fprintf(out, ", %.3f s", s->seconds);
    fprintf(out, "%s: %zu finding%s\n", s->interrupted ? ", interrupted" : "", count, hc_plural(count));
    for (size_t i = 0; i < count; i++)
        print_finding(out, image, i + 1, &finding[i]);
    if (s->dropped)
        fprintf(out, "\nand %" PRIu64 " more\n", s->dropped);
}

/* ---- JSON ---- */

static json_t *place_json(struct hc_image *image, uint32_t pc)
{
    struct hc_symbol function;
    struct hc_line line;
    json_t *place = json_pack("{sI}", "pc", (json_int_t)pc);

    if (hc_image_function_at(image, pc, &function))
        json_object_set_new(place, "function", json_string(function.name));
    if (hc_image_line_at(image, pc, &line)) {
        json_object_set_new(place, "file", json_string(line.file));
        json_object_set_new(place, "line", json_integer(line.line));
    }
    return place;
}

static void set_place(json_t *to, const char *key, struct hc_image *image, uint32_t pc)
{
    if (pc && pc != HC_CHECK_NOWHERE)
        json_object_set_new(to, key,
                            pc == HC_CHECK_OUTSIDE ? json_pack("{ss}", "by", "outside") : place_json(image, pc));
}

static json_t *object_json(const struct hc_check_object *o)
{
    return *o->name
               ? json_pack("{ss sI sI}", "name", o->name, "start", (json_int_t)o->start, "size", (json_int_t)o->size)
               : json_null();
}

static json_t *finding_json(struct hc_image *image, const struct hc_check_finding *f)
{
    json_t *callers = json_array();
    json_t *out = json_pack("{ss so sI sI sb so so sI sI}", "kind", hc_check_kind_names[f->kind], "at",
                            place_json(image, f->pc), "address", (json_int_t)f->address, "size", (json_int_t)f->size,
                            "write", f->write, "object", object_json(&f->object), "there", object_json(&f->there),
                            "instructions", (json_int_t)f->instructions, "count", (json_int_t)f->count);

    for (int i = 0; i < f->callers; i++)
        json_array_append_new(callers, place_json(image, f->caller[i] - 2));
    json_object_set_new(out, "callers", callers);
    if (f->use)
        json_object_set_new(out, "use", json_string(f->use));
    set_place(out, "writer", image, f->writer);
    set_place(out, "allocated", image, f->given);
    set_place(out, "freed", image, f->taken);
    return out;
}

void hc_check_print_json(FILE *out, struct hc_image *image, const struct hc_check_summary *s,
                         const struct hc_check_finding *finding, size_t count)
{
    json_t *list = json_array();
    json_t *report = json_pack("{si ss ss* sI sb sb sI so}", "schema", 1, "image", s->image, "log", s->log,
                               "instructions", (json_int_t)s->instructions, "faulted", s->faulted, "interrupted",
                               s->interrupted, "dropped", (json_int_t)s->dropped, "findings", list);

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, finding_json(image, &finding[i]));
    json_dumpf(report, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(report);
}
