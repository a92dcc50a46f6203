/* `monitor` commands: what the protocol has no packets for. Some are the stub's own, others the target's. */
#include "stub.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct own_command {
    const char *name;
    const char *help;
    bool (*run)(struct hc_gdb_stub *s, const char *arguments);
};

void hc_gdb_print(const struct hc_gdb_console *console, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    console->print(console->owner, text);
}

static void print_line(struct hc_gdb_stub *s, const char *name, const char *help)
{
    char line[160];

    snprintf(line, sizeof line, "%-12s %s\n", name, help);
    hc_gdb_stub_console(s, line);
}

static bool registers(struct hc_gdb_stub *s, const char *arguments)
{
    if (strcmp(arguments, "own") != 0 && strcmp(arguments, "32") != 0)
        return false;
    s->layout = arguments[0] == 'o' ? HC_GDB_LAYOUT_OWN : HC_GDB_LAYOUT_32;
    s->layout_chosen = true;
    return true;
}

static bool help(struct hc_gdb_stub *s, const char *arguments);

static const struct own_command own_commands[] = {
    { "help", "this list", help },
    { "registers", "own | 32: how wide registers are in packets (normally guessed from the debugger)", registers },
};

enum { OWN_COMMANDS = sizeof own_commands / sizeof own_commands[0] };

static bool help(struct hc_gdb_stub *s, const char *arguments)
{
    const struct hc_gdb_command *command = s->target->ops->commands;

    (void)arguments;
    for (int i = 0; i < OWN_COMMANDS; i++)
        print_line(s, own_commands[i].name, own_commands[i].help);
    for (; command && command->name; command++)
        print_line(s, command->name, command->help);
    return true;
}

static void print(void *owner, const char *text)
{
    hc_gdb_stub_console(owner, text);
}

static bool run(struct hc_gdb_stub *s, const char *name, const char *arguments)
{
    const struct hc_gdb_command *command = s->target->ops->commands;
    struct hc_gdb_console console = { print, s, s->lldb };

    for (int i = 0; i < OWN_COMMANDS; i++)
        if (!strcmp(name, own_commands[i].name))
            return own_commands[i].run(s, arguments);
    for (; command && command->name; command++)
        if (!strcmp(name, command->name))
            return command->run(s->target, arguments, &console);
    hc_gdb_print(&console, "no monitor command \"%s\"; try \"monitor help\"\n", name);
    return false;
}

bool hc_gdb_monitor(struct hc_gdb_stub *s, const char *line)
{
    char name[32], arguments[256];
    size_t n;

    line += strspn(line, " \t\r\n");
    n = strcspn(line, " \t\r\n");
    snprintf(name, sizeof name, "%.*s", (int)n, line);
    line += n;
    line += strspn(line, " \t\r\n");
    snprintf(arguments, sizeof arguments, "%s", line);
    for (n = strlen(arguments); n > 0 && strchr(" \t\r\n", arguments[n - 1]); n--)
        arguments[n - 1] = 0;
    return run(s, name[0] ? name : "help", arguments);
}
