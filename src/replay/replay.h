/* The replayer: a machine that runs the recorded firmware again, fed from its log.
 *
 * The machine has the part's CPU and memory, the multiplier, and a register file (registers/regs.h) in place of all
 * other peripherals. The recorder's entry points are not executed but answered: a read takes its value from the log, an
 * interrupt comes where the log says it came, a sleeping CPU wakes with the next logged interrupt. Everything else runs
 * as it did on the node.
 *
 * A moment of a replay is a number of instructions: those executed since the segment's start, outside the recorder. At
 * moment N instruction N (counted from 0) is the next to execute, and all that happened before it has happened: reads
 * answered, interrupts that came at this boundary taken, their handler entered. Every function leaves the replay at
 * such a settled moment. The same moment has the same state, however one came there.
 *
 * The machine may be inspected and hooked (hc_replay_machine) but is run only from here. Hooks at a PC see settled
 * moments only: an interrupt that comes before the instruction at PC has been taken, and the hook is called when its
 * handler has returned. */
#ifndef HC_REPLAY_REPLAY_H
#define HC_REPLAY_REPLAY_H

#include "image/image.h"
#include "machine/machine.h"

struct hc_event;
struct hc_feed;
struct hc_regs;
struct hc_replay;

/* Several lines when a divergence is explained; without a newline at the end. */
struct hc_replay_message {
    char text[2400];
};

enum hc_replay_error {
    HC_REPLAY_OK = 0,
    HC_REPLAY_BAD = -1, /* the ELF is not instrumented, of another build or part, or the log is empty (exit code 3) */
    HC_REPLAY_NO_MEMORY = -2,
};

/* Opens what came back from a node: a flash image or a UART dump. SEGMENT: its number as `hindcast log` shows it, or -1
 * for the first one that is there. The replay goes on through the segments that follow it without a gap. IMAGE must
 * live longer. Refuses with a message that says what to do: an ELF without recorder, the ELF of another build (both ids
 * are named), an image without log, a segment that is not there. */
int hc_replay_open(struct hc_replay **out, struct hc_image *image, const char *log, int segment,
                   struct hc_replay_message *message);

/* A variable that was set in this node's copy of the program when it was installed (node_id): puts VALUE where its
 * initial value is programmed. Before anything runs. False if the program has no such variable. */
bool hc_replay_set(struct hc_replay *r, const char *variable, uint32_t value);
/* Whether it ends with its segment, instead of going on into the next. */
void hc_replay_stay(struct hc_replay *r, bool stay);

/* ---- segments of the log ---- */

struct hc_replay_segment {
    uint16_t number, boot;
    bool begins;      /* its beginning is there: a boot page or a checkpoint */
    bool reset;       /* a boot page */
    bool follows;     /* nothing is missing between the one before and this */
    bool foreign;     /* another program recorded it */
    bool lost_events; /* at its end */
    bool has_events;
    bool rescued; /* a reset ended it, and what waited in RAM was written afterwards */
    uint64_t bytes;
    const uint8_t *build; /* 8 bytes: which program recorded it; NULL: not known */
};
/* How many there are; INDEX is below that, in the order of the log. */
size_t hc_replay_segments(const struct hc_replay *r);
/* The log itself, and the segment in it at which the replay stands; NULL when there is none. */
struct hc_log;
struct hc_log_segment;
const struct hc_log *hc_replay_log(const struct hc_replay *r, const struct hc_log_segment **here);
void hc_replay_segment(const struct hc_replay *r, size_t index, struct hc_replay_segment *out);

/* The next one, after that in which the replay is, that another replay could begin with; -1: none. */
int hc_replay_next_segment(const struct hc_replay *r);

/* Begins anew with segment INDEX, on the same machine; its hooks stay. Snapshots from before must not be restored any
 * more. CLOCK_GOES_ON: time does not begin with 0 but with what it was, plus what timers tell about the gap: the least
 * that it can have been. Instructions and interrupts are counted from 0. After an error only another restart is
 * allowed. */
int hc_replay_restart(struct hc_replay *r, size_t index, bool clock_goes_on, struct hc_replay_message *message);

/* How much of the log has been used, from 0 to 1; by its size. */
double hc_replay_progress(const struct hc_replay *r);
/* Bytes of the log that were written up to now, checkpoints included, headers of pages not. */
uint64_t hc_replay_log_bytes(const struct hc_replay *r);

/* The same from any feed, from the state after reset; takes FEED over (also when it fails). PART: as
 * hc_regs_load_part takes it. */
int hc_replay_new(struct hc_replay **out, struct hc_image *image, const char *part, struct hc_feed *feed,
                  struct hc_replay_message *message);
void hc_replay_free(struct hc_replay *r);

struct hc_machine *hc_replay_machine(struct hc_replay *r);
struct hc_image *hc_replay_image(const struct hc_replay *r);
const uint8_t *hc_replay_build_id(const struct hc_replay *r); /* of the program and its logs: 8 bytes */

/* ---- running ---- */

enum hc_replay_stop {
    HC_REPLAY_REACHED,  /* the moment, or the interrupt, that was asked for */
    HC_REPLAY_HOOKED,   /* a hook of the caller's said HC_STOP */
    HC_REPLAY_END,      /* the log ends here: what the node did next needs an event that is not there */
    HC_REPLAY_DIVERGED, /* the log and the program contradict each other: hc_replay_why explains */
    HC_REPLAY_FAULT,    /* the program did what the machine cannot do: hc_replay_why explains */
    HC_REPLAY_REQUEST,  /* hc_request_stop */
};

/* Runs until moment INSTRUCTION (UINT64_MAX: as far as it goes), or until anything else stops it. After END, DIVERGED
 * and FAULT another call stops at once for the same reason. */
enum hc_replay_stop hc_replay_run(struct hc_replay *r, uint64_t instruction);

/* Runs until interrupt number NUMBER (the first is 1) has been taken: its handler's first instruction is next. */
enum hc_replay_stop hc_replay_run_to_interrupt(struct hc_replay *r, uint64_t number);

/* What stopped the replay for good: the end of the log in a line, or a divergence (what was expected and what found,
 * where, the last interrupts, a suggestion) in several. "" before. Valid until the next run or restore. */
const char *hc_replay_why(const struct hc_replay *r);

/* Looks, at each interrupt, whether its position would have matched a second time before the counter moves: then the
 * log does not say for certain which of the two it was. Costs some thousand instructions an interrupt. */
void hc_replay_check_positions(struct hc_replay *r, bool check);
/* How many such positions there were; *PC: the last one. */
uint64_t hc_replay_ambiguous(const struct hc_replay *r, uint32_t *pc);

/* ---- where it is ---- */

struct hc_replay_place {
    uint64_t instruction; /* the moment */
    uint64_t interrupts;  /* taken so far; of all segments since the start, as the others */
    uint64_t reads;       /* answered so far */
    uint64_t time_us;     /* by the timers read so far, the least that it can be; 0 at the start */
    uint32_t pc;
    int vector;       /* of the interrupt whose first instruction is next; -1 otherwise */
    uint16_t segment; /* number in the log */
    size_t segment_index;
    bool log_used_up; /* no event is left: what follows rests on nothing but the program */
};
void hc_replay_place(const struct hc_replay *r, struct hc_replay_place *out);

/* What the log says of itself: each page has a sum of the node's registers and of a window of its memory at one
 * hc_update. A replay that makes another sum has diverged. Since the start of the stretch, over all its segments. */
struct hc_replay_checks {
    uint64_t made, agreed;         /* windows; one that did not agree has ended the replay */
    uint64_t instruction, time_us; /* of the last that agreed: up to there it is proved */
};
void hc_replay_checks(const struct hc_replay *r, struct hc_replay_checks *out);

/* How the life ended that the replay is in, and up to where its log reaches; false when there is no log. */
struct hc_replay_life {
    uint16_t boot;
    bool in_last_segment; /* the replay is in the last segment of it: that is where it ended */
    bool rescued;         /* what waited in RAM at the reset is part of the log */
    bool reached;         /* the replay is over and stands at that reset */
    bool cause_known;     /* of the reset that ended it */
    uint16_t cause;       /* its flags */
    char text[400];       /* a sentence */
    char cause_text[200]; /* "" if not known */
};
bool hc_replay_life(const struct hc_replay *r, struct hc_replay_life *out);

/* The interrupts taken last, the newest first; at most MAX. Returns how many. */
struct hc_replay_interrupt {
    uint64_t number, instruction, time_us;
    int vector;
    uint32_t pc;
    bool asleep;
};
size_t hc_replay_last_interrupts(const struct hc_replay *r, struct hc_replay_interrupt *out, size_t max);

/* Told of each event that is taken from the log, in order. NULL ends it. Called while the machine is being run: it may
 * inspect the replay, not run it. */
struct hc_replay_event {
    enum { HC_REPLAY_INTERRUPT, HC_REPLAY_READ, HC_REPLAY_MEMORY } kind;
    uint64_t instruction, time_us;
    int vector;           /* of an interrupt */
    uint16_t site;        /* of a read */
    uint32_t address;     /* of a read: the register; of an interrupt: the interrupted PC; of memory: its first byte */
    uint16_t value;       /* of a read */
    const uint16_t *base; /* of a read of a timer: what it was predicted from; NULL: the last read */
    const struct hc_event *logged; /* of an interrupt and of memory: as the log has it */
};
typedef void hc_replay_event_fn(void *owner, struct hc_replay *r, const struct hc_replay_event *event);
void hc_replay_listen(struct hc_replay *r, hc_replay_event_fn *call, void *owner);

/* ---- snapshots ---- */

/* The whole moment: machine, registers, place in the log. About 70 KB for an F1611, microseconds. NULL when memory is
 * exhausted. May be restored any number of times, into the replay that it came from. */
struct hc_replay_snapshot;
struct hc_replay_snapshot *hc_replay_snapshot_take(struct hc_replay *r);
void hc_replay_snapshot_restore(struct hc_replay *r, const struct hc_replay_snapshot *snapshot);
void hc_replay_snapshot_free(struct hc_replay_snapshot *snapshot);
size_t hc_replay_snapshot_size(const struct hc_replay_snapshot *snapshot);

#endif
