#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* A signal handler has no argument for its state: these belong to the process. */
static _Atomic(void (*)(void *)) handler;
static _Atomic(void *) handler_owner;
static atomic_bool signalled;

static void on_signal(int number)
{
    void (*call)(void *) = atomic_load(&handler);

    (void)number;
    atomic_store(&signalled, true);
    if (call)
        call(atomic_load(&handler_owner));
}

void hc_signals_catch(void (*call)(void *owner), void *owner)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

    atomic_store(&handler, NULL);
    atomic_store(&handler_owner, owner);
    atomic_store(&handler, call);
    if (!call)
        return;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool hc_signalled(void)
{
    return atomic_load(&signalled);
}
