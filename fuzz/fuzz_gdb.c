/* Hostile debuggers: any stream of bytes is taken apart into packets, each gets its reply, and a TelosB survives what
 * they do to it. Sums are not checked, as in no-ack mode: a fuzzer would rarely get them right. */
#include "gdb/stub.h"
#include "machine/board/telosb.h"

#include <assert.h>
#include <string.h>

struct session {
    struct hc_gdb_stub stub;
    struct hc_gdb_reader reader;
    int replies;
};

/* The board is built once and brought back to its first state before each input. */
struct board {
    struct hc_telosb *telosb;
    struct hc_snapshot *fresh;
};

static struct board board_new(void)
{
    /* Counts, calls and sleeps. */
    static const uint16_t program[] = { 0x4031, 0x3900, 0x531a, 0x4a82, 0x1200, 0x12b0, 0x4014,
                                        0xd032, 0x0008, 0x3ff8, 0x521b, 0x1200, 0x4130 };
    struct board board = { .telosb = hc_telosb_new(NULL, NULL) };

    for (uint32_t i = 0; i < sizeof program / sizeof program[0]; i++)
        hc_poke16(board.telosb->machine, 0x4000 + 2 * i, program[i]);
    hc_poke16(board.telosb->machine, 0xfffe, 0x4000);
    hc_machine_reset(board.telosb->machine, HC_POR);
    board.fresh = hc_snapshot_take(board.telosb->machine);
    return board;
}

static bool interrupted(void *owner, bool idle)
{
    (void)owner;
    (void)idle;
    return true; /* Ctrl-C after each slice */
}

static void check_reply(void *owner, const char *payload, size_t n)
{
    char frame[HC_GDB_FRAME_MAX];
    struct session *s = owner;

    assert(n <= HC_GDB_PAYLOAD_MAX);
    assert(!memchr(payload, '$', n) && !memchr(payload, '#', n));
    assert(hc_gdb_frame(frame, payload, n) <= n + 4);
    if (n < 2 || payload[0] != 'O' || payload[1] == 'K')
        s->replies++;
}

static void request(struct session *s)
{
    s->replies = 0;
    hc_gdb_stub_request(&s->stub, s->reader.payload, s->reader.n);
    assert(s->replies == !s->stub.silent);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct board board;
    static struct session s;

    if (!board.telosb)
        board = board_new();
    hc_snapshot_restore(board.telosb->machine, board.fresh);
    struct hc_gdb_target *target = hc_gdb_machine_target_new(board.telosb->machine, hc_ms(50));
    memset(&s.reader, 0, sizeof s.reader);
    hc_gdb_stub_init(&s.stub, target, (struct hc_gdb_poll){ interrupted, &s }, check_reply, &s);
    for (size_t i = 0; i < size && !s.stub.ended; i++) {
        enum hc_gdb_input input = hc_gdb_reader_take(&s.reader, bytes[i]);

        if (input == HC_GDB_INPUT_PACKET || input == HC_GDB_INPUT_DAMAGED)
            request(&s);
        else if (input == HC_GDB_INPUT_TOO_LONG)
            hc_gdb_stub_refuse(&s.stub);
    }
    hc_gdb_target_free(target);
    return 0;
}
