#include "load.h"

#include "target.h"

#include <stdio.h>

static bool is_for_cpu(const struct hc_machine *m, const struct hc_image *image)
{
    return hc_image_machine(image) == hc_target_of_machine(m)->elf_machine;
}

bool hc_load_is_other_part(const struct hc_machine *m, const struct hc_image *image)
{
    const struct hc_part *part = hc_machine_part(m);

    return is_for_cpu(m, image) && part->wdtctl &&
           !hc_image_suits(image, part->wdtctl, part->vectors_end - 2 * (uint32_t)part->vectors);
}

static bool program(struct hc_machine *m, const struct hc_image_segment *segment, uint32_t *refused)
{
    for (uint32_t i = 0; i < segment->size; i++) {
        *refused = segment->address + i;
        if (!hc_poke(m, *refused, segment->bytes[i]))
            return false;
    }
    return true;
}

bool hc_load(struct hc_machine *m, const struct hc_image *image, struct hc_load_message *message)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    uint32_t refused;

    if (!is_for_cpu(m, image) || hc_load_is_other_part(m, image)) {
        snprintf(message->text, sizeof message->text, "%.200s: is built for another %s than %s", hc_image_name(image),
                 is_for_cpu(m, image) ? "part" : "CPU", hc_machine_part(m)->name);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!program(m, &segments[i], &refused)) {
            snprintf(message->text, sizeof message->text,
                     "%.200s: bytes at 0x%04x, where an %s has no memory: is it built for another part?",
                     hc_image_name(image), (unsigned)refused, hc_machine_part(m)->name);
            return false;
        }
    return true;
}
