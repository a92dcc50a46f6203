/* A target: what the stub debugs, as a const table of operations. A live machine is one (machine_target.c); a timeline
 * is another, with the two reverse operations (timeline/gdb_target.h).
 *
 * The stub checks all numbers from the debugger against the target's description (registers, packet sizes). Addresses
 * are passed on unchecked; the target must check them. */
#ifndef HC_GDB_TARGET_H
#define HC_GDB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_gdb_target;

/* ---- registers ---- */

/* Clients disagree on how wide a register is on the wire. msp430-elf-gdb has 32 bits for each register of any MSP430;
 * lldb and the old msp430-gdb have the register's own size. */
enum hc_gdb_layout { HC_GDB_LAYOUT_OWN, HC_GDB_LAYOUT_32, HC_GDB_LAYOUTS };

struct hc_gdb_register {
    const char *name;              /* "r1" */
    const char *alternative;       /* "fp", or NULL */
    const char *generic;           /* lldb's generic name: "pc", "sp", "flags", or NULL */
    uint8_t bytes[HC_GDB_LAYOUTS]; /* on the wire, little-endian; at most 4 */
};

struct hc_gdb_description {
    const char *architecture; /* "msp430": in the target description and the triple */
    const char *part;         /* "msp430f1611" */
    int registers;
    const struct hc_gdb_register *reg; /* by number, which is also DWARF's */
    int pc, sp;                        /* sent along with each stop */
};

/* ---- memory ---- */

enum hc_gdb_memory { HC_GDB_RAM, HC_GDB_ROM, HC_GDB_FLASH };

struct hc_gdb_region {
    const char *name;
    enum hc_gdb_memory kind;
    uint32_t start, size;
    uint32_t block; /* of flash: the size of an erase */
};

/* ---- stopping ---- */

/* The numbers are those of the packets Z0 .. Z4. */
enum hc_gdb_point { HC_GDB_SWBREAK, HC_GDB_HWBREAK, HC_GDB_WATCH_WRITE, HC_GDB_WATCH_READ, HC_GDB_WATCH_ACCESS };

/* GDB's numbers, not the host's. */
enum hc_gdb_signal { HC_GDB_SIGINT = 2, HC_GDB_SIGILL = 4, HC_GDB_SIGTRAP = 5, HC_GDB_SIGSEGV = 11 };

enum hc_gdb_stop_kind {
    HC_GDB_STOP_STEPPED, /* the step is done */
    HC_GDB_STOP_POINT, /* `point`; for a watchpoint the access has happened and `address` is the byte that is watched */
    HC_GDB_STOP_INTERRUPTED, /* the debugger asked */
    HC_GDB_STOP_FAULT,       /* `signal` and `text` say what is wrong */
    HC_GDB_STOP_OTHER,       /* stopped by something other than the debugger */
    HC_GDB_STOP_LOG_BEGIN,   /* reverse execution reached the start of the history ... */
    HC_GDB_STOP_LOG_END,     /* ... or a replay its end; it can continue in the other direction */
    HC_GDB_STOP_EXITED,      /* the run has ended, and the session with it */
};

struct hc_gdb_stop {
    enum hc_gdb_stop_kind kind;
    enum hc_gdb_point point;
    enum hc_gdb_signal signal;
    uint32_t address;
    char text[256];
};

/* ---- running ---- */

enum hc_gdb_resume_kind {
    HC_GDB_CONTINUE,
    HC_GDB_STEP,  /* one instruction */
    HC_GDB_RANGE, /* instructions, until PC is outside start..end-1 */
};

struct hc_gdb_resume {
    enum hc_gdb_resume_kind kind;
    uint32_t start, end;
};

/* Call every few milliseconds while the target runs: true if it must stop. IDLE: the target has nothing to do (asleep,
 * and nothing can wake it), so the call may wait a little. */
struct hc_gdb_poll {
    bool (*interrupted)(void *owner, bool idle);
    void *owner;
};

/* ---- monitor commands ---- */

struct hc_gdb_console {
    void (*print)(void *owner, const char *text);
    void *owner;
    bool
        caches; /* the debugger (lldb) keeps what it has read until the target runs and stops: no command may move it */
};
void hc_gdb_print(const struct hc_gdb_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct hc_gdb_command {
    const char *name;
    const char *help; /* one line */
    /* ARGUMENTS is what follows the name, without spaces around it. False: the arguments make no sense. */
    bool (*run)(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console);
};

/* ---- the operations ---- */

struct hc_gdb_target_ops {
    const struct hc_gdb_description *(*describe)(struct hc_gdb_target *t);
    /* Region I in order of address; false when there is none. */
    bool (*region)(struct hc_gdb_target *t, int i, struct hc_gdb_region *out);

    uint32_t (*read_register)(struct hc_gdb_target *t, int n);
    void (*write_register)(struct hc_gdb_target *t, int n, uint32_t value);

    /* Return how many bytes could be read or written, from the first on. Reading changes nothing in the target. */
    size_t (*read_memory)(struct hc_gdb_target *t, uint32_t address, uint8_t *out, size_t n);
    size_t (*write_memory)(struct hc_gdb_target *t, uint32_t address, const uint8_t *bytes, size_t n);
    /* All bytes of flash in the range become 0xff; false if one of them is not flash. */
    bool (*erase_flash)(struct hc_gdb_target *t, uint32_t address, uint32_t n);

    /* LENGTH bytes are watched; of a breakpoint it says nothing. Inserting the same one twice is the same as once (the
     * protocol demands it). False: no such thing here, or too many. Removing what isn't there does nothing. */
    bool (*insert)(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length);
    void (*remove)(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length);
    void (*remove_all)(struct hc_gdb_target *t);

    /* Runs until something stops it, or POLL says so. */
    void (*resume)(struct hc_gdb_target *t, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                   struct hc_gdb_stop *stop);

    /* The same backwards: a step undoes one instruction; continuing stops after undoing an access that is watched, or
     * at a breakpoint's PC. NULL where there is no history; the debugger is then told that it can't be done. */
    void (*reverse_step)(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop);
    void (*reverse_continue)(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop);

    const struct hc_gdb_command *commands; /* ends with a NULL name; may be NULL */

    void (*destroy)(struct hc_gdb_target *t); /* frees all */
};

struct hc_gdb_target {
    const struct hc_gdb_target_ops *ops;
};

#endif
