#include "hasher.h"

#include "registers/regs.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ADDRESSES = 0x10000 };

/* The role of an address in the state machine. */
enum { ENTRY = 1, EXIT = 2, POLLING = 4, HANDLER = 8 };

struct hc_hasher {
    struct hc_machine *machine;
    const struct hc_target_cpu *cpu;
    const struct hc_border *border;
    const struct hc_regs *regs;
    hc_hasher_fn *call;
    hc_hasher_note_fn *note;
    void *owner;
    int retire_hook, write_hook, read_hook, interrupt_hook;
    bool inside;
    bool flags_dead;
    bool flags_die;          /* with the running instruction */
    uint16_t dead_registers; /* a bit for each register with dead bits: */
    uint16_t dead_bits[HC_REGISTERS];
    uint16_t load_dies; /* unrecorded bits that the running instruction loads from a peripheral register */
    uint64_t writes;    /* of the running instruction */
    int dead_words;
    uint8_t mark[ADDRESSES];
    uint8_t dead_word[ADDRESSES / 16]; /* a bit for each even address: it holds an SR with dead flags */
};

static void set_dead_word(struct hc_hasher *h, uint32_t address, bool dead)
{
    if (!dead && !h->dead_words)
        return;
    uint32_t bit = (address & (ADDRESSES - 1)) >> 1;
    uint8_t mask = (uint8_t)(1u << (bit & 7));
    bool before = h->dead_word[bit >> 3] & mask;
    if (before == dead)
        return;
    h->dead_word[bit >> 3] ^= mask;
    h->dead_words += dead ? 1 : -1;
}

static bool is_dead_word(const struct hc_hasher *h, uint32_t address)
{
    uint32_t bit = (address & (ADDRESSES - 1)) >> 1;
    return h->dead_word[bit >> 3] >> (bit & 7) & 1;
}

/* ---- writes ---- */

static uint32_t undetermined(const struct hc_hasher *h, uint32_t address, int size)
{
    struct hc_regs_access access;
    hc_regs_access(h->regs, address, size, &access);
    return access.nondeterministic;
}

/* A write to a peripheral register: the bits of its value that the program determines. */
static uint16_t determined(struct hc_hasher *h, const struct hc_access *a)
{
    uint32_t unknown = undetermined(h, a->address, a->size);
    if (!unknown || !h->cpu->modifies(h->machine, a->pc, a->address))
        return a->value;
    int reg;
    if (h->cpu->flags_use(h->machine, a->pc, &reg) == HC_FLAGS_SET)
        h->flags_die = true;
    return (uint16_t)(a->value & ~unknown);
}

/* Whether a write to memory stores a status with dead flags: a push of it, or a change of other bits. */
static bool leaves_dead_flags(const struct hc_hasher *h, const struct hc_access *a)
{
    int reg;
    if (h->dead_words && is_dead_word(h, a->address) && h->cpu->modifies(h->machine, a->pc, a->address))
        return true;
    return h->flags_dead && h->cpu->flags_use(h->machine, a->pc, &reg) == HC_FLAGS_STORED;
}

static enum hc_action at_write(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_hasher *h = owner;
    (void)m;
    if (access->pc == UINT32_MAX)
        return HC_CONTINUE; /* hardware */
    if (access->address >= h->border->recorder.start && access->address < h->border->recorder.end) {
        if (h->note && access->address == h->border->segment)
            h->note(h->owner, HC_HASHER_SEGMENT, access->value);
        return HC_CONTINUE;
    }
    uint16_t value = access->value;
    if (access->address < h->regs->peripherals_end) {
        value = determined(h, access);
    } else {
        bool dead = leaves_dead_flags(h, access);
        set_dead_word(h, access->address, dead);
        if (dead)
            value &= (uint16_t)~h->cpu->status.flags;
    }
    h->writes =
        (h->writes ^ ((uint64_t)access->address << 24 | (uint64_t)access->size << 16 | value)) * 0x9fb21c651e98df25u;
    return HC_CONTINUE;
}

/* A load outside the recorder: its value is not used, or masked at once. */
static enum hc_action at_read(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_hasher *h = owner;
    if (access->pc == UINT32_MAX || h->inside || h->mark[access->pc & (ADDRESSES - 1)] & ENTRY ||
        h->cpu->modifies(m, access->pc, access->address) || hc_border_poll_at(h->border, access->pc))
        return HC_CONTINUE;
    h->load_dies |= (uint16_t)undetermined(h, access->address, access->size);
    return HC_CONTINUE;
}

void hc_hasher_interrupt(struct hc_hasher *h, uint32_t frame)
{
    bool at_cut_end = hc_border_ends_cut(h->border, hc_peek16(h->machine, frame + h->cpu->frame.pc));
    set_dead_word(h, frame + h->cpu->frame.status, at_cut_end || h->inside || h->flags_dead);
    set_dead_word(h, frame + h->cpu->frame.pc, false);
    h->flags_dead = false;
}

static void at_interrupt(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct hc_hasher *h = owner;
    (void)vector;
    (void)pc;
    hc_hasher_interrupt(h, hc_register(m, HC_SP));
}

/* ---- instructions ---- */

static void set_dead_bits(struct hc_hasher *h, int reg, uint16_t bits)
{
    h->dead_bits[reg] = bits;
    h->dead_registers = (uint16_t)((h->dead_registers & ~(1u << reg)) | (bits ? 1u << reg : 0));
}

static void follow_flags(struct hc_hasher *h, uint32_t pc)
{
    uint32_t sp = hc_register(h->machine, HC_SP);
    int reg = 0;
    enum hc_flags_use use = h->cpu->flags_use(h->machine, pc, &reg);
    int result = h->cpu->result_of(h->machine, pc);
    if (result >= 0)
        set_dead_bits(h, result, h->load_dies);
    if (use == HC_FLAGS_SET)
        h->flags_dead = h->flags_die;
    else if (use == HC_FLAGS_COPIED && h->flags_dead)
        set_dead_bits(h, reg, (uint16_t)h->cpu->status.flags);
    else if (use == HC_FLAGS_POPPED)
        h->flags_dead = is_dead_word(h, sp - 2);
    else if (use == HC_FLAGS_RETURNED)
        h->flags_dead = is_dead_word(h, sp - h->cpu->frame.size + h->cpu->frame.status);
    h->flags_die = false;
    h->load_dies = 0;
}

static void cross_border(struct hc_hasher *h, uint32_t pc, uint8_t mark)
{
    bool was_inside = h->inside;
    h->inside = mark & ENTRY;
    if (!h->note)
        return;
    if (mark & HANDLER && was_inside && pc != h->border->link.handler[h->border->link.vectors - 1])
        h->note(h->owner, HC_HASHER_INTERRUPT, (uint16_t)pc);
    else if (pc == h->border->reset)
        h->note(h->owner, HC_HASHER_RESET, 0);
    else if (pc == h->border->read || pc == h->border->read_via)
        h->note(h->owner, HC_HASHER_READ, 0);
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_hasher *h = owner;
    uint8_t mark = h->mark[pc & (ADDRESSES - 1)];
    if (mark & (ENTRY | EXIT))
        cross_border(h, pc, mark);
    uint64_t writes = h->writes;
    h->writes = 0;
    if (h->inside) {
        h->load_dies = 0;
        h->flags_die = false;
        return;
    }
    if (h->flags_die || h->flags_dead || h->dead_registers || h->dead_words || h->load_dies)
        follow_flags(h, pc);
    struct {
        uint32_t pc, r[HC_REGISTERS];
        uint32_t zero; /* no padding: all bytes are hashed */
        uint64_t writes;
    } state = { .pc = pc, .writes = writes };
    for (int i = 0; i < HC_REGISTERS; i++)
        state.r[i] = h->cpu->without_state >> i & 1 ? 0 : hc_register(m, i);
    if (h->flags_dead)
        state.r[h->cpu->status_register] &= ~h->cpu->status.flags;
    for (int i = 0; h->dead_registers >> i; i++)
        if (h->dead_registers >> i & 1)
            state.r[i] &= ~(uint32_t)h->dead_bits[i];
    if (!(mark & POLLING))
        h->call(h->owner, m, pc, XXH3_64bits(&state, sizeof state));
}

/* ---- making ---- */

static void mark_addresses(struct hc_hasher *h)
{
    const struct hc_border *b = h->border;
    const uint32_t entries[] = { b->read, b->read_via, b->update, b->resume, b->reset };
    const uint32_t exits[] = { b->read_end, b->update_end };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (entries[i])
            h->mark[entries[i] & (ADDRESSES - 1)] |= ENTRY;
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        h->mark[exits[i] & (ADDRESSES - 1)] |= EXIT;
    for (int i = 0; i < b->link.vectors; i++) {
        if (b->trampoline[i])
            h->mark[b->trampoline[i] & (ADDRESSES - 1)] |= ENTRY;
        if (b->link.handler[i] != 0xffff)
            h->mark[b->link.handler[i] & (ADDRESSES - 1)] |= EXIT | HANDLER;
    }
    for (int i = 0; i < HC_BORDER_POLLS; i++)
        if (b->poll[i].load) {
            h->mark[b->poll[i].load] |= POLLING;
            h->mark[b->poll[i].jump] |= POLLING;
        }
}

struct hc_hasher *hc_hasher_new(struct hc_machine *m, const struct hc_border *border, const struct hc_regs *regs,
                                hc_hasher_fn *call, void *owner)
{
    struct hc_hasher *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    *h = (struct hc_hasher){
        .machine = m, .cpu = hc_target_of_machine(m)->cpu, .border = border, .regs = regs, .call = call, .owner = owner
    };
    mark_addresses(h);
    h->retire_hook = hc_hook_retire(m, retired, h);
    h->write_hook = hc_hook_access(m, 0, ADDRESSES - 1, HC_WATCH_WRITE, at_write, h);
    h->read_hook = hc_hook_access(m, 0, regs->peripherals_end - 1, HC_WATCH_READ, at_read, h);
    h->interrupt_hook = hc_hook_interrupt(m, at_interrupt, h);
    return h;
}

void hc_hasher_listen(struct hc_hasher *h, hc_hasher_note_fn *call)
{
    h->note = call;
}

void hc_hasher_restart(struct hc_hasher *h)
{
    h->inside = h->flags_dead = h->flags_die = false;
    h->dead_registers = h->load_dies = 0;
    h->dead_words = 0;
    h->writes = 0;
    memset(h->dead_word, 0, sizeof h->dead_word);
}

bool hc_hasher_inside(const struct hc_hasher *h)
{
    return h->inside;
}

void hc_hasher_free(struct hc_hasher *h)
{
    if (!h)
        return;
    hc_unhook(h->machine, h->retire_hook);
    hc_unhook(h->machine, h->write_hook);
    hc_unhook(h->machine, h->read_hook);
    hc_unhook(h->machine, h->interrupt_hook);
    free(h);
}
