#include "border.h"
#include "bitcode.h"

#include "../runtime/codec/page.h"
#include "names.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>

enum { POLL_LONGEST = 40 /* bytes up to its load */ };

static bool find_poll(const struct hc_image *image, enum hc_recorder_symbol symbol, struct hc_border_poll *poll)
{
    const struct hc_target *target = hc_target_of_elf(hc_image_machine(image));
    struct hc_cpu_poll load;
    uint32_t start, word;
    if (!target || !target->cpu || !hc_recorder_address(image, symbol, &start))
        return false;
    for (uint32_t at = start; at < start + POLL_LONGEST; at += 2)
        if (hc_recorded_word(image, at, &word) && target->cpu->is_poll_load(word, &load)) {
            poll->size = load.size;
            poll->load = at;
            poll->jump = at + load.jump;
            poll->after = at + load.after;
            return true;
        }
    return false;
}

static void find_polls(struct hc_border *border, const struct hc_image *image)
{
    static const struct {
        enum hc_recorder_symbol symbol;
        bool until_set;
    } routines[HC_BORDER_POLLS] = {
        { HC_SYMBOL_POLL_SET8, true },
        { HC_SYMBOL_POLL_SET16, true },
        { HC_SYMBOL_POLL_CLEAR8, false },
        { HC_SYMBOL_POLL_CLEAR16, false },
    };
    for (int i = 0; i < HC_BORDER_POLLS; i++) {
        border->poll[i].until_set = routines[i].until_set;
        find_poll(image, routines[i].symbol, &border->poll[i]);
    }
}

/* Linkers make the symbols of a section's ends only where something refers to them. */
static void find_sites(struct hc_border *border, const struct hc_image *image)
{
    struct hc_image_section table;
    if (!hc_image_section(image, HC_SITES_SECTION, &table))
        return;
    border->sites = table.address;
    border->sites_end = table.address + table.size;
}

static const char *find_symbols(struct hc_border *border, const struct hc_image *image)
{
    const struct {
        enum hc_recorder_symbol symbol;
        uint32_t *to;
        bool optional;
    } symbols[] = {
        { HC_SYMBOL_CUT_READ, &border->read, false },
        { HC_SYMBOL_CUT_READ_END, &border->read_end, false },
        { HC_SYMBOL_CUT_READ_VIA, &border->read_via, true },
        { HC_SYMBOL_CUT_UPDATE, &border->update, false },
        { HC_SYMBOL_CUT_UPDATE_END, &border->update_end, false },
        { HC_SYMBOL_CUT_RESUME, &border->resume, false },
        { HC_SYMBOL_UPDATE_RESUME, &border->update_resume, false },
        { HC_SYMBOL_INSIDE, &border->inside, false },
        { HC_SYMBOL_RESET, &border->reset, false },
        { HC_SYMBOL_RAM, &border->recorder.start, false },
        { HC_SYMBOL_RAM_END, &border->recorder.end, false },
        { HC_SYMBOL_SEGMENT, &border->segment, true },
        { HC_SYMBOL_SITES, &border->sites, true },
        { HC_SYMBOL_SITES_END, &border->sites_end, true },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!hc_recorder_address(image, symbols[i].symbol, symbols[i].to) && !symbols[i].optional)
            return hc_recorder_symbols[symbols[i].symbol];
    return NULL;
}

/* IMAGE records something else than all that happens: says what. */
static void refuse_depth(const struct hc_image *image, char *message, size_t size)
{
    struct hc_image_section section;

    if (hc_image_section(image, HC_REGION_MODULE, &section))
        snprintf(message, size,
                 "%s: records a region, not all that happens (--record=region or slice), and this needs a recording of "
                 "the whole node; use `hindcast replay`, `hindcast debug` or `hindcast print`",
                 hc_image_name(image));
    else
        snprintf(
            message, size,
            "%s: records messages, not all that happens (--record=messages, messages+paths or lamport), so there is "
            "nothing to replay; use `hindcast order`, `hindcast paths` or `hindcast log --messages`",
            hc_image_name(image));
}

int hc_border_read(struct hc_border *border, const struct hc_image *image, char *message, size_t size)
{
    uint32_t link;
    memset(border, 0, sizeof *border);
    if (hc_recorder_address(image, HC_SYMBOL_TRAFFIC, &link)) {
        refuse_depth(image, message, size);
        return -1;
    }
    if (hc_image_format(image) != HC_IMAGE_ELF || !hc_recorder_address(image, HC_SYMBOL_LINK, &link)) {
        snprintf(message, size, "%s: has no recorder in it; build it with `hindcast cc`", hc_image_name(image));
        return -1;
    }
    const char *missing = find_symbols(border, image);
    if (missing) {
        snprintf(message, size, "%s: symbol %s of the recorder is missing; was it stripped?", hc_image_name(image),
                 missing);
        return -1;
    }
    if (!hc_link_table_read(&border->link, image) || border->link.version != HC_TRACE_VERSION) {
        snprintf(message, size, "%s: the recorder's table __hc_link is damaged or of another version",
                 hc_image_name(image));
        return -1;
    }
    border->count = border->recorder.start; /* its RAM begins with the counter */
    border->laps = border->recorder.start + 2;
    find_polls(border, image);
    find_sites(border, image);
    if (border->sites_end < border->sites || border->sites_end > 0x10000) {
        snprintf(message, size, "%s: the recorder's table of sites (section hc_sites) is damaged: build it again",
                 hc_image_name(image));
        return -1;
    }
    for (int i = 0; i < border->link.vectors; i++)
        hc_trampoline_address(image, i, &border->trampoline[i]);
    return 0;
}

bool hc_border_hashed(const struct hc_border *border, uint32_t pc)
{
    return hc_link_table_hashed(&border->link, pc);
}

bool hc_border_ends_cut(const struct hc_border *border, uint32_t pc)
{
    return pc == border->read_end || pc == border->update_end;
}

const struct hc_border_poll *hc_border_poll_at(const struct hc_border *border, uint32_t pc)
{
    for (int i = 0; i < HC_BORDER_POLLS; i++)
        if (border->poll[i].load && (pc == border->poll[i].load || pc == border->poll[i].jump))
            return &border->poll[i];
    return NULL;
}

int hc_border_site(const struct hc_border *border, uint32_t address)
{
    if (address < border->sites || address >= border->sites_end || (address - border->sites) % sizeof(struct hc_site))
        return -1;
    return (int)((address - border->sites) / sizeof(struct hc_site));
}
