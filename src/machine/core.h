/* The inside of a machine. Included by the core and the CPU, never by devices, boards or clients. */
#ifndef HC_MACHINE_CORE_H
#define HC_MACHINE_CORE_H

#include "device.h"

#include <stdatomic.h>

enum {
    HC_ADDRESS_BITS = 20,
    HC_PAGE_BITS = 8,
    HC_PAGE_BYTES = 1 << HC_PAGE_BITS,
    HC_PAGES = 1 << (HC_ADDRESS_BITS - HC_PAGE_BITS),
    HC_CODE_PAGE_BITS = 10,
    HC_CODE_PAGES = 1 << (HC_ADDRESS_BITS - HC_CODE_PAGE_BITS),
    HC_DEVICES_MAX = 64,
    HC_CLOCKS_MAX = 8,
    HC_VECTORS_MAX = 64,
    HC_IO_BYTES = 0x1000,
};

/* A page that needs more than a plain load or store says so in its flags; everything else is looked up then. */
enum { HC_SLOW_READ = 1, HC_SLOW_WRITE = 2 };

/* All of the core that a snapshot holds, besides memory. Plain data. */
struct hc_core_state {
    uint32_t r[HC_REGISTERS]; /* r[0] is valid between instructions only; r[2] has no C, Z, N, V while executing */
    uint64_t cycles;          /* MCLK cycles at the start of the slice */
    uint64_t instructions;
    uint64_t interrupts;
    hc_time now; /* between slices */
    hc_time hold_until;
    hc_time mode_since;
    hc_time in_mode[HC_MODES];
    uint64_t requests; /* interrupt lines, a bit a vector */
    uint64_t
        gie_set_at; /* retired instructions when one of them set GIE: the next one runs before a request is accepted */
    bool off;       /* no supply */
    uint64_t hash;
};

struct hc_wire_state {
    int32_t level[HC_WIRES_MAX];
    int32_t pull[HC_WIRES_MAX];
    uint8_t drive[HC_WIRES_MAX][HC_DRIVERS_MAX];
};

struct hc_wire_info {
    char name[24];
    int width;
    int drivers;
    int first_listener; /* into hc_machine.wire_listener, linked by next_listener; -1 ends */
    const char *const *values;
};

struct hc_hook;
struct hc_followed;
struct hc_code_page;
struct hc_retired_code;

struct hc_machine {
    struct hc_core_state s; /* first: the registers are what the CPU reaches most */

    /* One slice of execution. */
    uint32_t slice_end;     /* cycles from its start; 0 ends it after the running instruction */
    uint64_t slice_elapsed; /* cycles in the low half, instructions in the high half, as of the running access */
    hc_time slice_horizon;  /* the next event when the slice began */
    uint32_t pc;            /* of the running instruction, when a slow path runs */
    uint32_t address_mask;
    bool executing;
    hc_time boundary; /* while events fire: where the CPU is */
    uint8_t page_flags[HC_PAGES];
    uint8_t *memory;
    struct hc_code_page *code[HC_CODE_PAGES];
    struct hc_retired_code *retired_code; /* replaced while it may still be executing; freed between slices */
    struct hc_code_store *code_store;
    bool owns_code_store;

    /* What the page flags are made from. */
    const struct hc_part *part;
    uint32_t memory_size;
    uint8_t page_kind[HC_PAGES];
    uint8_t page_guard[HC_PAGES];
    uint8_t page_watch[HC_PAGES];
    uint8_t page_code[HC_PAGES]; /* decoded code lies here */
    bool watch_all_writes;
    bool lenient;
    struct hc_device *page_owner[HC_PAGES]; /* of guarded pages */
    uint8_t io_owner[HC_IO_BYTES];          /* device index + 1 */
    uint8_t io_unknown[HC_IO_BYTES];        /* reported: bit 0 read, bit 1 write */

    int devices;
    struct hc_device *device[HC_DEVICES_MAX];
    struct hc_device *vector_owner[HC_VECTORS_MAX];
    uint64_t nonmaskable; /* a bit a vector */
    struct hc_queue queue;
    struct hc_clock mclk;
    int clocks;
    struct hc_clock clock[HC_CLOCKS_MAX];

    hc_wire mode_wire;
    int wires;
    struct hc_wire_state wire_state;
    struct hc_wire_info wire[HC_WIRES_MAX];
    int wire_listeners;
    int wire_listeners_room;
    struct {
        hc_wire_fn *call;
        void *owner;
        int next;
    } *wire_listener;

    hc_power_fn *power_call;
    void *power_owner;
    hc_wait_fn *wait_call;
    void *wait_owner;
    hc_note_fn *note_call;
    void *note_owner;

    int reset_requested; /* enum hc_reset + 1 */
    bool stopped;        /* by a hook */
    atomic_bool stop_requested;
    bool faulted;
    uint32_t fault_pc;
    char fault_text[200];

    /* Hooks. */
    int hooks;
    int hooks_room;
    int next_hook;
    struct hc_hook *hook;
    int retire_hooks, interrupt_hooks;
    const struct hc_follower *follower;
    void *follow_owner;
    uint32_t follow_marks;
    struct hc_followed *followed; /* of each word of code; only with a follower */
    bool hashing;
    uint64_t write_hash;
    uint32_t resume_pc;    /* a hook stopped here: the run that follows executes it without asking again, */
    uint64_t resume_count; /* if no instruction has retired since */
};

/* memory.c */
void hc_memory_init(struct hc_machine *m);
void hc_page_refresh(struct hc_machine *m, uint32_t page);
void hc_pages_refresh_all(struct hc_machine *m);
uint32_t hc_memory_canonical(const struct hc_machine *m, uint32_t address); /* resolves mirrors */
uint16_t hc_slow_read(struct hc_machine *m, uint32_t address, int size);
void hc_slow_write(struct hc_machine *m, uint32_t address, uint16_t value, int size);

/* hook.c */
void hc_hooks_free(struct hc_machine *m);
/* Runs the hooks at PC; the CPU's state is in m->s. */
enum hc_action hc_hooks_at_pc(struct hc_machine *m, uint32_t pc);
bool hc_hooked_at(const struct hc_machine *m, uint32_t pc);
void hc_hooks_access(struct hc_machine *m, uint32_t address, uint16_t value, uint16_t before, int size, bool write);
void hc_hooks_interrupt(struct hc_machine *m, int vector, uint32_t pc);
void hc_hooks_retired(struct hc_machine *m, uint32_t pc);

/* machine.c */
void hc_end_slice(struct hc_machine *m);
/* Writes SR and does what its new bits ask for. */
void hc_status_write(struct hc_machine *m, uint16_t sr);

/* What a CPU family provides. */
void hc_cpu_execute(struct hc_machine *m);                         /* from r[0] until slice_end */
unsigned hc_cpu_enter_interrupt(struct hc_machine *m, int vector); /* pushes the frame, loads the vector; its cycles */
void hc_cpu_reset(struct hc_machine *m);
unsigned hc_cpu_length(struct hc_machine *m, uint32_t pc);             /* bytes of the instruction at PC */
void hc_cpu_return(struct hc_machine *m);                              /* as RET would */
void hc_code_changed(struct hc_machine *m, uint32_t address);          /* a byte of memory was written */
void hc_code_changed_all(struct hc_machine *m);                        /* memory was replaced */
void hc_code_patch(struct hc_machine *m, uint32_t pc);                 /* a hook came or went */
void hc_code_drop(struct hc_machine *m, uint32_t start, uint32_t end); /* decode again when needed */
void hc_code_collect(struct hc_machine *m);                            /* frees retired pages */
void hc_code_free(struct hc_machine *m);

#endif
