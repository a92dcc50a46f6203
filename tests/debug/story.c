#include "story.h"

#include "debug/dwarf/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static int enter(struct story *s, int caller, int64_t called, bool handler)
{
    s->activation[s->activations] = (struct story_activation){ caller, called, -1, handler };
    return s->activations++;
}

/* Instructions, by TI SLAU049's table of opcodes: CALL, RET (MOV @SP+, PC), RETI. */
static bool is_call(uint16_t opcode)
{
    return opcode >= 0x1280 && opcode <= 0x12bf;
}

static bool is_return(uint16_t opcode)
{
    return opcode == 0x4130 || opcode == 0x1300;
}

/* What the instruction before moment I did, and the interrupts since. */
static int follow(struct story *s, int current, int i, uint64_t interrupts)
{
    const struct story_row *last = &s->row[i - 1];

    if (is_call(last->opcode)) {
        current = enter(s, current, i - 1, false);
    } else if (is_return(last->opcode)) {
        s->activation[current].ended = i;
        current = s->activation[current].caller;
        assert_true(current >= 0);
    }
    for (uint64_t k = last->interrupts; k < interrupts; k++)
        current = enter(s, current, i - 1, true);
    return current;
}

static void look(struct story_row *row, struct hc_machine *m, struct hc_image *image)
{
    struct hc_line line;

    for (int r = 0; r < 16; r++)
        row->reg[r] = (uint16_t)hc_register(m, r);
    row->pc = hc_register(m, HC_PC);
    row->opcode = hc_peek16(m, row->pc);
    if (hc_image_line_at(image, row->pc, &line)) {
        row->line = line.line;
        row->file = line.file;
        row->start = line.address;
    }
}

void story_write(struct story *s, struct hc_machine *m, struct hc_image *image, int moments)
{
    struct hc_snapshot *start = hc_snapshot_take(m);

    *s = (struct story){ .moments = moments };
    s->row = calloc((size_t)moments, sizeof *s->row);
    s->activation = calloc(2 * (size_t)moments, sizeof *s->activation);
    int current = enter(s, -1, -1, false);
    for (int i = 0; i < moments; i++) {
        struct hc_statistics now;
        struct story_row *row = &s->row[i];

        assert_int_equal(hc_machine_settle(m, i > 0, HC_NEVER), HC_STOP_STEPS);
        hc_machine_statistics(m, &now);
        if (i > 0)
            current = follow(s, current, i, now.interrupts);
        row->activation = current;
        row->interrupts = now.interrupts;
        look(row, m, image);
    }
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
}

void story_free(struct story *s)
{
    free(s->row);
    free(s->activation);
}
