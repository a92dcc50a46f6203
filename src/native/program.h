/* What a lowered region and its runner know of each other: the symbols of the shared object.
 *
 *     hcn_arena    memory as the node addresses it, 64 KB and some bytes behind it
 *     hcn_sp       the node's stack pointer, where the code that runs would have it
 *     hcn_owner    given to hooks
 *     hcn_hooks    by enum hc_native_hook
 *     hcn_entries  by number of the entry; hcn_entry_count
 *     hcn_sites    places that call hooks, by number; hcn_site_count */
#ifndef HC_NATIVE_PROGRAM_H
#define HC_NATIVE_PROGRAM_H

#include "replay/region/region_map.h"

enum { HC_NATIVE_ARENA = 0x10000, HC_NATIVE_BEHIND = 16 };

/* Those of the runtime, then ours. */
enum hc_native_hook {
    HC_NATIVE_COPY = HC_REGION_HOOKS,
    HC_NATIVE_SET,
    HC_NATIVE_STUCK,   /* code that cannot go on: never returns */
    HC_NATIVE_REPORT,  /* a check failed, with this number; the site says what */
    HC_NATIVE_SUSPECT, /* one of an operation failed, with these operands; its value may never be used */
    HC_NATIVE_CONFIRM, /* it is used: the number of that site, and one */
    HC_NATIVE_HOOKS,
};

typedef uint32_t hc_native_hook_fn(void *owner, uint32_t a, uint32_t b, uint32_t c, uint32_t site);

struct hc_native_entry {
    void (*call)(void); /* NULL: nobody calls it */
    int32_t offset;     /* of the address that is recorded, from the stack pointer before the call */
    uint32_t slot;      /* of its prediction */
};

/* What the numbers of a check are. */
enum hc_native_kind { HC_NATIVE_SIGNED, HC_NATIVE_UNSIGNED, HC_NATIVE_INDEX, HC_NATIVE_ADDRESS };

struct hc_native_site {
    const char *file, *function, *what;
    uint32_t line;
    uint32_t number; /* enum hc_native_kind << 8 | bits */
};

#endif
