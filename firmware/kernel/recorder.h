/* The recorder's wishes, for programs that are built with it or without: without, they are nothing. */
#ifndef KERNEL_RECORDER_H
#define KERNEL_RECORDER_H

#ifdef __HINDCAST__
#include <hindcast.h>
#else
#define HC_INVARIANT(condition) ((void)0)
#define HC_FREEZE_COMMAND 0
#define hc_freeze(reason) ((void)(reason))
#endif

#endif
