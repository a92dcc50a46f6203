#include "vcd.h"

#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_of {
    struct hc_vcd *vcd;
    hc_wire wire;
};

struct hc_vcd {
    FILE *file;
    struct hc_machine *machine;
    uint64_t time; /* last written, in ns */
    int count;
    struct trace_of wires[];
};

static uint64_t nanoseconds(hc_time t)
{
    return (uint64_t)((unsigned __int128)t * 1000000000u >> 40);
}

/* VCD's short names: a number in base 94. Numbers of wires are even, of their names' variables odd. */
static const char *identifier(int n, char out[8])
{
    int length = 0;
    do {
        out[length++] = (char)('!' + n % 94);
        n /= 94;
    } while (n);
    out[length] = '\0';
    return out;
}

static size_t scope_length(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static bool same_scope(const char *a, const char *b)
{
    size_t length = scope_length(a);
    return length == scope_length(b) && !strncmp(a, b, length);
}

/* Dots separate scopes in viewers: they become underscores. A name must not start with a digit. */
static void write_name(FILE *file, const char *name)
{
    size_t scope = scope_length(name);
    const char *rest = scope ? name + scope + 1 : name;

    if (*rest >= '0' && *rest <= '9')
        rest = name;
    for (; *rest; rest++)
        fputc(*rest == '.' || *rest == ' ' ? '_' : *rest, file);
}

static void declare(struct hc_vcd *v, int w)
{
    const char *name = hc_wire_name(v->machine, (hc_wire)w);
    char id[8];

    fprintf(v->file, "$var wire %d %s ", hc_wire_width(v->machine, (hc_wire)w), identifier(2 * w, id));
    write_name(v->file, name);
    fputs(" $end\n", v->file);
    if (hc_wire_values(v->machine, (hc_wire)w)) {
        fprintf(v->file, "$var string 1 %s ", identifier(2 * w + 1, id));
        write_name(v->file, name);
        fputs("_name $end\n", v->file);
    }
}

/* One scope for all wires that share what stands before the dot. */
static void declare_all(struct hc_vcd *v)
{
    for (int w = 0; w < v->count; w++) {
        const char *name = hc_wire_name(v->machine, (hc_wire)w);
        int first = 0;
        while (!same_scope(name, hc_wire_name(v->machine, (hc_wire)first)))
            first++;
        if (first < w)
            continue;
        if (scope_length(name))
            fprintf(v->file, "$scope module %.*s $end\n", (int)scope_length(name), name);
        for (int other = w; other < v->count; other++)
            if (same_scope(name, hc_wire_name(v->machine, (hc_wire)other)))
                declare(v, other);
        if (scope_length(name))
            fputs("$upscope $end\n", v->file);
    }
}

/* Strings in VCD have no spaces. */
static void write_value_name(struct hc_vcd *v, hc_wire w, int32_t level)
{
    const char *const *values = hc_wire_values(v->machine, w);
    char id[8];
    int32_t n = 0;

    while (n < level && values[n])
        n++;
    fputc('s', v->file);
    for (const char *c = level >= 0 && values[n] ? values[n] : "?"; *c; c++)
        fputc(*c == ' ' ? '_' : *c, v->file);
    fprintf(v->file, " %s\n", identifier(2 * w + 1, id));
}

static void write_level(struct hc_vcd *v, hc_wire w, int32_t level)
{
    int width = hc_wire_width(v->machine, w);
    char id[8];

    identifier(2 * w, id);
    if (width == 1) {
        fprintf(v->file, "%d%s\n", level != 0, id);
    } else {
        fputc('b', v->file);
        for (int bit = width - 1; bit >= 0; bit--)
            fputc('0' + (int)((uint32_t)level >> bit & 1), v->file);
        fprintf(v->file, " %s\n", id);
    }
    if (hc_wire_values(v->machine, w))
        write_value_name(v, w, level);
}

/* An event's time may lie a few cycles before that of the instruction that ran into it: time never goes back in a file.
 */
static void write_time(struct hc_vcd *v, hc_time now)
{
    uint64_t time = nanoseconds(now);
    if (time <= v->time)
        return;
    v->time = time;
    fprintf(v->file, "#%llu\n", (unsigned long long)time);
}

static void changed(void *owner, int32_t level, hc_time now)
{
    struct trace_of *t = owner;
    write_time(t->vcd, now);
    write_level(t->vcd, t->wire, level);
}

struct hc_vcd *hc_vcd_open(struct hc_machine *m, FILE *file)
{
    int count = hc_wire_count(m);
    struct hc_vcd *v = calloc(1, sizeof *v + (size_t)count * sizeof v->wires[0]);

    if (!v)
        return NULL;
    v->file = file;
    v->machine = m;
    v->count = count;
    fprintf(v->file, "$version hindcast $end\n$timescale 1 ns $end\n$scope module %s $end\n", hc_machine_part(m)->name);
    declare_all(v);
    fputs("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n", v->file);
    for (int w = 0; w < count; w++) {
        v->wires[w] = (struct trace_of){ .vcd = v, .wire = (hc_wire)w };
        write_level(v, (hc_wire)w, hc_wire_level(m, (hc_wire)w));
        hc_wire_listen(m, (hc_wire)w, changed, &v->wires[w]);
    }
    fputs("$end\n", v->file);
    return v;
}

void hc_vcd_close(struct hc_vcd *v)
{
    if (v)
        write_time(v, hc_now(v->machine));
    free(v);
}
