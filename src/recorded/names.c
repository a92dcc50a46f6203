#include "names.h"

#include <stdio.h>
#include <string.h>

const char *const hc_recorder_symbols[HC_RECORDER_SYMBOLS] = {
    [HC_SYMBOL_LINK] = "__hc_link",
    [HC_SYMBOL_DUMP] = "__hc_dump",
    [HC_SYMBOL_RAM] = "__hc_ram",
    [HC_SYMBOL_RAM_END] = "__hc_ram_end",
    [HC_SYMBOL_COUNT] = "__hc_count",
    [HC_SYMBOL_SEGMENT] = "__hc_segment",
    [HC_SYMBOL_REGISTERS] = "__hc_registers",
    [HC_SYMBOL_REGISTERS_END] = "__hc_registers_end",
    [HC_SYMBOL_FREE] = "__hc_free",
    [HC_SYMBOL_FREE_END] = "__hc_free_end",
    [HC_SYMBOL_RESET] = "__hc_reset",
    [HC_SYMBOL_CUT_READ] = "__hc_cut_read",
    [HC_SYMBOL_CUT_READ_VIA] = "__hc_cut_read_via",
    [HC_SYMBOL_CUT_READ_END] = "__hc_cut_read_end",
    [HC_SYMBOL_CUT_UPDATE] = "__hc_cut_update",
    [HC_SYMBOL_CUT_RESUME] = "__hc_cut_resume",
    [HC_SYMBOL_CUT_UPDATE_END] = "__hc_cut_update_end",
    [HC_SYMBOL_UPDATE_RESUME] = "__hc_update_resume",
    [HC_SYMBOL_INSIDE] = "__hc_inside",
    [HC_SYMBOL_POLL_SET8] = "__hc_poll_set8",
    [HC_SYMBOL_POLL_SET16] = "__hc_poll_set16",
    [HC_SYMBOL_POLL_CLEAR8] = "__hc_poll_clear8",
    [HC_SYMBOL_POLL_CLEAR16] = "__hc_poll_clear16",
    [HC_SYMBOL_UPDATE_LOOP] = "__hc_update_loop",
    [HC_SYMBOL_UPDATE_MAIN] = "__hc_update_main",
    [HC_SYMBOL_UPDATE_HANDLER] = "__hc_update_handler",
    [HC_SYMBOL_SITES] = "__start_hc_sites",
    [HC_SYMBOL_SITES_END] = "__stop_hc_sites",
    [HC_SYMBOL_TRAFFIC] = "__hc_traffic_begin",
};

static bool find(const struct hc_image *image, const char *name, uint32_t *address)
{
    struct hc_symbol found;
    bool there = hc_image_symbol(image, name, &found);

    *address = there ? found.address : 0;
    return there;
}

bool hc_recorder_address(const struct hc_image *image, enum hc_recorder_symbol symbol, uint32_t *address)
{
    return find(image, hc_recorder_symbols[symbol], address);
}

const char *hc_trampoline_name(int vector, char out[HC_TRAMPOLINE_NAME])
{
    snprintf(out, HC_TRAMPOLINE_NAME, "__hc_trampoline_%d", vector);
    return out;
}

bool hc_trampoline_address(const struct hc_image *image, int vector, uint32_t *address)
{
    char name[HC_TRAMPOLINE_NAME];

    return find(image, hc_trampoline_name(vector, name), address);
}

bool hc_is_recorder_name(const char *name)
{
    return !strncmp(name, "__hc_", 5) || !strncmp(name, "hc_", 3);
}

bool hc_is_update(const char *name)
{
    return !strcmp(name, "hc_update") || !strcmp(name, "hc_update_idle") || !strcmp(name, "hc_update_later");
}

bool hc_is_recorder_call(const char *name)
{
    static const char *const names[] = { "hc_update", "hc_update_idle", "hc_update_later", "hc_checkpoint",
                                         "hc_freeze" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool hc_recorded_word(const struct hc_image *image, uint32_t address, uint32_t *out)
{
    const uint8_t *low = hc_image_bytes(image, address, 1), *high = hc_image_bytes(image, address + 1, 1);

    if (!low || !high)
        return false;
    *out = *low | (uint32_t)*high << 8;
    return true;
}
