#include "core.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hc_wire add(struct hc_machine *m, const char *name, int width, int32_t pull)
{
    assert(m->wires < HC_WIRES_MAX);
    hc_wire w = (hc_wire)m->wires++;
    struct hc_wire_info *info = &m->wire[w];
    snprintf(info->name, sizeof info->name, "%s", name);
    info->width = width;
    info->first_listener = -1;
    m->wire_state.pull[w] = m->wire_state.level[w] = pull;
    memset(m->wire_state.drive[w], HC_RELEASE, HC_DRIVERS_MAX);
    return w;
}

hc_wire hc_wire_new(struct hc_machine *m, const char *name, int32_t pull)
{
    return add(m, name, 1, pull);
}

hc_wire hc_wire_new_wide(struct hc_machine *m, const char *name, int width, const char *const *values)
{
    hc_wire w = add(m, name, width, 0);
    m->wire[w].values = values;
    return w;
}

hc_wire hc_wire_find(const struct hc_machine *m, const char *name)
{
    for (int w = 0; w < m->wires; w++)
        if (strcmp(m->wire[w].name, name) == 0)
            return (hc_wire)w;
    return HC_NO_WIRE;
}

void hc_wire_set(struct hc_machine *m, hc_wire w, int32_t value)
{
    if (m->wire_state.level[w] == value)
        return;
    m->wire_state.level[w] = value;
    for (int i = m->wire[w].first_listener; i >= 0; i = m->wire_listener[i].next)
        m->wire_listener[i].call(m->wire_listener[i].owner, value, hc_now(m));
}

static void resolve(struct hc_machine *m, hc_wire w)
{
    int32_t level = m->wire_state.pull[w];
    const uint8_t *drive = m->wire_state.drive[w];
    for (int i = 0; i < m->wire[w].drivers; i++) {
        if (drive[i] == HC_LOW) {
            level = 0;
            break;
        }
        if (drive[i] == HC_HIGH)
            level = 1;
    }
    hc_wire_set(m, w, level);
}

void hc_wire_set_pull(struct hc_machine *m, hc_wire w, int32_t pull)
{
    m->wire_state.pull[w] = pull;
    resolve(m, w);
}

int hc_wire_driver(struct hc_machine *m, hc_wire w)
{
    assert(m->wire[w].drivers < HC_DRIVERS_MAX);
    return m->wire[w].drivers++;
}

void hc_wire_drive(struct hc_machine *m, hc_wire w, int driver, enum hc_drive drive)
{
    if (m->wire_state.drive[w][driver] == drive)
        return;
    m->wire_state.drive[w][driver] = (uint8_t)drive;
    resolve(m, w);
}

int32_t hc_wire_level(const struct hc_machine *m, hc_wire w)
{
    return m->wire_state.level[w];
}

void hc_wire_listen(struct hc_machine *m, hc_wire w, hc_wire_fn *call, void *owner)
{
    if (m->wire_listeners == m->wire_listeners_room) {
        m->wire_listeners_room = m->wire_listeners_room ? 2 * m->wire_listeners_room : 64;
        m->wire_listener = realloc(m->wire_listener, (size_t)m->wire_listeners_room * sizeof *m->wire_listener);
        if (!m->wire_listener)
            abort();
    }
    int i = m->wire_listeners++;
    m->wire_listener[i].call = call;
    m->wire_listener[i].owner = owner;
    m->wire_listener[i].next = -1;
    int *link = &m->wire[w].first_listener;
    while (*link >= 0)
        link = &m->wire_listener[*link].next;
    *link = i;
}

int hc_wire_count(const struct hc_machine *m)
{
    return m->wires;
}

const char *hc_wire_name(const struct hc_machine *m, hc_wire w)
{
    return m->wire[w].name;
}

int hc_wire_width(const struct hc_machine *m, hc_wire w)
{
    return m->wire[w].width;
}

const char *const *hc_wire_values(const struct hc_machine *m, hc_wire w)
{
    return m->wire[w].values;
}
