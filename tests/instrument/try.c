/* Instruments one preprocessed file, to look at: try PART FILE.i [--text OUT] [libclang argument...]
 * Prints what is recorded, skipped and refused. */
#include "instrument/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (size_t got = 1; got;) {
        text = realloc(text, *size + 65536);
        got = fread(text + *size, 1, 65536, file);
        *size += got;
    }
    fclose(file);
    return text;
}

static void print_result(const struct hc_unit_result *result)
{
    static const char *const classes[] = { "state", "timer", "data", "vector", "none" };
    for (size_t i = 0; i < result->site_count; i++) {
        const struct hc_unit_site *s = &result->sites[i];
        printf("%s:%u: %s %s %s 0x%0*x %s\n", s->file, s->line, s->reason ? "skip" : "site", s->register_name,
               s->reason ? s->reason : classes[s->class], 2 * s->width, s->mask, s->function);
    }
    for (size_t i = 0; i < result->error_count; i++)
        printf("%s:%u:%u: error: %s\n", result->errors[i].file, result->errors[i].line, result->errors[i].column,
               result->errors[i].text);
    const struct hc_unit_counts *c = &result->counts;
    printf("functions %u (%u count), loops %u (%u count), polls %u%s\n", c->functions, c->function_ticks, c->loops,
           c->loop_ticks, c->polls, result->uses_dma ? ", dma" : "");
}

int main(int count, char **arguments)
{
    struct hc_regs_message message;
    struct hc_regs *regs;
    const char *out = NULL;
    int first = 3;
    if (count < 3) {
        fprintf(stderr, "usage: try PART FILE.i [--text OUT] [libclang argument...]\n");
        return 2;
    }
    if (hc_regs_load_part(&regs, arguments[1], &message) != HC_REGS_OK) {
        fprintf(stderr, "try: %s\n", message.text);
        return 3;
    }
    if (count > 4 && !strcmp(arguments[3], "--text")) {
        out = arguments[4];
        first = 5;
    }
    struct hc_unit_request request = { .name = arguments[2], .registers = regs };
    char *text = read_all(arguments[2], &request.size);
    if (!text) {
        fprintf(stderr, "try: %s: cannot be read\n", arguments[2]);
        return 3;
    }
    request.text = text;
    request.arguments = (const char *const *)arguments + first;
    request.argument_count = count - first;
    struct hc_unit_result result;
    int status = hc_unit_instrument(&request, &result);
    print_result(&result);
    FILE *file = out && result.text ? fopen(out, "w") : NULL;
    if (file) {
        fwrite(result.text, 1, result.size, file);
        fclose(file);
    }
    hc_unit_free(&result);
    hc_regs_free(regs);
    free(text);
    return status == HC_UNIT_OK ? 0 : 3;
}
