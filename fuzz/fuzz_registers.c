/* Descriptions of registers from hostile files: read or refused with a message that names the file; what was read makes
 * sense, and the register file made from it survives any access. */
#include "registers/regs.h"

#include <assert.h>
#include <string.h>

static void check(const struct hc_regs *regs)
{
    for (size_t i = 0; i < regs->count; i++) {
        const struct hc_reg *r = &regs->reg[i];
        assert(r->size == 1 || r->size == 2 || r->size == 4);
        assert(!(r->nondeterministic & r->kept) && !(r->constant & (r->nondeterministic | r->kept)));
        assert(r->address + r->size <= regs->peripherals_end);
        assert(i == 0 || r[-1].address + r[-1].size <= r->address);
        assert(hc_regs_at(regs, r->address) == r && hc_regs_named(regs, r->name) == r);
    }
    for (size_t i = 0; i < regs->effects; i++)
        assert(hc_regs_at(regs, regs->effect[i].target));
}

static void use(const struct hc_regs *regs, const uint8_t *bytes, size_t size)
{
    struct hc_regfile *file = hc_regfile_new(regs);

    assert(file);
    hc_regfile_reset(file, true);
    for (size_t i = 0; i + 4 <= size && i < 400; i += 4) {
        uint32_t address = bytes[i] | (uint32_t)(bytes[i + 1] & 0x1f) << 8;
        int width = 1 << (bytes[i + 1] >> 5) % 3;
        hc_regfile_write(file, address, bytes[i + 2] | (uint32_t)bytes[i + 3] << 8, width);
        uint32_t value = hc_regfile_peek(file, address, width);
        assert(hc_regfile_read(file, address, width) == value);
        hc_regfile_known(file, address, width);
        hc_regfile_interrupt(file, bytes[i] % 64);
    }
    hc_regfile_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hc_regs_message message = { "" };
    struct hc_regs_access access;
    struct hc_regs_dump dump[8];
    struct hc_regs *regs;
    int error = hc_regs_load_memory(&regs, "file", (const char *)bytes, size, &message);

    assert(error ? !regs && !strncmp(message.text, "file", 4) : regs != NULL);
    if (regs) {
        check(regs);
        use(regs, bytes, size);
        hc_regs_dump(regs, dump, 8);
        hc_regs_access(regs, size & 0xfff, 4, &access);
    }
    hc_regs_free(regs);
    return 0;
}
