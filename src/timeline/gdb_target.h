/* A timeline as a target for gdb and lldb, including reverse execution. Recorded state is read-only: nothing can be
 * written. */
#ifndef HC_TIMELINE_GDB_TARGET_H
#define HC_TIMELINE_GDB_TARGET_H

#include "gdb/target.h"
#include "timeline.h"

/* T remains the caller's and must outlive the target. Returns NULL on out-of-memory. */
struct hc_gdb_target *hc_gdb_timeline_target_new(struct hc_timeline *t);

#endif
