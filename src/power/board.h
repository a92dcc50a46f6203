/* The board that a program runs on: a new one for each run of the analysis. */
#ifndef HC_POWER_BOARD_H
#define HC_POWER_BOARD_H

#include "image/image.h"
#include "machine/machine.h"
#include "power/locate/locate.h"

struct hc_power_board;

/* With the image loaded, and switched on. PART: one of hc_launchpad_part's; NULL: the smallest that has room for it.
 * NULL, with a sentence in MESSAGE, when there is none. */
struct hc_power_board *hc_power_board_new(const struct hc_image *image, const struct hc_part *part, char *message,
                                          size_t size);
void hc_power_board_free(struct hc_power_board *b);
struct hc_machine *hc_power_board_machine(struct hc_power_board *b);

/* Its machine becomes CONFIG's, with CONFIG's inputs having their values. */
void hc_power_board_use(struct hc_power_board *b, struct hc_locate_config *config);

#endif
