#include "port.h"

#include "rate.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what goes wrong, and what to do ---- */

/* Ports mostly belong to a group that one can join. */
static enum hc_fetch_error fail_forbidden(const char *path, struct hc_fetch_message *message)
{
    const mode_t needed = S_IRGRP | S_IWGRP;
    struct stat status;
    const struct group *group = NULL;

    if (!stat(path, &status) && status.st_gid && (status.st_mode & needed) == needed)
        group = getgrgid(status.st_gid);
    if (!group)
        return hc_fetch_fail(message, HC_FETCH_PORT, "%s: permission denied; ask whoever owns it: ls -l %s", path,
                             path);
    return hc_fetch_fail(message, HC_FETCH_PORT,
                         "%s: permission denied; it belongs to group %s: sudo usermod -aG %s $USER, then log in again",
                         path, group->gr_name, group->gr_name);
}

static enum hc_fetch_error fail_busy(const char *path, struct hc_fetch_message *message)
{
    return hc_fetch_fail(message, HC_FETCH_PORT,
                         "%s: another program uses it; close that one (a terminal, a serial forwarder, ModemManager)",
                         path);
}

static enum hc_fetch_error fail_open(const char *path, int cause, struct hc_fetch_message *message)
{
    switch (cause) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return hc_fetch_fail(message, HC_FETCH_PORT,
                             "%s: there is no such port; plug the node in, and see which one is new: ls /dev/ttyUSB*",
                             path);
    case EACCES:
    case EPERM:
        return fail_forbidden(path, message);
    case EBUSY:
    case EWOULDBLOCK:
        return fail_busy(path, message);
    default:
        return hc_fetch_fail(message, HC_FETCH_PORT, "%s: %s", path, strerror(cause));
    }
}

static enum hc_fetch_error fail_gone(const struct hc_port *port, struct hc_fetch_message *message)
{
    return hc_fetch_fail(message, HC_FETCH_PORT, "%s: the port is gone; was the node unplugged?", port->path);
}

/* ---- open and close ---- */

/* A line without carrier must not make the open wait. */
static enum hc_fetch_error open_alone(struct hc_port *port, struct hc_fetch_message *message)
{
    port->fd = open(port->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (port->fd < 0)
        return fail_open(port->path, errno, message);
    if (tcgetattr(port->fd, &port->before))
        return hc_fetch_fail(message, HC_FETCH_PORT, "%s: not a serial port", port->path);
    if (flock(port->fd, LOCK_EX | LOCK_NB))
        return fail_open(port->path, errno, message);
    return HC_FETCH_OK;
}

enum hc_fetch_error hc_port_open(struct hc_port *port, const char *path, struct hc_fetch_message *message)
{
    *port = (struct hc_port){ .fd = -1, .path = path };
    enum hc_fetch_error error = open_alone(port, message);
    if (error && port->fd >= 0) {
        close(port->fd);
        port->fd = -1;
    }
    return error;
}

void hc_port_close(struct hc_port *port)
{
    if (port->fd < 0)
        return;
    tcsetattr(port->fd, TCSANOW, &port->before);
    close(port->fd);
    port->fd = -1;
}

/* The modem lines stay as they are at close: on some boards they reset the node. */
enum hc_fetch_error hc_port_set_rate(struct hc_port *port, unsigned rate, struct hc_fetch_message *message)
{
    struct termios raw = port->before;
    speed_t speed;

    cfmakeraw(&raw);
    raw.c_cflag &= (tcflag_t) ~(CSTOPB | CRTSCTS | HUPCL);
    raw.c_cflag |= CLOCAL | CREAD;
    if (!hc_rate_to_speed(rate, &speed) || cfsetispeed(&raw, speed) || cfsetospeed(&raw, speed) ||
        tcsetattr(port->fd, TCSANOW, &raw))
        return hc_fetch_fail(message, HC_FETCH_PORT, "%s: the port cannot run at %u baud", port->path, rate);
    tcflush(port->fd, TCIOFLUSH);
    return HC_FETCH_OK;
}

/* ---- bytes ---- */

static int wait_for(const struct hc_port *port, short events, int ms)
{
    struct pollfd ready = { .fd = port->fd, .events = events };

    return poll(&ready, 1, ms);
}

enum hc_fetch_error hc_port_send(struct hc_port *port, const void *bytes, size_t count,
                                 struct hc_fetch_message *message)
{
    enum { PATIENCE_MS = 2000 };
    const uint8_t *at = bytes;

    while (count) {
        ssize_t n = write(port->fd, at, count);
        if (n < 0 && errno == EAGAIN && wait_for(port, POLLOUT, PATIENCE_MS) == 0)
            return hc_fetch_fail(message, HC_FETCH_PORT, "%s: the port takes no more bytes", port->path);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fail_gone(port, message);
        if (n > 0) {
            at += n;
            count -= (size_t)n;
        }
    }
    return HC_FETCH_OK;
}

enum hc_fetch_error hc_port_receive(struct hc_port *port, uint8_t *to, size_t room, int ms, size_t *count,
                                    struct hc_fetch_message *message)
{
    *count = 0;
    if (wait_for(port, POLLIN, ms) <= 0)
        return HC_FETCH_OK;
    ssize_t n = read(port->fd, to, room);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return fail_gone(port, message);
    *count = n > 0 ? (size_t)n : 0;
    return HC_FETCH_OK;
}
