/* hindcast doctor: what each task needs on this computer, and what is missing. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"
#include "instrument/command/share.h"
#include "version.h"

#include <argp.h>
#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind {
    OURS,    /* a file that comes with hindcast, under its shared folder */
    PROGRAM, /* one of several programs, on the PATH */
    SUPPORT, /* a file of msp430mcu: under $MSP430MCU or /usr/msp430 */
    SERIAL,  /* a serial port that may be opened */
    FILES,   /* a file that can be read, by pattern */
};

struct need {
    enum kind kind;
    const char *names; /* alternatives are separated by | */
    const char *remedy;
    bool is_optional; /* a part of the task works without it */
};

enum { NEEDS_MOST = 6 };

struct task {
    const char *name;
    bool is_extra; /* optional: if it is missing, the exit code is not 1 */
    struct need needs[NEEDS_MOST + 1];
};

static const char ours[] =
    "install the packages hindcast and hindcast-kit, or `make install`; or HINDCAST_SHARE names the folder";
static const char mcu[] = "apt install msp430mcu; or MSP430MCU names its folder";

static const struct task tasks[] = {
    { "run, replay and debug programs", false, { { OURS, "devices/msp430f1611.regs", ours, false } } },
    { "record with clang (hindcast cc clang-19)",
      false,
      { { PROGRAM, "clang-19", "apt install clang-19", false },
        { PROGRAM, "ld.lld-19", "apt install lld-19", false },
        { OURS, "runtime/record.c", ours, false },
        { OURS, "devices/msp430f1611.regs", ours, false } } },
    { "build with the kit (kit/build)",
      false,
      { { OURS, "firmware/kit/build", ours, false },
        { PROGRAM, "clang-19", "apt install clang-19", false },
        { PROGRAM, "llvm-ar-19", "apt install llvm-19", true },
        { SUPPORT, "include/msp430f1611.h", mcu, false },
        { SUPPORT, "lib/ldscripts/msp430f1611/periph.x", mcu, false } } },
    { "record with GCC (hindcast cc msp430-elf-gcc)",
      true,
      { { PROGRAM, "msp430-elf-gcc", "TI's compiler, or tools/build-msp430-elf-gcc", false } } },
    { "read a mote's chip (hindcast fetch)",
      true,
      { { OURS, "dump.elf|build/firmware/dump.elf", "`make install` installs it", false },
        { SERIAL, "/dev/ttyUSB*|/dev/ttyACM*|/dev/serial/by-id/*",
          "connect the mote; its port must be yours to open: adduser USER dialout", false } } },
    { "debug with gdb or lldb (--gdb)",
      true,
      { { PROGRAM, "msp430-elf-gdb|lldb-19|lldb",
          "apt install lldb-19, or tools/build-msp430-elf-gdb, which goes backwards, too", false } } },
    { "record a region on a Cortex-M",
      true,
      { { PROGRAM, "arm-none-eabi-gcc", "apt install gcc-arm-none-eabi; or clang-19 with --target=thumbv7m-none-eabi",
          true },
        { PROGRAM, "llc-19", "apt install llvm-19", false },
        { PROGRAM, "ld.lld-19", "apt install lld-19", false },
        { FILES, "/usr/lib/gcc/x86_64-linux-gnu/*/32/crtbegin.o", "apt install lib32gcc-12-dev", false },
        { FILES, "/usr/lib32/crt1.o", "apt install libc6-dev-i386", false },
        { PROGRAM, "gdb", "apt install gdb", true } } },
    { "look at what runs leave",
      true,
      { { PROGRAM, "gtkwave", "apt install gtkwave: waveforms (--vcd)", true },
        { PROGRAM, "wireshark|tshark", "apt install wireshark: frames on the air", true },
        { PROGRAM, "less|more", "apt install less: long output in the debugger", true } } },
};
enum { TASKS = sizeof tasks / sizeof *tasks };

/* ---- looking ---- */

/* The first of NAMES that LOOK finds: its path, to be freed; NULL if none. */
static char *first_of(const char *names, char *(*look)(const char *name))
{
    char *copy = strdup(names), *rest = copy, *name, *found = NULL;

    while (!found && (name = strsep(&rest, "|")))
        found = look(name);
    free(copy);
    return found;
}

static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : ""), *rest = copy, *folder, *found = NULL;

    while (!found && (folder = strsep(&rest, ":"))) {
        if (asprintf(&found, "%s/%s", *folder ? folder : ".", name) < 0)
            found = NULL;
        if (found && access(found, X_OK)) {
            free(found);
            found = NULL;
        }
    }
    free(copy);
    return found;
}

static char *find_support(const char *name)
{
    const char *folder = getenv("MSP430MCU");
    char *path = NULL;

    if (asprintf(&path, "%s/%s", folder && *folder ? folder : "/usr/msp430", name) < 0 || access(path, R_OK)) {
        free(path);
        return NULL;
    }
    return path;
}

/* The first that PATTERN fits and that may be used as MODE says. */
static char *find_file(const char *pattern, int mode)
{
    glob_t found = { 0 };
    char *file = NULL;

    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc && !file; i++)
            if (!access(found.gl_pathv[i], mode))
                file = strdup(found.gl_pathv[i]);
    globfree(&found);
    return file;
}

static char *find_serial(const char *pattern)
{
    return find_file(pattern, R_OK | W_OK);
}

static char *find_readable(const char *pattern)
{
    return find_file(pattern, R_OK);
}

static char *find(const struct need *need)
{
    static char *(*const look[])(const char *) = {
        [OURS] = hc_share_find, [PROGRAM] = find_program, [SUPPORT] = find_support,
        [SERIAL] = find_serial, [FILES] = find_readable,
    };
    return first_of(need->names, look[need->kind]);
}

/* ---- telling ---- */

/* "clang-19 or clang" of "clang-19|clang". */
static void write_names(char *out, size_t size, const char *names)
{
    size_t n = 0;

    for (const char *c = names; *c && n + 5 < size; c++)
        n += (size_t)snprintf(out + n, size - n, *c == '|' ? " or " : "%c", *c);
    out[n] = '\0';
}

/* How many of its needs that are not optional are missing. */
static int tell_task(const struct task *task)
{
    char *found[NEEDS_MOST] = { NULL }, names[200];
    int missing = 0, wanted = 0;

    for (int i = 0; task->needs[i].names; i++) {
        found[i] = find(&task->needs[i]);
        missing += !found[i] && !task->needs[i].is_optional;
        wanted += !found[i];
    }
    printf("%-46s %s\n", task->name, missing ? "MISSING" : wanted ? "in part" : "fine");
    for (int i = 0; task->needs[i].names; i++) {
        write_names(names, sizeof names, task->needs[i].names);
        if (found[i])
            printf("    %s: %s\n", names, found[i]);
        else
            printf("    %s: not found; %s\n", names, task->needs[i].remedy);
        free(found[i]);
    }
    return missing;
}

static json_t *need_json(const struct need *need, int *missing)
{
    char *found = find(need), names[200];

    *missing += !found && !need->is_optional;
    write_names(names, sizeof names, need->names);
    json_t *out = json_pack("{s:s,s:b,s:s?,s:s}", "what", names, "optional", need->is_optional, "found", found,
                            "remedy", need->remedy);
    free(found);
    return out;
}

static int list_as_json(void)
{
    struct hc_version v = hc_version();
    json_t *list = json_array();
    int lacking = 0;

    for (int i = 0; i < TASKS; i++) {
        json_t *needs = json_array();
        int missing = 0;
        for (int k = 0; tasks[i].needs[k].names; k++)
            json_array_append_new(needs, need_json(&tasks[i].needs[k], &missing));
        json_array_append_new(list, json_pack("{s:s,s:b,s:b,s:o}", "task", tasks[i].name, "fine", !missing, "extra",
                                              tasks[i].is_extra, "needs", needs));
        lacking += missing && !tasks[i].is_extra;
    }
    json_t *all =
        json_pack("{s:s,s:s,s:s,s:o}", "version", v.version, "commit", v.commit, "build", v.build, "tasks", list);
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
    return lacking;
}

static int list_as_text(void)
{
    int lacking = 0;

    hc_version_print(stdout);
    putchar('\n');
    for (int i = 0; i < TASKS; i++)
        lacking += tell_task(&tasks[i]) && !tasks[i].is_extra;
    if (lacking)
        printf("\n%d of %d tasks cannot be done here yet.\n", lacking, TASKS);
    return lacking;
}

/* ---- the command ---- */

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bool *json = state->input;

    (void)argument;
    switch (key) {
    case 'j':
        *json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "takes no file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = { { "json", 'j', NULL, 0, "For programs", 0 }, { 0 } };
    static const struct argp argp = { options,
                                      parse,
                                      "",
                                      "Says which programs and files each task needs, where they are on this computer, "
                                      "and what to do about those that are missing.\v"
                                      "Examples:\n  hindcast doctor\n  hindcast doctor --json | jq '.tasks[].fine'\n\n"
                                      "Exit codes: 0 all is there to build, record, replay and debug; 1 something of "
                                      "that is missing; 2 wrong usage.",
                                      NULL,
                                      NULL,
                                      NULL };
    bool json = false;

    argp_parse(&argp, argc, argv, 0, NULL, &json);
    return (json ? list_as_json() : list_as_text()) ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

const struct hc_command hc_doctor_command = {
    .name = "doctor",
    .summary = "Say what is missing on this computer, and for what",
    .run = run,
};
