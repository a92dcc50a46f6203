/* Shadows of registers and memory, shared by the files of this folder.
 *
 *     tag of a pointer, 64 bits; 0: none
 *     | serial 24 | kind 3 | certain 1 | confirmed 1 | size 15 | start 20 |
 *
 * START and SIZE describe the object that the pointer points into. SERIAL is the number of the invocation that the
 * local variable belongs to, or of the heap block. A compiler may compute an address from a neighbouring object: so an
 * address in the code counts only if it is CERTAIN to belong to its object, or an access within the object has
 * CONFIRMED it.
 *
 * Each word of memory has an OWNER: the invocation whose frame contains it, or the heap block. A pointer from an older
 * invocation, or into another block, is invalid there. The slot of a return address has a tag of its own kind with the
 * caller's serial. So a return needs no list of frames, and threads and longjmp need no special case. */
#ifndef HC_CHECK_SHADOW_H
#define HC_CHECK_SHADOW_H

#include "check.h"
#include "target/target.h"

typedef uint64_t hc_tag;

enum hc_tag_kind { HC_TAG_NONE, HC_TAG_GLOBAL, HC_TAG_HEAP, HC_TAG_LOCAL, HC_TAG_FRAME, HC_TAG_RETURN };

#define HC_TAG_START(t) ((uint32_t)((t) & 0xfffff))
#define HC_TAG_SIZE(t) ((uint32_t)((t) >> 20 & 0x7fff))
#define HC_TAG_CONFIRMED (1ull << 35)
#define HC_TAG_CERTAIN (1ull << 36)
#define HC_TAG_KIND(t) ((enum hc_tag_kind)((t) >> 37 & 7))
#define HC_TAG_SERIAL(t) ((uint32_t)((t) >> 40))

enum { HC_CHECK_CARRY = 1 << HC_REGISTERS };
enum { HC_CHECK_NAMED = 4096 };
enum { HC_SERIALS = 1 << 24, HC_LARGEST_OBJECT = 0x7fff, HC_FREED = 0xffffffff };

static inline hc_tag hc_tag_make(enum hc_tag_kind kind, uint32_t serial, uint32_t start, uint32_t size, hc_tag flags)
{
    return (uint64_t)(serial & (HC_SERIALS - 1)) << 40 | (uint64_t)kind << 37 | (uint64_t)size << 20 | start | flags;
}

struct hc_check_shadow {
    hc_tag tag;
    uint32_t undefined; /* uninitialised bits */
};

/* Of each word of memory. */
struct hc_check_word {
    hc_tag tag;
    uint32_t writer; /* the instruction that wrote it last; 0: none */
    uint32_t owner;
};

/* The local variable that an instruction accesses, relative to the address that it computes. */
struct hc_check_local {
    bool looked_for;
    int32_t offset; /* of the variable from that address */
    uint32_t size;  /* 0: there is none */
    char name[HC_CHECK_NAME];
};

struct hc_check_step {
    struct hc_step s;
    hc_tag source_object, destination_object; /* according to the addresses in the code; 0: none */
    bool grows;                               /* of a copy of SP: the next instruction adds to it */
    struct hc_check_local source_local, destination_local;
};

struct hc_check_global {
    uint32_t start, size;
    const char *name;
    bool shared; /* a label is at its address, too: it may be a list that the linker made */
};

struct hc_check_block {
    uint32_t start, size, serial;
    uint32_t given, taken; /* the instructions that allocated and freed it; taken 0: it is in use */
};

struct hc_check_allocator {
    struct hc_check *check;
    int hook;
    uint32_t entry, size, block, site;
    int depth;
};

enum { HC_CHECK_MALLOC, HC_CHECK_CALLOC, HC_CHECK_REALLOC, HC_CHECK_FREE_CALL, HC_CHECK_ALLOCATORS };

struct hc_check {
    struct hc_machine *machine;
    const uint32_t *r; /* the machine's registers */
    struct hc_program *program;
    struct hc_image *image;
    const struct hc_target *target;
    const struct hc_target_steps *steps;
    struct hc_follower follower;
    uint32_t memory_size;

    struct hc_check_shadow reg[HC_REGISTERS];
    bool carry;      /* is undefined */
    bool no_unset;   /* uninitialised values are not reported */
    uint32_t *marks; /* a bit for each register that has a shadow, and HC_CHECK_CARRY */
    struct hc_check_word *word;
    uint8_t *undefined;           /* bits of each byte of memory */
    uint32_t serial, last_serial; /* of the running invocation */
    int quiet;                    /* within the allocator */

    uint32_t stack_low, stack_high; /* of the stack that SP is in; high 0: not known */
    uint32_t stack_data;            /* where the static data below it ends */
    struct hc_check_step **step;    /* of each word of code */
    struct hc_check_global *global;
    size_t globals;
    const struct hc_check_local *named[HC_CHECK_NAMED]; /* locals that tags were made for, by their addresses */
    uint32_t *dynamic; /* functions whose frames change their size: their debug information is not reliable */
    size_t dynamics;
    uint32_t *relocated; /* pairs of an address in the code and the index of a global; sorted by address */
    size_t relocations;
    struct hc_check_block *block;
    size_t blocks, block_room;
    uint32_t last_block;
    struct hc_check_allocator allocator[HC_CHECK_ALLOCATORS];
    int interrupt_hook;

    struct hc_check_finding *finding;
    size_t findings, finding_room;
    uint64_t dropped;
};

static inline void hc_check_set_register(struct hc_check *c, int n, struct hc_check_shadow v)
{
    c->reg[n] = v;
    *c->marks = (*c->marks & ~(1u << n)) | (uint32_t)((v.tag | v.undefined) != 0) << n;
}

static inline void hc_check_set_carry(struct hc_check *c, bool undefined)
{
    c->carry = undefined;
    *c->marks = (*c->marks & ~(uint32_t)HC_CHECK_CARRY) | (undefined ? HC_CHECK_CARRY : 0);
}

/* ---- objects.c ---- */
void hc_check_objects_read(struct hc_check *c);
/* The object that contains ADDRESS; NULL: none. */
const struct hc_check_global *hc_check_global_at(const struct hc_check *c, uint32_t address);
/* The tag of the object whose address is VALUE, a word of code at WORD (0: not known); 0: none. INDEX: the value is an
 * index that is added to a register. */
hc_tag hc_check_tag_of_value(const struct hc_check *c, uint32_t value, uint32_t word, bool index);
/* Records that the instruction at PC sets SP to a computed value: the frame of its function has no fixed size. */
void hc_check_frame_is_dynamic(struct hc_check *c, uint32_t pc);
/* Finds the local variable at ADDRESS that is in scope at PC. Searches only the first time. */
void hc_check_local_find(struct hc_check *c, uint32_t pc, uint32_t address, struct hc_check_local *local);
/* The tag of local variable L of the running invocation, found from ADDRESS. Remembers its name. */
hc_tag hc_check_tag_of_local(struct hc_check *c, const struct hc_check_local *l, uint32_t address);
void hc_check_describe(struct hc_check *c, uint32_t address, struct hc_check_object *out);

/* ---- stack.c ---- */
void hc_check_stack_moves(struct hc_check *c, uint32_t to, uint32_t pc);
void hc_check_stack_switches(struct hc_check *c, uint32_t to, uint32_t pc);
/* Call after heap blocks were allocated or freed. */
void hc_check_stack_limit(struct hc_check *c);
void hc_check_called(struct hc_check *c, uint32_t slot, uint32_t size, uint32_t back);
void hc_check_returned(struct hc_check *c, uint32_t slot);

/* ---- heap.c ---- */
void hc_check_heap_hook(struct hc_check *c);
void hc_check_heap_unhook(struct hc_check *c);
const struct hc_check_block *hc_check_block_of(const struct hc_check *c, uint32_t serial);
const struct hc_check_block *hc_check_block_at(const struct hc_check *c, uint32_t address);

/* ---- follow.c ---- */
hc_follow_fn *hc_check_choose(void *owner, struct hc_machine *m, uint32_t pc, const void **step, uint32_t *marks);

/* ---- findings.c ---- */
/* Reports an access through a pointer with TAG that is outside of its object, or whose object no longer exists. LOCAL:
 * gives the name if TAG belongs to a local variable. */
void hc_check_wrong_access(struct hc_check *c, const struct hc_step *s, hc_tag tag, const struct hc_check_local *local,
                           uint32_t address, uint32_t size, bool write);
void hc_check_found_unset(struct hc_check *c, const struct hc_step *s, const char *use, uint32_t address,
                          uint32_t size);
struct hc_check_finding *hc_check_find(struct hc_check *c, enum hc_check_kind kind, uint32_t pc);

#endif
