/* The line editor is libedit: its licence (BSD) goes with ours, readline's (GPL) would not. */
#include "terminal.h"

#include "command.h"
#include "line_history.h"
#include "pager.h"
#include "progress.h"
#include "signals.h"

#include <editline/readline.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prompt[] = "(hindcast) ";

/* ---- commands ---- */

static void tell(void *owner, double done, const struct hc_moment *now)
{
    hc_progress_tell(owner, done, "at %.3f s, instruction #%" PRIu64, hc_seconds(now->time), now->instructions);
}

/* Each command gets its own Ctrl-C, and its own two seconds before progress is told. */
static enum hc_debugger_end command(const struct hc_terminal_session *s, struct hc_progress *progress, const char *line)
{
    hc_signals_catch(s->interrupt, s->session);
    hc_progress_begin(progress);
    enum hc_debugger_end end = s->command(s->session, line);
    hc_progress_clear(progress);
    return end;
}

/* Commands of a script, shown as if they had been typed. Returns false at the end. */
static bool echo(const struct hc_terminal_session *s, struct hc_progress *progress, const char *line, bool *failed)
{
    printf("%s%s\n", prompt, line);
    enum hc_debugger_end end = command(s, progress, line);
    *failed = *failed || end == HC_DEBUGGER_FAILED;
    return end != HC_DEBUGGER_QUIT;
}

static void read_script(const struct hc_terminal_session *s, struct hc_progress *progress, bool *failed)
{
    char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!echo(s, progress, line, failed))
            break;
    }
    free(line);
}

/* ---- the terminal ---- */

/* libedit's completion functions have no argument for their state. */
static const struct hc_terminal_session *completing;

struct words {
    char **word;
    size_t n, room;
};

static void add_word(void *owner, const char *word)
{
    struct words *w = owner;

    for (size_t i = 1; i < w->n; i++)
        if (!strcmp(w->word[i], word))
            return;
    if (w->n + 2 > w->room) {
        size_t room = w->room ? 2 * w->room : 64;
        char **more = (char **)realloc((void *)w->word, room * sizeof *more);
        if (!more)
            return;
        w->word = more;
        w->room = room;
    }
    w->word[w->n] = strdup(word);
    w->n += w->word[w->n] != NULL;
}

static size_t common_prefix(char **word, size_t n)
{
    size_t length = n ? strlen(word[0]) : 0;

    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < length; k++)
            if (word[i][k] != word[0][k])
                length = k;
    return length;
}

/* libedit starts a word at a dash, and names of commands have dashes: returns only the part of each word that it
 * replaces. */
static void cut_words(struct words *w, const char *line, int start)
{
    size_t blanks = strspn(line, " \t"), cut = (size_t)start > blanks ? (size_t)start - blanks : 0;

    if (strpbrk(line + blanks, " \t"))
        return;
    for (size_t i = 1; i < w->n; i++)
        memmove(w->word[i], w->word[i] + cut, strlen(w->word[i]) - cut + 1);
}

/* The first of the list is what all have in common. */
static char **complete(const char *text, int start, int end)
{
    struct words w = { 0 };
    char line[512];

    (void)text;
    snprintf(line, sizeof line, "%.*s", end, rl_line_buffer);
    rl_attempted_completion_over = strncmp(line, "source ", 7) != 0; /* else names of files */
    if (!rl_attempted_completion_over)
        return NULL;
    add_word(&w, "");
    completing->complete(completing->session, line, add_word, &w);
    if (w.n < 2) {
        if (w.n)
            free(w.word[0]);
        free((void *)w.word);
        return NULL;
    }
    free(w.word[0]);
    w.word[0] = NULL;
    cut_words(&w, line, start);
    rl_completion_append_character = w.n == 2 && strchr(":.", w.word[1][strlen(w.word[1]) - 1]) ? '\0' : ' ';
    w.word[0] = strndup(w.word[1], common_prefix(w.word + 1, w.n - 1));
    w.word[w.n] = NULL;
    return w.word;
}

/* Each line once, and none that begins with a blank. */
static void remember(int history, const char *line)
{
    HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;

    if (!*line || *line == ' ' || (last && last->line && !strcmp(last->line, line)))
        return;
    add_history(line);
    hc_line_history_add(history, line);
}

static void tell_history(const char *line)
{
    add_history(line);
}

static bool has_colours(void)
{
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && !(none && *none);
}

static void converse(const struct hc_terminal_session *s, struct hc_progress *progress, struct hc_pager *pager)
{
    static char name[] = "hindcast", breaks[] = " \t\n&*()[]{}!~+-/%<>=|^?:,.@$'\"";
    char *line;

    rl_readline_name = name;
    rl_basic_word_break_characters = breaks;
    rl_attempted_completion_function = complete;
    using_history();
    stifle_history(HC_LINE_HISTORY_MOST);
    int history = hc_line_history_open(tell_history);
    completing = s;
    for (;;) {
        hc_signals_catch(s->interrupt, s->session);
        errno = 0;
        line = readline(prompt);
        if (!line && errno == EINTR) {
            putchar('\n');
            continue;
        }
        if (!line) {
            putchar('\n');
            break;
        }
        remember(history, line);
        hc_pager_begin(pager);
        enum hc_debugger_end end = command(s, progress, line);
        free(line);
        if (end == HC_DEBUGGER_QUIT)
            break;
    }
    completing = NULL;
    hc_line_history_close(history);
    clear_history();
}

/* What is asked for on the command line, then what comes from stdin. */
static bool converse_or_read(const struct hc_terminal_session *s, const struct hc_terminal_options *o,
                             struct hc_progress *progress, struct hc_pager *pager)
{
    bool failed = false, goes_on = true, script = !isatty(STDIN_FILENO);

    for (int i = 0; i < o->commands && goes_on; i++)
        goes_on = echo(s, progress, o->command[i], &failed);
    if (!goes_on || (o->batch && (o->commands || !script)))
        return failed;
    if (script)
        read_script(s, progress, &failed);
    else
        converse(s, progress, pager);
    return failed;
}

int hc_terminal_run(const struct hc_terminal_session *s, const struct hc_terminal_options *o)
{
    struct hc_progress own = { 0 }, *progress = o->progress ? o->progress : &own;
    struct hc_pager pager = { 0 };

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (isatty(STDIN_FILENO) && !o->batch)
        printf("%s Time goes both ways; help lists the commands.\n", o->greeting);
    hc_progress_begin(progress);
    s->set_progress(s->session, tell, progress);
    bool opened =
        (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO)) && hc_pager_open(&pager, progress, s->interrupt, s->session);
    s->set_terminal(s->session, opened ? pager.file : stdout, has_colours());
    s->show_place(s->session);
    bool failed = converse_or_read(s, o, progress, &pager);
    s->set_terminal(s->session, stdout, has_colours());
    hc_pager_close(&pager);
    hc_signals_catch(NULL, NULL);
    return failed && (!isatty(STDIN_FILENO) || o->batch) ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

/* ---- the session of one node ---- */

static enum hc_debugger_end do_command(void *session, const char *line)
{
    return hc_debugger_command(session, line);
}

static void interrupt(void *session)
{
    hc_debugger_interrupt(session);
}

static void do_complete(void *session, const char *line, hc_completion_fn *tell, void *owner)
{
    hc_debugger_complete(session, line, tell, owner);
}

static void show_place(void *session)
{
    hc_debugger_show_place(session);
}

static void set_terminal(void *session, FILE *out, bool colours)
{
    hc_debugger_set_output(session, out);
    hc_debugger_set_colours(session, colours);
}

static void set_progress(void *session, hc_debugger_progress_fn *tell, void *owner)
{
    hc_debugger_set_progress(session, tell, owner);
}

int hc_terminal_debug(struct hc_debugger *s, const struct hc_terminal_options *options)
{
    const struct hc_terminal_session session = { s,          do_command,   interrupt,   do_complete,
                                                 show_place, set_terminal, set_progress };

    return hc_terminal_run(&session, options);
}
