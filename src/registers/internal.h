/* What the parts of the registers library share. */
#ifndef HC_REGISTERS_INTERNAL_H
#define HC_REGISTERS_INTERNAL_H

#include "regs.h"

struct hc_regs_name {
    const char *name;
    uint32_t reg; /* index */
};

/* A description with what owns its parts. */
struct hc_regs_store {
    struct hc_regs base;
    struct hc_reg *reg;
    struct hc_reg_effect *effect;
    struct hc_reg_lock *lock;
    struct hc_regs_name *names; /* by name, aliases included */
    size_t name_count;
    char **strings; /* that the above point into */
    size_t string_count;
};

enum { HC_REGS_NAME_MAX = 40 };

static inline uint32_t hc_reg_bits(const struct hc_reg *reg)
{
    return reg->size == 4 ? 0xffffffffu : (1u << 8 * reg->size) - 1;
}

#endif
