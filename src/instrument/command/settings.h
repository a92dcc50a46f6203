/* The user's choices for the recorder: the options before the compiler's name, preceded by those in
 * $HINDCAST_CC_OPTIONS. docs/recording.md describes them. */
#ifndef HC_INSTRUMENT_COMMAND_SETTINGS_H
#define HC_INSTRUMENT_COMMAND_SETTINGS_H

#include "invocation.h"

struct hc_settings;

/* Which functions --record=slice records. PROGRAM is linked as it is without a recorder, with the bitcode of its units
 * (.hindcast.bc). Adds their names to PATTERNS, and says in *INTERRUPTS whether handlers may call them. False with a
 * sentence in TEXT. */
typedef bool hc_choose_fn(const struct hc_settings *settings, const char *program, struct hc_argv *patterns,
                          bool *interrupts, char *text, size_t size);

struct hc_settings {
    const char *part;   /* instead of -mmcu=; NULL: not given */
    const char *record; /* how much: "all", "region", "slice", "messages", "messages+paths"; NULL: as all */
    const char *sink, *port, *recorder;
    const char *codec;               /* "paper", "hindcast", or "interrupts:paper,data:hindcast"; NULL: not given */
    const char *ring;                /* bytes */
    const char *stack;               /* bytes */
    const char *flush;               /* seconds */
    const char *flush_below;         /* volts */
    const char *region;              /* of the sink: "0x40000-0xfffff" */
    const char *sector;              /* bytes */
    const char *update;              /* where calls of the recorder are inserted: "auto", "sleep", "manual" */
    const char *commands;            /* a compile_commands.json to process */
    const char *out;                 /* where its objects go */
    const char *checkpoints;         /* "loop-latch" or "function-return": no recorder, but calls of */
    const char *checkpoint_function; /* this one */
    bool no_sizes, no_bitcode, call_ticks, verbose, help;
    bool region_interrupts;       /* interrupts may enter the region while it runs */
    struct hc_argv patterns;      /* of --region: files and functions */
    const char *invariant;        /* of --record=slice */
    const char *level;            /* likewise, a number */
    hc_choose_fn *choose;         /* likewise; the caller's, who sets it after hc_settings_read */
    struct hc_argv deterministic; /* names of functions */
    struct hc_argv trust;         /* likewise */
    struct hc_argv paths;         /* patterns of such names: their paths are recorded; with slice: a file of names */
    struct hc_argv no_checkpoints;
    struct hc_argv defines; /* NAME or NAME=VALUE, for the recorder's sources */
    struct hc_argv words;   /* storage for the strings */
};

/* Reads $HINDCAST_CC_OPTIONS, then WORDS up to the first that is not an option; *USED: how many. Returns false with the
 * invocation's message. Free with hc_settings_free in any case. */
bool hc_settings_read(struct hc_settings *settings, struct hc_invocation *session, char *const *word, size_t count,
                      size_t *used);
void hc_settings_free(struct hc_settings *settings);

/* The options, a line each, for --help. */
void hc_settings_help(FILE *to);

/* The corresponding -D options for the recorder's sources. */
bool hc_settings_define(const struct hc_settings *settings, struct hc_invocation *session, struct hc_argv *out);

/* The depth is one that records messages and no registers: nothing is replayed. */
bool hc_settings_only_messages(const struct hc_settings *settings);
/* Paths are recorded, too. */
bool hc_settings_paths(const struct hc_settings *settings);

/* The depth is a region's: functions that were chosen are replayed, by bitcode (instrument/region). */
bool hc_settings_region(const struct hc_settings *settings);
/* ... and the functions are those of a slice, chosen at the link. */
bool hc_settings_slice(const struct hc_settings *settings);

/* True if the events called KIND ("interrupts", "registers", "data") are coded by codec set SET. */
bool hc_settings_codec_is(const struct hc_settings *settings, const char *kind, const char *set);

#endif
