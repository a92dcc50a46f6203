/* What the files of the adapter share. */
#ifndef HC_DAP_STATE_H
#define HC_DAP_STATE_H

#include "adapter.h"
#include "debug/session/session_state.h"

#include <time.h>

enum { HC_DAP_TEXT = 512, HC_DAP_MAPPINGS = 16, HC_DAP_VALUE = 1024 };

/* What a variablesReference stands for; discarded when something has moved. */
enum hc_dap_handle_kind {
    HC_DAP_LOCALS,
    HC_DAP_GLOBALS,
    HC_DAP_REGISTERS,
    HC_DAP_PERIPHERALS,
    HC_DAP_PART,
    HC_DAP_VALUE_OF
};

struct hc_dap_handle {
    enum hc_dap_handle_kind kind;
    struct hc_dap_session *session;
    int frame;
    struct hc_value value;  /* of HC_DAP_VALUE_OF */
    char name[HC_DAP_TEXT]; /* the expression for it; of HC_DAP_PART the register */
};

/* A breakpoint as the client set it: what the debugger's breakpoint does not contain. */
struct hc_dap_point {
    int id; /* 0: the slot is free */
    enum { HC_DAP_SOURCE, HC_DAP_FUNCTION, HC_DAP_INSTRUCTION, HC_DAP_DATA, HC_DAP_EXCEPTION } kind;
    char source[HC_DAP_TEXT]; /* of HC_DAP_SOURCE: its file, as the client names it */
    char log[HC_DAP_TEXT];    /* a log point's message */
    char hits_wanted[32];     /* "5", ">= 3", "% 2"; "": always */
    uint64_t hits;
};

struct hc_dap_session {
    struct hc_dap *dap;
    struct hc_dap_node node;
    struct hc_debugger *debugger;
    struct hc_dap_point point[HC_POINTS_MAX]; /* parallel to the debugger's breakpoints, by index */
};

struct hc_dap {
    struct hc_dap_config config;
    int seq;
    int sessions;
    struct hc_dap_session *session;

    bool lines_from_0, columns_from_0, reports_progress, hex;
    bool stop_on_entry, configured, launched, over;
    bool running, pause_wanted, cancelled;
    bool stops_at_fault, stops_at_divergence, stops_at_invariant;
    struct hc_regs *regs; /* of the part; NULL: not known */

    int mappings;
    struct {
        char *from, *to;
    } mapping[HC_DAP_MAPPINGS]; /* of source paths */

    size_t handles, handles_room;
    struct hc_dap_handle *handle;

    /* The debugger's output while it does something. */
    FILE *out;
    char *text;
    size_t text_size;

    /* The reason for the last stop. */
    char exception[64], exception_text[HC_DAP_VALUE];

    /* Progress of what runs. */
    struct timespec since, told;
    bool progress_told;
    int progress;
    const char *progress_title;
};

/* A request at hand. */
struct hc_dap_request {
    struct hc_dap *dap;
    const json_t *message, *arguments;
    int seq;
    const char *command;
    bool answered;
};

/* ---- adapter.c ---- */

/* Takes ownership of BODY (or NULL). */
void hc_dap_respond(struct hc_dap_request *r, json_t *body);
void hc_dap_refuse(struct hc_dap_request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hc_dap_event(struct hc_dap *d, const char *name, json_t *body);
void hc_dap_output(struct hc_dap *d, const char *category, const char *text);
/* The session of the request's threadId or frameId; NULL after an error response. */
struct hc_dap_session *hc_dap_session_of(struct hc_dap_request *r);
/* The frame of a frameId; false after an error response. */
bool hc_dap_frame_of(struct hc_dap_request *r, json_int_t id, struct hc_dap_session **session, int *frame);
/* 0 if it is missing. */
json_int_t hc_dap_integer(const json_t *object, const char *name);
/* "" if it is missing. */
const char *hc_dap_string(const json_t *object, const char *name);
/* Collects the debugger's output from here on, then returns it. */
void hc_dap_listen(struct hc_dap *d);
const char *hc_dap_heard(struct hc_dap *d);
/* "0x1234" and the like. */
bool hc_dap_address(const char *text, uint32_t *out);

/* ---- running.c ---- */

void hc_dap_continue(struct hc_dap_request *r);
void hc_dap_step(struct hc_dap_request *r);
void hc_dap_pause(struct hc_dap_request *r);
void hc_dap_cancel(struct hc_dap_request *r);
void hc_dap_restart(struct hc_dap_request *r);
void hc_dap_goto(struct hc_dap_request *r);
void hc_dap_goto_targets(struct hc_dap_request *r);
void hc_dap_exception_info(struct hc_dap_request *r);
void hc_dap_travel(struct hc_dap_request *r); /* hindcast/... */
/* For the timeline. */
bool hc_dap_poll(void *session);
/* Reports that S is at another place. REASON is the protocol's; NULL: derived from how it got there. */
void hc_dap_stopped(struct hc_dap_session *s, const char *reason);
/* Around something that may take long. */
void hc_dap_begin(struct hc_dap_session *s, const char *title);
void hc_dap_end(struct hc_dap_session *s);

/* ---- breakpoints.c ---- */

void hc_dap_set_breakpoints(struct hc_dap_request *r);
void hc_dap_set_function_breakpoints(struct hc_dap_request *r);
void hc_dap_set_instruction_breakpoints(struct hc_dap_request *r);
void hc_dap_set_data_breakpoints(struct hc_dap_request *r);
void hc_dap_data_breakpoint_info(struct hc_dap_request *r);
void hc_dap_set_exception_breakpoints(struct hc_dap_request *r);
void hc_dap_breakpoint_locations(struct hc_dap_request *r);
/* The client's data of the breakpoint that stopped S; NULL: none. */
struct hc_dap_point *hc_dap_point_of(struct hc_dap_session *s);
/* Whether to stop there: counts the hit, prints a log point's message. */
bool hc_dap_point_stops(struct hc_dap_session *s, struct hc_dap_point *p);

/* ---- variables.c ---- */

void hc_dap_stack_trace(struct hc_dap_request *r);
void hc_dap_scopes(struct hc_dap_request *r);
void hc_dap_variables(struct hc_dap_request *r);
void hc_dap_evaluate(struct hc_dap_request *r);
void hc_dap_completions(struct hc_dap_request *r);
void hc_dap_refuse_change(struct hc_dap_request *r);

/* ---- memory.c ---- */

void hc_dap_read_memory(struct hc_dap_request *r);
void hc_dap_disassemble(struct hc_dap_request *r);

/* ---- sources.c ---- */

void hc_dap_source(struct hc_dap_request *r);
void hc_dap_loaded_sources(struct hc_dap_request *r);
/* A Source; PATH as the image has it. */
json_t *hc_dap_source_json(struct hc_dap *d, const char *path);
/* The reverse: what the image may call the client's PATH; returns OUT. */
const char *hc_dap_image_path(const struct hc_dap *d, const char *path, char *out, size_t size);

#endif
