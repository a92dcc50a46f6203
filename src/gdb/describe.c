#include "describe.h"

#include <string.h>

static const char *type_of(const struct hc_gdb_description *d, int n, int bytes)
{
    if (n == d->pc)
        return "code_ptr";
    if (n == d->sp)
        return "data_ptr";
    return bytes == 2 ? "uint16" : "uint32";
}

static void describe_registers(struct hc_gdb_reply *out, const struct hc_gdb_description *d, enum hc_gdb_layout layout)
{
    hc_gdb_reply_add(out, "<feature name=\"org.gnu.gdb.%s.core\">\n", d->architecture);
    for (int n = 0; n < d->registers; n++) {
        const struct hc_gdb_register *reg = &d->reg[n];
        int bytes = reg->bytes[layout];

        hc_gdb_reply_add(out, "<reg name=\"%s\" bitsize=\"%d\" regnum=\"%d\" type=\"%s\" group=\"general\"", reg->name,
                         8 * bytes, n, type_of(d, n, bytes));
        /* These are lldb's own. */
        hc_gdb_reply_add(out, " dwarf_regnum=\"%d\" ehframe_regnum=\"%d\"", n, n);
        if (reg->alternative)
            hc_gdb_reply_add(out, " altname=\"%s\"", reg->alternative);
        if (reg->generic)
            hc_gdb_reply_add(out, " generic=\"%s\"", reg->generic);
        hc_gdb_reply_add(out, "/>\n");
    }
    hc_gdb_reply_add(out, "</feature>\n");
}

void hc_gdb_describe_target(struct hc_gdb_reply *out, struct hc_gdb_target *t, enum hc_gdb_layout layout,
                            bool registers)
{
    const struct hc_gdb_description *d = t->ops->describe(t);

    hc_gdb_reply_add(out,
                     "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                     "<target version=\"1.0\">\n<architecture>%s</architecture>\n",
                     d->architecture);
    if (registers)
        describe_registers(out, d, layout);
    hc_gdb_reply_add(out, "</target>\n");
}

void hc_gdb_describe_memory(struct hc_gdb_reply *out, struct hc_gdb_target *t)
{
    static const char *const types[] = { [HC_GDB_RAM] = "ram", [HC_GDB_ROM] = "rom", [HC_GDB_FLASH] = "flash" };
    struct hc_gdb_region region;

    hc_gdb_reply_add(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map "
                          "V1.0//EN\" \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n");
    for (int i = 0; t->ops->region(t, i, &region); i++) {
        hc_gdb_reply_add(out, "<memory type=\"%s\" start=\"0x%x\" length=\"0x%x\"", types[region.kind], region.start,
                         region.size);
        if (region.kind == HC_GDB_FLASH)
            hc_gdb_reply_add(out, "><property name=\"blocksize\">0x%x</property></memory>\n", region.block);
        else
            hc_gdb_reply_add(out, "/>\n");
    }
    hc_gdb_reply_add(out, "</memory-map>\n");
}

void hc_gdb_describe_host(struct hc_gdb_reply *out, struct hc_gdb_target *t, bool process)
{
    const struct hc_gdb_description *d = t->ops->describe(t);

    if (process)
        hc_gdb_reply_add(out, "pid:1;");
    hc_gdb_reply_add(out, "triple:");
    hc_gdb_reply_hex_string(out, d->architecture);
    hc_gdb_reply_add(out, ";endian:little;");
    if (!process)
        hc_gdb_reply_add(out, "watchpoint_exceptions_received:after;");
}

void hc_gdb_describe_register(struct hc_gdb_reply *out, struct hc_gdb_target *t, enum hc_gdb_layout layout, int n)
{
    const struct hc_gdb_register *reg = t->ops->describe(t)->reg;
    int offset = 0;

    for (int i = 0; i < n; i++)
        offset += reg[i].bytes[layout];
    hc_gdb_reply_add(out, "name:%s;", reg[n].name);
    if (reg[n].alternative)
        hc_gdb_reply_add(out, "alt-name:%s;", reg[n].alternative);
    hc_gdb_reply_add(out, "bitsize:%d;offset:%d;encoding:uint;format:hex;set:general;ehframe:%d;dwarf:%d;",
                     8 * reg[n].bytes[layout], offset, n, n);
    if (reg[n].generic)
        hc_gdb_reply_add(out, "generic:%s;", reg[n].generic);
}

void hc_gdb_describe_region_at(struct hc_gdb_reply *out, struct hc_gdb_target *t, uint32_t address)
{
    uint32_t gap = 0; /* where the gap before the region begins */
    struct hc_gdb_region region;

    for (int i = 0; t->ops->region(t, i, &region); i++) {
        if (address < region.start) {
            hc_gdb_reply_add(out, "start:%x;size:%x;", gap, region.start - gap);
            return;
        }
        gap = region.start + region.size;
        if (address - region.start < region.size) {
            hc_gdb_reply_add(out, "start:%x;size:%x;permissions:%s;name:", region.start, region.size,
                             region.kind == HC_GDB_RAM ? "rwx" : "rx");
            hc_gdb_reply_hex_string(out, region.name);
            hc_gdb_reply_add(out, ";");
            return;
        }
    }
    hc_gdb_reply_add(out, "start:%x;size:%llx;", gap, (1ull << 32) - gap);
}
