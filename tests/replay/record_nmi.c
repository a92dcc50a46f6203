/* record_nmi ELF LOG ORACLE SEED COUNT BOARD: a run of firmware/nmi.c on a telosb or fr5969 with COUNT non-maskable
 * interrupts at random moments. Says how many its handler saw. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "machine/device/chip/m25p80.h"
#include "machine/device/msp430x1xx/sfr.h"
#include "replay/oracle.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char **words;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* ---- boards ---- */

struct node {
    struct harness h;
    struct hc_launchpad *launchpad; /* or h.board */
};

static void start(struct node *n, bool is_fr5969)
{
    struct hc_telosb_config config = { .node_id = 1 };
    if (is_fr5969)
        n->launchpad = hc_launchpad_new(NULL);
    else
        n->h.board = hc_telosb_new(&config, NULL);
    n->h.machine = is_fr5969 ? n->launchpad->machine : n->h.board->machine;
}

static void stop(struct node *n)
{
    if (n->h.board) {
        harness_stop(&n->h);
        return;
    }
    hc_image_free(n->h.image);
    hc_launchpad_free(n->launchpad);
}

/* None waits: each of them comes. In the recorder, too. */
static bool is_ready(const struct node *n)
{
    enum { OFIE = 0x02 };
    if (n->launchpad)
        return hc_sys_enabled(n->launchpad->chip.sys, HC_SYS_NMI) && !hc_sys_flag(n->launchpad->chip.sys, HC_SYS_NMI);
    struct hc_sfr *sfr = n->h.board->chip.sfr;
    return hc_sfr_get(sfr, HC_IE1) & OFIE && !(hc_sfr_get(sfr, HC_IFG1) & HC_OFIFG);
}

static void cause_fault(const struct node *n)
{
    while (!is_ready(n))
        hc_machine_step(n->h.machine, 1, HC_NEVER);
    if (n->launchpad)
        hc_sys_set_flag(n->launchpad->chip.sys, HC_SYS_NMI, true);
    else
        hc_sfr_change(n->h.board->chip.sfr, HC_IFG1, HC_OFIFG, 0);
}

static void save_log(const struct node *n, const char *path)
{
    enum { LOG = 0x10000, LOG_END = 0x14000 };
    char message[200];
    if (n->h.board) {
        if (hc_m25p80_save_file(n->h.board->flash, path, message, sizeof message))
            fail_msg("%s", message);
        return;
    }
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    for (uint32_t a = LOG; a < LOG_END; a++)
        putc(hc_peek(n->h.machine, a), to);
    fclose(to);
}

/* ---- */

static void record(void **unused)
{
    (void)unused;
    struct node n = { 0 };
    struct hc_oracle_message problem;
    struct hc_oracle_writer *writer;
    uint64_t random = strtoull(words[4], NULL, 0) * 0x9e3779b97f4a7c15u + 1;

    start(&n, !strcmp(words[6], "fr5969"));
    n.h.image = harness_fill(n.h.machine, words[1]);
    hc_machine_reset(n.h.machine, HC_POR);
    if (hc_oracle_write(&writer, n.h.machine, n.h.image, hc_machine_part(n.h.machine)->name, words[3], &problem))
        fail_msg("%s", problem.text);
    harness_run(&n.h, hc_ms(100));
    for (long i = strtol(words[5], NULL, 0); i; i--) {
        harness_run(&n.h, hc_us(1 + next_random(&random) % 30000));
        cause_fault(&n);
    }
    harness_run(&n.h, hc_ms(500));
    printf("%u faults, %u ticks\n", harness_get(&n.h, "faults", 0), harness_get(&n.h, "ticks", 0));
    assert_int_equal(hc_oracle_close(writer, true), 0);
    save_log(&n, words[2]);
    stop(&n);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(record) };
    words = argv;
    return argc == 7 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
