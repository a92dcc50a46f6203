#include "bitcode.h"

#include "recorded/bitcode.h"

#include <stdlib.h>
#include <string.h>

/* As plain C, not as preprocessed text: the macro takes out what LLVM's own reader rejects on 16-bit targets. Local
 * variables stay in memory, which tells the analysis more than registers of an optimised function. */
static const char *const ours[] = {
    "-x",
    "c",
    "-emit-llvm",
    "-c",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-w",
    "-fno-builtin",
    "-D__builtin_frame_address(level)=((void *)0)",
    "-D__builtin_return_address(level)=((void *)0)",
    "-",
    "-o",
    "-",
};

static void command_for(const struct hc_compilation *c, const struct hc_argv *arguments, struct hc_argv *command)
{
    if (c->compiler->gcc)
        hc_argv_add(command, "clang-19");
    else
        hc_argv_add_all(command, c->compiler->command.word, c->compiler->command.count);
    hc_argv_add_all(command, arguments->word, arguments->count);
    hc_argv_add_all(command, (char *const *)ours, sizeof ours / sizeof *ours);
}

/* The first line of what the compiler said. */
static const char *reason_of(struct hc_process *process)
{
    char *reason = process->errors ? process->errors : NULL;

    if (reason)
        reason[strcspn(reason, "\n")] = '\0';
    return reason && *reason ? reason : "clang-19 could not be run";
}

void hc_bitcode_add(const struct hc_compilation *c, const char *name, const char *text, size_t size,
                    const struct hc_argv *arguments, FILE *to)
{
    struct hc_argv command = { 0 };
    struct hc_process process = {
        .command = &command, .input = text, .input_size = size, .takes_output = true, .takes_errors = true
    };
    char *why = NULL;

    command_for(c, arguments, &command);
    if (!command.failed && hc_process_run(c->session, &process) && !process.code && process.output_size)
        hc_bitcode_write(to, name, process.output, process.output_size);
    else if (asprintf(&why, "%s: %s", name, reason_of(&process)) >= 0)
        hc_bitcode_write(to, why, NULL, 0);
    free(why);
    hc_process_free(&process);
    hc_argv_free(&command);
}
