/* The recorder of messages in assembly does what the one in C does: two nodes with the same program, one recorder each,
 * get the same letters (post.c), resets and losses of power. After each of them the recorder's RAM is the same, byte by
 * byte, and so are the numbers that it gave; in the end so are the flash chips.
 *
 *   test_same_messages ASSEMBLY C [LETTERS [SEED]] */
#include "machine/board/telosb.h"
#include "runtime/config.h"
#include "runtime/traffic/layout.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATIENCE = 60, LETTER = 6, FLASH = 1 << 20, MOST_RAM = 400, BURST = 60, REST = 5 };
enum { RECEIVED = 1, NONE = 2, NO_UPDATE = 4 }; /* as post.c has them */

static struct {
    const char *image[2];
    struct harness node[2];
    uint32_t letters, ram, resets, burst, lost;
    uint64_t seed, state;
} t = { .letters = 20000, .seed = 1 };

static uint32_t below(uint32_t n)
{
    t.state = t.state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((t.state >> 33) % n);
}

static void to_next(struct harness *h)
{
    harness_run_to(h, "post_next", hc_now(h->machine) + PATIENCE * HC_SECOND);
}

static void start(int which)
{
    struct hc_telosb_config config = { .node_id = 1, .seed = t.seed };
    struct hc_telosb *board = hc_telosb_new(&config, NULL);

    assert_non_null(board);
    t.node[which] = (struct harness){ .board = board, .machine = board->machine };
    t.node[which].image = harness_fill(board->machine, t.image[which]);
    for (uint32_t i = 4; i < 12; i++) /* the build id */
        hc_poke(board->machine, harness_address(&t.node[which], "__hc_traffic_begin") + i, (uint8_t)i);
    hc_machine_reset(board->machine, HC_POR);
    to_next(&t.node[which]);
}

static void compare_ram(uint32_t letter)
{
    uint8_t ram[2][MOST_RAM];

    for (int i = 0; i < 2; i++)
        hc_peek_bytes(t.node[i].machine, harness_address(&t.node[i], "__hc_ram"), ram[i], t.ram);
    for (uint32_t k = 0; k < t.ram; k++)
        if (ram[0][k] != ram[1][k])
            fail_msg("letter %u (seed %llu): byte %u of RAM is 0x%02x in assembly, 0x%02x in C", letter,
                     (unsigned long long)t.seed, k, ram[0][k], ram[1][k]);
}

/* Few partners most of the time, and now and then more than the tables have. Numbers are random now and then. */
static void make_letter(uint8_t letter[LETTER])
{
    static uint8_t next;
    uint16_t partner = (uint16_t)below(below(20) ? 6 : 60), to = below(3) ? partner : 0xffff,
             self = below(5000) ? 300 : 301;
    bool received = below(2);

    if (below(2000) == 0)
        t.burst = BURST;
    uint8_t kind = (uint8_t)(received | (t.burst ? NO_UPDATE : 0));
    t.burst -= t.burst > 0;

    next = below(30) ? next + 1 : (uint8_t)below(256);
    uint16_t from = received ? partner : self;
    if (received)
        to = below(3) ? self : 0xffff;
    memcpy(letter,
           (uint8_t[LETTER]){ (uint8_t)from, (uint8_t)(from >> 8), (uint8_t)to, (uint8_t)(to >> 8), kind, next },
           LETTER);
}

static void post(struct harness *h, const uint8_t letter[LETTER])
{
    uint32_t at = harness_address(h, "letter");

    for (uint32_t i = 0; i < LETTER; i++)
        hc_poke(h->machine, at + i, letter[i]);
    hc_machine_step(h->machine, 1, hc_now(h->machine) + HC_SECOND); /* past the hook */
    to_next(h);
}

/* An erase, which begins with every 256th page, lasts for different numbers of letters in both. */
static void let_rest(struct harness *h)
{
    static const uint8_t nothing[LETTER] = { [4] = NONE };
    hc_time until = hc_now(h->machine) + REST * HC_SECOND;
    uint32_t place = harness_get8(h, "__hc_ram", HC_TRAFFIC_RAM_MAGIC + 2),
             at = harness_get8(h, "__hc_ram", HC_TRAFFIC_RAM_AT);

    while (!(place % 256) && !at && hc_now(h->machine) < until)
        post(h, nothing);
}

static void reset(void)
{
    bool power = below(3) == 0;
    uint32_t seed = below(1000);

    t.resets++;
    for (int i = 0; i < 2; i++) {
        if (power)
            hc_machine_power_off(t.node[i].machine, seed);
        hc_machine_reset(t.node[i].machine, power ? HC_POR : HC_PUC);
        to_next(&t.node[i]);
        let_rest(&t.node[i]);
    }
}

static void compare_flash(void)
{
    uint8_t *flash[2] = { malloc(FLASH), malloc(FLASH) };
    uint32_t written = 0;

    for (int i = 0; i < 2; i++) {
        assert_non_null(flash[i]);
        hc_m25p80_read(t.node[i].board->flash, 0, flash[i], FLASH);
    }
    for (uint32_t k = 0; k < FLASH; k++) {
        written += flash[0][k] != 0xff;
        if (flash[0][k] != flash[1][k])
            fail_msg("seed %llu: byte 0x%05x of the flash chip is 0x%02x in assembly, 0x%02x in C",
                     (unsigned long long)t.seed, k, flash[0][k], flash[1][k]);
    }
    print_message("%u letters, %u resets: %u bytes in the flash chips, the same\n", t.letters, t.resets, written);
    assert_true(written > t.letters / 4 && t.lost);
    for (int i = 0; i < 2; i++)
        free(flash[i]);
}

static void test_same(void **state)
{
    (void)state;
    t.state = t.seed * 7919 + 1;
    for (int i = 0; i < 2; i++)
        start(i);
    t.ram = harness_address(&t.node[0], "__hc_ram_end") - harness_address(&t.node[0], "__hc_ram");
    assert_int_equal(t.ram, harness_address(&t.node[1], "__hc_ram_end") - harness_address(&t.node[1], "__hc_ram"));
    assert_true(t.ram <= MOST_RAM);
    for (uint32_t n = 0; n < t.letters; n++) {
        uint8_t letter[LETTER], number[2];
        make_letter(letter);
        for (int i = 0; i < 2; i++) {
            post(&t.node[i], letter);
            number[i] = (uint8_t)harness_get8(&t.node[i], "letter", 5);
            let_rest(&t.node[i]);
        }
        t.lost += harness_get8(&t.node[0], "__hc_ram", HC_TRAFFIC_RAM_FLAGS) & 1;
        compare_ram(n);
        assert_int_equal(number[0], number[1]);
        if (below(700) == 0)
            reset();
    }
    compare_flash();
    for (int i = 0; i < 2; i++)
        harness_stop(&t.node[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };

    t.image[0] = argc > 1 ? argv[1] : "post-asm.elf";
    t.image[1] = argc > 2 ? argv[2] : "post-c.elf";
    if (argc > 3)
        t.letters = (uint32_t)strtoul(argv[3], NULL, 10);
    if (argc > 4)
        t.seed = strtoull(argv[4], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
