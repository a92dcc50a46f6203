/* hindcast check on programs with one memory error each, which must be found, at the marked line and in the right
 * object, and on sound ones, of which nothing may be said: test_programs faulty|sound IMAGE SOURCE [NUMBER]. */
#include "check/check.h"
#include "machine/board/telosb.h"
#include "support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM = 16, RUN = 0, KIND = 2, OBJECT = 4, NAME = 12, PROGRAMS_LEAST = 60 };

struct run {
    struct hc_telosb *board;
    struct hc_image *image;
    struct hc_program *program;
    struct hc_check *check;
    uint32_t table;
};

static uint32_t address_of(const struct run *r, const char *name, uint32_t *size)
{
    struct hc_symbol symbol;

    if (!hc_image_symbol(r->image, name, &symbol)) {
        fprintf(stderr, "no symbol '%s'\n", name);
        exit(1);
    }
    if (size)
        *size = symbol.size;
    return symbol.address;
}

static enum hc_action stop(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* Runs program N from power-on to its end, checked. */
static void run_program(struct run *r, const char *image, uint16_t n)
{
    r->board = hc_telosb_new(NULL, NULL);
    r->image = harness_fill(r->board->machine, image);
    hc_machine_reset(r->board->machine, HC_POR);
    r->program = hc_program_new(r->image);
    r->check = hc_check_new(r->board->machine, r->program);
    r->table = address_of(r, "programs", NULL);
    int hook = hc_hook_pc(r->board->machine, address_of(r, "main", NULL), stop, NULL);
    if (hc_machine_run(r->board->machine, 2 * HC_SECOND) != HC_STOP_HOOK)
        exit(1);
    hc_unhook(r->board->machine, hook);
    hc_poke16(r->board->machine, address_of(r, "chosen", NULL), n);
    hc_machine_step(r->board->machine, 1000000, 2 * HC_SECOND);
}

static void end(struct run *r)
{
    hc_check_free(r->check);
    hc_program_free(r->program);
    hc_telosb_free(r->board);
    hc_image_free(r->image);
}

/* ---- what is expected ---- */

/* Whether line N of the source has the mark. */
static bool is_marked(const char *source, int n)
{
    char line[400];
    bool marked = false;
    FILE *file = fopen(source, "r");

    for (int i = 1; file && fgets(line, sizeof line, file); i++)
        if (i == n)
            marked = strstr(line, "/* ! */") != NULL;
    if (file)
        fclose(file);
    return marked;
}

static bool is_marked_at(struct run *r, const char *source, uint32_t pc)
{
    struct hc_line line;

    return hc_image_line_at(r->image, pc, &line) && strstr(line.file, "faulty.c") && is_marked(source, line.line);
}

static bool is_expected(struct run *r, const char *source, uint16_t n, const struct hc_check_finding *f)
{
    uint32_t entry = r->table + PROGRAM * n;
    char object[NAME + 1] = "";
    bool marked = is_marked_at(r, source, f->pc);

    for (uint32_t i = 0; i < NAME; i++)
        object[i] = (char)hc_peek(r->board->machine, entry + OBJECT + i);
    for (int i = 0; i < f->callers; i++)
        marked |= is_marked_at(r, source, f->caller[i] - 2);
    return f->kind == hc_peek16(r->board->machine, entry + KIND) && marked &&
           !strncmp(f->object.name, object, strlen(object));
}

static void print(struct run *r, uint16_t n, const char *what, const struct hc_check_finding *f)
{
    char place[200], name[200];
    uint16_t entry = hc_peek16(r->board->machine, r->table + PROGRAM * n + RUN);

    printf("%3u %s: %s", n, hc_image_locate(r->image, entry, name, sizeof name), what);
    if (f)
        printf(": %s, %s, 0x%04x, of '%s' at 0x%04x, there is '%s'", hc_check_kind_names[f->kind],
               hc_image_locate(r->image, f->pc, place, sizeof place), (unsigned)f->address, f->object.name,
               (unsigned)f->object.start, f->there.name);
    putchar('\n');
}

static bool judge(struct run *r, const char *source, uint16_t n, bool faulty)
{
    const struct hc_check_finding *f;
    size_t count = hc_check_findings(r->check, &f), right = 0;

    for (size_t i = 0; i < count; i++)
        right += faulty && is_expected(r, source, n, &f[i]);
    if (faulty ? right : !count)
        return true;
    if (!count)
        print(r, n, "nothing was found", NULL);
    for (size_t i = 0; i < count; i++)
        print(r, n, "found", &f[i]);
    return false;
}

int main(int argc, char **argv)
{
    bool faulty = argc > 3 && !strcmp(argv[1], "faulty");
    uint32_t size = 0;
    struct run r = { 0 };
    unsigned wrong = 0, first = 0, last;

    if (argc < 4)
        return 2;
    run_program(&r, argv[2], 0xffff);
    address_of(&r, "programs", &size);
    end(&r);
    last = size / PROGRAM;
    if (argc > 4) {
        first = (unsigned)atoi(argv[4]);
        last = first + 1;
    }
    for (unsigned n = first; n < last; n++) {
        run_program(&r, argv[2], (uint16_t)n);
        wrong += !judge(&r, argv[3], (uint16_t)n, faulty);
        end(&r);
    }
    printf("%u %s programs, %u judged wrong\n", last - first, argv[1], wrong);
    return wrong || (argc == 4 && last < PROGRAMS_LEAST);
}
