/* Instrumented ELF files from hostile hands: the map is read or refused with a message, and the proof of positions
 * ends, whatever the code is. */
#include "image/image.h"
#include "instrument/proof/proof.h"
#include "recorded/map.h"
#include "recorded/size.h"

#include <assert.h>
#include <string.h>

static void check_map(const struct hc_image *image)
{
    struct hc_map_message message = { "" };
    struct hc_map *map;
    uint32_t bytes;
    int error = hc_map_read(&map, image, &message);

    assert(error ? !map && *message.text : map != NULL);
    for (size_t i = 0; map && i < map->sites; i++)
        assert(map->site[i].index == i && map->site[i].class < 4 && map->site[i].file);
    for (size_t i = 0; map && i < map->plains; i++)
        assert(hc_map_plain(map, map->plain[i].function, &bytes));
    hc_map_free(map);
    hc_size_runtime_bytes(image);
}

static void check_proof(const struct hc_image *image)
{
    struct hc_proof_message message = { "" };
    enum hc_proof_reason reason;
    struct hc_proof *proof;

    if (hc_proof_make(&proof, image, &message)) {
        assert(!proof && *message.text);
        return;
    }
    for (size_t i = 0; i < proof->ranges; i++)
        assert(hc_proof_lists(proof, proof->range[i].start, &reason));
    hc_proof_free(proof);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hc_image_message message;
    struct hc_image *image;

    if (hc_image_load_memory(&image, "file", bytes, size, &message))
        return 0;
    check_map(image);
    check_proof(image);
    hc_image_free(image);
    return 0;
}
