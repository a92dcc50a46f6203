/* The names in an instrumented ELF: its sections, and the recorder's symbols. */
#ifndef HC_RECORDED_NAMES_H
#define HC_RECORDED_NAMES_H

#include "image/image.h"

#define HC_MAP_SECTION ".hindcast"
#define HC_SITES_SECTION "hc_sites"

enum hc_recorder_symbol {
    HC_SYMBOL_LINK,      /* the table of runtime/link.h */
    HC_SYMBOL_DUMP,      /* which registers of peripherals a checkpoint holds */
    HC_SYMBOL_RAM,       /* the recorder's RAM, which starts with the position counter */
    HC_SYMBOL_RAM_END,   /* one past it */
    HC_SYMBOL_COUNT,     /* the position counter */
    HC_SYMBOL_SEGMENT,   /* the count of segments */
    HC_SYMBOL_REGISTERS, /* in its RAM: the program's registers; on targets with wide addresses only, like the next */
    HC_SYMBOL_REGISTERS_END, /* one past them */
    HC_SYMBOL_FREE,          /* RAM that only the stack uses, by the linker script */
    HC_SYMBOL_FREE_END,
    HC_SYMBOL_RESET,        /* where the reset vector leads */
    HC_SYMBOL_CUT_READ,     /* cuts: see border.h */
    HC_SYMBOL_CUT_READ_VIA, /* also ends with CUT_READ_END */
    HC_SYMBOL_CUT_READ_END,
    HC_SYMBOL_CUT_UPDATE,
    HC_SYMBOL_CUT_RESUME, /* also ends with CUT_UPDATE_END */
    HC_SYMBOL_CUT_UPDATE_END,
    HC_SYMBOL_UPDATE_RESUME, /* where an interrupt during an update returns */
    HC_SYMBOL_INSIDE,        /* the position of such an interrupt */
    HC_SYMBOL_POLL_SET8,     /* poll routines */
    HC_SYMBOL_POLL_SET16,
    HC_SYMBOL_POLL_CLEAR8,
    HC_SYMBOL_POLL_CLEAR16,
    HC_SYMBOL_UPDATE_LOOP, /* calls that the link step enables or disables */
    HC_SYMBOL_UPDATE_MAIN,
    HC_SYMBOL_UPDATE_HANDLER,
    HC_SYMBOL_SITES, /* the linker's symbols for the ends of section hc_sites */
    HC_SYMBOL_SITES_END,
    HC_SYMBOL_TRAFFIC, /* of recorders of messages: struct hc_traffic_begin of runtime/traffic/model.h */
    HC_RECORDER_SYMBOLS,
};
extern const char *const hc_recorder_symbols[HC_RECORDER_SYMBOLS];

/* Returns false, with *ADDRESS 0, if IMAGE has no such symbol. O(log n). */
bool hc_recorder_address(const struct hc_image *image, enum hc_recorder_symbol symbol, uint32_t *address);

/* The recorder's trampoline for VECTOR. */
enum { HC_TRAMPOLINE_NAME = 40 };
const char *hc_trampoline_name(int vector, char out[HC_TRAMPOLINE_NAME]);
bool hc_trampoline_address(const struct hc_image *image, int vector, uint32_t *address);

/* Whether NAME belongs to the recorder: hc_... and __hc_... */
bool hc_is_recorder_name(const char *name);
/* Whether NAME is a function of the recorder that programs may call (hindcast.h). */
bool hc_is_recorder_call(const char *name);

/* Of one of those that make the recorder work: hc_update and its relatives. */
bool hc_is_update(const char *name);

/* A little-endian word at ADDRESS, as programmed; returns false if IMAGE has none there. */
bool hc_recorded_word(const struct hc_image *image, uint32_t address, uint32_t *out);

#endif
