/* What a region does, visit by visit: the way that its instructions went, and what its objects held at the end. Written
 * down where it happens, and in the replay of its log. The node's side shares the machine with the replay, and nothing
 * else: neither the recorder's hooks nor its log. */
#ifndef HC_TESTS_REGION_VISITS_H
#define HC_TESTS_REGION_VISITS_H

#include "image/image.h"
#include "machine/machine.h"
#include "replay/region/region_map.h"

enum { VISITS_ADDRESSES = 0x10000, VISITS_LEVELS = 40, VISITS_OBJECTS = 100 };

struct visits_program {
    struct hc_image *image;
    struct hc_region_map map;
    bool inside[VISITS_ADDRESSES];
    struct hc_symbol enter, leave;
    int objects;
    struct hc_symbol object[VISITS_OBJECTS]; /* that only the region writes */
};

struct visits {
    const struct visits_program *program;
    struct hc_machine *machine;
    struct visit {
        uint32_t path;  /* hash of the addresses, */
        uint32_t count; /* how many, */
        uint32_t state; /* and of the objects at the end; 0: not ended */
        uint32_t entry;
    } *visit;
    size_t count, room;
    size_t level[VISITS_LEVELS]; /* visits that have not ended */
    int depth;
    size_t deepest; /* visits within each other */
    bool calls;     /* the machine tells of them */
    struct visits_call {
        uint32_t entry, sp;
        bool done;
    } pending[VISITS_LEVELS]; /* calls of __hcr_enter and __hcr_leave */
    int waiting;
};

/* "what: why", and the test ends. */
void visits_fail(const char *what, const char *why);

/* Ends the test if PATH has no region. */
void visits_read_program(struct visits_program *p, const char *path);
void visits_free_program(struct visits_program *p);
/* Another object that only the region writes. */
void visits_add_object(struct visits_program *p, const char *name);

/* Writes down what M does from now on. */
void visits_listen(struct visits *v, const struct visits_program *p, struct hc_machine *m);
/* What is written down in FROM is written down in TO, too. */
void visits_copy(struct visits *to, const struct visits *from);
void visits_free(struct visits *v);

struct visits_result {
    size_t same; /* visits that ended in the replay, too; none differs */
    uint64_t checks;
    size_t bytes;
    char end[300]; /* why the log ends */
};
/* Replays LOG, which is of V's node. A visit that differs ends the test; WHAT says which run it was. */
struct visits_result visits_compare(const struct visits *v, const char *log, const char *what);

#endif
