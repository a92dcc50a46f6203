/* The machine: one emulated node, as a library.
 *
 * Any number of machines live in a process; they share nothing that changes, and each may run on its own thread.
 * The same image and the same inputs give the same instruction stream, bit for bit.
 *
 * A machine is built by a board (board/telosb.h, board/flat.h), loaded through hc_poke, reset, and run. */
#ifndef HC_MACHINE_MACHINE_H
#define HC_MACHINE_MACHINE_H

#include "time.h"

#include <stdbool.h>
#include <stddef.h>

struct hc_machine;
struct hc_device;
struct hc_clock;
struct hc_code_store;

/* ---- what a part is ---- */

enum hc_cpu_kind { HC_CPU_MSP430, HC_CPU_MSP430X };

enum hc_region_kind {
    HC_VACANT, /* nothing answers */
    HC_IO,     /* peripheral registers */
    HC_RAM,
    HC_ROM,   /* reads only; a write is a fault */
    HC_FLASH, /* reads are direct, writes go to the flash controller */
    HC_FRAM,
    HC_MIRROR, /* another name for the region at `mirrors` */
};

struct hc_region {
    const char *name;
    enum hc_region_kind kind;
    uint32_t start, end; /* inclusive; on 256-byte borders */
    uint32_t mirrors;
};

struct hc_part {
    const char *name; /* "msp430f1611" */
    enum hc_cpu_kind cpu;
    const struct hc_region *regions; /* ends with a NULL name; what is not listed is vacant */
    uint32_t vectors_end;            /* one past the reset vector: 0x10000 */
    int vectors;                     /* 16: the reset vector is number 15 */
    uint32_t wdtctl;                 /* where WDTCTL is: by it an image for another part is known; 0: there is none */
};

/* STORE shares decoded code between machines (see cpu/msp430/decoded_code.h); NULL gives the machine its own.
 * NULL when memory is exhausted. */
struct hc_machine *hc_machine_new(const struct hc_part *part, struct hc_code_store *store);
void hc_machine_free(struct hc_machine *m);
const struct hc_part *hc_machine_part(const struct hc_machine *m);

/* ---- memory and registers, from outside ---- */

/* Without side effects and at any time: RAM, flash, registers of devices (their peek). Vacant memory reads as 0xff. */
uint8_t hc_peek(struct hc_machine *m, uint32_t address);
uint16_t hc_peek16(struct hc_machine *m, uint32_t address);
/* SIZE of them, and faster. */
void hc_peek_bytes(struct hc_machine *m, uint32_t address, uint8_t *out, size_t size);
/* Writes RAM, ROM, flash and FRAM as a programmer would; false for I/O and vacant memory. */
bool hc_poke(struct hc_machine *m, uint32_t address, uint8_t value);
bool hc_poke16(struct hc_machine *m, uint32_t address, uint16_t value);
enum hc_region_kind hc_region_kind(const struct hc_machine *m, uint32_t address);

/* Reads and writes as the bus does (side effects and all): what DMA uses. */
uint16_t hc_bus_read(struct hc_machine *m, uint32_t address, int size);
void hc_bus_write(struct hc_machine *m, uint32_t address, uint16_t value, int size);

enum { HC_PC = 0, HC_SP = 1, HC_SR = 2, HC_REGISTERS = 16 };
enum {
    HC_SR_C = 0x001,
    HC_SR_Z = 0x002,
    HC_SR_N = 0x004,
    HC_SR_GIE = 0x008,
    HC_SR_CPUOFF = 0x010,
    HC_SR_OSCOFF = 0x020,
    HC_SR_SCG0 = 0x040,
    HC_SR_SCG1 = 0x080,
    HC_SR_V = 0x100,
};
uint32_t hc_register(const struct hc_machine *m, int n);
/* All of them, for those who look often: valid as long as the machine, and right where hc_register would be. */
const uint32_t *hc_registers(const struct hc_machine *m);
void hc_set_register(struct hc_machine *m, int n, uint32_t value);

/* ---- running ---- */

enum hc_stop {
    HC_STOP_TIME,    /* the time asked for has come */
    HC_STOP_HOOK,    /* a hook asked to stop */
    HC_STOP_STEPS,   /* the instructions asked for have retired */
    HC_STOP_FAULT,   /* see hc_fault_text */
    HC_STOP_REQUEST, /* hc_request_stop */
};

/* POR: power-on, brown-out, RST/NMI pin, SVS. PUC: also watchdog, key violations; most registers survive in part. */
enum hc_reset { HC_PUC, HC_POR };

/* Power-on: POR of every device, PC from the reset vector. Call once after loading; again for a power cycle. */
void hc_machine_reset(struct hc_machine *m, enum hc_reset kind);

/* Supply lost and, with the next hc_machine_reset(HC_POR), back: RAM and registers become unpredictable
 * (a fixed pattern made from SEED), non-volatile memory stays, a fault is forgotten. Until then a run only lets time
 * pass. */
void hc_machine_power_off(struct hc_machine *m, uint64_t seed);

/* Runs until UNTIL (emulated time); stops at an instruction boundary, so hc_now may be a few cycles later. */
enum hc_stop hc_machine_run(struct hc_machine *m, hc_time until);

/* Runs N instructions (an accepted interrupt is not one; sleep is skipped to the next wake-up), at most until UNTIL. */
enum hc_stop hc_machine_step(struct hc_machine *m, uint64_t n, hc_time until);

/* The same, and then all that comes before the next instruction: events, sleep, interrupts. HC_STOP_STEPS when that is
 * next; until then time may run out, or a hook stop it. */
enum hc_stop hc_machine_settle(struct hc_machine *m, uint64_t n, hc_time until);

/* The earliest time at which the machine would do anything by itself: now, if its CPU is awake; the next event or the
 * end of what holds it, if not. HC_NEVER when nothing will ever happen. */
hc_time hc_machine_next(const struct hc_machine *m);

/* Ends a run after the running instruction; the only call that is safe from another thread or a signal handler. */
void hc_request_stop(struct hc_machine *m);

/* "pc 0x4312: write of 0x0001 to vacant memory 0x0a00"; valid until the next run. */
const char *hc_fault_text(const struct hc_machine *m);
uint32_t hc_fault_pc(const struct hc_machine *m);

/* What vacant memory does: stop with a fault (default), or read 0x3fff and ignore writes as real parts roughly do. */
void hc_machine_set_lenient(struct hc_machine *m, bool lenient);

typedef void hc_note_fn(void *owner, const char *text);
void hc_machine_set_note(struct hc_machine *m, hc_note_fn *call, void *owner);

/* Now, exact to the MCLK cycle within the running instruction; in an event, the event's time. */
hc_time hc_now(const struct hc_machine *m);

/* ---- statistics ---- */

enum { HC_MODE_ACTIVE, HC_MODE_LPM0, HC_MODE_LPM1, HC_MODE_LPM2, HC_MODE_LPM3, HC_MODE_LPM4, HC_MODES };

struct hc_statistics {
    uint64_t instructions; /* retired; in a hook at a PC: exact as well */
    uint64_t cycles;       /* MCLK, while the CPU was awake */
    uint64_t interrupts;   /* accepted */
    hc_time now;
    hc_time in_mode[HC_MODES];
};
void hc_machine_statistics(const struct hc_machine *m, struct hc_statistics *out);
extern const char *const hc_mode_names[HC_MODES + 1]; /* ends with NULL */

/* What the instruction at PC does to the flow of control. */
enum hc_flow {
    HC_FLOW_OTHER,
    HC_FLOW_CALL,
    HC_FLOW_RETURN,
    HC_FLOW_INTERRUPT_RETURN,
    HC_FLOW_LATCH, /* a jump backwards, or to itself: the end of a loop */
};
enum hc_flow hc_flow_at(struct hc_machine *m, uint32_t pc);
/* It takes registers from the stack, as the end of a function does. */
bool hc_pops_at(struct hc_machine *m, uint32_t pc);
/* With the machine at a function's first instruction: where it returns to; *SIZE (or NULL): bytes that the return
 * address takes on the stack, 2 after CALL, 4 after CALLA. */
uint32_t hc_return_address(struct hc_machine *m, uint32_t *size);
/* In bytes. */
unsigned hc_instruction_length(struct hc_machine *m, uint32_t pc);

/* What an instruction does with the arithmetic flags. */
enum hc_flags_use {
    HC_FLAGS_KEPT,
    HC_FLAGS_SET,      /* from a result */
    HC_FLAGS_STORED,   /* the whole status goes to memory */
    HC_FLAGS_COPIED,   /* it goes to register *REG */
    HC_FLAGS_POPPED,   /* it comes from the stack */
    HC_FLAGS_RETURNED, /* at the end of a handler */
};

/* ---- hooks: free when unused ---- */

enum hc_action {
    HC_CONTINUE,
    HC_STOP,   /* before the instruction (at a PC), after it (others) */
    HC_ANSWER, /* at a PC only: the function is not run; its RET happens at once */
};

typedef enum hc_action hc_pc_fn(void *owner, struct hc_machine *m, uint32_t pc);
/* Before the instruction at PC executes. Costs nothing elsewhere. Returns an id for hc_unhook. A run that begins
 * where a hook stopped the last one executes that instruction without asking the hooks again. */
int hc_hook_pc(struct hc_machine *m, uint32_t pc, hc_pc_fn *call, void *owner);
/* The same, ahead of the others at that PC. A hook may set the PC: execution goes on there, and the hooks after it are
 * not asked. */
int hc_hook_pc_first(struct hc_machine *m, uint32_t pc, hc_pc_fn *call, void *owner);

struct hc_access {
    uint32_t address;
    uint16_t value;  /* read or written */
    uint16_t before; /* of a write: what was there (memory only) */
    uint8_t size;
    bool write;
    uint32_t pc; /* of the instruction, 0xffffffff for DMA */
};
typedef enum hc_action hc_access_fn(void *owner, struct hc_machine *m, const struct hc_access *access);
enum { HC_WATCH_READ = 1, HC_WATCH_WRITE = 2 };
/* Accesses by instructions and DMA that touch START..END. Accesses elsewhere on the same 256-byte pages get slower.
 * In the callback the registers are those of an instruction half done, and C, Z, N, V are not valid. */
int hc_hook_access(struct hc_machine *m, uint32_t start, uint32_t end, int watch, hc_access_fn *call, void *owner);

typedef enum hc_action hc_call_fn(void *owner, struct hc_machine *m, bool entering);
/* Around calls of the function at ENTRY: called on entry (may ANSWER: set the registers first) and when that
 * invocation returns (same return address and stack depth; recursion nests, at most 256 deep), ahead of hooks at the
 * PC that it returns to. */
int hc_hook_call(struct hc_machine *m, uint32_t entry, hc_call_fn *call, void *owner);

typedef void hc_interrupt_fn(void *owner, struct hc_machine *m, int vector, uint32_t interrupted_pc);
/* After the hardware frame has been pushed, before the first instruction of the handler. */
int hc_hook_interrupt(struct hc_machine *m, hc_interrupt_fn *call, void *owner);

typedef void hc_retire_fn(void *owner, struct hc_machine *m, uint32_t pc);
/* After each instruction at PC, with the registers as it left them. One instruction at a time: about a tenth of full
 * speed. */
int hc_hook_retire(struct hc_machine *m, hc_retire_fn *call, void *owner);

void hc_unhook(struct hc_machine *m, int hook);

/* Following: a routine of the client's before each instruction that it cares for, chosen once, when the instruction is
 * decoded; a third of full speed and more. A comparison and the jump behind it may be one step: then the routine of
 * the jump is not called. In a routine the registers are complete but for the status, and hc_now is exact. */
typedef void hc_follow_fn(void *owner, struct hc_machine *m, const void *step);
struct hc_follower {
    /* The routine for the instruction at PC and, in *STEP, what it is given; NULL: none. *MARKS: it is called only
     * while one of these bits is set in hc_follow_marks; 0, as it is before: always. */
    hc_follow_fn *(*choose)(void *owner, struct hc_machine *m, uint32_t pc, const void **step, uint32_t *marks);
    /* Somebody else than an instruction wrote SIZE bytes of memory: DMA, or the client itself. */
    void (*wrote)(void *owner, uint32_t address, uint32_t size);
    /* hc_set_register was called. */
    void (*set)(void *owner, int reg);
    void *owner;
};
/* One follower a machine, which must live as long; NULL ends it. Not while the machine runs. */
void hc_follow(struct hc_machine *m, const struct hc_follower *follower);
/* 32 bits of the follower's own; valid as long as the machine. */
uint32_t *hc_follow_marks(struct hc_machine *m);

/* A running hash over every retired instruction: PC, SR, registers and memory writes (xxhash). */
void hc_hash_start(struct hc_machine *m);
uint64_t hc_hash_value(const struct hc_machine *m);
void hc_hash_stop(struct hc_machine *m);

/* ---- snapshots ---- */

struct hc_snapshot;
/* Costs one copy of the volatile state (64 KB for an F1611): microseconds. NULL when memory is exhausted. */
struct hc_snapshot *hc_snapshot_take(struct hc_machine *m);
/* Into the machine that it was taken from, or any machine built by the same board code in the same way. Hooks are not
 * part of a snapshot: the machine keeps those that it has. */
void hc_snapshot_restore(struct hc_machine *m, const struct hc_snapshot *snapshot);
/* In bytes, without what devices saved by themselves. */
size_t hc_snapshot_size(const struct hc_snapshot *snapshot);
/* Of one machine: whether all that follows would be the same. False when a device's state cannot be compared. */
bool hc_snapshot_equal(const struct hc_snapshot *a, const struct hc_snapshot *b);
void hc_snapshot_free(struct hc_snapshot *snapshot);

#endif
