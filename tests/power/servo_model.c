/* A model of an environment for `hindcast power --environment`: a servo whose travel ends at 0 and at 90 degrees, and
 * which wears with every degree it moves. The wear is not compared. */
#include "power/interactions/environment.h"

#include <string.h>

struct servo {
    int32_t angle, wear;
};

static void act(void *context, void *state, const char *output, int32_t argument, unsigned done)
{
    struct servo *s = state;
    int32_t target = !strcmp(output, "rotate_to") ? argument : s->angle + argument;

    (void)context;
    target = s->angle + (target - s->angle) * (int32_t)done / HC_ACTION_WHOLE;
    target = target < 0 ? 0 : target > 90 ? 90 : target;
    s->wear += target > s->angle ? target - s->angle : s->angle - target;
    s->angle = target;
}

static bool same(void *context, const void *a, const void *b, const char *output)
{
    (void)context;
    (void)output;
    return ((const struct servo *)a)->angle == ((const struct servo *)b)->angle;
}

const struct hc_environment hindcast_environment = {
    .version = HC_ENVIRONMENT_VERSION,
    .size = sizeof(struct servo),
    .act = act,
    .same = same,
};
