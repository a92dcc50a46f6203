#include "decoded_code.h"

#include "instruction.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { BUCKETS = 1024, PAGE_BYTES = 1 << HC_CODE_PAGE_BITS, TRAILING_BYTES = 6 };

struct hc_code_store {
    pthread_mutex_t lock;
    struct hc_code_page *bucket[BUCKETS];
};

struct hc_code_store *hc_code_store_new(void)
{
    struct hc_code_store *store = calloc(1, sizeof *store);
    if (store)
        pthread_mutex_init(&store->lock, NULL);
    return store;
}

void hc_code_store_free(struct hc_code_store *store)
{
    if (!store)
        return;
    pthread_mutex_destroy(&store->lock);
    free(store);
}

/* ---- decoding ---- */

static bool can_fetch(const struct hc_machine *m, uint32_t pc)
{
    int kind = m->page_kind[pc >> HC_PAGE_BITS];
    return kind != HC_VACANT && kind != HC_IO;
}

static bool is_busy(const struct hc_machine *m, uint32_t pc)
{
    return m->page_guard[pc >> HC_PAGE_BITS] & HC_WATCH_READ;
}

static void decode_entry(const struct hc_machine *m, struct hc_code_page *page, int index)
{
    struct hc_op *op = &page->ops[index];
    uint32_t pc = page->start + 2 * (uint32_t)index;
    struct hc_instruction i;
    op->pc = pc & m->address_mask;
    op->pair = HC_PAIR_NONE;
    if (!can_fetch(m, op->pc) || is_busy(m, op->pc)) {
        op->run = is_busy(m, op->pc) ? hc_op_busy : hc_op_unfetchable;
        return;
    }
    hc_msp430_decode(page->bytes + 2 * index, pc, m->part->cpu, &i);
    hc_msp430_choose(&i, pc, op);
}

static void pair_entry(struct hc_code_page *page, int index)
{
    struct hc_op *op = &page->ops[index];
    if (op->pair == HC_PAIR_NONE || index + op->length >= HC_CODE_PAGE_WORDS)
        return;
    const struct hc_op *second = op + op->length;
    hc_op_fn *both = second->run == hc_op_hooked ? NULL : hc_msp430_choose_pair(op, second);
    if (both)
        op->run = both;
}

static void decode_page(const struct hc_machine *m, struct hc_code_page *page)
{
    for (int i = 0; i < HC_CODE_PAGE_WORDS; i++)
        decode_entry(m, page, i);
    for (int i = 0; i < HC_CODE_PAGE_WORDS; i++)
        pair_entry(page, i);
    for (int i = HC_CODE_PAGE_WORDS; i < HC_CODE_PAGE_WORDS + HC_LONGEST_WORDS; i++) {
        page->ops[i].run = hc_op_next_page;
        page->ops[i].pc = (page->start + 2 * (uint32_t)i) & m->address_mask;
    }
}

/* What the CPU sees at START, and a few bytes on. */
static void copy_code(const struct hc_machine *m, uint32_t start, uint8_t *bytes)
{
    memset(bytes, 0, PAGE_BYTES + 8);
    for (uint32_t at = 0; at < PAGE_BYTES + TRAILING_BYTES; at += 1 << HC_PAGE_BITS) {
        uint32_t from = hc_memory_canonical(m, (start + at) & m->address_mask);
        uint32_t n = PAGE_BYTES + TRAILING_BYTES - at < 256 ? PAGE_BYTES + TRAILING_BYTES - at : 256;
        if (from + n <= m->memory_size)
            memcpy(bytes + at, m->memory + from, n);
    }
}

static uint64_t key_of(const struct hc_machine *m, uint32_t start, const uint8_t *bytes)
{
    uint32_t kinds;
    memcpy(&kinds, &m->page_kind[start >> HC_PAGE_BITS], sizeof kinds);
    uint64_t place = (uint64_t)kinds << 24 | start | (uint64_t)m->part->cpu << 60;
    return XXH3_64bits_withSeed(bytes, PAGE_BYTES + TRAILING_BYTES, place);
}

static struct hc_code_page *find_shared(struct hc_code_store *store, uint64_t key, uint32_t start, const uint8_t *bytes)
{
    for (struct hc_code_page *p = store->bucket[key % BUCKETS]; p; p = p->next)
        if (p->key == key && p->start == start && memcmp(p->bytes, bytes, PAGE_BYTES + TRAILING_BYTES) == 0)
            return p;
    return NULL;
}

static struct hc_code_page *page_alloc(void)
{
    struct hc_code_page *page = aligned_alloc(64, (sizeof *page + 63) & ~(size_t)63);
    if (!page)
        abort(); /* as any allocation that execution itself needs */
    memset(page, 0, offsetof(struct hc_code_page, ops));
    page->references = 1;
    return page;
}

static struct hc_code_page *page_shared(struct hc_machine *m, uint32_t start)
{
    uint8_t bytes[PAGE_BYTES + 8];
    copy_code(m, start, bytes);
    uint64_t key = key_of(m, start, bytes);
    struct hc_code_store *store = m->code_store;
    pthread_mutex_lock(&store->lock);
    struct hc_code_page *page = find_shared(store, key, start, bytes);
    if (page) {
        page->references++;
    } else {
        page = page_alloc();
        page->shared = true;
        page->start = start;
        page->key = key;
        memcpy(page->bytes, bytes, sizeof bytes);
        decode_page(m, page);
        page->next = store->bucket[key % BUCKETS];
        store->bucket[key % BUCKETS] = page;
    }
    pthread_mutex_unlock(&store->lock);
    return page;
}

static void page_release(struct hc_machine *m, struct hc_code_page *page)
{
    if (!page->shared) {
        free(page->unhooked);
        free(page);
        return;
    }
    struct hc_code_store *store = m->code_store;
    pthread_mutex_lock(&store->lock);
    bool last = --page->references == 0;
    if (last) {
        struct hc_code_page **link = &store->bucket[page->key % BUCKETS];
        while (*link != page)
            link = &(*link)->next;
        *link = page->next;
    }
    pthread_mutex_unlock(&store->lock);
    if (last)
        free(page);
}

/* ---- a machine's pages ---- */

/* The instruction that replaces a page may lie in it: it is let go between slices. A shared page's link belongs to the
 * store, so the list is made of small records. */
struct hc_retired_code {
    struct hc_code_page *page;
    struct hc_retired_code *next;
};

static void retire(struct hc_machine *m, uint32_t number)
{
    struct hc_code_page *page = m->code[number];
    m->code[number] = NULL;
    if (!m->executing) {
        page_release(m, page);
        return;
    }
    struct hc_retired_code *record = malloc(sizeof *record);
    if (!record)
        abort();
    record->page = page;
    record->next = m->retired_code;
    m->retired_code = record;
    hc_end_slice(m);
}

void hc_code_collect(struct hc_machine *m)
{
    while (m->retired_code) {
        struct hc_retired_code *record = m->retired_code;
        m->retired_code = record->next;
        page_release(m, record->page);
        free(record);
    }
}

void hc_code_free(struct hc_machine *m)
{
    free(m->followed);
    hc_code_collect(m);
    for (int i = 0; i < HC_CODE_PAGES; i++)
        if (m->code[i])
            page_release(m, m->code[i]);
}

static void follow_entry(struct hc_machine *m, struct hc_code_page *page, int index)
{
    struct hc_op *op = &page->ops[index];
    const void *step = NULL;

    if (!can_fetch(m, op->pc) || is_busy(m, op->pc))
        return;
    uint32_t marks = 0;
    hc_follow_fn *call = m->follower->choose(m->follower->owner, m, op->pc, &step, &marks);
    if (!call)
        return;
    m->followed[op->pc >> 1] = (struct hc_followed){ op->run, call, step, marks };
    op->run = marks ? hc_op_followed_if_marked : hc_op_followed;
}

void hc_follow(struct hc_machine *m, const struct hc_follower *follower)
{
    free(m->followed);
    m->followed = follower ? calloc(1 << (HC_ADDRESS_BITS - 1), sizeof *m->followed) : NULL;
    if (follower && !m->followed)
        abort();
    m->follower = follower;
    m->follow_owner = follower ? follower->owner : NULL;
    m->follow_marks = 0;
    hc_code_drop(m, 0, m->address_mask);
}

uint32_t *hc_follow_marks(struct hc_machine *m)
{
    return &m->follow_marks;
}

static void hook_entry(struct hc_machine *m, struct hc_code_page *page, int index)
{
    struct hc_op *op = &page->ops[index];
    if (!hc_hooked_at(m, op->pc))
        return;
    if (!page->unhooked)
        page->unhooked = calloc(HC_CODE_PAGE_WORDS, sizeof *page->unhooked);
    if (!page->unhooked)
        abort();
    page->unhooked[index] = op->run;
    op->run = hc_op_hooked;
}

/* Makes entries FIRST..LAST anew from the page's bytes and the hooks, and those before them that they may be paired
 * with. */
static void refresh_entries(struct hc_machine *m, struct hc_code_page *page, int first, int last)
{
    int longest_first_half = 2;
    first = first < longest_first_half ? 0 : first - longest_first_half;
    for (int i = last < HC_CODE_PAGE_WORDS ? last : HC_CODE_PAGE_WORDS - 1; i >= first; i--) {
        decode_entry(m, page, i);
        pair_entry(page, i);
        if (m->follower)
            follow_entry(m, page, i);
        if (m->hooks)
            hook_entry(m, page, i);
    }
}

/* The machine's own copy of a page, to be changed. */
static struct hc_code_page *page_private(struct hc_machine *m, uint32_t number)
{
    struct hc_code_page *page = m->code[number];
    if (!page->shared)
        return page;
    struct hc_code_page *copy = page_alloc();
    copy->start = page->start;
    memcpy(copy->bytes, page->bytes, sizeof copy->bytes);
    memcpy(copy->ops, page->ops, sizeof copy->ops);
    retire(m, number);
    m->code[number] = copy;
    return copy;
}

/* A page of code that cannot be read just now. */
static struct hc_code_page *page_unshared(struct hc_machine *m, uint32_t start)
{
    struct hc_code_page *page = page_alloc();
    page->start = start;
    copy_code(m, start, page->bytes);
    decode_page(m, page);
    return page;
}

static bool any_busy_in(const struct hc_machine *m, uint32_t start)
{
    for (uint32_t pc = start; pc < start + PAGE_BYTES; pc += 1 << HC_PAGE_BITS)
        if (is_busy(m, pc))
            return true;
    return false;
}

/* Or someone who follows. */
static bool any_hook_in(const struct hc_machine *m, uint32_t start)
{
    if (m->follower)
        return true;
    for (uint32_t pc = start; m->hooks && pc < start + PAGE_BYTES; pc += 2)
        if (hc_hooked_at(m, pc))
            return true;
    return false;
}

struct hc_code_page *hc_code_fetch(struct hc_machine *m, uint32_t pc)
{
    uint32_t number = pc >> HC_CODE_PAGE_BITS;
    if (m->code[number])
        return m->code[number];
    uint32_t start = number << HC_CODE_PAGE_BITS;
    m->code[number] = any_busy_in(m, start) ? page_unshared(m, start) : page_shared(m, start);
    for (uint32_t at = start; at < start + PAGE_BYTES + TRAILING_BYTES; at += 1 << HC_PAGE_BITS) {
        uint32_t page = hc_memory_canonical(m, at & m->address_mask) >> HC_PAGE_BITS;
        m->page_code[page] = 1;
        hc_page_refresh(m, page);
    }
    if (any_hook_in(m, start)) {
        refresh_entries(m, page_private(m, number), 0, HC_CODE_PAGE_WORDS - 1);
    }
    return m->code[number];
}

unsigned hc_cpu_length(struct hc_machine *m, uint32_t pc)
{
    return 2u * hc_code_fetch(m, pc)->ops[(pc & (PAGE_BYTES - 1)) >> 1].length;
}

void hc_code_patch(struct hc_machine *m, uint32_t pc)
{
    pc &= m->address_mask & ~1u;
    int index = (int)(pc & (PAGE_BYTES - 1)) / 2;
    if (m->code[pc >> HC_CODE_PAGE_BITS])
        refresh_entries(m, page_private(m, pc >> HC_CODE_PAGE_BITS), index, index);
    hc_end_slice(m);
}

void hc_code_drop(struct hc_machine *m, uint32_t start, uint32_t end)
{
    for (uint32_t number = start >> HC_CODE_PAGE_BITS; number <= end >> HC_CODE_PAGE_BITS; number++)
        if (m->code[number])
            retire(m, number);
}

/* ---- code that changes ---- */

/* Decodes again what covers byte OFFSET (which may lie just behind the page). */
static void redecode(struct hc_machine *m, uint32_t number, uint32_t offset, uint8_t value)
{
    if (number >= HC_CODE_PAGES || !m->code[number] || m->code[number]->bytes[offset] == value)
        return;
    struct hc_code_page *page = page_private(m, number);
    page->bytes[offset] = value;
    int last = (int)offset / 2;
    int first = last < HC_LONGEST_WORDS ? 0 : last - HC_LONGEST_WORDS + 1;
    refresh_entries(m, page, first, last);
    hc_end_slice(m);
}

static void changed_at(struct hc_machine *m, uint32_t address, uint8_t value)
{
    uint32_t number = address >> HC_CODE_PAGE_BITS;
    uint32_t offset = address & (PAGE_BYTES - 1);
    redecode(m, number, offset, value);
    if (offset < TRAILING_BYTES)
        redecode(m, (number - 1) & (HC_CODE_PAGES - 1), offset + PAGE_BYTES, value);
}

void hc_code_changed(struct hc_machine *m, uint32_t address)
{
    uint8_t value = m->memory[address];
    changed_at(m, address, value);
    for (const struct hc_region *r = m->part->regions; r->name; r++)
        if (r->kind == HC_MIRROR && address - r->mirrors <= r->end - r->start)
            changed_at(m, r->start + (address - r->mirrors), value);
}

void hc_code_changed_all(struct hc_machine *m)
{
    uint8_t bytes[PAGE_BYTES + 8];
    for (uint32_t number = 0; number < HC_CODE_PAGES; number++) {
        if (!m->code[number])
            continue;
        copy_code(m, number << HC_CODE_PAGE_BITS, bytes);
        if (memcmp(bytes, m->code[number]->bytes, PAGE_BYTES + TRAILING_BYTES) != 0)
            retire(m, number);
    }
}
