/* make bench-check: how fast a program runs while it is checked, against the plain machine; by CPU time of this
 * process, the best of several runs of each. */
#include "check/check.h"
#include "machine/board/telosb.h"
#include "target/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, INSTRUCTIONS = 40000000 };

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Millions of instructions a second. */
static double speed(struct hc_image *image, struct hc_program *program, bool checked)
{
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    struct hc_load_message message;
    struct hc_statistics s;

    if (!board || !hc_load(board->machine, image, &message))
        exit(1);
    hc_machine_reset(board->machine, HC_POR);
    struct hc_check *check = checked ? hc_check_new(board->machine, program) : NULL;
    double begun = cpu_seconds();
    hc_machine_step(board->machine, INSTRUCTIONS, 3600 * HC_SECOND);
    double took = cpu_seconds() - begun;
    hc_machine_statistics(board->machine, &s);
    hc_check_free(check);
    hc_telosb_free(board);
    return 1e-6 * (double)s.instructions / took;
}

static double best(struct hc_image *image, struct hc_program *program, bool checked)
{
    double most = 0;

    for (int i = 0; i < ROUNDS; i++) {
        double now = speed(image, program, checked);
        most = now > most ? now : most;
    }
    return most;
}

int main(int argc, char **argv)
{
    double worst = 1;

    for (int i = 1; i < argc; i++) {
        struct hc_image_message message;
        struct hc_image *image;
        if (hc_image_load_file(&image, argv[i], &message)) {
            fprintf(stderr, "bench-check: %s\n", message.text);
            return 1;
        }
        struct hc_program *program = hc_program_new(image);
        double plain = best(image, program, false), checked = best(image, program, true);
        printf("%-40s %7.1f MIPS plain, %7.1f checked: %.2f\n", argv[i], plain, checked, checked / plain);
        worst = checked / plain < worst ? checked / plain : worst;
        hc_program_free(program);
        hc_image_free(image);
    }
    printf("check: %.2f of the machine's speed\n", worst);
    return 0;
}
