#define HC_LIBRARY_CALLS
#include "clang.h"

#include "library.h"

#include <pthread.h>

static const char *const names[] = { HC_CLANG_NAMES };

/* The library is the process's, whoever calls it. */
static struct hc_clang_calls calls;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
    hc_library_fill(hc_library_open(HC_CLANG_FILE), HC_CLANG_FILE, names, sizeof names / sizeof *names, &calls);
}

const struct hc_clang_calls *hc_clang(void)
{
    pthread_once(&loaded, load);
    return &calls;
}
