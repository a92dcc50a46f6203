/* Locate: where an intermittent run could differ from a continuous one, from one continuous run of a program.
 *
 * The program runs on a machine from main to its end; its accesses to non-volatile memory go to the shadow (shadow.h),
 * with the invocations that made them (frames.h); calls of malloc, calloc, realloc and free, known by their symbols, go
 * to the heap (heap.h), and what happens within them counts as that call. */
#ifndef HC_POWER_LOCATE_H
#define HC_POWER_LOCATE_H

#include "frames.h"
#include "heap.h"
#include "machine/machine.h"
#include "pairs.h"
#include "power/interactions/inputs.h"
#include "power/interactions/outputs.h"
#include "run.h"

/* What of the part's non-volatile memory counts as such: all, or the sum of parts; those of HC_NVM_NAMED are listed. */
enum hc_nvm { HC_NVM_ALL = 0, HC_NVM_GLOBALS = 1, HC_NVM_STACK = 2, HC_NVM_HEAP = 4, HC_NVM_NAMED = 8 };

struct hc_nvm_range {
    uint32_t start, size;
};

struct hc_ranges {
    const struct hc_nvm_range *range;
    size_t count;
};
bool hc_ranges_hold(const struct hc_ranges *ranges, uint32_t address);

/* What of the volatile state a checkpoint may leave out; the CPU's registers it always saves. */
enum { HC_UNSAVED_STACK = 1, HC_UNSAVED_GLOBALS = 2, HC_UNSAVED_HEAP = 4, HC_UNSAVED_PERIPHERALS = 8 };

struct hc_locate_config {
    struct hc_machine *machine; /* loaded and reset */
    struct hc_power_program program;
    int nvm; /* HC_NVM_* */
    struct hc_ranges named;
    struct hc_ranges versioned; /* of that, what a checkpoint saves and restoring brings back all the same */
    struct hc_ranges excluded;  /* what no trial compares */
    uint64_t depth;             /* a-priori: the largest execution depth of interest; 0: a-posteriori, */
    bool depth_in_cycles;       /* else in instructions */
    uint32_t checkpoint;        /* the function whose call completes a checkpoint, */
    const uint32_t *before;     /* and instructions before which one is completed as well */
    size_t before_count;
    const struct hc_power_input *input; /* variables that hold what was measured */
    size_t inputs;
    const struct hc_output *output; /* functions that act on the environment */
    size_t outputs;
    const struct hc_environment *environment; /* NULL: as the outputs' models say */
    int unsaved;                              /* HC_UNSAVED_*: 0 when checkpoints save all that is volatile */
    uint64_t limit;                           /* instructions, after which the run is given up */
    hc_occurred_fn *occurred;                 /* told of each occurrence of a pair, with OWNER; or NULL */
    void *owner;
    const uint64_t
        *farther; /* of each pair, as it was found before: not 0 if of its farther ones, too; NULL: of none */
    void (*progress)(void *owner, double part, const char *stage); /* told some times a second what is done; or NULL */
    void *progress_owner;
};

enum hc_locate_end {
    HC_LOCATE_DONE,    /* main returned, or nothing will ever happen again */
    HC_LOCATE_LIMIT,   /* it still runs */
    HC_LOCATE_FAULT,   /* see hc_fault_text */
    HC_LOCATE_NO_MAIN, /* there is none, or it was not reached */
    HC_LOCATE_NO_NVM,  /* the part has no non-volatile RAM, or the program never wrote to it */
};

/* From one checkpoint to the next: what has to fit into one charge of the capacitor, or the program never gets on. */
struct hc_power_window {
    uint64_t instructions, cycles;
    uint64_t restart;  /* cycles of the start-up code, which comes first after a failure; 0: it is within */
    uint32_t from, to; /* calls of the checkpoint function; 0: power-on, the end */
};

struct hc_located {
    enum hc_locate_end end;
    struct hc_pairs pairs;
    struct hc_power_frames *frames;
    struct hc_heap *heap;
    struct hc_power_inputs *inputs;
    struct hc_outputs *outputs;
    uint64_t instructions, cycles; /* of the run, from main on */
    uint64_t accesses;             /* to non-volatile memory */
    uint64_t checkpoints;
    struct hc_power_window longest; /* a-posteriori: the window of the most cycles */
    uint32_t stack_low, stack_high; /* the stack's extent; low is the lowest address it came to, high one past it */
};

/* Runs the program. The result's tables are valid whatever the end; hc_located_free is due. */
void hc_power_locate(const struct hc_locate_config *config, struct hc_located *out);
void hc_located_free(struct hc_located *located);

/* Does the byte at ADDRESS keep its value without supply, in the scenario asked for? What does not, and is not lost, a
 * checkpoint saves. */
bool hc_located_survives(const struct hc_locate_config *config, const struct hc_located *located, uint32_t address);

/* Is volatile memory at ADDRESS lost with the supply, whatever checkpoints there are? */
bool hc_located_is_lost(const struct hc_locate_config *config, const struct hc_located *located, uint32_t address);

#endif
