/* Paths, beside messages. A part of record.c. The program's own code keeps the sum (__hc_path_sum) and calls __hc_path
 * (port/msp430/paths.S), also in interrupt handlers; so interrupts are off in what both use. */
#include "path_model.h"

#ifndef HC_PATHS_BUFFER
#define HC_PATHS_BUFFER 62 /* bytes of code that wait: two pieces */
#endif
#ifndef HC_PATHS_NESTED
#define HC_PATHS_NESTED 4 /* handlers that interrupt each other */
#endif

enum {
    PATHS_MOST = 5,                            /* bytes of one number */
    PATHS_ENOUGH = HC_PIECE_SIZE - PATHS_MOST, /* a piece is written */
    PATHS_MAGIC = 0x7068,
    PATHS_UNKNOWN = HC_PATHS_LIMIT, /* a sum that was not kept, and what is added to it */
};

struct hc_paths_ram {
    uint16_t magic; /* RAM holds a life of this build */
    struct hc_path_model model;
    uint8_t run, bits;  /* as messages have them */
    uint8_t fill, head; /* likewise */
    bool busy;          /* it is being changed */
    bool lost;          /* something was lost, and that is not written yet */
    bool odd;           /* of the next piece */
    uint8_t code[HC_PATHS_BUFFER];
};
struct hc_paths_ram __hc_paths_ram __attribute__((section(SECTION)));
#define path_ram __hc_paths_ram

/* The sum of the path that is under way, and of those that were interrupted. */
uint16_t __hc_path_sum;
static uint16_t path_kept[HC_PATHS_NESTED];
static uint8_t path_depth;

static void path_put(uint16_t value, uint8_t count)
{
    for (uint16_t bit = 1u << (count - 1); bit; bit >>= 1) {
        bool full = path_ram.bits & 0x80;
        path_ram.bits = (uint8_t)(path_ram.bits << 1) | ((value & bit) != 0);
        if (full) {
            path_ram.code[path_ram.fill++] = path_ram.bits;
            path_ram.bits = 1;
        }
    }
}

static void path_cut_run(void)
{
    path_put(1, 1);
    if (path_ram.model.level)
        path_put(path_ram.run, path_ram.model.level);
    path_ram.run = 0;
    hc_path_adapt(&path_ram.model, false);
}

static void path_code(uint16_t number)
{
    uint16_t first = *hc_path_pair(&path_ram.model), second = *hc_path_single(&path_ram.model);

    if (number == first) {
        if (++path_ram.run >> path_ram.model.level) {
            path_put(0, 1);
            path_ram.run = 0;
            hc_path_adapt(&path_ram.model, true);
        }
    } else {
        path_cut_run();
        if (second != first)
            path_put(number != second, 1);
        if (number != second)
            path_put(number, __hc_traffic_begin.path_width);
    }
    hc_path_follow(&path_ram.model, number);
}

/* Interrupts are off. */
static void path_add(uint16_t number)
{
    if (path_ram.magic != PATHS_MAGIC)
        return; /* nothing was begun yet */
    if (path_ram.busy || path_ram.fill > HC_PATHS_BUFFER - 2 * PATHS_MOST) {
        path_ram.lost = true;
        return;
    }
    path_ram.busy = true;
    if (path_ram.lost)
        path_code(HC_PATH_LOST);
    path_ram.lost = false;
    path_code(number);
    path_ram.busy = false;
}

/* From __hc_path, __hc_path_enter and __hc_path_leave, interrupts off. */
void __hc_path_record(void)
{
    start();
    if (__hc_path_sum < PATHS_UNKNOWN)
        path_add(__hc_path_sum);
    else
        path_ram.lost = true;
}

void __hc_path_keep(void)
{
    if (path_depth < HC_PATHS_NESTED)
        path_kept[path_depth] = __hc_path_sum;
    path_depth++;
}

void __hc_path_restore(void)
{
    __hc_path_sum = --path_depth < HC_PATHS_NESTED ? path_kept[path_depth] : PATHS_UNKNOWN;
}

/* A message that was recorded. */
static void path_mark(void)
{
    uint16_t status = hc_critical_enter();

    if (!(ram.tables.flags & HC_TRAFFIC_FLAG_CUT))
        path_add(HC_PATH_MESSAGE);
    hc_critical_leave(status);
}

/* After a reset; GOES_ON: messages do, so that the segment does. Interrupts are off. */
static void path_start(bool goes_on)
{
    if (goes_on && path_ram.magic == PATHS_MAGIC && !path_ram.busy) {
        path_add(HC_PATH_RESET);
    } else {
        uint8_t *bytes = (uint8_t *)&path_ram;
        bool torn = path_ram.magic == PATHS_MAGIC;
        for (uint16_t i = 0; i < sizeof path_ram; i++)
            bytes[i] = 0;
        path_ram.bits = 1;
        path_ram.lost = torn;
        path_ram.magic = PATHS_MAGIC;
    }
}

static bool path_has_bits(void)
{
    return path_ram.run || path_ram.bits != 1;
}

static bool path_is_empty(void)
{
    return !path_ram.fill && !path_has_bits();
}

/* Everything is in whole bytes. */
static void path_pad(void)
{
    uint16_t status = hc_critical_enter();

    if (path_has_bits() && path_ram.fill <= HC_PATHS_BUFFER - PATHS_MOST) {
        path_ram.busy = true;
        path_cut_run();
        if (*hc_path_pair(&path_ram.model) != *hc_path_single(&path_ram.model))
            path_put(1, 1);
        path_put(HC_PATH_PAD, __hc_traffic_begin.path_width);
        while (path_ram.bits != 1)
            path_put(0, 1);
        path_ram.busy = false;
    }
    hc_critical_leave(status);
}

static void path_write(void)
{
    uint8_t size = path_ram.fill < HC_PIECE_SIZE ? path_ram.fill : HC_PIECE_SIZE;

    if (!path_ram.head && !size)
        return;
    if (!path_ram.head)
        path_ram.head = HC_PIECE_PATHS | (path_ram.odd ? HC_PIECE_ODD : 0) | size;
    size = path_ram.head & HC_PIECE_SIZE;
    write_piece(path_ram.head, path_ram.code, size);
    uint16_t status = hc_critical_enter();
    path_ram.busy = true;
    path_ram.odd = !path_ram.odd;
    path_ram.head = 0;
    path_ram.fill -= size;
    for (uint8_t i = 0; i < path_ram.fill; i++)
        path_ram.code[i] = path_ram.code[i + size];
    path_ram.busy = false;
    hc_critical_leave(status);
}

/* A new segment begins, and the model with it, if nothing waits. */
static bool path_begin(void)
{
    uint16_t status = hc_critical_enter();
    bool empty = path_is_empty();

    if (empty) {
        hc_path_clear(&path_ram.model);
        path_ram.odd = false;
    }
    hc_critical_leave(status);
    return empty;
}

static bool path_presses(void)
{
    return path_ram.fill >= PATHS_ENOUGH || path_ram.head;
}

/* No byte of it waits. */
static bool path_is_quiet(void)
{
    return !path_ram.fill;
}
