/* The server over a real socket: bytes that come in pieces, damaged, too many, at the wrong time, or no more. */
#include "../support/skip.h"
#include "gdb/gdb.h"
#include "gdb/packet.h"
#include "machine/board/flat.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct hc_machine *m;
    struct hc_gdb_target *t;
    struct hc_gdb_server_config config;
    pthread_t thread;
    sem_t ready;
    uint16_t port;
    enum hc_gdb_end end;
    int fd; /* the debugger's side */
};

static void listening(void *owner, uint16_t port)
{
    struct fixture *f = owner;

    f->port = port;
    sem_post(&f->ready);
}

static void *serve(void *owner)
{
    struct fixture *f = owner;

    f->end = hc_gdb_serve(&f->config, f->t);
    return NULL;
}

static void connect_to(struct fixture *f)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(f->port) };

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    f->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(f->fd >= 0);
    assert_int_equal(connect(f->fd, (struct sockaddr *)&address, sizeof address), 0);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    f->m = hc_flat_new(HC_CPU_MSP430);
    hc_poke16(f->m, 0x4000, 0x3fff); /* jmp $ */
    hc_poke16(f->m, 0xfffe, 0x4000);
    hc_machine_reset(f->m, HC_POR);
    f->t = hc_gdb_machine_target_new(f->m, HC_NEVER);
    f->config = (struct hc_gdb_server_config){ .listening = listening, .owner = f };
    sem_init(&f->ready, 0, 0);
    pthread_create(&f->thread, NULL, serve, f);
    sem_wait(&f->ready);
    connect_to(f);
    *state = f;
    return 0;
}

static void put(struct fixture *f, const char *bytes, size_t n)
{
    assert_int_equal(send(f->fd, bytes, n, MSG_NOSIGNAL), n);
}

static void put_text(struct fixture *f, const char *text)
{
    put(f, text, strlen(text));
}

static void put_packet(struct fixture *f, const char *payload)
{
    char frame[600];

    put(f, frame, hc_gdb_frame(frame, payload, strlen(payload)));
}

/* Exactly these bytes come next; a few seconds are enough for anything. */
static void expect(struct fixture *f, const char *text)
{
    char got[300] = "";
    size_t n = 0, wanted = strlen(text);

    while (n < wanted) {
        struct pollfd p = { .fd = f->fd, .events = POLLIN };
        ssize_t more = poll(&p, 1, 10000) > 0 ? recv(f->fd, got + n, wanted - n, 0) : -1;

        if (more <= 0)
            fail_msg("\"%s\" instead of \"%s\"", got, text);
        n += (size_t)more;
    }
    assert_string_equal(got, text);
}

static void expect_silence(struct fixture *f)
{
    struct pollfd p = { .fd = f->fd, .events = POLLIN };

    assert_int_equal(poll(&p, 1, 50), 0);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "k");
    pthread_join(f->thread, NULL);
    close(f->fd);
    sem_destroy(&f->ready);
    hc_gdb_target_free(f->t);
    hc_machine_free(f->m);
    free(f);
    return 0;
}

static void ends_as(struct fixture *f, enum hc_gdb_end end)
{
    pthread_join(f->thread, NULL);
    assert_int_equal(f->end, end);
    close(f->fd);
    pthread_create(&f->thread, NULL, serve, f); /* for the teardown */
    sem_wait(&f->ready);
    connect_to(f);
}

static const char stopped[] = "$T0500:0040;01:0* ;thread:1;#c0"; /* at 0x4000 */

static void acknowledges(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "qC");
    expect(f, "+$QC1#c5");
    put_text(f, "-"); /* lost on the way: once more */
    expect(f, "$QC1#c5");
    put_text(f, "+$qC#00");
    expect(f, "-");
    put_text(f, "$qC#b4");
    expect(f, "+$QC1#c5");

    put_packet(f, "QStartNoAckMode");
    expect(f, "+$OK#9a");
    put_text(f, "+$qC#b4");
    expect(f, "$QC1#c5");
    put_text(f, "-");
    expect_silence(f);
}

static void pieces(void **state)
{
    static const char request[] = "$?#3f";
    struct fixture *f = *state;

    for (size_t i = 0; i + 1 < sizeof request; i++) {
        put(f, request + i, 1);
        usleep(1000);
    }
    expect(f, "+");
    expect(f, stopped);
    put_text(f, "+$qC#b4+$qC#b4+"); /* two at once */
    expect(f, "+$QC1#c5+$QC1#c5");
}

static void too_long(void **state)
{
    struct fixture *f = *state;
    char *junk = malloc(100000);

    memset(junk, 'a', 100000);
    junk[0] = '$';
    put(f, junk, 100000);
    put_text(f, "#00");
    expect(f, "+$E5a#db");
    put_text(f, "+$qC#b4");
    expect(f, "+$QC1#c5");
    free(junk);
}

static void ctrl_c(void **state)
{
    struct fixture *f = *state;

    put_text(f, "\003"); /* it doesn't run */
    expect_silence(f);
    put_packet(f, "vCont;c");
    expect(f, "+");
    expect_silence(f);
    put_text(f, "\003");
    expect(f, "$T0200:0040;01:0* ;thread:1;#bd");

    put_packet(f, "vCont;r4000,4002:1"); /* never leaves the range */
    expect(f, "+");
    expect_silence(f);
    put_text(f, "\003");
    expect(f, "$T0200:0040;01:0* ;thread:1;#bd");

    /* Asleep for ever. */
    put_packet(f, "P2=1000");
    expect(f, "+$OK#9a");
    put_packet(f, "c");
    expect(f, "+");
    expect_silence(f);
    put_text(f, "\003");
    expect(f, "$T0200:0040;01:0* ;thread:1;#bd");
}

/* Against the protocol, but no reason to hang. */
static void packet_while_running(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "c");
    expect(f, "+");
    put_packet(f, "qC");
    expect(f, "+$T0200:0040;01:0* ;thread:1;#bd$QC1#c5");
}

static void debuggers_come_and_go(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "Z0,4000,2");
    expect(f, "+$OK#9a");
    close(f->fd); /* without a word; its breakpoint goes with it */
    connect_to(f);
    put_packet(f, "c");
    expect(f, "+");
    expect_silence(f);
    close(f->fd); /* while it runs */
    connect_to(f);
    put_packet(f, "QStartNoAckMode");
    expect(f, "+$OK#9a");
    close(f->fd);
    connect_to(f);
    put_packet(f, "?"); /* what was agreed with one is nothing to the next */
    expect(f, "+");
    expect(f, stopped);
}

static void detaches(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "Z0,4000,2");
    expect(f, "+$OK#9a");
    put_packet(f, "D");
    expect(f, "+$OK#9a");
    ends_as(f, HC_GDB_DETACHED);
    put_packet(f, "s");
    expect(f, "+");
    expect(f, stopped);
}

static void kills(void **state)
{
    struct fixture *f = *state;

    put_packet(f, "vKill;1");
    expect(f, "+$OK#9a");
    ends_as(f, HC_GDB_KILLED);
}

/* Nobody outside this host can reach it. */
static void only_loopback(void **state)
{
    struct fixture *f = *state;
    FILE *list = fopen("/proc/net/tcp", "r");
    char line[256];
    int found = 0;

    if (!list)
        SKIP_BECAUSE("there is no /proc/net/tcp to look at");
    while (fgets(line, sizeof line, list)) {
        unsigned address, port, peer, peer_port, status;

        if (sscanf(line, " %*d: %x:%x %x:%x %x", &address, &port, &peer, &peer_port, &status) == 5 && port == f->port &&
            status == 0x0a) {
            assert_int_equal(address, htonl(INADDR_LOOPBACK));
            found++;
        }
    }
    fclose(list);
    assert_int_equal(found, 1);
}

static void port_in_use(void **state)
{
    struct fixture *f = *state;
    struct hc_gdb_server_config config = { .port = f->port };
    char expected[40];

    assert_int_equal(hc_gdb_serve(&config, f->t), HC_GDB_FAILED);
    snprintf(expected, sizeof expected, "port %u: ", f->port);
    assert_memory_equal(config.error, expected, strlen(expected));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(acknowledges),          TEST(pieces),   TEST(too_long), TEST(ctrl_c),        TEST(packet_while_running),
        TEST(debuggers_come_and_go), TEST(detaches), TEST(kills),    TEST(only_loopback), TEST(port_in_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
