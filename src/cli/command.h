/* A command of `hindcast`: one file each, listed in main.c. */
#ifndef HC_CLI_COMMAND_H
#define HC_CLI_COMMAND_H

#include <stddef.h>

enum hc_exit {
    HC_EXIT_FINE = 0,
    HC_EXIT_FOUND = 1, /* the tool found what it looks for: the firmware faulted, a place was not reached */
    HC_EXIT_USAGE = 2,
    HC_EXIT_INPUT = 3,    /* a file is bad, missing, or does not match */
    HC_EXIT_DIVERGED = 4, /* a replay contradicts the recording */
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
extern const struct hc_command hc_order_command, hc_profile_command, hc_report_command, hc_why_command;
extern const struct hc_command hc_slice_command;
extern const struct hc_command hc_power_command, hc_check_command;
extern const struct hc_command hc_paths_command;
extern const struct hc_command hc_log_command, hc_fetch_command;
extern const struct hc_command hc_map_command, hc_regs_command;
extern const struct hc_command hc_cc_command, hc_ld_command;
extern const struct hc_command hc_doctor_command;

/* Where messages go instead of stderr: into TEXT, which holds the last one. */
struct hc_message_buffer {
    char *text;
    size_t size;
};

/* Prints "hindcast: MESSAGE" and a newline to stderr. */
void hc_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the message to TO, or to stderr if TO is NULL. */
void hc_complain_to(struct hc_message_buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
