/* C and assembly do the same: at each call of __hc_record_update and __hc_record_reset of a recorded program on the
 * machine, the node's memory is copied to the host, and the recorder in C (runtime/port/host) does the same call. They
 * must write the same pages, erase the same sectors and leave memory the same, word by word. Interrupts are off
 * meanwhile; the flash chip is a simulated one for both.
 *
 *     test_same SECONDS RESETS IMAGE... */
#include "support/harness.h"

#include "critical.h"
#include "machine/board/telosb.h"
#include "port.h"
#include "ram.h"
#include "sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RAM_START = 0x1100, RAM_END = 0x3900, PERIPHERALS_END = 0x200, CHIP = HC_LOG_END, PAGE = HC_PAGE_SIZE };

/* ---- the chip, and what was done to it ---- */

struct write {
    bool erase;
    uint16_t page;
    uint8_t bytes[PAGE]; /* written; of a page that was erased: what was there */
};

static struct {
    uint8_t bytes[CHIP];
    int busy; /* looks until it is ready */
    struct write *write;
    size_t writes, room;
} chip;

static struct write *new_write(bool erase, uint16_t page)
{
    if (chip.writes == chip.room) {
        chip.room = chip.room * 2 + 300;
        chip.write = realloc(chip.write, chip.room * sizeof *chip.write);
        assert_non_null(chip.write);
    }
    struct write *w = &chip.write[chip.writes++];
    *w = (struct write){ .erase = erase, .page = page };
    return w;
}

/* No checkpoint is asked for. */
static bool is_quiet(void);

static bool chip_ready(void)
{
    if (chip.busy)
        chip.busy--;
    return chip.busy == 0;
}

static void chip_erase(uint16_t page)
{
    assert_int_equal(chip.busy, 0);
    for (uint16_t i = 0; i < HC_LOG_SECTOR / PAGE; i++) {
        struct write *w = new_write(true, page + i);
        memcpy(w->bytes, chip.bytes + (size_t)w->page * PAGE, PAGE);
        memset(chip.bytes + (size_t)w->page * PAGE, 0xff, PAGE);
    }
    chip.busy = 300; /* pages wait on the shelf meanwhile */
}

static void chip_program(uint16_t page, const uint8_t *bytes)
{
    assert_int_equal(chip.busy, 0);
    struct write *w = new_write(false, page);
    memcpy(w->bytes, bytes, PAGE);
    for (int i = 0; i < PAGE; i++) {
        assert_int_equal(chip.bytes[(size_t)page * PAGE + (size_t)i], 0xff);
        chip.bytes[(size_t)page * PAGE + (size_t)i] = bytes[i];
    }
    chip.busy = page % 8 == 0 && is_quiet() ? 100 : 3; /* pages wait on the shelf */
}

static bool chip_used(uint16_t page, uint16_t size)
{
    for (int i = 0; i < size; i++)
        if (chip.bytes[(size_t)page * PAGE + (size_t)i] != 0xff)
            return true;
    return false;
}

/* As before the writes from FIRST on, which stay in the list. */
static void chip_undo(size_t first)
{
    for (size_t i = chip.writes; i-- > first;) {
        uint8_t *at = chip.bytes + (size_t)chip.write[i].page * PAGE;
        if (chip.write[i].erase)
            memcpy(at, chip.write[i].bytes, PAGE);
        else
            memset(at, 0xff, PAGE);
    }
}

/* Bytes of a page: header, payload, zeros, CRC. */
static void make_page(uint8_t *bytes, const uint8_t *header, const uint8_t *payload)
{
    memset(bytes, 0, PAGE);
    memcpy(bytes, header, HC_PAGE_HEADER);
    memcpy(bytes + HC_PAGE_HEADER, payload, header[HC_PAGE_LENGTH]);
    uint16_t crc = hc_page_crc(0xffff, bytes, HC_PAGE_CRC);
    bytes[HC_PAGE_CRC] = (uint8_t)(crc >> 8);
    bytes[HC_PAGE_CRC + 1] = (uint8_t)crc;
}

static uint16_t read_page(uint16_t page, uint8_t *header)
{
    const uint8_t *bytes = chip.bytes + (size_t)page * PAGE;
    memcpy(header, bytes, HC_PAGE_HEADER);
    return bytes[0] == HC_PAGE_MAGIC ? hc_page_crc(0xffff, bytes, PAGE) : 0xffff;
}

static unsigned asked; /* how often the port was */
static bool port_answer(bool urgent)
{
    return urgent ? ++asked % 5 != 0 : ++asked % 3 == 0;
}

/* ---- the recorder in C ---- */

uint8_t hc_host_memory[0x10000] __attribute__((aligned(8)));
uint16_t hc_host_ram, hc_host_status;
uint16_t hc_host_link, hc_host_sites, hc_host_dump, hc_host_dump_end;
struct hc_kept hc_host_kept;

/* What the node read of peripherals in this call, in its order: a clock goes on between two reads. */
static struct {
    uint16_t address, value;
    bool word, used;
} reads[4000];
static size_t read_count;

/* The host reads what the node read. */
uint8_t *hc_host_access(uint16_t address)
{
    for (size_t i = 0; address < PERIPHERALS_END && i < read_count; i++) {
        if (reads[i].used || reads[i].address != address)
            continue;
        hc_host_memory[address] = (uint8_t)reads[i].value;
        if (reads[i].word)
            hc_host_memory[address + 1] = (uint8_t)(reads[i].value >> 8);
        reads[i].used = true;
        break;
    }
    return hc_host_memory + address;
}

void hc_host_moment(void)
{
}

bool hc_port_may_write(bool urgent)
{
    return port_answer(urgent);
}

void hc_sink_open(void)
{
}

bool hc_sink_close(void)
{
    return chip_ready();
}

bool hc_sink_ready(void)
{
    return chip_ready();
}

void hc_sink_erase(uint16_t page)
{
    chip_erase(page);
}

bool hc_sink_used(uint16_t page, uint16_t size)
{
    return chip_used(page, size);
}

bool hc_sink_look(uint16_t page)
{
    uint8_t *header = (uint8_t *)&__hc_ram.recorder.next;
    read_page(page, header);
    return header[0] == HC_PAGE_MAGIC;
}

uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload)
{
    uint8_t bytes[PAGE], *header = (uint8_t *)&__hc_ram.recorder.next;
    if (what == HC_SINK_READ)
        return read_page(page, header);
    make_page(bytes, header, payload);
    chip_program(page, bytes);
    return 0;
}

/* ---- the recorder in assembly ---- */

static struct {
    struct harness h;
    uint32_t ram;
    bool inside;
    size_t first_write; /* of this call */
    int busy;
    unsigned asked; /* before it */
    long updates, resets, pages, erases, checkpoints, rescues;
    long shelved, shelved_resets; /* updates that left pages on the shelf, and resets that found some */
    const char *image;
} node;

static enum hc_action answer(struct hc_machine *m, uint16_t value)
{
    hc_set_register(m, 12, value);
    return HC_ANSWER;
}

static enum hc_action node_open(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    return answer(m, 0);
}

static enum hc_action node_ready(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    return answer(m, chip_ready());
}

static enum hc_action node_used(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    return answer(m, chip_used(hc_register(m, 12), hc_register(m, 13)));
}

static enum hc_action node_erase(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    chip_erase(hc_register(m, 12));
    return answer(m, 0);
}

static enum hc_action node_may_write(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    return answer(m, port_answer(hc_register(m, 12)));
}

static enum hc_action node_transfer(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    uint8_t header[HC_PAGE_HEADER], payload[PAGE], bytes[PAGE];
    uint16_t crc = 0;
    for (uint32_t i = 0; i < HC_PAGE_HEADER; i++)
        header[i] = hc_peek(m, node.ram + HC_RAM_NEXT + i);
    if (hc_register(m, 12) == HC_SINK_READ) {
        crc = read_page(hc_register(m, 13), header);
        for (uint32_t i = 0; i < HC_PAGE_HEADER; i++)
            hc_poke(m, node.ram + HC_RAM_NEXT + i, header[i]);
    } else {
        for (uint32_t i = 0; i < header[HC_PAGE_LENGTH]; i++)
            payload[i] = hc_peek(m, hc_register(m, 14) + i);
        make_page(bytes, header, payload);
        chip_program(hc_register(m, 13), bytes);
    }
    return answer(m, crc);
}

static enum hc_action node_reads(void *unused, struct hc_machine *m, const struct hc_access *a)
{
    (void)unused, (void)m;
    if (!node.inside)
        return HC_CONTINUE;
    assert_true(read_count < sizeof reads / sizeof *reads);
    reads[read_count].address = (uint16_t)a->address;
    reads[read_count].value = a->value;
    reads[read_count].word = a->size > 1;
    reads[read_count++].used = false;
    return HC_CONTINUE;
}

/* ---- comparing ---- */

/* The encoder in assembly has addresses where C has offsets. */
static void to_offsets(void)
{
    struct hc_coder *coder = &__hc_ram.recorder.codec.mixed.coder;
    uint16_t page = HC_ADDRESS(__hc_ram.recorder.codec.mixed.page);
    coder->next -= page;
    coder->bits_at -= page;
    coder->run -= page;
}

static void copy_memory(uint8_t *to, uint32_t from, uint32_t end)
{
    for (uint32_t at = from; at < end; at++)
        to[at] = hc_peek(node.h.machine, at);
}

/* Units matter in the middle of an update only. */
static bool is_compared(uint32_t at)
{
    uint32_t stack = node.ram + HC_RAM_STACK, saved = node.ram + HC_RAM_SAVED;
    if ((at >= stack && at < stack + HC_STACK) || (at & ~1u) == node.ram + HC_RAM_UNITS)
        return false;
    return at < saved || at >= saved + HC_SINK_SAVED;
}

static void compare_memory(const char *what)
{
    static uint8_t after[0x10000];
    copy_memory(after, RAM_START, RAM_END);
    uint8_t mine[sizeof(struct hc_ram)], theirs[sizeof mine];
    memcpy(mine, hc_host_memory + node.ram, sizeof mine);
    memcpy(hc_host_memory + node.ram, after + node.ram, sizeof mine); /* as the host has it */
    to_offsets();
    memcpy(theirs, hc_host_memory + node.ram, sizeof mine);
    memcpy(hc_host_memory + node.ram, mine, sizeof mine);
    memcpy(after + node.ram, theirs, sizeof mine);
    for (uint32_t at = RAM_START; at < RAM_END; at++)
        if (is_compared(at) && hc_host_memory[at] != after[at])
            fail_msg("%s: %s %ld: memory at __hc_ram + %d: assembly leaves 0x%02x%02x, C 0x%02x%02x", node.image, what,
                     node.updates + node.resets, (int)(at & ~1u) - (int)node.ram, after[at | 1], after[at & ~1u],
                     hc_host_memory[at | 1], hc_host_memory[at & ~1u]);
}

static void count_writes(size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        const struct write *w = &chip.write[i];
        node.pages += !w->erase;
        node.erases += w->erase;
        node.checkpoints += !w->erase && (w->bytes[1] == HC_STREAM_COMMIT || w->bytes[1] == HC_STREAM_RECOVERY);
        node.rescues += !w->erase && w->bytes[1] == HC_STREAM_RESCUE;
    }
}

static void compare_writes(const char *what, size_t middle)
{
    size_t theirs = middle - node.first_write, mine = chip.writes - middle;
    for (size_t i = 0; i < theirs || i < mine; i++) {
        const struct write *a = &chip.write[node.first_write + i], *c = &chip.write[middle + i];
        if (i >= theirs || i >= mine || a->erase != c->erase || a->page != c->page ||
            memcmp(a->bytes, c->bytes, PAGE) != 0)
            fail_msg("%s: %s %ld: write %zu: assembly %zu writes, C %zu; page %u stream %u, page %u stream %u",
                     node.image, what, node.updates + node.resets, i, theirs, mine, i < theirs ? a->page : 0,
                     i < theirs ? a->bytes[1] : 99, i < mine ? c->page : 0, i < mine ? c->bytes[1] : 99);
    }
    count_writes(middle, chip.writes);
    chip.writes = 0;
}

static bool is_quiet(void)
{
    return node.updates % 1000 > 400;
}

/* Things that come rarely by themselves: the clock, checkpoints, events that are lost, attempts that fail, a freeze. */
static void provoke(struct hc_machine *m)
{
    uint16_t work = hc_peek16(m, node.ram + HC_RAM_WORK), n = (uint16_t)node.updates;
    if (n % 150 == 60 && !is_quiet())
        work |= HC_WORK_CHECKPOINT;
    if (n % 41 == 40)
        work |= HC_WORK_FLUSH;
    if (n == 7000)
        work |= HC_WORK_FREEZE;
    if (n % 311 == 310 && !is_quiet())
        hc_poke16(m, node.ram + HC_RAM_ROOM, HC_ROOM_LOST);
    if (n % 500 > 400 && n % 7 == 0)
        hc_poke16(m, node.ram + HC_RAM_FAILS, 1000);
    hc_poke16(m, node.ram + HC_RAM_WORK, work);
}

static void begin_call(struct hc_machine *m)
{
    copy_memory(hc_host_memory, 0, RAM_END);
    hc_set_register(m, HC_SR, 0);
    node.inside = true;
    read_count = 0;
    node.first_write = chip.writes;
    node.busy = chip.busy;
    node.asked = asked;
}

static void end_call(const char *what, void (*call)(void))
{
    size_t middle = chip.writes;
    int busy = chip.busy;
    unsigned after = asked;
    node.inside = false;
    chip_undo(node.first_write);
    chip.busy = node.busy;
    asked = node.asked;
    to_offsets();
    call();
    compare_writes(what, middle);
    compare_memory(what);
    assert_int_equal(chip.busy, busy);
    assert_int_equal(asked, after);
}

static enum hc_action at_update(void *unused, struct hc_machine *m, bool entering)
{
    (void)unused;
    if (entering) {
        provoke(m);
        begin_call(m);
    } else {
        end_call("update", __hc_record_update);
        node.updates++;
        node.shelved += __hc_ram.recorder.shelf_end != 0;
    }
    return HC_CONTINUE;
}

static enum hc_action at_reset(void *unused, struct hc_machine *m, bool entering)
{
    (void)unused;
    if (entering) {
        begin_call(m);
        node.shelved_resets += hc_peek16(m, node.ram + HC_RAM_SHELF_END) != 0;
        hc_host_kept = (struct hc_kept){ .changes = 0 };
        hc_host_kept.check = __hc_ram.recorder.codec.mixed.model.check;
        hc_host_kept.bits = __hc_ram.recorder.codec.mixed.coder.bits;
    } else {
        end_call("reset", __hc_record_reset);
        node.resets++;
    }
    return HC_CONTINUE;
}

/* ---- running ---- */

static void hook(const char *name, hc_pc_fn *call)
{
    hc_hook_pc(node.h.machine, harness_address(&node.h, name), call, NULL);
}

static void start(const char *path)
{
    node.image = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    assert_non_null(board);
    harness_load(&node.h, board->machine, path);
    node.h.board = board;
    node.ram = harness_address(&node.h, "__hc_ram");
    hc_host_ram = (uint16_t)node.ram;
    hc_host_link = (uint16_t)harness_address(&node.h, "__hc_link");
    hc_host_sites = (uint16_t)harness_address(&node.h, "__start_hc_sites");
    hc_host_dump = (uint16_t)harness_address(&node.h, "__hc_dump");
    hc_host_dump_end = (uint16_t)harness_address(&node.h, "__hc_dump_end");
    copy_memory(hc_host_memory, 0, 0x10000);
    memset(chip.bytes, 0xff, sizeof chip.bytes);
    hook("hc_sink_open", node_open);
    hook("hc_sink_close", node_ready);
    hook("hc_sink_ready", node_ready);
    hook("hc_sink_used", node_used);
    hook("hc_sink_erase", node_erase);
    hook("hc_sink_transfer", node_transfer);
    hook("hc_port_may_write", node_may_write);
    hc_hook_access(node.h.machine, 0, PERIPHERALS_END - 1, HC_WATCH_READ, node_reads, NULL);
    hc_hook_call(node.h.machine, harness_address(&node.h, "__hc_record_update"), at_update, NULL);
    hc_hook_call(node.h.machine, harness_address(&node.h, "__hc_record_reset"), at_reset, NULL);
}

/* For MS, or until pages are on the shelf if UNTIL_SHELVED. */
static void live(uint64_t ms, bool until_shelved)
{
    harness_run(&node.h, hc_ms(ms));
    for (int i = 0; until_shelved && i < 20000; i++) {
        if (hc_peek16(node.h.machine, node.ram + HC_RAM_SHELF_END) &&
            !(hc_peek16(node.h.machine, node.ram + HC_RAM_TAIL) & 1))
            return; /* nor is the encoder's state being put away, which each does in its own way */
        harness_run(&node.h, hc_us(500));
    }
}

static int argument_count;
static char **arguments;

static void same(void **unused)
{
    (void)unused;
    long ms = atol(arguments[1]) * 1000, resets = atol(arguments[2]);
    for (int i = 3; i < argument_count; i++) {
        node.updates = node.resets = node.shelved = node.shelved_resets = node.pages = node.erases = node.checkpoints =
            node.rescues = 0;
        start(arguments[i]);
        for (long r = 0; r <= resets; r++) {
            live((uint64_t)(ms / (resets + 1) + 37 * r), r % 2);
            hc_machine_reset(node.h.machine, HC_PUC);
        }
        print_message("%s: %ld updates (%ld with pages on the shelf), %ld resets (%ld), %ld pages, %ld checkpoints, "
                      "%ld rescues\n",
                      node.image, node.updates, node.shelved, node.resets, node.shelved_resets, node.pages,
                      node.checkpoints, node.rescues);
        assert_true(node.updates > 20 && node.pages > 5);
        harness_stop(&node.h);
    }
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    const struct CMUnitTest tests[] = { cmocka_unit_test(same) };
    return cmocka_run_group_tests_name("same", tests, NULL, NULL);
}
