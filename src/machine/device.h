/* A device: a peripheral of the microcontroller or a chip on the board, as a const table of operations.
 *
 *     struct hc_timer {
 *         struct hc_device base;     // first: a device is its base
 *         hc_event overflow;         // wiring: set when attached, the same in every clone
 *         struct { ... } s;          // state: all that changes while it runs; plain data, no pointers
 *     };
 *
 * A snapshot copies each device's state block as it is. Events, wires and clocks are saved by the machine, so that
 * a device has nothing to do to be snapshotted; `save`/`load` exist for state that does not fit a flat block. */
#ifndef HC_MACHINE_DEVICE_H
#define HC_MACHINE_DEVICE_H

#include "clock.h"
#include "event.h"
#include "machine.h"
#include "wire.h"

struct hc_device_ops {
    const char *name;
    const char *help; /* one line */

    /* Brings the registers to their values after reset. A POR is told as POR only (it includes a PUC). Cancels events
     * that must not survive. */
    void (*reset)(struct hc_device *d, enum hc_reset kind);

    /* Register access by the CPU or DMA. ADDRESS is absolute. SIZE is 1 or 2; a word access is aligned. hc_now() tells
     * when. An address that the device claimed but has no register at is reported by hc_unknown_register(). */
    uint16_t (*read)(struct hc_device *d, uint32_t address, int size);
    void (*write)(struct hc_device *d, uint32_t address, uint16_t value, int size);

    /* The same value that read() would give, without its side effects: for debuggers. */
    uint16_t (*peek)(struct hc_device *d, uint32_t address, int size);

    /* The CPU accepted interrupt VECTOR, which this device owns: clear a single-source flag. */
    void (*interrupt_accepted)(struct hc_device *d, int vector);

    /* Supply lost (only RAM-less state survives: flash contents); state is undefined until the POR that follows. */
    void (*power_off)(struct hc_device *d);

    /* Besides the state block. save returns an object that load can take any number of times; drop frees it. */
    void *(*save)(struct hc_device *d);
    void (*load)(struct hc_device *d, void *saved);
    void (*drop)(void *saved);

    /* Re-derive what is cached outside the state block, after a load. */
    void (*loaded)(struct hc_device *d);

    /* Frees what the device owns; the struct itself is freed by the machine. */
    void (*destroy)(struct hc_device *d);
};

struct hc_device {
    const struct hc_device_ops *ops;
    struct hc_machine *machine;
    const char *name; /* instance: "timer_a", "usart0" */
    void *state;
    size_t state_size;
};

/* Allocates a zeroed device struct of SIZE bytes owned by M, whose state block lies at STATE_OFFSET within it, and
 * enters it in the machine's list. Devices are attached before the machine first runs. Never returns NULL (a machine
 * that cannot be built aborts). NAME must outlive the machine. */
void *hc_device_new(struct hc_machine *m, const struct hc_device_ops *ops, const char *name, size_t size,
                    size_t state_offset, size_t state_size);

#define HC_DEVICE_NEW(m, ops, name, type) \
    ((type *)hc_device_new((m), (ops), (name), sizeof(type), offsetof(type, s), sizeof(((type *)0)->s)))

/* All accesses to START..END (inclusive; within the peripheral range) go to D. */
void hc_device_claim(struct hc_device *d, uint32_t start, uint32_t end);

/* D owns interrupt VECTOR (index: 15 is the vector at 0xfffe). */
void hc_device_owns_vector(struct hc_device *d, int vector);

/* Sets or clears an interrupt request line (flag AND enable, as the device computes it). */
void hc_interrupt(struct hc_machine *m, int vector, bool request);

/* VECTOR needs no GIE. Of itself only the one below reset is so. */
void hc_nonmaskable(struct hc_machine *m, int vector);

struct hc_queue *hc_events(struct hc_machine *m);

/* MCLK. Its rate is set by the part's clock system as if the CPU were always on; the machine stops it for CPUOFF. */
struct hc_clock *hc_mclk(struct hc_machine *m);

/* A clock that the machine saves in snapshots (SMCLK, ACLK ...). At most 8. */
struct hc_clock *hc_clock_new(struct hc_machine *m, const char *name);

/* Told when SCG1, SCG0, OSCOFF or CPUOFF change in SR: before a wake-up executes its first cycle, after going to sleep.
 */
typedef void hc_power_fn(void *owner, uint16_t sr, hc_time now);
void hc_set_power_listener(struct hc_machine *m, hc_power_fn *call, void *owner);

/* The CPU executes nothing before UNTIL (flash busy, DMA on the bus); events go on. */
void hc_cpu_hold(struct hc_machine *m, hc_time until);

/* A DMA transfer takes MCLK cycles from the CPU. */
void hc_cpu_steal_cycles(struct hc_machine *m, unsigned cycles);

/* Memory that is slower than the CPU: CALL is asked after each instruction how many cycles its fetch (LENGTH bytes at
 * PC) and its accesses since the last call have waited. NULL: none. While it is set, instructions run one at a time, at
 * about a tenth of full speed. Not part of a snapshot: the device sets it again in `loaded`. */
typedef unsigned hc_wait_fn(void *owner, uint32_t pc, unsigned length);
void hc_set_wait_states(struct hc_machine *m, hc_wait_fn *call, void *owner);

/* Accesses to memory START..END (whole 256-byte pages, not peripherals) go to D's read (WATCH has HC_WATCH_READ) and
 * write (HC_WATCH_WRITE) instead of memory; 0 gives them back. While reads are guarded, code
 * there is fetched as 0x3fff (JMP $). For flash. */
void hc_device_guard(struct hc_device *d, uint32_t start, uint32_t end, int watch);

/* What memory holds, for the guard's owner; writes invalidate decoded code. */
uint8_t hc_memory_get(const struct hc_machine *m, uint32_t address);
void hc_memory_set(struct hc_machine *m, uint32_t address, uint8_t value);

/* PC of the running instruction (of the interrupted one in an event). */
uint32_t hc_current_pc(const struct hc_machine *m);

/* A register that is not there was touched: noted once for each address and direction. Reads give 0. */
void hc_unknown_register(struct hc_device *d, uint32_t address, bool write);

/* A line for whoever listens (hc_machine_set_note): something a user should know but the hardware would do too. */
void hc_note(struct hc_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Stops the machine after this instruction with an error that the user sees: what hardware would not do predictably. */
void hc_fault(struct hc_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Requests a reset, carried out after the running instruction. */
void hc_request_reset(struct hc_machine *m, enum hc_reset kind);

#endif
