#define _GNU_SOURCE /* fopencookie */
#include "pager.h"

#include "progress.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { TAB = 8 };

/* ---- asking ---- */

/* Reads one key, without Enter; 'q' if that is not possible. */
static char read_key(void)
{
    struct termios before, raw;
    char key = 'q';

    if (tcgetattr(STDIN_FILENO, &before))
        return key;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    if (read(STDIN_FILENO, &key, 1) != 1) /* Ctrl-C */
        key = 'q';
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    return key;
}

static void ask(struct hc_pager *p)
{
    static const char question[] = "-- Enter for more, c for all of it, q for no more --", gone[] = "\r\033[K";

    p->row = 0;
    fputs(question, stdout);
    fflush(stdout);
    char key = read_key();
    fputs(gone, stdout);
    if (key == 'c')
        p->whole = true;
    if (key != 'q' && key != 'Q')
        return;
    p->dropped = true;
    p->give_up(p->owner);
}

/* ---- counting ---- */

/* Whether this character ends a row of the screen. */
static bool ends_row(struct hc_pager *p, unsigned char c)
{
    if (p->in_escape) {
        p->in_escape = !((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
        return false;
    }
    if (c == '\033')
        p->in_escape = true;
    else if (c == '\n')
        return true;
    else if (c == '\t')
        p->column += TAB - p->column % TAB;
    else if (c >= ' ' && (c & 0xc0) != 0x80) /* further bytes of a character take no room */
        p->column++;
    return false;
}

static ssize_t write_rows(void *cookie, const char *text, size_t size)
{
    struct hc_pager *p = cookie;

    hc_progress_clear(p->progress);
    for (size_t i = 0; i < size && !p->dropped; i++) {
        putchar(text[i]);
        if (!ends_row(p, (unsigned char)text[i]))
            continue;
        p->row += p->columns > 0 && p->column > 0 ? (p->column + p->columns - 1) / p->columns : 1;
        p->column = 0;
        if (p->rows > 1 && !p->whole && p->row >= p->rows - 1)
            ask(p);
    }
    fflush(stdout);
    return (ssize_t)size;
}

bool hc_pager_open(struct hc_pager *p, struct hc_progress *progress, void (*give_up)(void *owner), void *owner)
{
    static const cookie_io_functions_t functions = { .write = write_rows };

    *p = (struct hc_pager){ .give_up = give_up, .owner = owner, .progress = progress };
    p->file = fopencookie(p, "w", functions);
    if (p->file)
        setvbuf(p->file, NULL, _IOLBF, BUFSIZ);
    return p->file != NULL;
}

void hc_pager_begin(struct hc_pager *p)
{
    struct winsize size = { 0 };

    p->row = p->column = 0;
    p->whole = p->dropped = p->in_escape = false;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        size = (struct winsize){ 0 };
    p->rows = size.ws_row;
    p->columns = size.ws_col;
}

void hc_pager_close(struct hc_pager *p)
{
    if (p->file)
        fclose(p->file);
    p->file = NULL;
}
