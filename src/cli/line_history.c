#define _GNU_SOURCE /* asprintf */
#include "line_history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096 };

/* Makes the folders that lead to PATH. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700); /* one that is there is fine */
        *slash = '/';
    }
}

/* NULL: there is none; to be freed. */
static char *history_path(void)
{
    const char *given = getenv("HINDCAST_HISTORY"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;

    if (given)
        return *given ? strdup(given) : NULL;
    if (state && *state == '/')
        return asprintf(&path, "%s/hindcast/history", state) < 0 ? NULL : path;
    if (home && *home == '/')
        return asprintf(&path, "%s/.local/state/hindcast/history", home) < 0 ? NULL : path;
    return NULL;
}

/* Reads the last lines; returns how many there are in all. */
static size_t read_lines(FILE *file, char *lines[HC_LINE_HISTORY_MOST])
{
    char *line = NULL;
    size_t room = 0, n = 0;

    while (getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *copy = strdup(line);
        if (!copy)
            break;
        free(lines[n % HC_LINE_HISTORY_MOST]);
        lines[n++ % HC_LINE_HISTORY_MOST] = copy;
    }
    free(line);
    return n;
}

/* Keeps only the last lines, in the same file, while no other session appends. */
static void shorten(int file, char *const lines[HC_LINE_HISTORY_MOST], size_t n)
{
    if (ftruncate(file, 0))
        return;
    for (size_t i = n - HC_LINE_HISTORY_MOST; i < n; i++)
        hc_line_history_add(file, lines[i % HC_LINE_HISTORY_MOST]);
}

int hc_line_history_open(void (*tell)(const char *line))
{
    char *lines[HC_LINE_HISTORY_MOST] = { NULL }, *path = history_path();
    int history = -1;

    if (path) {
        make_folders(path);
        history = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    free(path);
    int copy = history < 0 ? -1 : dup(history);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
    if (!file)
        return history;
    flock(history, LOCK_EX);
    size_t n = read_lines(file, lines);
    if (n > (size_t)2 * HC_LINE_HISTORY_MOST)
        shorten(history, lines, n);
    flock(history, LOCK_UN);
    fclose(file);
    for (size_t i = n > HC_LINE_HISTORY_MOST ? n - HC_LINE_HISTORY_MOST : 0; i < n; i++)
        tell(lines[i % HC_LINE_HISTORY_MOST]);
    for (size_t i = 0; i < HC_LINE_HISTORY_MOST; i++)
        free(lines[i]);
    return history;
}

void hc_line_history_add(int history, const char *line)
{
    char text[LONGEST + 1];
    int n = snprintf(text, sizeof text, "%s\n", line);

    /* In one write, so that sessions do not mix. If it fails, there is no history, which does no harm. */
    if (history >= 0 && n > 1 && n <= LONGEST && write(history, text, (size_t)n) < 0)
        return;
}

void hc_line_history_close(int history)
{
    if (history >= 0)
        close(history);
}
