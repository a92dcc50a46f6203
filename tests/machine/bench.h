/* What the benches of this folder share. Included by them, after they have defined struct bench with its machine m. */
#ifndef TESTS_MACHINE_BENCH_H
#define TESTS_MACHINE_BENCH_H

/* Runs for SPAN. */
static inline void run_for(struct bench *b, hc_time span)
{
    hc_machine_run(b->m, hc_now(b->m) + span);
}

static inline void interrupts_on(struct bench *b)
{
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_GIE);
}

static inline uint32_t hz(const struct hc_clock *clock)
{
    return clock->s.period ? (uint32_t)((HC_SECOND + clock->s.period / 2) / clock->s.period) : 0;
}

#endif
