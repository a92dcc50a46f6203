/* hindcast run: one node. run_field.c runs several. */
#include "command.h"
#include "files.h"
#include "gdb/gdb.h"
#include "image/place.h"
#include "instruction_trace.h"
#include "machine/device.h"
#include "node.h"
#include "progress.h"
#include "replay/oracle.h"
#include "run_field.h"
#include "run_options.h"
#include "run_report.h"
#include "serial_line.h"
#include "signals.h"
#include "target/target.h"
#include "uart_pty.h"
#include "vcd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct run {
    struct hc_run_options options;
    struct hc_node node;
    struct hc_serial_line line;
    struct hc_uart_pty pty;
    struct hc_trace trace;
    struct hc_vcd *vcd;
    struct hc_oracle_writer *oracle;
    struct hc_output_file *vcd_file, *trace_file, *flash_file, *memory_file; /* NULL: not wanted */
    struct led_listener {
        struct hc_machine *machine;
        hc_wire wire;
    } leds[HC_TELOSB_LEDS];
    struct hc_progress progress;
};

static void stop_machine(void *machine)
{
    hc_request_stop(machine);
}

/* ---- what is shown while it runs ---- */

static void note(void *owner, const char *text)
{
    (void)owner;
    hc_complain("note: %s", text);
}

static void led_changed(void *owner, int32_t level, hc_time now)
{
    const struct led_listener *led = owner;
    fprintf(stderr, "%14.6f s  %s %s\n", hc_seconds(now), hc_wire_name(led->machine, led->wire), level ? "on" : "off");
}

static void show_leds(struct run *r)
{
    for (int i = 0; i < r->node.leds; i++) {
        r->leds[i] = (struct led_listener){ r->node.machine, hc_led_wire(r->node.led[i]) };
        hc_wire_listen(r->node.machine, r->leds[i].wire, led_changed, &r->leds[i]);
    }
}

/* Never in the middle of a line of the node's output on the same terminal. */
static void show_progress(struct run *r)
{
    double now = hc_seconds(hc_now(r->node.machine));
    bool limited = r->options.limit != HC_NEVER && r->options.limit;

    if (r->line.sent && r->line.last != '\n' && isatty(STDOUT_FILENO))
        return;
    hc_progress_tell(&r->progress, limited ? now / hc_seconds(r->options.limit) : -1, "%.1f s", now);
}

/* ---- the run ---- */

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* In pieces, to show progress and to notice an end. The pieces do not influence the run. */
static enum hc_ending run_on(struct run *r)
{
    struct hc_machine *m = r->node.machine;
    bool limited = r->options.limit != HC_NEVER, paced = r->options.uart_pty;

    for (;;) {
        hc_time until = hc_now(m) + (paced ? HC_UART_PTY_PIECE : HC_SECOND / 16);
        switch (hc_machine_run(m, until < r->options.limit ? until : r->options.limit)) {
        case HC_STOP_FAULT:
            return HC_ENDED_FAULT;
        case HC_STOP_HOOK:
            return HC_ENDED_REACHED;
        case HC_STOP_REQUEST:
            return HC_ENDED_INTERRUPTED;
        default:
            break;
        }
        if (hc_now(m) >= r->options.limit)
            return HC_ENDED_TIME;
        if (paced)
            hc_uart_pty_pace(&r->pty);
        else if (!limited && hc_target_is_over(m))
            return HC_ENDED_IDLE;
        show_progress(r);
    }
}

static void listening(void *owner, uint16_t port)
{
    (void)owner;
    hc_complain("gdb: listening on 127.0.0.1:%u", port);
}

/* Serves debuggers; when the last one detaches, the run continues. Returns 0 or an exit code. */
static int debug(struct run *r, enum hc_ending *ending)
{
    struct hc_gdb_server_config config = { .port = (uint16_t)r->options.gdb_port, .listening = listening };
    struct hc_gdb_target *target = hc_gdb_machine_target_new(r->node.machine, r->options.limit);

    if (!target) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    enum hc_gdb_end end = hc_gdb_serve(&config, target);
    hc_gdb_target_free(target);
    if (end == HC_GDB_FAILED) {
        hc_complain("gdb: %s", config.error);
        return HC_EXIT_INPUT;
    }
    *ending = end == HC_GDB_EXITED ? HC_ENDED_TIME : HC_ENDED_INTERRUPTED;
    if (end == HC_GDB_DETACHED && !hc_signalled())
        *ending = run_on(r);
    return HC_EXIT_FINE;
}

/* ---- before and after ---- */

static int open_pty(struct run *r)
{
    const char *what;
    int cause = hc_uart_pty_open(&r->pty, hc_node_uart(&r->node), r->node.machine, r->options.uart_pty_link, &what);

    if (cause) {
        hc_complain("%s: %s", what, strerror(cause));
        return HC_EXIT_INPUT;
    }
    hc_complain("uart: %s", r->pty.link ? r->pty.link : r->pty.name);
    return HC_EXIT_FINE;
}

/* To the terminal, or to a port. */
static int open_line(struct run *r)
{
    const struct hc_run_options *o = &r->options;
    int cause;

    hc_timed_inputs_start(r->options.timed_input, hc_node_uart(&r->node), r->node.machine);
    if (o->uart_pty)
        return open_pty(r);
    hc_serial_line_open(&r->line, hc_node_uart(&r->node), o->json);
    if (o->uart_input && (cause = hc_serial_line_hear(&r->line, r->node.machine, o->uart_input))) {
        hc_complain("%s: %s", o->uart_input, strerror(cause));
        return HC_EXIT_INPUT;
    }
    return HC_EXIT_FINE;
}

static int check_files(const struct hc_run_options *o)
{
    const struct hc_named_file files[] = {
        { "the image", o->file[0], HC_FILE_READ },  { "--uart-input", o->uart_input, HC_FILE_READ },
        { "--flash", o->flash, HC_FILE_UPDATED },   { "--memory", o->memory, HC_FILE_WRITTEN },
        { "--vcd", o->vcd, HC_FILE_WRITTEN },       { "--trace", o->trace_file, HC_FILE_WRITTEN },
        { "--oracle", o->oracle, HC_FILE_WRITTEN },
    };
    return hc_files_check(files, sizeof files / sizeof *files);
}

static int open_files(struct run *r)
{
    const struct hc_run_options *o = &r->options;
    const struct {
        struct hc_output_file **file;
        const char *path;
    } outputs[] = { { &r->vcd_file, o->vcd },
                    { &r->trace_file, o->trace_file },
                    { &r->flash_file, o->flash },
                    { &r->memory_file, o->memory } };
    int code = HC_EXIT_FINE;

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && !code; i++)
        if (outputs[i].path)
            code = hc_files_open(outputs[i].file, outputs[i].path);
    return code;
}

static int open_outputs(struct run *r)
{
    const struct hc_run_options *o = &r->options;
    struct hc_machine *m = r->node.machine;

    hc_machine_set_note(m, note, NULL);
    hc_machine_set_lenient(m, o->lenient);
    int code = open_line(r);
    if (!code)
        code = open_files(r);
    if (code)
        return code;
    if (o->leds)
        show_leds(r);
    if (o->vcd && !(r->vcd = hc_vcd_open(m, hc_output_file(r->vcd_file)))) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    hc_progress_begin(&r->progress);
    r->progress.on &= !o->trace && !o->leds && !o->uart_pty;
    r->line.progress = &r->progress;
    return HC_EXIT_FINE;
}

static int write_oracle(struct run *r)
{
    struct hc_oracle_message message;
    if (!hc_oracle_write(&r->oracle, r->node.machine, r->node.image, hc_machine_part(r->node.machine)->name,
                         r->options.oracle, &message))
        return HC_EXIT_FINE;
    hc_complain("%s", message.text);
    return HC_EXIT_INPUT;
}

/* With the machine powered on. */
static int set_hooks(struct run *r)
{
    const struct hc_run_options *o = &r->options;
    uint32_t address;

    if (o->until && !hc_place_find(r->node.image, o->until, &address)) {
        hc_complain("--until: '%s' is neither a symbol of %s, an address, nor FILE:LINE with code", o->until,
                    o->file[0]);
        return HC_EXIT_INPUT;
    }
    if (o->until)
        hc_hook_pc(r->node.machine, address, stop_here, NULL);
    if (o->trace)
        hc_trace_start(&r->trace, r->node.machine, r->node.image,
                       r->trace_file ? hc_output_file(r->trace_file) : stderr);
    return o->oracle ? write_oracle(r) : HC_EXIT_FINE;
}

static int report(struct run *r, enum hc_ending ending)
{
    const struct hc_run_options *o = &r->options;

    hc_progress_clear(&r->progress);
    if (r->line.sent && r->line.last != '\n' && !o->json && isatty(STDOUT_FILENO))
        putchar('\n');
    if (o->json)
        hc_report_json(stdout, &r->node, ending, &r->line);
    if (ending == HC_ENDED_FAULT)
        hc_report_fault(&r->node);
    if (o->stats && !o->json)
        hc_report_text(stderr, &r->node, ending);
    if (o->until && ending != HC_ENDED_REACHED && ending != HC_ENDED_INTERRUPTED) {
        hc_complain("'%s' was not reached", o->until);
        return HC_EXIT_FOUND;
    }
    return ending == HC_ENDED_FAULT ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

/* One past the last address at which the part has memory. */
static uint32_t memory_end(const struct run *r)
{
    uint32_t end = 0;

    for (const struct hc_region *region = hc_machine_part(r->node.machine)->regions; region->name; region++)
        if (region->end >= end)
            end = region->end + 1;
    return end;
}

static void save_memory(struct run *r, FILE *to)
{
    uint32_t end = memory_end(r);

    for (uint32_t at = 0; at < end; at++)
        putc(hc_peek(r->node.machine, at), to);
}

/* The log that the node left, in the flash chip or in the part's own memory. */
static bool note_log(struct run *r)
{
    uint32_t size = memory_end(r);
    uint8_t *bytes = malloc(size > HC_M25P80_SIZE ? size : HC_M25P80_SIZE);
    bool well = bytes;

    for (uint32_t at = 0; well && at < size; at++)
        bytes[at] = hc_peek(r->node.machine, at);
    well = well && hc_oracle_note_log(r->oracle, bytes, size);
    if (well && r->node.telosb) {
        hc_m25p80_read(r->node.telosb->flash, 0, bytes, HC_M25P80_SIZE);
        well = hc_oracle_note_log(r->oracle, bytes, HC_M25P80_SIZE);
    }
    free(bytes);
    return well;
}

static int close_oracle(struct run *r, bool ran)
{
    int cause = 0;

    if (r->oracle && ran && !note_log(r))
        cause = ENOMEM;
    int failed = hc_oracle_close(r->oracle, ran && !cause);
    cause = cause ? cause : failed;
    return cause ? hc_files_fail(r->options.oracle, cause) : HC_EXIT_FINE;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* Finishes each file, even if another fails; none if the node never ran. */
static int close_outputs(struct run *r, bool ran)
{
    const struct hc_run_options *o = &r->options;

    hc_trace_stop(&r->trace);
    hc_vcd_close(r->vcd);
    if (ran && r->flash_file)
        hc_m25p80_write_file(r->node.telosb->flash, hc_output_file(r->flash_file));
    if (ran && r->memory_file)
        save_memory(r, hc_output_file(r->memory_file));
    int code = close_oracle(r, ran);
    code = worse(code, hc_files_close(r->trace_file, o->trace_file, ran));
    code = worse(code, hc_files_close(r->vcd_file, o->vcd, ran));
    code = worse(code, hc_files_close(r->flash_file, o->flash, ran));
    code = worse(code, hc_files_close(r->memory_file, o->memory, ran));
    hc_serial_line_close(&r->line);
    hc_uart_pty_close(&r->pty);
    return code;
}

static int run_node(struct hc_run_options *options)
{
    static const struct run nothing;
    struct run r = nothing;
    enum hc_ending ending = HC_ENDED_TIME;
    bool ran = false;

    r.options = *options;
    int code = check_files(&r.options);
    if (!code)
        code = hc_node_new(&r.node, &r.options);
    if (!code)
        code = open_outputs(&r);
    if (!code) {
        hc_node_power_on(&r.node, NULL);
        code = set_hooks(&r);
    }
    if (!code) {
        hc_signals_catch(stop_machine, r.node.machine);
        ran = true;
        if (r.options.gdb_port >= 0)
            code = debug(&r, &ending);
        else
            ending = run_on(&r);
        if (!code)
            code = report(&r, ending);
        hc_signals_catch(NULL, NULL);
    }
    int closed = close_outputs(&r, ran);
    hc_node_free(&r.node);
    return closed ? closed : code;
}

static int run(int argc, char **argv)
{
    struct hc_run_options options = { 0 };

    hc_run_options_parse(&options, argc, argv);
    int code = hc_run_is_field(&options) ? hc_run_field(&options, argc, argv) : run_node(&options);
    free(options.timed_input);
    return code;
}

const struct hc_command hc_run_command = { "run", "Run firmware on one emulated node, or on a network of them", run };
