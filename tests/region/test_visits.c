/* A region that a node records is replayed as it was: a network runs with hooks on every node that write down each
 * visit (visits.h), and the replay of each node's log is written down in the same way.
 *
 *     test_visits IMAGE NODES SECONDS LEAST     at least LEAST visits of all nodes must be replayed */
#include "field/world.h"
#include "network.h"
#include "visits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listening {
    const struct visits_program *program;
    struct visits *nodes;
};

static void listen_to(void *owner, int node, struct hc_machine *m)
{
    struct listening *l = owner;

    visits_listen(&l->nodes[node], l->program, m);
}

static size_t compare(struct hc_world *world, const struct visits *v, int node, const char *log)
{
    char what[40];

    snprintf(what, sizeof what, "node %d", node);
    if (!network_write_flash(hc_world_board(world, node), log))
        visits_fail(log, "cannot be written");
    struct visits_result r = visits_compare(v, log, what);
    printf("%s: %zu of %zu visits replayed, none differs; %llu checks; %zu bytes\n", what, r.same, v->count,
           (unsigned long long)r.checks, r.bytes);
    if (strcmp(r.end, "the log ends here"))
        printf("%s ended: %s\n", what, r.end);
    return r.same;
}

int main(int argc, char **argv)
{
    static struct visits_program p;
    char log[] = "/tmp/test_visits.XXXXXX";

    if (argc < 5)
        visits_fail("usage", "test_visits IMAGE NODES SECONDS LEAST");
    int nodes = atoi(argv[2]), file = mkstemp(log);
    struct visits *visits = calloc((size_t)nodes, sizeof *visits);
    visits_read_program(&p, argv[1]);
    struct listening listening = { &p, visits };
    struct hc_world *world = network_new(p.image, nodes, listen_to, &listening);
    if (file < 0 || !visits || !world || hc_world_run(world, (hc_time)atoi(argv[3]) * HC_SECOND) != HC_WORLD_TIME)
        visits_fail("the network", "stopped");
    size_t all = 0;
    for (int i = 0; i < nodes; i++) {
        all += compare(world, &visits[i], i, log);
        visits_free(&visits[i]);
    }
    hc_world_free(world);
    free(visits);
    close(file);
    unlink(log);
    printf("%zu visits, 0 differ; %d objects compared\n", all, p.objects);
    visits_free_program(&p);
    return all < strtoul(argv[4], NULL, 10);
}
