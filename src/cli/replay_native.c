#include "replay_native.h"

#include "command.h"
#include "native/native.h"
#include "support/output.h"
#include "support/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FINDINGS = 200 };

/* What the process that runs the region tells us. */
struct result {
    bool opened;
    uint64_t visits, checks;
    size_t boots, used;
    enum hc_region_end_kind end;
    char text[600];
    size_t findings;
    struct finding {
        char what[160], file[200], function[80];
        unsigned line;
        uint64_t visit, times;
    } finding[FINDINGS];
};

struct run {
    const struct hc_timeline_options *options;
    struct hc_image *image;
    const struct hc_native_options *native;
    char directory[4096], object[4200];
    struct result *result;
    json_t *list;
};

/* ---- the process of its own ---- */

static void count_visit(void *owner, struct hc_native *n, int entry)
{
    struct result *r = owner;
    struct hc_region_state state;

    if (entry < 0)
        return;
    hc_native_state(n, &state);
    r->visits = state.visits;
}

static void take_finding(struct finding *to, const struct hc_native_finding *from)
{
    to->line = from->line;
    to->visit = from->visit;
    to->times = from->times;
    snprintf(to->what, sizeof to->what, "%s", from->what);
    snprintf(to->file, sizeof to->file, "%s", from->file);
    snprintf(to->function, sizeof to->function, "%s", from->function);
}

static void take_result(struct result *r, struct hc_native *n)
{
    struct hc_region_state state;
    const struct hc_native_finding *finding;

    hc_native_state(n, &state);
    r->visits = state.visits;
    r->checks = state.checks;
    r->used = state.used;
    r->end = state.end;
    snprintf(r->text, sizeof r->text, "%s", state.text);
    while (r->findings < FINDINGS && (finding = hc_native_finding(n, r->findings)))
        take_finding(&r->finding[r->findings++], finding);
}

static void run_here(struct run *run, size_t boot)
{
    struct result *r = run->result;
    struct hc_native *native;
    struct hc_region_state state;

    if (!hc_native_open(&native, run->image, run->object, run->options->log, boot, r->text, sizeof r->text))
        return;
    for (int i = 0; i < run->options->settings; i++)
        if (!hc_native_set(native, run->options->set[i].name, run->options->set[i].value)) {
            snprintf(r->text, sizeof r->text, "--set: %s has no variable %s", run->options->image,
                     run->options->set[i].name);
            hc_native_free(native);
            return;
        }
    hc_native_state(native, &state);
    r->boots = state.boots;
    r->opened = true;
    hc_native_listen(native, count_visit, r);
    hc_native_run(native);
    take_result(r, native);
    hc_native_free(native);
}

static void run_apart(struct run *run, size_t boot)
{
    struct result *r = run->result;
    int status = 0;

    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        run_here(run, boot);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        snprintf(r->text, sizeof r->text, "no process for the region: %s", strerror(errno));
    else if (WIFSIGNALED(status)) {
        r->end = HC_REGION_FAULTS;
        snprintf(r->text, sizeof r->text, "visit %" PRIu64 " ended with signal %d on the host (%s)", r->visits,
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
}

/* ---- results ---- */

static void print_findings(const struct result *r)
{
    for (size_t i = 0; i < r->findings; i++) {
        const struct finding *f = &r->finding[i];
        printf("%s:%u: %s: %s; in visit %" PRIu64, f->file, f->line, f->function, f->what, f->visit);
        if (f->times > 1)
            printf(", %" PRIu64 " times", f->times);
        putchar('\n');
    }
}

static json_t *json_of(size_t boot, const struct result *r)
{
    static const char *const ends[] = { "", "end", "deviation", "fault" };
    json_t *findings = json_array();

    for (size_t i = 0; i < r->findings; i++) {
        const struct finding *f = &r->finding[i];
        json_array_append_new(findings, json_pack("{ss ss sI ss sI sI}", "what", f->what, "file", f->file, "line",
                                                  (json_int_t)f->line, "function", f->function, "visit",
                                                  (json_int_t)f->visit, "times", (json_int_t)f->times));
    }
    return json_pack("{sI sI sI sI ss ss so}", "boot", (json_int_t)boot, "visits", (json_int_t)r->visits, "bytes",
                     (json_int_t)r->used, "checks", (json_int_t)r->checks, "end", ends[r->end], "text", r->text,
                     "findings", findings);
}

static void print_result(struct run *run, size_t boot)
{
    const struct result *r = run->result;

    if (run->list) {
        json_array_append_new(run->list, json_of(boot, r));
        return;
    }
    print_findings(r);
    printf("boot %zu: %" PRIu64 " visit%s on the host, from %zu bytes; %" PRIu64 " check%s agreed; %s\n", boot,
           r->visits, hc_plural(r->visits), r->used, r->checks, hc_plural(r->checks), r->text);
}

static int replay_boot(struct run *run, size_t boot, size_t *boots)
{
    struct result *r = run->result;

    memset(r, 0, sizeof *r);
    if (run->native->here)
        run_here(run, boot);
    else
        run_apart(run, boot);
    if (!r->opened && r->end != HC_REGION_FAULTS) {
        hc_complain_to(run->options->messages, "%s", r->text);
        return HC_EXIT_INPUT;
    }
    *boots = r->boots;
    print_result(run, boot);
    if (r->end != HC_REGION_ENDED)
        return HC_EXIT_DIVERGED;
    return r->findings || !r->visits ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

/* ---- files ---- */

/* DIRECTORY/gdb.py: the script, and how this replay is started. */
static bool write_script(struct run *run, char *text, size_t size)
{
    char path[4200], self[4096] = "hindcast", *script = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&script, &length);
    ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);

    if (got > 0)
        self[got] = '\0';
    snprintf(path, sizeof path, "%s/gdb.py", run->directory);
    if (to) {
        fprintf(to, "%sgdb.execute(\"exec-file %s\")\n", hc_native_gdb_script, self);
        fprintf(to, "gdb.execute(\"set args replay --native --here '--keep=%s' '%s' '%s'\")\n", run->directory,
                run->options->image, run->options->log);
        fclose(to);
    }
    int error = script ? hc_output_write(path, script, length) : ENOMEM;
    free(script);
    if (error)
        snprintf(text, size, "%s: %s", path, strerror(error));
    return !error;
}

static bool make_directory(struct run *run, char *text, size_t size)
{
    const char *folder = getenv("TMPDIR"), *keep = run->native->keep;
    bool fine;

    if (keep) {
        snprintf(run->directory, sizeof run->directory, "%s", keep);
        fine = !mkdir(keep, 0777) || errno == EEXIST;
    } else {
        snprintf(run->directory, sizeof run->directory, "%s/hindcast-native.XXXXXX",
                 folder && *folder ? folder : "/tmp");
        fine = mkdtemp(run->directory) != NULL;
    }
    /* With a slash, so that the loader does not look for it elsewhere. */
    snprintf(run->object, sizeof run->object, "%s%s/region.so", *run->directory == '/' ? "" : "./", run->directory);
    if (!fine)
        snprintf(text, size, "%s: %s", run->directory, strerror(errno));
    return fine;
}

static void remove_directory(struct run *run)
{
    char path[4200];

    if (run->native->keep || !*run->directory)
        return;
    snprintf(path, sizeof path, "%s/region.ll", run->directory);
    unlink(path);
    unlink(run->object);
    rmdir(run->directory);
}

static bool prepare(struct run *run)
{
    struct hc_native_request request = { .image = run->image,
                                         .directory = run->directory,
                                         .checks = !run->native->no_checks,
                                         .debugged = run->native->keep && !run->native->no_checks };
    char text[800];

    if (make_directory(run, text, sizeof text) && hc_native_build(&request, text, sizeof text) &&
        (!run->native->keep || run->native->here || write_script(run, text, sizeof text)))
        return true;
    hc_complain_to(run->options->messages, "%s", text);
    return false;
}

static int replay_all(struct run *run)
{
    size_t boots = 1;
    int worst = HC_EXIT_FINE, chosen = run->options->segment;

    for (size_t boot = chosen < 0 ? 0 : (size_t)chosen; boot < boots; boot++) {
        int code = replay_boot(run, boot, &boots);
        worst = code > worst ? code : worst;
        if (code == HC_EXIT_INPUT || chosen >= 0)
            break;
    }
    return worst;
}

int hc_replay_native(const struct hc_timeline_options *options, struct hc_image *image,
                     const struct hc_native_options *native)
{
    struct run run = { .options = options, .image = image, .native = native };
    int code = HC_EXIT_INPUT;

    run.list = native->json ? json_array() : NULL;
    run.result = mmap(NULL, sizeof *run.result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run.result == MAP_FAILED) {
        hc_complain_to(options->messages, "no memory for results: %s", strerror(errno));
        return HC_EXIT_INPUT;
    }
    if (prepare(&run))
        code = replay_all(&run);
    if (run.list && code != HC_EXIT_INPUT) {
        json_dumpf(run.list, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    remove_directory(&run);
    munmap(run.result, sizeof *run.result);
    json_decref(run.list);
    return code;
}
