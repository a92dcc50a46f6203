#include "native.h"

#include "../runtime/region/model.h"
#include "finding.h"
#include "replay/region/region_feed.h"
#include "support/grow.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 2 }; /* bytes of the node's words */

struct hc_native {
    struct hc_image *image;
    struct hc_region_map map;
    struct hc_region_log log;
    size_t boots;
    void *object;
    uint8_t *arena;
    uint16_t *sp;
    const struct hc_native_entry *entry;
    size_t entries;
    const struct hc_native_site *site;
    size_t sites;
    struct hc_region_feed feed;
    uint16_t *last; /* predictions */
    int depth;
    uint8_t outermost; /* the entry that the visit is of */
    uint64_t visits;
    enum hc_region_end_kind end;
    char text[400];
    jmp_buf out;            /* where the region's code is left for good */
    uint32_t (*suspect)[2]; /* by site: operands */
    struct finding {
        uint32_t site;
        struct hc_native_finding found;
    } *finding;
    size_t findings, finding_room;
    hc_native_visit_fn *visit;
    void *owner;
};

/* ---- ends ---- */

static const char *visit_name(const struct hc_native *n)
{
    return n->depth ? n->map.entry[n->outermost].name : NULL;
}

static void write_place(const struct hc_native *n, uint32_t site, char *out, size_t size)
{
    const struct hc_native_site *s = site < n->sites ? &n->site[site] : NULL;

    if (s && s->line)
        snprintf(out, size, "%s:%u %s", s->file, s->line, s->function);
    else
        snprintf(out, size, "%s", s ? s->function : "its end");
}

static void note_end(struct hc_native *n, enum hc_region_answer why, const char *what, uint32_t site)
{
    char where[160];

    if (why == HC_REGION_OVER) {
        n->end = HC_REGION_ENDED;
        hc_region_feed_text(&n->feed, &n->log, n->text, sizeof n->text);
        return;
    }
    write_place(n, site, where, sizeof where);
    n->end = HC_REGION_DEVIATES;
    snprintf(n->text, sizeof n->text, "visit %llu%s%.80s deviates from the node's: %s; at %s",
             (unsigned long long)n->visits, visit_name(n) ? ", of " : "", visit_name(n) ? visit_name(n) : "", what,
             where);
}

static _Noreturn void end(struct hc_native *n, enum hc_region_answer why, const char *what, uint32_t site)
{
    note_end(n, why, what, site);
    longjmp(n->out, 1);
}

/* ---- entering and leaving ---- */

/* An entry within another may have come, on the node, where the stack was shorter than here. */
static void call_within(struct hc_native *n, const struct hc_native_entry *e, uint16_t sp)
{
    uint8_t saved[HC_NATIVE_ARENA];
    uint16_t before = *n->sp;
    size_t used = sp > before ? (size_t)(sp - before) : 0;

    memcpy(saved, n->arena + before, used);
    *n->sp = sp;
    e->call();
    memcpy(n->arena + before, saved, used);
    *n->sp = before;
}

/* Entry NUMBER, up to its return. */
static enum hc_region_answer enter(struct hc_native *n, uint8_t number)
{
    bool idle = !n->depth;
    uint32_t frame;
    const struct hc_native_entry *e = number < n->entries ? &n->entry[number] : NULL;
    if (!e || !e->call || e->slot >= n->map.slots || n->depth > HC_REGION_LEVELS)
        return HC_REGION_DIFFERS;
    enum hc_region_answer got = hc_region_feed_in(&n->feed, &n->log, n->last, e->slot, 16, &frame);
    if (got != HC_REGION_ANSWER)
        return got == HC_REGION_ENTERS ? HC_REGION_DIFFERS : got;
    if (!n->depth++)
        n->outermost = number;
    n->visits += idle;
    if (n->visit)
        n->visit(n->owner, n, number);
    uint16_t sp = (uint16_t)(frame - (uint32_t)e->offset);
    if (idle) {
        *n->sp = sp;
        e->call();
    } else {
        call_within(n, e, sp);
    }
    n->depth--;
    if (n->visit)
        n->visit(n->owner, n, -1);
    return HC_REGION_ANSWER;
}

static void enter_within(struct hc_native *n, uint8_t number, uint32_t site)
{
    enum hc_region_answer got = enter(n, number);

    if (got != HC_REGION_ANSWER)
        end(n, got, "an entry in the log is not possible here", site);
}

/* The region itself was interrupted. */
static void interrupted(struct hc_native *n, uint32_t site)
{
    uint8_t number = 0;
    enum hc_region_answer got = hc_region_feed_interrupt(&n->feed, &n->log, &number);

    if (got != HC_REGION_ANSWER)
        end(n, got, "an entry in the log is not possible here", site);
    enter_within(n, number, site);
}

/* ---- hooks: as of replay/region/region_replay.c ---- */

/* An input may be taken as expected, and nothing happens before it. Most are: what is usual is short below, and a frame
 * of its own for the rest costs only those that need it. */
static inline bool is_usual(struct hc_native *n)
{
    return __builtin_expect(hc_region_feed_tick(&n->feed), true);
}

static __attribute__((noinline)) void pass(struct hc_native *n, uint32_t site)
{
    enum hc_region_answer got;

    while ((got = hc_region_feed_step(&n->feed, &n->log)) == HC_REGION_ENTERS)
        interrupted(n, site);
    if (got != HC_REGION_ANSWER)
        end(n, got, "something else goes out", site);
}

/* Where interrupts may enter, what goes out is a tick, too. */
static inline void step(struct hc_native *n, uint32_t site)
{
    if (n->map.interrupts && !is_usual(n))
        pass(n, site);
}

/* For the compiler, which then knows all shifts and sizes. */
static inline const struct hc_region_map *map_of(const struct hc_native *n)
{
    if (n->map.unit != UNIT)
        __builtin_unreachable();
    return &n->map;
}

static uint32_t take_leave(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)b, (void)c;
    step(n, site);
    enum hc_region_answer got = hc_region_feed_leave(&n->feed, &n->log, &n->map, (uint8_t)a, n->depth > 1);
    if (got != HC_REGION_ANSWER)
        end(n, got, "its results or writes are different", site);
    return 0;
}

static __attribute__((noinline)) uint32_t wait_for_return(struct hc_native *n, uint32_t site)
{
    enum hc_region_answer got;
    uint8_t number = 0;

    for (bool again = false; (got = hc_region_feed_back(&n->feed, &n->log, again, &number)) == HC_REGION_ENTERS;
         again = true)
        enter_within(n, number, site);
    if (got != HC_REGION_ANSWER)
        end(n, got, "what it gives to the outside, or whom it calls, is different", site);
    return 0;
}

/* The call is skipped. */
static uint32_t take_call(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)a, (void)b, (void)c;
    step(n, site);
    if (!is_usual(n))
        return wait_for_return(n, site);
    n->feed.context = 0;
    return 0;
}

static __attribute__((noinline)) uint32_t take_unusual(struct hc_native *n, uint32_t slot, unsigned bits, uint32_t site)
{
    enum hc_region_answer got;
    uint32_t value;

    if (slot + (bits == 32) >= n->map.slots)
        end(n, HC_REGION_DIFFERS, "an input that the program does not have", site);
    while ((got = hc_region_feed_in(&n->feed, &n->log, n->last, slot, bits, &value)) == HC_REGION_ENTERS)
        interrupted(n, site);
    if (got != HC_REGION_ANSWER)
        end(n, got, "it asks for an input that the node's did not", site);
    return value;
}

static inline uint32_t take_input(struct hc_native *n, uint32_t slot, unsigned bits, uint32_t site)
{
    if (slot + (bits == 32) < n->map.slots && is_usual(n))
        return hc_region_last(n->last + slot, bits);
    return take_unusual(n, slot, bits, site);
}

#define INPUT(name, bits)                                                                \
    static uint32_t name(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site) \
    {                                                                                    \
        (void)a, (void)c;                                                                \
        return take_input(owner, b, bits, site);                                         \
    }

INPUT(take_in8, 8)
INPUT(take_in16, 16)
INPUT(take_in32, 32)

static uint32_t take_out16(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)b, (void)c;
    step(n, site);
    hc_region_feed_out(&n->feed, a, 16);
    return 0;
}

static uint32_t take_out32(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)b, (void)c;
    step(n, site);
    hc_region_feed_out(&n->feed, a, 32);
    return 0;
}

static void write_register(struct hc_native *n, uint32_t value, uint32_t at, unsigned bits, uint32_t site)
{
    step(n, site);
    hc_region_feed_write(&n->feed, map_of(n), at, bits == 8 ? value & 0xff : value, bits);
}

#define WRITE(name, bits)                                                                \
    static uint32_t name(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site) \
    {                                                                                    \
        (void)c;                                                                         \
        write_register(owner, a, b, bits, site);                                         \
        return 0;                                                                        \
    }

WRITE(take_write8, 8)
WRITE(take_write16, 16)
WRITE(take_write32, 32)

static __attribute__((noinline)) uint32_t load_unusual(struct hc_native *n, uint32_t start, uint32_t slot,
                                                       uint32_t site, bool second)
{
    enum hc_region_answer got;
    uint32_t word = 0;

    if (slot >= n->map.slots)
        end(n, HC_REGION_DIFFERS, "a load that the program does not have", site);
    while ((got = hc_region_feed_load(&n->feed, &n->log, map_of(n), n->last, slot, start, &word)) == HC_REGION_ENTERS &&
           !second)
        interrupted(n, site);
    if (got != HC_REGION_ANSWER)
        end(n, got == HC_REGION_ENTERS ? HC_REGION_DIFFERS : got, "it loads what the node's did not", site);
    return word;
}

/* The word at START; SECOND: of two that are loaded at once. */
static inline uint32_t load_word(struct hc_native *n, uint32_t start, uint32_t slot, uint32_t site, bool second)
{
    uint32_t word;

    if (slot < n->map.slots && is_usual(n)) {
        word = hc_region_feed_expected(&n->feed, map_of(n), n->last, slot, start);
        hc_region_feed_loaded(&n->feed, map_of(n), n->last, slot, start, word);
    } else {
        word = load_unusual(n, start, slot, site, second);
    }
    memcpy(n->arena + start, &(uint16_t){ (uint16_t)word }, UNIT);
    return word;
}

static inline uint32_t load(struct hc_native *n, uint32_t at, unsigned bytes, uint32_t slot, uint32_t site)
{
    uint32_t start = at & 0xfffe, value = load_word(n, start, slot, site, false);

    if (bytes == 4)
        value |= load_word(n, start + UNIT, slot + 1, site, true) << 16;
    return bytes == 1 ? value >> 8 * (at & 1) & 0xff : value;
}

static inline void store(struct hc_native *n, uint32_t value, uint32_t at, unsigned bytes, uint32_t site)
{
    step(n, site);
    hc_region_feed_store(&n->feed, map_of(n), at, bytes == 1 ? value & 0xff : value, bytes);
    memcpy(n->arena + (at & 0xffff), &value, bytes);
}

#define MEMORY(bits, bytes)                                                                          \
    static uint32_t take_load##bits(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)  \
    {                                                                                                \
        (void)c;                                                                                     \
        return load(owner, a, bytes, b, site);                                                       \
    }                                                                                                \
    static uint32_t take_store##bits(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site) \
    {                                                                                                \
        (void)c;                                                                                     \
        store(owner, a, b, bytes, site);                                                             \
        return 0;                                                                                    \
    }

MEMORY(8, 1)
MEMORY(16, 2)
MEMORY(32, 4)

/* The lowest BYTES bytes of VALUE, as one thing that goes out. */
static inline __attribute__((always_inline)) void put_bytes(struct hc_native *n, uint32_t value, uint32_t at,
                                                            unsigned bytes)
{
    hc_region_feed_put(&n->feed, map_of(n), at & 0xffff, value, bytes);
    for (unsigned i = 0; i < bytes; i++)
        n->arena[(at + i) & 0xffff] = (uint8_t)(value >> 8 * i);
}

/* The compiler makes short code where it knows how many. */
static inline void put(struct hc_native *n, uint32_t value, uint32_t at, uint32_t bytes, uint32_t site)
{
    step(n, site);
    if (bytes == UNIT)
        put_bytes(n, value, at, UNIT);
    else if (bytes)
        put_bytes(n, value, at, 1);
}

static uint32_t take_put(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    put(owner, a, b, c, site);
    return 0;
}

/* As __hcr_copy of the runtime: unit by unit of the source, from the end if the areas overlap so. WHAT is the size,
 * with the slot in the upper half. */
static uint32_t take_copy(void *owner, uint32_t to, uint32_t from, uint32_t what, uint32_t site)
{
    struct hc_native *n = owner;
    uint32_t size = what & 0xffff, slot = what >> 16, number = 0;
    bool back = ((to - from) & 0xffff) < size;

    while (size) {
        uint32_t at = back ? from + size - 1 : from, part = at & 1, bytes = back ? part + 1 : 2 - part;
        if (bytes > size)
            bytes = size;
        uint32_t unit = load_word(n, at & 0xfffe, slot + (number++ & (HC_REGION_COPIES - 1)), site, false);
        if (back)
            part = part + 1 - bytes;
        put(n, unit >> 8 * part, back ? to + size - bytes : to, bytes, site);
        size -= bytes;
        to += back ? 0 : bytes;
        from += back ? 0 : bytes;
    }
    return 0;
}

static uint32_t take_set(void *owner, uint32_t to, uint32_t value, uint32_t size, uint32_t site)
{
    for (uint32_t bytes; size; size -= bytes, to += bytes) {
        bytes = size < 2 ? size : 2;
        put(owner, (value & 0xff) * 0x101, to, bytes, site);
    }
    return 0;
}

static uint32_t take_stuck(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    (void)a, (void)b, (void)c;
    end(owner, HC_REGION_DIFFERS, "it comes to a place that no program reaches", site);
}

/* ---- checks ---- */

/* A load and a store of one line are one error. */
static bool is_known(const struct hc_native *n, uint32_t known, uint32_t site)
{
    const struct hc_native_site *a = &n->site[known], *b = &n->site[site];

    return a->line == b->line && !strcmp(a->file, b->file) && !strcmp(a->what, b->what);
}

static void add_finding(struct hc_native *n, uint32_t site, uint32_t a, uint32_t b)
{
    const struct hc_native_site *s = &n->site[site];

    for (size_t i = 0; i < n->findings; i++)
        if (is_known(n, n->finding[i].site, site)) {
            n->finding[i].found.times += n->finding[i].site == site;
            return;
        }
    if (!hc_grow(&n->finding, n->findings, &n->finding_room, sizeof *n->finding))
        return;
    struct finding *new = &n->finding[n->findings++];
    *new = (struct finding){
        site, { .file = s->file, .function = s->function, .line = s->line, .visit = n->visits, .times = 1 }
    };
    hc_native_describe(s, a, b, new->found.what, sizeof new->found.what);
}

static uint32_t take_report(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    (void)c;
    add_finding(owner, site, a, b);
    return 0;
}

static uint32_t take_suspect(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)c;
    n->suspect[site][0] = a;
    n->suspect[site][1] = b;
    return 0;
}

static uint32_t take_confirm(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site)
{
    struct hc_native *n = owner;

    (void)b, (void)c, (void)site;
    add_finding(n, a - 1, n->suspect[a - 1][0], n->suspect[a - 1][1]);
    return 0;
}

static hc_native_hook_fn *const hooks[HC_NATIVE_HOOKS] = {
    [HC_HOOK_LEAVE] = take_leave,       [HC_HOOK_CALL] = take_call,       [HC_HOOK_IN8] = take_in8,
    [HC_HOOK_IN16] = take_in16,         [HC_HOOK_IN32] = take_in32,       [HC_HOOK_OUT16] = take_out16,
    [HC_HOOK_OUT32] = take_out32,       [HC_HOOK_READ8] = take_in8,       [HC_HOOK_READ16] = take_in16,
    [HC_HOOK_READ32] = take_in32,       [HC_HOOK_WRITE8] = take_write8,   [HC_HOOK_WRITE16] = take_write16,
    [HC_HOOK_WRITE32] = take_write32,   [HC_HOOK_LOAD8] = take_load8,     [HC_HOOK_LOAD16] = take_load16,
    [HC_HOOK_LOAD32] = take_load32,     [HC_HOOK_STORE8] = take_store8,   [HC_HOOK_STORE16] = take_store16,
    [HC_HOOK_STORE32] = take_store32,   [HC_HOOK_PUT] = take_put,         [HC_HOOK_STABLE8] = take_in8,
    [HC_HOOK_STABLE16] = take_in16,     [HC_NATIVE_COPY] = take_copy,     [HC_NATIVE_SET] = take_set,
    [HC_NATIVE_STUCK] = take_stuck,     [HC_NATIVE_REPORT] = take_report, [HC_NATIVE_SUSPECT] = take_suspect,
    [HC_NATIVE_CONFIRM] = take_confirm,
};

/* ---- opening ---- */

static bool open_object(struct hc_native *n, const char *path, char *text, size_t size)
{
    n->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!n->object) {
        snprintf(text, size, "%s", dlerror());
        return false;
    }
    void **owner = dlsym(n->object, "hcn_owner"), *table = dlsym(n->object, "hcn_hooks");
    const uint32_t *entries = dlsym(n->object, "hcn_entries_count"), *sites = dlsym(n->object, "hcn_sites_count");
    n->arena = dlsym(n->object, "hcn_arena");
    n->sp = dlsym(n->object, "hcn_sp");
    n->entry = dlsym(n->object, "hcn_entries");
    n->site = dlsym(n->object, "hcn_sites");
    if (!owner || !table || !entries || !sites || !n->arena || !n->sp || !n->entry || !n->site) {
        snprintf(text, size, "%s: not a lowered region", path);
        return false;
    }
    *owner = n;
    memcpy(table, hooks, sizeof hooks);
    n->entries = *entries;
    n->sites = *sites;
    return true;
}

/* Memory as the program's start leaves it. */
static void fill_arena(struct hc_native *n)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(n->image, &segments);
    uint32_t programmed, first, end_of;

    memset(n->arena, 0, HC_NATIVE_ARENA + HC_NATIVE_BEHIND);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size && segments[i].address + k < HC_NATIVE_ARENA; k++)
            n->arena[segments[i].address + k] = segments[i].bytes[k];
    for (uint32_t at = 0; at < HC_NATIVE_ARENA; at++) {
        const uint8_t *byte =
            hc_image_initial_value(n->image, at, &programmed) ? hc_image_bytes(n->image, programmed, 1) : NULL;
        if (byte)
            n->arena[at] = *byte;
    }
    for (size_t i = 0; hc_image_reserved(n->image, i, &first, &end_of); i++)
        for (uint32_t at = first; at < end_of && at < HC_NATIVE_ARENA; at++)
            n->arena[at] = 0;
}

static bool open_log(struct hc_native *n, const char *path, size_t boot, char *text, size_t size)
{
    struct hc_log *log = NULL;
    struct hc_log_message message;
    char why[300] = "";

    if (hc_log_open_file(&log, path, &message)) {
        snprintf(text, size, "%s", message.text);
        return false;
    }
    bool fine = hc_region_log_read(&n->log, log, &n->map, boot, &n->boots, why, sizeof why);
    hc_log_free(log);
    if (!fine)
        snprintf(text, size, "%s: %s", path, why);
    return fine;
}

static bool open_all(struct hc_native *n, const char *object, const char *log, size_t boot, char *text, size_t size)
{
    if (!hc_region_map_read(&n->map, n->image, text, size) || !open_log(n, log, boot, text, size) ||
        !open_object(n, object, text, size))
        return false;
    n->last = calloc(n->map.slots + 2, sizeof *n->last);
    n->suspect = calloc(n->sites + 1, sizeof *n->suspect);
    if (!n->last || !n->suspect || !n->map.cache || n->map.cache > HC_REGION_CACHE_MAX ||
        n->map.cache & (n->map.cache - 1)) {
        snprintf(text, size, "out of memory");
        return false;
    }
    hc_region_feed_start(&n->feed, &n->log);
    fill_arena(n);
    return true;
}

bool hc_native_open(struct hc_native **out, struct hc_image *image, const char *object, const char *log, size_t boot,
                    char *text, size_t size)
{
    struct hc_native *n = calloc(1, sizeof *n);

    *out = NULL;
    if (!n) {
        snprintf(text, size, "out of memory");
        return false;
    }
    n->image = image;
    if (!open_all(n, object, log, boot, text, size)) {
        hc_native_free(n);
        return false;
    }
    *out = n;
    return true;
}

void hc_native_free(struct hc_native *n)
{
    if (!n)
        return;
    if (n->object)
        dlclose(n->object);
    hc_region_map_free(&n->map);
    free(n->log.code);
    free(n->last);
    free(n->finding);
    free(n->suspect);
    free(n);
}

uint8_t *hc_native_arena(struct hc_native *n)
{
    return n->arena;
}

bool hc_native_set(struct hc_native *n, const char *variable, uint32_t value)
{
    struct hc_symbol symbol;

    if (!hc_image_symbol(n->image, variable, &symbol) || symbol.function)
        return false;
    for (uint32_t i = 0; i < symbol.size && i < 4; i++)
        n->arena[(symbol.address + i) & 0xffff] = (uint8_t)(value >> 8 * i);
    return true;
}

const struct hc_native_finding *hc_native_finding(const struct hc_native *n, size_t i)
{
    return i < n->findings ? &n->finding[i].found : NULL;
}

void hc_native_listen(struct hc_native *n, hc_native_visit_fn *call, void *owner)
{
    n->visit = call;
    n->owner = owner;
}

enum hc_region_end_kind hc_native_run(struct hc_native *n)
{
    if (!setjmp(n->out))
        while (!n->end) {
            uint8_t number = 0;
            enum hc_region_answer got = hc_region_feed_enter(&n->feed, &n->log, &number);
            if (got == HC_REGION_ANSWER)
                got = enter(n, number);
            if (got != HC_REGION_ANSWER)
                note_end(n, got, "the log has something else than the next visit's beginning", UINT32_MAX);
        }
    return n->end;
}

void hc_native_state(const struct hc_native *n, struct hc_region_state *out)
{
    *out = (struct hc_region_state){ .visits = n->visits,
                                     .checks = n->feed.checks,
                                     .boots = n->boots,
                                     .bytes = n->log.size,
                                     .used = hc_region_feed_used(&n->feed),
                                     .visit = visit_name(n),
                                     .end = n->end,
                                     .text = n->text };
}
