/* Images from hostile files: any bytes are loaded or refused with a message, and every question about what was loaded
 * has an answer. */
#include "image/image.h"

#include <assert.h>
#include <string.h>

static void ask_symbols(struct hc_image *image)
{
    const struct hc_symbol *functions;
    struct hc_symbol found;
    size_t count = hc_image_functions(image, &functions);

    for (size_t i = 0; i < count && i < 64; i++) {
        assert(functions[i].size > 0);
        assert(i == 0 || functions[i - 1].address + functions[i - 1].size <= functions[i].address);
        assert(hc_image_function_at(image, functions[i].address, &found) && found.name == functions[i].name);
        assert(hc_image_symbol(image, functions[i].name, &found));
    }
    hc_image_data_at(image, 0x21, &found);
}

static void ask_lines(struct hc_image *image, uint32_t address)
{
    struct hc_line line;
    uint32_t places[4];
    char text[40];

    hc_image_locate(image, address, text, sizeof text);
    if (hc_image_line_at(image, address, &line))
        hc_image_line_addresses(image, line.file, line.line, places, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hc_image *image;
    struct hc_image_message message = { "" };
    const struct hc_image_segment *segments;

    enum hc_image_error error = hc_image_load_memory(&image, "file", bytes, size, &message);
    assert(error ? !image && strlen(message.text) > 6 : image != NULL);
    if (error)
        return 0;
    size_t count = hc_image_segments(image, &segments);
    assert(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert(segments[i].size && segments[i].address + segments[i].size <= HC_IMAGE_ADDRESSES);
        assert(i == 0 || segments[i - 1].address + segments[i - 1].size < segments[i].address);
    }
    ask_symbols(image);
    ask_lines(image, segments[0].address);
    ask_lines(image, segments[0].address + segments[0].size - 1);
    hc_image_free(image);
    return 0;
}
