/* The encoder on the node is the encoder on the host: the same pages, byte by byte, from the same events. */
#include "node_events.h"

#include "../../runtime/link.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct pages {
    struct hc_codec codec;
    uint8_t *bytes; /* stream, length, payload of each */
    size_t size, room;
};

static void put(struct pages *p, uint8_t byte)
{
    if (p->size == p->room) {
        p->room = p->room * 2 + 1024;
        p->bytes = realloc(p->bytes, p->room);
        assert_non_null(p->bytes);
    }
    p->bytes[p->size++] = byte;
}

static void host_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct pages *p = (struct pages *)codec;
    put(p, stream);
    put(p, length);
    for (int i = 0; i < length; i++)
        put(p, page[i]);
}

static enum hc_action node_page(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct pages *p = owner;
    uint8_t length = (uint8_t)hc_register(m, 15);
    (void)pc;
    put(p, (uint8_t)hc_register(m, 13));
    put(p, length);
    for (unsigned i = 0; i < length; i++)
        put(p, hc_peek(m, hc_register(m, 14) + i));
    return HC_CONTINUE;
}

static void encode_on_host(struct pages *p, uint8_t sets, bool laps)
{
    uint32_t seed = 1;
    hc_codec_open(&p->codec, node_sites, host_page);
    p->codec.sets = sets;
    hc_codec_start(&p->codec);
    for (int i = 0; i < NODE_EVENTS; i++)
        node_event(&p->codec, &seed, laps);
    hc_codec_finish(&p->codec);
}

static void compare(const char *firmware, uint8_t sets, bool laps)
{
    struct harness h;
    struct hc_statistics statistics;
    struct pages host = { .size = 0 };
    struct pages node = { .size = 0 };

    encode_on_host(&host, sets, laps);
    harness_start(&h, firmware);
    for (uint32_t i = 0; !laps && i < sizeof((struct hc_link *)0)->hashed; i++) /* all positions need their hash */
        hc_poke(h.machine, harness_address(&h, "__hc_link") + HC_LINK_HASHED + i, 0xff);
    hc_hook_pc(h.machine, harness_address(&h, "page_out"), node_page, &node);
    harness_finish(&h, 600 * HC_SECOND);
    hc_machine_statistics(h.machine, &statistics);
    print_message("%s: %zu bytes, %llu cycles an event\n", firmware, node.size,
                  (unsigned long long)statistics.cycles / NODE_EVENTS);
    assert_int_equal(node.size, host.size);
    assert_memory_equal(node.bytes, host.bytes, host.size);
    harness_stop(&h);
    free(host.bytes);
    free(node.bytes);
}

static void hindcast(void **state)
{
    (void)state;
    compare("codec_hindcast", 0, false);
}

/* The encoder in C, wherever the caller has its codec. */
static void anywhere(void **state)
{
    (void)state;
    compare("codec_anywhere", 0, true);
}

static void paper(void **state)
{
    (void)state;
    compare("codec_paper", HC_PAPER_ALL, true);
}

static void both(void **state)
{
    (void)state;
    compare("codec_both", HC_PAPER_REGISTERS, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hindcast),
        cmocka_unit_test(anywhere),
        cmocka_unit_test(paper),
        cmocka_unit_test(both),
    };
    return cmocka_run_group_tests_name("node", tests, NULL, NULL);
}
