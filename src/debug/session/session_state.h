/* The state of a session, shared by the files of this folder. */
#ifndef HC_DEBUG_SESSION_SESSION_STATE_H
#define HC_DEBUG_SESSION_SESSION_STATE_H

#include "debug/dwarf/frame.h"
#include "debug/expression/expression.h"
#include "debug/expression/format.h"
#include "image/source.h"
#include "session.h"

#include <signal.h>

enum {
    HC_DISPLAYS_MAX = 16,
    HC_POINTS_MAX = 64,
    HC_POINT_ADDRESSES = 16,
    HC_WATCHED_RANGES = 16,
    HC_TEXT_MAX = 256,
};

enum hc_point_kind { HC_POINT_BREAK, HC_POINT_WATCH, HC_POINT_RWATCH, HC_POINT_AWATCH, HC_POINT_UNTIL };

struct hc_point {
    struct hc_debugger *session;
    int number; /* 0: the slot is free; -1: the session's own */
    enum hc_point_kind kind;
    bool enabled, temporary;
    bool watches_changes;        /* of a watchpoint: writes of the same value do not count */
    char place[HC_TEXT_MAX];     /* as the user wrote it; of a watchpoint the expression */
    char condition[HC_TEXT_MAX]; /* "": none */
    size_t addresses;
    uint32_t address[HC_POINT_ADDRESSES];
    int hook[HC_POINT_ADDRESSES];
    uint32_t size; /* of what is watched */
    uint32_t sp;   /* of HC_POINT_UNTIL: the value that SP must have, or more */
    const struct hc_type *type;
    uint64_t hits;
};

/* What stopped the run. */
struct hc_stop_cause {
    struct hc_point *point;    /* NULL: nothing did */
    struct hc_access access;   /* of a watch */
    char problem[HC_TEXT_MAX]; /* a condition that could not be evaluated */
};

struct hc_debugger {
    struct hc_image *image;
    struct hc_program *program;
    struct hc_timeline *timeline;
    struct hc_replay *replay; /* NULL: there is no log, or the session stays in its segment */
    struct hc_machine *machine;
    FILE *out;
    bool whole;
    struct hc_point point[HC_POINTS_MAX];
    int points_made;
    struct hc_stop_cause cause;
    enum hc_timeline_stop arrived;   /* how the last move ended */
    struct hc_debug_message message; /* why a command failed */
    hc_debugger_progress_fn *tell;   /* NULL: nobody wants to know */
    void *told;
    hc_debugger_send_fn *send; /* NULL: there is no UART to send to */
    void *sender;
    volatile sig_atomic_t interrupted;

    bool frames_known;
    int frames, frame; /* how many, and which is selected */
    struct hc_frame stack[HC_FRAMES_MAX];

    struct hc_sources sources;
    struct hc_why_chain *why;    /* the last answers of `why`; NULL: none yet */
    const char *list_file;       /* where `list` continues */
    int list_line, list_first;   /* the next line, and the first line of the last list */
    char list_path[HC_TEXT_MAX]; /* the path of LIST_FILE if it is not part of the program */
    int64_t built;               /* when the image was built, in seconds since 1970; 0: not known */

    bool colours;
    bool hushed;    /* of several steps only the last one is shown */
    int sourcing;   /* nesting depth of `source` */
    bool quit_said; /* `quit` in a file that `source` reads */
    int displays_made;
    struct hc_display {
        int number; /* 0: the slot is free */
        char format;
        char text[HC_TEXT_MAX];
    } display[HC_DISPLAYS_MAX];
    char last[HC_TEXT_MAX]; /* the command that an empty line repeats */
};

/* ---- session.c ---- */

/* Writes the message and returns false. */
bool hc_debugger_fail(struct hc_debugger *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hc_debugger_say(struct hc_debugger *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Call after the cursor has moved. */
void hc_debugger_moved(struct hc_debugger *s);
/* The selected frame; there is always one. */
struct hc_frame *hc_debugger_frame(struct hc_debugger *s);
/* Frame N in a line, as in "#1  0x4312 in main () at app.c:27". */
void hc_debugger_show_frame(struct hc_debugger *s, int n, bool number);
void hc_debugger_show_source(struct hc_debugger *s);
/* "0.001234567 s". */
const char *hc_time_text(hc_time time, char *out, size_t size);
/* Prints why the run ended and where it is; returns false if the cause is an error. */
bool hc_debugger_arrive(struct hc_debugger *s, enum hc_timeline_stop how);
/* Prints a note if the supply fails at the present moment, or has just returned. */
void hc_debugger_tell_failure(struct hc_debugger *s);
/* "app.c:27" of PC, or "0x4312". */
const char *hc_debugger_place_text(struct hc_debugger *s, uint32_t pc, char *out, size_t size);

/* The escape sequence that colours the next text; "" without colours. */
enum hc_paint { HC_PAINT_NONE, HC_PAINT_FUNCTION, HC_PAINT_FILE, HC_PAINT_MARK, HC_PAINT_ERROR };
const char *hc_debugger_paint(const struct hc_debugger *s, enum hc_paint paint);

/* ---- list.c, display.c, complete.c, command.c ---- */

bool hc_list(struct hc_debugger *s, char *arguments);
bool hc_display(struct hc_debugger *s, char *arguments);
bool hc_undisplay(struct hc_debugger *s, char *arguments);
void hc_show_displays(struct hc_debugger *s);
bool hc_info_frame(struct hc_debugger *s);
bool hc_source(struct hc_debugger *s, char *arguments);
/* The name of the Nth command; NULL after the last. */
const char *hc_command_name(size_t n);
/* Whether TEXT begins with the name of a command, or its short form. */
bool hc_is_command(const char *text);
/* "/x EXPRESSION": the letter, or 0, and what follows. */
bool hc_take_format(struct hc_debugger *s, char **arguments, char *format);

/* ---- points.c ---- */

struct hc_point *hc_point_new(struct hc_debugger *s, enum hc_point_kind kind);
bool hc_point_arm(struct hc_point *p);
void hc_point_delete(struct hc_point *p);
struct hc_point *hc_point_find(struct hc_debugger *s, int number);
/* The user's breakpoint that would stop at PC now, or NULL. */
struct hc_point *hc_point_at(struct hc_debugger *s, uint32_t pc);
/* A watchpoint on the value V of the expression TEXT. */
struct hc_point *hc_point_watch(struct hc_debugger *s, enum hc_point_kind kind, const char *text);
/* For hc_timeline_run_back. */
enum hc_hit hc_points_classify(void *session, bool chosen);
/* While quiet, the user's breakpoints and watchpoints do not stop the run. */
void hc_points_quiet(struct hc_debugger *s, bool quiet);
/* Prints what the watchpoint saw: old and new value. BEFORE: the machine is before the access. */
void hc_point_show_change(struct hc_debugger *s, bool before);

/* ---- step.c ---- */

bool hc_step_instruction(struct hc_debugger *s, uint64_t n);
bool hc_step_line(struct hc_debugger *s, bool into);
bool hc_step_out(struct hc_debugger *s);
/* To a later line in the same invocation of the function, or out of it. */
bool hc_step_past(struct hc_debugger *s);
/* To one of N addresses, or to where the selected frame returns. SAME_FRAME: only in that invocation of the function.
 */
bool hc_run_to(struct hc_debugger *s, const uint32_t *address, size_t n, bool same_frame);
bool hc_step_back_line(struct hc_debugger *s, bool into);
bool hc_step_back_out(struct hc_debugger *s);
bool hc_run_on(struct hc_debugger *s);
bool hc_run_back(struct hc_debugger *s);

/* ---- segments.c ---- */

bool hc_info_segments(struct hc_debugger *s);
bool hc_goto_segment(struct hc_debugger *s, uint64_t number);
/* Restarts the session at that segment, without output. */
bool hc_segment_begin(struct hc_debugger *s, uint32_t number);
/* For `when`: prints the number of the segment if there are several. */
void hc_say_segment(struct hc_debugger *s);
/* The segment before the session's start that could be replayed, or -1. */
int hc_segment_before(struct hc_debugger *s);

/* ---- messages.c, info.c, history.c ---- */

bool hc_info_messages(struct hc_debugger *s);

bool hc_info(struct hc_debugger *s, char *arguments);
bool hc_last_write(struct hc_debugger *s, char *arguments);
bool hc_history(struct hc_debugger *s, char *arguments);
bool hc_goto(struct hc_debugger *s, char *arguments);
bool hc_when(struct hc_debugger *s, char *arguments);

/* ---- why.c ---- */

bool hc_why_asked(struct hc_debugger *s, char *arguments);

#endif
