/* The page of a slice: the graph of its functions, and the sources with each line of the slice in its level's colour.
 */
#ifndef HC_DEPEND_PAGE_H
#define HC_DEPEND_PAGE_H

#include "pfdg.h"

#include <stdio.h>

/* Writes one HTML file without references to others. Sources that cannot be read are named and left out. */
void hc_slice_page(FILE *out, const struct hc_pfdg *g, const char *title, const char *summary);

/* Only the graph, as SVG: a column for each level. */
void hc_slice_svg(FILE *out, const struct hc_pfdg *g);

#endif
