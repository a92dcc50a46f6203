/* A small radio stack in the style of Contiki, and a program on it: where its layers call hc_message_send and
 * hc_message_receive (docs/order.md).
 *
 *     hello, answer        processes: protothreads, which wait for events
 *     network              broadcast and unicast, told apart by the receiver's address
 *     MAC                  a queue of packets; each is repeated until it is acknowledged, TRIES times
 *     framer               IEEE 802.15.4
 *     radio                the kit's csma: carrier sense, one attempt
 *
 * Layers are tables of functions. They share one packet buffer, into which each puts its header before what is there,
 * and from which it takes it away on the other side. With STACK_DSN the number of a message is that of its frame. */
#include "../../../runtime/messages.h"
#include "drivers/board.h"
#include "drivers/leds.h"
#include "kernel/random.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"
#include "net/csma.h"

#include <kit.h>

enum { CHANNEL = 22, PAN = 0x2211, EVERYBODY = 0xffff, TRIES = 4, QUEUE = 4, RECENT = 8 };

/* ---- the packet buffer ---- */

enum { HEADERS = 12, DATA = 20, PACKET = HEADERS + DATA };

static struct {
    uint16_t sender, receiver;
    uint8_t number; /* of the frame */
    uint8_t begin, end;
    uint8_t byte[PACKET];
} packet;

static void packet_clear(void)
{
    packet.begin = packet.end = HEADERS;
}

static void packet_copy_from(const void *data, uint8_t size)
{
    packet_clear();
    memcpy(packet.byte + HEADERS, data, size);
    packet.end = (uint8_t)(HEADERS + size);
}

/* Room for a header of SIZE bytes before what is there. */
static uint8_t *packet_header(uint8_t size)
{
    packet.begin -= size;
    return packet.byte + packet.begin;
}

/* The header of SIZE bytes is done with. NULL: there are fewer. */
static const uint8_t *packet_reduce(uint8_t size)
{
    const uint8_t *header = packet.byte + packet.begin;

    if (packet.end - packet.begin < size)
        return NULL;
    packet.begin += size;
    return header;
}

/* ---- layers ---- */

struct network_driver {
    void (*input)(void);
};
struct mac_driver {
    void (*send)(void);
    void (*input)(void);
};
static const struct network_driver network;
static const struct mac_driver mac;

/* ---- framer ---- */

enum { FRAME_HEADER = 9, DATA_FRAME = 0x41, ACK_REQUEST = 0x20, SHORT_ADDRESSES = 0x88 };

static void put_word(uint8_t *to, uint16_t word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
}

static uint16_t word(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static void framer_create(void)
{
    uint8_t *h = packet_header(FRAME_HEADER);

    h[0] = packet.receiver == EVERYBODY ? DATA_FRAME : DATA_FRAME | ACK_REQUEST;
    h[1] = SHORT_ADDRESSES;
    h[2] = packet.number;
    put_word(h + 3, PAN);
    put_word(h + 5, packet.receiver);
    put_word(h + 7, packet.sender);
}

static bool framer_parse(void)
{
    const uint8_t *h = packet_reduce(FRAME_HEADER);

    if (!h || (h[0] & ~ACK_REQUEST) != DATA_FRAME || h[1] != SHORT_ADDRESSES)
        return false;
    packet.number = h[2];
    packet.receiver = word(h + 5);
    packet.sender = word(h + 7);
    return true;
}

/* ---- MAC ---- */

static struct queued {
    uint16_t receiver;
    uint8_t number, size, tries;
    uint8_t byte[DATA + 1];
} queue[QUEUE];
static uint8_t queue_first, queue_count;
static uint8_t next_number;
static uint8_t frame[1 + PACKET + CC2420_FCS]; /* on its way: length first */

static void transmit(void)
{
    const struct queued *q = &queue[queue_first];

    packet_copy_from(q->byte, q->size);
    packet.sender = node_id;
    packet.receiver = q->receiver;
    packet.number = q->number;
    framer_create();
    uint8_t size = (uint8_t)(packet.end - packet.begin);
    frame[0] = (uint8_t)(size + CC2420_FCS);
    memcpy(frame + 1, packet.byte + packet.begin, size);
    csma_send(frame, 0);
}

/* A message is numbered here, once: before it is queued, from where it is sent several times. */
static void number_message(void)
{
#if STACK_DSN
    hc_message_sent(node_id, packet.receiver, packet.number);
#else
    *packet_header(1) = hc_message_send(node_id, packet.receiver);
#endif
}

static void mac_send(void)
{
    if (queue_count == QUEUE)
        return;
    packet.number = next_number++;
    number_message();
    struct queued *q = &queue[(queue_first + queue_count) % QUEUE];
    q->receiver = packet.receiver;
    q->number = packet.number;
    q->size = (uint8_t)(packet.end - packet.begin);
    q->tries = 0;
    memcpy(q->byte, packet.byte + packet.begin, q->size);
    if (queue_count++ == 0)
        transmit();
}

static void mac_sent(enum csma_result result)
{
    if (result != CSMA_NO_ACK || ++queue[queue_first].tries == TRIES) {
        queue_first = (queue_first + 1) % QUEUE;
        queue_count--;
    }
    if (queue_count)
        transmit();
}

/* Its acknowledgement was lost, and it came again. */
static bool came_before(void)
{
    static struct {
        uint16_t sender;
        uint8_t number;
    } recent[RECENT] = { [0 ... RECENT - 1] = { EVERYBODY, 0 } };
    static uint8_t next;

    for (uint8_t i = 0; i < RECENT; i++)
        if (recent[i].sender == packet.sender && recent[i].number == packet.number)
            return true;
    recent[next].sender = packet.sender;
    recent[next].number = packet.number;
    next = (next + 1) % RECENT;
    return false;
}

static void mac_input(void)
{
    if (!framer_parse() || came_before())
        return;
#if STACK_DSN
    hc_message_receive(packet.sender, packet.receiver, packet.number);
#else
    const uint8_t *number = packet_reduce(1);
    if (!number)
        return;
    hc_message_receive(packet.sender, packet.receiver, *number);
#endif
    network.input();
}

static const struct mac_driver mac = { .send = mac_send, .input = mac_input };

/* ---- radio ---- */

static void radio_received(const uint8_t *received, const struct cc2420_footer *footer)
{
    uint8_t size = (uint8_t)(received[0] - CC2420_FCS);

    (void)footer;
    if (size > PACKET)
        return;
    packet.begin = 0;
    packet.end = size;
    memcpy(packet.byte, received + 1, size);
    mac.input();
}

static void radio_started(void)
{
}

static const struct csma_events radio_events = { .received = radio_received, .sent = mac_sent };

/* ---- processes ---- */

#define PROCESS_BEGIN(p) \
    switch ((p)->line) { \
    case 0:
#define PROCESS_WAIT_EVENT(p) \
    (p)->line = __LINE__;     \
    return;                   \
    case __LINE__:
#define PROCESS_END() }

struct process {
    void (*thread)(struct process *p);
    uint16_t line; /* where it goes on */
};

static void process_poll(void *process)
{
    struct process *p = process;

    p->thread(p);
}

static uint16_t counter, asked_by;
static void hello_thread(struct process *p);
static void answer_thread(struct process *p);
static struct process hello = { hello_thread, 0 }, answer = { answer_thread, 0 };
static struct timer hello_timer = TIMER(process_poll, &hello);

static void send_counter(uint16_t to)
{
    uint8_t data[2];

    put_word(data, counter);
    packet_copy_from(data, sizeof data);
    packet.receiver = to;
    mac.send();
}

/* Tells everybody the counter, about every second. */
static void hello_thread(struct process *p)
{
    PROCESS_BEGIN(p)
    for (;;) {
        timer_start_once(&hello_timer, TIMER_MS(750) + random_below(TIMER_MS(500)));
        PROCESS_WAIT_EVENT(p)
        counter++;
        leds_set(counter & LED_ALL);
        send_counter(EVERYBODY);
    }
    PROCESS_END()
}

/* Answers whoever said hello and is asked_by. */
static void answer_thread(struct process *p)
{
    PROCESS_BEGIN(p)
    for (;;) {
        PROCESS_WAIT_EVENT(p)
        send_counter(asked_by);
    }
    PROCESS_END()
}

/* A hello whose counter is the node's own, modulo 4, gets an answer. */
static void network_input(void)
{
    const uint8_t *data = packet_reduce(2);

    if (!data || packet.receiver != EVERYBODY || (word(data) ^ node_id) & 3)
        return;
    asked_by = packet.sender;
    task_post(process_poll, &answer);
}

static const struct network_driver network = { .input = network_input };

int main(void)
{
    static struct cc2420_config config = { .channel = CHANNEL, .power = CC2420_POWER_MAX, .pan = PAN };

    board_start();
    config.address = node_id;
    next_number = (uint8_t)random16();
    csma_init(&config, &radio_events, radio_started, NULL);
    csma_on();
    answer.thread(&answer);
    hello.thread(&hello);
    kernel_run();
}
