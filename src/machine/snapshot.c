/* A snapshot is a flat copy of everything that changes: the core's state, memory, events, clocks, wires, and each
 * device's state block, one after the other in one allocation; objects of devices that save themselves follow. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct hc_snapshot {
    size_t size;
    size_t devices;
    struct {
        const struct hc_device_ops *ops;
        void *object;
    } saved[HC_DEVICES_MAX];
    char bytes[];
};

static size_t flat_size(const struct hc_machine *m)
{
    size_t size = sizeof m->s + sizeof m->queue.s + sizeof m->mclk.s + sizeof m->wire_state + m->memory_size;
    size += (size_t)m->clocks * sizeof m->clock[0].s;
    for (int i = 0; i < m->devices; i++)
        size += m->device[i]->state_size;
    return size;
}

static char *put(char *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return to + size;
}

static const char *get(void *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

struct hc_snapshot *hc_snapshot_take(struct hc_machine *m)
{
    struct hc_snapshot *snapshot = malloc(sizeof *snapshot + flat_size(m));
    if (!snapshot)
        return NULL;
    snapshot->size = sizeof *snapshot + flat_size(m);
    char *p = snapshot->bytes;
    p = put(p, &m->s, sizeof m->s);
    p = put(p, &m->queue.s, sizeof m->queue.s);
    p = put(p, &m->mclk.s, sizeof m->mclk.s);
    p = put(p, &m->wire_state, sizeof m->wire_state);
    for (int i = 0; i < m->clocks; i++)
        p = put(p, &m->clock[i].s, sizeof m->clock[i].s);
    snapshot->devices = (size_t)m->devices;
    for (int i = 0; i < m->devices; i++) {
        struct hc_device *d = m->device[i];
        p = put(p, d->state, d->state_size);
        snapshot->saved[i].ops = d->ops;
        snapshot->saved[i].object = d->ops->save ? d->ops->save(d) : NULL;
    }
    put(p, m->memory, m->memory_size);
    return snapshot;
}

void hc_snapshot_restore(struct hc_machine *m, const struct hc_snapshot *snapshot)
{
    const char *p = snapshot->bytes;
    p = get(&m->s, p, sizeof m->s);
    p = get(&m->queue.s, p, sizeof m->queue.s);
    p = get(&m->mclk.s, p, sizeof m->mclk.s);
    p = get(&m->wire_state, p, sizeof m->wire_state);
    for (int i = 0; i < m->clocks; i++)
        p = get(&m->clock[i].s, p, sizeof m->clock[i].s);
    for (int i = 0; i < m->devices; i++) {
        struct hc_device *d = m->device[i];
        p = get(d->state, p, d->state_size);
        if (d->ops->load)
            d->ops->load(d, snapshot->saved[i].object);
    }
    get(m->memory, p, m->memory_size);
    m->faulted = m->stopped = false;
    m->resume_pc = UINT32_MAX; /* hooks are asked again */
    m->reset_requested = 0;
    for (int i = 0; i < m->devices; i++)
        if (m->device[i]->ops->loaded)
            m->device[i]->ops->loaded(m->device[i]);
    hc_code_changed_all(m);
}

size_t hc_snapshot_size(const struct hc_snapshot *snapshot)
{
    return snapshot->size;
}

bool hc_snapshot_equal(const struct hc_snapshot *a, const struct hc_snapshot *b)
{
    for (size_t i = 0; i < a->devices; i++)
        if (a->saved[i].object)
            return false;
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size - sizeof *a);
}

void hc_snapshot_free(struct hc_snapshot *snapshot)
{
    if (!snapshot)
        return;
    for (size_t i = 0; i < snapshot->devices; i++)
        if (snapshot->saved[i].object)
            snapshot->saved[i].ops->drop(snapshot->saved[i].object);
    free(snapshot);
}
