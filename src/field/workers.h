/* A pool of threads that executes batches of independent jobs, thousands of times a second. */
#ifndef HC_FIELD_WORKERS_H
#define HC_FIELD_WORKERS_H

struct hc_workers;

typedef void hc_job_fn(void *owner, int job);

/* THREADS in all, including the caller's. Returns NULL if threads cannot be created. */
struct hc_workers *hc_workers_new(int threads);
void hc_workers_free(struct hc_workers *workers);

/* Calls CALL(owner, 0 .. JOBS-1), each once, in any order, and returns when all are done. Cheap for few jobs, which the
 * caller does alone. */
void hc_workers_do(struct hc_workers *workers, int jobs, hc_job_fn *call, void *owner);

#endif
