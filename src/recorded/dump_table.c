#include "dump_table.h"

#include "names.h"

void hc_dump_table_each(const struct hc_image *image, struct hc_dump_layout layout, hc_dumped_fn *fn, void *owner)
{
    struct hc_symbol table;
    uint32_t address = 0;

    if (!hc_image_symbol(image, hc_recorder_symbols[HC_SYMBOL_DUMP], &table))
        return;
    const uint8_t *bytes = hc_image_bytes(image, table.address, table.size);
    for (uint32_t i = 0; bytes && i + 1 < table.size; i += 2) {
        address += bytes[i] * layout.gap;
        for (int n = bytes[i + 1]; n; n--) {
            int size = address < layout.bytes_end ? 1 : 2;
            fn(owner, address, size);
            address += (uint32_t)size;
        }
    }
}
