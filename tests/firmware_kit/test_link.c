/* Active messages between nodes of a world: acknowledged, repeated, with the radio always on and with low-power
 * listening, and while the flash chip uses the same bus. */
#include "field/world.h"
#include "image/image.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 3, COUNT = 100 };
enum { ACKED, UNACKED, RECEIVED, DISORDER, WRONG, BROADCASTS, PAGES, BAD_PAGES, UNTIMED, RSSI };

struct link {
    struct hc_world *world;
    struct harness node[NODES]; /* of ids 1, 2, 3; image and machine borrowed */
    struct hc_image *image;
    struct listening {
        hc_time since, total;
        bool on;
    } listening[NODES];
};

/* How long the radio's receiver or transmitter was on. */
static void radio_state_changed(void *owner, int32_t level, hc_time now)
{
    struct listening *l = owner;
    bool on = level >= HC_CC2420_IDLE;
    if (l->on && !on)
        l->total += now - l->since;
    if (on && !l->on)
        l->since = now;
    l->on = on;
}

static int permille_on(const struct link *l, int node)
{
    const struct listening *r = &l->listening[node];
    hc_time now = hc_world_now(l->world), total = r->total + (r->on ? now - r->since : 0);
    return (int)(hc_seconds(total) / hc_seconds(now) * 1000);
}

static void add_node(struct link *l, int i)
{
    struct hc_telosb *board =
        hc_telosb_new(&(struct hc_telosb_config){ .node_id = (uint16_t)(i + 1) }, hc_world_code(l->world));
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(l->image, &segments);
    for (size_t s = 0; s < count; s++)
        for (uint32_t k = 0; k < segments[s].size; k++)
            hc_poke(board->machine, segments[s].address + k, segments[s].bytes[k]);
    hc_wire state = hc_wire_find(board->machine, "radio.state");
    hc_wire_listen(board->machine, state, radio_state_changed, &l->listening[i]);
    l->node[i] = (struct harness){ .machine = board->machine, .image = l->image, .board = board };
    hc_world_add(l->world, board, 0);
}

/* Nodes a metre apart. */
static struct link *link_new(const char *firmware)
{
    struct link *l = calloc(1, sizeof *l);
    struct hc_image_message message;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.elf", HARNESS_FIRMWARE, firmware);
    if (hc_image_load_file(&l->image, path, &message) != HC_IMAGE_OK)
        fail_msg("%s", message.text);
    l->world = hc_world_new(&(struct hc_world_config){ .medium = hc_medium_indoors, .threads = 1 }, NODES);
    for (int i = 0; i < NODES; i++) {
        add_node(l, i);
        hc_medium_place(hc_world_medium(l->world), i, 1000 * i, 0, 0);
    }
    return l;
}

static void link_free(struct link *l)
{
    hc_world_free(l->world);
    hc_image_free(l->image);
    free(l);
}

static void link_run(struct link *l, unsigned seconds)
{
    enum hc_stop why;
    if (hc_world_run(l->world, hc_ms(1000 * (uint64_t)seconds)) != HC_WORLD_TIME)
        fail_msg("node %d stopped: %s", hc_world_stopped(l->world, &why) + 1,
                 hc_fault_text(l->node[hc_world_stopped(l->world, &why)].machine));
}

static int result(const struct link *l, int id, int which)
{
    return harness_get(&l->node[id - 1], "result", which);
}

static int statistic(const struct link *l, int id, const char *name)
{
    return harness_get(&l->node[id - 1], name, 0);
}

static void check_all_arrived(const struct link *l)
{
    assert_int_equal(result(l, 1, ACKED), COUNT);
    assert_int_equal(result(l, 1, UNACKED), 0);
    assert_int_equal(result(l, 2, RECEIVED), COUNT);
    assert_int_equal(result(l, 2, DISORDER), 0);
    assert_int_equal(result(l, 2, WRONG), 0);
    assert_int_equal(result(l, 3, RECEIVED), 0); /* they were not for node 3 */
    for (int id = 2; id <= 3; id++)
        assert_int_equal(result(l, id, BROADCASTS), COUNT / 10);
    for (int id = 1; id <= 3; id++)
        assert_int_equal(statistic(l, id, "task_overflows"), 0);
}

static void messages_are_acknowledged(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link");
    link_run(l, 8);
    check_all_arrived(l);
    assert_int_equal(statistic(l, 1, "csma_transmissions"), COUNT + COUNT / 10);
    assert_int_equal(result(l, 2, UNTIMED), 0);
    assert_in_range((int16_t)result(l, 2, RSSI) + 100, 55, 65); /* 0 dBm, 40 dB of loss */
    link_free(l);
}

/* Sender and receivers have the same time here: an SFD is at the same tick, or the next. */
static void frames_are_timed_by_their_sfd(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link");
    link_run(l, 8);
    uint32_t sent = harness_get32(&l->node[0], "broadcast_sent_at", 0);
    for (int id = 2; id <= 3; id++) {
        int32_t difference = (int32_t)(harness_get32(&l->node[id - 1], "broadcast_received_at", 0) - sent);
        assert_in_range(difference + 10, 9, 11);
    }
    link_free(l);
}

static void what_is_not_acknowledged_is_repeated(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link");
    hc_medium_link(hc_world_medium(l->world), 1, 0, HC_NOT_HEARD); /* acknowledgements do not come back */
    link_run(l, 12);
    assert_int_equal(result(l, 1, ACKED), 0);
    assert_int_equal(result(l, 1, UNACKED), COUNT);
    assert_int_equal(result(l, 2, RECEIVED), COUNT); /* once each */
    assert_int_equal(result(l, 2, DISORDER), 0);
    assert_int_equal(statistic(l, 2, "lpl_duplicates"), 2 * COUNT);
    assert_int_equal(statistic(l, 1, "csma_transmissions"), 3 * COUNT + COUNT / 10);
    link_free(l);
}

static void radio_and_flash_share_the_bus(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link_flash");
    link_run(l, 8);
    check_all_arrived(l);
    for (int id = 1; id <= 3; id++) {
        assert_true(result(l, id, PAGES) > 500);
        assert_int_equal(result(l, id, BAD_PAGES), 0);
    }
    link_free(l);
}

/* Two senders whose timers fire at the same moments. */
static void rivals_wait_for_each_other(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link_rivals");
    link_run(l, 8);
    int acked = result(l, 1, ACKED) + result(l, 3, ACKED);
    assert_in_range(acked, 2 * COUNT - 2, 2 * COUNT);
    assert_in_range(result(l, 2, RECEIVED), acked, 2 * COUNT);
    assert_int_equal(result(l, 2, WRONG), 0);
    int transmissions = statistic(l, 1, "csma_transmissions") + statistic(l, 3, "csma_transmissions");
    assert_in_range(transmissions, 2 * (COUNT + COUNT / 10), 2 * (COUNT + COUNT / 10) + 30);
    link_free(l);
}

static void nodes_that_sleep_hear_each_other(void **state)
{
    (void)state;
    struct link *l = link_new("radio_link_lpl64");
    link_run(l, 60);
    check_all_arrived(l);
    link_free(l);
    l = link_new("radio_link_lpl512");
    link_run(l, 150);
    check_all_arrived(l);
    link_free(l);
}

static void radios_go_off_and_on_and_change_their_ways(void **state)
{
    (void)state;
    struct link *l = link_new("radio_modes");
    link_run(l, 10);
    static const struct {
        int acked, unacked, slack;
    } expected[] = { { 19, 0, 1 }, { 20, 0, 1 }, { 0, 20, 3 }, { 20, 0, 2 }, { 1, 0, 0 } };
    for (int i = 0; i < 5; i++) {
        if (abs(result(l, 1, i) - expected[i].acked) > expected[i].slack ||
            abs(result(l, 1, 5 + i) - expected[i].unacked) > expected[i].slack)
            fail_msg("phase %d: %d acknowledged, %d not", i, result(l, 1, i), result(l, 1, 5 + i));
    }
    link_free(l);
}

/* When nobody sends any more, the radio is on for a look of about 4 ms in each interval. */
static void a_quiet_channel_costs_little(void **state)
{
    (void)state;
    static const struct {
        const char *firmware;
        int least, most;
    } expected[] = { { "radio_link_lpl64", 40, 80 }, { "radio_link_lpl512", 4, 11 } };
    for (int i = 0; i < 2; i++) {
        struct link *l = link_new(expected[i].firmware);
        for (int to = 0; to < NODES; to++)
            for (int from = 0; from < NODES; from++)
                if (from != to)
                    hc_medium_link(hc_world_medium(l->world), from, to, HC_NOT_HEARD);
        link_run(l, 30);
        assert_in_range(permille_on(l, 2), expected[i].least, expected[i].most);
        link_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_acknowledged),
        cmocka_unit_test(frames_are_timed_by_their_sfd),
        cmocka_unit_test(what_is_not_acknowledged_is_repeated),
        cmocka_unit_test(radio_and_flash_share_the_bus),
        cmocka_unit_test(rivals_wait_for_each_other),
        cmocka_unit_test(nodes_that_sleep_hear_each_other),
        cmocka_unit_test(radios_go_off_and_on_and_change_their_ways),
        cmocka_unit_test(a_quiet_channel_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
