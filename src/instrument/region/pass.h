/* What the files of this folder share: one module under work. */
#ifndef HC_INSTRUMENT_REGION_PASS_H
#define HC_INSTRUMENT_REGION_PASS_H

#include "region.h"

#include "llvm/llvm.h"

/* The mark of a function inside, which survives optimisation and copies. */
#define HC_REGION_MARK "hindcast-region"

struct hc_region_pass {
    const struct hc_region_request *request;
    struct hc_region_result *result;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef word, i32, void_type, pointer; /* word: as wide as a pointer */
    unsigned word_bits;
    bool interrupts; /* no object is the region's own */
    size_t errors;
    struct hc_region_entry {
        LLVMValueRef function; /* called from outside; after optimisation only its name is sure */
        char *name;
        bool is_inline; /* as the program has it */
    } *entry;
    size_t entry_room;
    struct hc_region_stub {
        LLVMValueRef callee, function;
        LLVMTypeRef type;
    } *stub; /* calls to the outside */
    size_t stubs, stub_room;
    struct hc_region_object {
        LLVMValueRef object;
        bool own;
    } *object; /* what is known about them */
    size_t objects, object_room;
    struct hc_region_inner_call {
        char *name;
        bool inside;
    } *call; /* functions that the region called before optimisation */
    size_t calls, call_room;
};

/* The program's units, in the request's order. */
struct hc_region_units {
    struct hc_region_unit {
        LLVMModuleRef module;
        bool inside; /* all of it, or some of its functions */
        bool absorbed;
    } *unit;
    size_t count;
};

/* "file:line: error: " and the text, for the place of INSTRUCTION (or a function). */
void hc_region_error(struct hc_region_pass *p, LLVMValueRef place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same as a note: it is not refused. */
void hc_region_note(struct hc_region_pass *p, LLVMValueRef place, const char *text);

bool hc_region_is_inside(LLVMValueRef function);
/* A function attribute that is a string. */
bool hc_region_has_string(LLVMValueRef function, const char *name);

/* ---- hooks.c: calls of the runtime, at the builder's place ---- */
LLVMValueRef hc_region_call_hook(struct hc_region_pass *p, const char *name, LLVMTypeRef result,
                                 LLVMValueRef *arguments, unsigned count);
/* The value as the log or the node has it; of any type that a function can take. */
LLVMValueRef hc_region_in(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place);
/* It leaves the region. */
void hc_region_out(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place);
/* Everyone who used VALUE uses what the hook gives, which is called before instruction BEFORE. */
void hc_region_take(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef before);
/* The word N. */
LLVMValueRef hc_region_word(struct hc_region_pass *p, unsigned long long n);

/* ---- borders.c ---- */
/* Gives every function inside a second one, which has its name and is what the outside calls. Before optimisation. */
void hc_region_split(struct hc_region_pass *p, bool (*inside)(void *owner, LLVMValueRef function), void *owner);
/* Replaces a call to the outside by one of a function that asks the runtime first. */
void hc_region_call_out(struct hc_region_pass *p, LLVMValueRef call);

/* ---- inlined.c ---- */
/* Keeps in mind what the region calls; says what became of it, in notes. */
void hc_region_before_inlining(struct hc_region_pass *p);
void hc_region_after_inlining(struct hc_region_pass *p);
/* The program asks for it to be inlined. */
bool hc_region_is_inline(LLVMValueRef function);

/* ---- absorb.c ---- */
/* Helpers of the region become part of it: returns how many units. Each unit of which functions are inside must be
 * inside whole. */
size_t hc_region_absorb(struct hc_region_units *u, const struct hc_region_request *r);

/* ---- own.c ---- */
/* All that POINTER may point into is the region's own, or constant. */
bool hc_region_is_own(struct hc_region_pass *p, LLVMValueRef pointer);

/* ---- memory.c ---- */
void hc_region_load(struct hc_region_pass *p, LLVMValueRef load);
void hc_region_store(struct hc_region_pass *p, LLVMValueRef store);
void hc_region_move(struct hc_region_pass *p, LLVMValueRef call, bool sets);
/* HC_IN: before units are joined, its calls become calls of a function without a body; then such a call inside becomes
 * loads of units, and one outside goes. */
void hc_region_find_ins(LLVMModuleRef unit);
bool hc_region_is_in(LLVMValueRef callee);
void hc_region_in_bytes(struct hc_region_pass *p, LLVMValueRef call);
void hc_region_drop_ins(struct hc_region_pass *p);
/* Others may write this local: where it lies is recorded. */
void hc_region_frame(struct hc_region_pass *p, LLVMValueRef local);

/* ACCESS, through POINTER, is volatile and not of an object that the program defines. */
bool hc_region_is_register(LLVMValueRef access, LLVMValueRef pointer);
/* A load of a register becomes one that reads until two values agree. */
void hc_region_stable(struct hc_region_pass *p, LLVMValueRef load);

/* ---- stable.c: such loops ---- */
void hc_region_find_stable(struct hc_region_pass *p, LLVMValueRef function);

/* ---- body.c: all instructions of a function inside ---- */
void hc_region_instrument(struct hc_region_pass *p, LLVMValueRef function);

#endif
