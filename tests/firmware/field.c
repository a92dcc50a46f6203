/* For the tests of scenarios: says who it is by each of its symbols ("node 7 7 7 65535\n"), then sleeps, and says
 * "pressed\n" when its user button is. Node 13 faults then. */
#include <kit.h>

#define VACANT ((volatile uint16_t *)0x0a00)

volatile uint16_t node_id = 0xffff;
const volatile uint16_t TOS_NODE_ID = 0xffff; /* in flash */
volatile uint32_t my_id = 0xffff;
volatile uint16_t unset;

static void put_number(uint16_t value)
{
    char digits[6];
    int count = 0;

    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        kit_put_char(digits[--count]);
}

static void put_numbers(void)
{
    kit_put("node ");
    put_number(node_id);
    kit_put_char(' ');
    put_number(TOS_NODE_ID);
    kit_put_char(' ');
    put_number((uint16_t)my_id);
    kit_put_char(' ');
    put_number(unset);
    kit_put_char('\n');
}

KIT_INTERRUPT(PORT2_VECTOR) void pressed(void)
{
    P2IFG = 0;
    kit_put("pressed\n");
    if (node_id != 13)
        return;
    while (!(UTCTL1 & TXEPT))
        ;
    *VACANT = 1;
}

int main(void)
{
    BCSCTL1 = (BCSCTL1 & ~7) | 4; /* RSEL: some 0.8 MHz; both ends of the line count the same clock */
    kit_uart_init(800000, 9600);
    put_numbers();
    P2IES = 0x80;
    P2IFG = 0;
    P2IE = 0x80;
    for (;;) /* awake enough for the UART */
        kit_sleep(LPM0_bits | GIE);
}
