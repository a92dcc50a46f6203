/* The program around a region that is replayed on the host: compiled for i386 by `hindcast replay --native`, with the
 * region's own code and its log (../lower.c) and the reader of records (replay/region/region_feed.c). The hooks are
 * those of runtime/region/record.c, but they answer from the log.
 *
 * Of use to a debugger: break on hcn_visit for the begin of each visit (`number`, `entry`), and on hcn_deviates. */
#include "../runtime/region/model.h"
#include "native/finding.h"
#include "replay/region/region_feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- made by lower.c ---- */

struct hcn_object {
    uint8_t *host;
    uint32_t node, size;
    const char *name;
};
struct hcn_entry {
    void (*call)(void);
    const char *name;
};
extern const struct hcn_object hcn_objects[];
extern const struct hcn_entry hcn_entries[];
extern const uint8_t hcn_code[];
extern const uint32_t hcn_object_count, hcn_entry_count, hcn_code_size, hcn_code_cut, hcn_boot, hcn_slots, hcn_cache,
    hcn_checks, hcn_interrupts, hcn_sites_count;
extern const struct hc_native_site hcn_sites[];

/* ---- AddressSanitizer, where it is linked ---- */

void *__asan_region_is_poisoned(void *at, size_t size) __attribute__((weak));
void __asan_report_error(void *pc, void *bp, void *sp, void *at, int writes, size_t size) __attribute__((weak));

static struct hc_region_map map = { .unit = 4 };
static struct hc_region_log code;
static struct hc_region_feed feed;
static uint16_t *last; /* predictions */
static unsigned depth;
static uint64_t visits;
static const char *visit;
static uintptr_t stack; /* of main */
static bool found;      /* by a check */
static struct {
    uint32_t a, b; /* operands */
    bool told;
} *suspect; /* by site */

/* ---- ends ---- */

/* Where PC is, as a debugger says it: " at FILE:LINE FUNCTION", if LLVM's symbolizer is there. */
static void print_place(const void *pc)
{
    char command[120], function[200] = "", line[400] = "";

    snprintf(command, sizeof command, "llvm-symbolizer-19 --no-inlines --obj=/proc/%d/exe 0x%lx 2>/dev/null",
             (int)getpid(), (unsigned long)((uintptr_t)pc - 1));
    FILE *from = popen(command, "r");
    if (from && fgets(function, sizeof function, from) && fgets(line, sizeof line, from) && *line != '?') {
        char *base = strrchr(line, '/'), *column;
        base = base ? base + 1 : line;
        if ((column = strrchr(base, ':')))
            *column = '\0';
        function[strcspn(function, ".\n")] = '\0';
        printf("; at %s %s", base, function);
    }
    if (from)
        pclose(from);
}

static void print_account(void)
{
    printf("boot %u: %" PRIu64 " visit%s from %zu bytes; %" PRIu64 " check%s agreed; ", hcn_boot, visits,
           visits == 1 ? "" : "s", hc_region_feed_used(&feed), feed.checks, feed.checks == 1 ? "" : "s");
}

/* Never returns. For breakpoints. */
__attribute__((noinline)) void hcn_deviates(const char *what, const void *pc)
{
    print_account();
    printf("visit %" PRIu64 "%s%s deviates from the node's: %s", visits, visit ? ", of " : "", visit ? visit : "",
           what);
    print_place(pc);
    putchar('\n');
    fflush(stdout);
    _exit(4);
}

static _Noreturn void end(enum hc_region_answer why, const char *what, const void *pc)
{
    char text[300];

    if (why != HC_REGION_OVER)
        hcn_deviates(what, pc);
    print_account();
    puts(hc_region_feed_text(&feed, &code, text, sizeof text));
    fflush(stdout);
    _exit(!visits || found);
}

/* ---- checks ---- */

/* A check failed. For breakpoints. */
__attribute__((noinline)) void hcn_found(const struct hc_native_site *site, const char *what)
{
    printf("%s:%u: %s: %s; in visit %" PRIu64 "\n", site->file, site->line, site->function, what, visits);
    fflush(stdout);
    found = true;
}

/* Each place once. */
static void tell(uint32_t site, uint32_t a, uint32_t b)
{
    char what[160];

    if (suspect[site].told)
        return;
    suspect[site].told = true;
    hc_native_describe(&hcn_sites[site], a, b, what, sizeof what);
    hcn_found(&hcn_sites[site], what);
}

/* HOOK: HC_NATIVE_REPORT, HC_NATIVE_SUSPECT or HC_NATIVE_CONFIRM. */
void hcn_check(uint32_t hook, uint32_t condition, uint32_t a, uint32_t b, uint32_t site)
{
    if (!condition)
        return;
    if (hook == HC_NATIVE_REPORT) {
        tell(site, a, b);
    } else if (hook == HC_NATIVE_SUSPECT) {
        suspect[site].a = a;
        suspect[site].b = b;
    } else {
        tell(a - 1, suspect[a - 1].a, suspect[a - 1].b);
    }
}

/* ---- addresses ---- */

uint32_t hcn_to_node(const void *pointer)
{
    const uint8_t *at = pointer;
    const struct hcn_object *behind = NULL;

    for (uint32_t i = 0; i < hcn_object_count; i++) {
        const struct hcn_object *o = &hcn_objects[i];
        if (at >= o->host && at < o->host + o->size)
            return o->node + (uint32_t)(at - o->host);
        if (at == o->host + o->size)
            behind = o;
    }
    return behind ? behind->node + behind->size : (uint32_t)(uintptr_t)at;
}

/* Texts may overlap on the node ("one" in "none"): one that begins there comes first. */
void *hcn_to_host(uint32_t number)
{
    const struct hcn_object *around = NULL, *behind = NULL;

    for (uint32_t i = 0; i < hcn_object_count; i++) {
        const struct hcn_object *o = &hcn_objects[i];
        if (number == o->node)
            return o->host;
        if (number >= o->node && number - o->node < o->size)
            around = o;
        else if (number == o->node + o->size)
            behind = o;
    }
    if (around)
        return around->host + (number - around->node);
    return behind ? behind->host + behind->size : (void *)(uintptr_t)number;
}

extern uint8_t __executable_start[], _end[];

/* In this program, not a number that is an address on the node only. */
static bool is_ours(uintptr_t at)
{
    return (at >= (uintptr_t)__executable_start && at < (uintptr_t)_end) ||
           (at >= (uintptr_t)__builtin_frame_address(0) && at < stack);
}

/* The sanitizer's word on an access that the region's code makes through a hook. */
static void check_access(const void *at, size_t size, int writes, void *pc, void *frame)
{
    if (!__asan_region_is_poisoned || !is_ours((uintptr_t)at))
        return;
    void *bad = __asan_region_is_poisoned((void *)at, size);
    if (bad)
        __asan_report_error(pc, frame, frame, bad, writes, size);
}

/* Memory of the node: of the region's variables, and what else it meets, so that a debugger can follow pointers. With
 * the sanitizer there is none: its own memory lies there. */
enum { PAGE = 4096 };
static enum { UNKNOWN, MAPPED, REFUSED } page[1 << 20];

static void note_variables(void)
{
    for (uint32_t i = 0; i < hcn_object_count; i++)
        if ((uintptr_t)hcn_objects[i].host == hcn_objects[i].node)
            for (uint32_t at = 0; at < hcn_objects[i].size; at++)
                page[(hcn_objects[i].node + at) / PAGE] = MAPPED;
}

static bool is_mapped(uintptr_t at)
{
    void *start = (void *)(at & ~(uintptr_t)(PAGE - 1));

    if (page[at / PAGE] == UNKNOWN)
        page[at / PAGE] = mmap(start, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                               -1, 0) == MAP_FAILED
                              ? REFUSED
                              : MAPPED;
    return page[at / PAGE] == MAPPED;
}

__attribute__((no_sanitize("address"))) static void poke(void *to, uint32_t value, size_t size)
{
    uint8_t *at = to;

    for (size_t i = 0; i < size; i++, at++, value >>= 8)
        if (is_ours((uintptr_t)at) || (!__asan_region_is_poisoned && is_mapped((uintptr_t)at)))
            *at = (uint8_t)value;
}

/* ---- entries ---- */

/* A visit begins. For breakpoints. */
__attribute__((noinline)) void hcn_visit(uint64_t number, const char *entry)
{
    __asm__ volatile("" ::"r"((uint32_t)number), "r"(entry));
}

static void enter(uint8_t number, const void *pc)
{
    const char *outer = visit;

    if (number >= hcn_entry_count || !hcn_entries[number].call || depth > HC_REGION_LEVELS)
        end(HC_REGION_DIFFERS, "an entry in the log is not one of the program's", pc);
    visits += !depth;
    visit = hcn_entries[number].name;
    hcn_visit(visits, visit);
    depth++;
    hcn_entries[number].call();          /* its arguments come from the log */
    __asm__ volatile("fninit" ::: "st"); /* nobody takes a result of type double */
    depth--;
    visit = outer;
}

static void interrupted(const void *pc)
{
    uint8_t number = 0;
    enum hc_region_answer got = hc_region_feed_interrupt(&feed, &code, &number);

    if (got != HC_REGION_ANSWER)
        end(got, "an entry in the log is not possible here", pc);
    enter(number, pc);
}

/* Where interrupts may enter, what goes out is a tick, too. */
static void step(const void *pc)
{
    enum hc_region_answer got = HC_REGION_ANSWER;

    while (hcn_interrupts && (got = hc_region_feed_step(&feed, &code)) == HC_REGION_ENTERS)
        interrupted(pc);
    if (got != HC_REGION_ANSWER)
        end(got, "something else goes out", pc);
}

static uint32_t take(uint32_t slot, unsigned bits, const void *pc)
{
    enum hc_region_answer got;
    uint32_t value;

    while ((got = hc_region_feed_in(&feed, &code, last, slot, bits, &value)) == HC_REGION_ENTERS)
        interrupted(pc);
    if (got != HC_REGION_ANSWER)
        end(got, "it asks for an input that the node's did not", pc);
    return value;
}

#define PC __builtin_return_address(0)

void __hcr_enter(uint32_t frame, uint32_t slot, uint32_t entry)
{
    (void)frame, (void)entry;
    take(slot, 32, PC);
}

void __hcr_leave(uint32_t entry)
{
    step(PC);
    enum hc_region_answer got = hc_region_feed_leave(&feed, &code, &map, (uint8_t)entry, depth > 1);
    if (got != HC_REGION_ANSWER)
        end(got, "its results or writes are different", PC);
}

/* The call is not made: what it does is in the log. */
uint32_t __hcr_call(void)
{
    enum hc_region_answer got;
    uint8_t number = 0;

    step(PC);
    for (bool again = false; (got = hc_region_feed_back(&feed, &code, again, &number)) == HC_REGION_ENTERS;
         again = true)
        enter(number, PC);
    if (got != HC_REGION_ANSWER)
        end(got, "what it gives to the outside, or whom it calls, is different", PC);
    return 0;
}

void __hcr_back(uint32_t goes)
{
    (void)goes;
}

/* ---- values and registers ---- */

#define INPUT(bits)                                                                      \
    uint32_t __hcr_in##bits(uint32_t value, uint32_t slot)                               \
    {                                                                                    \
        (void)value;                                                                     \
        return take(slot, bits, PC);                                                     \
    }                                                                                    \
    uint32_t __hcr_read##bits(const void *at, uint32_t slot)                             \
    {                                                                                    \
        (void)at;                                                                        \
        return take(slot, bits, PC);                                                     \
    }                                                                                    \
    void __hcr_write##bits(uint32_t value, const void *at)                               \
    {                                                                                    \
        step(PC);                                                                        \
        hc_region_feed_write(&feed, &map, hcn_to_node(at), (uint##bits##_t)value, bits); \
    }

INPUT(8)
INPUT(16)
INPUT(32)

uint32_t __hcr_stable8(const void *at, uint32_t slot)
{
    (void)at;
    return take(slot, 8, PC);
}

uint32_t __hcr_stable16(const void *at, uint32_t slot)
{
    (void)at;
    return take(slot, 16, PC);
}

void __hcr_out16(uint32_t value)
{
    step(PC);
    hc_region_feed_out(&feed, value, 16);
}

void __hcr_out32(uint32_t value)
{
    step(PC);
    hc_region_feed_out(&feed, value, 32);
}

/* ---- memory ---- */

static uint32_t load_unit(uint32_t start, uint32_t slot, const void *pc)
{
    enum hc_region_answer got;
    uint32_t value;

    while ((got = hc_region_feed_load(&feed, &code, &map, last, slot, start, &value)) == HC_REGION_ENTERS)
        interrupted(pc);
    if (got != HC_REGION_ANSWER)
        end(got, "it loads what the node's did not", pc);
    return value;
}

static uint32_t load(const void *from, unsigned bytes, uint32_t slot, const void *pc)
{
    uint32_t at = hcn_to_node(from), value = load_unit(at & ~3u, slot, pc) >> 8 * (at & 3);

    if (bytes < 4)
        value &= (1u << 8 * bytes) - 1;
    poke((void *)from, value, bytes);
    return value;
}

static void store(void *to, uint32_t value, unsigned bytes, const void *pc)
{
    step(pc);
    hc_region_feed_store(&feed, &map, hcn_to_node(to), value, bytes);
    poke(to, value, bytes);
}

#define MEMORY(bits)                                                   \
    uint32_t __hcr_load##bits(const void *at, uint32_t slot)           \
    {                                                                  \
        check_access(at, bits / 8, 0, PC, __builtin_frame_address(0)); \
        return load(at, bits / 8, slot, PC);                           \
    }                                                                  \
    void __hcr_store##bits(uint32_t value, void *at)                   \
    {                                                                  \
        check_access(at, bits / 8, 1, PC, __builtin_frame_address(0)); \
        store(at, (uint##bits##_t)value, bits / 8, PC);                \
    }

MEMORY(8)
MEMORY(16)
MEMORY(32)

/* Up to a unit, as one thing that goes out. */
static void put(void *to, uint32_t value, uint32_t bytes, const void *pc)
{
    if (bytes < 4)
        value &= (1u << 8 * bytes) - 1;
    step(pc);
    hc_region_feed_put(&feed, &map, hcn_to_node(to), value, bytes);
    poke(to, value, bytes);
}

static uint32_t copied_unit(uint32_t at, uint32_t slot, uint32_t number, const void *pc)
{
    return load_unit(at & ~3u, slot + (number * 2 & (HC_REGION_COPIES - 1)), pc);
}

/* Unit by unit of the source, in the order of the runtime's. */
void __hcr_copy(uint8_t *to, const uint8_t *from, uint32_t size, uint32_t slot)
{
    uint32_t f = hcn_to_node(from), done = 0, number = 0;
    bool back = hcn_to_node(to) - f < size;

    check_access(from, size, 0, PC, __builtin_frame_address(0));
    check_access(to, size, 1, PC, __builtin_frame_address(0));
    while (done < size) {
        uint32_t at = back ? size - 1 - done : done, part = (f + at) & 3, bytes = back ? part + 1 : 4 - part;
        if (bytes > size - done)
            bytes = size - done;
        uint32_t unit = copied_unit(f + at, slot, number++, PC);
        if (back) {
            part = part + 1 - bytes;
            at = at + 1 - bytes;
        }
        poke((void *)(from + at), unit >> 8 * part, bytes);
        put(to + at, unit >> 8 * part, bytes, PC);
        done += bytes;
    }
}

/* One side is the region's own. */
void __hcr_copy_in(uint8_t *to, const uint8_t *from, uint32_t size, uint32_t slot)
{
    uint32_t f = hcn_to_node(from), unit = 0, number = 0;

    check_access(from, size, 0, PC, __builtin_frame_address(0));
    check_access(to, size, 1, PC, __builtin_frame_address(0));
    for (uint32_t i = 0; i < size; i++) {
        uint32_t part = (f + i) & 3;
        if (!i || !part)
            unit = copied_unit(f + i, slot, number++, PC);
        poke((void *)(from + i), unit >> 8 * part, 1);
        to[i] = (uint8_t)(unit >> 8 * part);
    }
}

void __hcr_copy_out(uint8_t *to, const uint8_t *from, uint32_t size)
{
    check_access(from, size, 0, PC, __builtin_frame_address(0));
    check_access(to, size, 1, PC, __builtin_frame_address(0));
    for (uint32_t i = 0; i < size; i++)
        store(to + i, from[i], 1, PC);
}

void __hcr_set(uint8_t *to, uint32_t value, uint32_t size)
{
    check_access(to, size, 1, PC, __builtin_frame_address(0));
    for (uint32_t done = 0; done < size; done += 4)
        put(to + done, (value & 0xff) * 0x01010101u, size - done < 4 ? size - done : 4, PC);
}

int main(void)
{
    enum hc_region_answer got;
    uint8_t number = 0;

    stack = (uintptr_t)__builtin_frame_address(0);
    note_variables();
    map.cache = hcn_cache;
    map.checks = hcn_checks;
    map.interrupts = hcn_interrupts;
    map.slots = hcn_slots;
    code = (struct hc_region_log){ .code = (uint8_t *)hcn_code, .size = hcn_code_size, .cut = hcn_code_cut };
    last = calloc(hcn_slots + 2, sizeof *last);
    suspect = calloc(hcn_sites_count + 1, sizeof *suspect);
    hc_region_feed_start(&feed, &code);
    while (last && suspect && (got = hc_region_feed_enter(&feed, &code, &number)) == HC_REGION_ANSWER)
        enter(number, PC);
    end(last && suspect ? got : HC_REGION_DIFFERS, "the log has something else than the next visit's beginning", PC);
}
