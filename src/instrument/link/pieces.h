/* The uses of memory in a linked program: what the recorder clears at a reset, and what its checkpoints contain. */
#ifndef HC_INSTRUMENT_LINK_PIECES_H
#define HC_INSTRUMENT_LINK_PIECES_H

#include "machine_code.h"
#include "recorded/link_table.h"
#include "registers/regs.h"

#include <libelf.h>
#include <stdbool.h>

struct hc_image;

/* As runtime/link.h has them. */
struct hc_pieces {
    struct hc_memory_range free, piece[HC_PIECES];
};

struct hc_pieces_message {
    char text[200]; /* one line, without a newline; written only when a call fails */
};

/* CODE: what the program does. Returns false, with a message, if this program cannot be recorded. */
bool hc_pieces_find(struct hc_pieces *out, Elf *elf, const struct hc_image *image, const struct hc_regs *registers,
                    const struct hc_code_facts *code, struct hc_pieces_message *message);

#endif
