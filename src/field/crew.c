#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000 };

struct hc_crew {
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

static void work(struct hc_crew *crew)
{
    int job;
    while ((job = atomic_fetch_add(&crew->next_job, 1)) < crew->jobs)
        crew->call(crew->owner, job);
}

/* Spins for a while, then sleeps, until there is another batch than SEEN. */
static unsigned await_batch(struct hc_crew *crew, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&crew->batch) != seen)
            return atomic_load(&crew->batch);
        if (i % 64 == 63)
            sched_yield();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep, 1);
    while (atomic_load(&crew->batch) == seen)
        pthread_cond_wait(&crew->woken, &crew->lock);
    atomic_fetch_sub(&crew->asleep, 1);
    pthread_mutex_unlock(&crew->lock);
    return atomic_load(&crew->batch);
}

static void *member(void *argument)
{
    struct hc_crew *crew = argument;
    unsigned seen = 0;
    for (;;) {
        seen = await_batch(crew, seen);
        if (atomic_load(&crew->over))
            return NULL;
        work(crew);
        atomic_fetch_sub(&crew->working, 1);
    }
}

static void start_batch(struct hc_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->batch, 1);
    if (atomic_load(&crew->asleep))
        pthread_cond_broadcast(&crew->woken);
    pthread_mutex_unlock(&crew->lock);
}

struct hc_crew *hc_crew_new(int threads)
{
    struct hc_crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->woken, NULL);
    crew->threads = 1;
    crew->thread = calloc((size_t)threads, sizeof *crew->thread);
    while (crew->thread && crew->threads < threads) {
        if (pthread_create(&crew->thread[crew->threads], NULL, member, crew) != 0)
            break;
        crew->threads++;
    }
    if (crew->threads < threads) {
        hc_crew_free(crew);
        return NULL;
    }
    return crew;
}

void hc_crew_free(struct hc_crew *crew)
{
    if (!crew)
        return;
    atomic_store(&crew->over, true);
    start_batch(crew);
    for (int i = 1; i < crew->threads; i++)
        pthread_join(crew->thread[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->woken);
    free(crew->thread);
    free(crew);
}

void hc_crew_do(struct hc_crew *crew, int jobs, hc_job_fn *call, void *owner)
{
    if (crew->threads == 1 || jobs == 1) {
        for (int i = 0; i < jobs; i++)
            call(owner, i);
        return;
    }
    crew->jobs = jobs;
    crew->call = call;
    crew->owner = owner;
    atomic_store(&crew->next_job, 0);
    atomic_store(&crew->working, crew->threads - 1);
    start_batch(crew);
    work(crew);
    for (int i = 1; atomic_load(&crew->working); i++)
        if (i % 64 == 0)
            sched_yield();
}
