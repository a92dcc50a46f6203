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

/* Where calls of the recorder are inserted (updates.c): nowhere; where the program sleeps or loops endlessly; also in
 * other loops and in handlers; also in loops of callbacks, with handlers that wake the CPU at intervals. */
enum hc_unit_updates { HC_UPDATES_MANUAL, HC_UPDATES_SLEEP, HC_UPDATES_AUTO, HC_UPDATES_WAKE };

struct hc_unit_request {
    const char *text; /* preprocessed by the user's compiler, with line markers; need not end in 0 */
    size_t size;
    const char *name; /* the main source file, for messages if the text has no line marker */
    /* For libclang: "--target=msp430-none-elf", "-mmcu=msp430f1611", "-std=gnu11", "-funsigned-char" ... No inputs,
     * outputs, -I, -D or -include, since the text is preprocessed. Warning options have no effect. */
    const char *const *arguments;
    int argument_count;
    const struct hc_regs *registers; /* of the part; used only during the call; NULL with checkpoints */
    /* Names of deterministic functions, for sources that cannot be annotated with the pragma. */
    const char *const *deterministic;
    int deterministic_count;
    bool gcc;          /* the text is for GCC, which spells clobbers differently */
    bool inline_ticks; /* loops without inner loops and calls count inline: faster, 6 bytes more each */
    enum hc_unit_updates updates;
    bool positions_only;                  /* reads are not changed: for code that must be counted but not recorded */
    enum hc_unit_checkpoints checkpoints; /* else nothing below matters */
    const char *checkpoint_function;
    const char *const *without_checkpoints; /* names of functions that get no calls, as with the pragma */
    int without_checkpoints_count;
};

/* A read that is recorded, or was proved unnecessary. */
struct hc_unit_site {
    const char *register_name; /* its name in the description; "0x0123" if it has none; "*" through a pointer */
    uint32_t address;          /* 0 through a pointer */
    uint8_t class;             /* enum hc_site_class */
    uint8_t width;             /* of the access, in bytes: 1 or 2; 4: two descriptors */
    uint32_t mask;             /* the bits that are used, also of a skipped read */
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
    unsigned loops, loop_ticks;         /* loops and labels of backward gotos */
    unsigned polls;                     /* loops that became a polling routine */
    unsigned checkpoints;               /* calls */
};

struct hc_unit_result {
    char *text; /* terminated by 0, which SIZE does not count; NULL if there are errors */
    size_t size;
    size_t site_count; /* recorded and skipped, in the order of the text */
    struct hc_unit_site *sites;
    size_t error_count;
    struct hc_unit_error *errors;
    struct hc_unit_counts counts;
    size_t update_count;
    struct hc_unit_update *updates;
    bool uses_dma;
    bool uses_bus;        /* that the recorder's flash chip is on */
    bool sleeps_for_good; /* afterwards it works in handlers only */
    void *memory;         /* where all strings live */
};

enum hc_unit_status { HC_UNIT_OK = 0, HC_UNIT_ERRORS = -1, HC_UNIT_NO_MEMORY = -2 };

/* RESULT is filled in any case; free it with hc_unit_free. HC_UNIT_ERRORS: see its errors; there is no text. Reads and
 * writes no files and prints nothing. */
int hc_unit_instrument(const struct hc_unit_request *request, struct hc_unit_result *result);
void hc_unit_free(struct hc_unit_result *result);

#endif
