/* record_nmi ELF FLASH ORACLE SEED COUNT: a run of firmware/nmi.c with COUNT oscillator faults at random moments. Says
 * how many its handler saw. */
#include "machine/board/telosb.h"
#include "machine/device/m25p80.h"
#include "machine/device/sfr.h"
#include "replay/oracle.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static char **words;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* None waits: each of them comes. In the recorder, too. */
static bool is_ready(const struct harness *h)
{
    enum { OFIE = 0x02 };
    return hc_sfr_get(h->board->chip.sfr, HC_IE1) & OFIE && !(hc_sfr_get(h->board->chip.sfr, HC_IFG1) & HC_OFIFG);
}

static void cause_fault(const struct harness *h)
{
    while (!is_ready(h))
        hc_machine_step(h->machine, 1, HC_NEVER);
    hc_sfr_change(h->board->chip.sfr, HC_IFG1, HC_OFIFG, 0);
}

static void record(void **unused)
{
    (void)unused;
    struct hc_telosb_config config = { .node_id = 1 };
    struct harness h = { .board = hc_telosb_new(&config, NULL) };
    struct hc_oracle_message problem;
    struct hc_oracle_writer *writer;
    char message[200];
    uint64_t random = strtoull(words[4], NULL, 0) * 0x9e3779b97f4a7c15u + 1;

    h.machine = h.board->machine;
    h.image = harness_fill(h.machine, words[1]);
    hc_machine_reset(h.machine, HC_POR);
    if (hc_oracle_write(&writer, h.machine, h.image, hc_machine_part(h.machine)->name, words[3], &problem))
        fail_msg("%s", problem.text);
    harness_run(&h, hc_ms(100));
    for (long i = strtol(words[5], NULL, 0); i; i--) {
        harness_run(&h, hc_us(1 + next_random(&random) % 30000));
        cause_fault(&h);
    }
    harness_run(&h, hc_ms(500));
    printf("%u faults, %u ticks\n", harness_get(&h, "faults", 0), harness_get(&h, "ticks", 0));
    assert_int_equal(hc_oracle_close(writer), 0);
    if (hc_m25p80_save_file(h.board->flash, words[2], message, sizeof message))
        fail_msg("%s", message);
    harness_stop(&h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(record) };
    words = argv;
    return argc == 6 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
