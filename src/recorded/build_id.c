#include "build_id.h"

#include "link_table.h"

#include <gelf.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ID_SIZE = 20, NOTE_HEADER = 12 };

/* Where in the contents of section S the id of the note OWNER/TYPE is; SIZE_MAX: nowhere. */
static size_t id_in_note(const GElf_Shdr *s, const uint8_t *bytes, size_t size, const char *owner, uint8_t type)
{
    size_t length = strlen(owner) + 1, room = (length + 3) & ~(size_t)3;

    if (s->sh_type != SHT_NOTE || size < NOTE_HEADER + room + ID_SIZE || bytes[0] != length || bytes[8] != type ||
        memcmp(bytes + NOTE_HEADER, owner, length) != 0)
        return SIZE_MAX;
    return NOTE_HEADER + room;
}

/* The contents as they were hashed: without the ids themselves. ID gets ours, if it is there. */
static void take_ids_out(const GElf_Shdr *s, uint8_t *bytes, size_t size, uint32_t build, uint8_t *id, bool *found)
{
    size_t ours = id_in_note(s, bytes, size, "Hindcast", 1), gnu = id_in_note(s, bytes, size, "GNU", NT_GNU_BUILD_ID);

    if (ours != SIZE_MAX) {
        memcpy(id, bytes + ours, ID_SIZE);
        memset(bytes + ours, 0, ID_SIZE);
        *found = true;
    }
    if (gnu != SIZE_MAX)
        memset(bytes + gnu, 0, ID_SIZE);
    if (build >= s->sh_addr && build + HC_LINK_BUILD_SIZE <= s->sh_addr + size)
        memset(bytes + (build - s->sh_addr), 0, HC_LINK_BUILD_SIZE);
}

/* False: memory is exhausted, or the section cannot be read. */
static bool add_section(struct sha256_ctx *hash, Elf_Scn *section, const GElf_Shdr *s, uint32_t build, uint8_t *id,
                        bool *found)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    size_t size = data && data->d_buf ? data->d_size : 0;
    uint8_t *copy = size == s->sh_size ? malloc(size + 1) : NULL;
    uint8_t place[4] = { (uint8_t)s->sh_addr, (uint8_t)(s->sh_addr >> 8), (uint8_t)s->sh_size,
                         (uint8_t)(s->sh_size >> 8) };

    if (!copy)
        return false;
    if (size)
        memcpy(copy, data->d_buf, size);
    take_ids_out(s, copy, size, build, id, found);
    if (s->sh_flags & SHF_ALLOC) {                /* a note may not be loaded */
        sha256_update(hash, sizeof place, place); /* of an empty section, too */
        sha256_update(hash, size, copy);
    }
    free(copy);
    return true;
}

enum hc_build_id_state hc_build_id_check(const struct hc_image *image)
{
    uint8_t id[ID_SIZE] = { 0 }, made[ID_SIZE];
    struct hc_link_table table;
    struct sha256_ctx hash;
    GElf_Shdr s;
    bool found = false;
    Elf *elf = hc_image_elf(image);

    if (!elf || !hc_link_table_read(&table, image))
        return HC_BUILD_ID_NONE;
    sha256_init(&hash);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &s) || s.sh_type == SHT_NOBITS || !(s.sh_flags & SHF_ALLOC || s.sh_type == SHT_NOTE))
            continue;
        if (!add_section(&hash, section, &s, table.address + offsetof(struct hc_link, build), id, &found))
            return HC_BUILD_ID_NONE;
    }
    sha256_digest(&hash, ID_SIZE, made);
    return !found ? HC_BUILD_ID_NONE : memcmp(id, made, ID_SIZE) ? HC_BUILD_ID_CHANGED : HC_BUILD_ID_SAME;
}
