/* A command from the base station makes every node that records keep what it has. */
#include "field/network.h"
#include "machine/board/telosb.h"
#include "trace/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 9, REASON = 0xfff0 };

static struct hc_log *read_log(const struct network *n, int node)
{
    static uint8_t bytes[HC_M25P80_SIZE];
    struct hc_log *log;
    struct hc_log_message message;
    hc_m25p80_read(hc_world_board(n->world, node)->flash, 0, bytes, sizeof bytes);
    if (hc_log_open_memory(&log, "flash", bytes, sizeof bytes, &message) != HC_LOG_OK)
        fail_msg("node %d: %s", node, message.text);
    return log;
}

/* Marks that say that the base station wanted it. */
static int freezes(const struct hc_log *log)
{
    const struct hc_log_page *page;
    size_t count = hc_log_pages(log, &page);
    int found = 0;
    for (size_t i = 0; i < count; i++)
        if (page[i].stream == HC_STREAM_MARK) {
            assert_int_equal(page[i].payload[0] | page[i].payload[1] << 8, REASON);
            found++;
        }
    return found;
}

static void assert_kept(const struct hc_log *before, const struct hc_log *after)
{
    const struct hc_log_page *a, *b;
    size_t n = hc_log_pages(before, &a);
    assert_true(hc_log_pages(after, &b) >= n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].sequence, b[i].sequence);
        assert_int_equal(a[i].length, b[i].length);
        assert_memory_equal(a[i].payload, b[i].payload, a[i].length);
    }
}

static void all_nodes_freeze(void **state)
{
    struct network n;
    struct hc_log *log[NODES];
    int from = 0;
    (void)state;
    network_start(&n, "surge-rec", NODES);
    network_grid(&n, 3, 1000);
    network_run(&n, 30 * HC_SECOND);
    for (int i = 0; i < NODES; i++) {
        log[i] = read_log(&n, i);
        assert_int_equal(freezes(log[i]), 0);
        hc_log_free(log[i]);
    }
    network_type(&n, "freeze-log");
    network_run(&n, 60 * HC_SECOND);
    assert_non_null(network_next(&n, "surge: sent", &from));
    for (int i = 0; i < NODES; i++) {
        log[i] = read_log(&n, i);
        if (freezes(log[i]) != 1)
            fail_msg("node %d: %d freezes", i, freezes(log[i]));
    }
    network_run(&n, 90 * HC_SECOND);
    for (int i = 0; i < NODES; i++) {
        struct hc_log *later = read_log(&n, i);
        assert_kept(log[i], later);
        assert_int_equal(freezes(later), 1);
        hc_log_free(later);
        hc_log_free(log[i]);
    }
    from = n.lines - 10; /* and they go on */
    assert_non_null(network_next(&n, "surge ", &from));
    network_stop(&n);
}

/* One that does not record obeys by doing nothing. */
static void others_do_not_mind(void **state)
{
    struct network n;
    int from = 0;
    (void)state;
    network_start(&n, "surge", 2);
    network_link(&n, 0, 1);
    network_run(&n, 20 * HC_SECOND);
    network_type(&n, "freeze-log");
    network_run(&n, 40 * HC_SECOND);
    assert_non_null(network_next(&n, "surge: sent", &from));
    assert_non_null(network_next(&n, "surge 1 ", &from));
    network_stop(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_nodes_freeze),
        cmocka_unit_test(others_do_not_mind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
