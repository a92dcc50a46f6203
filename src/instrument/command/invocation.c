#include "invocation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int obeyed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

bool hc_invocation_fail(struct hc_invocation *session, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(session->message, sizeof session->message, format, arguments);
    va_end(arguments);
    return false;
}

bool hc_invocation_begin(struct hc_invocation *session)
{
    sigset_t set;

    *session = (struct hc_invocation){ .signals = -1 };
    setenv("LIBCLANG_NOTHREADS", "1", 0); /* it stays on the thread that called it: its own would have 8 MB of stack */
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++)
        sigaddset(&set, obeyed[i]);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGPIPE); /* a compiler that does not read all of its input is no reason to end */
    sigprocmask(SIG_BLOCK, &set, &session->before);
    sigdelset(&set, SIGPIPE);
    signal(SIGCHLD, SIG_DFL); /* whoever started us may have ignored it, and then nobody hears of an end */
    session->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return session->signals >= 0 || hc_invocation_fail(session, "signals: %s", strerror(errno));
}

/* It holds files only: ours, and what a compiler put beside them. */
static void delete_directory(const char *path)
{
    DIR *directory = opendir(path);
    int descriptor = directory ? dirfd(directory) : -1;

    for (struct dirent *entry; descriptor >= 0 && (entry = readdir(directory));)
        unlinkat(descriptor, entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(path);
}

void hc_invocation_settle(struct hc_invocation *session, bool failed)
{
    for (size_t i = 0; failed && i < session->files.count; i++) {
        struct stat status;
        /* Never what was there for other reasons, /dev/null for one. */
        if (!stat(session->files.word[i], &status) && S_ISREG(status.st_mode))
            unlink(session->files.word[i]);
    }
    hc_argv_free(&session->files);
}

void hc_invocation_end(struct hc_invocation *session, bool failed)
{
    hc_invocation_settle(session, failed);
    if (session->directory)
        delete_directory(session->directory);
    free(session->directory);
    if (session->signals >= 0)
        close(session->signals);
    if (session->signal)
        raise(session->signal);
    sigprocmask(SIG_SETMASK, &session->before, NULL);
}

/* ---- files ---- */

/* A process of its own that waits until this one is gone, however it ends, and deletes the directory. Both ends of the
 * pipe are closed in programs that are started; this process's end is closed when it ends. */
static void watch_over(const char *directory)
{
    int ends[2];
    char byte;

    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) /* its own parent must not have to wait for it */
            _exit(0);
        for (int i = 0; i <= STDERR_FILENO; i++)
            close(i);
        close(ends[1]);
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
            continue;
        delete_directory(directory);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    close(ends[0]);
}

static char *make_directory(const char *where, int length)
{
    char *path = NULL;

    if (asprintf(&path, "%.*s/hindcast-XXXXXX", length, where) < 0)
        return NULL;
    if (mkdtemp(path)) {
        watch_over(path);
        return path;
    }
    free(path);
    return NULL;
}

static char *find_directory(const char *beside)
{
    const char *given = getenv("TMPDIR");
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    char *path = given && *given ? make_directory(given, (int)strlen(given)) : NULL;

    if (!path)
        path = make_directory("/tmp", 4);
    if (!path && slash)
        path = make_directory(beside, (int)(slash - beside));
    return path ? path : make_directory(".", 1);
}

char *hc_invocation_file(struct hc_invocation *session, const char *beside, const char *name)
{
    char *path = NULL;

    if (!session->directory && !(session->directory = find_directory(beside))) {
        hc_invocation_fail(session, "no directory for temporary files: %s (TMPDIR may name one)", strerror(errno));
        return NULL;
    }
    if (asprintf(&path, "%s/%s", session->directory, name) >= 0)
        return path;
    hc_invocation_fail(session, "out of memory");
    return NULL;
}

bool hc_invocation_write(struct hc_invocation *session, const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool whole = file && fwrite(text, 1, size, file) == size;

    if (file && fclose(file))
        whole = false;
    return whole || hc_invocation_fail(session, "%s: %s", path, strerror(errno));
}

void hc_invocation_warn(struct hc_invocation *session, const char *file)
{
    hc_argv_add(&session->files, file);
}

/* ---- programs ---- */

/* One of the program's standard streams, where it is ours to feed or to take. */
struct stream {
    int descriptor; /* our end; -1: none, or closed */
    int theirs;
    char *text;
    size_t size, room;
};

enum { INPUT, OUTPUT, ERRORS, STREAMS };

static bool open_stream(struct stream *stream, bool wanted, bool input)
{
    int ends[2];

    *stream = (struct stream){ .descriptor = -1, .theirs = -1 };
    if (!wanted)
        return true;
    if (pipe2(ends, O_CLOEXEC))
        return false;
    stream->descriptor = ends[input ? 1 : 0];
    stream->theirs = ends[input ? 0 : 1];
    return !input || !fcntl(stream->descriptor, F_SETFL, O_NONBLOCK);
}

static void shut(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void feed(struct stream *stream, const struct hc_process *process)
{
    ssize_t done = write(stream->descriptor, process->input + stream->size, process->input_size - stream->size);

    if (done > 0)
        stream->size += (size_t)done;
    else if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (done < 0 || stream->size == process->input_size)
        shut(&stream->descriptor);
}

/* False: no memory. */
static bool take(struct stream *stream)
{
    if (stream->room - stream->size < 4096) {
        size_t room = stream->room ? stream->room * 2 : 1 << 16;
        char *larger = realloc(stream->text, room);
        if (!larger)
            return false;
        stream->text = larger;
        stream->room = room;
    }
    ssize_t done = read(stream->descriptor, stream->text + stream->size, stream->room - stream->size - 1);
    if (done < 0 && errno == EINTR)
        return true;
    if (done <= 0)
        shut(&stream->descriptor);
    else
        stream->size += (size_t)done;
    stream->text[stream->size] = '\0';
    return true;
}

static void hear_signals(struct hc_invocation *session, pid_t child)
{
    struct signalfd_siginfo info;

    while (read(session->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD) {
            session->signal = (int)info.ssi_signo;
            kill(child, session->signal);
        }
}

/* Until the program ends and its streams are closed. What it left behind may hold them open: its end is enough. */
static bool attend(struct hc_invocation *session, const struct hc_process *process, struct stream stream[STREAMS],
                   pid_t child, int *status)
{
    bool ended = false, memory = true;

    while (!ended || stream[OUTPUT].descriptor >= 0 || stream[ERRORS].descriptor >= 0) {
        struct pollfd wait[STREAMS + 1] = { { session->signals, POLLIN, 0 } };
        for (int i = 0; i < STREAMS; i++)
            wait[i + 1] = (struct pollfd){ stream[i].descriptor, i == INPUT ? POLLOUT : POLLIN, 0 };
        if (!ended && waitpid(child, status, WNOHANG) == child)
            ended = true;
        if (poll(wait, STREAMS + 1, ended ? 0 : -1) <= 0 && ended)
            break;
        hear_signals(session, child);
        if (wait[INPUT + 1].revents)
            feed(&stream[INPUT], process);
        for (int i = OUTPUT; i <= ERRORS; i++)
            if (wait[i + 1].revents && !take(&stream[i])) {
                memory = false;
                shut(&stream[i].descriptor);
            }
    }
    return memory;
}

static int spawn(const struct hc_invocation *session, const struct hc_argv *command, struct stream stream[STREAMS],
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < STREAMS; i++)
        if (stream[i].theirs >= 0)
            posix_spawn_file_actions_adddup2(&actions, stream[i].theirs, i);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &session->before);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(child, command->word[0], &actions, &attributes, command->word, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* As compilers and linkers read them from a file: in double quotes, backslashes before what would end them. */
static bool write_words(struct hc_invocation *session, const char *path, const struct hc_argv *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 1; to && i < command->count; i++) {
        fputc('"', to);
        for (const char *c = command->word[i]; *c; c++)
            fprintf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputs("\"\n", to);
    }
    bool fine = to && !ferror(to);
    if (to && fclose(to))
        fine = false;
    fine = fine ? hc_invocation_write(session, path, text, size) : hc_invocation_fail(session, "out of memory");
    free(text);
    return fine;
}

/* A command that is longer than what the system takes has its words in a file: they came from one. */
static bool shorten(struct hc_invocation *session, const struct hc_argv *command, struct hc_argv *out)
{
    enum { LONGEST = 1 << 16 };
    size_t size = 0;

    for (size_t i = 0; i < command->count; i++)
        size += strlen(command->word[i]) + 1;
    if (size <= LONGEST) {
        hc_argv_add_all(out, command->word, command->count);
        return !out->failed || hc_invocation_fail(session, "out of memory");
    }
    char *path = hc_invocation_file(session, NULL, "words"), *reference = NULL;
    bool fine = path && write_words(session, path, command);
    if (fine && asprintf(&reference, "@%s", path) < 0)
        fine = hc_invocation_fail(session, "out of memory");
    if (fine) {
        hc_argv_add(out, command->word[0]);
        hc_argv_add(out, reference);
    }
    free(reference);
    free(path);
    return fine && (!out->failed || hc_invocation_fail(session, "out of memory"));
}

static void show(FILE *to, const struct hc_argv *command)
{
    for (size_t i = 0; i < command->count; i++)
        fprintf(to, strpbrk(command->word[i], " \t'\"\\$") ? "%s'%s'" : "%s%s", i ? " " : "", command->word[i]);
    fputc('\n', to);
    fflush(to);
}

static bool start_and_attend(struct hc_invocation *session, struct hc_process *process, struct stream stream[STREAMS])
{
    struct hc_argv command = { 0 };
    pid_t child;
    int status = 0;

    if (session->commands)
        show(session->commands, process->command);
    bool fine = shorten(session, process->command, &command);
    int error = fine ? spawn(session, &command, stream, &child) : 0;
    hc_argv_free(&command);
    if (!fine)
        return false;
    if (error)
        return hc_invocation_fail(session, "%s: %s", process->command->word[0], strerror(error));
    for (int i = 0; i < STREAMS; i++)
        shut(&stream[i].theirs);
    if (!attend(session, process, stream, child, &status))
        return hc_invocation_fail(session, "out of memory");
    process->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return !session->signal || hc_invocation_fail(session, "interrupted");
}

bool hc_process_run(struct hc_invocation *session, struct hc_process *process)
{
    struct stream stream[STREAMS];

    if (process->command->failed || !process->command->count)
        return hc_invocation_fail(session, "out of memory");
    bool fine = open_stream(&stream[INPUT], process->input != NULL, true);
    fine &= open_stream(&stream[OUTPUT], process->takes_output, false);
    fine &= open_stream(&stream[ERRORS], process->takes_errors, false);
    fine = fine ? start_and_attend(session, process, stream) : hc_invocation_fail(session, "%s", strerror(errno));
    for (int i = 0; i < STREAMS; i++) {
        shut(&stream[i].descriptor);
        shut(&stream[i].theirs);
    }
    process->output = stream[OUTPUT].text;
    process->output_size = stream[OUTPUT].size;
    process->errors = stream[ERRORS].text;
    process->errors_size = stream[ERRORS].size;
    return fine;
}

void hc_process_free(struct hc_process *process)
{
    free(process->output);
    free(process->errors);
    process->output = process->errors = NULL;
}
