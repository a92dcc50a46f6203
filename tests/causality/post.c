/* A node whose messages a test makes: each time it comes to post_next, the test fills in a letter. */
#include <kit.h>

#include "hindcast.h"
#include "messages.h"

volatile struct letter {
    uint16_t from, to;
    uint8_t received, number;
} letter;

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
        if (letter.received)
            hc_message_receive(letter.from, letter.to, letter.number);
        else
            letter.number = hc_message_send(letter.from, letter.to);
        hc_update();
    }
}
