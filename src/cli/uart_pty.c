#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_openpt, ptsname_r */
#endif
#include "uart_pty.h"

#include "fetch/rate.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000 };

static int64_t host_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

/* ---- bytes ---- */

static struct hc_rate_heard hear(const struct hc_uart_pty *p, uint8_t byte, bool by_node)
{
    unsigned node = p->end.rate(p->end.uart);

    if (!node || !p->rate)
        return (struct hc_rate_heard){ 1, { { byte, false } } };
    return hc_rate_hear(byte, by_node ? p->rate : node, by_node ? node : p->rate);
}

/* If the port's buffer is full, output is lost, as on a real line. */
static void transmitted(void *owner, uint8_t byte, hc_time now)
{
    struct hc_uart_pty *p = owner;
    struct hc_rate_heard heard = hear(p, byte, false);

    (void)now;
    for (int i = 0; p->used && i < heard.count; i++)
        if (write(p->master, &heard.character[i].byte, 1) < 0)
            return;
}

/* Takes as much as the node certainly accepts; the rest waits in the port. */
static void receive(struct hc_uart_pty *p)
{
    enum { MOST = HC_USART_QUEUE / 4 / HC_RATE_CHARACTERS };
    uint8_t bytes[MOST];
    ssize_t count = read(p->master, bytes, sizeof bytes);

    for (ssize_t i = 0; i < count; i++) {
        struct hc_rate_heard heard = hear(p, bytes[i], true);
        for (int n = 0; n < heard.count; n++)
            p->end.receive(p->end.uart, heard.character[n].byte | (heard.character[n].bad_stop ? HC_UART_BAD_STOP : 0));
    }
}

/* The other end of a pseudo-terminal tells how its user has set it. */
static void look(struct hc_uart_pty *p)
{
    struct pollfd state = { .fd = p->master, .events = POLLIN };
    struct termios settings;

    poll(&state, 1, 0);
    p->used = !(state.revents & POLLHUP);
    if (!tcgetattr(p->master, &settings))
        p->rate = hc_rate_of_speed(cfgetospeed(&settings));
    if (p->used && (state.revents & POLLIN) && p->end.waiting(p->end.uart) < HC_USART_QUEUE / 2)
        receive(p);
}

void hc_uart_pty_pace(struct hc_uart_pty *p)
{
    int64_t due = p->origin + (int64_t)(hc_seconds(hc_now(p->machine)) * NS), now = host_time();

    look(p);
    if (now > due) {
        p->origin += now - due;
        return;
    }
    struct timespec until = { .tv_sec = due / NS, .tv_nsec = due % NS };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* ---- the port ---- */

/* Opened and closed once, so that it is known to be unused; in raw mode, for users who do not configure it. */
static int prepare(struct hc_uart_pty *p)
{
    struct termios settings;
    int port = open(p->name, O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (port < 0)
        return errno;
    if (!tcgetattr(port, &settings)) {
        cfmakeraw(&settings);
        cfsetspeed(&settings, B115200);
        tcsetattr(port, TCSANOW, &settings);
    }
    close(port);
    return 0;
}

static int make_port(struct hc_uart_pty *p)
{
    p->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (p->master < 0 || grantpt(p->master) || unlockpt(p->master) || ptsname_r(p->master, p->name, sizeof p->name))
        return errno;
    return prepare(p);
}

/* A link that an earlier run has left, which was killed. */
static bool is_left(const char *link)
{
    static const char ports[] = "/dev/pts/";
    char to[sizeof ports];

    return readlink(link, to, sizeof to) == (ssize_t)sizeof to && !memcmp(to, ports, sizeof ports - 1);
}

static int make_link(struct hc_uart_pty *p, const char *link)
{
    if (is_left(link))
        unlink(link);
    if (symlink(p->name, link))
        return errno;
    p->link = link;
    return 0;
}

int hc_uart_pty_open(struct hc_uart_pty *p, struct hc_uart_end end, struct hc_machine *m, const char *link,
                     const char **what)
{
    *p = (struct hc_uart_pty){ .end = end, .machine = m };
    *what = "pseudo-terminal";
    int cause = make_port(p);
    if (!cause && link) {
        *what = link;
        cause = make_link(p, link);
    }
    if (cause)
        return cause;
    end.on_transmit(end.uart, transmitted, p);
    p->origin = host_time() - (int64_t)(hc_seconds(hc_now(m)) * NS);
    return 0;
}

void hc_uart_pty_close(struct hc_uart_pty *p)
{
    if (p->link)
        unlink(p->link);
    if (p->machine && p->master >= 0)
        close(p->master);
    *p = (struct hc_uart_pty){ .master = -1 };
}
