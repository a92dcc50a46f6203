/* A node whose messages a test makes: each time it comes to post_next, the test fills in a letter. */
#include <kit.h>

#include "hindcast.h"
#include "messages.h"

volatile struct letter {
    uint16_t from, to;
    uint8_t kind, number;
} letter;

enum { RECEIVED = 1, NONE = 2, NO_UPDATE = 4 }; /* kind: bits */

__attribute__((noinline)) void post_next(void)
{
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    hc_update();
    for (;;) {
        post_next();
        if (letter.kind & RECEIVED)
            hc_message_receive(letter.from, letter.to, letter.number);
        else if (!(letter.kind & NONE))
            letter.number = hc_message_send(letter.from, letter.to);
        if (!(letter.kind & NO_UPDATE))
            hc_update();
    }
}
