#include "code_graph.h"

#include "image/image.h"
#include "support/grow.h"

#include <stdlib.h>

/* ---- the image's bytes ---- */

bool hc_code_byte(const struct hc_image *image, uint32_t address, uint8_t *out)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    uint32_t programmed = address;

    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < count; i++)
            if (programmed - segments[i].address < segments[i].size) {
                *out = segments[i].bytes[programmed - segments[i].address];
                return true;
            }
        if (!hc_image_initial_value(image, address, &programmed)) /* code that is copied to RAM */
            return false;
    }
    return false;
}

bool hc_code_word(const struct hc_image *image, uint32_t address, uint16_t *out)
{
    uint8_t low, high;

    if (!hc_code_byte(image, address, &low) || !hc_code_byte(image, address + 1, &high))
        return false;
    *out = (uint16_t)(low | high << 8);
    return true;
}

/* ---- nodes ---- */

bool hc_code_grow(struct hc_code_graph *code, void *array, size_t count, size_t *room, size_t element)
{
    bool grown = hc_grow(array, count, room, element);
    code->failed |= !grown;
    return grown;
}

int hc_code_node_at(struct hc_code_graph *code, uint32_t pc)
{
    pc &= code->addresses - 2;
    if (code->node_at[pc / 2] != HC_NO_NODE)
        return code->node_at[pc / 2];
    if (!hc_code_grow(code, &code->node, code->nodes, &code->node_room, sizeof *code->node) ||
        !hc_code_grow(code, &code->waiting, code->waiting_count, &code->waiting_room, sizeof *code->waiting))
        return HC_NO_NODE;
    int n = (int)code->nodes++;
    code->node[n] = (struct hc_code_node){
        .pc = pc, .kind = HC_NODE_STOP, .length = 2, .next = HC_NO_NODE, .target = HC_NO_NODE, .part = HC_NO_NODE
    };
    code->waiting[code->waiting_count++] = n;
    return code->node_at[pc / 2] = n;
}

int hc_code_entry_at(struct hc_code_graph *code, uint32_t pc)
{
    int n = hc_code_node_at(code, pc);

    if (n != HC_NO_NODE)
        code->node[n].entry = true;
    return n;
}

void hc_code_add_target(struct hc_code_graph *code, int n, uint32_t pc)
{
    int target = hc_code_node_at(code, pc);

    if (target == HC_NO_NODE || !hc_code_grow(code, &code->list, code->listed, &code->list_room, sizeof *code->list))
        return;
    if (!code->node[n].targets)
        code->node[n].first_target = code->listed;
    code->node[n].targets++;
    code->list[code->listed++] = target;
}

void hc_code_graph_free(struct hc_code_graph *code)
{
    free(code->node);
    free(code->list);
    free(code->part);
    free(code->waiting);
    free(code->node_at);
    *code = (struct hc_code_graph){ 0 };
}
