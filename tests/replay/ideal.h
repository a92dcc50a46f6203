/* An ideal recorder: it lives in the host, takes no time and no room, and writes down what the node's recorder would.
 *
 * It runs an instrumented ELF on a machine whose peripherals are noise: registers with bits that the world changes give
 * a new value at each read. The recorder's cuts are answered by the host. Interrupts come when the test says so, before
 * any instruction; when the CPU sleeps and none is left, IDEAL_ALARM wakes it. The program's instructions are hashed.
 */
#ifndef TESTS_REPLAY_IDEAL_H
#define TESTS_REPLAY_IDEAL_H

#include "registers/regs.h"
#include "replay/position.h"
#include "trace/feed.h"

enum { IDEAL_ALARM = 6 };

struct ideal_hash {
    uint32_t pc;
    uint64_t hash;
};

struct ideal {
    struct hc_image *image;
    struct hc_machine *machine;
    struct hc_regs *regs;
    struct hc_border border;
    struct noise *noise;
    struct hc_hasher *hasher;
    bool ordered;
    struct hc_event *event;
    size_t events, event_room;
    struct ideal_hash *hash;
    size_t hashes, hash_room;
    bool ended; /* asleep for good */
    /* Told of each event, and when the recorder may work in hc_update; NULL: nobody. */
    void (*on_event)(void *owner, const struct hc_event *event);
    void (*on_update)(void *owner);
    void *owner;
    /* A channel of DMA that fills SIZE bytes at ADDRESS while it is active: from the moment that the program enables it
     * until it learns of the end. */
    struct {
        uint16_t address, size; /* 0: there is none */
        bool active;
        uint8_t copy[64][64]; /* blocks of the last events */
        size_t copies;
    } dma;
};

/* PATH: of the ELF. Positions carry a hash on the pages of functions whose names are not in PLAIN (NULL-terminated;
 * NULL: everywhere; IDEAL_PROVED: where the ELF says so). Fails the running test when something is wrong. */
extern const char *const ideal_proved[];
#define IDEAL_PROVED ideal_proved
void ideal_start(struct ideal *r, const char *path, bool ordered, const char *const *plain);
void ideal_stop(struct ideal *r);

/* A place in the recording, to come back to. */
struct ideal_place {
    struct hc_snapshot *machine;
    size_t events, hashes;
};
void ideal_save(struct ideal *r, struct ideal_place *place);
void ideal_return(struct ideal *r, const struct ideal_place *place);
void ideal_drop(struct ideal_place *place);

/* Runs until N instructions have retired; the alarm wakes the CPU. False: it sleeps for good before. */
bool ideal_run(struct ideal *r, uint64_t n);
/* Requests VECTOR, before the next instruction. */
void ideal_interrupt(struct ideal *r, int vector);
/* If the channel is active, it writes a byte of noise. */
void ideal_dma(struct ideal *r);
/* All begins anew as after power-on, but the noise goes on. */
void ideal_reset(struct ideal *r);
uint64_t ideal_instructions(const struct ideal *r);

/* The events of R from the beginning, as long as R lives; changes of R show. */
struct hc_feed *ideal_source(struct ideal *r);

#endif
