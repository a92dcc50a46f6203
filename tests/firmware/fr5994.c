/* For the FR5994: the kit's start-up code and UART, FRAM far beyond the FR5969's, and all of the SRAM. */
#include <kit.h>

volatile uint16_t finished, total;

int main(void)
{
    volatile uint16_t *top_of_sram = (volatile uint16_t *)0x3a00; /* below the stack, above the FR5969's SRAM */

    kit_uart_init(1000000, 9600);
    *top_of_sram = 0x1234;
    for (uint16_t i = 1; i <= 4; i++)
        total += i * i;
    kit_put("total ");
    kit_put_unsigned(total + (*top_of_sram - 0x1234));
    kit_put("\n");
    kit_uart_drain();
    finished = 0xD09E;
    return 0;
}
