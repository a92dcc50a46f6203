/* How values flow through instructions: which bytes of registers and memory a result comes from.
 *
 * A follower has a mark for each byte of each register, one for the carry and one for the other flags. The meaning of
 * marks, and the marks of memory, belong to its owner; 0 is no mark. The target knows which mark goes where. */
#ifndef HC_TARGET_VALUE_FLOW_H
#define HC_TARGET_VALUE_FLOW_H

#include "machine/machine.h"

enum { HC_VALUE_FLOW_BYTES = 4, HC_VALUE_FLOW_ACCESSES = 64 };

/* The mark of each byte of a value. */
struct hc_marked_value {
    uint32_t byte[HC_VALUE_FLOW_BYTES];
};

struct hc_value_flow_ops {
    /* The mark of a result of both. */
    uint32_t (*join)(void *owner, uint32_t a, uint32_t b);
    /* A byte is loaded or stored by the instruction at PC. */
    uint32_t (*load)(void *owner, uint32_t address, uint32_t pc);
    void (*store)(void *owner, uint32_t address, uint32_t pc, uint32_t mark);
    /* The instruction at PC jumps, calls or returns depending on MARK; it accesses memory through an address with MARK.
     */
    void (*branch)(void *owner, uint32_t pc, uint32_t mark);
    void (*address)(void *owner, uint32_t pc, uint32_t mark);
};

struct hc_value_flow {
    const struct hc_value_flow_ops *ops;
    void *owner;
    struct hc_marked_value reg[HC_REGISTERS];
    uint32_t carry, flags;                           /* flags: all but the carry */
    struct hc_access access[HC_VALUE_FLOW_ACCESSES]; /* of the current instruction: the owner notes them */
    int accesses;
    int next; /* the target's */
};

/* Peripherals that compute: a value read from them depends on the values written to them since one of their first
 * operands was written. BEGIN has a bit for each word from START. */
struct hc_value_flow_unit {
    uint32_t start, end;
    uint64_t begin;
};

struct hc_target_value_flow {
    /* The instruction at PC has been executed, and its accesses are noted. */
    void (*instruction)(struct hc_value_flow *flow, struct hc_machine *m, uint32_t pc);
    /* The mark of byte OFFSET of an interrupt's frame, from the stack pointer; frame.size of them. */
    uint32_t (*pushed)(const struct hc_value_flow *flow, uint32_t offset);
    /* Of M's part; the last one's end is 0. */
    const struct hc_value_flow_unit *(*units)(const struct hc_machine *m);
};

#endif
