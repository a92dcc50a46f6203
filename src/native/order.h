/* The blocks of a function, so that what a value is made of comes before it. */
#ifndef HC_NATIVE_ORDER_H
#define HC_NATIVE_ORDER_H

#include "llvm/llvm.h"
#include <stdbool.h>
#include <stddef.h>

struct hc_block_order {
    LLVMBasicBlockRef *block; /* in post-order: go through them from the last to the first */
    size_t count;             /* of those that can be reached */
    LLVMBasicBlockRef *all;
    bool *seen; /* of `all` */
    size_t total;
};

/* False: out of memory. Free it in either case. */
bool hc_block_order(struct hc_block_order *o, LLVMValueRef function);
void hc_block_order_free(struct hc_block_order *o);
/* Whether BLOCK, of the function, can be reached. */
bool hc_block_order_has(const struct hc_block_order *o, LLVMBasicBlockRef block);

#endif
