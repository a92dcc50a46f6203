/* Loaded before hindcast (LD_PRELOAD): the program is loaded and linked once, and each command is a fork of it, which
 * takes a tenth of the time of a new process. For campaigns of many thousand commands.
 *
 * A request comes on stdin: its length (4 bytes), then words that end with 0: seconds of CPU time and bytes of memory
 * that the command may use, settings of its environment (NAME=VALUE), "--", and the command's own words. Its stdout and
 * stderr are the files "stdout" and "stderr" of the folder in which the server was started. The answer, on stdout: what
 * waitpid said (4 bytes). */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 200, ANSWERS, REQUEST_MAX = 1 << 16, WORDS_MAX = 1000 };

typedef int main_fn(int argc, char **argv, char **environment);

static main_fn *real_main;

static bool take(void *to, size_t size)
{
    for (char *at = to; size;) {
        ssize_t n = read(REQUESTS, at, size);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static void limit(int what, const char *most, rlim_t grace)
{
    rlim_t value = strtoull(most, NULL, 10);
    const struct rlimit limits = { value, value + grace };

    if (value && setrlimit(what, &limits))
        _exit(126);
}

static void open_as(int number, const char *path, int flags)
{
    int file = open(path, flags, 0600);

    if (file < 0 || dup2(file, number) != number)
        _exit(126);
    close(file);
}

/* In the fork. */
static int run(char **word, int count)
{
    void (*begin)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "fail_allocation_begin");
    int i = 2;

    open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    open_as(STDOUT_FILENO, "stdout", O_WRONLY | O_CREAT | O_TRUNC);
    open_as(STDERR_FILENO, "stderr", O_WRONLY | O_CREAT | O_TRUNC);
    close(REQUESTS);
    close(ANSWERS);
    unsetenv("LD_PRELOAD");
    for (; i < count && strcmp(word[i], "--") != 0; i++)
        putenv(word[i]);
    limit(RLIMIT_CPU, word[0], 1);
    limit(RLIMIT_AS, word[1], 0);
    limit(RLIMIT_CORE, "", 0);
    if (begin)
        begin();
    return real_main(count - i, word + i, environ); /* "--" is in the place of the program's name */
}

static int split(char *text, size_t size, char **word)
{
    int n = 0;

    for (char *at = text; at < text + size && n < WORDS_MAX; at += strlen(at) + 1)
        word[n++] = at;
    word[n] = NULL;
    return n;
}

static int serve(int argc, char **argv, char **environment)
{
    static char text[REQUEST_MAX + 1], *word[WORDS_MAX + 1];
    uint32_t size;

    (void)argc;
    (void)argv;
    (void)environment;
    if (dup2(STDIN_FILENO, REQUESTS) < 0 || dup2(STDOUT_FILENO, ANSWERS) < 0)
        return 126;
    while (take(&size, sizeof size) && size <= REQUEST_MAX && take(text, size)) {
        int count = split(text, size, word), status = 0;
        pid_t child = fork();
        if (!child)
            exit(run(word, count));
        if (child < 0 || waitpid(child, &status, 0) != child || write(ANSWERS, &status, sizeof status) != sizeof status)
            return 126;
    }
    return 0;
}

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
        (int (*)(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *))dlsym(
            RTLD_NEXT, "__libc_start_main");

    real_main = main;
    return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
