#include "record.h"

#include <math.h>
#include <stdio.h>

static const double budget_log = 0.4, budget_log_worst = 0.75, budget_code = 12, budget_power = 1,
                    budget_listening = 25, budget_awake = 120;
enum {
    BUDGET_RAM = 1536,
    BUDGET_READ = 90,
    BUDGET_INTERRUPT = 200,
    BUDGET_OFF = 500,
    BUDGET_KB = 1000,
    BUDGET_UPDATE = 5
};
enum { CYCLES_US = 4, ENDURANCE = 100000, LOG_PAGES = 4096 };

/* In percent. */
static double growth(double from, double to)
{
    return 100 * (to - from) / from;
}

static double reduction(double from, double to)
{
    return from > 0 ? 100 * (from - to) / from : 0;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* ---- logs ---- */

/* By codec set paper, of the events of the program without a recorder, which adds some and makes others longer. */
static double coded_unseen(const struct raw_figures *r)
{
    return r->paper_interrupts + r->paper_timers + r->paper_states + r->paper_data;
}

/* Of our log to that of codec set paper, for each event: who sends for whom is chance, and one network has more of them
 * than the other; and what was lost is in no log. Its pages are full: so are ours, or as SET has them. */
static double ratio_of(const struct measured *m, int set)
{
    const struct figures *ours = &m->set[set], *paper = &m->set[PAPER];
    return ours->mean_log / ours->events / (paper->mean_log / paper->events);
}

/* ---- tables ---- */

void print_logs(const struct measured *m, int count)
{
    printf("Logs, bytes a second. raw: every read of a register that the program does not determine, every interrupt\n"
           "%-20s %8s %8s %8s %8s %8s %8s %8s %6s %9s %6s %9s %9s %8s %8s %8s %8s\n",
           "", "raw", "gzip -9", "xz -9", "S-LZW", "paper", "+hashes", "hindcast", "ratio", "+ flush", "ratio",
           "control", "+ S-LZW", "events", "(paper)", "lost", "(paper)");
    for (int i = 0; i < count; i++) {
        const struct raw_figures *r = &m[i].raw;
        const struct figures *flushed = &m[i].set[HINDCAST], *ours = &m[i].set[FULL], *paper = &m[i].set[PAPER];
        printf(
            "%-20s %8.1f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %6.2f %9.2f %6.2f %9.1f %9.2f %8.1f %8.1f %8.1f %8.1f\n",
            m[i].experiment->name, r->undetermined, r->gzip, r->xz, r->slzw, paper->mean_log, paper->hashes,
            ours->mean_log, ratio_of(&m[i], FULL), flushed->mean_log, ratio_of(&m[i], HINDCAST), r->control,
            r->control_slzw, flushed->events, paper->events, flushed->losses, paper->losses);
    }
    printf("paper, hindcast: means of all nodes, with full pages; + flush: with --flush=10. Self-checks are in it\n"
           "ratio: to paper, for each event that was not lost\n"
           "control: control flow alone, a bit for each conditional jump, two bytes for a computed one\n"
           "events: a second; lost: how often some were lost, a node and hour\n\n");
}

void print_reductions(const struct measured *m, int count)
{
    printf("Reductions in percent: of the raw log, by what is left out and by codec set paper; of each kind of event "
           "by its "
           "codec\n%-20s %8s %8s %8s %8s %8s %10s %10s %8s %8s %8s\n",
           "", "determ.", "polling", "masks", "paper", "unseen", "its Fig. 5", "interrupts", "timers", "states",
           "data");
    for (int i = 0; i < count; i++) {
        const struct raw_figures *r = &m[i].raw;
        char figure5[16] = "-";
        if (m[i].experiment->paper_reduces)
            snprintf(figure5, sizeof figure5, "%d", m[i].experiment->paper_reduces);
        printf("%-20s %8.1f %8.1f %8.1f %8.1f %8.1f %10s %10.1f %8.1f %8.1f %8.1f\n", m[i].experiment->name,
               reduction(r->all, r->undetermined), reduction(r->undetermined, r->without_polling),
               reduction(r->without_polling, r->masked), reduction(r->undetermined, m[i].set[PAPER].log),
               reduction(r->undetermined, coded_unseen(r)), figure5, reduction(r->interrupts, r->paper_interrupts),
               reduction(r->timers, r->paper_timers), reduction(r->states, r->paper_states),
               reduction(r->data, r->paper_data));
    }
    printf("paper: the log that the node wrote; unseen: the same codecs over what happens without a recorder\n\n");
}

static double worst_node(const struct figures *plain, const struct figures *ours)
{
    double worst = growth(plain->of_node[0], ours->of_node[0]);
    for (int i = 1; i < NODES_MAX && plain->of_node[i] > 0; i++)
        worst = greater(worst, growth(plain->of_node[i], ours->of_node[i]));
    return worst;
}

void print_costs(const struct measured *m, int count)
{
    printf("Costs\n%-20s %23s %16s %19s %8s %8s %19s %8s %8s %8s %8s\n", "", "code without, with", "(recorder)",
           "awake %", "(full)", "(paper)", "power mW", "(node)", "(paper)", "stop ms", "other B/s");
    for (int i = 0; i < count; i++) {
        const struct figures *plain = &m[i].set[PLAIN], *ours = &m[i].set[HINDCAST], *paper = &m[i].set[PAPER];
        uint32_t own = ours->flash_bytes - ours->runtime_bytes;
        printf("%-20s %6u %6u %+7.1f %% %6u %+7.1f %% %5.2f %5.2f %+6.1f %+8.1f %+8.1f %6.2f %6.2f %+5.1f %+8.1f "
               "%+8.1f %8.1f "
               "%8.1f\n",
               m[i].experiment->name, plain->flash_bytes, own, growth(plain->flash_bytes, own), ours->runtime_bytes,
               growth(plain->flash_bytes, ours->flash_bytes), 100 * plain->awake, 100 * ours->awake,
               growth(plain->awake, ours->awake), growth(plain->awake, m[i].set[FULL].awake),
               growth(plain->awake, paper->awake), plain->milliwatts, ours->milliwatts,
               growth(plain->milliwatts, ours->milliwatts), worst_node(plain, ours),
               growth(plain->milliwatts, paper->milliwatts), 1e3 * ours->longest_stop, ours->other);
    }
    printf(
        "awake, power: means of all nodes; (node): that whose power grew most; (full): with --flush=0\n"
        "stop: the longest time for which an hc_update kept tasks waiting; other: boot pages, checkpoints, marks\n\n");
}

/* What it costs that a page is written though it is not full. */
void print_flush(const struct measured *m, int count)
{
    printf("What --flush=10 costs, beside --flush=0\n%-20s %17s %19s %23s %15s %21s %17s\n", "", "KB an hour",
           "pages an hour", "erases, sector and year", "years", "CPU + chip, mW", "mAh a year");
    for (int i = 0; i < count; i++) {
        const struct figures *full = &m[i].set[FULL], *ours = &m[i].set[HINDCAST];
        double erases = ours->pages * 8760 / LOG_PAGES, erases_full = full->pages * 8760 / LOG_PAGES;
        double milliwatts = ours->own_milliwatts - full->own_milliwatts;
        printf("%-20s %8.1f %8.1f %9.0f %9.0f %11.1f %11.1f %15.0f %10.4f %10.4f %9.1f %+6.2f %%\n",
               m[i].experiment->name, full->pages / 4, ours->pages / 4, full->pages, ours->pages, erases_full, erases,
               ENDURANCE / erases, full->own_milliwatts, ours->own_milliwatts, milliwatts / 3 * 8760,
               100 * milliwatts / ours->milliwatts);
    }
    printf("years: until a sector was erased %d times; %%: of the node's power. 3 V\n\n", ENDURANCE);
}

/* ---- time ---- */

static void print_profile(const char *what, const struct profile *p)
{
    double events = (double)profile_events(p);
    printf("%-26s %8.0f", what, (double)profile_recorder(p) / events);
    for (int i = PROFILE_COUNTER; i < PROFILE_PARTS; i++)
        printf(" %10.1f", (double)p->cycles[i] / events);
    printf(" %10llu %10llu %10llu\n", (unsigned long long)p->reads, (unsigned long long)p->interrupts,
           (unsigned long long)p->updates);
}

static void print_profiles(const struct speed *speed)
{
    printf("The recorder's cycles for each event\n%-26s %8s", "", "all");
    for (int i = PROFILE_COUNTER; i < PROFILE_PARTS; i++)
        printf(" %10s", profile_names[i]);
    printf(" %10s %10s %10s\n", "reads", "interrupts", "updates");
    print_profile("mho 64 ms network, 60 s", &speed->network);
    for (int i = 0; i < LINES; i++) {
        char what[40];
        snprintf(what, sizeof what, "%d bytes, %s baud", RECEIVE_BYTES, speed->line[i].baud);
        print_profile(what, &speed->line[i].recorded.profile);
    }
    printf(
        "update: into the recorder and back, after each interrupt in it, too; order: what is due; page: a full one is "
        "moved; chip: log and sink\n\n");
}

static void print_timings(const struct speed *speed)
{
    printf("Time, at 4 MHz\n%-16s %8s %10s %14s %14s %10s %12s\n", "", "bytes", "start ms", "off us", "last step us",
           "update ms", "tick late us");
    for (int i = 0; i < TIMINGS; i++) {
        const struct meter_timing *t = &speed->timing[i].at;
        printf("%-16s %8u %10.1f %14.0f %14.0f %10.2f %12u\n", speed->timing[i].name, t->bytes,
               1e3 * hc_seconds(t->start), (double)t->off / CYCLES_US, (double)t->last_step / CYCLES_US,
               (double)t->update / CYCLES_US / 1000, t->late);
    }
    printf(
        "bytes: of variables; a quarter of them changes all the time (timing), or all do (changing); bursts: fills the "
        "ring at every turn\n"
        "off: interrupts, but in the last step of a checkpoint; update: without handlers that interrupt it\n"
        "tick: every 5 ms, at 3.2 MHz; until the program has set its clock it runs at 0.75 MHz\n\n");
}

static void print_lines(const struct speed *speed)
{
    printf("Bytes received of %d without a pause, at 4 MHz\n%-16s %12s %12s %14s\n", RECEIVE_BYTES, "baud", "plain",
           "recorded", "cycles a byte");
    for (int i = 0; i < LINES; i++)
        printf("%-16s %12u %12u %14llu\n", speed->line[i].baud, speed->line[i].plain.received,
               speed->line[i].recorded.received, (unsigned long long)speed->line[i].plain.cycles);
    printf("\n");
}

void print_speed(const struct speed *speed)
{
    print_profiles(speed);
    print_timings(speed);
    print_lines(speed);
}

/* ---- budgets ---- */

struct worst {
    double log, logarithms, code, awake, power, listening, listening_awake;
    uint32_t ram, runtime;
};

static struct worst find_worst(const struct measured *m, int count)
{
    struct worst w = { 0 };
    for (int i = 0; i < count; i++) {
        const struct figures *plain = &m[i].set[PLAIN], *ours = &m[i].set[HINDCAST];
        double log = ratio_of(&m[i], FULL), power = growth(plain->milliwatts, ours->milliwatts);
        w.log = greater(w.log, log);
        w.logarithms += log2(log) / count;
        w.awake = greater(w.awake, growth(plain->awake, ours->awake));
        if (m[i].experiment->code_counts)
            w.code = greater(w.code, growth(plain->flash_bytes, ours->flash_bytes - ours->runtime_bytes));
        if (m[i].experiment->listens) {
            w.listening = greater(w.listening, power);
            w.listening_awake = greater(w.listening_awake, growth(plain->awake, ours->awake));
        } else if (m[i].experiment->nodes > 1) {
            w.power = greater(w.power, power);
        }
        w.ram = ours->ram_bytes > w.ram ? ours->ram_bytes : w.ram;
        w.runtime = ours->runtime_bytes > w.runtime ? ours->runtime_bytes : w.runtime;
    }
    return w;
}

static void judge(const char *what, const char *unit, double value, double budget)
{
    printf("budget: %-48s %8.2f%s of %.2f: %s\n", what, value, unit, budget, value <= budget ? "met" : "NOT met");
}

static void judge_least(const char *what, double value, double budget)
{
    printf("budget: %-48s %8.2f %% of at least %.0f: %s\n", what, value, budget, value >= budget ? "met" : "NOT met");
}

static void judge_sizes(const struct worst *w)
{
    judge("log of paper, geometric mean", "", exp2(w->logarithms), budget_log);
    judge("log of paper, worst", "", w->log, budget_log_worst);
    judge("code without the recorder, mho, em, collect", " %", w->code, budget_code);
    judge("the recorder's RAM, bytes", "", w->ram, BUDGET_RAM);
    judge("power, radio always on, in networks", " %", w->power, budget_power);
    judge("power, low-power listening", " %", w->listening, budget_listening);
    judge("time awake, low-power listening", " %", w->listening_awake, budget_awake);
}

/* The longest of the programs a part of whose memory changes. */
struct longest {
    double off, update; /* microseconds */
    double last_step;   /* the same for each KB, above BUDGET_OFF, which is allowed at any time */
    double changing;    /* update, where all memory changes */
};

static struct longest find_longest(const struct speed *speed)
{
    struct longest l = { 0 };
    for (int i = 0; i < TIMINGS; i++) {
        const struct timing *t = &speed->timing[i];
        double last_step = (double)t->at.last_step / CYCLES_US, update = (double)t->at.update / CYCLES_US;
        if (t->changing) {
            l.changing = greater(l.changing, update);
            continue;
        }
        l.off = greater(l.off, (double)t->at.off / CYCLES_US);
        l.update = greater(l.update, update);
        if (t->allowed)
            l.last_step = greater(l.last_step, (last_step - BUDGET_OFF) / (t->at.bytes / 1000.0));
    }
    return l;
}

static double percent_received(const struct line *line)
{
    return 100.0 * line->recorded.received / line->plain.received;
}

static void judge_speed(const struct speed *speed, const struct longest *l)
{
    char what[60];
    judge("a read", " cycles", speed->read, BUDGET_READ);
    judge("an interrupt", " cycles", speed->interrupt, BUDGET_INTERRUPT);
    judge("interrupts off", " us", l->off, BUDGET_OFF);
    for (int i = 0; i < TIMINGS; i++) {
        if (!speed->timing[i].allowed)
            continue;
        snprintf(what, sizeof what, "last step of a checkpoint, %s", speed->timing[i].name);
        judge(what, " us", (double)speed->timing[i].at.last_step / CYCLES_US, speed->timing[i].allowed);
    }
    judge("the same for each KB, above 500 us", " us", l->last_step, BUDGET_KB);
    judge("update", " ms", l->update / 1000, BUDGET_UPDATE);
    judge("update, where all memory changes", " ms", l->changing / 1000, BUDGET_UPDATE);
    for (int i = 0; i < LINES - 1; i++) {
        snprintf(what, sizeof what, "bytes received at %s baud", speed->line[i].baud);
        judge_least(what, percent_received(&speed->line[i]), i < 3 ? 100 : 95);
    }
}

void print_summary(const struct measured *m, int count, const struct speed *speed)
{
    struct worst w = find_worst(m, count);
    struct longest l = find_longest(speed);
    judge_sizes(&w);
    judge_speed(speed, &l);
    printf(
        "record: geometric mean of the logs %.2f of paper; recorder %u bytes of code, encoder %.0f cycles an event\n",
        exp2(w.logarithms), w.runtime,
        (double)speed->network.cycles[PROFILE_ENCODE] / (double)profile_events(&speed->network));
    printf("record: log %.2f of paper, code +%.1f %%, ram %u, awake +%.1f %%\n", w.log, w.code, w.ram, w.awake);
    printf("recorder: read %u cycles, interrupt %u cycles, interrupts off %.0f us, checkpoint %.0f us per KB, "
           "update %.1f ms, uart38400 %.1f %%\n",
           speed->read, speed->interrupt, l.off, l.last_step, l.update / 1000, percent_received(&speed->line[2]));
}
