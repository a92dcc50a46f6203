/* Nodes on a grid that all run one program. */
#ifndef HC_TESTS_REGION_NETWORK_H
#define HC_TESTS_REGION_NETWORK_H

#include "field/world.h"
#include "image/image.h"

/* Called for each node before it runs. */
typedef void network_node_fn(void *owner, int node, struct hc_machine *machine);

/* NULL on out-of-memory. EACH may be NULL. */
struct hc_world *network_new(struct hc_image *image, int nodes, network_node_fn *each, void *owner);

/* What the board's flash chip holds. */
bool network_write_flash(struct hc_telosb *board, const char *path);

#endif
