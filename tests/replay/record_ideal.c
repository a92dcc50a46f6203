/* record_ideal ELF LOG KIND SEED: a log of an ideal recorder.
 *
 *     plain     one life, with checkpoints
 *     unchecked the same without self-checks
 *     watchdog  a life that the watchdog ends, what waited is rescued; then another one
 *     power     a life that a loss of power ends; then another one */
#include "ideal_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 300000, EVERY = 40, WITHOUT = 1000000, WATCHDOG = 1 };

static struct {
    const char *elf, *path, *kind;
    uint64_t seed;
} options;

static void record(struct ideal *node, struct ideal_log *log, uint64_t n)
{
    uint64_t end = ideal_instructions(node) + n;
    unsigned last = log->updates;
    while (ideal_instructions(node) < end) {
        options.seed = options.seed * 6364136223846793005u + 1442695040888963407u;
        ideal_run(node, ideal_instructions(node) + 200 + (options.seed >> 40) % 3000);
        ideal_interrupt(node, options.seed >> 60 & 1 ? 6 : 13);
        log->wants_checkpoint |= log->updates - last > EVERY;
        if (log->wants_checkpoint)
            last = log->updates;
    }
}

static void make(void **state)
{
    (void)state;
    struct ideal node;
    struct ideal_log log;
    ideal_start(&node, options.elf, true, NULL);
    ideal_log_start(&log, &node);
    log.patience = strcmp(options.kind, "unchecked") == 0 ? WITHOUT : 0;
    record(&node, &log, LENGTH);
    bool rescued = strcmp(options.kind, "watchdog") == 0;
    if (rescued || strcmp(options.kind, "power") == 0) {
        printf("%zu events\n", node.events);
        ideal_log_reset(&log, rescued ? WATCHDOG : 0, rescued, 0);
        record(&node, &log, LENGTH / 10);
    }
    ideal_log_flush(&log);
    ideal_log_save(&log, options.path);
    ideal_log_stop(&log);
    ideal_stop(&node);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(make) };
    if (argc != 5)
        return 2;
    options.elf = argv[1];
    options.path = argv[2];
    options.kind = argv[3];
    options.seed = strtoull(argv[4], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
