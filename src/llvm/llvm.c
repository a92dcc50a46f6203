#define HC_LIBRARY_CALLS
#include "llvm.h"

#include "library.h"

#include <pthread.h>

static const char *const names[] = { HC_LLVM_NAMES };

/* The library is the process's, whoever calls it. */
static struct hc_llvm_calls calls;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
    hc_library_fill(hc_library_open(HC_LLVM_FILE), HC_LLVM_FILE, names, sizeof names / sizeof *names, &calls);
}

const struct hc_llvm_calls *hc_llvm(void)
{
    pthread_once(&loaded, load);
    return &calls;
}

void hc_llvm_initialize_targets(void)
{
    static const char *const functions[] = {
#define LLVM_TARGET(name) \
    "LLVMInitialize" #name "TargetInfo", "LLVMInitialize" #name "Target", "LLVMInitialize" #name "TargetMC",
#include <llvm/Config/Targets.def>
    };
    void (*initialize[sizeof functions / sizeof *functions])(void);

    hc_library_fill(hc_library_open(HC_LLVM_FILE), HC_LLVM_FILE, functions, sizeof functions / sizeof *functions,
                    initialize);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        initialize[i]();
}
