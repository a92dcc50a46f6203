/* A timeline as a target of gdb and lldb: what the stub needs to go backwards as well. Nothing can be written: what
 * was, was. */
#ifndef HC_TIMELINE_GDB_TARGET_H
#define HC_TIMELINE_GDB_TARGET_H

#include "gdb/target.h"
#include "timeline.h"

/* T stays the caller's and must live longer. NULL when memory is exhausted. */
struct hc_gdb_target *hc_gdb_timeline_target_new(struct hc_timeline *t);

#endif
