/* The applications of firmware/apps in networks: what of it reaches the base station.
 *
 * With the argument "short" (for builds that run slowly) the long runs are shorter; a second argument is a pattern of
 * tests to leave out. */
#include "field/energy.h"
#include "field/network.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The first words of the firmware's struct ctp_statistics. */
enum { PARENT, ETX };

static bool short_runs;

static hc_time seconds(int s)
{
    return (hc_time)s * HC_SECOND;
}

/* What came from a node: how many messages, no number twice, and the greatest number. Another way may be quicker: they
 * may come in another order. */
struct tally {
    int messages, last;
    hc_time last_at;
};

static struct tally count(const struct network *n, const char *app, int origin)
{
    struct tally t = { 0, -1, 0 };
    bool came[UINT16_MAX + 1] = { false };
    char prefix[32];
    int at = 0;
    const struct network_line *line;
    snprintf(prefix, sizeof prefix, "%s %d ", app, origin);
    while ((line = network_next(n, prefix, &at))) {
        int number = atoi(line->text + strlen(prefix));
        assert_in_range(number, 0, UINT16_MAX);
        assert_false(came[number]);
        came[number] = true;
        t = (struct tally){ t.messages + 1, number > t.last ? number : t.last, line->at };
    }
    return t;
}

/* At least 99 % of the messages that each node from FIRST on has sent, whose numbers are STEP apart, have come; and
 * each has sent LEAST. */
static void assert_delivered(const struct network *n, const char *app, int first, int step, int least)
{
    int all = 0, came = 0;
    for (int i = first; i < n->nodes; i++) {
        struct tally t = count(n, app, i);
        int sent = t.last / step + 1;
        if (sent < least)
            fail_msg("node %d: only %d messages", i, sent);
        all += sent;
        came += t.messages;
    }
    if (came * 100 < all * 99)
        fail_msg("%d of %d messages came", came, all);
}

enum { GRID = 9 };

/* PERIOD is in milliseconds, between two messages of a node, whose numbers are STEP apart. What each node used goes to
 * USED, if that is not NULL. */
static void run_grid(const char *image, const char *app, int step, int period, struct hc_energy_report used[GRID])
{
    struct network n;
    struct hc_energy *energy[GRID];
    int length = short_runs ? 120 : 600;
    network_start(&n, image, GRID);
    network_grid(&n, 3, 1000);
    for (int i = 0; i < GRID; i++) {
        energy[i] = hc_energy_new(hc_world_board(n.world, i));
        assert_non_null(energy[i]);
        hc_energy_switch(energy[i], true);
    }
    network_run(&n, seconds(length));
    assert_delivered(&n, app, 0, step, length * 1000 / period - 4);
    for (int i = 0; i < GRID && used; i++)
        hc_energy_measure(energy[i], &used[i]);
    network_stop(&n);
    for (int i = 0; i < GRID; i++)
        hc_energy_free(energy[i]);
}

static void mho_in_a_grid(void **state)
{
    (void)state;
    run_grid("mho", "mho", 5, 5000, NULL);
}

static void mho_in_a_grid_that_listens_every_64_ms(void **state)
{
    (void)state;
    run_grid("mho-lpl64", "mho", 5, 5000, NULL);
}

static hc_time radio_on(const struct hc_energy_report *used)
{
    hc_time sum = 0;
    for (int state = HC_CC2420_RX_CALIBRATE; state < HC_CC2420_STATES; state++)
        sum += used->radio[state];
    return sum;
}

static hc_time radio_sends(const struct hc_energy_report *used)
{
    return used->radio[HC_CC2420_TX_PREAMBLE] + used->radio[HC_CC2420_TX_FRAME];
}

/* Of all but the base station. */
static hc_time senders_awake(const struct hc_energy_report used[GRID])
{
    hc_time sum = 0;
    for (int i = 1; i < GRID; i++)
        sum += used[i].cpu[HC_MODE_ACTIVE];
    return sum;
}

static double mean_milliwatts(const struct hc_energy_report used[GRID])
{
    double sum = 0;
    for (int i = 0; i < GRID; i++)
        sum += used[i].mean_milliwatts;
    return sum / GRID;
}

/* As TARDIS has it in Figure 6: radios that are always on cost by far the most; with the longer interval who mostly
 * listens sleeps more, and who sends is busy for longer. */
static void mho_in_a_grid_with_low_power_listening(void **state)
{
    struct hc_energy_report always[GRID], ms64[GRID], ms512[GRID];
    (void)state;
    run_grid("mho", "mho", 5, 5000, always);
    run_grid("mho-lpl64", "mho", 5, 5000, ms64);
    run_grid("mho-lpl512", "mho", 5, 5000, ms512);
    for (int i = 0; i < GRID; i++)
        assert_true(always[i].mean_milliwatts > 50 && always[i].mean_milliwatts < 70);
    assert_true(mean_milliwatts(ms64) < mean_milliwatts(always) / 5);
    assert_true(mean_milliwatts(ms512) < mean_milliwatts(always) / 4);
    assert_true(radio_sends(&ms512[1]) > 2 * radio_sends(&ms64[1]));
    assert_true(senders_awake(ms64) > senders_awake(always));
    if (!short_runs) /* at first everybody sends beacons */
        assert_true(radio_on(&ms512[0]) < radio_on(&ms64[0]));
}

static void collect_in_a_grid(void **state)
{
    (void)state;
    run_grid("collect", "collect", 1, 20000, NULL);
}

static void surge_in_a_grid(void **state)
{
    (void)state;
    run_grid("surge", "surge", 1, 2000, NULL);
}

static void five_hops(void **state)
{
    struct network n;
    (void)state;
    network_start(&n, "mho", 6);
    for (int i = 0; i < 5; i++)
        network_link(&n, i, i + 1);
    network_run(&n, seconds(600));
    assert_delivered(&n, "mho", 1, 5, 118);
    for (int i = 1; i < 6; i++)
        assert_int_equal(network_get(&n, i, "ctp_statistics", PARENT), i - 1);
    network_stop(&n);
}

static void reboot(void *owner, struct hc_world *world, hc_time at)
{
    (void)at;
    hc_world_reboot(world, *(const int *)owner);
}

static void a_node_on_the_way_reboots(void **state)
{
    struct network n;
    int node = 2, at = 0;
    const struct network_line *line;
    (void)state;
    network_start(&n, "mho", 4);
    for (int i = 0; i < 3; i++)
        network_link(&n, i, i + 1);
    hc_world_at(n.world, seconds(101), reboot, &node);
    network_run(&n, seconds(101));
    int before = n.lines;
    network_run(&n, seconds(130));
    at = before;
    line = network_next(&n, "mho 3 ", &at);
    assert_non_null(line);
    assert_true(line->at < seconds(112));
    at = before;
    assert_non_null(network_next(&n, "mho 2 0 ", &at)); /* which counts from 0 again */
    network_stop(&n);
}

static void single_hop_oscilloscope(void **state)
{
    struct network n;
    (void)state;
    network_start(&n, "oscilloscope", 4);
    network_grid(&n, 2, 1000);
    network_run(&n, seconds(60));
    assert_delivered(&n, "oscilloscope", 1, 10, 46);
    network_stop(&n);
}

/* ---- the earthquake monitor ---- */

static double hertz_at(int node)
{
    return 4.3 + 7.1 * node;
}

/* A volt around 1.25 V. */
static int64_t shake(void *owner, int channel, hc_time t)
{
    const int *node = owner;
    (void)channel;
    return (int64_t)(1250000 + 500000 * sin(2 * 3.14159265358979 * hertz_at(*node) * hc_seconds(t)));
}

static void em_tells_the_frequency(void **state)
{
    struct network n;
    int numbers[4] = { 0, 1, 2, 3 };
    (void)state;
    network_start(&n, "em", 4);
    network_grid(&n, 2, 1000);
    for (int i = 0; i < 4; i++)
        hc_adc12_set_source(hc_world_board(n.world, i)->chip.adc12, 0, shake, &numbers[i]);
    network_run(&n, seconds(30));
    assert_delivered(&n, "em", 1, 1, 24);
    int at = 0, origin, number, centihertz, magnitude;
    const struct network_line *line;
    while ((line = network_next(&n, "em ", &at))) {
        assert_int_equal(sscanf(line->text, "em %d %d %d %d", &origin, &number, &centihertz, &magnitude), 4);
        assert_true(fabs(centihertz / 100.0 - hertz_at(origin)) < 0.3);
        assert_true(magnitude > 1000);
    }
    network_stop(&n);
}

/* ---- commands ---- */

static int lines_until(struct network *n, int s, const char *prefix)
{
    int from = n->lines, found = 0;
    network_run(n, seconds(s));
    while (network_next(n, prefix, &from))
        found++;
    return found;
}

static void surge_obeys(void **state)
{
    struct network n;
    int from = 0;
    (void)state;
    network_start(&n, "surge", 4);
    for (int i = 0; i < 3; i++)
        network_link(&n, i, i + 1);
    network_run(&n, seconds(60));
    network_type(&n, "rate 500");
    network_run(&n, seconds(70));
    assert_non_null(network_next(&n, "surge: sent", &from));
    assert_in_range(lines_until(&n, 100, "surge 3 "), 58, 62);
    network_type(&n, "freeze");
    network_run(&n, seconds(110));
    assert_int_equal(lines_until(&n, 140, "surge 3 "), 0);
    network_type(&n, "rate");
    assert_int_equal(lines_until(&n, 141, "surge: rate MS"), 1);
    network_type(&n, "rate 99999999");
    assert_int_equal(lines_until(&n, 142, "surge: rate MS"), 1);
    network_type(&n, "explode");
    assert_int_equal(lines_until(&n, 143, "surge: rate MS"), 1);
    network_type(&n, "go");
    network_run(&n, seconds(150));
    assert_in_range(lines_until(&n, 160, "surge 3 "), 18, 22);
    network_type(&n, "focus 3");
    network_run(&n, seconds(170));
    network_stop(&n);
}

/* A node that is cut off when a command is given has it soon after it is heard again. */
static void commands_reach_who_was_away(void **state)
{
    struct network n;
    (void)state;
    network_start(&n, "surge", 3);
    network_link(&n, 0, 1);
    network_cut(&n, 1, 2, seconds(55), seconds(90));
    network_run(&n, seconds(60));
    network_type(&n, "freeze");
    network_run(&n, seconds(600));
    assert_int_equal(network_get(&n, 2, "frozen", 0) & 0xff, 1);
    network_stop(&n);
}

/* ---- TARDIS (IPSN 2015), section 4.5: nodes 5 to 8 are cut off from 30 s to 50 s ---- */

static void start_partition(struct network *n, const char *image)
{
    network_start(n, image, 9);
    network_clique(n, 0, 4);
    network_clique(n, 5, 8);
    network_cut(n, 4, 5, seconds(30), seconds(50));
    network_run(n, seconds(30));
    for (int i = 1; i < 9; i++)
        assert_true(count(n, "mho", i).messages >= 4);
}

static void after_a_partition_nodes_are_silent_for_20_minutes(void **state)
{
    struct network n;
    int end = short_runs ? 400 : 50 + 20 * 60, at;
    (void)state;
    start_partition(&n, "mho");
    network_run(&n, seconds(36)); /* what was under way */
    at = n.lines;
    network_run(&n, seconds(50));
    uint16_t etx = network_get(&n, 5, "ctp_statistics", ETX);
    assert_true(etx > 100);
    network_run(&n, seconds(end));
    for (const struct network_line *line; (line = network_next(&n, "mho ", &at));)
        assert_true(atoi(line->text + 4) <= 4);
    for (int i = 1; i <= 4; i++)
        assert_true(count(&n, "mho", i).last >= end - 10);
    for (int i = 5; i <= 8; i++)
        assert_in_range(network_get(&n, i, "ctp_statistics", PARENT), 5, 8);
    assert_true(network_get(&n, 5, "ctp_statistics", ETX) > etx);
    network_stop(&n);
}

static void with_the_fix_they_are_back_in_seconds(void **state)
{
    struct network n;
    (void)state;
    start_partition(&n, "mho-fix");
    network_run(&n, seconds(65));
    for (int i = 5; i <= 8; i++)
        assert_true(count(&n, "mho", i).last_at > seconds(50));
    int at = 0, after = 0;
    for (const struct network_line *line; (line = network_next(&n, "mho ", &at));)
        after += line->at > seconds(50) && line->at < seconds(60) && atoi(line->text + 4) >= 5;
    assert_true(after >= 4);
    network_stop(&n);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mho_in_a_grid),
        cmocka_unit_test(mho_in_a_grid_that_listens_every_64_ms),
        cmocka_unit_test(mho_in_a_grid_with_low_power_listening),
        cmocka_unit_test(collect_in_a_grid),
        cmocka_unit_test(surge_in_a_grid),
        cmocka_unit_test(five_hops),
        cmocka_unit_test(a_node_on_the_way_reboots),
        cmocka_unit_test(single_hop_oscilloscope),
        cmocka_unit_test(em_tells_the_frequency),
        cmocka_unit_test(surge_obeys),
        cmocka_unit_test(commands_reach_who_was_away),
        cmocka_unit_test(after_a_partition_nodes_are_silent_for_20_minutes),
        cmocka_unit_test(with_the_fix_they_are_back_in_seconds),
    };
    short_runs = argc > 1 && strcmp(argv[1], "short") == 0;
    if (argc > 2)
        cmocka_set_skip_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
