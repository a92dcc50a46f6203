/* Senses, processes and transmits, as in Figure 11 of ScEpTIC's paper: INPUTS sensors are measured one after the other,
 * with a checkpoint after each, then averaged and sent. */
#include <kit.h>

enum { ROUNDS = 25, PACKET = 2 + 2 * INPUTS };

volatile uint16_t input0, input1, input2, input3;
static uint16_t average[INPUTS];
static uint8_t packet[PACKET];

volatile uint16_t result; /* the check sum of the last packet */
volatile uint16_t finished;

void checkpoint(void);

static uint16_t measure(uint8_t channel)
{
    ADC12CTL0 &= (uint16_t)~ADC12ENC;
    ADC12CTL0 = ADC12SHT0_2 | ADC12ON;
    ADC12CTL1 = ADC12SHP;
    ADC12MCTL0 = channel;
    ADC12CTL0 |= ADC12ENC | ADC12SC;
    while (!(ADC12IFGR0 & ADC12IFG0))
        ;
    return ADC12MEM0;
}

static void sense(void)
{
    input0 = measure(2);
    checkpoint();
#if INPUTS > 1
    input1 = measure(3);
    checkpoint();
#endif
#if INPUTS > 2
    input2 = measure(4);
    checkpoint();
#endif
#if INPUTS > 3
    input3 = measure(5);
    checkpoint();
#endif
}

static void add(uint8_t i, uint16_t value)
{
    average[i] = (uint16_t)(average[i] - (average[i] >> 2) + (value >> 2));
}

static void process(void)
{
    add(0, input0);
#if INPUTS > 1
    add(1, input1);
#endif
#if INPUTS > 2
    add(2, input2);
#endif
#if INPUTS > 3
    add(3, input3);
#endif
}

static uint16_t write_packet(uint16_t round)
{
    uint8_t sum = 0;
    packet[0] = (uint8_t)round;
    for (uint8_t i = 0; i < INPUTS; i++) {
        packet[1 + 2 * i] = (uint8_t)average[i];
        packet[2 + 2 * i] = (uint8_t)(average[i] >> 8);
    }
    for (uint8_t i = 0; i < PACKET - 1; i++)
        sum = (uint8_t)(sum + packet[i]);
    packet[PACKET - 1] = sum;
    return sum;
}

static void transmit(void)
{
    for (uint8_t i = 0; i < PACKET; i++)
        kit_put_char((char)packet[i]);
}

int main(void)
{
    kit_uart_init(1000000, 115200);
    for (uint16_t round = 0; round < ROUNDS; round++) {
        sense();
        process();
        result = write_packet(round);
        checkpoint();
        transmit();
    }
    kit_uart_drain();
    finished = 0xd09e;
    return 0;
}
