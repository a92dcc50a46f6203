/* A crew of threads that does a batch of independent jobs at a time, thousands of times a second. */
#ifndef HC_FIELD_CREW_H
#define HC_FIELD_CREW_H

struct hc_crew;

typedef void hc_job_fn(void *owner, int job);

/* THREADS in all, the caller's included. NULL when threads cannot be had. */
struct hc_crew *hc_crew_new(int threads);
void hc_crew_free(struct hc_crew *crew);

/* Calls CALL(owner, 0 .. JOBS-1), each once, in any order, and returns when all are done. Cheap for few jobs: those are
 * done by the caller alone. */
void hc_crew_do(struct hc_crew *crew, int jobs, hc_job_fn *call, void *owner);

#endif
