/* One C translation unit: preprocessed text in, instrumented text out.
 *
 *     text with line markers -> libclang -> tree of each function -> analyses -> edits -> text with line markers
 *
 * Every read of a register with non-deterministic bits becomes a call of the recorder with a site descriptor, or is
 * proved needless and listed as skipped, or is an error: nothing is passed over. Loops, backward gotos and functions
 * that can be entered twice count (the position of an interrupt). Line numbers, evaluation order, types and the number
 * and width of volatile accesses stay as they were. docs/instrumenting.md says what users must know.
 *
 * No state outlives a call; several threads may each instrument a unit. */
#ifndef HC_INSTRUMENT_UNIT_UNIT_H
#define HC_INSTRUMENT_UNIT_UNIT_H

#include "registers/regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instead of recording: calls of a checkpoint function, for the analysis of power failures (checkpoints.c). */
enum hc_unit_checkpoints { HC_CHECKPOINTS_NONE, HC_CHECKPOINTS_LOOP_LATCH, HC_CHECKPOINTS_FUNCTION_RETURN };

/* Where calls of the recorder are put by itself (updates.c): nowhere; where the program sleeps or never ends; in other
 * loops and in handlers, too; in loops of callbacks as well, and handlers wake the CPU now and then. */
enum hc_unit_updates { HC_UPDATES_MANUAL, HC_UPDATES_SLEEP, HC_UPDATES_AUTO, HC_UPDATES_WAKE };

struct hc_unit_request {
    const char *text; /* preprocessed by the user's compiler, line markers kept; need not end in 0 */
    size_t size;
    const char *name; /* the main source file, for messages where the text has no line marker */
    /* For libclang: "--target=msp430-none-elf", "-mmcu=msp430f1611", "-std=gnu11", "-funsigned-char" ... No inputs,
     * outputs, -I, -D or -include: the text is preprocessed. Warning options are of no use. */
    const char *const *arguments;
    int argument_count;
    const struct hc_regs *registers; /* of the part; must live for the call only; NULL with checkpoints */
    /* Names of functions that are declared deterministic, as the pragma does where the source can be changed. */
    const char *const *deterministic;
    int deterministic_count;
    bool gcc;          /* the text goes to GCC: clobbers are written as GCC takes them */
    bool inline_ticks; /* loops without inner loops and calls count in line: quicker, 6 bytes more each */
    enum hc_unit_updates updates;
    bool positions_only;                  /* reads are left alone: for code that must not be recorded but be counted */
    enum hc_unit_checkpoints checkpoints; /* else nothing below matters */
    const char *checkpoint_function;
    const char *const *without_checkpoints; /* names of functions that get none, as the pragma says, too */
    int without_checkpoints_count;
};

/* A read that is recorded, or that was proved needless. */
struct hc_unit_site {
    const char *register_name; /* as the description has it; "0x0123" if it has none; "*" through a pointer */
    uint32_t address;          /* 0 through a pointer */
    uint8_t class;             /* enum hc_site_class */
    uint8_t width;             /* of the access, in bytes: 1 or 2; 4: two descriptors */
    uint32_t mask;             /* the bits that are used; of a skipped read too */
    const char *reason;        /* NULL: recorded. "deterministic", "masked", "unused", "read-modify-write", "polling",
                                * "read until stable", "annotated" */
    const char *file;
    unsigned line, column;
    const char *function; /* "" outside functions */
};

/* A call of the recorder. */
struct hc_unit_update {
    const char *what; /* "before sleep", "endless loop", "loop of main", "loop that reads", "handler"; "in the source":
                       * the program's own */
    const char *file;
    unsigned line;
    const char *function;
};

struct hc_unit_error {
    const char *file;
    unsigned line, column;
    const char *text; /* a sentence with its remedy, without file and line */
};

struct hc_unit_counts {
    unsigned functions, function_ticks; /* functions defined; those that count at entry */
    unsigned loops, loop_ticks;         /* loops and labels of retreating gotos */
    unsigned polls;                     /* loops that became a poll routine */
    unsigned checkpoints;               /* calls */
};

struct hc_unit_result {
    char *text; /* ends in 0, which SIZE does not count; NULL if there are errors */
    size_t size;
    size_t site_count; /* recorded and skipped, in the order of the text */
    struct hc_unit_site *sites;
    size_t error_count;
    struct hc_unit_error *errors;
    struct hc_unit_counts counts;
    size_t update_count;
    struct hc_unit_update *updates;
    bool uses_dma;
    bool uses_bus;        /* on which the recorder's flash chip is */
    bool sleeps_for_good; /* what it does from then on it does in handlers */
    void *memory;         /* where all strings live */
};

enum hc_unit_status { HC_UNIT_OK = 0, HC_UNIT_ERRORS = -1, HC_UNIT_NO_MEMORY = -2 };

/* RESULT is filled in any case and must be freed by hc_unit_free. HC_UNIT_ERRORS: see its errors, there is no text.
 * Reads no file, writes none, prints nothing. */
int hc_unit_instrument(const struct hc_unit_request *request, struct hc_unit_result *result);
void hc_unit_free(struct hc_unit_result *result);

#endif
