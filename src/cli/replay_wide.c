#include "replay_wide.h"

#include "command.h"
#include "native/wide/wide.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool hc_replay_is_wide(const struct hc_image *image)
{
    struct hc_region_map map = { 0 };
    char text[300];
    bool wide = hc_region_map_is(image) && hc_region_map_read(&map, image, text, sizeof text) && map.unit == 4;

    hc_region_map_free(&map);
    return wide;
}

/* ---- one program ---- */

static int wait_for(pid_t child, const char *program)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    hc_complain("%s: it ended by signal %d; start it in gdb", program, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return HC_EXIT_FOUND;
}

/* Standard output and error go there. */
static void say_to(const char *file)
{
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (to >= 0) {
        dup2(to, STDOUT_FILENO);
        dup2(to, STDERR_FILENO);
    }
}

/* The region's program says itself what came of it (SAID: in that file); the sanitizer ends it with HC_EXIT_FOUND. */
static int start(const char *program, const char *said)
{
    fflush(NULL);
    pid_t child = fork();

    if (!child) {
        setenv("ASAN_OPTIONS", "exitcode=1:print_legend=0:detect_leaks=0:allocator_may_return_null=1", 0);
        setenv("ASAN_SYMBOLIZER_PATH", "/usr/bin/llvm-symbolizer-19", 0);
        if (said)
            say_to(said);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    return child < 0 ? HC_EXIT_INPUT : wait_for(child, program);
}

/* ---- what it said, as JSON ---- */

/* "boot 0: 2 visits from 30 bytes; 3 checks agreed; TEXT" */
static json_t *json_of_account(const char *line, int code)
{
    const char *end = code == HC_EXIT_FINE ? "end" : code == HC_EXIT_DIVERGED ? "deviation" : "fault";
    unsigned long long boot, visits, bytes, checks;
    int text = 0;

    if (sscanf(line, "boot %llu: %llu visit%*[s ]from %llu bytes; %llu check%*[s ]agreed; %n", &boot, &visits, &bytes,
               &checks, &text) != 4 ||
        !text)
        return NULL;
    return json_pack("{sI sI sI sI ss ss s[]}", "boot", (json_int_t)boot, "visits", (json_int_t)visits, "bytes",
                     (json_int_t)bytes, "checks", (json_int_t)checks, "end", end, "text", line + text, "findings");
}

/* "SUMMARY: AddressSanitizer: WHAT FILE:LINE:COLUMN in FUNCTION" */
static json_t *json_of_summary(const char *line)
{
    char what[100], place[1000], function[200];

    if (sscanf(line, "SUMMARY: AddressSanitizer: %99s %999s in %199s", what, place, function) != 3)
        return NULL;
    char *colon = strchr(place, ':');
    unsigned long number = colon ? strtoul(colon + 1, NULL, 10) : 0;
    if (colon)
        *colon = '\0';
    return json_pack("{ss ss sI ss}", "what", what, "file", place, "line", (json_int_t)number, "function", function);
}

/* "FILE:LINE: FUNCTION: WHAT; in visit NUMBER" */
static json_t *json_of_finding(const char *line)
{
    char file[1000], function[200], what[200];
    unsigned long number;
    unsigned long long visit;

    if (sscanf(line, "%999[^:]:%lu: %199[^:]: %199[^;]; in visit %llu", file, &number, function, what, &visit) != 5)
        return json_of_summary(line);
    return json_pack("{ss ss sI ss sI}", "what", what, "file", file, "line", (json_int_t)number, "function", function,
                     "visit", (json_int_t)visit);
}

static void add_lines(json_t *list, const char *said, int code, bool sanitize)
{
    FILE *from = fopen(said, "re");
    char line[2000];

    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = '\0';
        json_t *one = sanitize ? json_of_finding(line) : json_of_account(line, code);
        json_t *last = json_array_get(list, json_array_size(list) - 1);
        if (one)
            json_array_append_new(sanitize ? json_object_get(last, "findings") : list, one);
    }
    if (from)
        fclose(from);
}

/* ---- one boot ---- */

struct run {
    const struct hc_timeline_options *options;
    const struct hc_image *image;
    const char *directory;
    size_t boots;
    json_t *list; /* NULL: the programs say it themselves */
};

static int build_and_start(struct run *run, size_t boot, bool sanitize)
{
    struct hc_wide_request request = {
        .image = run->image, .log = run->options->log, .boot = boot, .directory = run->directory, .sanitize = sanitize
    };
    char text[900], program[4200], said[4210];

    if (!hc_wide_build(&request, &run->boots, text, sizeof text)) {
        hc_complain("%s", text);
        return HC_EXIT_INPUT;
    }
    snprintf(program, sizeof program, "%s/%s", run->directory, sanitize ? "checked" : "region");
    snprintf(said, sizeof said, "%s.said", program);
    int code = start(program, run->list ? said : NULL);
    if (run->list)
        add_lines(run->list, said, code, sanitize);
    return code;
}

static int replay_boot(struct run *run, size_t boot, bool no_checks)
{
    int code = build_and_start(run, boot, false);

    /* What deviates, or could not be built, has no use for checks. */
    return code || no_checks ? code : build_and_start(run, boot, true);
}

/* ---- the folder ---- */

static void remove_folder(const char *directory)
{
    static const char *const names[] = { "region",  "region.o",  "region.bc",  "region.ld",  "region.said",
                                         "checked", "checked.o", "checked.bc", "checked.ld", "checked.said" };
    char path[4200];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

static bool make_folder(const char *keep, char *out, size_t size)
{
    const char *temporary = getenv("TMPDIR");

    if (keep) {
        snprintf(out, size, "%s", keep);
        if (!mkdir(keep, 0777) || errno == EEXIST)
            return true;
    } else {
        snprintf(out, size, "%s/hindcast-XXXXXX", temporary && *temporary ? temporary : "/tmp");
        if (mkdtemp(out))
            return true;
    }
    hc_complain("%s: %s", out, strerror(errno));
    return false;
}

static int replay_all(struct run *run, bool no_checks)
{
    int segment = run->options->segment, worst = HC_EXIT_FINE;

    for (size_t boot = segment < 0 ? 0 : (size_t)segment; boot < run->boots; boot++) {
        int code = replay_boot(run, boot, no_checks);
        worst = code > worst ? code : worst;
        if (code == HC_EXIT_INPUT || segment >= 0)
            break;
    }
    return worst;
}

int hc_replay_wide(const struct hc_timeline_options *options, const struct hc_image *image,
                   const struct hc_wide_options *wide)
{
    char directory[4096];
    struct run run = { .options = options, .image = image, .directory = directory, .boots = 1 };

    if (!make_folder(wide->keep, directory, sizeof directory))
        return HC_EXIT_INPUT;
    run.list = wide->json ? json_array() : NULL;
    int code = replay_all(&run, wide->no_checks);
    if (run.list && code != HC_EXIT_INPUT) {
        json_dumpf(run.list, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(run.list);
    if (!wide->keep)
        remove_folder(directory);
    return code;
}
