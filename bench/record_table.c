#include "record.h"

#include <math.h>
#include <stdio.h>

/* DESIGN.md's budgets. */
static const double budget_log = 0.5, budget_log_worst = 0.8, budget_code = 15, budget_power = 1, budget_listening = 30;
enum { BUDGET_RUNTIME = 4096, BUDGET_RAM = 1536 };

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

/* Of our log to that of codec set paper. What its recorder lost is not in its log: then it is taken for what its codecs
 * make of the events of one node without a recorder, and ours is that node's. */
static double ratio_of(const struct measured *m)
{
    const struct figures *ours = &m->set[HINDCAST], *paper = &m->set[PAPER];
    return paper->lost ? ours->log / coded_unseen(&m->raw) : ours->mean_log / paper->mean_log;
}

/* ---- tables ---- */

void print_logs(const struct measured *m, int count)
{
    printf("Logs, bytes a second. raw: every read of a register that the program does not determine, every interrupt\n"
           "%-20s %8s %8s %8s %8s %8s %8s %8s %6s %9s %9s\n",
           "", "raw", "gzip -9", "xz -9", "S-LZW", "paper", "+hashes", "hindcast", "ratio", "control", "+ S-LZW");
    for (int i = 0; i < count; i++) {
        const struct raw_figures *r = &m[i].raw;
        const struct figures *ours = &m[i].set[HINDCAST], *paper = &m[i].set[PAPER];
        printf("%-20s %8.1f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %6.2f %9.1f %9.2f%s%s\n", m[i].experiment->name,
               r->undetermined, r->gzip, r->xz, r->slzw, paper->mean_log, paper->hashes, ours->mean_log,
               ratio_of(&m[i]), r->control, r->control_slzw, ours->lost ? " LOST events" : "",
               paper->lost ? " paper LOST events" : "");
    }
    printf("paper, hindcast: means of all nodes; ratio: where paper lost events, of one node to its `unseen` below\n"
           "control: control flow alone, a bit for each conditional jump, two bytes for a computed one\n\n");
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
    printf("Costs\n%-20s %23s %16s %19s %8s %19s %8s %8s %8s %8s\n", "", "code without, with", "(recorder)", "awake %",
           "(paper)", "power mW", "(node)", "(paper)", "stop ms", "other B/s");
    for (int i = 0; i < count; i++) {
        const struct figures *plain = &m[i].set[PLAIN], *ours = &m[i].set[HINDCAST], *paper = &m[i].set[PAPER];
        uint32_t own = ours->flash_bytes - ours->runtime_bytes;
        printf("%-20s %6u %6u %+7.1f %% %6u %+7.1f %% %5.2f %5.2f %+6.1f %+8.1f %6.2f %6.2f %+5.1f %+8.1f %+8.1f %8.1f "
               "%8.1f\n",
               m[i].experiment->name, plain->flash_bytes, own, growth(plain->flash_bytes, own), ours->runtime_bytes,
               growth(plain->flash_bytes, ours->flash_bytes), 100 * plain->awake, 100 * ours->awake,
               growth(plain->awake, ours->awake), growth(plain->awake, paper->awake), plain->milliwatts,
               ours->milliwatts, growth(plain->milliwatts, ours->milliwatts), worst_node(plain, ours),
               growth(plain->milliwatts, paper->milliwatts), 1e3 * ours->longest_stop, ours->other);
    }
    printf(
        "awake, power: means of all nodes; (node): that whose power grew most\n"
        "stop: the longest time for which an hc_update kept tasks waiting; other: boot pages, checkpoints, marks\n\n");
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
        double log = ratio_of(&m[i]), power = growth(plain->milliwatts, ours->milliwatts);
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

void print_summary(const struct measured *m, int count, const struct append *append)
{
    struct worst w = find_worst(m, count);
    judge("log of paper, geometric mean", "", exp2(w.logarithms), budget_log);
    judge("log of paper, worst", "", w.log, budget_log_worst);
    judge("code without the recorder, mho, em, collect", " %", w.code, budget_code);
    judge("the recorder's code, bytes", "", w.runtime, BUDGET_RUNTIME);
    judge("the recorder's RAM, bytes", "", w.ram, BUDGET_RAM);
    judge("power, radio always on, in networks", " %", w.power, budget_power);
    judge("power, low-power listening", " %", w.listening, budget_listening);
    judge("time awake, low-power listening", " %", w.listening_awake, budget_listening);
    printf(
        "record: appending takes at most %u cycles for a read, %u for an interrupt (a minute of mho 64 ms network)\n",
        append->read, append->interrupt);
    printf("record: geometric mean of the logs %.2f of paper; recorder %u bytes of code\n", exp2(w.logarithms),
           w.runtime);
    printf("record: log %.2f of paper, code +%.1f %%, ram %u, awake +%.1f %%\n", w.log, w.code, w.ram, w.awake);
}
