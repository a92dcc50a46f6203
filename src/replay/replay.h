/* Replays recorded firmware: a machine that executes it again, with its inputs taken from the log.
 *
 * The machine has the part's CPU, memory and multiplier, and a register file (registers/regs.h) in place of all other
 * peripherals. The recorder's entry points are not executed: a read takes its value from the log, an interrupt occurs
 * where the log says, and a sleeping CPU wakes with the next interrupt in the log. Everything else runs as it did on
 * the node.
 *
 * A moment of a replay is a number of instructions executed since the segment's start, outside the recorder. At moment
 * N, instruction N (counted from 0) is next, and everything before it has happened: reads have their values, interrupts
 * at this boundary have been accepted, and their handler has been entered. Every function leaves the replay at such a
 * settled moment. A moment always has the same state, however it was reached.
 *
 * The machine may be inspected and hooked (hc_replay_machine) but must be run only from here. Hooks at a PC see settled
 * moments only: if an interrupt comes before the instruction at PC, the hook is called after its handler has returned.
 */
#ifndef HC_REPLAY_REPLAY_H
#define HC_REPLAY_REPLAY_H

#include "image/image.h"
#include "machine/machine.h"

struct hc_event;
struct hc_feed;
struct hc_regs;
struct hc_replay;

/* Several lines if a divergence is explained; no newline at the end. */
struct hc_replay_message {
    char text[2400];
};

enum hc_replay_error {
    HC_REPLAY_OK = 0,
    HC_REPLAY_BAD =
        -1, /* the ELF is not instrumented, or is of another build or part, or the log is empty (exit code 3) */
    HC_REPLAY_NO_MEMORY = -2,
};

/* Opens a log: a flash image or a UART dump. SEGMENT: its number as `hindcast log` shows it, or -1 for the first that
 * can be replayed. The replay continues through the segments that follow without a gap. IMAGE must outlive the replay.
 * Fails with a message that says what to do for an ELF without a recorder, the ELF of another build (the message gives
 * both ids), an image without a log, and a segment that does not exist. */
int hc_replay_open(struct hc_replay **out, struct hc_image *image, const char *log, int segment,
                   struct hc_replay_message *message);

/* Sets a variable that was set in this node's copy of the program at installation (node_id), by changing its initial
 * value. Call before anything runs. Returns false if the program has no such variable. */
bool hc_replay_set(struct hc_replay *r, const char *variable, uint32_t value);
/* Whether the replay ends with its segment instead of continuing into the next. */
void hc_replay_stay(struct hc_replay *r, bool stay);

/* ---- segments of the log ---- */

struct hc_replay_segment {
    uint16_t number, boot;
    bool begins;      /* it can be replayed: its boot page or checkpoint is there */
    bool reset;       /* a boot page */
    bool follows;     /* no page is missing between the previous segment and this one */
    bool foreign;     /* another program recorded it */
    bool lost_events; /* at its end */
    bool has_events;
    bool rescued; /* a reset ended it, and the events in RAM were written afterwards */
    uint64_t bytes;
    const uint8_t *build; /* 8 bytes: the build that recorded it; NULL: unknown */
};
/* The number of segments; INDEX is below it, in the log's order. */
size_t hc_replay_segments(const struct hc_replay *r);
/* The log, and the segment at which the replay is; NULL if there is none. */
struct hc_log;
struct hc_log_segment;
const struct hc_log *hc_replay_log(const struct hc_replay *r, const struct hc_log_segment **here);
void hc_replay_segment(const struct hc_replay *r, size_t index, struct hc_replay_segment *out);

/* The next segment after the current one at which another replay could start; -1: none. */
int hc_replay_next_segment(const struct hc_replay *r);

/* Restarts at segment INDEX on the same machine; hooks stay. Earlier snapshots must not be restored any more.
 * CLOCK_GOES_ON: time continues from its present value plus the smallest gap that the timers allow, instead of starting
 * at 0. Instructions and interrupts are counted from 0. After an error only another restart is allowed. */
int hc_replay_restart(struct hc_replay *r, size_t index, bool clock_goes_on, struct hc_replay_message *message);

/* The fraction of the log that has been used, from 0 to 1, by size. */
double hc_replay_progress(const struct hc_replay *r);
/* Bytes of the log written up to now, including checkpoints, without page headers. */
uint64_t hc_replay_log_bytes(const struct hc_replay *r);

/* Opens a replay of any feed, from the state after reset. Takes ownership of FEED, also on failure. PART: as for
 * hc_regs_load_part. */
int hc_replay_new(struct hc_replay **out, struct hc_image *image, const char *part, struct hc_feed *feed,
                  struct hc_replay_message *message);
void hc_replay_free(struct hc_replay *r);

struct hc_machine *hc_replay_machine(struct hc_replay *r);
struct hc_image *hc_replay_image(const struct hc_replay *r);
const uint8_t *hc_replay_build_id(const struct hc_replay *r); /* the build id of the program and its logs: 8 bytes */

/* ---- running ---- */

enum hc_replay_stop {
    HC_REPLAY_REACHED,  /* the requested moment or interrupt */
    HC_REPLAY_HOOKED,   /* a hook of the caller returned HC_STOP */
    HC_REPLAY_END,      /* the log ends here: continuing needs an event that is not in it */
    HC_REPLAY_DIVERGED, /* the log and the program contradict each other: see hc_replay_why */
    HC_REPLAY_FAULT,    /* illegal access or instruction: see hc_replay_why */
    HC_REPLAY_REQUEST,  /* hc_request_stop */
};

/* Runs to moment INSTRUCTION (UINT64_MAX: as far as possible), or until something else stops it. After END, DIVERGED
 * and FAULT every further call returns the same. */
enum hc_replay_stop hc_replay_run(struct hc_replay *r, uint64_t instruction);

/* Runs until interrupt NUMBER (counted from 1) has been accepted: its handler's first instruction is next. */
enum hc_replay_stop hc_replay_run_to_interrupt(struct hc_replay *r, uint64_t number);

/* Why the replay stopped for good: one line for the end of the log, several lines for a divergence (expected, found,
 * where, last interrupts, a suggestion). "" before that. Valid until the next run or restore. */
const char *hc_replay_why(const struct hc_replay *r);

/* Checks at each interrupt whether its position would match a second time before the counter changes, which would make
 * the log ambiguous. Costs some thousand instructions for each interrupt. */
void hc_replay_check_positions(struct hc_replay *r, bool check);
/* The number of ambiguous positions; *PC: the last one. */
uint64_t hc_replay_ambiguous(const struct hc_replay *r, uint32_t *pc);

/* ---- where it is ---- */

struct hc_replay_place {
    uint64_t instruction; /* the moment */
    uint64_t interrupts;  /* accepted so far; counted over all segments since the start, like the others */
    uint64_t reads;       /* answered so far */
    uint64_t time_us;     /* by the timers read so far: the smallest possible value; 0 at the start */
    uint32_t pc;
    int vector;       /* of the interrupt whose first instruction is next; -1: none */
    uint16_t segment; /* number in the log */
    size_t segment_index;
    bool log_used_up; /* no event is left: what follows depends on the program alone */
};
void hc_replay_place(const struct hc_replay *r, struct hc_replay_place *out);

/* The log's self-checks: each page has a sum of the node's registers and of a window of its memory at one hc_update. A
 * replay with a different sum has diverged. Counted since the start of the stretch, over all its segments.
 *
 * What they prove: at these moments, these windows had the contents that the replay has, except for one difference in
 * 65,536. What they do not prove: anything after the last of them, memory in no window, and a value that was
 * overwritten before a window contained it. Only the pages' CRCs protect those. */
struct hc_replay_checks {
    uint64_t made, agreed;         /* windows; one that differed has ended the replay */
    uint64_t instruction, time_us; /* of the last window that agreed */
    uint32_t variables, seen;      /* bytes that windows contain in turn, before the stack; those that one contained */
    bool stack_seen;               /* a window of the stack agreed; all variables were seen before it */
};
void hc_replay_checks(const struct hc_replay *r, struct hc_replay_checks *out);

/* How the current boot ended, and how far its log reaches. Returns false if there is no log. */
struct hc_replay_life {
    uint16_t boot;
    bool in_last_segment; /* the replay is in the boot's last segment */
    bool rescued;         /* the events that were in RAM at the reset are part of the log */
    bool reached;         /* the replay is over and is at that reset */
    bool cause_known;     /* of the reset that ended the boot */
    uint16_t cause;       /* its flags */
    char text[400];       /* a sentence */
    char cause_text[200]; /* "" if not known */
};
bool hc_replay_life(const struct hc_replay *r, struct hc_replay_life *out);

/* The most recent interrupts, the newest first; at most MAX. Returns how many. */
struct hc_replay_interrupt {
    uint64_t number, instruction, time_us;
    int vector;
    uint32_t pc;
    bool asleep;
};
size_t hc_replay_last_interrupts(const struct hc_replay *r, struct hc_replay_interrupt *out, size_t max);

/* Calls CALL for each event taken from the log, in order. NULL ends it. It is called while the machine runs: it may
 * inspect the replay but not run it. */
struct hc_replay_event {
    enum { HC_REPLAY_INTERRUPT, HC_REPLAY_READ, HC_REPLAY_MEMORY } kind;
    uint64_t instruction, time_us;
    int vector;           /* of an interrupt */
    uint16_t site;        /* of a read */
    uint32_t address;     /* of a read: the register; of an interrupt: the interrupted PC; of memory: its first byte */
    uint16_t value;       /* of a read */
    const uint16_t *base; /* of a timer read: the value it was predicted from; NULL: the last read */
    const struct hc_event *logged; /* of an interrupt and of memory: as in the log */
};
typedef void hc_replay_event_fn(void *owner, struct hc_replay *r, const struct hc_replay_event *event);
void hc_replay_listen(struct hc_replay *r, hc_replay_event_fn *call, void *owner);

/* ---- snapshots ---- */

/* A snapshot of the whole moment: machine, registers, place in the log. About 70 KB for an F1611, microseconds. NULL on
 * out-of-memory. It may be restored any number of times, into the replay that it came from. */
struct hc_replay_snapshot;
struct hc_replay_snapshot *hc_replay_snapshot_take(struct hc_replay *r);
void hc_replay_snapshot_restore(struct hc_replay *r, const struct hc_replay_snapshot *snapshot);
void hc_replay_snapshot_free(struct hc_replay_snapshot *snapshot);
size_t hc_replay_snapshot_size(const struct hc_replay_snapshot *snapshot);

#endif
