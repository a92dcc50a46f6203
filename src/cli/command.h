/* A command of `hindcast`: one file each, listed in main.c. */
#ifndef HC_CLI_COMMAND_H
#define HC_CLI_COMMAND_H

#include <stddef.h>

enum hc_exit {
    HC_EXIT_FINE = 0,
    HC_EXIT_FOUND = 1, /* what one looks for: the firmware faulted, a place was not reached */
    HC_EXIT_USAGE = 2,
    HC_EXIT_INPUT = 3,    /* a file is bad, missing, or does not fit */
    HC_EXIT_DIVERGED = 4, /* a replay is not what was recorded */
};

struct hc_command {
    const char *name;
    const char *summary; /* one line */
    /* ARGV[0] is "hindcast NAME". Returns an hc_exit. */
    int (*run)(int argc, char **argv);
};

extern const struct hc_command hc_run_command;
extern const struct hc_command hc_replay_command;
extern const struct hc_command hc_dap_command, hc_debug_command, hc_print_command;
extern const struct hc_command hc_order_command;
extern const struct hc_command hc_power_command;
extern const struct hc_command hc_log_command, hc_fetch_command;
extern const struct hc_command hc_map_command, hc_regs_command;
extern const struct hc_command hc_cc_command, hc_ld_command;

/* "hindcast: ..." on stderr, with a newline. */
void hc_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on complaints go into TEXT instead, the last one of them; NULL ends it. */
void hc_complain_into(char *text, size_t size);

#endif
