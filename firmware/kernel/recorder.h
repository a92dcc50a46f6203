/* The recorder's wishes, for programs that are built with it or without: without, they are nothing. */
#ifndef KERNEL_RECORDER_H
#define KERNEL_RECORDER_H

#ifdef __HINDCAST__
#include <hindcast.h>
#else
#include "../../runtime/hindcast.h"
#endif

#endif
