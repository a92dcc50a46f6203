/* hindcast cc, hindcast ld: a compiler and a linker that put the recorder in. */
#include "command.h"
#include "instrument/driver/driver.h"
#include "slice_levels.h"

#include <stdio.h>
#include <string.h>

static void print_compiler_help(FILE *to)
{
    fputs("Usage: hindcast cc [OPTION...] COMPILER [ARGUMENT...]\n"
          "       hindcast cc [OPTION...] --commands FILE [--out DIRECTORY]\n\n"
          "Runs the compiler with these arguments, and adds the recorder to C sources and programs.\nMessages, exit "
          "code and output files are the compiler's.\n\n",
          to);
    hc_settings_help(to);
    fputs("\nOptions may also be in HINDCAST_CC_OPTIONS; docs/recording.md describes them.\n\n"
          "Examples:\n"
          "  make CC=\"hindcast cc clang-19\"\n"
          "  hindcast cc msp430-elf-gcc -mmcu=msp430f1611 -Os app.c -o app.elf\n"
          "  hindcast cc --codec=paper --sink=uart clang-19 --target=msp430-none-elf -mmcu=msp430f1611 -c app.c\n"
          "  hindcast cc --commands compile_commands.json --out recorded\n"
          "  hindcast cc --checkpoints=loop-latch msp430-elf-gcc -mmcu=msp430fr5969 app.c checkpoint.c -o app.elf\n\n"
          "Exit codes: the compiler's; 2 wrong usage; 3 a source or a program that cannot be recorded.\n",
          to);
}

static void print_linker_help(FILE *to)
{
    fputs("Usage: hindcast ld [OPTION...] LINKER [ARGUMENT...]\n\n"
          "Runs the linker, and adds the recorder if objects were compiled by hindcast cc.\n\n",
          to);
    hc_settings_help(to);
    fputs("\nExample:\n"
          "  hindcast ld ld.lld-19 -T app.ld app.o -o app.elf\n\n"
          "Exit codes: the linker's; 2 wrong usage; 3 a program that cannot be recorded.\n",
          to);
}

typedef bool (*driver)(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                       size_t count, int *code);

static int drive(struct hc_invocation *session, struct hc_settings *settings, driver compile_or_link, int argc,
                 char **argv, void (*help)(FILE *))
{
    size_t used = 0;
    int code = 0;

    if (!hc_settings_read(settings, session, argv + 1, (size_t)argc - 1, &used)) {
        hc_complain("%s", session->message);
        return HC_EXIT_USAGE;
    }
    settings->choose = hc_slice_choose;
    char **command = argv + 1 + used;
    size_t count = (size_t)argc - 1 - used;
    if (settings->help || (!count && !settings->commands)) {
        help(settings->help ? stdout : stderr);
        return settings->help ? HC_EXIT_FINE : HC_EXIT_USAGE;
    }
    session->commands = settings->verbose ? stderr : NULL;
    bool fine = settings->commands ? hc_driver_commands(session, settings, &code)
                                   : compile_or_link(session, settings, command, count, &code);
    if (fine || code)
        return code;
    hc_complain("%s", session->message);
    return HC_EXIT_INPUT;
}

static int run(driver compile_or_link, int argc, char **argv, void (*help)(FILE *))
{
    struct hc_invocation session;
    struct hc_settings settings = { 0 };
    int code = HC_EXIT_INPUT;

    if (hc_invocation_begin(&session)) {
        session.errors = stderr;
        code = drive(&session, &settings, compile_or_link, argc, argv, help);
    } else {
        hc_complain("%s", session.message);
    }
    hc_settings_free(&settings);
    hc_invocation_end(&session, code != HC_EXIT_FINE);
    return code;
}

static int run_cc(int argc, char **argv)
{
    return run(hc_driver_compile, argc, argv, print_compiler_help);
}

static int run_ld(int argc, char **argv)
{
    return run(hc_driver_link, argc, argv, print_linker_help);
}

const struct hc_command hc_cc_command = { "cc", "Compile and add the recorder", run_cc };
const struct hc_command hc_ld_command = { "ld", "Link and add the recorder", run_ld };
