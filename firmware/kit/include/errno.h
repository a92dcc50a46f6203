/* Errors that the kit's library, or a program of its own, may report. The numbers are Linux's. */
#ifndef KIT_ERRNO_H
#define KIT_ERRNO_H

#define ENOENT 2
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define EDOM 33
#define ERANGE 34

extern int errno;

#endif
