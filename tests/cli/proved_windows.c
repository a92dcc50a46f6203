/* proved_windows ELF LOG OTHER: whether what the self-checks of OTHER's replay claim is true of LOG's, which an oracle
 * has proved: at each self-check that agreed, its window of memory has the same bytes in both. OTHER is LOG with some
 * pages changed. Exit code 0: true; 1: a window differs, or OTHER has more of them; 3: a file cannot be replayed. */
#include "replay/replay_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKS_MAX = 4096, CHUNK = 64, WINDOW = 768 };

struct proof {
    int count;
    uint64_t instruction[CHECKS_MAX];
    struct hc_check_window after[CHECKS_MAX]; /* the place after each window */
};

static const uint8_t pieces[] = { 0, 1, 3, 4, 5, 6 }; /* FORMAT.md */

static struct hc_replay *open_log(struct hc_image *image, const char *log)
{
    struct hc_replay *r;
    struct hc_replay_message message;

    if (hc_replay_open(&r, image, log, -1, &message)) {
        fprintf(stderr, "%s\n", message.text);
        exit(3);
    }
    return r;
}

/* The moments of the self-checks that agree. */
static void find(struct proof *proof, struct hc_image *image, const char *log)
{
    struct hc_replay *r = open_log(image, log);
    struct hc_replay_checks checks;
    enum hc_replay_stop stop;
    uint64_t to = 0;

    do {
        stop = hc_replay_run(r, to += CHUNK);
        hc_replay_checks(r, &checks);
        if ((uint64_t)proof->count < checks.agreed && proof->count < CHECKS_MAX) {
            proof->instruction[proof->count] = checks.instruction;
            proof->after[proof->count++] = r->s.window;
        }
    } while (stop == HC_REPLAY_REACHED);
    hc_replay_free(r);
}

/* The window that ends at AFTER: of variables, or of the stack. */
static struct hc_memory_range window(const struct hc_replay *r, struct hc_check_window after)
{
    const struct hc_border *border = &r->border;

    if (!after.piece && !after.offset) {
        uint32_t start = hc_register(r->machine, HC_SP) + 2, end = border->link.free.end;
        return (struct hc_memory_range){ start, end - start > WINDOW ? start + WINDOW : end };
    }
    const struct hc_memory_range *piece = &border->link.piece[pieces[after.piece]];
    uint32_t from = after.offset ? (after.offset - 1U) / WINDOW * WINDOW : 0;
    return (struct hc_memory_range){ piece->start + from, piece->start + after.offset };
}

static bool same(struct hc_replay *a, struct hc_replay *b, struct hc_check_window after)
{
    struct hc_memory_range in_a = window(a, after), in_b = window(b, after);
    uint32_t differ = 0;

    if (in_a.start != in_b.start || in_a.end != in_b.end)
        return false;
    for (uint32_t at = in_a.start; at + 1 < in_a.end; at += 2)
        differ += hc_peek16(a->machine, at) != hc_peek16(b->machine, at);
    return !differ;
}

int main(int argc, char **argv)
{
    static struct proof right, claimed;
    struct hc_image *image;
    struct hc_image_message message;
    int differ = 0;

    if (argc != 4 || hc_image_load_file(&image, argv[1], &message))
        return 3;
    find(&right, image, argv[2]);
    find(&claimed, image, argv[3]);
    struct hc_replay *log = open_log(image, argv[2]), *other = open_log(image, argv[3]);
    for (int i = 0; i < claimed.count && i < right.count; i++) {
        hc_replay_run(log, right.instruction[i]);
        hc_replay_run(other, claimed.instruction[i]);
        differ +=
            memcmp(&right.after[i], &claimed.after[i], sizeof right.after[i]) || !same(log, other, right.after[i]);
    }
    printf("%d of %d windows are the recorded ones\n", claimed.count - differ, right.count);
    hc_replay_free(log);
    hc_replay_free(other);
    hc_image_free(image);
    return differ || claimed.count > right.count;
}
