/* Break- and watchpoints that a debugger has asked for, as hooks of a machine. */
#ifndef HC_GDB_POINTS_H
#define HC_GDB_POINTS_H

#include "machine/machine.h"
#include "target.h"

enum { HC_GDB_POINTS_MOST = 256 };

struct hc_gdb_points;

struct hc_gdb_set_point {
    struct hc_gdb_points *points;
    bool used;
    enum hc_gdb_point kind;
    uint32_t address, length; /* of a breakpoint: 1 */
    int hook;
};

/* The machine reached P: its PC, or an access to ADDRESS, which is in the watched range. */
typedef enum hc_action hc_gdb_met_fn(void *owner, const struct hc_gdb_set_point *p, uint32_t address);

struct hc_gdb_points {
    struct hc_machine *m;
    hc_gdb_met_fn *met;
    void *owner;
    int used; /* one past the last in use */
    struct hc_gdb_set_point point[HC_GDB_POINTS_MOST];
};

bool hc_gdb_point_is_watch(enum hc_gdb_point kind);

/* Returns false if there is no such place or no room. Setting the same point twice has no further effect. */
bool hc_gdb_points_insert(struct hc_gdb_points *s, enum hc_gdb_point kind, uint32_t address, uint32_t length);
void hc_gdb_points_remove(struct hc_gdb_points *s, enum hc_gdb_point kind, uint32_t address, uint32_t length);
void hc_gdb_points_remove_all(struct hc_gdb_points *s);
/* The breakpoint of either kind at PC, or NULL. */
const struct hc_gdb_set_point *hc_gdb_points_at(struct hc_gdb_points *s, uint32_t pc);

#endif
