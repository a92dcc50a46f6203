/* hindcast regs: shows and checks the description of a part's registers, or makes one to start from. */
#include "registers/regs.h"
#include "command.h"
#include "registers/skeleton.h"
#include "support/plural.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

struct options {
    const char *part, *support;
    bool from_header;
};

enum { SUPPORT = 256 };

static const struct argp_option options[] = {
    { "from-header", 'f', NULL, 0, "Print a description to start from, generated from msp430mcu's header of PART", 0 },
    { "support", SUPPORT, "DIRECTORY", 0, "Directory of msp430mcu's files (/usr/msp430)", 0 },
    { 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'f':
        o->from_header = true;
        return 0;
    case SUPPORT:
        o->support = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (o->part)
            argp_error(state, "more than one PART given");
        o->part = argument;
        return 0;
    case ARGP_KEY_END:
        if (!o->part)
            argp_error(state, "no PART given: give a name such as msp430f1611, or a file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show_register(const struct hc_reg *r)
{
    static const char *const classes[] = { "state", "timer", "data", "vector", "-" };
    int digits = 2 * r->size;

    printf("0x%04x  %-12s %-6s  %0*x  %0*x  %0*x%s%s%s\n", (unsigned)r->address, r->name, classes[r->class], digits,
           (unsigned)r->nondeterministic, digits, (unsigned)r->kept, digits, (unsigned)r->constant,
           r->when_mask ? "  (on a condition)" : "", r->read_effect ? "  (a read has effects)" : "",
           r->unchecked ? "  (unchecked)" : "");
}

static void show(const struct hc_regs *regs)
{
    size_t unchecked = 0, recorded = 0;

    puts("address register     class   recorded, kept and constant bits");
    for (size_t i = 0; i < regs->count; i++) {
        show_register(&regs->reg[i]);
        unchecked += regs->reg[i].unchecked;
        recorded += regs->reg[i].class != HC_SITE_NONE;
    }
    printf("%s: %zu registers, %zu of them with bits that are recorded, %zu unchecked; %d timer%s, %d DMA channel%s\n",
           regs->part, regs->count, recorded, unchecked, regs->timers, hc_plural((unsigned)regs->timers), regs->dmas,
           hc_plural((unsigned)regs->dmas));
}

static int run(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "PART",
        "Shows what is known of a part's registers: PART is a name or a file.\v"
        "Examples:\n  hindcast regs msp430f1611\n"
        "  hindcast regs --from-header msp430f2617 > devices/msp430f2617.regs\n\n"
        "Exit codes: 0 fine; 2 wrong usage; 3 the part is not known, or its description is bad.",
        NULL,
        NULL,
        NULL
    };
    struct options o = { .support = "/usr/msp430" };
    struct hc_regs_message message;
    struct hc_regs *regs = NULL;

    if (argp_parse(&argp, argc, argv, 0, NULL, &o))
        return HC_EXIT_USAGE;
    int error = o.from_header ? hc_regs_skeleton(stdout, o.part, o.support, &message)
                              : hc_regs_load_part(&regs, o.part, &message);
    if (error)
        hc_complain("%s", message.text);
    else if (regs)
        show(regs);
    hc_regs_free(regs);
    return error ? HC_EXIT_INPUT : HC_EXIT_FINE;
}

const struct hc_command hc_regs_command = {
    .name = "regs",
    .summary = "Show what is known of a part's registers, or a description to start from",
    .run = run,
};
