/* A node whose messages a test makes: each time it comes to post_next, the test fills in a letter. With POST_READS it
 * reads one, a byte of port 6 each time it comes there, so that a recording has it. With POST_KIT its recorder has the
 * kit's bus and clock. */
#include <kit.h>

#include "hindcast.h"
#include "messages.h"
#ifdef POST_KIT
#include "drivers/board.h"
#endif

volatile struct letter {
    uint16_t from, to;
    uint8_t kind, number;
} letter;

enum { RECEIVED = 1, NONE = 2, NO_UPDATE = 4 }; /* kind: bits */

__attribute__((noinline)) void post_next(void)
{
    __asm__ volatile("" ::: "memory");
}

static uint8_t send(void)
{
#ifdef POST_DSN
    static uint8_t dsn;

    hc_message_sent(letter.from, letter.to, dsn);
    return dsn++;
#else
    return hc_message_send(letter.from, letter.to);
#endif
}

static void take_letter(void)
{
#ifdef POST_READS
    for (uint8_t i = 0; i < sizeof letter; i++) {
        post_next();
        ((volatile uint8_t *)&letter)[i] = P6IN;
    }
#else
    post_next();
#endif
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
#ifdef POST_KIT
    board_start();
#endif
    hc_update();
    for (;;) {
        take_letter();
        if (letter.kind & RECEIVED)
            hc_message_receive(letter.from, letter.to, letter.number);
        else if (!(letter.kind & NONE))
            letter.number = send();
        if (!(letter.kind & NO_UPDATE))
            hc_update();
    }
}
