/* hindcast: finds the command and hands over. */
#include "command.h"
#include "memory.h"
#include "version.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct hc_command *const commands[] = {
    &hc_run_command,   &hc_replay_command,  &hc_debug_command,  &hc_dap_command,   &hc_print_command,
    &hc_why_command,   &hc_profile_command, &hc_report_command, &hc_order_command, &hc_power_command,
    &hc_check_command, &hc_cc_command,      &hc_ld_command,     &hc_log_command,   &hc_fetch_command,
    &hc_map_command,   &hc_regs_command,    &hc_doctor_command, &hc_slice_command, &hc_paths_command,
};

static void print_message(const char *format, va_list arguments)
{
    fflush(stdout);
    fputs("hindcast: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void hc_complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

void hc_complain_to(struct hc_message_buffer *to, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (to)
        vsnprintf(to->text, to->size, format, arguments);
    else
        print_message(format, arguments);
    va_end(arguments);
}

static void print_help(FILE *out)
{
    fputs("Usage: hindcast COMMAND [OPTION...]\n\n"
          "A flight recorder and a time machine for microcontrollers.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nExamples:\n"
          "  hindcast run app.elf --seconds 10          ten seconds of a TelosB, its UART on stdout\n"
          "  hindcast run app.elf --gdb 1234            wait for gdb or lldb\n"
          "  hindcast run --nodes 9 app.elf             nine nodes on one radio channel\n"
          "  hindcast run scenario.txt                  what docs/scenario.md describes\n"
          "  hindcast run --help                        all options of run\n"
          "  hindcast fetch /dev/ttyUSB0 -o node.flash  the flash chip of a real TelosB\n"
          "  hindcast debug app.elf node.flash          what a node recorded, forwards and backwards in time\n"
          "  hindcast print app.elf node.flash --at f x a variable over the run; --svg plots it\n"
          "  hindcast profile app.elf node.flash        instructions, cycles, energy by function\n"
          "  make CC=\"hindcast cc clang-19\"             firmware that records itself\n\n"
          "Exit codes: 0 fine; 1 the tool found something (a fault of the firmware); 2 wrong usage; 3 bad input;\n"
          "4 a replay diverged.\n",
          out);
}

/* If the caller closed a standard stream, the next file opened would get its number and our messages would go into it.
 */
static void open_standard_streams(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY }; /* the wrong way round: using one is an error */

    for (int i = 0; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[i]) != i)
            _exit(HC_EXIT_INPUT);
}

/* Runs at exit: output that could not be written is an error, whatever the command returned. */
static void close_stdout(void)
{
    errno = 0;
    bool failed = ferror(stdout);
    int cause = fclose(stdout) ? errno : 0;

    if (!failed && !cause)
        return;
    fprintf(stderr, "hindcast: stdout: cannot be written%s%s\n", cause ? ": " : "", cause ? strerror(cause) : "");
    _exit(HC_EXIT_INPUT);
}

static int run_command(const struct hc_command *command, int argc, char **argv)
{
    static char long_help[] = "--help";
    char name[64];

    snprintf(name, sizeof name, "hindcast %s", command->name);
    argv[0] = name;
    if (argc > 1 && !strcmp(argv[1], "-h"))
        argv[1] = long_help;
    return command->run(argc, argv);
}

static const struct hc_command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(name, commands[i]->name))
            return commands[i];
    hc_complain("unknown command '%s'; see hindcast --help", name);
    return NULL;
}

/* hindcast help [COMMAND] */
static int help(int argc, char **argv)
{
    static char short_help[] = "-h";

    if (argc < 3 || strcmp(argv[1], "help") != 0) {
        print_help(argc > 1 ? stdout : stderr);
        return argc > 1 ? HC_EXIT_FINE : HC_EXIT_USAGE;
    }
    const struct hc_command *command = find_command(argv[2]);
    char *words[] = { argv[2], short_help, NULL };
    return command ? run_command(command, 2, words) : HC_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";

    open_standard_streams();
    hc_memory_begin();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large: the write fails instead */
    atexit(close_stdout);
    argp_err_exit_status = HC_EXIT_USAGE;
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        hc_version_print(stdout);
        return HC_EXIT_FINE;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "-?") || !strcmp(name, "help"))
        return help(argc, argv);
    const struct hc_command *command = find_command(name);
    return command ? run_command(command, argc - 1, argv + 1) : HC_EXIT_USAGE;
}
