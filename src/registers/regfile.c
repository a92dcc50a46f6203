/* A register file: the kept bits of a part's registers, changed as the description says. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Which tables of the description have an entry for a register. Most registers are in none, and most accesses need no
 * search. */
enum { IS_CONDITION = 1, HAS_WRITE_EFFECT = 2, HAS_READ_EFFECT = 4, HAS_LOCK = 8 };

struct hc_regfile {
    const struct hc_regs *regs;
    uint32_t size;
    uint16_t *index;       /* by address: the register there, as its index + 1; 0: none */
    uint16_t *conditional; /* indices of registers with conditional bits */
    size_t conditionals;
    uint8_t *concerns; /* by address of a register: flags from above */
    uint8_t *stale;    /* by address of a register: its conditional bits are not what was written */
    uint8_t bytes[];   /* kept and conditional bits, as last written; the multiplier's as plain memory; then `stale` */
};

static void mark_concern(struct hc_regfile *file, uint32_t address, uint8_t concern)
{
    if (address < file->size)
        file->concerns[address] |= concern;
}

static void fill_tables(struct hc_regfile *file)
{
    const struct hc_regs *regs = file->regs;

    for (size_t i = 0; i < regs->count; i++) {
        for (uint32_t a = regs->reg[i].address; a < regs->reg[i].address + regs->reg[i].size && a < file->size; a++)
            file->index[a] = (uint16_t)(i + 1);
        if (!regs->reg[i].when_mask)
            continue;
        mark_concern(file, regs->reg[i].when_address, IS_CONDITION);
        file->conditional[file->conditionals++] = (uint16_t)i;
    }
    for (size_t i = 0; i < regs->effects; i++)
        if (regs->effect[i].cause != HC_REG_ON_INTERRUPT)
            mark_concern(file, regs->effect[i].source,
                         regs->effect[i].cause == HC_REG_ON_WRITE ? HAS_WRITE_EFFECT : HAS_READ_EFFECT);
    for (size_t i = 0; i < regs->locks; i++)
        mark_concern(file, regs->lock[i].address, HAS_LOCK);
}

struct hc_regfile *hc_regfile_new(const struct hc_regs *regs)
{
    if (regs->peripherals_start || regs->count > UINT16_MAX - 1)
        return NULL; /* of a target that is not replayed */
    uint32_t size = regs->peripherals_end;
    size_t words = size + regs->count;
    struct hc_regfile *file = calloc(1, sizeof *file + 3 * size + 1 + words * sizeof *file->index);

    if (!file)
        return NULL;
    file->regs = regs;
    file->size = size;
    file->stale = file->bytes + size;
    file->concerns = file->stale + size;
    file->index = (uint16_t *)(file->bytes + (3 * size + 1) / 2 * 2);
    file->conditional = file->index + size;
    fill_tables(file);
    return file;
}

void hc_regfile_free(struct hc_regfile *file)
{
    free(file);
}

uint8_t *hc_regfile_bytes(struct hc_regfile *file, size_t *size)
{
    *size = 2 * file->size;
    return file->bytes;
}

/* ---- registers as wholes ---- */

/* Bits that the file stores. */
static uint32_t stored(const struct hc_reg *reg)
{
    return reg->kept | (reg->when_mask ? reg->nondeterministic : 0);
}

static uint32_t load(const struct hc_regfile *file, const struct hc_reg *reg)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < reg->size; i++)
        value |= (uint32_t)file->bytes[reg->address + i] << 8 * i;
    return value;
}

static void store(struct hc_regfile *file, const struct hc_reg *reg, uint32_t value)
{
    for (unsigned i = 0; i < reg->size; i++)
        file->bytes[reg->address + i] = (uint8_t)(value >> 8 * i);
}

static const struct hc_reg *register_at(const struct hc_regfile *file, uint32_t address)
{
    uint16_t index = address < file->size ? file->index[address] : 0;

    return index ? &file->regs->reg[index - 1] : NULL;
}

static uint32_t state_at(const struct hc_regfile *file, uint32_t address)
{
    const struct hc_reg *reg = register_at(file, address);

    return reg ? load(file, reg) : 0;
}

static bool condition_holds(const struct hc_regfile *file, const struct hc_reg *reg)
{
    return state_at(file, reg->when_address) & reg->when_mask;
}

/* Bits of REG that reading does not tell now. */
static uint32_t unknown_now(const struct hc_regfile *file, const struct hc_reg *reg)
{
    return reg->when_mask && !file->stale[reg->address] ? 0 : reg->nondeterministic;
}

/* WRITTEN has a new value: registers whose bits depend on it may be the world's from now on; its own are software's. */
static void follow_conditions(struct hc_regfile *file, const struct hc_reg *written)
{
    if (written->when_mask)
        file->stale[written->address] = condition_holds(file, written);
    if (!(file->concerns[written->address] & IS_CONDITION))
        return;
    for (size_t i = 0; i < file->conditionals; i++) {
        const struct hc_reg *reg = &file->regs->reg[file->conditional[i]];
        if (reg->when_address == written->address && condition_holds(file, reg))
            file->stale[reg->address] = true;
    }
}

static uint32_t value_of(const struct hc_regfile *file, const struct hc_reg *reg)
{
    if (reg->multiplier)
        return load(file, reg);
    return (load(file, reg) & ~unknown_now(file, reg)) | reg->constant;
}

void hc_regfile_reset(struct hc_regfile *file, bool por)
{
    for (size_t i = 0; i < file->regs->count; i++) {
        const struct hc_reg *reg = &file->regs->reg[i];
        uint32_t value = load(file, reg);

        if (por)
            value = (value & ~reg->por_mask) | reg->por;
        if (reg->when_mask && !(reg->nondeterministic & ~(reg->puc_mask | (por ? reg->por_mask : 0))))
            file->stale[reg->address] = false;
        store(file, reg, (value & ~reg->puc_mask) | reg->puc);
    }
}

/* ---- effects ---- */

static void apply(struct hc_regfile *file, const struct hc_reg_effect *effect)
{
    const struct hc_reg *reg = register_at(file, effect->target);

    store(file, reg, ((load(file, reg) & ~effect->clear) | effect->set) & stored(reg));
}

enum { EFFECTS_AT_ONCE = 64 };

/* Whether an access to the register at ADDRESS can have an effect. */
static bool has_effect(const struct hc_regfile *file, enum hc_reg_cause cause, uint32_t address)
{
    return file->concerns[address] & (cause == HC_REG_ON_WRITE ? HAS_WRITE_EFFECT : HAS_READ_EFFECT);
}

/* The effects of an access or interrupt. The state before it decides which they are. At most EFFECTS_AT_ONCE. */

static size_t find_effects(const struct hc_regfile *file, enum hc_reg_cause cause, uint32_t source, uint32_t value,
                           const struct hc_reg_effect *out[EFFECTS_AT_ONCE])
{
    size_t count = 0;

    if (cause != HC_REG_ON_INTERRUPT && !has_effect(file, cause, source))
        return 0;
    for (size_t i = 0; i < file->regs->effects; i++) {
        const struct hc_reg_effect *e = &file->regs->effect[i];
        bool fits = e->cause == cause && e->source == source && (value & e->mask) == e->match;

        if (fits && e->while_mask && (state_at(file, e->while_address) & e->while_mask) != e->while_match)
            fits = false;
        if (fits && count < EFFECTS_AT_ONCE)
            out[count++] = e;
    }
    return count;
}

static void apply_all(struct hc_regfile *file, const struct hc_reg_effect *const *effects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        apply(file, effects[i]);
}

void hc_regfile_interrupt(struct hc_regfile *file, int vector)
{
    const struct hc_reg_effect *effects[EFFECTS_AT_ONCE];

    apply_all(file, effects, find_effects(file, HC_REG_ON_INTERRUPT, (uint32_t)vector, 0, effects));
}

/* ---- accesses ---- */

static uint32_t locked_bits(const struct hc_regfile *file, const struct hc_reg *reg)
{
    uint32_t bits = 0;

    if (!(file->concerns[reg->address] & HAS_LOCK))
        return 0;
    for (size_t i = 0; i < file->regs->locks; i++) {
        const struct hc_reg_lock *lock = &file->regs->lock[i];
        if (lock->address == reg->address && (state_at(file, lock->by) & lock->mask) == lock->match)
            bits |= lock->bits;
    }
    return bits;
}

/* VALUE goes to the bits BITS of REG. */
static void write_register(struct hc_regfile *file, const struct hc_reg *reg, uint32_t value, uint32_t bits)
{
    const struct hc_reg_effect *effects[EFFECTS_AT_ONCE];
    uint32_t before = load(file, reg);

    if ((value & reg->key_mask) != reg->key)
        return;
    size_t count = find_effects(file, HC_REG_ON_WRITE, reg->address, (before & ~bits) | (value & bits), effects);
    if (reg->multiplier) {
        store(file, reg, (before & ~bits) | (value & bits));
        return;
    }
    bits &= stored(reg) & ~locked_bits(file, reg);
    store(file, reg, (before & ~bits) | (value & bits));
    apply_all(file, effects, count);
    follow_conditions(file, reg);
}

/* The bytes of REG that an access of SIZE bytes at ADDRESS reaches, as bits of the register; SHIFT moves the access's
 * value there (negative: to the right). */
static uint32_t reached(const struct hc_regfile *file, const struct hc_reg *reg, uint32_t address, int size, int *shift)
{
    int first = (int)(address - reg->address);
    uint32_t bits = 0;

    *shift = 8 * first;
    for (int i = 0; i < reg->size; i++)
        if (i >= first && i < first + size)
            bits |= 0xffu << 8 * i;
    /* A byte to an even address of a word register: the upper byte becomes 0. */
    if (file->regs->strict_widths && reg->size == 2 && size == 1 && !first)
        bits = 0xffff;
    return bits;
}

static uint32_t shifted(uint32_t value, int by)
{
    return by >= 0 ? value << by : value >> -by;
}

/* The register that the access reaches from *AT on, which moves behind it; false after the last. A word access does not
 * reach the byte register above its address where widths are strict. */
static bool next_register(const struct hc_regfile *file, uint32_t *at, uint32_t address, int size,
                          const struct hc_reg **reg)
{
    while (*at < address + (uint32_t)size) {
        bool upper = (*at - address) & 1;

        *reg = register_at(file, *at);
        *at = *reg ? (*reg)->address + (*reg)->size : *at + 1;
        if (*reg && !(file->regs->strict_widths && upper && (*reg)->size == 1))
            return true;
    }
    return false;
}

static bool in_file(const struct hc_regfile *file, uint32_t address, int size)
{
    return address < file->size && (uint32_t)size <= file->size - address;
}

uint32_t hc_regfile_peek(const struct hc_regfile *file, uint32_t address, int size)
{
    const struct hc_reg *reg;
    uint32_t value = 0;

    if (!in_file(file, address, size))
        return 0;
    for (uint32_t at = address; next_register(file, &at, address, size, &reg);) {
        int shift = 8 * (int)(address - reg->address);
        value |= shifted(value_of(file, reg), -shift);
    }
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

uint32_t hc_regfile_known(const struct hc_regfile *file, uint32_t address, int size)
{
    const struct hc_reg *reg;
    uint32_t known = 0;

    if (!in_file(file, address, size))
        return 0;
    for (uint32_t at = address; next_register(file, &at, address, size, &reg);)
        known |= shifted(hc_reg_bits(reg) & ~unknown_now(file, reg), -8 * (int)(address - reg->address));
    return size == 4 ? known : known & ((1u << 8 * size) - 1);
}

uint32_t hc_regfile_read(struct hc_regfile *file, uint32_t address, int size)
{
    const struct hc_reg_effect *effects[EFFECTS_AT_ONCE];
    uint32_t value = hc_regfile_peek(file, address, size);
    const struct hc_reg *reg;

    if (!in_file(file, address, size))
        return 0;
    for (uint32_t at = address; next_register(file, &at, address, size, &reg);)
        apply_all(file, effects, find_effects(file, HC_REG_ON_READ, reg->address, 0, effects));
    return value;
}

void hc_regfile_write(struct hc_regfile *file, uint32_t address, uint32_t value, int size)
{
    const struct hc_reg *reg;

    if (!in_file(file, address, size))
        return;
    if (size < 4)
        value &= (1u << 8 * size) - 1;
    for (uint32_t at = address; next_register(file, &at, address, size, &reg);) {
        int shift;
        uint32_t bits = reached(file, reg, address, size, &shift);
        write_register(file, reg, shifted(value, shift), bits);
    }
}

void hc_regfile_restore(struct hc_regfile *file, uint32_t address, uint32_t value, int size)
{
    const struct hc_reg *reg;

    if (!in_file(file, address, size))
        return;
    for (uint32_t at = address; next_register(file, &at, address, size, &reg);) {
        int first = (int)(address - reg->address);
        uint32_t bits = 0;
        for (int i = 0; i < reg->size; i++)
            if (i >= first && i < first + size)
                bits |= 0xffu << 8 * i;
        bits &= reg->multiplier ? hc_reg_bits(reg) : stored(reg);
        store(file, reg, (load(file, reg) & ~bits) | (shifted(value, 8 * first) & bits));
        follow_conditions(file, reg);
    }
}
