#include "cow_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct page {
    atomic_uint owners;
    uint8_t bytes[HC_COW_PAGE];
};

struct sector {
    atomic_uint owners;
    struct page *pages[HC_COW_SECTOR_PAGES];
};

struct hc_cow {
    atomic_uint owners;
    struct sector *sectors[HC_COW_SECTORS];
};

static const uint8_t erased_page[HC_COW_PAGE] = {
#define ROW 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
    ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW,
#undef ROW
};

static void add_owner(atomic_uint *owners)
{
    atomic_fetch_add_explicit(owners, 1, memory_order_relaxed);
}

/* True for the last one. */
static int drop_owner(atomic_uint *owners)
{
    return atomic_fetch_sub_explicit(owners, 1, memory_order_acq_rel) == 1;
}

static int is_shared(atomic_uint *owners)
{
    return atomic_load_explicit(owners, memory_order_acquire) != 1;
}

static void release_page(struct page *p)
{
    if (p && drop_owner(&p->owners))
        free(p);
}

static void release_sector(struct sector *s)
{
    if (!s || !drop_owner(&s->owners))
        return;
    for (int i = 0; i < HC_COW_SECTOR_PAGES; i++)
        release_page(s->pages[i]);
    free(s);
}

struct hc_cow *hc_cow_new(void)
{
    struct hc_cow *c = calloc(1, sizeof *c);
    if (c)
        atomic_init(&c->owners, 1);
    return c;
}

struct hc_cow *hc_cow_share(struct hc_cow *c)
{
    add_owner(&c->owners);
    return c;
}

void hc_cow_release(struct hc_cow *c)
{
    if (!c || !drop_owner(&c->owners))
        return;
    for (int i = 0; i < HC_COW_SECTORS; i++)
        release_sector(c->sectors[i]);
    free(c);
}

const uint8_t *hc_cow_page(const struct hc_cow *c, unsigned page)
{
    const struct sector *s = c->sectors[page / HC_COW_SECTOR_PAGES];
    const struct page *p = s ? s->pages[page % HC_COW_SECTOR_PAGES] : NULL;
    return p ? p->bytes : erased_page;
}

/* Makes *C the only owner of its root. */
static int own_root(struct hc_cow **c)
{
    if (!is_shared(&(*c)->owners))
        return 0;
    struct hc_cow *copy = hc_cow_new();
    if (!copy)
        return -1;
    for (int i = 0; i < HC_COW_SECTORS; i++) {
        copy->sectors[i] = (*c)->sectors[i];
        if (copy->sectors[i])
            add_owner(&copy->sectors[i]->owners);
    }
    hc_cow_release(*c);
    *c = copy;
    return 0;
}

static int own_sector(struct sector **s)
{
    if (*s && !is_shared(&(*s)->owners))
        return 0;
    struct sector *copy = calloc(1, sizeof *copy);
    if (!copy)
        return -1;
    atomic_init(&copy->owners, 1);
    for (int i = 0; *s && i < HC_COW_SECTOR_PAGES; i++) {
        copy->pages[i] = (*s)->pages[i];
        if (copy->pages[i])
            add_owner(&copy->pages[i]->owners);
    }
    release_sector(*s);
    *s = copy;
    return 0;
}

static int own_page(struct page **p)
{
    if (*p && !is_shared(&(*p)->owners))
        return 0;
    struct page *copy = malloc(sizeof *copy);
    if (!copy)
        return -1;
    atomic_init(&copy->owners, 1);
    memcpy(copy->bytes, *p ? (*p)->bytes : erased_page, HC_COW_PAGE);
    release_page(*p);
    *p = copy;
    return 0;
}

uint8_t *hc_cow_page_write(struct hc_cow **c, unsigned page)
{
    if (own_root(c) < 0)
        return NULL;
    struct sector **s = &(*c)->sectors[page / HC_COW_SECTOR_PAGES];
    if (own_sector(s) < 0)
        return NULL;
    struct page **p = &(*s)->pages[page % HC_COW_SECTOR_PAGES];
    return own_page(p) < 0 ? NULL : (*p)->bytes;
}

int hc_cow_erase_sector(struct hc_cow **c, unsigned sector)
{
    if (own_root(c) < 0)
        return -1;
    release_sector((*c)->sectors[sector]);
    (*c)->sectors[sector] = NULL;
    return 0;
}
