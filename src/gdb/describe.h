/* Descriptions of the target: XML for gdb and lldb, and key:value; lists for lldb alone. */
#ifndef HC_GDB_DESCRIBE_H
#define HC_GDB_DESCRIBE_H

#include "reply.h"
#include "target.h"

/* target.xml: the architecture and, when asked, its registers. */
void hc_gdb_describe_target(struct hc_gdb_reply *out, struct hc_gdb_target *t, enum hc_gdb_layout layout,
                            bool registers);

/* The memory map. gdb does not access addresses outside it. */
void hc_gdb_describe_memory(struct hc_gdb_reply *out, struct hc_gdb_target *t);

/* qHostInfo (PROCESS false) and qProcessInfo (true). */
void hc_gdb_describe_host(struct hc_gdb_reply *out, struct hc_gdb_target *t, bool process);

/* qRegisterInfo, for an lldb that cannot read XML. N is the number of a register. */
void hc_gdb_describe_register(struct hc_gdb_reply *out, struct hc_gdb_target *t, enum hc_gdb_layout layout, int n);

/* qMemoryRegionInfo: the region, or the gap between regions, that ADDRESS is in. */
void hc_gdb_describe_region_at(struct hc_gdb_reply *out, struct hc_gdb_target *t, uint32_t address);

#endif
