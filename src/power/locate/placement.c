#include "placement.h"

#include <stdlib.h>

struct place_list {
    uint32_t *place;
    size_t count, room;
};

static void add(struct place_list *l, uint32_t place)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->place = realloc(l->place, l->room * sizeof *l->place);
        if (!l->place)
            abort();
    }
    l->place[l->count++] = place;
}

static void place_in(struct place_list *l, struct hc_machine *m, const struct hc_symbol *function,
                     enum hc_placement placement)
{
    uint32_t end = function->address + function->size;

    for (uint32_t pc = function->address, length; pc < end; pc += length) {
        enum hc_flow flow = hc_flow_at(m, pc);
        length = hc_instruction_length(m, pc);
        if (placement == HC_PLACE_LOOP_LATCH && flow == HC_FLOW_LATCH)
            add(l, pc);
        else if (placement == HC_PLACE_FUNCTION_RETURN && flow == HC_FLOW_CALL && pc + length < end)
            add(l, pc + length);
    }
}

uint32_t *hc_place_checkpoints(struct hc_machine *machine, const struct hc_image *image, enum hc_placement placement,
                               size_t *count)
{
    const struct hc_symbol *functions;
    size_t n = hc_image_functions(image, &functions);
    struct place_list l = { 0 };

    for (size_t i = 0; i < n; i++)
        place_in(&l, machine, &functions[i], placement);
    *count = l.count;
    return l.place;
}
