/* The state of a running replay. The headers of this folder's files say what each does with it. */
#ifndef HC_REPLAY_REPLAY_STATE_H
#define HC_REPLAY_REPLAY_STATE_H

#include "position.h"
#include "registers/regs.h"
#include "replay.h"
#include "target/target.h"
#include "trace/feed.h"

struct hc_map;
struct hc_peripherals;
struct hc_segments;

enum { HC_REPLAY_REMEMBERED = 16, HC_REPLAY_ADDRESSES = 0x14000 /* of any part */ };

/* What the reads of one timer say about time. */
struct hc_timer_state {
    bool seen;
    bool wrapped; /* a value told that it has passed 0, and no interrupt has told so yet */
    bool matched; /* last is what compare unit 0 has matched: the next match is later, however large the step */
    uint16_t last;
    uint64_t units; /* the time according to this timer (timers.c) */
    bool based;     /* the next read of this timer is relative to base */
    uint16_t base;
};

/* Where the next window of a self-check starts; piece is an index in the order of FORMAT.md. */
struct hc_check_window {
    uint16_t piece, offset;
};

/* What self-checks came to. */
struct hc_self_checks {
    uint64_t agreed;
    uint64_t instruction, time_us; /* of the last window that agreed */
    uint32_t seen;                 /* the most bytes of variables in the windows of a cycle over memory */
    bool stack_seen;               /* a window of the stack agreed */
    bool failed;                   /* the next sum did not agree at any of the calls where it may have been made: */
    uint32_t tried;                /* the number of such calls of hc_update; the first: */
    uint64_t differs_at;
    uint32_t start, end; /* the window there */
};

/* All state besides the machine and the feed. Plain data. */
struct hc_replay_state {
    uint64_t start; /* the machine's instruction count at moment 0 */
    uint64_t interrupts, reads;
    uint64_t event_at;       /* when something was last taken from the log */
    uint64_t units, time_us; /* the time in timers.c's units and in microseconds */
    bool by_crystal;         /* the time comes from a timer clocked by the crystal */
    size_t segment;          /* index into the log's segments */
    int entered;             /* vector of the interrupt whose handler starts at `entered_at`; -1 before the first */
    uint64_t entered_at;
    bool updating; /* the recorder was interrupted in hc_update and continues when the handler returns */
    uint64_t
        modified_at; /* when a register with unrecorded bits was changed in place: the flags depend on those bits */
    uint32_t unrecorded_pc; /* the last load of such bits outside the recorder; 0: none yet */
    uint32_t unrecorded_address;
    struct hc_check_window window;
    struct hc_self_checks checks;
    uint16_t dma_size[HC_REGS_DMA_MAX]; /* the size that the program set for each channel; 0: unknown */
    uint8_t flash_mode;                 /* what a write to flash does, according to FCTL1 */
    bool flash_locked;
    struct hc_timer_state timer[HC_REGS_TIMERS_MAX];
    struct hc_replay_interrupt last[HC_REPLAY_REMEMBERED]; /* a ring by number */
};

struct hc_replay {
    struct hc_replay_state s;
    struct hc_machine *machine;
    const struct hc_target_part *part;
    const struct hc_target_cpu *cpu;
    struct hc_image *image;
    struct hc_regs *regs;
    struct hc_border border;
    struct hc_peripherals *peripherals;
    struct hc_feed *feed;
    struct hc_map *map;                     /* NULL if the ELF has none */
    struct hc_segments *segments;           /* NULL if there is only a feed */
    uint8_t installed[HC_REPLAY_ADDRESSES]; /* of FRAM, before anything ran */

    /* Derived from the feed: the next interrupt, and the hook at its position. */
    bool due;
    struct hc_event next;
    int due_hook;
    uint32_t due_pc;

    /* The same for the reset that ends the log: the counter's value there. */
    bool reset_due;
    uint16_t reset_count;
    int reset_hook;

    bool over;     /* for good: END, DIVERGED, FAULT */
    bool at_reset; /* over, at the reset that ended the boot */
    enum hc_replay_stop stop;
    uint64_t sought; /* stop after the interrupt of this number; UINT64_MAX: none */
    bool check_positions;
    bool left_to_settle; /* the machine was stopped at an interrupt's position, to accept it */
    bool looking_ahead;  /* searching for a second match of a position: no event is taken, and needing one ends the
                            search */
    uint64_t looked_from;
    bool matched;
    uint64_t ambiguous;
    uint32_t ambiguous_pc;
    hc_replay_event_fn *event_call;
    void *event_owner;
    struct hc_replay_message why;
};

/* replay.c */
/* Everything except a feed. PART may be NULL: as the map says. */
int hc_replay_build(struct hc_replay **out, struct hc_image *image, const char *part,
                    struct hc_replay_message *message);
void hc_replay_begin(struct hc_replay *r);
bool hc_replay_used_up(const struct hc_replay *r); /* no event is left */
uint64_t hc_replay_instruction(const struct hc_replay *r);

#endif
