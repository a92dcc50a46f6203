#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000 };

struct hc_workers {
    int threads;
    pthread_t *thread;
    atomic_uint batch;   /* counts batches; a change starts the members */
    atomic_int next_job; /* of this batch */
    atomic_int working;  /* members that have not finished this batch */
    atomic_int asleep;
    atomic_bool over;
    int jobs;
    hc_job_fn *call;
    void *owner;
    pthread_mutex_t lock;
    pthread_cond_t woken;
};

static void work(struct hc_workers *workers)
{
    int job;
    while ((job = atomic_fetch_add(&workers->next_job, 1)) < workers->jobs)
        workers->call(workers->owner, job);
}

/* Spins for a while, then sleeps, until there is another batch than SEEN. */
static unsigned await_batch(struct hc_workers *workers, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&workers->batch) != seen)
            return atomic_load(&workers->batch);
        if (i % 64 == 63)
            sched_yield();
    }
    pthread_mutex_lock(&workers->lock);
    atomic_fetch_add(&workers->asleep, 1);
    while (atomic_load(&workers->batch) == seen)
        pthread_cond_wait(&workers->woken, &workers->lock);
    atomic_fetch_sub(&workers->asleep, 1);
    pthread_mutex_unlock(&workers->lock);
    return atomic_load(&workers->batch);
}

static void *member(void *argument)
{
    struct hc_workers *workers = argument;
    unsigned seen = 0;
    for (;;) {
        seen = await_batch(workers, seen);
        if (atomic_load(&workers->over))
            return NULL;
        work(workers);
        atomic_fetch_sub(&workers->working, 1);
    }
}

static void start_batch(struct hc_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    atomic_fetch_add(&workers->batch, 1);
    if (atomic_load(&workers->asleep))
        pthread_cond_broadcast(&workers->woken);
    pthread_mutex_unlock(&workers->lock);
}

struct hc_workers *hc_workers_new(int threads)
{
    struct hc_workers *workers = calloc(1, sizeof *workers);
    if (!workers)
        return NULL;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->woken, NULL);
    workers->threads = 1;
    workers->thread = calloc((size_t)threads, sizeof *workers->thread);
    while (workers->thread && workers->threads < threads) {
        if (pthread_create(&workers->thread[workers->threads], NULL, member, workers) != 0)
            break;
        workers->threads++;
    }
    if (workers->threads < threads) {
        hc_workers_free(workers);
        return NULL;
    }
    return workers;
}

void hc_workers_free(struct hc_workers *workers)
{
    if (!workers)
        return;
    atomic_store(&workers->over, true);
    start_batch(workers);
    for (int i = 1; i < workers->threads; i++)
        pthread_join(workers->thread[i], NULL);
    pthread_mutex_destroy(&workers->lock);
    pthread_cond_destroy(&workers->woken);
    free(workers->thread);
    free(workers);
}

void hc_workers_do(struct hc_workers *workers, int jobs, hc_job_fn *call, void *owner)
{
    if (workers->threads == 1 || jobs == 1) {
        for (int i = 0; i < jobs; i++)
            call(owner, i);
        return;
    }
    workers->jobs = jobs;
    workers->call = call;
    workers->owner = owner;
    atomic_store(&workers->next_job, 0);
    atomic_store(&workers->working, workers->threads - 1);
    start_batch(workers);
    work(workers);
    for (int i = 1; atomic_load(&workers->working); i++)
        if (i % 64 == 0)
            sched_yield();
}
