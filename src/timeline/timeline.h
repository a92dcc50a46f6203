/* Time travel over anything that runs forwards deterministically: a replayed recording, or an emulated node with fixed
 * inputs.
 *
 * - A moment is a number of instructions: at moment N, N instructions have been executed, and everything before the
 * next one (sleep, interrupts, DMA) has happened.
 * - An execution is what runs: a table of operations (struct hc_execution_ops).
 * - A timeline is an execution, its checkpoints, and a cursor that can go to any moment.
 *
 * To go back, the timeline restores a checkpoint and runs forwards again. Checkpoints are spaced evenly over everything
 * that has been run, and their distance doubles each time the memory for them is used up. Additional checkpoints halve
 * the distance to the cursor, so that another step back costs at most some thousand instructions, and a jump the
 * distance between two checkpoints.
 *
 * Breakpoints and watchpoints are the client's hooks on the execution's machine. Since the timeline runs the same
 * instructions repeatedly, a hook must return HC_CONTINUE unless hc_timeline_hears_... says that this time it counts.
 */
#ifndef HC_TIMELINE_TIMELINE_H
#define HC_TIMELINE_TIMELINE_H

#include "machine/machine.h"

struct hc_moment {
    uint64_t instructions; /* retired since the beginning */
    uint64_t interrupts;   /* accepted since the start; their handlers have been entered */
    hc_time time;
    size_t segment; /* index into the log's segments */
};

/* ---- what runs ---- */

enum hc_advance {
    HC_ADVANCE_THERE,   /* the requested moment or interrupt */
    HC_ADVANCE_HOOK,    /* a hook of the machine asked to stop */
    HC_ADVANCE_REQUEST, /* the user asked to stop (hc_request_stop of the machine) */
    HC_ADVANCE_PAUSE,   /* a time slice is over: the caller may do other work and call again */
    HC_ADVANCE_FAULT,   /* it cannot continue: `text` says why */
    HC_ADVANCE_END, /* the end of the recording, or of the time given to the run; like FAULT, but nothing is wrong */
};

struct hc_execution {
    const struct hc_execution_ops *ops;
};

/* What came from outside the program, in an execution that replays it. */
enum hc_outside_kind {
    HC_OUTSIDE_READ,      /* the program read VALUE from the register at ADDRESS, and the log answered */
    HC_OUTSIDE_MEMORY,    /* hardware wrote SIZE bytes at ADDRESS by itself */
    HC_OUTSIDE_INTERRUPT, /* VECTOR was accepted at the instruction at ADDRESS; its frame is on the stack */
};
struct hc_outside_event {
    enum hc_outside_kind kind;
    uint32_t address;
    uint16_t value, size;
    int vector;
};
typedef void hc_outside_fn(void *owner, const struct hc_outside_event *event);

/* A power failure: the moment before which the supply fails and returns, and the moment at which the program continues;
 * 0 at power-on. */
struct hc_execution_failure {
    uint64_t at, resumed;
};

struct hc_execution_ops {
    /* Its registers and memory are the execution's present; hooks may be set on it. */
    struct hc_machine *(*machine)(struct hc_execution *c);

    /* Runs forwards to moment INSTRUCTIONS, or to HC_ADVANCE_FAULT or _END. From one snapshot it always passes the same
     * moments with the same state, however the run is divided into calls. If a hook at an access stops it, it may be
     * between two settled moments. */
    enum hc_advance (*advance)(struct hc_execution *c, uint64_t instructions);
    /* Runs forwards until NUMBER interrupts have been accepted. */
    enum hc_advance (*advance_to_interrupt)(struct hc_execution *c, uint64_t number);
    void (*moment)(struct hc_execution *c, struct hc_moment *out);

    /* The last interrupt accepted since the last restore: its number and where it came. */
    void (*interrupt)(struct hc_execution *c, int *vector, uint32_t *pc);
    /* After HC_ADVANCE_FAULT and HC_ADVANCE_END: a sentence without a full stop. */
    const char *(*text)(struct hc_execution *c);

    /* Returns NULL on out-of-memory. *SIZE: approximate memory used. */
    void *(*snapshot)(struct hc_execution *c, size_t *size);
    void (*restore)(struct hc_execution *c, const void *snapshot);
    void (*drop)(struct hc_execution *c, void *snapshot);

    /* Who is to be told of what the machine's hooks do not see; NULL ends it. May be NULL itself: they see all. */
    void (*listen)(struct hc_execution *c, hc_outside_fn *call, void *owner);

    /* The power failure of this execution; returns false, or is NULL, if there is none. */
    bool (*failure)(struct hc_execution *c, struct hc_execution_failure *out);

    void (*destroy)(struct hc_execution *c);
};

/* Makes an execution of M, from its present state; it ends at time UNTIL. It also ends if the CPU sleeps and nothing
 * can wake it. M remains the caller's. Returns NULL on out-of-memory. */
struct hc_execution *hc_machine_execution_new(struct hc_machine *m, hc_time until);
/* CALL is called after each restore of a snapshot of such an execution: for events of the owner's own that depend on
 * more than is in the machine. */
void hc_machine_execution_on_restore(struct hc_execution *c, void (*call)(void *owner), void *owner);
void hc_execution_free(struct hc_execution *c);

/* ---- travelling ---- */

struct hc_timeline;

enum hc_timeline_stop {
    HC_TIMELINE_THERE,     /* at the requested place */
    HC_TIMELINE_HOOK,      /* a hook stopped it (or, backwards, would have) */
    HC_TIMELINE_REQUEST,   /* the user asked */
    HC_TIMELINE_FAULT,     /* before an instruction that cannot be executed: see hc_timeline_text */
    HC_TIMELINE_END,       /* nothing comes after this */
    HC_TIMELINE_FAILURE,   /* the supply fails next, or has just returned */
    HC_TIMELINE_BEGINNING, /* nothing was before this */
    HC_TIMELINE_NO_MEMORY,
};

/* The present of EXECUTION becomes the timeline's start. From now on only the timeline may run it; it remains the
 * caller's. Checkpoints use at most MEMORY bytes (but there are at least 32); 0 means 64 MB. Returns NULL on
 * out-of-memory. */
struct hc_timeline *hc_timeline_new(struct hc_execution *execution, size_t memory);
void hc_timeline_free(struct hc_timeline *t);

/* Call after the owner has moved the execution: its present becomes the start, and everything known is discarded.
 * Returns false on out-of-memory; then the timeline may only be freed. */
bool hc_timeline_restart(struct hc_timeline *t);

struct hc_machine *hc_timeline_machine(struct hc_timeline *t);
const struct hc_moment *hc_timeline_now(const struct hc_timeline *t);
/* The same, also inside a hook: exact to the instruction at a PC, approximate at an access. */
void hc_timeline_present(const struct hc_timeline *t, struct hc_moment *out);
const struct hc_moment *hc_timeline_start(const struct hc_timeline *t);
/* The latest moment that has been reached so far. */
const struct hc_moment *hc_timeline_farthest(const struct hc_timeline *t);
/* After HC_TIMELINE_FAULT or HC_TIMELINE_END. */
const char *hc_timeline_text(const struct hc_timeline *t);
/* The last interrupt accepted on the way here; -1 if there was none since a checkpoint. */
int hc_timeline_last_vector(const struct hc_timeline *t);

/* Whether hooks may stop the run: hooks at a PC, and hooks at accesses. */
bool hc_timeline_hears_places(const struct hc_timeline *t);
bool hc_timeline_hears_accesses(const struct hc_timeline *t);
/* Whether this part has been run before: output that is shown to the user once must not be shown again. */
bool hc_timeline_repeating(const struct hc_timeline *t);

/* See hc_execution_ops: for clients that follow what peripherals say. */
void hc_timeline_listen(struct hc_timeline *t, hc_outside_fn *call, void *owner);
/* Whether there is anything to listen to: it is a replay. */
bool hc_timeline_replays(const struct hc_timeline *t);

/* Called every few milliseconds while something runs; returning true ends it (HC_TIMELINE_REQUEST). */
void hc_timeline_set_poll(struct hc_timeline *t, bool (*interrupted)(void *owner), void *owner);

/* How much of what runs now is done, from 0 to 1; negative if that is not known: a run that ends where a hook stops it,
 * or a way beyond what was replayed before. For the poll. */
double hc_timeline_progress(const struct hc_timeline *t);

/* The run has another future from here on, because the owner gave it another input: forgets what came after the present
 * moment. */
void hc_timeline_forget_future(struct hc_timeline *t);

/* Each goes there from anywhere; beyond the end it stops at the end. Hooks are not called. */
enum hc_timeline_stop hc_timeline_seek(struct hc_timeline *t, uint64_t instructions);
/* The same, to where a search began: a request to stop, which may have ended the search, does not keep it from that. */
void hc_timeline_return(struct hc_timeline *t, uint64_t instructions);
/* The first moment at TIME or later. */
enum hc_timeline_stop hc_timeline_seek_time(struct hc_timeline *t, hc_time time);
/* The first moment in that segment of the log, or a later one. */
enum hc_timeline_stop hc_timeline_seek_segment(struct hc_timeline *t, size_t segment);
/* Goes to interrupt N (counted from 1): its handler's first instruction is next. */
enum hc_timeline_stop hc_timeline_seek_interrupt(struct hc_timeline *t, uint64_t n);
enum hc_timeline_stop hc_timeline_seek_end(struct hc_timeline *t);

/* Where the supply fails; returns false if it does not. Steps and runs forwards stop on both sides of it. */
bool hc_timeline_failure(const struct hc_timeline *t, struct hc_execution_failure *out);

/* Steps one instruction; only hooks at accesses are called. */
enum hc_timeline_stop hc_timeline_step(struct hc_timeline *t);
/* N instructions back. */
enum hc_timeline_stop hc_timeline_back(struct hc_timeline *t, uint64_t n);

/* Runs forwards until a hook stops it, at most to moment LIMIT. A hook at the present PC does not count. */
enum hc_timeline_stop hc_timeline_run(struct hc_timeline *t, uint64_t limit);

/* How a stop by a hook counts when going backwards. */
enum hc_hit {
    HC_HIT_NONE,
    HC_HIT_HERE,   /* a place: it belongs to this moment */
    HC_HIT_BEFORE, /* an access: it belongs to the moment before the instruction that made it */
};
/* Called after each stop, with the machine as it was stopped; must discard what it stored about the stop. CHOSEN: this
 * is the stop at which the travel ends. */
typedef enum hc_hit hc_hit_fn(void *owner, bool chosen);

/* Runs backwards to the latest hit before the present moment. CLASSIFY is called for stops in any order of time. If
 * something was found, that stop is repeated last, with CHOSEN. */
enum hc_timeline_stop hc_timeline_run_back(struct hc_timeline *t, hc_hit_fn *classify, void *owner);

/* ---- looking without moving ---- */

struct hc_past {
    struct hc_moment moment;
    uint32_t pc, sp;
    enum hc_flow flow; /* of the instruction at PC */
};
/* True ends it. */
typedef bool hc_past_fn(void *owner, const struct hc_past *past);
/* Calls LOOK for each moment before the present one, the latest first, back to moment FROM at most. The cursor stays.
 * Returns HC_TIMELINE_THERE if LOOK ended it, HC_TIMELINE_BEGINNING if it saw all. Less than a microsecond for each
 * moment. */
enum hc_timeline_stop hc_timeline_look_back(struct hc_timeline *t, uint64_t from, hc_past_fn *look, void *owner);

/* Calls VISIT with the machine at each stop of a hook between moments FROM and TO; returning true ends it. The cursor
 * stays. Returns HC_TIMELINE_THERE if all was seen or VISIT ended it. */
typedef bool hc_visit_fn(void *owner, const struct hc_moment *moment);
enum hc_timeline_stop hc_timeline_survey(struct hc_timeline *t, uint64_t from, uint64_t to, hc_visit_fn *visit,
                                         void *owner);

/* Runs once, without a gap, from moment FROM to moment TO, past whatever hooks there are: between calls of BEGIN and
 * END hooks see each instruction of it and nothing else. END may be NULL. The cursor stays. HC_TIMELINE_THERE when all
 * of it was run. */
typedef void hc_retrace_fn(void *owner);
enum hc_timeline_stop hc_timeline_retrace(struct hc_timeline *t, uint64_t from, uint64_t to, hc_retrace_fn *begin,
                                          hc_retrace_fn *end, void *owner);

struct hc_past_interrupt {
    uint64_t number; /* from 1 */
    struct hc_moment moment;
    int vector;
    uint32_t pc; /* that it interrupted */
};
/* Lists up to MAX interrupts from number FIRST, as far as the run has been; returns how many. The cursor stays. */
size_t hc_timeline_interrupts(struct hc_timeline *t, uint64_t first, struct hc_past_interrupt *out, size_t max);

struct hc_timeline_statistics {
    size_t checkpoints, bytes;
    uint64_t interval;           /* instructions between two of them */
    uint64_t instructions_again; /* that were run more than once */
};
void hc_timeline_statistics(const struct hc_timeline *t, struct hc_timeline_statistics *out);

#endif
