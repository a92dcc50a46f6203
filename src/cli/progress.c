#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Seconds until progress is first shown, and between two updates. */
#define PATIENCE 2.0
#define INTERVAL 0.2

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

void hc_progress_begin(struct hc_progress *p)
{
    *p = (struct hc_progress){ .on = isatty(STDERR_FILENO), .first = -1 };
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
    p->told = p->begun;
}

/* "3 s", "2:05", "1:02:05" */
static void show_time(double seconds)
{
    long s = (long)(seconds + 0.5);

    if (s < 60)
        fprintf(stderr, "%ld s", s);
    else if (s < 3600)
        fprintf(stderr, "%ld:%02ld min", s / 60, s % 60);
    else
        fprintf(stderr, "%ld:%02ld:%02ld h", s / 3600, s / 60 % 60, s % 60);
}

static void show_part(const struct hc_progress *p, double part, double elapsed)
{
    double done = part - p->first, left = 1 - part;

    fprintf(stderr, "%.0f %%", 100 * (part < 1 ? part : 1));
    if (done > 0.001 && left >= 0) {
        fputs(", ", stderr);
        show_time(elapsed * left / done);
        fputs(" left", stderr);
    }
}

void hc_progress_tell(struct hc_progress *p, double part, const char *format, ...)
{
    struct timespec now;
    va_list arguments;

    if (!p->on || p->held)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (part >= 0 && (p->first < 0 || part < p->last)) {
        p->first = part;
        p->counted = now;
    }
    p->last = part;
    double elapsed = seconds_between(&p->begun, &now);
    if (elapsed < PATIENCE || seconds_between(&p->told, &now) < INTERVAL)
        return;
    p->told = now;
    p->shown = true;
    fputs("\r\033[K", stderr);
    if (part >= 0)
        show_part(p, part, seconds_between(&p->counted, &now));
    if (!format)
        return;
    if (part >= 0)
        fputs("; ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void hc_progress_clear(struct hc_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

void hc_progress_hold(struct hc_progress *p, bool held)
{
    hc_progress_clear(p);
    p->held = held;
}
