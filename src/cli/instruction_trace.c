#include "instruction_trace.h"

#include "target/target.h"

#include <string.h>

static bool name_address(void *owner, uint32_t address, bool code, char *out, size_t size)
{
    struct hc_image *image = owner;
    struct hc_symbol symbol;

    bool found = code ? hc_image_function_at(image, address, &symbol) : hc_image_data_at(image, address, &symbol);
    if (!found)
        return false;
    uint32_t offset = address - symbol.address;
    if (offset)
        snprintf(out, size, "%s+0x%x", symbol.name, offset);
    else
        snprintf(out, size, "%s", symbol.name);
    return true;
}

/* Prints the source line if it differs from the last one. */
static void show_place(struct hc_trace *t, uint32_t pc)
{
    struct hc_line line = { 0 };
    struct hc_symbol function = { 0 };

    hc_image_line_at(t->image, pc, &line);
    hc_image_function_at(t->image, pc, &function);
    if (line.file == t->line.file && line.line == t->line.line && function.name == t->function)
        return;
    t->line = line;
    t->function = function.name;
    if (line.file) {
        const char *slash = strrchr(line.file, '/');
        fprintf(t->file, "%s:%d ", slash ? slash + 1 : line.file, line.line);
    }
    fprintf(t->file, "%s: %s\n", function.name ? function.name : "?",
            line.file ? hc_source_line(&t->sources, line.file, line.line) : "");
}

static void show_registers(struct hc_trace *t)
{
    for (int n = 0; n < HC_REGISTERS; n++) {
        uint32_t value = hc_register(t->machine, n);
        if (value == t->registers[n])
            continue;
        t->registers[n] = value;
        if (n == HC_PC)
            continue;
        const struct hc_cpu_register *name = &t->cpu->registers[n];
        fprintf(t->file, " %s=0x%04x", n < t->cpu->first_general ? name->alternative : name->name, value);
    }
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_trace *t = owner;
    char text[HC_CPU_TEXT], words[24] = "";
    int length = t->cpu->disassemble(m, pc, name_address, t->image, text);

    for (int i = 0; i < length; i += 2)
        snprintf(words + i / 2 * 5, sizeof words - (size_t)(i / 2 * 5), "%04x ",
                 hc_peek16(m, (pc + (uint32_t)i) & (t->cpu->address_space(m) - 1)));
    show_place(t, pc);
    fprintf(t->file, "  0x%04x  %-20s %-40s", pc, words, text);
    show_registers(t);
    fputc('\n', t->file);
}

static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct hc_trace *t = owner;
    char place[160];

    fprintf(t->file, "interrupt %d before %s, %.6f s\n", vector, hc_image_locate(t->image, pc, place, sizeof place),
            hc_seconds(hc_now(m)));
    /* The interrupt's frame on the stack does not belong to an instruction. */
    for (int n = 0; n < HC_REGISTERS; n++)
        t->registers[n] = hc_register(m, n);
}

void hc_trace_start(struct hc_trace *t, struct hc_machine *m, struct hc_image *image, FILE *file)
{
    *t = (struct hc_trace){ .file = file, .machine = m, .cpu = hc_target_of_machine(m)->cpu, .image = image };
    for (int n = 0; n < HC_REGISTERS; n++)
        t->registers[n] = hc_register(m, n);
    hc_hook_retire(m, retired, t);
    hc_hook_interrupt(m, interrupted, t);
}

void hc_trace_stop(struct hc_trace *t)
{
    hc_sources_free(&t->sources);
}
