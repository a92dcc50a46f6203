#include "points.h"

#include "target/target.h"

bool hc_gdb_point_is_watch(enum hc_gdb_point kind)
{
    return kind != HC_GDB_SWBREAK && kind != HC_GDB_HWBREAK;
}

static enum hc_action at_breakpoint(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hc_gdb_set_point *p = owner;

    (void)m;
    return p->points->met(p->points->owner, p, pc);
}

static enum hc_action at_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    const struct hc_gdb_set_point *p = owner;

    (void)m;
    /* A word may begin before what is watched; the debugger knows only the bytes that it asked for. */
    return p->points->met(p->points->owner, p, access->address > p->address ? access->address : p->address);
}

static struct hc_gdb_set_point *find(struct hc_gdb_points *s, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    for (int i = 0; i < s->used; i++) {
        struct hc_gdb_set_point *p = &s->point[i];

        if (p->used && p->kind == kind && p->address == address && p->length == length)
            return p;
    }
    return NULL;
}

static int hook(struct hc_gdb_points *s, struct hc_gdb_set_point *p)
{
    static const int watches[] = { [HC_GDB_WATCH_WRITE] = HC_WATCH_WRITE,
                                   [HC_GDB_WATCH_READ] = HC_WATCH_READ,
                                   [HC_GDB_WATCH_ACCESS] = HC_WATCH_READ | HC_WATCH_WRITE };

    if (!hc_gdb_point_is_watch(p->kind))
        return hc_hook_pc(s->m, p->address, at_breakpoint, p);
    return hc_hook_access(s->m, p->address, p->address + p->length - 1, watches[p->kind], at_access, p);
}

bool hc_gdb_points_insert(struct hc_gdb_points *s, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    uint32_t space = hc_target_of_machine(s->m)->cpu->address_space(s->m);
    bool watch = hc_gdb_point_is_watch(kind);

    if (!watch)
        length = 1;
    if (address >= space || length == 0 || length > space - address || (!watch && (address & 1)))
        return false;
    if (find(s, kind, address, length))
        return true;
    for (int i = 0; i < HC_GDB_POINTS_MOST; i++) {
        struct hc_gdb_set_point *p = &s->point[i];

        if (p->used)
            continue;
        *p = (struct hc_gdb_set_point){ .points = s, .used = true, .kind = kind, .address = address, .length = length };
        p->hook = hook(s, p);
        if (i >= s->used)
            s->used = i + 1;
        return true;
    }
    return false;
}

static void drop(struct hc_gdb_points *s, struct hc_gdb_set_point *p)
{
    hc_unhook(s->m, p->hook);
    p->used = false;
    while (s->used > 0 && !s->point[s->used - 1].used)
        s->used--;
}

void hc_gdb_points_remove(struct hc_gdb_points *s, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    struct hc_gdb_set_point *p = find(s, kind, address, hc_gdb_point_is_watch(kind) ? length : 1);

    if (p)
        drop(s, p);
}

void hc_gdb_points_remove_all(struct hc_gdb_points *s)
{
    for (int i = s->used - 1; i >= 0; i--)
        if (s->point[i].used)
            drop(s, &s->point[i]);
}

const struct hc_gdb_set_point *hc_gdb_points_at(struct hc_gdb_points *s, uint32_t pc)
{
    const struct hc_gdb_set_point *p = find(s, HC_GDB_SWBREAK, pc, 1);

    return p ? p : find(s, HC_GDB_HWBREAK, pc, 1);
}
