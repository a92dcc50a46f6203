#include "run_report.h"

#include "command.h"
#include "support/plural.h"
#include "target/target.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_ending_names[] = {
    [HC_ENDED_TIME] = "time", [HC_ENDED_REACHED] = "reached",         [HC_ENDED_FAULT] = "fault",
    [HC_ENDED_IDLE] = "idle", [HC_ENDED_INTERRUPTED] = "interrupted",
};

static const char *const ending_texts[] = {
    [HC_ENDED_TIME] = "the requested time is over", [HC_ENDED_REACHED] = "the requested place is reached",
    [HC_ENDED_FAULT] = "the firmware faulted",      [HC_ENDED_IDLE] = "nothing can happen any more",
    [HC_ENDED_INTERRUPTED] = "interrupted",
};

enum { PLACE = 200 };

static const char *place_of(const struct hc_node *node, enum hc_ending ending, char out[PLACE])
{
    uint32_t pc = ending == HC_ENDED_FAULT ? hc_fault_pc(node->machine) : hc_register(node->machine, HC_PC);
    return hc_image_locate(node->image, pc, out, PLACE);
}

/* An instruction that the 16-bit CPU does not have may be one of the 20-bit CPU. */
static void explain_undefined(const struct hc_node *node)
{
    char text[240];

    if (hc_target_of_machine(node->machine)
            ->cpu->explain_undefined(node->machine, hc_fault_pc(node->machine), text, sizeof text))
        fprintf(stderr, "  %s\n", text);
}

void hc_report_fault(const struct hc_node *node)
{
    char place[PLACE];
    const char *text = hc_fault_text(node->machine);

    hc_complain("fault: %s", text);
    fprintf(stderr, "  at %s, %.6f s after power-on\n", place_of(node, HC_ENDED_FAULT, place),
            hc_seconds(hc_now(node->machine)));
    if (strstr(text, "undefined"))
        explain_undefined(node);
    fprintf(stderr, "  To find the cause, use --trace=FILE or --gdb PORT.%s\n",
            strstr(text, "vacant") ? " To continue as the hardware would, use --lenient." : "");
}

static double share(hc_time part, hc_time whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

void hc_report_text(FILE *out, const struct hc_node *node, enum hc_ending ending)
{
    struct hc_statistics s;
    char place[PLACE];

    hc_machine_statistics(node->machine, &s);
    fprintf(out, "%.6f s: %s, at %s\n", hc_seconds(s.now), ending_texts[ending], place_of(node, ending, place));
    fprintf(out, "%15llu instructions\n%15llu cycles of MCLK\n%15llu interrupts\n", (unsigned long long)s.instructions,
            (unsigned long long)s.cycles, (unsigned long long)s.interrupts);
    for (int mode = 0; mode < HC_MODES; mode++)
        if (s.in_mode[mode])
            fprintf(out, "%15.6f s %-6s  %7.3f %%\n", hc_seconds(s.in_mode[mode]), hc_mode_names[mode],
                    share(s.in_mode[mode], s.now));
    for (int i = 0; i < node->leds; i++) {
        const struct hc_led *led = node->led[i];
        if (hc_led_switched_on(led))
            fprintf(out, "%15.6f s %s LED on, %llu time%s\n", hc_seconds(hc_led_on_time(led)), hc_led_name(led),
                    (unsigned long long)hc_led_switched_on(led), hc_plural(hc_led_switched_on(led)));
    }
}

/* ---- JSON ---- */

static json_t *modes_json(const struct hc_statistics *s)
{
    json_t *modes = json_object();
    for (int mode = 0; mode < HC_MODES; mode++)
        json_object_set_new(modes, hc_mode_names[mode], json_real(hc_seconds(s->in_mode[mode])));
    return modes;
}

static json_t *leds_json(const struct hc_node *node)
{
    json_t *leds = json_object();
    for (int i = 0; i < node->leds; i++)
        json_object_set_new(leds, hc_led_name(node->led[i]),
                            json_pack("{s:b, s:I, s:f}", "on", hc_led_is_on(node->led[i]), "times",
                                      (json_int_t)hc_led_switched_on(node->led[i]), "seconds",
                                      hc_seconds(hc_led_on_time(node->led[i]))));
    return leds;
}

/* Bytes as characters of the same number (Latin-1): JSON has only text, but UART output may be any bytes. */
static json_t *bytes_json(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size * 2 + 1);
    size_t length = 0;

    if (!text)
        return json_null();
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x80) {
            text[length++] = (char)bytes[i];
        } else {
            text[length++] = (char)(0xc0 | bytes[i] >> 6);
            text[length++] = (char)(0x80 | (bytes[i] & 0x3f));
        }
    }
    json_t *string = json_stringn(text, length);
    free(text);
    return string;
}

static json_t *stop_json(const struct hc_node *node, enum hc_ending ending)
{
    char place[PLACE];
    uint32_t pc = ending == HC_ENDED_FAULT ? hc_fault_pc(node->machine) : hc_register(node->machine, HC_PC);
    json_t *stop = json_pack("{s:s, s:i, s:s}", "reason", hc_ending_names[ending], "pc", (int)pc, "place",
                             place_of(node, ending, place));

    if (ending == HC_ENDED_FAULT)
        json_object_set_new(stop, "fault", json_string(hc_fault_text(node->machine)));
    return stop;
}

void hc_report_json(FILE *out, const struct hc_node *node, enum hc_ending ending, const struct hc_serial_line *line)
{
    struct hc_statistics s;

    hc_machine_statistics(node->machine, &s);
    json_t *report = json_pack("{s:s, s:s, s:o, s:f, s:I, s:I, s:I, s:o}", "image", hc_image_name(node->image), "part",
                               hc_machine_part(node->machine)->name, "stop", stop_json(node, ending), "seconds",
                               hc_seconds(s.now), "instructions", (json_int_t)s.instructions, "cycles",
                               (json_int_t)s.cycles, "interrupts", (json_int_t)s.interrupts, "modes", modes_json(&s));
    if (!report) /* a path that is no UTF-8 */
        report = json_pack("{s:o}", "stop", stop_json(node, ending));
    if (line->end.uart) {
        json_object_set_new(report, "leds", leds_json(node));
        json_object_set_new(report, "uart", bytes_json(line->kept, line->kept_size));
        json_object_set_new(report, "uart_bytes", json_integer((json_int_t)line->sent));
    }
    json_dumpf(report, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
    json_decref(report);
}
