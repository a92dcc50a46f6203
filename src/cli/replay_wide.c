#include "replay_wide.h"

#include "command.h"
#include "native/wide/wide.h"

#include <errno.h>
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

/* The region's program says itself what came of it; the sanitizer ends it with HC_EXIT_FOUND. */
static int start(const char *program)
{
    fflush(NULL);
    pid_t child = fork();

    if (!child) {
        setenv("ASAN_OPTIONS", "exitcode=1:print_legend=0:detect_leaks=0:allocator_may_return_null=1", 0);
        setenv("ASAN_SYMBOLIZER_PATH", "/usr/bin/llvm-symbolizer-19", 0);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    return child < 0 ? HC_EXIT_INPUT : wait_for(child, program);
}

static int build_and_start(const struct hc_timeline_options *options, const struct hc_image *image, size_t boot,
                           size_t *boots, const char *directory, bool sanitize)
{
    struct hc_wide_request request = {
        .image = image, .log = options->log, .boot = boot, .directory = directory, .sanitize = sanitize
    };
    char text[900], program[4200];

    if (!hc_wide_build(&request, boots, text, sizeof text)) {
        hc_complain("%s", text);
        return HC_EXIT_INPUT;
    }
    snprintf(program, sizeof program, "%s/%s", directory, sanitize ? "checked" : "region");
    return start(program);
}

static int replay_boot(const struct hc_timeline_options *options, const struct hc_image *image, size_t boot,
                       size_t *boots, const char *directory, bool no_checks)
{
    int code = build_and_start(options, image, boot, boots, directory, false);

    /* What deviates, or could not be built, has no use for checks. */
    return code || no_checks ? code : build_and_start(options, image, boot, boots, directory, true);
}

/* ---- the folder ---- */

static void remove_folder(const char *directory)
{
    static const char *const names[] = { "region",  "region.o",  "region.bc",  "region.ld",
                                         "checked", "checked.o", "checked.bc", "checked.ld" };
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

int hc_replay_wide(const struct hc_timeline_options *options, const struct hc_image *image,
                   const struct hc_wide_options *wide)
{
    char directory[4096];
    size_t boots = 1;
    int worst = HC_EXIT_FINE;

    if (!make_folder(wide->keep, directory, sizeof directory))
        return HC_EXIT_INPUT;
    for (size_t boot = options->segment < 0 ? 0 : (size_t)options->segment; boot < boots; boot++) {
        int code = replay_boot(options, image, boot, &boots, directory, wide->no_checks);
        worst = code > worst ? code : worst;
        if (code == HC_EXIT_INPUT || options->segment >= 0)
            break;
    }
    if (!wide->keep)
        remove_folder(directory);
    return worst;
}
