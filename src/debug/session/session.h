/* A debugging session: commands in, text out. It does not depend on terminals; cli/debug.c does. */
#ifndef HC_DEBUG_SESSION_SESSION_H
#define HC_DEBUG_SESSION_SESSION_H

#include "image/image.h"
#include "timeline/timeline.h"

#include <stdio.h>

struct hc_debugger;

/* IMAGE and TIMELINE must outlive it. Output goes to OUT. WHOLE: the run has an end (a recording), so that examining
 * all of it makes sense. Returns NULL on out-of-memory. */
struct hc_debugger *hc_debugger_new(struct hc_image *image, struct hc_timeline *timeline, FILE *out, bool whole);
void hc_debugger_free(struct hc_debugger *s);
/* Sets the replay of TIMELINE's execution: lets the session go to other segments of its log. */
struct hc_replay;
void hc_debugger_set_replay(struct hc_debugger *s, struct hc_replay *replay);

/* Changes where output goes. */
void hc_debugger_set_output(struct hc_debugger *s, FILE *out);
/* Turns colours on or off, for output on a terminal. */
void hc_debugger_set_colours(struct hc_debugger *s, bool colours);
/* Looks for sources whose path starts with FROM below TO instead. The strings must outlive the session. Returns false
 * if there are too many such rules. */
bool hc_debugger_map_sources(struct hc_debugger *s, const char *from, const char *to);

enum hc_debugger_end {
    HC_DEBUGGER_GOES_ON,
    HC_DEBUGGER_FAILED, /* the command was invalid or failed, and a message was printed. The session continues. */
    HC_DEBUGGER_QUIT,
};

/* Executes one line. An empty line repeats the last command if it is repeatable (step, list ...). */
enum hc_debugger_end hc_debugger_command(struct hc_debugger *s, const char *line);

/* TELL is called every few milliseconds while a command runs the program: how much of that is done, as
 * hc_debugger_progress says, and the present moment. */
typedef void hc_debugger_progress_fn(void *owner, double done, const struct hc_moment *now);
void hc_debugger_set_progress(struct hc_debugger *s, hc_debugger_progress_fn *tell, void *owner);
/* How much of what runs now is done, from 0 to 1, or of the log if that is not known; negative: neither is known. */
double hc_debugger_progress(const struct hc_debugger *s);

/* Lets `uart TEXT` send to a live node. SEND: TEXT reaches the node's UART at the present moment; false with a sentence
 * in PROBLEM if it cannot. */
typedef bool hc_debugger_send_fn(void *owner, const char *text, char *problem, size_t size);
void hc_debugger_set_uart(struct hc_debugger *s, hc_debugger_send_fn *send, void *owner);

/* Prints where the program is, as after a stop. */
void hc_debugger_show_place(struct hc_debugger *s);

/* A chain of causes of EXPRESSION's present value ("": of the program being here), to be answered step by step. The
 * session owns it. Returns NULL if it cannot be asked; hc_debugger_problem says why. */
struct hc_why_chain;
struct hc_why_chain *hc_debugger_ask_why(struct hc_debugger *s, const char *expression);
/* The chain of the last `why`; NULL: there was none. */
const struct hc_why_chain *hc_debugger_last_why(const struct hc_debugger *s);

/* Stops the running command at the user's request. May be called from a signal handler. */
void hc_debugger_interrupt(struct hc_debugger *s);

/* Completions of the last word of LINE. */
typedef void hc_completion_fn(void *owner, const char *word);
void hc_debugger_complete(struct hc_debugger *s, const char *line, hc_completion_fn *tell, void *owner);

/* ---- for a session over many nodes ---- */

/* Where the session is. */
struct hc_debugger_place {
    uint32_t segment; /* number of the segment from whose start moments and times are counted */
    uint64_t moment;
    hc_time time;
    bool at_end; /* nothing comes after it in this stretch */
};
void hc_debugger_place(struct hc_debugger *s, struct hc_debugger_place *out);

/* Goes, without output, into the stretch that starts with SEGMENT: to the first moment at TIME or later, but at least
 * to moment LEAST and at most to MOST. Returns false with the reason in `problem`. */
bool hc_debugger_go(struct hc_debugger *s, uint32_t segment, hc_time time, uint64_t least, uint64_t most);
const char *hc_debugger_problem(const struct hc_debugger *s);

/* Whether it has breakpoints or watchpoints that could stop a run. */
bool hc_debugger_has_points(const struct hc_debugger *s);

/* Runs, without output, to moment LIMIT or until a breakpoint or watchpoint stops it; or backwards to the last place
 * where one would stop it. */
enum hc_debugger_ran { HC_RAN_STOPPED, HC_RAN_TO_LIMIT, HC_RAN_TO_END, HC_RAN_INTERRUPTED, HC_RAN_FAILED };
enum hc_debugger_ran hc_debugger_run_quietly(struct hc_debugger *s, uint64_t limit);
enum hc_debugger_ran hc_debugger_run_back_quietly(struct hc_debugger *s);
/* Prints what stopped the run, and where. BACKWARDS: the run was hc_debugger_run_back_quietly. */
void hc_debugger_tell_stop(struct hc_debugger *s, bool backwards);

/* The value of EXPRESSION as a number. Returns false with the reason in `problem`. */
bool hc_debugger_number(struct hc_debugger *s, const char *expression, long long *out);

/* ---- looking over a run without a session ---- */

/* The addresses of a place: FUNCTION, FILE:LINE, *ADDRESS; for LINE alone HERE is the file. Returns how many, at most
 * MAX; 0 with a message. */
struct hc_debug_message;
struct hc_program;
size_t hc_place_addresses(struct hc_program *p, const char *place, const char *here, uint32_t *out, size_t max,
                          struct hc_debug_message *message);

#endif
