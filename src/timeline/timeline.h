/* Time travel over something that only runs forwards, but always in the same way: a replayed recording, or an emulated
 * node whose inputs are fixed.
 *
 *     moment    what has been so far, counted in instructions: at moment N the instruction after N others is the next
 * to execute, and whatever comes before it (sleep, interrupts, DMA) has happened execution    what runs: a table of
 * operations (struct hc_execution_ops) timeline  an execution, its checkpoints, and a cursor that goes where one likes
 *
 * Going back is restoring a checkpoint and running forwards again. Checkpoints lie evenly over all that has been run,
 * twice as far apart each time that memory for them is used up, and some lie closer and closer behind the cursor: one
 * more step back costs some thousand instructions at most, a jump the distance between two checkpoints.
 *
 * Breakpoints and watchpoints are the client's hooks on the execution's machine. The timeline re-runs what has been
 * before: a hook returns HC_CONTINUE unless hc_timeline_hears_... says that it counts. */
#ifndef HC_TIMELINE_TIMELINE_H
#define HC_TIMELINE_TIMELINE_H

#include "machine/machine.h"

struct hc_moment {
    uint64_t instructions; /* retired since the beginning */
    uint64_t interrupts;   /* accepted since the beginning; their handlers have been entered */
    hc_time time;
    size_t segment; /* of a log, by its place in it */
};

/* ---- what runs ---- */

enum hc_advance {
    HC_ADVANCE_THERE,   /* the moment, or the interrupt, that was asked for */
    HC_ADVANCE_HOOK,    /* a hook of the machine asked to stop */
    HC_ADVANCE_REQUEST, /* the user asked to stop (hc_request_stop of the machine) */
    HC_ADVANCE_PAUSE,   /* it took long: the caller may look round, and call again */
    HC_ADVANCE_FAULT,   /* there is no going on: `text` says why */
    HC_ADVANCE_END,     /* of the recording, or of the time given to the run; the same, but nothing is wrong */
};

struct hc_execution {
    const struct hc_execution_ops *ops;
};

/* The program read VALUE from the register at ADDRESS, and the log answered. */
typedef void hc_answered_fn(void *owner, uint32_t address, uint16_t value);

/* A power failure: as a moment, before the next one of which the supply is lost and back again; and the moment from
 * which the program goes on then, 0 at power-on. */
struct hc_execution_failure {
    uint64_t at, resumed;
};

struct hc_execution_ops {
    /* Its registers and memory are the execution's present; hooks may be set on it. */
    struct hc_machine *(*machine)(struct hc_execution *c);

    /* Forwards to moment INSTRUCTIONS, or until it has passed HC_ADVANCE_FAULT or _END. From the same snapshot, however
     * it is cut into pieces, it passes the same moments with the same state. A stop by a hook at an access may leave it
     * in the middle of what comes before the next instruction. */
    enum hc_advance (*advance)(struct hc_execution *c, uint64_t instructions);
    /* Forwards until NUMBER interrupts have been accepted. */
    enum hc_advance (*advance_to_interrupt)(struct hc_execution *c, uint64_t number);
    void (*moment)(struct hc_execution *c, struct hc_moment *out);

    /* The last interrupt that was accepted since the last restore: which, and where it came. */
    void (*interrupt)(struct hc_execution *c, int *vector, uint32_t *pc);
    /* After HC_ADVANCE_FAULT and HC_ADVANCE_END: a sentence without a full stop. */
    const char *(*text)(struct hc_execution *c);

    /* NULL when memory is exhausted. *SIZE is about what it occupies. */
    void *(*snapshot)(struct hc_execution *c, size_t *size);
    void (*restore)(struct hc_execution *c, const void *snapshot);
    void (*drop)(struct hc_execution *c, void *snapshot);

    /* Who is to be told of reads that the machine's hooks do not see; NULL ends it. May be NULL itself: they see all.
     */
    void (*listen)(struct hc_execution *c, hc_answered_fn *call, void *owner);

    /* The supply fails in it; false, or NULL: it does not. */
    bool (*failure)(struct hc_execution *c, struct hc_execution_failure *out);

    void (*destroy)(struct hc_execution *c);
};

/* M (powered on, or wherever it is) as an execution; its time is over at UNTIL. M stays the caller's. NULL when memory
 * is exhausted. A CPU that sleeps with nothing to wake it is at the end, too. */
struct hc_execution *hc_machine_execution_new(struct hc_machine *m, hc_time until);
void hc_execution_free(struct hc_execution *c);

/* ---- travelling ---- */

struct hc_timeline;

enum hc_timeline_stop {
    HC_TIMELINE_THERE,     /* where it was to go */
    HC_TIMELINE_HOOK,      /* a hook stopped it (or, backwards, would have) */
    HC_TIMELINE_REQUEST,   /* the user asked */
    HC_TIMELINE_FAULT,     /* before the instruction that cannot be executed: see hc_timeline_text */
    HC_TIMELINE_END,       /* nothing comes after this */
    HC_TIMELINE_FAILURE,   /* the supply fails next, or has just come back */
    HC_TIMELINE_BEGINNING, /* nothing was before this */
    HC_TIMELINE_NO_MEMORY,
};

/* The present of EXECUTION becomes the beginning; it is run only by the timeline from now on and stays the caller's.
 * Checkpoints take at most MEMORY bytes (but there are 32 at least); 0 stands for 64 MB. NULL when memory is exhausted.
 */
struct hc_timeline *hc_timeline_new(struct hc_execution *execution, size_t memory);
void hc_timeline_free(struct hc_timeline *t);

/* The execution was put elsewhere by who owns it: its present becomes the beginning, and all that was known is
 * forgotten. False when memory is exhausted: then nothing but freeing it is allowed. */
bool hc_timeline_restart(struct hc_timeline *t);

struct hc_machine *hc_timeline_machine(struct hc_timeline *t);
const struct hc_moment *hc_timeline_now(const struct hc_timeline *t);
/* The same, also within a hook: exact to the instruction at a PC, to some at an access. */
void hc_timeline_present(const struct hc_timeline *t, struct hc_moment *out);
const struct hc_moment *hc_timeline_start(const struct hc_timeline *t);
/* The latest moment that has been reached so far. */
const struct hc_moment *hc_timeline_farthest(const struct hc_timeline *t);
/* After HC_TIMELINE_FAULT or HC_TIMELINE_END. */
const char *hc_timeline_text(const struct hc_timeline *t);
/* Of the interrupt that was accepted last on the way here; -1 when there was none since a checkpoint. */
int hc_timeline_last_vector(const struct hc_timeline *t);

/* Whether hooks may stop the run: those at a PC, and those at accesses. */
bool hc_timeline_hears_places(const struct hc_timeline *t);
bool hc_timeline_hears_accesses(const struct hc_timeline *t);
/* Whether this has been run before: what is told to the user once (what the node prints, say) is not told again. */
bool hc_timeline_repeating(const struct hc_timeline *t);

/* See hc_execution_ops: for clients that follow what peripherals say. */
void hc_timeline_listen(struct hc_timeline *t, hc_answered_fn *call, void *owner);

/* Called every few milliseconds while something runs; true ends it (HC_TIMELINE_REQUEST). */
void hc_timeline_set_poll(struct hc_timeline *t, bool (*interrupted)(void *owner), void *owner);

/* Each goes there from wherever it is; beyond the end it stays there. Hooks are not asked. */
enum hc_timeline_stop hc_timeline_seek(struct hc_timeline *t, uint64_t instructions);
/* The first moment at TIME or later. */
enum hc_timeline_stop hc_timeline_seek_time(struct hc_timeline *t, hc_time time);
/* The first moment in that segment of the log or a later one. */
enum hc_timeline_stop hc_timeline_seek_segment(struct hc_timeline *t, size_t segment);
/* The handler's first instruction of the Nth interrupt (from 1) is next. */
enum hc_timeline_stop hc_timeline_seek_interrupt(struct hc_timeline *t, uint64_t n);
enum hc_timeline_stop hc_timeline_seek_end(struct hc_timeline *t);

/* Where the supply fails; false: it does not. Steps and runs forwards stop on either side of it. */
bool hc_timeline_failure(const struct hc_timeline *t, struct hc_execution_failure *out);

/* One instruction; only hooks at accesses are asked. */
enum hc_timeline_stop hc_timeline_step(struct hc_timeline *t);
/* N instructions back. */
enum hc_timeline_stop hc_timeline_back(struct hc_timeline *t, uint64_t n);

/* Forwards until a hook stops it, at most to moment LIMIT. A PC's hook at the present moment does not count. */
enum hc_timeline_stop hc_timeline_run(struct hc_timeline *t, uint64_t limit);

/* What a hook that stopped the run means to someone who goes backwards. */
enum hc_hit {
    HC_HIT_NONE,
    HC_HIT_HERE,   /* a place: it is to be seen at this moment */
    HC_HIT_BEFORE, /* an access: it is to be seen at the moment before the instruction that did it */
};
/* Asked after each stop, with the machine as it was stopped; it forgets what it kept about the stop. CHOSEN: this is
 * the one that the travel ends with. */
typedef enum hc_hit hc_hit_fn(void *owner, bool chosen);

/* Backwards to the latest hit before the present moment. CLASSIFY is asked at stops in no order of time; when something
 * was found, that stop is repeated and asked for last, with CHOSEN. */
enum hc_timeline_stop hc_timeline_run_back(struct hc_timeline *t, hc_hit_fn *classify, void *owner);

/* ---- looking without moving ---- */

struct hc_past {
    struct hc_moment moment;
    uint32_t pc, sp;
    enum hc_flow flow; /* of the instruction at PC */
};
/* True ends it. */
typedef bool hc_past_fn(void *owner, const struct hc_past *past);
/* Tells LOOK of each moment before the present one, the latest first, at most back to moment FROM. The cursor stays.
 * HC_TIMELINE_THERE when LOOK ended it, HC_TIMELINE_BEGINNING when it saw all. Less than a microsecond a moment. */
enum hc_timeline_stop hc_timeline_look_back(struct hc_timeline *t, uint64_t from, hc_past_fn *look, void *owner);

/* Calls VISIT with the machine at each stop of a hook between moments FROM and TO; true ends it. The cursor stays.
 * HC_TIMELINE_THERE when all of it was seen or VISIT ended it. */
typedef bool hc_visit_fn(void *owner, const struct hc_moment *moment);
enum hc_timeline_stop hc_timeline_survey(struct hc_timeline *t, uint64_t from, uint64_t to, hc_visit_fn *visit,
                                         void *owner);

struct hc_past_interrupt {
    uint64_t number; /* from 1 */
    struct hc_moment moment;
    int vector;
    uint32_t pc; /* that it interrupted */
};
/* Up to MAX interrupts from number FIRST on, as far as the run has been; returns how many. The cursor stays. */
size_t hc_timeline_interrupts(struct hc_timeline *t, uint64_t first, struct hc_past_interrupt *out, size_t max);

struct hc_timeline_statistics {
    size_t checkpoints, bytes;
    uint64_t interval;           /* instructions between two of them */
    uint64_t instructions_again; /* that were run a second time or more */
};
void hc_timeline_statistics(const struct hc_timeline *t, struct hc_timeline_statistics *out);

#endif
