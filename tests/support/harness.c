#include "support/harness.h"

#include "machine/board/telosb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void path_of(const char *name, char *out, size_t size)
{
    for (const char *p = name; *p; p++) {
        if (*p == '/') {
            snprintf(out, size, "%s", name);
            return;
        }
    }
    snprintf(out, size, "%s/%s.elf", HARNESS_FIRMWARE, name);
}

struct hc_image *harness_fill(struct hc_machine *m, const char *name)
{
    char path[1024];
    struct hc_image *image;
    struct hc_image_message message;
    path_of(name, path, sizeof path);
    if (hc_image_load_file(&image, path, &message) != HC_IMAGE_OK)
        fail_msg("%s", message.text);
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            if (!hc_poke(m, segments[i].address + k, segments[i].bytes[k]))
                fail_msg("%s: no memory at 0x%05x", path, (unsigned)(segments[i].address + k));
    return image;
}

void harness_load(struct harness *h, struct hc_machine *m, const char *name)
{
    h->machine = m;
    h->image = harness_fill(m, name);
    hc_machine_reset(m, HC_POR);
}

void harness_start(struct harness *h, const char *name)
{
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    if (!board)
        fail_msg("no memory for a board");
    *h = (struct harness){ .board = board };
    harness_load(h, board->machine, name);
}

void harness_stop(struct harness *h)
{
    if (h->board)
        hc_telosb_free(h->board);
    else
        hc_machine_free(h->machine);
    hc_image_free(h->image);
    *h = (struct harness){ 0 };
}

static void check_fault(struct harness *h, enum hc_stop stop)
{
    char place[256];
    if (stop == HC_STOP_FAULT)
        fail_msg("%s (at %s)", hc_fault_text(h->machine),
                 hc_image_locate(h->image, hc_fault_pc(h->machine), place, sizeof place));
}

static enum hc_action stop_when_finished(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    (void)owner;
    (void)m;
    return access->value == HARNESS_FINISHED ? HC_STOP : HC_CONTINUE;
}

void harness_finish(struct harness *h, hc_time limit)
{
    uint32_t finished = harness_address(h, "finished");
    int hook = hc_hook_access(h->machine, finished, finished + 1, HC_WATCH_WRITE, stop_when_finished, h);
    enum hc_stop stop = hc_machine_run(h->machine, limit);
    hc_unhook(h->machine, hook);
    check_fault(h, stop);
    if (harness_get(h, "finished", 0) != HARNESS_FINISHED) {
        char place[256];
        fail_msg("not finished after %.6f s; at %s", hc_seconds(hc_now(h->machine)),
                 hc_image_locate(h->image, hc_register(h->machine, HC_PC), place, sizeof place));
    }
}

void harness_run(struct harness *h, hc_time span)
{
    check_fault(h, hc_machine_run(h->machine, hc_now(h->machine) + span));
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

void harness_run_to(struct harness *h, const char *symbol, hc_time limit)
{
    int hook = hc_hook_pc(h->machine, harness_address(h, symbol), stop_here, h);
    enum hc_stop stop = hc_machine_run(h->machine, limit);
    hc_unhook(h->machine, hook);
    check_fault(h, stop);
    if (stop != HC_STOP_HOOK)
        fail_msg("%s was not reached in %.6f s", symbol, hc_seconds(hc_now(h->machine)));
}

uint32_t harness_address(const struct harness *h, const char *name)
{
    struct hc_symbol symbol = { 0 };
    if (!hc_image_symbol(h->image, name, &symbol))
        fail_msg("%s: no symbol %s", hc_image_name(h->image), name);
    return symbol.address;
}

uint8_t harness_get8(const struct harness *h, const char *name, int index)
{
    return hc_peek(h->machine, harness_address(h, name) + (uint32_t)index);
}

uint16_t harness_get(const struct harness *h, const char *name, int index)
{
    return hc_peek16(h->machine, harness_address(h, name) + 2 * (uint32_t)index);
}

uint32_t harness_get32(const struct harness *h, const char *name, int index)
{
    uint32_t address = harness_address(h, name) + 4 * (uint32_t)index;
    return hc_peek16(h->machine, address) | (uint32_t)hc_peek16(h->machine, address + 2) << 16;
}

void harness_set(struct harness *h, const char *name, int index, uint16_t value)
{
    uint32_t address = harness_address(h, name) + 2 * (uint32_t)index;
    if (!hc_poke16(h->machine, address, value))
        fail_msg("%s[%d] at 0x%04x cannot be written", name, index, (unsigned)address);
}
