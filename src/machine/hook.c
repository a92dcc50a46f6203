/* Hooks: how clients watch a machine. A hook at a PC is a patched entry of the decoded code, a watch makes its pages
 * slow, a retire hook makes slices one instruction long; nothing is tested on the way when there is none. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum hook_kind { AT_PC, ON_ACCESS, ON_CALL, ON_INTERRUPT, ON_RETIRE };

struct hc_hook {
    int id;
    enum hook_kind kind;
    uint32_t start, end;
    int watch;
    bool first; /* of its PC: before those without */
    void *owner;
    union {
        hc_pc_fn *pc;
        hc_access_fn *access;
        hc_call_fn *call;
        hc_interrupt_fn *interrupt;
        hc_retire_fn *retire;
    } call;
    int depth; /* of ON_CALL: invocations under way */
    struct {
        uint32_t return_pc, stack;
    } *frames;
};

enum { DEEPEST_CALL = 256, MOST_AT_ONE_PC = 16 };

static int add(struct hc_machine *m, struct hc_hook hook)
{
    if (m->hooks == m->hooks_room) {
        m->hooks_room = m->hooks_room ? 2 * m->hooks_room : 16;
        m->hook = realloc(m->hook, (size_t)m->hooks_room * sizeof *m->hook);
        if (!m->hook)
            abort();
    }
    /* Sorted by address, then age: those at one PC are neighbours and run in the order of their making. */
    int at = m->hooks++;
    while (at > 0 && (m->hook[at - 1].start > hook.start ||
                      (m->hook[at - 1].start == hook.start && hook.first && !m->hook[at - 1].first))) {
        m->hook[at] = m->hook[at - 1];
        at--;
    }
    hook.id = ++m->next_hook;
    m->hook[at] = hook;
    return hook.id;
}

static struct hc_hook *find(struct hc_machine *m, int id)
{
    for (int i = 0; i < m->hooks; i++)
        if (m->hook[i].id == id)
            return &m->hook[i];
    return NULL;
}

static int first_at(const struct hc_machine *m, uint32_t start)
{
    int low = 0;
    int high = m->hooks;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->hook[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool runs_at_pc(const struct hc_hook *h)
{
    return h->kind == AT_PC || h->kind == ON_CALL;
}

bool hc_hooked_at(const struct hc_machine *m, uint32_t pc)
{
    for (int i = first_at(m, pc); i < m->hooks && m->hook[i].start == pc; i++)
        if (runs_at_pc(&m->hook[i]))
            return true;
    return false;
}

int hc_hook_pc(struct hc_machine *m, uint32_t pc, hc_pc_fn *call, void *owner)
{
    int id = add(m, (struct hc_hook){ .kind = AT_PC, .start = pc, .end = pc, .owner = owner, .call.pc = call });
    hc_code_patch(m, pc);
    return id;
}

int hc_hook_pc_first(struct hc_machine *m, uint32_t pc, hc_pc_fn *call, void *owner)
{
    struct hc_hook hook = { .kind = AT_PC, .start = pc, .end = pc, .first = true, .owner = owner, .call.pc = call };
    int id = add(m, hook);
    hc_code_patch(m, pc);
    return id;
}

/* ---- calls: a hook at the entry, and one at each return address while an invocation is under way ---- */

static enum hc_action at_return(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_hook *h = find(m, (int)(intptr_t)owner);
    if (!h || !h->depth || h->frames[h->depth - 1].return_pc != pc || h->frames[h->depth - 1].stack != m->s.r[HC_SP])
        return HC_CONTINUE;
    h->depth--;
    return h->call.call(h->owner, m, false);
}

static enum hc_action at_entry(struct hc_machine *m, struct hc_hook *h)
{
    int id = h->id;
    enum hc_action action = h->call.call(h->owner, m, true);
    h = find(m, id); /* the callback may have changed the list */
    if (action != HC_CONTINUE || !h || h->depth == DEEPEST_CALL)
        return action;
    uint32_t size, return_pc = hc_return_address(m, &size);
    h->frames[h->depth].return_pc = return_pc;
    h->frames[h->depth].stack = (m->s.r[HC_SP] + size) & m->address_mask;
    h->depth++;
    for (int i = first_at(m, return_pc); i < m->hooks && m->hook[i].start == return_pc; i++)
        if (m->hook[i].kind == AT_PC && m->hook[i].call.pc == at_return && (int)(intptr_t)m->hook[i].owner == id)
            return action;
    /* Stays: the next call from there needs it again. First: the call is over before what stands there begins. */
    hc_hook_pc_first(m, return_pc, at_return, (void *)(intptr_t)id);
    return action;
}

int hc_hook_call(struct hc_machine *m, uint32_t entry, hc_call_fn *call, void *owner)
{
    struct hc_hook hook = { .kind = ON_CALL, .start = entry, .end = entry, .owner = owner, .call.call = call };
    hook.frames = calloc(DEEPEST_CALL, sizeof *hook.frames);
    if (!hook.frames)
        abort();
    int id = add(m, hook);
    hc_code_patch(m, entry);
    return id;
}

enum hc_action hc_hooks_at_pc(struct hc_machine *m, uint32_t pc)
{
    int ids[MOST_AT_ONE_PC];
    int n = 0;
    for (int i = first_at(m, pc); i < m->hooks && m->hook[i].start == pc && n < MOST_AT_ONE_PC; i++)
        if (runs_at_pc(&m->hook[i]))
            ids[n++] = m->hook[i].id;
    for (int i = 0; i < n; i++) {
        struct hc_hook *h = find(m, ids[i]);
        if (!h)
            continue;
        enum hc_action action = h->kind == AT_PC ? h->call.pc(h->owner, m, pc) : at_entry(m, h);
        if (action != HC_CONTINUE || m->s.r[HC_PC] != pc)
            return action;
    }
    return HC_CONTINUE;
}

/* ---- accesses ---- */

static void refresh_watches(struct hc_machine *m)
{
    memset(m->page_watch, 0, sizeof m->page_watch);
    for (int i = 0; i < m->hooks; i++)
        if (m->hook[i].kind == ON_ACCESS)
            for (uint32_t page = m->hook[i].start >> HC_PAGE_BITS; page <= m->hook[i].end >> HC_PAGE_BITS; page++)
                m->page_watch[page] |= (uint8_t)m->hook[i].watch;
    hc_pages_refresh_all(m);
}

int hc_hook_access(struct hc_machine *m, uint32_t start, uint32_t end, int watch, hc_access_fn *call, void *owner)
{
    struct hc_hook hook = {
        .kind = ON_ACCESS, .start = start & 0xfffff, .end = end & 0xfffff, .watch = watch, .owner = owner
    };
    hook.call.access = call;
    int id = add(m, hook);
    refresh_watches(m);
    return id;
}

void hc_hooks_access(struct hc_machine *m, uint32_t address, uint16_t value, uint16_t before, int size, bool write)
{
    struct hc_access access = { .address = address,
                                .value = value,
                                .before = before,
                                .size = (uint8_t)size,
                                .write = write,
                                .pc = m->executing ? m->pc : UINT32_MAX };
    uint32_t last = address + (uint32_t)size - 1;
    int wanted = write ? HC_WATCH_WRITE : HC_WATCH_READ;
    for (int i = 0; i < m->hooks; i++) {
        struct hc_hook *h = &m->hook[i];
        if (h->kind != ON_ACCESS || !(h->watch & wanted) || h->start > last || h->end < address)
            continue;
        if (h->call.access(h->owner, m, &access) == HC_STOP) {
            m->stopped = true;
            hc_end_slice(m);
        }
    }
}

/* ---- interrupts and retired instructions ---- */

int hc_hook_interrupt(struct hc_machine *m, hc_interrupt_fn *call, void *owner)
{
    m->interrupt_hooks++;
    return add(m, (struct hc_hook){ .kind = ON_INTERRUPT, .owner = owner, .call.interrupt = call });
}

void hc_hooks_interrupt(struct hc_machine *m, int vector, uint32_t pc)
{
    for (int i = 0; i < m->hooks; i++)
        if (m->hook[i].kind == ON_INTERRUPT)
            m->hook[i].call.interrupt(m->hook[i].owner, m, vector, pc);
}

int hc_hook_retire(struct hc_machine *m, hc_retire_fn *call, void *owner)
{
    m->retire_hooks++;
    hc_end_slice(m);
    return add(m, (struct hc_hook){ .kind = ON_RETIRE, .owner = owner, .call.retire = call });
}

void hc_hooks_retired(struct hc_machine *m, uint32_t pc)
{
    if (m->hashing) {
        struct {
            uint32_t pc, r[HC_REGISTERS];
            uint64_t writes;
        } retired = { .pc = pc, .writes = m->write_hash };
        memcpy(retired.r, m->s.r, sizeof retired.r);
        m->s.hash = XXH3_64bits_withSeed(&retired, sizeof retired, m->s.hash);
        m->write_hash = 0;
    }
    for (int i = 0; i < m->hooks && m->retire_hooks > m->hashing; i++)
        if (m->hook[i].kind == ON_RETIRE)
            m->hook[i].call.retire(m->hook[i].owner, m, pc);
}

void hc_hash_start(struct hc_machine *m)
{
    if (!m->hashing)
        m->retire_hooks++;
    m->hashing = m->watch_all_writes = true;
    m->s.hash = m->write_hash = 0;
    hc_pages_refresh_all(m);
}

uint64_t hc_hash_value(const struct hc_machine *m)
{
    return m->s.hash;
}

void hc_hash_stop(struct hc_machine *m)
{
    if (m->hashing)
        m->retire_hooks--;
    m->hashing = m->watch_all_writes = false;
    hc_pages_refresh_all(m);
}

/* ---- removal ---- */

static void drop_return_hooks(struct hc_machine *m, int call_hook)
{
    for (int i = m->hooks - 1; i >= 0; i--) {
        struct hc_hook *h = &m->hook[i];
        if (h->kind == AT_PC && h->call.pc == at_return && (int)(intptr_t)h->owner == call_hook)
            hc_unhook(m, h->id);
    }
}

void hc_unhook(struct hc_machine *m, int id)
{
    struct hc_hook *h = find(m, id);
    if (!h)
        return;
    struct hc_hook gone = *h;
    memmove(h, h + 1, (size_t)(&m->hook[m->hooks] - (h + 1)) * sizeof *h);
    m->hooks--;
    free(gone.frames);
    switch (gone.kind) {
    case ON_CALL:
        drop_return_hooks(m, id);
        hc_code_patch(m, gone.start);
        break;
    case AT_PC:
        hc_code_patch(m, gone.start);
        break;
    case ON_ACCESS:
        refresh_watches(m);
        break;
    case ON_INTERRUPT:
        m->interrupt_hooks--;
        break;
    case ON_RETIRE:
        m->retire_hooks--;
        break;
    }
}

void hc_hooks_free(struct hc_machine *m)
{
    for (int i = 0; i < m->hooks; i++)
        free(m->hook[i].frames);
    free(m->hook);
}
