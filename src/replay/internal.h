/* The inside of a replay, shared by the files of this folder. */
#ifndef HC_REPLAY_INTERNAL_H
#define HC_REPLAY_INTERNAL_H

#include "border.h"
#include "registers/regs.h"
#include "replay.h"
#include "source.h"

struct hc_map;
struct hc_peripherals;
struct hc_segments;

enum { HC_REPLAY_REMEMBERED = 16, HC_REPLAY_ADDRESSES = 0x14000 /* of any part */ };

/* What a timer's reads tell of time. */
struct hc_estimate_timer {
    bool seen;
    uint16_t last;
    uint64_t units; /* the time by it (estimate.c) */
    bool based;     /* the next read of this timer is relative to base */
    uint16_t base;
};

/* Where the next window of a self-check begins: piece is a place in the order of docs/trace.md. */
struct hc_window {
    uint16_t piece, offset;
};

/* What self-checks came to. */
struct hc_self_checks {
    uint64_t agreed;
    uint64_t instruction, time_us; /* of the last that did */
    bool failed;                   /* the next one did not, wherever it may have been made: */
    uint32_t tried;                /* so many calls of hc_update might have been it; the first: */
    uint64_t differs_at;
    uint32_t start, end; /* the window there */
};

/* All that changes besides the machine and the source. Plain data. */
struct hc_replay_state {
    uint64_t start; /* the machine's count of instructions at moment 0 */
    uint64_t interrupts, reads;
    uint64_t units, time_us; /* the time, as estimate.c counts it and in microseconds */
    bool by_crystal;         /* a timer tells it that runs by the crystal */
    size_t segment;          /* index into the log's segments */
    int entered;             /* vector of the interrupt whose handler begins at `entered_at`, -1 before the first */
    uint64_t entered_at;
    bool updating;          /* the recorder was interrupted in hc_update, and goes on when the handler returns */
    uint64_t modified_at;   /* when a register with unrecorded bits was changed in place: the flags are of those bits */
    uint32_t unrecorded_pc; /* the last load of such bits outside the recorder; 0 before the first */
    uint32_t unrecorded_address;
    struct hc_window window;
    struct hc_self_checks checks;
    uint16_t dma_size[HC_REGS_DMA_MAX]; /* what the program set each channel's size to; 0: not known */
    uint8_t flash_mode;                 /* what a write to flash does, as FCTL1 has it */
    bool flash_locked;
    struct hc_estimate_timer timer[HC_REGS_TIMERS_MAX];
    struct hc_replay_interrupt last[HC_REPLAY_REMEMBERED]; /* a ring by number */
};

struct hc_replay {
    struct hc_replay_state s;
    struct hc_machine *machine;
    struct hc_image *image;
    struct hc_regs *regs;
    struct hc_border border;
    struct hc_peripherals *peripherals;
    struct hc_source *source;
    struct hc_map *map;                     /* NULL when the ELF has none */
    struct hc_segments *segments;           /* NULL when the source is all there is */
    uint8_t installed[HC_REPLAY_ADDRESSES]; /* in FRAM, before anything ran */

    /* Derived from the source: the interrupt that comes next, and the hook at its position. */
    bool due;
    struct hc_event next;
    int due_hook;
    uint32_t due_pc;

    /* The same of the reset that ends the log: where the counter stood. */
    bool reset_due;
    uint16_t reset_count;
    int reset_hook;

    bool over;     /* for good: END, DIVERGED, FAULT */
    bool at_reset; /* over, at the reset that ended the life */
    enum hc_replay_stop stop;
    uint64_t sought; /* the number of an interrupt after which all stops; UINT64_MAX: none */
    bool check_positions;
    bool left_to_settle; /* the machine was stopped at an interrupt's position, to take it */
    bool looking_ahead;  /* the second match of a position is sought: nothing is taken, an answer ends it */
    uint64_t looked_from;
    bool matched;
    uint64_t ambiguous;
    uint32_t ambiguous_pc;
    uint64_t checked_at; /* when the counter was last seen to move */
    uint32_t checked_count;
    hc_replay_event_fn *event_call;
    void *event_owner;
    struct hc_replay_message why;
};

/* replay.c */
/* All but a source. PART may be NULL: as the map says. */
int hc_replay_build(struct hc_replay **out, struct hc_image *image, const char *part,
                    struct hc_replay_message *message);
void hc_replay_begin(struct hc_replay *r);
bool hc_replay_used_up(const struct hc_replay *r); /* no event is left */
uint64_t hc_replay_instruction(const struct hc_replay *r);

/* answer.c: what the border does in replay. */
void hc_answer_attach(struct hc_replay *r);
/* After the source or the machine was put elsewhere. */
void hc_answer_refresh(struct hc_replay *r);
/* Does all that comes before the next instruction; false when the replay is over. */
bool hc_answer_settle(struct hc_replay *r);
/* What the load of the poll routine POLL gives. */
uint16_t hc_answer_poll(struct hc_replay *r, const struct hc_border_poll *poll);

/* peripherals.c: the register file as a device. */
struct hc_peripherals *hc_peripherals_new(struct hc_replay *r);
struct hc_regfile *hc_peripherals_file(struct hc_peripherals *p);
void hc_peripherals_reset(struct hc_peripherals *p);
/* Whether a channel that the program has enabled, and not disabled since, may have written the byte at ADDRESS. */
bool hc_peripherals_dma_may_write(const struct hc_peripherals *p, uint32_t address);
/* The registers of DMA were restored: CHANNELS (a bit for each) are enabled. */
void hc_peripherals_enable_dma(struct hc_peripherals *p, uint8_t channels);

/* flash.c */
void hc_replay_add_flash(struct hc_replay *r);
/* The program wrote VALUE to the register at ADDRESS. */
void hc_replay_flash_control(struct hc_replay *r, uint32_t address, uint16_t value);

/* estimate.c: timers. */
/* The value that the next read of the timer that ADDRESS belongs to is relative to; NULL: to its last read. */
const uint16_t *hc_estimate_base(struct hc_replay *r, uint32_t address);
void hc_estimate_forget(struct hc_replay *r); /* a segment begins */
/* A segment begins after a gap, and before it all was as BEFORE says. SAME_BOOT: timers went on. */
void hc_estimate_go_on(struct hc_replay *r, const struct hc_replay_state *before, bool same_boot);
void hc_estimate_interrupt(struct hc_replay *r, int vector);
void hc_estimate_read(struct hc_replay *r, uint32_t address, int class, uint16_t value);

/* explain.c: the end of a replay. Each sets over, stop and why. */
void hc_explain_end(struct hc_replay *r);
void hc_explain_damage(struct hc_replay *r);
void hc_explain_fault(struct hc_replay *r);
/* FORMAT: what the program did, as a noun phrase. The log's side is the source's text, or EXPECTED if that is not NULL.
 */
void hc_explain_divergence(struct hc_replay *r, const char *expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A self-check that came to nothing. */
void hc_explain_self_check(struct hc_replay *r, const struct hc_feed_check *check);
/* The node was reset here. */
void hc_explain_reset(struct hc_replay *r);
/* The checkpoint of the next segment is not what the program has. */
struct hc_beginning_difference;
void hc_explain_checkpoint(struct hc_replay *r, const struct hc_beginning_difference *difference);

/* self_check.c */
void hc_self_check_begin(struct hc_replay *r); /* a segment begins */
/* The program is in hc_update. */
void hc_self_check_update(struct hc_replay *r);
/* An event is to be taken, or a segment ends: false, and the replay is over, if a self-check should have agreed before.
 */
bool hc_self_check_over(struct hc_replay *r);

/* beginning.c: the program wrote VALUE to the register at ADDRESS. */
void hc_replay_dma_control(struct hc_replay *r, uint32_t address, uint16_t value);

/* segment.c: checkpoints. */
/* How the life ended that the replay is in; NULL: not known. */
struct hc_log_boot;
const struct hc_log_boot *hc_segments_boot(const struct hc_replay *r);
/* The program is in hc_update: true when the segment's events are used up and the next one begins here. */
bool hc_segments_cross(struct hc_replay *r);
/* Whether another segment follows the running one without a gap. */
bool hc_segments_more(const struct hc_replay *r);
uint16_t hc_segments_number(const struct hc_replay *r);
void hc_segments_select(struct hc_replay *r, size_t index); /* after a restore: the source of that segment */
void hc_segments_free(struct hc_segments *segments);

#endif
