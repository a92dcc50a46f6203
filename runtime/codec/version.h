/* Of pages and their contents (FORMAT.md). For C and assembly. */
#ifndef HC_CODEC_VERSION_H
#define HC_CODEC_VERSION_H

#define HC_TRACE_VERSION 5

#endif
