/* A storm watcher. It looks at the light 32 times a second. A jump up is lightning: that reading and the next ones, 16
 * in all, go over the UART (2,400 baud) as one line:
 *
 *     storm READING...
 *
 * Lightning that follows while the 16 are being taken is marked by a reading of 4095, the highest, before its own.
 * A watchdog resets the node if its main loop stands still for a second; the first line says what the last reset was:
 * `start: power` or `start: watchdog`.
 *
 * It has a bug, as firmware on a roof has: once in a while it hangs. `make demo` finds out why from the node's
 * recording. */
#include <kit.h>

enum {
    ACLK_HZ = 32768,
    LOOKS_PER_SECOND = 32,
    READINGS = 16,
    MARK = 4095,
    JUMP = 50,                          /* from one reading to the next: lightning */
    SERVE = WDTPW | WDTCNTCL | WDTSSEL, /* the watchdog, one second of ACLK */
    LIGHT_CHANNEL = INCH_4,
};

static struct {
    uint16_t light[READINGS]; /* of the lightning at hand */
    volatile uint16_t unsent; /* bytes of the line that the UART has not sent yet */
    char line[8 + 5 * READINGS];
} storm;
static uint16_t filled; /* of storm.light; 0: no lightning */
static volatile uint16_t looks;

/* Before anything else: a second for the start, too. */
void kit_reset_hook(void)
{
    WDTCTL = SERVE;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void look(void)
{
    looks++;
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(USART1TX_VECTOR) void sent(void)
{
    static const char *next;
    if (!next)
        next = storm.line;
    TXBUF1 = (uint8_t)*next++;
    if (--storm.unsent)
        return;
    next = NULL;
    IE2 &= (uint8_t)~UTXIE1;
}

static void wait_for_uart(void)
{
    while (storm.unsent)
        ; /* the line before is still on its way */
}

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *append_unsigned(char *to, uint16_t value)
{
    if (value >= 10)
        to = append_unsigned(to, value / 10);
    *to = (char)('0' + value % 10);
    return to + 1;
}

static void send(const char *end)
{
    storm.unsent = (uint16_t)(end - storm.line);
    IE2 |= UTXIE1;
}

static void report(void)
{
    wait_for_uart();
    char *end = append(storm.line, "storm");
    for (uint16_t i = 0; i < READINGS; i++)
        end = append_unsigned(append(end, " "), storm.light[i]);
    send(append(end, "\n"));
}

static void keep(uint16_t light)
{
    storm.light[filled++] = light;
}

/* One reading, 32 times a second. */
static void watch(uint16_t light)
{
    static uint16_t before = MARK;
    uint8_t lightning = light > before && light - before > JUMP;
    before = light;
    if (!lightning && !filled)
        return;
    if (lightning && filled)
        keep(MARK);
    keep(light);
    if (filled >= READINGS) {
        report();
        filled = 0;
    }
}

static uint16_t measure(void)
{
    ADC12CTL0 |= ENC | ADC12SC;
    while (!(ADC12IFG & BIT0))
        ;
    return ADC12MEM0;
}

static void start_uart(void)
{
    P3SEL |= BIT6 | BIT7;
    ME2 |= UTXE1 | URXE1;
    UCTL1 = CHAR | SWRST;
    UTCTL1 = SSEL0; /* ACLK: 32768 / 2400 = 13.65 */
    UBR01 = 13;
    UBR11 = 0;
    UMCTL1 = 0x6b;
    UCTL1 &= (uint8_t)~SWRST;
}

static void start(void)
{
    BCSCTL1 = XT2OFF | RSEL2 | RSEL1 | RSEL0; /* about 4 MHz */
    DCOCTL = 0x60;
    start_uart();
    P6SEL |= BIT4;
    ADC12CTL0 = SHT0_6 | REFON | REF2_5V | ADC12ON;
    ADC12CTL1 = SHP;
    ADC12MCTL0 = SREF_1 | LIGHT_CHANNEL;
    TBCCR0 = ACLK_HZ / LOOKS_PER_SECOND - 1;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_1 | TBCLR;
}

int main(void)
{
    start();
    send(append(storm.line, IFG1 & WDTIFG ? "start: watchdog\n" : "start: power\n"));
    IFG1 &= (uint8_t)~WDTIFG;
    for (;;) {
        WDTCTL = SERVE;
        kit_sleep(LPM3_bits | GIE);
        watch(measure());
    }
}
