#include "order.h"

#include <stdlib.h>

static size_t index_of(const struct hc_block_order *o, LLVMBasicBlockRef block)
{
    size_t i = 0;

    while (o->all[i] != block)
        i++;
    return i;
}

static void visit(struct hc_block_order *o, LLVMBasicBlockRef block)
{
    size_t index = index_of(o, block);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    if (o->seen[index])
        return;
    o->seen[index] = true;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        visit(o, LLVMGetSuccessor(end, i));
    o->block[o->count++] = block;
}

bool hc_block_order(struct hc_block_order *o, LLVMValueRef function)
{
    *o = (struct hc_block_order){ .total = LLVMCountBasicBlocks(function) };
    o->all = calloc(o->total + 1, sizeof(LLVMBasicBlockRef));
    o->block = calloc(o->total + 1, sizeof(LLVMBasicBlockRef));
    o->seen = calloc(o->total + 1, sizeof *o->seen);
    if (!o->all || !o->block || !o->seen)
        return false;
    LLVMGetBasicBlocks(function, o->all);
    visit(o, LLVMGetEntryBasicBlock(function));
    return true;
}

void hc_block_order_free(struct hc_block_order *o)
{
    free(o->all);
    free(o->block);
    free(o->seen);
}

bool hc_block_order_has(const struct hc_block_order *o, LLVMBasicBlockRef block)
{
    return o->seen[index_of(o, block)];
}
