#include "drivers/adc12.h"

#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { SETTLE_TICKS = 558 }; /* 17 ms, with the reference's capacitor */

static void settled(void *unused);
static struct timer settling = TIMER(settled, NULL);

static struct {
    bool busy;
    uint8_t channel;
    uint16_t ticks; /* 0: a single conversion */
    uint16_t value;
    uint16_t *volatile to;
    volatile uint16_t left;
    adc12_done_fn *read_done;
    adc12_samples_fn *sample_done;
} adc;

static void finished(void *unused)
{
    (void)unused;
    TACTL = TACCTL1 = 0;
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = 0;
    ADC12IE = 0;
    adc.busy = false;
    if (adc.ticks)
        adc.sample_done();
    else
        adc.read_done(adc.value);
}

KIT_INTERRUPT(ADC12_VECTOR) void adc12_handler(void)
{
    uint16_t value = ADC12MEM0; /* reading it clears the flag */
    if (adc.left) {
        *adc.to++ = value;
        if (--adc.left == 0) {
            ADC12IE = 0;
            task_post(finished, NULL);
        }
    }
    KERNEL_HANDLER_END();
}

/* The rising edge of Timer_A's second output starts a conversion. */
static void start_trigger(void)
{
    TACCR0 = adc.ticks - 1;
    TACCR1 = adc.ticks / 2;
    TACCTL1 = OUTMOD_3;
    TACTL = TASSEL_1 | MC_1 | TACLR;
}

static void settled(void *unused)
{
    (void)unused;
    ADC12MCTL0 = (uint8_t)(SREF_1 | adc.channel);
    ADC12CTL1 = SHP | (adc.ticks ? SHS_1 | CONSEQ_2 : 0);
    ADC12IFG = 0;
    ADC12IE = BIT0;
    ADC12CTL0 |= ENC;
    if (adc.ticks)
        start_trigger();
    else
        ADC12CTL0 |= ADC12SC;
}

static bool start(enum adc12_channel channel, uint16_t ticks, uint16_t *to, uint16_t count)
{
    bool internal = channel >= ADC12_TEMPERATURE;
    adc.busy = true;
    adc.channel = (uint8_t)channel;
    adc.ticks = ticks;
    adc.to = to;
    adc.left = count;
    ADC12CTL0 = SHT0_8 | REFON | ADC12ON | (internal ? 0 : REF2_5V);
    timer_start_once(&settling, SETTLE_TICKS);
    return true;
}

bool adc12_read(enum adc12_channel channel, adc12_done_fn *done)
{
    if (adc.busy)
        return false;
    adc.read_done = done;
    return start(channel, 0, &adc.value, 1);
}

bool adc12_sample(enum adc12_channel channel, uint16_t ticks, uint16_t *to, uint16_t count, adc12_samples_fn *done)
{
    if (adc.busy || ticks < 2 || count == 0)
        return false;
    adc.sample_done = done;
    return start(channel, ticks, to, count);
}

bool adc12_busy(void)
{
    return adc.busy;
}
